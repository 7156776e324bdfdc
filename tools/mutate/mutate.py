"""Plants defects in the RTL of the core, one at a time, and counts how many its own tests find.

All defects are in one model, each behind a condition on a number that the model reads when it starts (`+mutant=17`), so there is one build
for all. Progress is kept: an interrupted run goes on where it was, if core, seed and count are the same.
"""
import argparse
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from operators import planted
from tokens import Expressions, tokens_of

ROOT = Path(__file__).resolve().parents[2]
CORE = Path("rtl/core")
# Not hardware that computes: types, the checkers, and what reports retired instructions.
NOT_MUTATED = {"nic_core_pkg.sv", "nic_core_obi_checker.sv", "nic_core_rvfi.sv"}
SELECTED = "nic_core_mutant_pkg::selected"
PACKAGES = ["bench-core", "bench-debug", "bench-lockstep"]
# A quick subset of the core's own tests: package, binary, and modules in it, the quickest first. Programs that fail need not be shrunk.
TESTS = [
    ("core", "core_alone", ["cycles", "instructions", "traps", "dispatch", "counters", "random_programs"]),
    ("debug", "debug", ["steps", "triggers", "registers", "commands", "random_halts"]),
    ("lockstep", "lockstep", [""]),
]
LIMITS = {"CORE_INSTRUCTIONS": "30000", "CORE_SHRINKS": "0", "LOCKSTEP_INSTRUCTIONS": "150000", "LOCKSTEP_SHRINKS": "0", "DEBUG_CASES": "50"}
# Says something of the machine, and not of the core.
SKIPPED = "the_model_is_not_slow"
LIMIT_SECONDS = 60   # on a machine that does nothing else


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--count", type=int, default=100, help="defects to plant")
    arguments.add_argument("--only", type=int, help="this defect alone, with the tests' output")
    arguments.add_argument("--fresh", action="store_true", help="forget earlier results")
    arguments.add_argument("--target", type=float, default=95.0, help="percent that must be found")
    arguments.add_argument("--limit", type=float, default=LIMIT_SECONDS, help="seconds for one defect; more where other work goes on")
    arguments.add_argument("--out", type=Path, default=Path("out/mutate"))
    chosen = arguments.parse_args()
    os.chdir(ROOT)
    out = chosen.out.resolve()
    out.mkdir(parents=True, exist_ok=True)

    mutants = choose(chosen.seed, chosen.count)
    write(mutants, out / "rtl")
    tests = build(out)
    results = Results(out / "results.json", chosen, mutants)
    if chosen.only is not None:
        return 0 if run(tests, chosen.only, None)[0] else 1
    assert run(tests, 0, 300)[0] is None, "the tests fail without a defect"
    for mutant in mutants:
        if results.of(mutant) is None:
            started = time.monotonic()
            killed_by, _ = run(tests, mutant["number"], chosen.limit)
            results.add(mutant, killed_by, time.monotonic() - started)
            print(f"mutate: {mutant['number']:3} {killed_by or 'SURVIVES':16} {describe(mutant)}", flush=True)
    return results.summary(chosen.target)


# ---- Choice ------------------------------------------------------------------------


def choose(seed, count):
    """`count` defects, at most one in an expression, from all that can be planted."""
    constants = {}
    for name in re.findall(r"^\s*([A-Z]+_[A-Z0-9_]+)\s*[=,]?", (CORE / "nic_core_pkg.sv").read_text(), re.MULTILINE):
        constants.setdefault(name.split("_")[0], []).append(name)
    sites = []
    for path in sorted(CORE.glob("*.sv")):
        if path.name in NOT_MUTATED:
            continue
        # What is behind this line states what is right, and does nothing.
        text = path.read_text().split("// ---- Assertions")[0]
        tokens = tokens_of(text)
        for expression in Expressions(tokens).collect():
            choices = list(planted(text, tokens, expression, constants))
            start, end = tokens[expression.first].start, tokens[expression.last - 1].end
            # What is tied to zero where nothing is reported is no hardware either.
            line = text[text.rfind("\n", 0, start):end]
            if choices and "assign rvfi_" not in line:
                sites.append({"file": path.name, "start": start, "end": end, "line": text.count("\n", 0, start) + 1, "choices": choices})
    # Long expressions hold more that can go wrong.
    chooser = random.Random(seed)
    weighted = sorted(sites, key=lambda site: chooser.random() ** (1 / len(site["choices"])), reverse=True)
    mutants = []
    for number, site in enumerate(sorted(weighted[:count], key=lambda site: (site["file"], site["start"])), 1):
        what, text = chooser.choice(site.pop("choices"))
        mutants.append({"number": number, **site, "what": what, "text": text})
    return mutants


def describe(mutant):
    return f"{mutant['file']}:{mutant['line']} {mutant['what']}"


# ---- Build -------------------------------------------------------------------------


