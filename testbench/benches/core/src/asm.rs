//! A tiny assembler: one function per instruction, and labels.
//!
//! Functions return the encoding ([`Code`]: two or four bytes). Register numbers are plain `u32`
//! below 32. An operand that does not fit is an error of the test, and panics. [`Program`] puts
//! encodings one behind the other and resolves labels.

use std::collections::BTreeMap;

/// An encoded instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Code {
    /// Two bytes.
    Half(u16),
    /// Four bytes.
    Word(u32),
}

impl Code {
    /// Takes an encoding from raw bits. The lowest two bits decide its length, as in a fetch.
    pub fn from_bits(bits: u32) -> Code {
        if bits & 3 == 3 {
            Code::Word(bits)
        } else {
            Code::Half(bits as u16)
        }
    }

    /// The length in bytes: 2 or 4.
    pub fn len_bytes(self) -> u32 {
        match self {
            Code::Half(_) => 2,
            Code::Word(_) => 4,
        }
    }

    /// The encoding. The upper half is 0 if it has two bytes.
    pub fn bits(self) -> u32 {
        match self {
            Code::Half(bits) => u32::from(bits),
            Code::Word(bits) => bits,
        }
    }
}

/// Register x0, which always reads 0.
pub const ZERO: u32 = 0;
/// Register x1, the return address.
pub const RA: u32 = 1;
/// Register x2, the stack pointer.
pub const SP: u32 = 2;
/// Register x5, a temporary register.
pub const T0: u32 = 5;
/// Register x6, a temporary register.
pub const T1: u32 = 6;
/// Register x7, a temporary register.
pub const T2: u32 = 7;
/// Register x8, a saved register; the first that compressed instructions can name.
pub const S0: u32 = 8;
/// Register x9, a saved register.
pub const S1: u32 = 9;
/// Register x10, the first argument.
pub const A0: u32 = 10;
/// Register x11, the second argument.
pub const A1: u32 = 11;
/// Register x12, the third argument.
pub const A2: u32 = 12;
/// Register x13, the fourth argument.
pub const A3: u32 = 13;
/// Register x30, a temporary register.
pub const T5: u32 = 30;
/// Register x31, a temporary register.
pub const T6: u32 = 31;

