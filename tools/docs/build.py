#!/usr/bin/env python3
"""Makes one site of README.md and docs/, with mdBook, in out/docs.

The sources stay as they are read in the repository. A copy of them is made for mdBook, in which
the README is the first page, and links to files that are not documents are plain text.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TOOLS = ROOT / ".tools/bin"

_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
_LONG_NAME = re.compile(r"`(\w{25,})`")
_FENCE = re.compile(r"^\s*(```|~~~)")


def page(text: str, folder: str) -> str:
    """A document of `folder` with its links as they are on the site, where docs/ is the root."""

    def link(match: re.Match) -> str:
        picture, label, target = match.groups()
        path, mark, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target) or not path:
            return match.group()
        in_root = os.path.normpath(os.path.join(folder, path))
        if in_root == "README.md":
            in_site = "index.md"
        elif in_root.startswith("docs/"):
            in_site = in_root.removeprefix("docs/")
        else:
            return f"{label} (`{in_root}`)" if f"`{in_root}`" != label else label
        here = os.path.relpath(folder, "docs") if folder else "."
        relative = os.path.relpath(in_site, "." if here == ".." else here)
        return f"{picture}[{label}]({relative}{mark}{anchor})"

    def breakable(match: re.Match) -> str:
        return "<code>" + match.group(1).replace("_", "_<wbr>") + "</code>"

    parts, fence = [[]], False
    for line in text.split("\n"):
        if _FENCE.match(line):
            # Prose and code alternate; the fences belong to the code.
            if fence:
                parts[-1].append(line)
                parts.append([])
            else:
                parts.append([line])
            fence = not fence
        else:
            parts[-1].append(line)
    for number in range(0, len(parts), 2):
        prose = _LINK.sub(link, "\n".join(parts[number])).split("\n")
        parts[number] = [_LONG_NAME.sub(breakable, line) if line.startswith("|") else line
                         for line in prose]
    return "\n".join("\n".join(part) for part in parts if part)


def copy(work: pathlib.Path) -> None:
    """The sources of the book below `work`."""
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(ROOT / "docs", work / "src")
    for path in sorted((work / "src").rglob("*.md")):
        folder = os.path.join("docs", path.relative_to(work / "src").parent)
        path.write_text(page(path.read_text(encoding="utf-8"), os.path.normpath(folder)),
                        encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (work / "src/index.md").write_text(page(readme, ""), encoding="utf-8")
    for name in ("book.toml", "site.css"):
        shutil.copy(HERE / name, work / name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "out/docs")
    options = parser.parse_args()
    work = options.out.parent / f".{options.out.name}"
    copy(work)
    environment = {**os.environ, "PATH": f"{TOOLS}{os.pathsep}{os.environ['PATH']}"}
    steps = [["mdbook-mermaid", "install", "."], ["mdbook", "build", "--dest-dir",
                                                  str(options.out.resolve())]]
    for step in steps:
        ended = subprocess.run(step, cwd=work, env=environment, capture_output=True, text=True)
        said = ended.stdout + ended.stderr
        if ended.returncode or "WARN" in said or "ERROR" in said:
            sys.exit(f"{' '.join(step)}:\n{said}")
    shutil.rmtree(work)
    print(f"{options.out}/index.html")


if __name__ == "__main__":
    main()
