//! Decodes encodings into instructions by the tables of the RISC-V specification, and prints
//! instructions.

use std::fmt;

/// The operations with two operands. In an [`Insn::OpImm`] the immediate takes the place of `rs2`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Alu {
    /// `rs1 + rs2`.
    Add,
    /// `rs1 - rs2`.
    Sub,
    /// `rs1` shifted left by the low five bits of `rs2`.
    Sll,
    /// 1 if `rs1 < rs2` as signed numbers, else 0.
    Slt,
    /// 1 if `rs1 < rs2` as unsigned numbers, else 0.
    Sltu,
    /// `rs1 ^ rs2`.
    Xor,
    /// `rs1` shifted right by the low five bits of `rs2`, filled with zeros.
    Srl,
    /// `rs1` shifted right by the low five bits of `rs2`, filled with the sign.
    Sra,
    /// `rs1 | rs2`.
    Or,
    /// `rs1 & rs2`.
    And,
    /// The low 32 bits of the product.
    Mul,
    /// The high 32 bits of the product of two signed numbers.
    Mulh,
    /// The high 32 bits of the product of a signed `rs1` and an unsigned `rs2`.
    Mulhsu,
    /// The high 32 bits of the product of two unsigned numbers.
    Mulhu,
    /// The quotient of two signed numbers.
    Div,
    /// The quotient of two unsigned numbers.
    Divu,
    /// The remainder of two signed numbers.
    Rem,
    /// The remainder of two unsigned numbers.
    Remu,
    /// `2 rs1 + rs2` (Zba).
    Sh1add,
    /// `4 rs1 + rs2` (Zba).
    Sh2add,
    /// `8 rs1 + rs2` (Zba).
    Sh3add,
    /// `rs1 & !rs2` (Zbb).
    Andn,
    /// `rs1 | !rs2` (Zbb).
    Orn,
    /// `!(rs1 ^ rs2)` (Zbb).
    Xnor,
    /// The smaller of two signed numbers (Zbb).
    Min,
    /// The smaller of two unsigned numbers (Zbb).
    Minu,
    /// The larger of two signed numbers (Zbb).
    Max,
    /// The larger of two unsigned numbers (Zbb).
    Maxu,
    /// `rs1` rotated left (Zbb).
    Rol,
    /// `rs1` rotated right (Zbb).
    Ror,
    /// `rs1` with bit `rs2` set (Zbs).
    Bset,
    /// `rs1` with bit `rs2` cleared (Zbs).
    Bclr,
    /// `rs1` with bit `rs2` inverted (Zbs).
    Binv,
    /// Bit `rs2` of `rs1` (Zbs).
    Bext,
}

/// The operations of Zbb with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    /// The number of leading zeros.
    Clz,
    /// The number of trailing zeros.
    Ctz,
    /// The number of ones.
    Cpop,
    /// The low byte, sign-extended.
    SextB,
    /// The low halfword, sign-extended.
    SextH,
    /// The low halfword, zero-extended.
    ZextH,
    /// Each byte that is not zero becomes 0xFF.
    OrcB,
    /// The bytes in reverse order.
    Rev8,
}

/// The condition of a branch: `rs1` compared with `rs2`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less, as signed numbers.
    Lt,
    /// Greater or equal, as signed numbers.
    Ge,
    /// Less, as unsigned numbers.
    Ltu,
    /// Greater or equal, as unsigned numbers.
    Geu,
}

/// The change that an instruction makes to a CSR.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CsrChange {
    /// The CSR gets the operand.
    Write,
    /// Bits that are 1 in the operand are set.
    Set,
    /// Bits that are 1 in the operand are cleared.
    Clear,
}

/// The operand of an access to a CSR.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CsrSource {
    /// The value of this register.
    Register(u8),
    /// A constant, 0 to 31.
    Immediate(u8),
}