/// CSR numbers.
pub mod csr {
    /// Machine status: interrupts on or off, and as they were before a trap.
    pub const MSTATUS: u32 = 0x300;
    /// The instruction set of the core.
    pub const MISA: u32 = 0x301;
    /// The interrupts that are enabled.
    pub const MIE: u32 = 0x304;
    /// The address and the mode of the trap handler.
    pub const MTVEC: u32 = 0x305;
    /// The upper half of `mstatus`: always 0.
    pub const MSTATUSH: u32 = 0x310;
    /// A bit for each counter that stands still.
    pub const MCOUNTINHIBIT: u32 = 0x320;
    /// The cause that `mhpmcounter3` counts: the first of 29.
    pub const MHPMEVENT3: u32 = 0x323;
    /// The cause that `mhpmcounter31` counts: the last of 29.
    pub const MHPMEVENT31: u32 = 0x33F;
    /// A word for the trap handler.
    pub const MSCRATCH: u32 = 0x340;
    /// The address of the instruction that trapped.
    pub const MEPC: u32 = 0x341;
    /// The cause of the last trap.
    pub const MCAUSE: u32 = 0x342;
    /// The address or the encoding that caused the last trap.
    pub const MTVAL: u32 = 0x343;
    /// The interrupts that are pending.
    pub const MIP: u32 = 0x344;
    /// The trigger that the next three registers show (RISC-V Debug, chapter 5).
    pub const TSELECT: u32 = 0x7A0;
    /// The type and the settings of a trigger.
    pub const TDATA1: u32 = 0x7A1;
    /// The address or value that a trigger compares.
    pub const TDATA2: u32 = 0x7A2;
    /// The types that a trigger can have.
    pub const TINFO: u32 = 0x7A4;
    /// Whether triggers may fire in machine mode.
    pub const TCONTROL: u32 = 0x7A5;
    /// The trace port: a write shows a word at the pins (docs/core.md).
    pub const TRACE: u32 = 0x7C0;
    /// The event whose handler `mevhandler` shows (docs/core.md).
    pub const MEVINDEX: u32 = 0x7C1;
    /// The address of the handler of an event (docs/core.md).
    pub const MEVHANDLER: u32 = 0x7C2;
    /// The counter of clocks, lower half.
    pub const MCYCLE: u32 = 0xB00;
    /// The counter of retired instructions, lower half.
    pub const MINSTRET: u32 = 0xB02;
    /// The counter of clocks, upper half.
    pub const MCYCLEH: u32 = 0xB80;
    /// The counter of retired instructions, upper half.
    pub const MINSTRETH: u32 = 0xB82;
    /// `mcycle` for reading only.
    pub const CYCLE: u32 = 0xC00;
    /// `minstret` for reading only.
    pub const INSTRET: u32 = 0xC02;
    /// `mcycleh` for reading only.
    pub const CYCLEH: u32 = 0xC80;
    /// `minstreth` for reading only.
    pub const INSTRETH: u32 = 0xC82;
    /// The first counter of lost clocks, lower half.
    pub const MHPMCOUNTER3: u32 = 0xB03;
    /// The last event counter, lower half.
    pub const MHPMCOUNTER31: u32 = 0xB1F;
    /// The first counter of lost clocks, upper half.
    pub const MHPMCOUNTER3H: u32 = 0xB83;
    /// The time, which in this core is the counter of clocks, lower half.
    pub const TIME: u32 = 0xC01;
    /// The time, upper half.
    pub const TIMEH: u32 = 0xC81;
    /// The vendor of the core: 0, none.
    pub const MVENDORID: u32 = 0xF11;
    /// The architecture of the core: 0, none.
    pub const MARCHID: u32 = 0xF12;
    /// The version of the core.
    pub const MIMPID: u32 = 0xF13;
    /// The number of the hart.
    pub const MHARTID: u32 = 0xF14;
    /// The address of a configuration structure: 0, there is none.
    pub const MCONFIGPTR: u32 = 0xF15;

    /// All CSRs that exist, except most of the event counters.
    pub const ALL: [u32; 39] = [
        MSTATUSH,
        MHPMEVENT3,
        MHPMEVENT31,
        MHPMCOUNTER3,
        MHPMCOUNTER31,
        MHPMCOUNTER3H,
        TIME,
        TIMEH,
        MCONFIGPTR,
        MSTATUS,
        MISA,
        MIE,
        MTVEC,
        MCOUNTINHIBIT,
        MSCRATCH,
        MEPC,
        MCAUSE,
        MTVAL,
        MIP,
        TSELECT,
        TDATA1,
        TDATA2,
        TINFO,
        TCONTROL,
        TRACE,
        MEVINDEX,
        MEVHANDLER,
        MCYCLE,
        MINSTRET,
        MCYCLEH,
        MINSTRETH,
        CYCLE,
        INSTRET,
        CYCLEH,
        INSTRETH,
        MVENDORID,
        MARCHID,
        MIMPID,
        MHARTID,
    ];
}

// ---- Formats ----------------------------------------------------------------------

fn fits(value: i32, bits: u32) -> u32 {
    let limit = 1i64 << (bits - 1);
    assert!((-limit..limit).contains(&i64::from(value)), "{value} does not fit in {bits} signed bits");
    value as u32
}

fn i_type(opcode: u32, funct3: u32, rd: u32, rs1: u32, imm: i32) -> Code {
    Code::Word(fits(imm, 12) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode)
}

fn r_type(funct7: u32, funct3: u32, rd: u32, rs1: u32, rs2: u32) -> Code {
    Code::Word(funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x33)
}

/// A store: `funct3` 0 byte, 1 halfword, 2 word.
pub fn store(funct3: u32, rs2: u32, imm: i32, rs1: u32) -> Code {
    let imm = fits(imm, 12);
    Code::Word((imm >> 5 & 0x7F) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (imm & 0x1F) << 7 | 0x23)
}

