#!/usr/bin/env python3
"""Product files that name a personality outside that personality's own folders.

A name counts where it is a whole word of an identifier, of a string, or of the file's own path:
`mini`, `MiniLayout`, `"mini-pair"`, `nic_vmmc`; not `minimum`, and neither `miNI` nor `VMMC`, which are
the names of the papers' systems. Comments do not count: they cite the papers. Documents, tests (a
module under `#[cfg(test)]` as well) and benches are exempt. The folders
and the tables that may list every personality are in house.toml.
"""

import re

import rust
from common import Finding, House, below, main

_HASH_COMMENT = re.compile(r"(^|\s)#.*$")
_PAPERS = re.compile(r"\b(miNI|VMMC)\b")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def words(text: str) -> set[str]:
    """The words of a text, cut at every change of case, digit, or mark, in lower case."""
    # The papers' names of their systems: as they spell them, and as no identifier is spelled.
    text = _PAPERS.sub(" ", text)
    return {w.lower() for w in _WORD.findall(text)}


def is_test(file: str) -> bool:
    parts = file.split("/")
    return "tests" in parts or parts[-1] in ("tests.rs", "test.py")


def product_tokens(text: str) -> list[rust.Token]:
    """The tokens of a file without its modules of tests."""
    toks = rust.tokens(text)
    pairs = rust.partners(toks)
    kept, at = [], 0
    while at < len(toks):
        if [t.text for t in toks[at:at + 8]] == ["#", "[", "cfg", "(", "test", ")", "]", "mod"]:
            brace = next((i for i in range(at, len(toks)) if toks[i].text in "{;"), at)
            at = pairs.get(brace, brace) + 1
        else:
            kept.append(toks[at])
            at += 1
    return kept


def named_lines(file: str, text: str) -> dict[int, str]:
    """What counts on each line of a file: code and strings, without comments."""
    lines: dict[int, str] = {}
    if file.endswith((".rs", ".sv", ".svh")):
        for token in product_tokens(text):
            if token.kind in ("id", "string"):
                lines[token.line] = lines.get(token.line, "") + " " + token.text
    else:
        for number, line in enumerate(text.split("\n"), 1):
            lines[number] = _HASH_COMMENT.sub("", line)
    return lines


def find(house: House) -> list[Finding]:
    """Each line that names a personality, once for each name."""
    config = house.config["personalities"]
    free = config["exempt"] + config["tables"]
    result = []
    for file in house.files():
        if below(file, free) or is_test(file) or file.endswith((".md", ".svg", ".gtkw")):
            continue
        names = {n for n, own in config["own"].items() if not below(file, own)}
        found = names & words(file)
        result += [Finding(file, 1, f"the path names {name}") for name in sorted(found)]
        try:
            text = house.text(file)
        except UnicodeDecodeError:
            continue
        for line, content in named_lines(file, text).items():
            for name in sorted(names & words(content)):
                result.append(Finding(file, line, f"names {name}: {content.strip()[:70]}"))
    return result


def by_name(house: House, findings: list[Finding]) -> dict:
    """Findings of each personality, for the JSON object."""
    names = house.config["personalities"]["own"]
    named = [finding.message.split(":")[0].split()[-1] for finding in findings]
    return {"names": {name: named.count(name) for name in names}}


if __name__ == "__main__":
    main("personalities", __doc__, find, more=by_name)