/// A decoded instruction. A compressed instruction appears as the full instruction that it stands
/// for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Insn {
    /// `lui`: loads a constant.
    Lui {
        /// The register that is written.
        rd: u8,
        /// The constant: the immediate in the upper 20 bits.
        value: u32,
    },
    /// `auipc`: adds a constant to the address of the instruction.
    Auipc {
        /// The register that is written.
        rd: u8,
        /// The constant: the immediate in the upper 20 bits.
        value: u32,
    },
    /// `jal`: jumps by a distance and keeps the return address.
    Jal {
        /// The register of the return address.
        rd: u8,
        /// The distance of the target in bytes.
        offset: i32,
    },
    /// `jalr`: jumps to the address in a register and keeps the return address.
    Jalr {
        /// The register of the return address.
        rd: u8,
        /// The register of the target.
        rs1: u8,
        /// The bytes that are added to the register.
        offset: i32,
    },
    /// A conditional branch.
    Branch {
        /// The condition.
        condition: Condition,
        /// The first register that is read.
        rs1: u8,
        /// The second register that is read.
        rs2: u8,
        /// The distance of the target in bytes.
        offset: i32,
    },
    /// A load.
    Load {
        /// The register that is written.
        rd: u8,
        /// The register of the address.
        rs1: u8,
        /// The bytes that are added to the address.
        offset: i32,
        /// The size of the access: 1, 2 or 4 bytes.
        size_bytes: u8,
        /// Whether a byte or halfword is sign-extended.
        signed: bool,
    },
    /// A store.
    Store {
        /// The register that is stored.
        rs2: u8,
        /// The register of the address.
        rs1: u8,
        /// The bytes that are added to the address.
        offset: i32,
        /// The size of the access: 1, 2 or 4 bytes.
        size_bytes: u8,
    },
    /// An operation on a register and a constant.
    OpImm {
        /// The operation.
        op: Alu,
        /// The register that is written.
        rd: u8,
        /// The register that is read.
        rs1: u8,
        /// The constant, sign-extended.
        imm: i32,
    },
    /// An operation on two registers.
    Op {
        /// The operation.
        op: Alu,
        /// The register that is written.
        rd: u8,
        /// The first register that is read.
        rs1: u8,
        /// The second register that is read.
        rs2: u8,
    },
    /// An operation on one register.
    Unary {
        /// The operation.
        op: Unary,
        /// The register that is written.
        rd: u8,
        /// The register that is read.
        rs1: u8,
    },
    /// An access to a CSR.
    Csr {
        /// The change of the CSR.
        change: CsrChange,
        /// The register that gets the former value of the CSR.
        rd: u8,
        /// The number of the CSR.
        csr: u16,
        /// The operand.
        source: CsrSource,
    },
    /// `fence`.
    Fence,
    /// `fence.i`.
    FenceI,
    /// `ecall`.
    Ecall,
    /// `ebreak`.
    Ebreak,
    /// `mret`.
    Mret,
    /// `wfi`.
    Wfi,
    /// `nic.dispatch`: waits for an event and jumps to its handler (docs/core.md).
    Dispatch {
        /// The register of the return address.
        rd: u8,
    },
    /// An encoding that is no instruction of the core.
    Illegal,
}

/// Bits `high` to `low` of `bits`, as a number.
fn field(bits: u32, high: u32, low: u32) -> u32 {
    bits << (31 - high) >> (31 - high + low)
}

/// The lowest `width` bits of `bits` as a signed number.
fn signed(bits: u32, width: u32) -> i32 {
    (bits << (32 - width)) as i32 >> (32 - width)
}

/// Gathers the bits of an immediate. `(high, low, to)` moves bits `high` to `low` of the
/// instruction to bit `to` and up.
fn gather(bits: u32, parts: &[(u32, u32, u32)]) -> u32 {
    parts.iter().fold(0, |value, &(high, low, to)| value | field(bits, high, low) << to)
}

impl Insn {
    /// Decodes an encoding. It has four bytes if the lowest two bits are 11; otherwise only the
    /// lower two bytes count.
    pub fn decode(bits: u32) -> Insn {
        if bits & 3 == 3 {
            Insn::decode_word(bits)
        } else {
            Insn::decode_half(bits & 0xFFFF)
        }
    }

