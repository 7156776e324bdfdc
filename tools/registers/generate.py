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
        f"// Offsets, fields and reset values of the registers. Written by {COMMAND} from {RDL_FILE}: change that file.",
        "//",
        "// X: byte offset in BAR 0 (of the first register, where X_COUNT tells how many follow one another).",
        "// X_MASK: the bits that exist. X_<FIELD>_LSB, X_<FIELD>_MASK: a field among several. X_RESET: value after reset.",
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
//! The registers: where they are and what their bits mean. Written by `{COMMAND}` from
//! `{RDL_FILE}`: change that file.
//!
//! Nothing here touches hardware. Firmware reads and writes [`Register`]s with volatile accesses at
//! [`crate::CORE_REGISTER_BASE`] plus the offset, the driver with accesses to BAR 0. A register that is one
//! number holds a `u32`; one with several fields, or a single bit, has a type of its own.

use core::marker::PhantomData;

/// A byte offset in BAR 0, the same from [`crate::CORE_REGISTER_BASE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Offset(pub u32);

/// What stands in a register: a number, or a bit field type.
pub trait Bits: Copy {{
    fn from_bits(bits: u32) -> Self;
    fn to_bits(self) -> u32;
}}

impl Bits for u32 {{
    fn from_bits(bits: u32) -> u32 {{
        bits
    }}

    fn to_bits(self) -> u32 {{
        self
    }}
}}

/// Marks registers that may only be read; a write is ignored.
#[derive(Clone, Copy, Debug)]
pub enum ReadOnly {{}}
/// Marks registers that may only be written; a read gives zero.
#[derive(Clone, Copy, Debug)]
pub enum WriteOnly {{}}
/// Marks registers that may be read and written.
#[derive(Clone, Copy, Debug)]
pub enum ReadWrite {{}}

pub trait Readable {{}}
impl Readable for ReadOnly {{}}
impl Readable for ReadWrite {{}}

pub trait Writable {{}}
impl Writable for WriteOnly {{}}
impl Writable for ReadWrite {{}}

/// A register with content `T` and access `A`.
#[derive(Debug)]
pub struct Register<T, A> {{
    offset: Offset,
    kind: PhantomData<fn() -> (T, A)>,
}}

impl<T, A> Register<T, A> {{
    const fn new(offset: u32) -> Self {{
        Register {{ offset: Offset(offset), kind: PhantomData }}
    }}

    pub const fn offset(self) -> Offset {{
        self.offset
    }}
}}

impl<T, A> Clone for Register<T, A> {{
    fn clone(&self) -> Self {{
        *self
    }}
}}

impl<T, A> Copy for Register<T, A> {{}}

/// `N` registers of one kind in a row.
#[derive(Debug)]
pub struct Registers<T, A, const N: usize> {{
    first: Register<T, A>,
}}

impl<T, A, const N: usize> Registers<T, A, N> {{
    pub const COUNT: usize = N;

    const fn new(offset: u32) -> Self {{
        Registers {{ first: Register::new(offset) }}
    }}

    /// For numbers that the program chose; panics beyond the last.
    pub const fn at(self, index: usize) -> Register<T, A> {{
        assert!(index < N);
        Register::new(self.first.offset.0 + 4 * index as u32)
    }}

    /// For numbers that come from elsewhere.
    pub const fn get(self, index: usize) -> Option<Register<T, A>> {{
        if index < N {{
            Some(self.at(index))
        }} else {{
            None
        }}
    }}
}}

impl<T, A, const N: usize> Clone for Registers<T, A, N> {{
    fn clone(&self) -> Self {{
        *self
    }}
}}

impl<T, A, const N: usize> Copy for Registers<T, A, N> {{}}

/// What a write to a register does, as listed in [`ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {{
    ReadOnly,
    WriteOnly,
    ReadWrite,
    /// Reads the bits; writing ones clears them.
    OnesClear,
    /// Reads the bits; writing ones sets them.
    OnesSet,
}}