/// A load: `funct3` 0 lb, 1 lh, 2 lw, 4 lbu, 5 lhu.
pub fn load(funct3: u32, rd: u32, imm: i32, rs1: u32) -> Code {
    i_type(0x03, funct3, rd, rs1, imm)
}

/// A conditional branch: `funct3` 0 eq, 1 ne, 4 lt, 5 ge, 6 ltu, 7 geu.
pub fn branch(funct3: u32, rs1: u32, rs2: u32, offset: i32) -> Code {
    let o = fits(offset, 13);
    assert!(o & 1 == 0, "odd branch offset");
    Code::Word(
        (o >> 12 & 1) << 31
            | (o >> 5 & 0x3F) << 25
            | rs2 << 20
            | rs1 << 15
            | funct3 << 12
            | (o >> 1 & 0xF) << 8
            | (o >> 11 & 1) << 7
            | 0x63,
    )
}

/// Arithmetic with an immediate by `funct3` (not shifts).
pub fn op_imm(funct3: u32, rd: u32, rs1: u32, imm: i32) -> Code {
    i_type(0x13, funct3, rd, rs1, imm)
}

/// Arithmetic between registers by `funct7` and `funct3`.
pub fn op(funct7: u32, funct3: u32, rd: u32, rs1: u32, rs2: u32) -> Code {
    r_type(funct7, funct3, rd, rs1, rs2)
}

/// A CSR instruction by `funct3`; `source` is rs1, or five bits of immediate.
pub fn csr_op(funct3: u32, rd: u32, csr: u32, source: u32) -> Code {
    Code::Word(csr << 20 | source << 15 | funct3 << 12 | rd << 7 | 0x73)
}

// ---- Instructions -------------------------------------------------------------------

macro_rules! imm_instructions {
    ($($name:ident $funct3:literal),*) => {$(
        pub fn $name(rd: u32, rs1: u32, imm: i32) -> Code {
            op_imm($funct3, rd, rs1, imm)
        }
    )*};
}
imm_instructions!(addi 0, slti 2, sltiu 3, xori 4, ori 6, andi 7);

macro_rules! register_instructions {
    ($($name:ident $funct7:literal $funct3:literal),*) => {$(
        pub fn $name(rd: u32, rs1: u32, rs2: u32) -> Code {
            op($funct7, $funct3, rd, rs1, rs2)
        }
    )*};
}
register_instructions!(
    add 0 0, sub 0x20 0, sll 0 1, slt 0 2, sltu 0 3, xor 0 4, srl 0 5, sra 0x20 5, or 0 6, and 0 7,
    sh1add 0x10 2, sh2add 0x10 4, sh3add 0x10 6, andn 0x20 7, orn 0x20 6, xnor 0x20 4,
    min 5 4, minu 5 5, max 5 6, maxu 5 7, rol 0x30 1, ror 0x30 5, bset 0x14 1, bclr 0x24 1, binv 0x34 1, bext 0x24 5,
    mul 1 0, mulh 1 1, mulhsu 1 2, mulhu 1 3, div 1 4, divu 1 5, rem 1 6, remu 1 7
);

macro_rules! branch_instructions {
    ($($name:ident $funct3:literal),*) => {$(
        pub fn $name(rs1: u32, rs2: u32, offset: i32) -> Code {
            branch($funct3, rs1, rs2, offset)
        }
    )*};
}
branch_instructions!(beq 0, bne 1, blt 4, bge 5, bltu 6, bgeu 7);

macro_rules! load_instructions {
    ($($name:ident $funct3:literal),*) => {$(
        pub fn $name(rd: u32, imm: i32, rs1: u32) -> Code {
            load($funct3, rd, imm, rs1)
        }
    )*};
}
load_instructions!(lb 0, lh 1, lw 2, lbu 4, lhu 5);

macro_rules! store_instructions {
    ($($name:ident $funct3:literal),*) => {$(
        pub fn $name(rs2: u32, imm: i32, rs1: u32) -> Code {
            store($funct3, rs2, imm, rs1)
        }
    )*};
}
store_instructions!(sb 0, sh 1, sw 2);

