#!/usr/bin/env python3
"""Every relative link and picture in a document leads to a file, every anchor to a heading.

Paths in code spans that begin with a top folder exist too, and every page of docs/ is in
docs/SUMMARY.md, from which the site is made.
"""

import os
import pathlib
import re

from common import Finding, House, below, main

_FENCE = re.compile(r"^\s*(```|~~~)")
_CODE = re.compile(r"`[^`]*`")
_PATH = re.compile(r"`((?:[a-z][\w-]*/)+[\w.-]*)`")
_LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*\s*$")
_ANCHOR = re.compile(r"<a (?:name|id)=\"([^\"]+)\"")


def prose(text: str) -> list[tuple[int, str]]:
    """Numbered lines outside of code fences."""
    result, inside = [], False
    for number, line in enumerate(text.split("\n"), 1):
        if _FENCE.match(line):
            inside = not inside
        elif not inside:
            result.append((number, line))
    return result


def anchors(text: str) -> set[str]:
    """Anchors of a document: its headings as the renderers write them, and explicit ones."""
    result: set[str] = set()
    for _, line in prose(text):
        result.update(_ANCHOR.findall(line))
        heading = _HEADING.match(line)
        if heading:
            plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1))
            plain = re.sub(r"[`*]", "", plain).lower()
            slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
            number, wanted = 0, slug
            while wanted in result:
                number += 1
                wanted = f"{slug}-{number}"
            result.add(wanted)
    return result


def find(house: House) -> list[Finding]:
    """Links whose file or anchor does not exist."""
    known = set(house.files())
    folders = {str(p) for f in known for p in pathlib.PurePosixPath(f).parents}
    tops = {f for f in folders if "/" not in f}
    heads: dict[str, set[str]] = {}
    result = []
    for file in sorted(known):
        if not file.endswith(".md") or not below(file, house.config["links"]["documents"]):
            continue
        lines = prose(house.text(file))
        # A link may be broken over lines, so the prose is searched as one text.
        text = "\n".join(line for _, line in lines)

        def line_of(at: int) -> int:
            return lines[text.count("\n", 0, at)][0]

        for match in _PATH.finditer(text):
            path = match.group(1).rstrip("/")
            if path in house.config["links"]["made_later"] or path in known | folders:
                continue
            if path.split("/")[0] in tops:
                result.append(Finding(file, line_of(match.start()), f"no such file: {path}"))
        spans = _CODE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
        for match in _LINK.finditer(spans):
            link = match.group(1)
            if re.match(r"[a-z]+:", link):
                continue
            number = line_of(match.start())
            path, _, anchor = link.partition("#")
            target = file
            if path:
                target = os.path.normpath(os.path.join(os.path.dirname(file), path))
            if target not in known and target not in folders:
                result.append(Finding(file, number, f"no such file: {link}"))
            elif anchor and target.endswith(".md"):
                if target not in heads:
                    heads[target] = anchors(house.text(target))
                if anchor not in heads[target]:
                    result.append(Finding(file, number, f"no such heading: {link}"))
    contents = "docs/SUMMARY.md"
    if contents in known:
        listed = set(_LINK.findall(house.text(contents)))
        for file in sorted(known):
            page = file.removeprefix("docs/")
            if file.endswith(".md") and page != file and file != contents and page not in listed:
                result.append(Finding(contents, 1, f"{page} is not in the contents of the site"))
    return result


if __name__ == "__main__":
    main("links", __doc__, find)
