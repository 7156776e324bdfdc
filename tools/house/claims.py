#!/usr/bin/env python3
"""The pages of requirements and invariants name what exists, and leave out no number.

* Every test function and every path in code of the two pages exists.
* Requirements M-1 to M-68 have one row each in their table of states, and E-1 to E-57 a row in some
  table. Each state is known; a row that is not absent names what decides it. Invariants INV-1 to the
  last have one row each, in order.
* Every number that a source file or another page cites (M, E, MC, MN, INV) stands in the pages.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
REQUIREMENTS, INVARIANTS = "docs/requirements.md", "docs/invariants.md"
M_LAST, E_LAST = 68, 57
STATES = ("done", "partial", "different", "absent")
SOURCES = (".rs", ".sv", ".rdl", ".toml", ".md", ".py")
# This script and its test name numbers that do not exist.
SELF = "tools/house/"

_CODE = re.compile(r"`([^`]+)`")
_FUNCTION = re.compile(r"\bfn\s+(\w+)")
_CITED = re.compile(r"\b(INV|MC|MN|M|E)-(\d+)(?:(?:,| to| and)\s+(\d+)\b(?!\s*(?:[%\w]|\.\d)))?")
_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+){2,}")


def rows(text: str) -> list[list[str]]:
    """Cells of all table rows. No cell of the pages holds a bar."""
    return [[cell.strip() for cell in line.strip("|").split("|")]
            for line in text.splitlines() if line.startswith("| ")]


def numbers(first_cell: str, letter: str) -> list[int]:
    return [int(n) for n in re.findall(rf"\b{letter}-(\d+)", first_cell)]


def find(files: dict[str, str]) -> list[str]:
    """What is wrong with a repository, given as texts by path."""
    wrong = []
    requirements, invariants = files[REQUIREMENTS], files[INVARIANTS]
    functions = {name for path, text in files.items() if path.endswith(".rs")
                 for name in _FUNCTION.findall(text)}
    paths = {"/" + path for path in files}
    paths |= {str(parent) for path in paths for parent in pathlib.PurePosixPath(path).parents}

    for page, text in ((REQUIREMENTS, requirements), (INVARIANTS, invariants)):
        for name in _CODE.findall(text):
            if "/" in name or name.endswith(".rs"):
                if not any(path.endswith("/" + name) for path in paths):
                    wrong.append(f"{page}: there is no {name}")
            elif _NAME.fullmatch(name) and name not in functions:
                wrong.append(f"{page}: there is no test {name}")

    def section(title: str, first: str) -> list[list[str]]:
        text = requirements.partition(f"## {title}")[2].partition("\n## ")[0]
        return [row for row in rows(text) if row[0].startswith(first)]

    states = section("Protocol and lookup", "M-")
    if [row[0] for row in states] != [f"M-{n}" for n in range(1, M_LAST + 1)]:
        wrong.append(f"{REQUIREMENTS}: the table of states is not M-1 to M-{M_LAST}, one row each")
    for row in section("EMP", "E-") + states:
        state = re.match(r"\*\*(\w+)\*\*(.*)", row[2])
        if not state or state[1] not in STATES:
            wrong.append(f"{REQUIREMENTS}: {row[0]} has no known state")
        elif state[1] in ("partial", "different") and len(state[2]) < 10:
            wrong.append(f"{REQUIREMENTS}: {row[0]} is {state[1]}, and nothing says how")
        elif state[1] != "absent" and not _CODE.search(row[3]):
            wrong.append(f"{REQUIREMENTS}: nothing decides {row[0]}")

    listed = [row for row in rows(invariants) if row[0].startswith("INV-")]
    if [row[0] for row in listed] != [f"INV-{n}" for n in range(1, len(listed) + 1)] or not listed:
        wrong.append(f"{INVARIANTS}: the numbers are not 1 to {len(listed)}, in order")
    wrong += [f"{INVARIANTS}: {row[0]} has {len(row)} cells, not 6" for row in listed if len(row) != 6]

    known = {(letter, n) for letter in ("M", "E", "MC", "MN") for row in rows(requirements)
             for n in numbers(row[0], letter)}
    known |= {("INV", n) for row in listed for n in numbers(row[0], "INV")}
    wrong += [f"{REQUIREMENTS}: E-{n} stands in no table" for n in range(1, E_LAST + 1) if ("E", n) not in known]
    for path, text in sorted(files.items()):
        if not path.endswith(SOURCES) or path.startswith(SELF):
            continue
        for letter, first, last in _CITED.findall(text):
            for number in {int(first), int(last or first)}:
                if (letter, number) not in known:
                    wrong.append(f"{path}: {letter}-{number} stands in no table")
    return wrong


def read(root: pathlib.Path) -> dict[str, str]:
    """Texts of the tracked and new files of a repository; of others only their paths."""
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"],
                            capture_output=True, text=True, check=True).stdout
    names = [name for name in listed.split("\0") if name and (root / name).is_file()]
    return {name: (root / name).read_text(encoding="utf-8") if name.endswith(SOURCES) else ""
            for name in names}


def main() -> None:
    parser = argparse.ArgumentParser(prog="claims.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the repository to judge")
    wrong = find(read(parser.parse_args().root))
    print("\n".join(wrong + [f"claims: {len(wrong)} findings"]))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