    fn decode_word(bits: u32) -> Insn {
        use Insn::*;
        let rd = field(bits, 11, 7) as u8;
        let rs1 = field(bits, 19, 15) as u8;
        let rs2 = field(bits, 24, 20) as u8;
        let funct3 = field(bits, 14, 12);
        let funct7 = field(bits, 31, 25);
        let imm_i = signed(field(bits, 31, 20), 12);
        match field(bits, 6, 0) {
            0x37 => Lui { rd, value: bits & 0xFFFF_F000 },
            0x17 => Auipc { rd, value: bits & 0xFFFF_F000 },
            0x6F => {
                let offset = signed(gather(bits, &[(31, 31, 20), (19, 12, 12), (20, 20, 11), (30, 21, 1)]), 21);
                Jal { rd, offset }
            }
            0x67 if funct3 == 0 => Jalr { rd, rs1, offset: imm_i },
            0x63 => {
                let offset = signed(gather(bits, &[(31, 31, 12), (7, 7, 11), (30, 25, 5), (11, 8, 1)]), 13);
                let condition = match funct3 {
                    0 => Condition::Eq,
                    1 => Condition::Ne,
                    4 => Condition::Lt,
                    5 => Condition::Ge,
                    6 => Condition::Ltu,
                    7 => Condition::Geu,
                    _ => return Illegal,
                };
                Branch { condition, rs1, rs2, offset }
            }
            0x03 => {
                let (size_bytes, signed) = match funct3 {
                    0 => (1, true),
                    1 => (2, true),
                    2 => (4, true),
                    4 => (1, false),
                    5 => (2, false),
                    _ => return Illegal,
                };
                Load { rd, rs1, offset: imm_i, size_bytes, signed }
            }
            0x23 if funct3 < 3 => {
                let offset = signed(gather(bits, &[(31, 25, 5), (11, 7, 0)]), 12);
                Store { rs2, rs1, offset, size_bytes: 1 << funct3 }
            }
            0x13 if funct3 == 1 && funct7 == 0x30 => {
                let op = match rs2 {
                    0 => self::Unary::Clz,
                    1 => self::Unary::Ctz,
                    2 => self::Unary::Cpop,
                    4 => self::Unary::SextB,
                    5 => self::Unary::SextH,
                    _ => return Illegal,
                };
                Unary { op, rd, rs1 }
            }
            0x13 if bits >> 20 == 0x287 && funct3 == 5 => Unary { op: self::Unary::OrcB, rd, rs1 },
            0x13 if bits >> 20 == 0x698 && funct3 == 5 => Unary { op: self::Unary::Rev8, rd, rs1 },
            0x13 => {
                let shift = i32::from(rs2);
                let (op, imm) = match (funct3, funct7) {
                    (0, _) => (Alu::Add, imm_i),
                    (1, 0x00) => (Alu::Sll, shift),
                    (2, _) => (Alu::Slt, imm_i),
                    (3, _) => (Alu::Sltu, imm_i),
                    (4, _) => (Alu::Xor, imm_i),
                    (5, 0x00) => (Alu::Srl, shift),
                    (5, 0x20) => (Alu::Sra, shift),
                    (5, 0x30) => (Alu::Ror, shift),
                    (1, 0x14) => (Alu::Bset, shift),
                    (1, 0x24) => (Alu::Bclr, shift),
                    (1, 0x34) => (Alu::Binv, shift),
                    (5, 0x24) => (Alu::Bext, shift),
                    (6, _) => (Alu::Or, imm_i),
                    (7, _) => (Alu::And, imm_i),
                    _ => return Illegal,
                };
                OpImm { op, rd, rs1, imm }
            }
            0x33 if funct7 == 0x04 && funct3 == 4 && rs2 == 0 => Unary { op: self::Unary::ZextH, rd, rs1 },
            0x33 => {
                let op = match (funct7, funct3) {
                    (0x00, 0) => Alu::Add,
                    (0x20, 0) => Alu::Sub,
                    (0x00, 1) => Alu::Sll,
                    (0x00, 2) => Alu::Slt,
                    (0x00, 3) => Alu::Sltu,
                    (0x00, 4) => Alu::Xor,
                    (0x00, 5) => Alu::Srl,
                    (0x20, 5) => Alu::Sra,
                    (0x00, 6) => Alu::Or,
                    (0x00, 7) => Alu::And,
                    (0x01, 0) => Alu::Mul,
                    (0x01, 1) => Alu::Mulh,
                    (0x01, 2) => Alu::Mulhsu,
                    (0x01, 3) => Alu::Mulhu,
                    (0x01, 4) => Alu::Div,
                    (0x01, 5) => Alu::Divu,
                    (0x01, 6) => Alu::Rem,
                    (0x01, 7) => Alu::Remu,
                    (0x10, 2) => Alu::Sh1add,
                    (0x10, 4) => Alu::Sh2add,
                    (0x10, 6) => Alu::Sh3add,
                    (0x20, 7) => Alu::Andn,
                    (0x20, 6) => Alu::Orn,
                    (0x20, 4) => Alu::Xnor,
                    (0x05, 4) => Alu::Min,
                    (0x05, 5) => Alu::Minu,
                    (0x05, 6) => Alu::Max,
                    (0x05, 7) => Alu::Maxu,
                    (0x30, 1) => Alu::Rol,
                    (0x30, 5) => Alu::Ror,
                    (0x14, 1) => Alu::Bset,
                    (0x24, 1) => Alu::Bclr,
                    (0x34, 1) => Alu::Binv,
                    (0x24, 5) => Alu::Bext,
                    _ => return Illegal,
                };
                Op { op, rd, rs1, rs2 }
            }
            0x0B if bits >> 12 == 0 => Dispatch { rd },
            0x0F if funct3 == 0 => Fence,
            0x0F if funct3 == 1 => FenceI,
            0x73 => {
                let change = match funct3 {
                    1 | 5 => CsrChange::Write,
                    2 | 6 => CsrChange::Set,
                    3 | 7 => CsrChange::Clear,
                    _ => {
                        return match bits {
                            0x0000_0073 => Ecall,
                            0x0010_0073 => Ebreak,
                            0x3020_0073 => Mret,
                            0x1050_0073 => Wfi,
                            _ => Illegal,
                        }
                    }
                };
                let source = if funct3 < 4 { CsrSource::Register(rs1) } else { CsrSource::Immediate(rs1) };
                Csr { change, rd, csr: field(bits, 31, 20) as u16, source }
            }
            _ => Illegal,
        }
    }

