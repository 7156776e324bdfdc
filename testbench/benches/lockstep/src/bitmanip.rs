//! Encodings of Zba, Zbb and Zbs (chapter "B" of the unprivileged specification, version 1.0).

use bench_core::asm::{op, Code};

/// `funct7`, `funct3` of instructions with two source registers.
pub const TWO_SOURCES: [(u32, u32); 17] = [
    (0x10, 2), // sh1add
    (0x10, 4), // sh2add
    (0x10, 6), // sh3add
    (0x20, 7), // andn
    (0x20, 6), // orn
    (0x20, 4), // xnor
    (0x05, 4), // min
    (0x05, 5), // minu
    (0x05, 6), // max
    (0x05, 7), // maxu
    (0x30, 1), // rol
    (0x30, 5), // ror
    (0x24, 1), // bclr
    (0x24, 5), // bext
    (0x34, 1), // binv
    (0x14, 1), // bset
    (0x20, 0), // sub: a neighbour in the same encodings
];

/// The upper twelve bits and `funct3` of instructions with one source register, except `zext.h`,
/// which has another opcode.
pub const ONE_SOURCE: [(u32, u32); 7] = [
    (0x600, 1), // clz
    (0x601, 1), // ctz
    (0x602, 1), // cpop
    (0x604, 1), // sext.b
    (0x605, 1), // sext.h
    (0x287, 5), // orc.b
    (0x698, 5), // rev8
];

/// `funct7`, `funct3` of instructions with a bit number or a distance in place of the second
/// register.
pub const WITH_SHIFT: [(u32, u32); 5] = [
    (0x30, 5), // rori
    (0x24, 1), // bclri
    (0x24, 5), // bexti
    (0x34, 1), // binvi
    (0x14, 1), // bseti
];

/// `sh1add`: `2 rs1 + rs2`.
pub fn sh1add(rd: u32, rs1: u32, rs2: u32) -> Code {
    op(0x10, 2, rd, rs1, rs2)
}

/// `zext.h`: the low halfword, zero-extended.
pub fn zext_h(rd: u32, rs1: u32) -> Code {
    op(0x04, 4, rd, rs1, 0)
}

/// An instruction with one source register, by its upper twelve bits and `funct3`.
pub fn one_source((upper, funct3): (u32, u32), rd: u32, rs1: u32) -> Code {
    Code::Word(upper << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x13)
}

/// An instruction with a bit number or distance, by its `funct7` and `funct3`. Only the low five
/// bits of `shift` count.
pub fn with_shift((funct7, funct3): (u32, u32), rd: u32, rs1: u32, shift: u32) -> Code {
    Code::Word(funct7 << 25 | (shift & 31) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x13)
}

#[cfg(test)]
mod tests {
    use super::*;

    // The expected words come from binutils.
    #[test]
    fn encodings_are_those_of_the_specification() {
        assert_eq!(sh1add(10, 11, 12).bits(), 0x20C5_A533);
        assert_eq!(zext_h(10, 11).bits(), 0x0805_C533);
        assert_eq!(one_source((0x600, 1), 10, 11).bits(), 0x6005_9513);
        assert_eq!(one_source((0x698, 5), 10, 11).bits(), 0x6985_D513);
        assert_eq!(with_shift((0x14, 1), 10, 11, 5).bits(), 0x2855_9513);
    }
}
