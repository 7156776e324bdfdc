//! The effect of an instruction on control flow and on the values of registers: RV32IMC with Zba,
//! Zbb, Zbs and Zicsr ("The RISC-V Instruction Set Manual, volume I", chapters 2, 16 and 26).

/// The register that holds the return address.
pub const RA: u8 = 1;
/// The stack pointer.
pub const SP: u8 = 2;

/// The effect of one instruction, as far as the analysis needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// `jal`, `c.j`, `c.jal`: a jump to a constant address. `link` 0 keeps no return address.
    Jump {
        /// Register of the return address.
        link: u8,
        /// Absolute address.
        target: u32,
    },
    /// `jalr`, `c.jr`, `c.jalr`: a jump to an address in a register.
    JumpRegister {
        /// Register of the return address.
        link: u8,
        /// Register of the target.
        base: u8,
        /// Added to the base.
        offset: i32,
    },
    /// A conditional branch to an absolute address.
    Branch {
        /// Absolute address.
        target: u32,
    },
    /// `ebreak`, `ecall`, `mret`, `unimp`: the next instruction is not executed.
    Stop,
    /// `rd` = `rs` + `value`.
    Add {
        /// Register that is written.
        rd: u8,
        /// Register that is read; 0 for a constant.
        rs: u8,
        /// Sign-extended immediate.
        value: i32,
    },
    /// `rd` = `value`: `lui` and `auipc`.
    Set {
        /// Register that is written.
        rd: u8,
        /// Its value.
        value: u32,
    },
    /// Any other instruction; `rd` is 0 if it writes no register.
    Other {
        /// Register that is written.
        rd: u8,
    },
}

/// An effect and the length of the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    pub effect: Effect,
    pub bytes: u32,
}

/// Decodes the instruction at address `at` whose first four bytes, little endian, are `word`. The
/// upper half of `word` is ignored if the instruction is compressed. `None` if the instruction is
/// not known.
pub fn decode(at: u32, word: u32) -> Option<Instruction> {
    let (effect, bytes) = match word & 3 {
        3 => (full(at, word)?, 4),
        _ => (compressed(at, word & 0xFFFF)?, 2),
    };
    Some(Instruction { effect, bytes })
}

/// `csrrw x0, cycle, x0`: the encoding that assemblers use for `unimp`.
const UNIMP: u32 = 0xC000_1073;
const ECALL: u32 = 0x0000_0073;
const EBREAK: u32 = 0x0010_0073;
const MRET: u32 = 0x3020_0073;
const WFI: u32 = 0x1050_0073;

fn full(at: u32, word: u32) -> Option<Effect> {
    let field = |low: u32, bits: u32| (word >> low) & ((1 << bits) - 1);
    let (rd, rs) = (field(7, 5) as u8, field(15, 5) as u8);
    let immediate = word as i32 >> 20;
    let effect = match word & 0x7F {
        0x37 => Effect::Set { rd, value: word & 0xFFFF_F000 },
        0x17 => Effect::Set { rd, value: at.wrapping_add(word & 0xFFFF_F000) },
        0x6F => {
            let offset = field(21, 10) << 1 | field(20, 1) << 11 | field(12, 8) << 12 | field(31, 1) << 20;
            Effect::Jump { link: rd, target: at.wrapping_add(extend(offset, 21) as u32) }
        }
        0x67 if field(12, 3) == 0 => Effect::JumpRegister { link: rd, base: rs, offset: immediate },
        0x63 if !matches!(field(12, 3), 2 | 3) => {
            let offset = field(8, 4) << 1 | field(25, 6) << 5 | field(7, 1) << 11 | field(31, 1) << 12;
            Effect::Branch { target: at.wrapping_add(extend(offset, 13) as u32) }
        }
        0x13 if field(12, 3) == 0 => Effect::Add { rd, rs, value: immediate },
        0x73 => match word {
            UNIMP | ECALL | EBREAK | MRET => Effect::Stop,
            WFI => Effect::Other { rd: 0 },
            _ if matches!(field(12, 3), 0 | 4) => return None,
            _ => Effect::Other { rd },
        },
        // Stores and fences write no register.
        0x23 | 0x0F => Effect::Other { rd: 0 },
        // Loads; operations with an immediate; operations on registers.
        0x03 | 0x13 | 0x33 => Effect::Other { rd },
        _ => return None,
    };
    Some(effect)
}

