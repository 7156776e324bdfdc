#!/usr/bin/env python3
"""Folds what is wider than 100 columns: paragraphs of documents, and of doc comments.

    fold.py FILE...

Only a paragraph or list entry with such a line is folded anew; its words stay as they are. Tables,
code and headings are left alone. Files that `sentences.py` exempts are left alone too.
"""

import argparse
import pathlib
import re

import common
import rust

_FENCE = re.compile(r"^\s*(```|~~~)")
_ITEM = re.compile(r"^(\s*)([-*+]|\d+\.)\s+")
_QUOTE = re.compile(r"^\s*>\s?")
# A link or picture stays on one line, and so does a code span.
_WORD = re.compile(r"(?:!?\[[^\]]*\]\([^)\s]*\)|`[^`]*`|[^\s`])+")
# What would begin something else than text at the beginning of a line.
_MARK = re.compile(r"^(?:[-+*]|#+|>.*|\|.*|\d+[.)]|=+|```.*)$")


def wrap(words: list[str], first: str, rest: str, columns: int) -> list[str]:
    """Lines of words, none wider than `columns` if its words allow it."""
    groups: list[str] = []
    for word in words:
        # A word that would begin something else stays behind the word before it.
        if groups and _MARK.match(word):
            groups[-1] += " " + word
        else:
            groups.append(word)
    lines, line, empty = [], first, True
    for group in groups:
        if not empty and len(line) + 1 + len(group) > columns:
            lines.append(line)
            line, empty = rest, True
        line += group if empty else " " + group
        empty = False
    return [*lines, line]


def fold(lines: list[str], columns: int) -> list[str]:
    """Lines of Markdown with wide paragraphs folded."""
    result: list[str] = []
    paragraph: list[str] = []
    fence = False

    def flush() -> None:
        if any(len(line) > columns for line in paragraph) and \
                not any(line.endswith("  ") for line in paragraph):
            item = _ITEM.match(paragraph[0])
            lead = item.group() if item else re.match(r"\s*", paragraph[0]).group()
            text = " ".join([paragraph[0][len(lead):], *paragraph[1:]])
            result.extend(wrap(_WORD.findall(text), lead, " " * len(lead), columns))
        else:
            result.extend(paragraph)
        paragraph.clear()

    for line in lines:
        if _FENCE.match(line):
            flush()
            fence = not fence
            result.append(line)
        elif fence or not line.strip() or line.lstrip().startswith(("|", "#", "<")) \
                or _QUOTE.match(line) or (line.startswith("    ") and not paragraph):
            flush()
            result.append(line)
        else:
            if _ITEM.match(line):
                flush()
            paragraph.append(line)
    flush()
    return result


def fold_comments(text: str, columns: int) -> str:
    """A Rust file with its doc comments folded."""
    lines = text.split("\n")
    marks = {}
    for token in rust.tokens(text):
        if token.kind in ("doc", "inner") and token.text.startswith("//"):
            lead = lines[token.line - 1]
            before = lead[:len(lead) - len(lead.lstrip())]
            if lead.startswith(before + token.text[:3]):
                marks[token.line] = before + token.text[:3]
    return _fold_blocks(lines, marks, columns)


def fold_header(text: str, columns: int) -> str:
    """A SystemVerilog file with the comment that opens it folded."""
    lines = text.split("\n")
    marks = {}
    for number, line in enumerate(lines, 1):
        if not line.startswith("//"):
            break
        marks[number] = "//"
    return _fold_blocks(lines, marks, columns)


def _fold_blocks(lines: list[str], marks: dict[int, str], columns: int) -> str:
    result: list[str] = []
    block: list[str] = []
    mark = ""

    def flush() -> None:
        if block:
            folded = fold([line.removeprefix(" ") for line in block], columns - len(mark) - 1)
            result.extend(mark + (" " + line if line else "") for line in folded)
            block.clear()

    for number, line in enumerate(lines, 1):
        own = marks.get(number, "")
        if own != mark:
            flush()
            mark = own
        if own:
            block.append(line[len(own):])
        else:
            result.append(line)
    flush()
    return "\n".join(result)


def main() -> None:
    parser = argparse.ArgumentParser(prog="fold.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=common.ROOT)
    parser.add_argument("files", nargs="*", metavar="FILE", help="relative to the root")
    options = parser.parse_args()
    config = common.read_house(options.root).config["sentences"]
    for file in options.files:
        if common.below(file, config["exempt"]):
            continue
        path = options.root / file
        text = path.read_text(encoding="utf-8")
        if file.endswith(".md"):
            folded = "\n".join(fold(text.split("\n"), config["columns"]))
        elif file.endswith(".rs"):
            folded = fold_comments(text, config["columns"])
        elif file.endswith((".sv", ".svh")):
            folded = fold_header(text, config["columns"])
        else:
            continue
        if folded != text:
            path.write_text(folded, encoding="utf-8")
            print(file)


if __name__ == "__main__":
    main()