    fn decode_half(bits: u32) -> Insn {
        use Insn::*;
        const SP: u8 = 2;
        let rd = field(bits, 11, 7) as u8;
        let rs2 = field(bits, 6, 2) as u8;
        let low_rd = 8 + field(bits, 4, 2) as u8;
        let low_rs1 = 8 + field(bits, 9, 7) as u8;
        let imm6 = signed(gather(bits, &[(12, 12, 5), (6, 2, 0)]), 6);
        let shift = gather(bits, &[(12, 12, 5), (6, 2, 0)]) as i32;
        let word_offset = gather(bits, &[(5, 5, 6), (12, 10, 3), (6, 6, 2)]) as i32;
        let jump = || {
            let parts = [(12, 12, 11), (11, 11, 4), (10, 9, 8), (8, 8, 10), (7, 7, 6), (6, 6, 7), (5, 3, 1), (2, 2, 5)];
            signed(gather(bits, &parts), 12)
        };
        let branch = || signed(gather(bits, &[(12, 12, 8), (11, 10, 3), (6, 5, 6), (4, 3, 1), (2, 2, 5)]), 9);
        match (field(bits, 1, 0), field(bits, 15, 13)) {
            (0, 0) => match gather(bits, &[(10, 7, 6), (12, 11, 4), (5, 5, 3), (6, 6, 2)]) as i32 {
                0 => Illegal,
                imm => OpImm { op: Alu::Add, rd: low_rd, rs1: SP, imm },
            },
            (0, 2) => Load { rd: low_rd, rs1: low_rs1, offset: word_offset, size_bytes: 4, signed: true },
            (0, 6) => Store { rs2: low_rd, rs1: low_rs1, offset: word_offset, size_bytes: 4 },
            (1, 0) => OpImm { op: Alu::Add, rd, rs1: rd, imm: imm6 },
            (1, 1) => Jal { rd: 1, offset: jump() },
            (1, 2) => OpImm { op: Alu::Add, rd, rs1: 0, imm: imm6 },
            (1, 3) if imm6 == 0 => Illegal,
            (1, 3) if rd == SP => {
                let imm = signed(gather(bits, &[(12, 12, 9), (4, 3, 7), (5, 5, 6), (2, 2, 5), (6, 6, 4)]), 10);
                OpImm { op: Alu::Add, rd: SP, rs1: SP, imm }
            }
            (1, 3) => Lui { rd, value: (imm6 << 12) as u32 },
            (1, 4) => match (field(bits, 11, 10), field(bits, 12, 12), field(bits, 6, 5)) {
                (0, 0, _) => OpImm { op: Alu::Srl, rd: low_rs1, rs1: low_rs1, imm: shift },
                (1, 0, _) => OpImm { op: Alu::Sra, rd: low_rs1, rs1: low_rs1, imm: shift },
                (2, _, _) => OpImm { op: Alu::And, rd: low_rs1, rs1: low_rs1, imm: imm6 },
                (3, 0, which) => {
                    let op = [Alu::Sub, Alu::Xor, Alu::Or, Alu::And][which as usize];
                    Op { op, rd: low_rs1, rs1: low_rs1, rs2: low_rd }
                }
                _ => Illegal,
            },
            (1, 5) => Jal { rd: 0, offset: jump() },
            (1, 6) => Branch { condition: Condition::Eq, rs1: low_rs1, rs2: 0, offset: branch() },
            (1, 7) => Branch { condition: Condition::Ne, rs1: low_rs1, rs2: 0, offset: branch() },
            (2, 0) if shift < 32 => OpImm { op: Alu::Sll, rd, rs1: rd, imm: shift },
            (2, 2) if rd != 0 => {
                let offset = gather(bits, &[(3, 2, 6), (12, 12, 5), (6, 4, 2)]) as i32;
                Load { rd, rs1: SP, offset, size_bytes: 4, signed: true }
            }
            (2, 4) => match (field(bits, 12, 12), rd, rs2) {
                (0, 0, 0) => Illegal,
                (0, _, 0) => Jalr { rd: 0, rs1: rd, offset: 0 },
                (0, _, _) => Op { op: Alu::Add, rd, rs1: 0, rs2 },
                (1, 0, 0) => Ebreak,
                (1, _, 0) => Jalr { rd: 1, rs1: rd, offset: 0 },
                (_, _, _) => Op { op: Alu::Add, rd, rs1: rd, rs2 },
            },
            (2, 6) => {
                let offset = gather(bits, &[(8, 7, 6), (12, 9, 2)]) as i32;
                Store { rs2, rs1: SP, offset, size_bytes: 4 }
            }
            _ => Illegal,
        }
    }
}