/// One line of the map.
#[derive(Clone, Copy, Debug)]
pub struct Entry {{
    pub name: &'static str,
    pub offset: Offset,
    pub count: u32,
    pub access: Access,
    /// The bits that exist.
    pub mask: u32,
    /// Value after reset, where it is fixed.
    pub reset: Option<u32>,
}}
"""

RUST_LINE_WIDTH = 120  # rustfmt.toml

RUST_ACCESS = {"r": "ReadOnly", "w": "WriteOnly", "rw": "ReadWrite", "woclr": "ReadWrite", "woset": "ReadWrite"}
RUST_RULE = {"r": "ReadOnly", "w": "WriteOnly", "rw": "ReadWrite", "woclr": "OnesClear", "woset": "OnesSet"}


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def literal(value: int) -> str:
    return f"0x{grouped(value)}"


def write_rust(files: list[File]) -> str:
    out = [RUST_HEAD]
    for file in files:
        out += rust_module(file)
    out += ["/// Every register, by offset.", "pub const ALL: &[Entry] = &["]
    for file in sorted(files, key=lambda f: f.offset):
        for register in sorted(file.registers, key=lambda r: r.offset):
            reset = "None" if register.reset is None else f"Some({literal(register.reset)})"
            out += [
                "    Entry {",
                f'        name: "{file.name}.{register.name}",',
                f"        offset: Offset(0x{register.offset:03X}),",
                f"        count: {register.length or 1},",
                f"        access: Access::{RUST_RULE[register.access]},",
                f"        mask: {literal(register.mask)},",
                f"        reset: {reset},",
                "    },",
            ]
    out += ["];", ""]
    return "\n".join(out)


def rust_module(file: File) -> list[str]:
    imports = {"Register" if r.length is None else "Registers" for r in file.registers}
    imports |= {RUST_ACCESS[r.access] for r in file.registers}
    if any(not r.is_number for r in file.registers):
        imports.add("Bits")
    # rustfmt's order: capitals among themselves by name
    out = [f"/// {file.title}.", f"pub mod {file.name.lower()} {{", f"    use super::{{{', '.join(sorted(imports))}}};"]
    for register in file.registers:
        out += rust_register(register)
    out += ["}", ""]
    return out


def rust_register(register: Register) -> list[str]:
    content = "u32" if register.is_number else camel(register.name)
    access = RUST_ACCESS[register.access]
    kind = f"Register<{content}, {access}>" if register.length is None else f"Registers<{content}, {access}, {register.length}>"
    maker = kind.split("<")[0]
    out = [""]
    out += [f"    /// {line}" for line in describe(register)]
    out.append(f"    pub const {register.name}: {kind} = {maker}::new(0x{register.offset:03X});")
    if register.is_number and register.fields[0].width < 32:
        out.append(f"    pub const {register.name}_MASK: u32 = {literal(register.mask)};")
    if register.reset is not None and register.access != "w":
        value = literal(register.reset) if register.is_number else f"{content}({literal(register.reset)})"
        out.append(f"    pub const {register.name}_RESET: {content} = {value};")
    if not register.is_number:
        out += rust_bits(content, register)
    return out


def describe(register: Register) -> list[str]:
    title = register.title.rstrip(".") + "."
    rule = {"woclr": "Writing ones clears.", "woset": "Writing ones sets."}.get(register.access)
    lines = [title]
    if register.desc:
        lines.append(register.desc)
    elif rule:
        lines.append(rule)
    return lines


def rust_let(name: str, value: str) -> list[str]:
    """A binding, broken where rustfmt breaks it."""
    line = f"            let {name} = {value};"
    return [line] if len(line) <= RUST_LINE_WIDTH else [f"            let {name} =", f"                {value};"]


def rust_bits(name: str, register: Register) -> list[str]:
    out = [
        "",
        "    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]",
        f"    pub struct {name}(pub u32);",
        "",
        f"    impl {name} {{",
    ]
    for f in register.fields:
        out.append(f"        pub const {f.name.upper()}_SHIFT: u32 = {f.low};")
        out.append(f"        pub const {f.name.upper()}_MASK: u32 = {literal(f.mask)};")
    for f in register.fields:
        upper = f.name.upper()
        doc = [f"        /// {f.desc}"] if f.desc else []
        is_bit = f.width == 1
        kind = "bool" if is_bit else "u32"
        value = f"self.0 & Self::{upper}_MASK != 0" if is_bit else f"(self.0 & Self::{upper}_MASK) >> Self::{upper}_SHIFT"
        given = f"({f.name} as u32) << Self::{upper}_SHIFT" if is_bit else f"({f.name} << Self::{upper}_SHIFT) & Self::{upper}_MASK"
        out += ["", *doc]
        out += [f"        pub const fn {f.name}(self) -> {kind} {{", f"            {value}", "        }", ""]
        out += [
            f"        pub const fn with_{f.name}(self, {f.name}: {kind}) -> {name} {{",
            *rust_let(f.name, given),
            f"            {name}((self.0 & !Self::{upper}_MASK) | {f.name})",
        ]
        out.append("        }")
    out += [
        "    }",
        "",
        f"    impl Bits for {name} {{",
        "        fn from_bits(bits: u32) -> Self {",
        f"            {name}(bits)",
        "        }",
        "",
        "        fn to_bits(self) -> u32 {",
        "            self.0",
        "        }",
        "    }",
    ]
    return out


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