/// `lui`. The immediate is the upper 20 bits, as in assembler text: `lui(rd, 0x12345)`.
pub fn lui(rd: u32, upper: u32) -> Code {
    assert!(upper < 1 << 20);
    Code::Word(upper << 12 | rd << 7 | 0x37)
}

/// `auipc`. The immediate is the upper 20 bits.
pub fn auipc(rd: u32, upper: u32) -> Code {
    assert!(upper < 1 << 20);
    Code::Word(upper << 12 | rd << 7 | 0x17)
}

/// `jal`; `offset` is even, -2^20 to 2^20 - 2.
pub fn jal(rd: u32, offset: i32) -> Code {
    let o = fits(offset, 21);
    assert!(o & 1 == 0, "odd jump offset");
    Code::Word(
        (o >> 20 & 1) << 31 | (o >> 1 & 0x3FF) << 21 | (o >> 11 & 1) << 20 | (o >> 12 & 0xFF) << 12 | rd << 7 | 0x6F,
    )
}

/// `jalr`: jumps to `rs1 + imm`.
pub fn jalr(rd: u32, rs1: u32, imm: i32) -> Code {
    i_type(0x67, 0, rd, rs1, imm)
}

/// `slli`: shifts left by a constant.
pub fn slli(rd: u32, rs1: u32, shift: u32) -> Code {
    r_type_shift(0, 1, rd, rs1, shift)
}

/// `srli`: shifts right by a constant, filled with zeros.
pub fn srli(rd: u32, rs1: u32, shift: u32) -> Code {
    r_type_shift(0, 5, rd, rs1, shift)
}

/// `srai`: shifts right by a constant, filled with the sign.
pub fn srai(rd: u32, rs1: u32, shift: u32) -> Code {
    r_type_shift(0x20, 5, rd, rs1, shift)
}

/// `rori`: rotates right by a constant (Zbb).
pub fn rori(rd: u32, rs1: u32, shift: u32) -> Code {
    r_type_shift(0x30, 5, rd, rs1, shift)
}

/// `bseti`: sets a bit (Zbs).
pub fn bseti(rd: u32, rs1: u32, bit: u32) -> Code {
    r_type_shift(0x14, 1, rd, rs1, bit)
}

/// `bclri`: clears a bit (Zbs).
pub fn bclri(rd: u32, rs1: u32, bit: u32) -> Code {
    r_type_shift(0x24, 1, rd, rs1, bit)
}

/// `binvi`: inverts a bit (Zbs).
pub fn binvi(rd: u32, rs1: u32, bit: u32) -> Code {
    r_type_shift(0x34, 1, rd, rs1, bit)
}

/// `bexti`: extracts a bit (Zbs).
pub fn bexti(rd: u32, rs1: u32, bit: u32) -> Code {
    r_type_shift(0x24, 5, rd, rs1, bit)
}

/// `clz` (`which` 0), `ctz` (1), `cpop` (2), `sext.b` (4), `sext.h` (5).
pub fn unary(which: u32, rd: u32, rs1: u32) -> Code {
    r_type_shift(0x30, 1, rd, rs1, which)
}

/// `zext.h`: the low halfword, zero-extended (Zbb).
pub fn zext_h(rd: u32, rs1: u32) -> Code {
    op(4, 4, rd, rs1, ZERO)
}

/// `orc.b`: each byte that is not zero becomes 0xFF (Zbb).
pub fn orc_b(rd: u32, rs1: u32) -> Code {
    r_type_shift(0x14, 5, rd, rs1, 7)
}

/// `rev8`: the bytes in reverse order (Zbb).
pub fn rev8(rd: u32, rs1: u32) -> Code {
    r_type_shift(0x34, 5, rd, rs1, 0x18)
}

fn r_type_shift(funct7: u32, funct3: u32, rd: u32, rs1: u32, shift: u32) -> Code {
    assert!(shift < 32);
    Code::Word(funct7 << 25 | shift << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x13)
}

