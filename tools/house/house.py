#!/usr/bin/env python3
"""Judges the house by all scripts of this folder and prints their counts.

Exit status 1 if one of them finds more than `ceilings.json` allows. With --json one object:
`{"SCRIPT": {"findings", "by", "over"}, ..., "documented": {..., "crates": {FOLDER: {"public",
"documented", "percent"}}}, "cycles": {..., "crates": {FOLDER: {"files", "cycles", "in_cycles"}}}}`.
A top folder's own row is in `crates` too.
"""

import argparse
import json
import pathlib
import sys

import common
import cycles
import dependencies
import documented
import links
import orphans
import personalities
import sentences

SCRIPTS = {"personalities": personalities, "cycles": cycles, "documented": documented,
           "sentences": sentences, "dependencies": dependencies, "links": links,
           "orphans": orphans}


def by_crate(house: common.House) -> dict[str, dict]:
    """What two scripts say of each crate, and of each top folder."""
    public = {folder: {"public": everything, "documented": good,
                       "percent": round(100 * good / everything, 1)}
              for folder, (good, everything) in documented.table(house).items()}
    circles: dict[str, dict[str, int]] = {}
    for folder, (graph, found) in cycles.judge(house).items():
        row = {"files": len(graph), "cycles": len(found), "in_cycles": sum(map(len, found))}
        circles[folder] = row
        top = circles.setdefault(folder.split("/")[0], dict.fromkeys(row, 0))
        for name, count in row.items():
            top[name] += count
    return {"documented": public, "cycles": circles}


def main() -> None:
    parser = argparse.ArgumentParser(prog="house.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=common.ROOT)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--update", action="store_true", help="lower all recorded ceilings")
    options = parser.parse_args()
    house = common.read_house(options.root)
    path = options.root / "tools/house/ceilings.json"
    record = common.read_ceilings(path)
    result, failed = {}, False
    for name, script in SCRIPTS.items():
        findings = script.find(house)
        found = common.counts(findings)
        if options.update:
            record[name] = common.lowered(found, record[name]) if name in record else found
        over = common.judged(name, findings, record, None)
        failed |= bool(over)
        result[name] = {"findings": len(findings), "by": found, "over": over}
        if not options.json:
            common.print_findings(findings, over, False)
            print(f"{name}: {len(findings)} findings, {sum(record.get(name, {}).values())} recorded")
            for text in over.values():
                print(f"{name}: {text}", file=sys.stderr)
    if options.update:
        path.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    if options.json:
        for name, rows in by_crate(house).items():
            result[name]["crates"] = rows
        print(json.dumps(result))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
