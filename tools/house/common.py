"""What the scripts of the house share: findings, recorded ceilings, the command line.

A finding is a place (file and line), a message, and a key under which findings are counted: the
file, or the crate. `ceilings.json` records for each script how many findings each key may have.
The record is a ratchet:

* no recorded key has more findings than its ceiling;
* the findings of all keys are together no more than the recorded sum, so a file that is new or
  renamed may only use what other files no longer need;
* `--update` lowers ceilings and never raises the sum.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tomllib
from typing import Callable, NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


class Finding(NamedTuple):
    """One place that breaks a rule. `key` is what the ceiling counts: the file, if not given."""

    file: str
    line: int
    message: str
    key: str = ""

    def counted_as(self) -> str:
        return self.key or self.file

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


class House:
    """The files of a repository, and the tables of its `house.toml`."""

    def __init__(self, root: pathlib.Path, config: dict):
        self.root = root
        self.config = config
        self._files: list[str] | None = None
        # What scripts have read and may share.
        self.cache: dict = {}

    def files(self) -> list[str]:
        """Tracked and new files, relative to the root; without git, every file below the root."""
        if self._files is None:
            listed = subprocess.run(
                ["git", "-C", str(self.root), "ls-files", "-co", "--exclude-standard", "-z"],
                capture_output=True, text=True)
            if listed.returncode == 0:
                names = listed.stdout.split("\0")
            else:
                names = [str(p.relative_to(self.root)) for p in self.root.rglob("*")]
            self._files = sorted({n for n in names if n and (self.root / n).is_file()})
        return self._files

    def text(self, file: str) -> str:
        return (self.root / file).read_text(encoding="utf-8")


def below(file: str, folders: list[str]) -> bool:
    """Whether `file` is one of `folders` or lies in one. A `*` stands for part of one name."""
    parts = pathlib.PurePosixPath(file).parts
    for folder in folders:
        wanted = pathlib.PurePosixPath(folder).parts
        if len(wanted) <= len(parts) and all(
                pathlib.PurePosixPath(have).match(want) for have, want in zip(parts, wanted)):
            return True
    return False


def counts(findings: list[Finding]) -> dict[str, int]:
    """Findings by key."""
    result: dict[str, int] = {}
    for finding in findings:
        result[finding.counted_as()] = result.get(finding.counted_as(), 0) + 1
    return dict(sorted(result.items()))


def exceeded(found: dict[str, int], ceilings: dict[str, int]) -> dict[str, str]:
    """The keys whose findings the record does not allow, and why."""
    result = {}
    spare = 0
    for key, ceiling in ceilings.items():
        spare += max(0, ceiling - found.get(key, 0))
        if found.get(key, 0) > ceiling:
            result[key] = f"{key}: {found[key]} findings, at most {ceiling} are recorded"
    new = {key: count for key, count in found.items() if key not in ceilings}
    if sum(new.values()) > spare:
        for key, count in new.items():
            result[key] = (f"{key}: {count} findings, and the record does not have it "
                           f"({spare} may be spread over all that is new)")
    return result


def lowered(found: dict[str, int], ceilings: dict[str, int]) -> dict[str, int]:
    """The record after `--update`: each key at the lower value, new keys from what became free."""
    result = {key: min(found[key], old) for key, old in ceilings.items() if found.get(key)}
    spare = sum(ceilings.values()) - sum(result.values())
    for key, count in found.items():
        if key not in ceilings and spare > 0:
            result[key] = min(count, spare)
            spare -= result[key]
    return dict(sorted(result.items()))


def read_house(root: pathlib.Path, config: pathlib.Path | None = None) -> House:
    """The house at `root`; its tables are in `tools/house/house.toml` unless `config` is given."""
    path = config or root / "tools/house/house.toml"
    return House(root, tomllib.loads(path.read_text(encoding="utf-8")))


def read_ceilings(path: pathlib.Path) -> dict[str, dict[str, int]]:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def main(name: str, description: str, find: Callable[[House], list[Finding]],
         report: Callable[[House], str] | None = None,
         more: Callable[[House, list[Finding]], dict] | None = None) -> None:
    """The command line of one script: `find` judges, `report` adds a table to the output, and
    `more` adds counts to the JSON object."""
    parser = argparse.ArgumentParser(
        prog=f"{name}.py", description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the repository to judge")
    parser.add_argument("--ceilings", type=pathlib.Path,
                        help="the record (default: tools/house/ceilings.json of the repository)")
    parser.add_argument("--all", action="store_true", help="also list the findings under a ceiling")
    parser.add_argument("--limit", type=int, metavar="N",
                        help="allow N findings in all, whatever the record says")
    parser.add_argument("--update", action="store_true",
                        help="lower the recorded ceilings to what is found; never raises their sum")
    parser.add_argument("--json", action="store_true", help="print counts as one JSON object")
    options = parser.parse_args()
    house = read_house(options.root)
    path = options.ceilings or options.root / "tools/house/ceilings.json"
    findings = find(house)
    found = counts(findings)
    if options.update:
        record = read_ceilings(path)
        record[name] = lowered(found, record[name]) if name in record else found
        path.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    over = judged(name, findings, read_ceilings(path), options.limit)
    if options.json:
        counted = {"script": name, "findings": len(findings), "by": found, "over": over}
        print(json.dumps(counted | (more(house, findings) if more else {})))
    else:
        everything = options.all or bool(over and options.limit is not None)
        print_findings(findings, over, everything)
        print(report(house) if report else by_key(found))
        print(f"{name}: {len(findings)} findings")
        for text in over.values():
            print(f"{name}: {text}", file=sys.stderr)
    sys.exit(1 if over else 0)


def judged(name: str, findings: list[Finding], record: dict, limit: int | None) -> dict[str, str]:
    """What a script's record does not allow; a script without a record allows nothing."""
    if limit is not None:
        enough = len(findings) <= limit
        return {} if enough else {"": f"{len(findings)} findings, --limit is {limit}"}
    return exceeded(counts(findings), record.get(name, {}))


def print_findings(findings: list[Finding], over: dict[str, str], everything: bool) -> None:
    """The findings of keys that are over their ceiling, or all."""
    for finding in findings:
        if everything or finding.counted_as() in over:
            print(finding)


def by_key(found: dict[str, int]) -> str:
    return "\n".join(f"{count:6} {key}" for key, count in found.items())