/// `csrrw`: writes a CSR, and reads its former value.
pub fn csrrw(rd: u32, csr: u32, rs1: u32) -> Code {
    csr_op(1, rd, csr, rs1)
}

/// `csrrs`: sets bits of a CSR, and reads its former value.
pub fn csrrs(rd: u32, csr: u32, rs1: u32) -> Code {
    csr_op(2, rd, csr, rs1)
}

/// `csrrc`: clears bits of a CSR, and reads its former value.
pub fn csrrc(rd: u32, csr: u32, rs1: u32) -> Code {
    csr_op(3, rd, csr, rs1)
}

/// `csrrwi`: writes a constant of 5 bits to a CSR, and reads its former value.
pub fn csrrwi(rd: u32, csr: u32, imm: u32) -> Code {
    csr_op(5, rd, csr, imm)
}

/// `csrrsi`: sets bits of a CSR by a constant of 5 bits, and reads its former value.
pub fn csrrsi(rd: u32, csr: u32, imm: u32) -> Code {
    csr_op(6, rd, csr, imm)
}

/// `csrrci`: clears bits of a CSR by a constant of 5 bits, and reads its former value.
pub fn csrrci(rd: u32, csr: u32, imm: u32) -> Code {
    csr_op(7, rd, csr, imm)
}

/// Reads a CSR.
pub fn csrr(rd: u32, csr: u32) -> Code {
    csrrs(rd, csr, ZERO)
}

/// Writes a CSR.
pub fn csrw(csr: u32, rs1: u32) -> Code {
    csrrw(ZERO, csr, rs1)
}

/// `nop`, which is `addi x0, x0, 0`.
pub fn nop() -> Code {
    addi(ZERO, ZERO, 0)
}

/// `mv`, which is `addi rd, rs, 0`.
pub fn mv(rd: u32, rs: u32) -> Code {
    addi(rd, rs, 0)
}

/// `fence iorw, iorw`.
pub fn fence() -> Code {
    Code::Word(0x0FF0_000F)
}

/// `fence.i`.
pub fn fence_i() -> Code {
    Code::Word(0x0000_100F)
}

/// `ecall`.
pub fn ecall() -> Code {
    Code::Word(0x0000_0073)
}

/// `ebreak`.
pub fn ebreak() -> Code {
    Code::Word(0x0010_0073)
}

/// `mret`.
pub fn mret() -> Code {
    Code::Word(0x3020_0073)
}

/// `nic.dispatch`, in custom-0.
pub fn dispatch(rd: u32) -> Code {
    assert!(rd < 32);
    Code::Word(rd << 7 | 0x0B)
}

/// `wfi`.
pub fn wfi() -> Code {
    Code::Word(0x1050_0073)
}

// ---- Compressed instructions ----------------------------------------------------------

/// `c.nop`.
pub fn c_nop() -> Code {
    Code::Half(0x0001)
}

/// `c.ebreak`.
pub fn c_ebreak() -> Code {
    Code::Half(0x9002)
}

/// `c.addi`, and by `funct3` 2 `c.li`; `imm` -32 to 31.
pub fn c_imm(funct3: u32, rd: u32, imm: i32) -> Code {
    let imm = fits(imm, 6);
    Code::Half((funct3 << 13 | (imm >> 5 & 1) << 12 | rd << 7 | (imm & 0x1F) << 2 | 1) as u16)
}

/// `c.addi`; `imm` -32 to 31.
pub fn c_addi(rd: u32, imm: i32) -> Code {
    c_imm(0, rd, imm)
}

/// `c.li`; `imm` -32 to 31.
pub fn c_li(rd: u32, imm: i32) -> Code {
    c_imm(2, rd, imm)
}

/// `c.mv`; `rs2` is not x0.
pub fn c_mv(rd: u32, rs2: u32) -> Code {
    assert!(rs2 != 0);
    Code::Half((0x8002 | rd << 7 | rs2 << 2) as u16)
}

/// `c.add`; `rs2` is not x0.
pub fn c_add(rd: u32, rs2: u32) -> Code {
    assert!(rs2 != 0);
    Code::Half((0x9002 | rd << 7 | rs2 << 2) as u16)
}