def write(mutants, folder):
    """A copy of the RTL with all defects in it, each asleep until its number is selected."""
    shutil.copytree("rtl", folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("core"))
    (folder / "core").mkdir(exist_ok=True)
    for path in CORE.glob("*.sv"):
        text = path.read_text()
        for mutant in sorted((m for m in mutants if m["file"] == path.name), key=lambda m: -m["start"]):
            original = text[mutant["start"]:mutant["end"]]
            either = f"(({SELECTED} == {mutant['number']}) ? ({mutant['text']}) : ({original}))"
            text = text[:mutant["start"]] + either + text[mutant["end"]:]
        if path.name == "nic_core.sv":
            reads = f'  initial if (!$value$plusargs("mutant=%d", {SELECTED})) {SELECTED} = 0;\n'
            head, found, tail = text.rpartition("endmodule")
            text = head + reads + found + tail
        update(folder / "core" / path.name, text)
    update(folder / "core/nic_core_mutant_pkg.sv", "package nic_core_mutant_pkg;\n  int selected /*verilator public*/;\nendpackage\n")
    files = (CORE / "core.f").read_text()
    update(folder / "core/core.f", "core/nic_core_mutant_pkg.sv\n" + files)


def update(path, text):
    """Writes a file only if it changed, so that nothing is built in vain."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def build(out):
    """Builds the tests on the RTL with defects. Returns for each its package, its name, its program, and which tests of the program are meant."""
    environment = os.environ | {"NICSCOPE_CORE_RTL": str(out / "rtl"), "CARGO_TARGET_DIR": str(out / "target")}
    packages = [argument for name in PACKAGES for argument in ("-p", name)]
    command = ["cargo", "test", "--release", "--no-run", "--message-format=json", *packages]
    print("mutate: builds the core with all defects in it", flush=True)
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"mutate: the core with defects cannot be built:\n{done.stderr[-4000:]}")
    programs = {}
    for line in done.stdout.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["target"]["kind"] == ["test"]:
            programs[Path(message["manifest_path"]).parent.name, message["target"]["name"]] = message["executable"]
    return [(folder, module or name, programs[folder, name], f"{module}::" if module else "") for folder, name, modules in TESTS for module in modules]


def run(tests, number, limit_seconds):
    """The test that finds a defect, or None; with its output."""
    environment = os.environ | LIMITS | {"NICSCOPE_CORE_PLUSARGS": f"+mutant={number}", "RUST_BACKTRACE": "0"}
    deadline = time.monotonic() + (limit_seconds or 10_000)
    for folder, name, program, meant in tests:
        quiet = subprocess.PIPE if limit_seconds else None
        try:
            left = max(1.0, deadline - time.monotonic())
            done = subprocess.run([program, meant, "--test-threads=2", "--skip", SKIPPED], cwd=ROOT / "testbench/benches" / folder, env=environment, stdout=quiet, stderr=quiet, timeout=left)
        except subprocess.TimeoutExpired:
            return f"{name} (time)", None
        if done.returncode:
            return name, done.stdout
    return None, None


# ---- Results -----------------------------------------------------------------------


class Results:
    """What was found so far, on disk after each defect."""

    def __init__(self, path, chosen, mutants):
        self.path, self.count = path, len(mutants)
        digest = hashlib.sha256(json.dumps([chosen.seed, mutants]).encode())
        for source in sorted([*CORE.glob("*.sv"), *Path("testbench/benches/core").rglob("*.rs"), *Path("testbench/benches/debug").rglob("*.rs"),
                        *Path("testbench/benches/lockstep").rglob("*.rs")]):
            digest.update(source.read_bytes())
        key = digest.hexdigest()[:16]
        self.data = {"seed": chosen.seed, "key": key, "mutants": []}
        if path.exists() and not chosen.fresh:
            earlier = json.loads(path.read_text())
            if earlier["key"] == key:
                self.data = earlier

    def of(self, mutant):
        return next((m for m in self.data["mutants"] if m["number"] == mutant["number"]), None)

    def add(self, mutant, killed_by, seconds):
        known = {key: mutant[key] for key in ("number", "file", "line", "what", "text")}
        self.data["mutants"].append(known | {"killed_by": killed_by, "seconds": round(seconds, 1)})
        self.path.write_text(json.dumps(self.data, indent=1) + "\n")

    def summary(self, target):
        survivors = [m for m in self.data["mutants"] if not m["killed_by"]]
        killed = self.count - len(survivors)
        share = 100 * killed / self.count
        seconds = max(m["seconds"] for m in self.data["mutants"])
        by = {}
        for mutant in self.data["mutants"]:
            if mutant["killed_by"]:
                by[mutant["killed_by"]] = by.get(mutant["killed_by"], 0) + 1
        print(f"mutate: seed {self.data['seed']}: {killed} of {self.count} found ({share:.1f} %), the slowest in {seconds:.0f} s")
        print("mutate: first found by " + ", ".join(f"{name} {n}" for name, n in sorted(by.items(), key=lambda item: -item[1])))
        for mutant in survivors:
            print(f"mutate: survives: {describe(mutant)}\n          {' '.join(mutant['text'].split())}")
        self.data |= {"killed": killed, "share_percent": round(share, 1)}
        self.path.write_text(json.dumps(self.data, indent=1) + "\n")
        return 0 if share >= target else 1


if __name__ == "__main__":
    sys.exit(main())
