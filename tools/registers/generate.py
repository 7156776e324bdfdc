#!/usr/bin/env python3
"""Writes the three views of the register map from rtl/registers/nicscope.rdl.

    generate.py [--rdl FILE] [--out DIRECTORY] [--check]

Needs the package `systemrdl-compiler`. Below the output directory (the repository by default) it writes

    rtl/registers/nic_regs_pkg.sv        offsets, fields and reset values for the RTL
    firmware/layout/src/registers.rs     the same, typed, for firmware and driver
    docs/registers.md                    the same for people

The output depends on nothing but the map. `--check` writes nothing and ends with 1 if a file differs.
Only what the map uses is understood: 32-bit registers in register files, and fields that are read-only,
write-only, readable and writable, or cleared or set by writing ones. Anything else is an error that names
the register, so that no property of the map is lost without notice.
"""

import argparse
import pathlib
import sys
import textwrap
from dataclasses import dataclass, field

try:
    from systemrdl import RDLCompileError, RDLCompiler
    from systemrdl.node import FieldNode, RegfileNode, RegNode
except ModuleNotFoundError:
    sys.exit("generate.py: the Python package systemrdl-compiler is missing: pip install systemrdl-compiler")

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
RDL_FILE = "rtl/registers/nicscope.rdl"
COMMAND = "tools/registers/generate.py"

REGISTER_BYTES = 4
PAGE_BYTES = 0x1000
SLOT_BYTES = 0x100
HALF_SLOTS = {"DMA_READ", "DMA_WRITE", "TIMER", "TIMER_B"}  # two blocks share a slot (docs/interfaces.md)
DOUBLE_SLOTS = {"DEBUG"}  # the addresses of the DMI are wider than a slot


class MapError(Exception):
    """Something in the map that this program cannot express."""


# ---- The map, reduced to what is written out ---------------------------------


@dataclass
class Field:
    name: str
    low: int
    high: int
    reset: int | None
    desc: str

    @property
    def width(self) -> int:
        return self.high - self.low + 1

    @property
    def mask(self) -> int:
        return ((1 << self.width) - 1) << self.low


@dataclass
class Register:
    name: str
    title: str
    desc: str
    offset: int  # of the first element, from the start of BAR 0
    length: int | None  # elements of an array
    access: str  # r, w, rw, woclr, woset
    fields: list[Field] = field(default_factory=list)

    @property
    def reset(self) -> int | None:
        """The value after reset; none where hardware decides."""
        if any(f.reset is None for f in self.fields):
            return None
        return sum(f.reset << f.low for f in self.fields)

    @property
    def mask(self) -> int:
        return sum(f.mask for f in self.fields)

    @property
    def is_number(self) -> bool:
        """One field from bit 0 up: the register is a plain number."""
        return len(self.fields) == 1 and self.fields[0].low == 0 and self.fields[0].width > 1


@dataclass
class File:
    name: str
    title: str
    offset: int
    registers: list[Register] = field(default_factory=list)


def text(node, name: str) -> str:
    """A text property on one line."""
    return " ".join((node.get_property(name) or "").split())


def read_field(node: FieldNode, where: str) -> Field:
    if node.get_property("onread") is not None:
        raise MapError(f"{where}: onread is not supported")
    reset = node.get_property("reset")
    if reset is not None and not isinstance(reset, int):
        raise MapError(f"{where}: the reset value must be a number")
    return Field(node.inst_name, node.low, node.high, reset, text(node, "desc"))


def access_of(node: FieldNode, where: str) -> str:
    sw = node.get_property("sw").name
    if sw not in ("r", "w", "rw"):
        raise MapError(f"{where}: sw = {sw} is not supported, only r, w and rw")
    onwrite = node.get_property("onwrite")
    if onwrite is None:
        return sw
    if onwrite.name not in ("woclr", "woset") or sw != "rw":
        raise MapError(f"{where}: onwrite = {onwrite.name} with sw = {sw} is not supported, only woclr and woset with rw")
    return onwrite.name