impl fmt::Display for Insn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Insn::*;
        match *self {
            Lui { rd, value } => write!(f, "lui x{rd}, {:#x}", value >> 12),
            Auipc { rd, value } => write!(f, "auipc x{rd}, {:#x}", value >> 12),
            Jal { rd, offset } => write!(f, "jal x{rd}, .{offset:+}"),
            Jalr { rd, rs1, offset } => write!(f, "jalr x{rd}, {offset}(x{rs1})"),
            Branch { condition, rs1, rs2, offset } => {
                write!(f, "b{} x{rs1}, x{rs2}, .{offset:+}", lower(condition))
            }
            Load { rd, rs1, offset, size_bytes, signed } => {
                let unsigned = if signed { "" } else { "u" };
                write!(f, "l{}{unsigned} x{rd}, {offset}(x{rs1})", size_letter(size_bytes))
            }
            Store { rs2, rs1, offset, size_bytes } => {
                write!(f, "s{} x{rs2}, {offset}(x{rs1})", size_letter(size_bytes))
            }
            OpImm { op, rd, rs1, imm } => write!(f, "{}i x{rd}, x{rs1}, {imm}", lower(op)),
            Op { op, rd, rs1, rs2 } => write!(f, "{} x{rd}, x{rs1}, x{rs2}", lower(op)),
            Unary { op, rd, rs1 } => write!(f, "{} x{rd}, x{rs1}", lower(op)),
            Csr { change, rd, csr, source } => {
                let change = match change {
                    CsrChange::Write => "w",
                    CsrChange::Set => "s",
                    CsrChange::Clear => "c",
                };
                match source {
                    CsrSource::Register(rs1) => write!(f, "csrr{change} x{rd}, {csr:#x}, x{rs1}"),
                    CsrSource::Immediate(imm) => write!(f, "csrr{change}i x{rd}, {csr:#x}, {imm}"),
                }
            }
            Fence => f.write_str("fence"),
            FenceI => f.write_str("fence.i"),
            Ecall => f.write_str("ecall"),
            Ebreak => f.write_str("ebreak"),
            Mret => f.write_str("mret"),
            Wfi => f.write_str("wfi"),
            Dispatch { rd } => write!(f, "nic.dispatch x{rd}"),
            Illegal => f.write_str("(illegal)"),
        }
    }
}

