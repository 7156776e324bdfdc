"""Lines, branches and bits of the core's RTL that the core's own tests reach, after waivers.

Builds the core's models with coverage, runs the tests, adds up what each model saw, and prints a table. A waiver that covers nothing is an error, so
that none outlives its reason.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ["bench-core", "bench-debug", "bench-lockstep"]
LIMITS = {"CORE_INSTRUCTIONS": "100000", "LOCKSTEP_INSTRUCTIONS": "200000"}
KINDS = ["line", "branch", "toggle"]
# An entry of the data: fields between control characters, and a count.
ENTRY = re.compile(r"^C '(.*)' (\d+)$")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--target", type=float, default=95.0, help="percent of each kind that must be reached")
    arguments.add_argument("--seed", type=int, default=1, help="of the random programs")
    arguments.add_argument("--keep", action="store_true", help="report on the data of the last run")
    arguments.add_argument("--misses", action="store_true", help="list what is neither reached nor waived")
    arguments.add_argument("--out", type=Path, default=Path("out/coverage"))
    chosen = arguments.parse_args()
    os.chdir(ROOT)
    out = chosen.out.resolve()
    if not chosen.keep:
        run_tests(out, chosen.seed)
    points = merged(out / "data")
    waivers = tomllib.loads((ROOT / "tools/coverage/waivers.toml").read_text()).get("waiver", [])
    return report(points, waivers, chosen, out)


def run_tests(out, seed):
    shutil.rmtree(out / "data", ignore_errors=True)
    (out / "data").mkdir(parents=True)
    environment = os.environ | LIMITS | {
        "NICSCOPE_CORE_COVERAGE": "1", "NICSCOPE_COVERAGE": str(out / "data"), "CARGO_TARGET_DIR": str(out / "target"),
        "CORE_SEED": str(seed), "LOCKSTEP_SEED": str(seed),
    }
    packages = [argument for name in PACKAGES for argument in ("-p", name)]
    print("coverage: builds the core with coverage and runs its tests", flush=True)
    command = ["cargo", "test", "--release", "--tests", *packages, "--", "--skip", "the_model_is_not_slow"]   # with coverage it is
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"coverage: the tests fail:\n{done.stdout[-4000:]}{done.stderr[-2000:]}")


def merged(folder):
    """Counts of all points of rtl/core: (kind, file, line, column, what) to count, over all instances and models."""
    points = defaultdict(int)
    for path in folder.glob("*.dat"):
        for text in path.read_text(errors="replace").splitlines():
            match = ENTRY.match(text)
            if not match:
                continue
            fields = dict(field.split("\x02", 1) for field in match[1].split("\x01") if "\x02" in field)
            kind = fields.get("page", "").split("/")[0].removeprefix("v_")
            if kind in KINDS and "rtl/core/" in fields["f"]:
                place = "rtl/core/" + fields["f"].split("rtl/core/")[1]
                points[kind, place, int(fields["l"]), int(fields["n"]), fields.get("o", "")] += int(match[2])
    if not points:
        sys.exit("coverage: there is no data; run without --keep")
    return points


def report(points, waivers, chosen, out):
    sources = {}
    reached, waived, total = (defaultdict(int) for _ in range(3))
    used = [0] * len(waivers)
    misses = []
    for (kind, place, line, column, what), count in sorted(points.items()):
        file = Path(place).name
        if place not in sources:
            sources[place] = (ROOT / place).read_text().splitlines()
        source = sources[place][line - 1].strip()
        total[kind, file] += 1
        if count:
            reached[kind, file] += 1
            continue
        index = next((i for i, waiver in enumerate(waivers) if covers(waiver, kind, file, source, what)), None)
        if index is None:
            misses.append(f"{kind:6} {file}:{line} {what}: {source}")
        else:
            used[index] += 1
            waived[kind, file] += 1

    files = sorted({file for _, file in total})
    print(f"{'file':30}" + "".join(f"{kind:>26}" for kind in KINDS))
    sums = {kind: [0, 0, 0] for kind in KINDS}
    for file in files:
        cells = []
        for kind in KINDS:
            numbers = [counts[kind, file] for counts in (reached, waived, total)]
            sums[kind] = [a + b for a, b in zip(sums[kind], numbers)]
            cells.append(cell(*numbers))
        print(f"{file:30}" + "".join(f"{text:>26}" for text in cells))
    print(f"{'all':30}" + "".join(f"{cell(*sums[kind]):>26}" for kind in KINDS))
    print("coverage: percent after waivers (reached + waived of all)")
    if chosen.misses:
        print("\n".join(misses))
    shares = {kind: share(*sums[kind]) for kind in KINDS}
    named = {kind: {"percent": round(shares[kind], 2), "reached": r, "waived": w, "points": t} for kind, (r, w, t) in sums.items()}
    (out / "results.json").write_text(json.dumps(named, indent=1) + "\n")
    idle = [waiver for waiver, count in zip(waivers, used) if not count]
    for waiver in idle:
        print(f"coverage: this waiver covers nothing: {waiver}")
    low = [kind for kind in KINDS if shares[kind] < chosen.target]
    for kind in low:
        print(f"coverage: {kind} is below {chosen.target} %; --keep --misses lists what is missing")
    return 1 if low or idle else 0


def covers(waiver, kind, file, source, what):
    """A waiver names a file (a pattern), perhaps kinds, and a pattern of the source line or of the signal."""
    return (
        re.fullmatch(waiver["file"], file)
        and kind in waiver.get("kinds", KINDS)
        and re.search(waiver.get("line", ""), source)
        and re.search(waiver.get("signal", ""), what)
    )


def share(reached, waived, total):
    """Percent of what is not waived."""
    return 100 * reached / (total - waived) if total > waived else 100.0


def cell(reached, waived, total):
    if not total:
        return "-"
    return f"{share(reached, waived, total):5.1f} ({reached}+{waived} of {total})"


if __name__ == "__main__":
    sys.exit(main())