def read_register(node: RegNode, file: File, slot_bytes: int) -> Register:
    where = f"{file.name}.{node.inst_name}"
    if node.get_property("regwidth") != 8 * REGISTER_BYTES:
        raise MapError(f"{where}: registers are {8 * REGISTER_BYTES} bits wide, not {node.get_property('regwidth')}")
    length = None
    if node.is_array:
        if len(node.array_dimensions) != 1 or node.array_stride != REGISTER_BYTES:
            raise MapError(f"{where}: an array has one dimension and a stride of {REGISTER_BYTES}")
        length = node.array_dimensions[0]
    offset = file.offset + node.raw_address_offset
    if offset % REGISTER_BYTES:
        raise MapError(f"{where}: offset {offset:#x} is not a multiple of {REGISTER_BYTES}")
    if node.raw_address_offset + REGISTER_BYTES * (length or 1) > slot_bytes:
        raise MapError(f"{where}: offset {offset:#x} is outside its slot of {slot_bytes} bytes")

    register = Register(node.inst_name, text(node, "name"), text(node, "desc"), offset, length, "")
    accesses = {}
    for child in sorted(node.fields(), key=lambda f: f.low):
        register.fields.append(read_field(child, f"{where}.{child.inst_name}"))
        accesses[child.inst_name] = access_of(child, f"{where}.{child.inst_name}")
    if len(set(accesses.values())) != 1:
        raise MapError(f"{where}: the fields of one register must have one access, found {accesses}")
    for f in register.fields:
        if not f.desc and not register.is_number:
            raise MapError(f"{where}.{f.name}: a field that is not the whole register needs a desc")
    register.access = next(iter(accesses.values()))
    return register


def slot_size(name: str) -> int:
    if name in HALF_SLOTS:
        return SLOT_BYTES // 2
    return 2 * SLOT_BYTES if name in DOUBLE_SLOTS else SLOT_BYTES


def read_file(node: RegfileNode) -> File:
    if node.is_array:
        raise MapError(f"{node.inst_name}: arrays of register files are not supported")
    file = File(node.inst_name, text(node, "name"), node.absolute_address)
    slot_bytes = slot_size(file.name)
    if file.offset % slot_bytes:
        raise MapError(f"{file.name}: offset {file.offset:#x} is not a multiple of its slot, {slot_bytes:#x}")
    if file.offset >= PAGE_BYTES:
        raise MapError(f"{file.name}: offset {file.offset:#x} is outside the register page")
    for child in node.children(unroll=False):
        if not isinstance(child, RegNode):
            raise MapError(f"{file.name}.{child.inst_name}: only registers are supported in a register file")
        file.registers.append(read_register(child, file, slot_bytes))
    return file


def read_map(path: pathlib.Path) -> list[File]:
    compiler = RDLCompiler()
    compiler.compile_file(str(path))
    top = compiler.elaborate().top
    files = []
    for child in top.children(unroll=False):
        if not isinstance(child, RegfileNode):
            raise MapError(f"{child.inst_name}: only register files are supported at the top")
        files.append(read_file(child))
    refuse_clashes(files)
    return files