/// `c.lw`, registers x8 to x15, `offset` a multiple of 4 below 128.
pub fn c_lw(rd: u32, offset: u32, rs1: u32) -> Code {
    Code::Half((0x4000 | c_word_fields(offset, rs1) | (rd - 8) << 2) as u16)
}

/// `c.sw`, registers x8 to x15, `offset` a multiple of 4 below 128.
pub fn c_sw(rs2: u32, offset: u32, rs1: u32) -> Code {
    Code::Half((0xC000 | c_word_fields(offset, rs1) | (rs2 - 8) << 2) as u16)
}

fn c_word_fields(offset: u32, rs1: u32) -> u32 {
    assert!(offset < 128 && offset % 4 == 0 && (8..16).contains(&rs1));
    (offset >> 3 & 7) << 10 | (rs1 - 8) << 7 | (offset >> 2 & 1) << 6 | (offset >> 6 & 1) << 5
}

/// `c.beqz` (`funct3` 6) and `c.bnez` (7), registers x8 to x15, offset -256 to 254.
pub fn c_branch(funct3: u32, rs1: u32, offset: i32) -> Code {
    assert!((8..16).contains(&rs1));
    let o = fits(offset, 9);
    let bits = (o >> 8 & 1) << 12 | (o >> 3 & 3) << 10 | (o >> 6 & 3) << 5 | (o >> 1 & 3) << 3 | (o >> 5 & 1) << 2;
    Code::Half((funct3 << 13 | (rs1 - 8) << 7 | bits | 1) as u16)
}

/// `c.jal` (`funct3` 1) and `c.j` (5), offset -2048 to 2046.
pub fn c_jump(funct3: u32, offset: i32) -> Code {
    let o = fits(offset, 12);
    let bits = (o >> 11 & 1) << 12
        | (o >> 4 & 1) << 11
        | (o >> 8 & 3) << 9
        | (o >> 10 & 1) << 8
        | (o >> 6 & 1) << 7
        | (o >> 7 & 1) << 6
        | (o >> 1 & 7) << 3
        | (o >> 5 & 1) << 2;
    Code::Half((funct3 << 13 | bits | 1) as u16)
}

// ---- Programs -----------------------------------------------------------------------

/// An instruction of a program. Its encoding may depend on its distance to a label.
type Placed = Box<dyn Fn(i32) -> Code>;

enum Item {
    Code(Code),
    /// The length in bytes, the label, and the encoding as a function of the distance.
    ToLabel(u32, String, Placed),
    /// `auipc` and `addi`, which load the address of a label.
    Address(u32, String),
}

/// Instructions at consecutive addresses, with labels.
pub struct Program {
    base: u32,
    items: Vec<(u32, Item)>,
    here: u32,
    labels: BTreeMap<String, u32>,
}

impl Program {
    /// An empty program whose first instruction lies at `base`.
    pub fn at(base: u32) -> Program {
        Program { base, items: Vec::new(), here: base, labels: BTreeMap::new() }
    }

    /// The address of the next instruction.
    pub fn here(&self) -> u32 {
        self.here
    }

    /// The address of the first instruction.
    pub fn base(&self) -> u32 {
        self.base
    }

    /// Sets a label at the address of the next instruction. Panics if the label exists.
    pub fn label(&mut self, name: impl Into<String>) -> &mut Program {
        let name = name.into();
        let before = self.labels.insert(name.clone(), self.here);
        assert!(before.is_none(), "label {name} twice");
        self
    }

    /// The address of a label. Panics if there is none of this name.
    pub fn address_of(&self, name: &str) -> u32 {
        *self.labels.get(name).unwrap_or_else(|| panic!("no label {name}"))
    }

    /// Appends an instruction.
    pub fn put(&mut self, code: Code) -> &mut Program {
        self.push(code.len_bytes(), Item::Code(code))
    }

    /// Appends instructions.
    pub fn put_all(&mut self, codes: impl IntoIterator<Item = Code>) -> &mut Program {
        for code in codes {
            self.put(code);
        }
        self
    }