fn lower(name: impl fmt::Debug) -> String {
    format!("{name:?}").to_lowercase()
}

fn size_letter(size_bytes: u8) -> char {
    match size_bytes {
        1 => 'b',
        2 => 'h',
        _ => 'w',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asm;

    #[test]
    fn assembler_and_decoder_agree() {
        let cases = [
            (asm::addi(1, 2, -1), "addi x1, x2, -1"),
            (asm::bgeu(3, 4, -4096), "bgeu x3, x4, .-4096"),
            (asm::jal(5, -1048576), "jal x5, .-1048576"),
            (asm::sw(6, -2048, 7), "sw x6, -2048(x7)"),
            (asm::lhu(8, 2047, 9), "lhu x8, 2047(x9)"),
            (asm::srai(1, 2, 31), "srai x1, x2, 31"),
            (asm::mulhsu(1, 2, 3), "mulhsu x1, x2, x3"),
            (asm::sh3add(1, 2, 3), "sh3add x1, x2, x3"),
            (asm::rori(1, 2, 31), "rori x1, x2, 31"),
            (asm::bexti(1, 2, 30), "bexti x1, x2, 30"),
            (asm::orc_b(1, 2), "orcb x1, x2"),
            (asm::csrrci(1, 0x300, 8), "csrrci x1, 0x300, 8"),
            (asm::dispatch(1), "nic.dispatch x1"),
            (asm::c_lw(8, 124, 15), "lw x8, 124(x15)"),
            (asm::c_sw(15, 64, 8), "sw x15, 64(x8)"),
            (asm::c_branch(7, 9, -256), "bne x9, x0, .-256"),
            (asm::c_jump(1, 2046), "jal x1, .+2046"),
            (asm::c_jump(5, -2048), "jal x0, .-2048"),
            (asm::c_addi(31, -32), "addi x31, x31, -32"),
            (asm::c_ebreak(), "ebreak"),
        ];
        for (code, text) in cases {
            assert_eq!(Insn::decode(code.bits()).to_string(), text);
        }
    }

    #[test]
    fn zero_and_all_ones_are_illegal() {
        assert_eq!(Insn::decode(0), Insn::Illegal);
        assert_eq!(Insn::decode(u32::MAX), Insn::Illegal);
    }
}