def refuse_clashes(files: list[File]) -> None:
    """Names that are distinct in the map and equal in the output, and slots that are used twice."""
    names, slots = {}, {}
    for file in files:
        half_slot = SLOT_BYTES // 2
        for slot in range(file.offset // half_slot, (file.offset + slot_size(file.name)) // half_slot):
            if slot in slots:
                raise MapError(f"{file.name}: shares its slot with {slots[slot]}")
            slots[slot] = file.name
        for register in file.registers:
            for name, what in exported_names(file, register):
                if name in names:
                    raise MapError(f"{what}: its exported name {name} is taken by {names[name]}")
                names[name] = what


def exported_names(file: File, register: Register):
    what = f"{file.name}.{register.name}"
    base = f"{file.name}_{register.name}".upper()
    yield base, what
    for suffix in ("MASK", "RESET", "COUNT"):
        yield f"{base}_{suffix}", f"{what} ({suffix})"
    if not register.is_number:
        for f in register.fields:
            for suffix in ("MASK", "LSB"):
                yield f"{base}_{f.name}_{suffix}".upper(), f"{what}.{f.name} ({suffix})"


# ---- SystemVerilog -------------------------------------------------------------


def write_systemverilog(files: list[File]) -> str:
    out = [
        "// Offsets, fields and reset values of the registers.",
        f"// Written by {COMMAND} from {RDL_FILE}: change that file.",
        "//",
        "// X: byte offset in BAR 0 (of the first register, where X_COUNT tells how many follow one another).",
        "// X_MASK: the bits that exist. X_<FIELD>_LSB, X_<FIELD>_MASK: a field among several.",
        "// X_RESET: value after reset.",
        "",
        "// The package holds the whole map; no model uses every line of it.",
        "// verilator lint_off UNUSEDPARAM",
        "",
        "package nic_regs_pkg;",
    ]
    for file in files:
        out += ["", f"  // ---- {file.title} ----", "", offset_line(f"{file.name}_BASE", file.offset)]
        for register in file.registers:
            out += ["", f"  // {register.title}"]
            base = f"{file.name}_{register.name}"
            out.append(offset_line(base, register.offset))
            if register.length is not None:
                out.append(f"  parameter int unsigned {base}_COUNT = {register.length};")
            out.append(value_line(f"{base}_MASK", register.mask))
            if not register.is_number:
                for f in register.fields:
                    name = f"{base}_{f.name.upper()}"
                    out.append(f"  parameter int unsigned {name}_LSB = {f.low};")
                    out.append(value_line(f"{name}_MASK", f.mask))
            if register.reset is not None:
                out.append(value_line(f"{base}_RESET", register.reset))
    out += is_register_function(files)
    out += ["", "endpackage", "", "// verilator lint_on UNUSEDPARAM", ""]
    return "\n".join(out)


def is_register_function(files: list[File]) -> list[str]:
    """Tells the offsets that hold a register from those that do not."""
    runs = []  # of consecutive words: first, last
    for register in sorted((r for f in files for r in f.registers), key=lambda r: r.offset):
        first = register.offset // REGISTER_BYTES
        last = first + (register.length or 1) - 1
        if runs and runs[-1][1] + 1 == first:
            runs[-1][1] = last
        else:
            runs.append([first, last])
    out = ["", "  // Whether a word of the register page is a register.", "  function automatic logic is_register(input logic [11:2] word);"]
    for first, last in runs:
        out.append(f"    if (word >= 10'h{first:03X} && word <= 10'h{last:03X}) return 1'b1;")
    # A comparison with zero from below is always true.
    out = [line.replace("word >= 10'h000 && ", "") for line in out]
    return out + ["    return 1'b0;", "  endfunction"]


def offset_line(name: str, offset: int) -> str:
    return f"  parameter logic [16:0] {name} = 17'h{offset:05X};"


def value_line(name: str, value: int) -> str:
    return f"  parameter logic [31:0] {name} = 32'h{grouped(value)};"


def grouped(value: int) -> str:
    return f"{value >> 16:04X}_{value & 0xFFFF:04X}"


# ---- Rust ------------------------------------------------------------------------

RUST_HEAD = f"""\
//! The registers: where they are and what their bits mean.
//!
//! Written by `{COMMAND}` from `{RDL_FILE}`: change that file.
//!
//! Nothing here touches hardware. Firmware reads and writes [`Register`]s with volatile accesses at
//! [`crate::CORE_REGISTER_BASE`] plus the offset, the driver with accesses to BAR 0. A register that
//! is one number holds a `u32`; a register with several fields, or a single bit, has a type of its
//! own. [`crate::register`] says what the lines of this table become.

pub use crate::register::{{
    Access, Bits, Entry, Offset, ReadOnly, ReadWrite, Readable, Register, Registers, Writable, WriteOnly,
}};

crate::register::map! {{
"""

DOC_COLUMNS = 100

RUST_ACCESS = {"r": "ReadOnly", "w": "WriteOnly", "rw": "ReadWrite", "woclr": "OnesClear", "woset": "OnesSet"}


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def literal(value: int) -> str:
    return f"0x{grouped(value)}"


def write_rust(files: list[File]) -> str:
    blocks = [rust_module(file) for file in sorted(files, key=lambda f: f.offset)]
    return RUST_HEAD + "\n".join(blocks) + "}\n"


def rust_module(file: File) -> str:
    head = f'    /// {file.title}.\n    {file.name.lower()} "{file.name}" {{\n'
    registers = sorted(file.registers, key=lambda r: r.offset)
    return head + "\n".join(rust_register(register) for register in registers) + "    }\n"


def rust_register(register: Register) -> str:
    """A line of the table, and one for each field; in brackets the names of the constants that are made."""
    content = "u32" if register.is_number else camel(register.name)
    count = "" if register.length is None else f"[{register.length}]"
    mask = f"mask {literal(register.mask)}"
    if register.is_number and register.fields[0].width < 32:
        mask += f" [{register.name}_MASK]"
    reset = "" if register.reset is None else f", reset {literal(register.reset)}"
    if register.reset is not None and register.access != "w":
        reset += f" [{register.name}_RESET]"
    line = f"{RUST_ACCESS[register.access]} {register.name}{count}: {content} = 0x{register.offset:03X}, {mask}{reset}"
    fields = "" if register.is_number else " {\n" + "".join(map(rust_field, register.fields)) + "        }"
    return f"{rust_docs(describe(register), 8)}        {line}{fields};\n"


def rust_field(f: Field) -> str:
    upper = f.name.upper()
    names = f"{f.name}, with_{f.name}, [{upper}_SHIFT, {upper}_MASK]"
    return f"{rust_docs([f.desc], 12)}            {names}: {'bool' if f.width == 1 else 'u32'} = {f.high}:{f.low};\n"


def rust_docs(paragraphs: list[str], indent: int) -> str:
    prefix = " " * indent + "/// "
    lines = [textwrap.fill(text, DOC_COLUMNS, initial_indent=prefix, subsequent_indent=prefix) for text in paragraphs]
    return "".join(f"{text}\n" for text in lines)


def describe(register: Register) -> list[str]:
    title = register.title.rstrip(".") + "."
    rule = {"woclr": "Writing ones clears.", "woset": "Writing ones sets."}.get(register.access)
    lines = [title]
    if register.desc:
        lines.append(register.desc)
    elif rule:
        lines.append(rule)
    return lines


# ---- Markdown ----------------------------------------------------------------------

MARKDOWN_ACCESS = {"r": "r", "w": "w", "rw": "rw", "woclr": "r, 1 clears", "woset": "r, 1 sets"}


def write_markdown(files: list[File]) -> str:
    out = [
        "# Registers",
        "",
        f"Written by `{COMMAND}` from `{RDL_FILE}`: change that file. Offsets are those of BAR 0; a core sees the same",
        "bytes at `0x4000_0000`. Registers are 32 bits, little endian. A write to a read-only register is ignored, a write-only register",
        "reads zero; an offset without a register reads zero, and counts in `IDENT.HOST_REFUSED` when the host asked. Bits without a field read zero.",
        "To core B the blocks of both cores change places ([events.md](events.md), Two cores); with one core those of core B read zero.",
        "The rules of the register bus, byte enables among them, are in [interfaces.md](interfaces.md).",
    ]
    for file in sorted(files, key=lambda f: f.offset):
        out += ["", f"## `{file.name}` at `0x{file.offset:03X}`: {file.title}", ""]
        out += ["| Offset | Register | Access | Reset | Bits | Meaning |", "|---|---|---|---|---|---|"]
        for register in sorted(file.registers, key=lambda r: r.offset):
            out += markdown_rows(register)
    return "\n".join(out) + "\n"


def markdown_rows(register: Register) -> list[str]:
    offset, name = f"`0x{register.offset:03X}`", f"`{register.name}`"
    if register.length is not None:
        offset += " + 4 n"
        name = f"`{register.name}_n`, n = 0 to {register.length - 1}"
    reset = "" if register.reset is None else f"`{register.reset:#x}`"
    meaning = " ".join(part for part in (sentence(register.title), register.desc) if part)
    rows = []
    if len(register.fields) == 1:
        only = register.fields[0]
        meaning = " ".join(part for part in (meaning, only.desc) if part)
        return [f"| {offset} | {name} | {MARKDOWN_ACCESS[register.access]} | {reset} | {bits(only)} `{only.name}` | {cell(meaning)} |"]
    rows.append(f"| {offset} | {name} | {MARKDOWN_ACCESS[register.access]} | {reset} | | {cell(meaning)} |")
    for f in register.fields:
        rows.append(f"| | | | | {bits(f)} `{f.name}` | {cell(f.desc)} |")
    return rows


def bits(f: Field) -> str:
    return f"{f.low}" if f.width == 1 else f"{f.high}:{f.low}"


def sentence(title: str) -> str:
    return title if title.endswith(".") else title + "."


def cell(meaning: str) -> str:
    return meaning.replace("|", "\\|")


# ---- Command -----------------------------------------------------------------------

OUTPUTS = {
    "rtl/registers/nic_regs_pkg.sv": write_systemverilog,
    "firmware/layout/src/registers.rs": write_rust,
    "docs/registers.md": write_markdown,
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes the views of the register map.")
    parser.add_argument("--rdl", type=pathlib.Path, default=REPOSITORY / RDL_FILE)
    parser.add_argument("--out", type=pathlib.Path, default=REPOSITORY, help="directory below which the files are written")
    parser.add_argument("--check", action="store_true", help="write nothing; end with 1 if a file differs")
    options = parser.parse_args()

    try:
        files = read_map(options.rdl)
    except (MapError, RDLCompileError) as error:
        print(f"generate.py: {options.rdl}: {error}", file=sys.stderr)
        return 2

    stale = []
    for name, write in OUTPUTS.items():
        path, content = options.out / name, write(files)
        if options.check:
            if not path.is_file() or path.read_text(encoding="utf-8") != content:
                stale.append(name)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    for name in stale:
        print(f"generate.py: {name} differs from {RDL_FILE}: run {COMMAND}", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
