#!/usr/bin/env python3
"""Runs every test of the workspace, and ends with one line that counts them.

Cargo builds the tests. It would run one binary after the other, so a binary with one long test would keep a processor idle. Here as many binaries
run side by side as there are processors, one test of each at a time. In the release profile: it shares the models, which are most of a build, with
`make run`; overflow checks are on there.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

# A Python that is found through a shim, as with pyenv, has another PATH than the shell, and cargo builds all models again where PATH is another.
os.environ["PATH"] = os.environ.get("NICSCOPE_PATH", os.environ["PATH"])
ROOT = Path(__file__).resolve().parents[1]
BUILT = ["--release", "--workspace"]
# They take longest, so they begin: package and binary.
FIRST = [
    ("nicscope-soak", "defects"), ("nicscope-run", "nodes"), ("nicscope-soak", "clusters"), ("nicscope-figures", "statements"),
    ("nic-image", "images"), ("nicscope", "tutorials"), ("nicscope", "command"), ("nicscope-figures", "nicscope_figures"),
]
DOCUMENTATION = {}
# The last line of each test binary.
RESULT = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored", re.MULTILINE)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("names", nargs="*", metavar="NAME", help="run only binaries with this in their package or name")
    arguments.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="binaries that run side by side (default: processors)")
    chosen = arguments.parse_args()
    if chosen.jobs < 1:
        arguments.error("--jobs: must be at least 1")
    os.chdir(ROOT)
    binaries = [it for it in built() if not chosen.names or any(name in f"{it['package']} {it['name']}" for name in chosen.names)]
    if not binaries:
        sys.exit(f"test: no binary has one of these in its name: {' '.join(chosen.names)}")
    if not chosen.names:
        # Examples in the documentation, which cargo builds and runs.
        binaries.insert(len(FIRST), DOCUMENTATION)
    total = Counts(len(binaries))
    with ThreadPoolExecutor(chosen.jobs) as pool:
        is_good = all(list(pool.map(lambda binary: run(binary, total), binaries)))
    print("{} passed, {} failed, {} skipped".format(*total.sums))
    return 0 if is_good else 1


class Counts:
    """The sums of all binaries, and how many have ended."""

    def __init__(self, binaries):
        self.binaries, self.ended, self.sums = binaries, 0, [0, 0, 0]
        self.turn = Lock()

    def add(self, name, status, output, seconds):
        """Counts a binary that has ended, and prints a line; what it has printed only if it failed. True: it passed."""
        results = RESULT.findall(output)
        sums = [sum(int(result[kind]) for result in results) for kind in range(3)]
        # A binary that dies has no last line.
        died = status != 0 and sums[1] == 0
        sums[1] += died
        word = "ok" if status == 0 else f"FAILED, status {status}" if died else "FAILED"
        with self.turn:
            self.sums = [before + more for before, more in zip(self.sums, sums)]
            self.ended += 1
            shown = output if status else ""
            place = f"[{self.ended}/{self.binaries}]"
            print(f"{shown}{place} {name}: {word}, {sums[0]} passed, {sums[1]} failed, {sums[2]} skipped, {seconds:.1f} s", flush=True)
        return status == 0


def built():
    """All test binaries, those that take longest first."""
    command = ["cargo", "test", "--no-run", "--message-format=json-render-diagnostics", *BUILT, "--lib", "--bins", "--tests"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit("test: the tests do not build")
    binaries = []
    for message in map(json.loads, done.stdout.splitlines()):
        if message.get("executable") and message["profile"]["test"]:
            folder = Path(message["manifest_path"]).parent
            # The identifier names the package where its folder has another name: path#name@version, or path#version.
            named = re.search(r"#([\w-]+)@", message["package_id"])
            package = named[1] if named else folder.name
            binaries.append({"package": package, "name": message["target"]["name"], "program": message["executable"], "folder": folder})
    place = {key: place for place, key in enumerate(FIRST)}
    return sorted(binaries, key=lambda it: place.get((it["package"], it["name"]), len(FIRST)))


def run(binary, total):
    if binary is DOCUMENTATION:
        return total.add("documentation", *finished(["cargo", "test", "--quiet", "--doc", *BUILT], ROOT, {}))
    environment = {"CARGO_MANIFEST_DIR": str(binary["folder"])}
    outcome = finished([binary["program"], "--test-threads", "1"], binary["folder"], environment)
    return total.add(f"{binary['package']} {binary['name']}", *outcome)


def finished(command, folder, environment):
    """Status, output, and seconds of a command."""
    begin = time.monotonic()
    done = subprocess.run(command, cwd=folder, env=os.environ | environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")
    return done.returncode, done.stdout, time.monotonic() - begin


if __name__ == "__main__":
    sys.exit(main())