    /// Appends an instruction of four bytes that depends on the distance to a label:
    /// `program.to("loop", |d| bne(T0, ZERO, d))`.
    pub fn to(&mut self, label: impl Into<String>, encode: impl Fn(i32) -> Code + 'static) -> &mut Program {
        self.push(4, Item::ToLabel(4, label.into(), Box::new(encode)))
    }

    /// Appends an instruction of two bytes that depends on the distance to a label.
    pub fn to_compressed(&mut self, label: impl Into<String>, encode: impl Fn(i32) -> Code + 'static) -> &mut Program {
        self.push(2, Item::ToLabel(2, label.into(), Box::new(encode)))
    }

    /// Appends instructions that load a constant. They always have eight bytes.
    pub fn li(&mut self, rd: u32, value: u32) -> &mut Program {
        let low = (value as i32) << 20 >> 20;
        self.put(lui(rd, value.wrapping_sub(low as u32) >> 12)).put(addi(rd, rd, low))
    }

    /// Appends instructions that load the address of a label. They have eight bytes.
    pub fn la(&mut self, rd: u32, label: impl Into<String>) -> &mut Program {
        self.push(8, Item::Address(rd, label.into()))
    }

    /// Fills with `c.nop` up to a multiple of `bytes`.
    pub fn align(&mut self, bytes: u32) -> &mut Program {
        while self.here % bytes != 0 {
            self.put(c_nop());
        }
        self
    }

    fn push(&mut self, len_bytes: u32, item: Item) -> &mut Program {
        self.items.push((self.here, item));
        self.here += len_bytes;
        self
    }

    /// All instructions with their addresses.
    pub fn codes(&self) -> Vec<(u32, Code)> {
        let mut codes = Vec::new();
        for (at, item) in &self.items {
            match item {
                Item::Code(code) => codes.push((*at, *code)),
                Item::ToLabel(len_bytes, label, encode) => {
                    let code = encode(self.address_of(label).wrapping_sub(*at) as i32);
                    assert_eq!(code.len_bytes(), *len_bytes);
                    codes.push((*at, code));
                }
                Item::Address(rd, label) => {
                    let distance = self.address_of(label).wrapping_sub(*at);
                    let low = (distance as i32) << 20 >> 20;
                    codes.push((*at, auipc(*rd, distance.wrapping_sub(low as u32) >> 12)));
                    codes.push((*at + 4, addi(*rd, *rd, low)));
                }
            }
        }
        codes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The expected values come from the examples in the unprivileged specification and from
    // binutils.
    #[test]
    fn encodings_are_those_of_the_specification() {
        let cases = [
            (addi(1, 2, -1), 0xFFF1_0093),
            (lui(5, 0x12345), 0x1234_52B7),
            (sub(3, 4, 5), 0x4052_01B3),
            (lw(10, 8, 2), 0x0081_2503),
            (sw(10, -4, 2), 0xFEA1_2E23),
            (beq(1, 2, -4), 0xFE20_8EE3),
            (jal(1, 2048), 0x0010_00EF),
            (srai(7, 8, 31), 0x41F4_5393),
            (csrr(5, csr::MHARTID), 0xF140_22F3),
            (c_li(10, -1), 0x557D),
            (c_mv(10, 11), 0x852E),
            (c_lw(8, 4, 9), 0x40C0),
            (c_sw(8, 64, 9), 0xC0A0),
            (c_jump(5, -2), 0xBFFD),
            (c_branch(6, 8, -2), 0xDC7D),
        ];
        for (code, bits) in cases {
            assert_eq!(code.bits(), bits, "{code:x?}");
        }
    }

    #[test]
    fn labels_resolve_forwards_and_backwards() {
        let mut program = Program::at(0x100);
        program
            .label("top")
            .to("end", |d| beq(0, 0, d))
            .put(c_nop())
            .to_compressed("top", |d| c_jump(5, d))
            .label("end");
        let codes = program.codes();
        assert_eq!(codes, [(0x100, beq(0, 0, 8)), (0x104, c_nop()), (0x106, c_jump(5, -6))]);
    }
}
