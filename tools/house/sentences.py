#!/usr/bin/env python3
"""Mechanical findings in the English of documents and doc comments.

Read are README.md, docs/**/*.md, doc comments of Rust (/// and //!), and the comment that opens a
SystemVerilog file. Found are:

* a paragraph, list entry or sentence that opens with "Of";
* words that stand for a machine where its name should stand: who, nobody, "one that", ... (list in
  house.toml, with the lines in which a person is meant);
* lines of more than 100 columns.

Tables, code fences, links and pictures are exempt from the column rule; code spans and fences are
exempt from the others.
"""

import re

import rust
from common import Finding, House, below, main

_FENCE = re.compile(r"^\s*(```|~~~)")
_SPAN = re.compile(r"`[^`]*`")
_LINK = re.compile(r"!?\[[^\]]*\]\([^)]*\)|https?://\S+")
_SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=[A-Z\"(*])")
_LEAD = re.compile(r"^[\s>*#|\d.-]*")


class Judge:
    """The rules, and what they found in one file."""

    def __init__(self, file: str, config: dict, persons: list[str]):
        self.file = file
        self.columns = config["columns"]
        self.opening = re.compile(r"(?:%s)\b" % "|".join(config["openings"]))
        words = "|".join(re.escape(w).replace(r"\ ", r"\s+") for w in config["words"])
        self.word = re.compile(r"\b(%s)\b" % words, re.I)
        self.persons = persons
        self.findings: list[Finding] = []

    def add(self, line: int, message: str) -> None:
        self.findings.append(Finding(self.file, line, message))

    def column(self, line: int, text: str) -> None:
        if len(text) > self.columns:
            self.add(line, f"{len(text)} columns, at most {self.columns}")

    def paragraph(self, lines: list[tuple[int, str]]) -> None:
        """One paragraph, list entry or row of a table, as numbered lines."""
        if not lines:
            return
        starts, text = [], ""
        for number, content in lines:
            starts.append((len(text), number))
            text += _SPAN.sub("`x`", content).strip() + " "

        def line_of(offset: int) -> int:
            return max(n for at, n in starts if at <= offset)

        begins = [0] + [m.end() for m in _SENTENCE.finditer(text)]
        cells = [m.end() for m in re.finditer(r"\|\s*", text)] if "|" in text else []
        for at in sorted({at + len(_LEAD.match(text[at:]).group()) for at in begins + cells}):
            opening = self.opening.match(text[at:])
            if opening:
                self.add(line_of(at), f'opens with "{opening.group()}": {text[at:at + 50]}')
        for match in self.word.finditer(text):
            near = text[max(0, match.start() - 60):match.end() + 60]
            if not any(person in near for person in self.persons):
                context = text[max(0, match.start() - 20):match.end() + 25]
                self.add(line_of(match.start()), f'"{match.group()}": … {context.strip()} …')


def judge_markdown(judge: Judge, lines: list[tuple[int, str]], columns: bool) -> None:
    """Numbered lines of Markdown; `columns` tells whether their width counts."""
    fence, paragraph = False, []
    for number, line in lines:
        if _FENCE.match(line):
            fence = not fence
            judge.paragraph(paragraph)
            paragraph = []
            continue
        if fence:
            continue
        table = line.lstrip().startswith("|")
        # Four blanks behind an empty line are code.
        code = line.startswith("    ") and not paragraph
        if columns and not table and not code:
            judge.column(number, _LINK.sub(lambda m: re.sub(r"\(.*", "", m.group()), line))
        if not line.strip() or table or re.match(r"\s*([-*#>]|\d+\.)\s", line):
            judge.paragraph(paragraph)
            paragraph = []
        if line.strip() and not code:
            paragraph.append((number, line))
    judge.paragraph(paragraph)


def judge_comments(judge: Judge, lines: list[tuple[int, str, str]]) -> None:
    """Doc comments: number, the whole line, and the text behind the slashes."""
    block: list[tuple[int, str]] = []
    fence = False
    for number, whole, text in [*lines, (-1, "", "")]:
        if block and number != block[-1][0] + 1:
            judge_markdown(judge, block, False)
            block, fence = [], False
        block.append((number, text))
        fence ^= bool(_FENCE.match(text))
        if not fence and not text.lstrip().startswith("|"):
            judge.column(number, re.sub(r"https?://\S+", "", whole))


def doc_comments(text: str) -> list[tuple[int, str, str]]:
    """Lines of /// and //! of a Rust file."""
    lines = text.split("\n")
    result = []
    for token in rust.tokens(text):
        if token.kind in ("doc", "inner") and token.text.startswith("//"):
            result.append((token.line, lines[token.line - 1], token.text[3:].removeprefix(" ")))
    return result


def header(text: str) -> list[tuple[int, str, str]]:
    """The comment that opens a SystemVerilog file."""
    result = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.startswith("//"):
            break
        result.append((number, line, line[2:].removeprefix(" ")))
    return result


def find(house: House) -> list[Finding]:
    config = house.config["sentences"]
    result = []
    for file in house.files():
        if below(file, config["exempt"]):
            continue
        judge = Judge(file, config, config["persons"].get(file, []))
        if file == "README.md" or (file.startswith("docs/") and file.endswith(".md")):
            lines = house.text(file).split("\n")
            judge_markdown(judge, list(enumerate(lines, 1)), True)
        elif file.endswith(".rs"):
            judge_comments(judge, doc_comments(house.text(file)))
        elif file.endswith((".sv", ".svh")):
            judge_comments(judge, header(house.text(file)))
        result += judge.findings
    return result


if __name__ == "__main__":
    main("sentences", __doc__, find)