/// The low `bits` of `value` as a signed number.
fn extend(value: u32, bits: u32) -> i32 {
    (value << (32 - bits)) as i32 >> (32 - bits)
}

fn compressed(at: u32, half: u32) -> Option<Effect> {
    // Takes `count` bits of the instruction, from bit `from` upwards, and places them at bit `to`
    // upwards of a number.
    let bits = |from: u32, count: u32, to: u32| ((half >> from) & ((1 << count) - 1)) << to;
    let (rd, rs2) = (bits(7, 5, 0) as u8, bits(2, 5, 0) as u8);
    // The number of a register in a 3-bit field: x8 to x15.
    let short = |from: u32| bits(from, 3, 0) as u8 + 8;
    let immediate = extend(bits(2, 5, 0) | bits(12, 1, 5), 6);
    let to = |offset: i32| at.wrapping_add(offset as u32);
    let jump = || {
        let low = bits(3, 3, 1) | bits(2, 1, 5) | bits(7, 1, 6) | bits(6, 1, 7);
        to(extend(low | bits(11, 1, 4) | bits(9, 2, 8) | bits(8, 1, 10) | bits(12, 1, 11), 12))
    };
    let effect = match (half & 3, half >> 13) {
        // All zeros: the instruction that is defined to be illegal.
        (0, 0) if half == 0 => Effect::Stop,
        (0, 0) => {
            let value = bits(5, 1, 3) | bits(6, 1, 2) | bits(7, 4, 6) | bits(11, 2, 4);
            Effect::Add { rd: short(2), rs: SP, value: value as i32 }
        }
        (0, 2) => Effect::Other { rd: short(2) },
        (0, 6) => Effect::Other { rd: 0 },
        (1, 0) => Effect::Add { rd, rs: rd, value: immediate },
        (1, 1) => Effect::Jump { link: RA, target: jump() },
        (1, 2) => Effect::Add { rd, rs: 0, value: immediate },
        (1, 3) if rd == SP => {
            let value = bits(6, 1, 4) | bits(2, 1, 5) | bits(5, 1, 6) | bits(3, 2, 7) | bits(12, 1, 9);
            Effect::Add { rd: SP, rs: SP, value: extend(value, 10) }
        }
        (1, 3) => Effect::Set { rd, value: (immediate << 12) as u32 },
        (1, 4) => Effect::Other { rd: short(7) },
        (1, 5) => Effect::Jump { link: 0, target: jump() },
        (1, 6 | 7) => {
            let low = bits(3, 2, 1) | bits(2, 1, 5) | bits(10, 2, 3);
            Effect::Branch { target: to(extend(low | bits(5, 2, 6) | bits(12, 1, 8), 9)) }
        }
        (2, 0) => Effect::Other { rd },
        (2, 2) => Effect::Other { rd },
        (2, 4) => match (bits(12, 1, 0), rd, rs2) {
            (0, 0, 0) => return None,
            (1, 0, 0) => Effect::Stop,
            (link, base, 0) => Effect::JumpRegister { link: link as u8 * RA, base, offset: 0 },
            (0, rd, rs) => Effect::Add { rd, rs, value: 0 },
            (_, rd, _) => Effect::Other { rd },
        },
        (2, 6) => Effect::Other { rd: 0 },
        _ => return None,
    };
    Some(effect)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: u32 = 0x1000_0400;

    fn effect(word: u32) -> Option<Effect> {
        decode(AT, word).map(|instruction| instruction.effect)
    }

    /// Encodings as `llvm-mc` writes them.
    #[test]
    fn what_moves_control_is_decoded_as_the_assembler_encodes_it() {
        let jump = |link, offset: i32| Some(Effect::Jump { link, target: AT.wrapping_add(offset as u32) });
        let branch = |offset: i32| Some(Effect::Branch { target: AT.wrapping_add(offset as u32) });
        let register = |link, base, offset| Some(Effect::JumpRegister { link, base, offset });
        assert_eq!(effect(0x0080_00EF), jump(1, 8)); // jal 8
        assert_eq!(effect(0xFFDF_F06F), jump(0, -4)); // j -4
        assert_eq!(effect(0x8010_006F), jump(0, -0xF_F800)); // j -1046528
        assert_eq!(effect(0xA021), jump(0, 8)); // c.j 8
        assert_eq!(effect(0xBFFD), jump(0, -2)); // c.j -2
        assert_eq!(effect(0x2021), jump(1, 8)); // c.jal 8
        assert_eq!(effect(0x8082), register(0, 1, 0)); // ret
        assert_eq!(effect(0x8302), register(0, 6, 0)); // c.jr t1
        assert_eq!(effect(0x9302), register(1, 6, 0)); // c.jalr t1
        assert_eq!(effect(0x7F80_80E7), register(1, 1, 2040)); // jalr 2040(ra)
        assert_eq!(effect(0x1983_0067), register(0, 6, 408)); // jr 408(t1)
        assert_eq!(effect(0xFE00_0EE3), branch(-4)); // beqz zero, -4
        assert_eq!(effect(0x0062_F463), branch(8)); // bgeu t0, t1, 8
        assert_eq!(effect(0xC401), branch(8)); // c.beqz s0, 8
        assert_eq!(effect(0xF87D), branch(-10)); // c.bnez s0, -10
        assert_eq!(effect(0xCFFD), branch(254)); // c.beqz a5, 254
        assert_eq!(effect(0xB001), jump(0, -2048)); // c.j -2048
        assert_eq!(effect(0xAB99), jump(0, 1366)); // c.j 1366
        for stop in [0x0010_0073, 0x0000_0073, 0x3020_0073, 0xC000_1073, 0x9002, 0x0000] {
            assert_eq!(effect(stop), Some(Effect::Stop), "{stop:#x}");
        }
    }

    #[test]
    fn what_moves_the_stack_pointer_is_decoded_as_the_assembler_encodes_it() {
        let add = |rd, rs, value| Some(Effect::Add { rd, rs, value });
        assert_eq!(effect(0xFD01_0113), add(2, 2, -48)); // addi sp, sp, -48
        assert_eq!(effect(0x7139), add(2, 2, -64)); // c.addi16sp sp, -64
        assert_eq!(effect(0x6121), add(2, 2, 64)); // c.addi16sp sp, 64
        assert_eq!(effect(0x7101), add(2, 2, -512)); // c.addi16sp sp, -512
        assert_eq!(effect(0x1FFC), add(15, 2, 1020)); // c.addi4spn a5, sp, 1020
        assert_eq!(effect(0x1141), add(2, 2, -16)); // c.addi sp, -16
        assert_eq!(effect(0x0800), add(8, 2, 16)); // c.addi4spn s0, sp, 16
        assert_eq!(effect(0x850A), add(10, 2, 0)); // c.mv a0, sp
        assert_eq!(effect(0x557D), add(10, 0, -1)); // c.li a0, -1

        // auipc sp, 0x10004
        assert_eq!(effect(0x1000_4117), Some(Effect::Set { rd: 2, value: AT + 0x1000_4000 }));
        assert_eq!(effect(0x6505), Some(Effect::Set { rd: 10, value: 0x1000 })); // c.lui a0, 1
        assert_eq!(effect(0x757D), Some(Effect::Set { rd: 10, value: 0xFFFF_F000 }));
        // c.lui a0, -1
    }

    #[test]
    fn registers_that_are_written_are_known() {
        let other = |rd| Some(Effect::Other { rd });
        assert_eq!(effect(0x0001_2083), other(1)); // lw ra, 0(sp)
        assert_eq!(effect(0x4082), other(1)); // c.lwsp ra, 0(sp)
        assert_eq!(effect(0x4108), other(10)); // c.lw a0, 0(a0)
        assert_eq!(effect(0x0011_2023), other(0)); // sw ra, 0(sp)
        assert_eq!(effect(0xC006), other(0)); // c.swsp ra, 0(sp)
        assert_eq!(effect(0x8D79), other(10)); // c.and a0, a4
        assert_eq!(effect(0x952E), other(10)); // c.add a0, a1
        assert_eq!(effect(0x3420_2373), other(6)); // csrr t1, mcause
        assert_eq!(effect(0x1050_0073), other(0)); // wfi
    }

    #[test]
    fn a_word_of_another_extension_is_not_known() {
        // amoadd.w a0, a1, (a2); fld fa0, 0(a0); c.fld fs0, 0(s0); c.jr zero
        for word in [0x00B6_252F, 0x0005_3507, 0x2000, 0x8002] {
            assert_eq!(decode(AT, word), None, "{word:#x}");
        }
    }
}
