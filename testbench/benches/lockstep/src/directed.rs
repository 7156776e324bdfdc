//! Programs listed by hand: every operation on every edge, every compressed encoding, every trap.

use bench_core::asm::{self, csr, Code, S0, SP};
use bench_core::bench::Timing;

use crate::bitmanip;
use crate::image::{DATA, EDGE};
use crate::isa::Isa;
use crate::op::{Back, Case, Op, NOWHERE};

const EDGES: [u32; 11] = [0, 1, 2, 31, 0x7F, 0x8000, 0x0000_FFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF];

/// All programs, each under quick and slow memory in turn.
pub fn cases(isa: &Isa) -> Vec<Case> {
    let mut lists = Vec::new();
    for a in EDGES {
        for b in EDGES {
            lists.push(between_registers(isa, a, b));
        }
        lists.push(with_immediates(isa, a));
    }
    lists.push(accesses());
    lists.extend(compressed());
    lists.push(traps(false));
    lists.push(traps(true));
    lists.push(jumps());
    // Both have interrupts, since only an interrupt ends `wfi`.
    let quick = Timing { irq_rises_percent: 1, irq_falls_percent: 50, halts_permille: 1, ..Timing::IDEAL };
    let slow = Timing { irq_rises_percent: 1, irq_falls_percent: 20, halts_permille: 1, ..Timing::SLOW };
    let case = |(index, ops): (usize, Vec<Op>)| Case {
        ops,
        rounds: 2,
        timing: if index % 2 == 0 { quick } else { slow },
        seed: index as u64,
    };
    lists.into_iter().enumerate().map(case).collect()
}

/// Every operation with two sources, and every branch. Each result is also used by the instruction
/// after the next.
fn between_registers(isa: &Isa, a: u32, b: u32) -> Vec<Op> {
    let mut ops = vec![Op::Li { rd: 10, value: a }, Op::Li { rd: 11, value: b }];
    let mut put = |funct7, funct3, index: u32| {
        ops.push(Op::Code(asm::op(funct7, funct3, 12 + index % 4, 10, 11)));
        // Uses the result of the previous instruction, by forwarding.
        ops.push(Op::Code(asm::xor(16, 16, 12 + index % 4)));
    };
    for funct3 in 0..8 {
        put(0, funct3, funct3);
        put(1, funct3, funct3 + 1);
    }
    put(0x20, 0, 2);
    put(0x20, 5, 3);
    if isa.bitmanip {
        for (index, (funct7, funct3)) in bitmanip::TWO_SOURCES.into_iter().enumerate() {
            put(funct7, funct3, index as u32);
        }
    }
    for funct3 in [0, 1, 4, 5, 6, 7] {
        ops.push(Op::Branch { funct3, rs1: 10, rs2: 11, skip: 2 });
        ops.push(Op::Code(asm::c_addi(17, 1)));
        ops.push(Op::Code(asm::addi(18, 18, 1)));
    }
    ops
}

fn with_immediates(isa: &Isa, a: u32) -> Vec<Op> {
    let mut ops = vec![Op::Li { rd: 10, value: a }];
    for imm in [0, 1, -1, 2047, -2048] {
        for funct3 in [0, 2, 3, 4, 6, 7] {
            ops.push(Op::Code(asm::op_imm(funct3, 11, 10, imm)));
        }
    }
    for shift in [0, 1, 7, 8, 15, 16, 31] {
        ops.extend([asm::slli, asm::srli, asm::srai].map(|form| Op::Code(form(12, 10, shift))));
        if isa.bitmanip {
            ops.extend(bitmanip::WITH_SHIFT.map(|which| Op::Code(bitmanip::with_shift(which, 13, 10, shift))));
        }
    }
    if isa.bitmanip {
        ops.extend(bitmanip::ONE_SOURCE.map(|which| Op::Code(bitmanip::one_source(which, 14, 10))));
        ops.push(Op::Code(bitmanip::zext_h(15, 10)));
    }
    ops
}

/// Every size at every byte. Each load is used at once, and each store is loaded at once.
fn accesses() -> Vec<Op> {
    let mut ops = vec![Op::Li { rd: 10, value: 0x8091_A2B3 }];
    for byte in 0..4 {
        for (store, loads) in [(0, vec![0, 4]), (1, vec![1, 5]), (2, vec![2])] {
            if byte % (1 << store) != 0 {
                continue;
            }
            for load in loads {
                ops.push(Op::Code(asm::store(store, 10, byte, S0)));
                ops.push(Op::Code(asm::load(load, 11, byte, S0)));
                ops.push(Op::Code(asm::add(12, 11, 11)));
                ops.push(Op::Code(asm::store(store, 12, byte, SP)));
                ops.push(Op::Code(asm::lw(10, 0, SP)));
                ops.push(Op::Code(asm::lw(11, 0, SP)));
                // The address comes out of a load.
                ops.push(Op::Code(asm::sub(13, 10, 11)));
                ops.push(Op::Code(asm::addi(10, 10, 0x55)));
            }
        }
    }
    ops
}

/// Every legal compressed encoding of arithmetic that leaves the pointers unchanged, in programs of
/// a few hundred operations.
fn compressed() -> Vec<Vec<Op>> {
    let keeps_pointers = |rd: u32| ![2, 8, 9].contains(&rd);
    let legal = |bits: &u32| {
        let (rd, rd_short, low, high) = (bits >> 7 & 31, 8 + (bits >> 7 & 7), bits >> 2 & 31, bits >> 12 & 1);
        match (bits & 3, bits >> 13) {
            (0, 0) => bits >> 5 & 0xFF != 0 && keeps_pointers(8 + (bits >> 2 & 7)),
            (1, 0 | 2) => keeps_pointers(rd),
            (1, 3) => keeps_pointers(rd) && (low != 0 || high != 0),
            (1, 4) => keeps_pointers(rd_short) && (high == 0 || bits >> 10 & 3 == 2),
            (2, 0) => keeps_pointers(rd) && high == 0,
            (2, 4) => keeps_pointers(rd) && rd != 0 && low != 0,
            _ => false,
        }
    };
    let all: Vec<Op> = (0..0x1_0000).filter(legal).map(|bits| Op::Code(Code::Half(bits as u16))).collect();
    all.chunks(400).map(<[Op]>::to_vec).collect()
}

fn traps(vectored: bool) -> Vec<Op> {
    let mut ops = vec![Op::SetTrapVector { vectored }];
    let codes =
        [asm::ecall(), asm::ebreak(), asm::c_ebreak(), Code::Half(0), Code::Word(u32::MAX), asm::csrr(10, 0xFFF)];
    for code in codes {
        // The trap comes after a slow instruction, and before an instruction that must not be
        // executed twice.
        ops.push(Op::Code(asm::div(10, 11, 12)));
        ops.push(Op::Code(code));
        ops.push(Op::Code(asm::addi(10, 10, 1)));
    }
    for store in [false, true] {
        for addr in NOWHERE {
            ops.push(Op::Access { store, funct3: 2, reg: 10, base: 11, addr, offset: 0 });
            ops.push(Op::Code(asm::addi(10, 10, 1)));
        }
        for (funct3, addr) in [(1, DATA + 1), (2, DATA + 1), (2, DATA + 2), (2, DATA + 3), (1, DATA + 3)] {
            ops.push(Op::Misaligned { store, funct3, reg: 10, base: 11, addr });
        }
        ops.push(Op::MisalignedCompressed { store, reg: 10, base: 11, addr: DATA + 2 });
    }
    for target in NOWHERE.into_iter().chain([EDGE]) {
        ops.push(Op::CallFaulty { target, base: 10, link: 1 });
    }
    ops.push(Op::Quiet { accesses: vec![asm::csrw(csr::MTVAL, 10), asm::csrr(11, csr::MTVAL)] });
    ops.push(Op::ReturnFromTrap { skip: 1 });
    ops.push(Op::Wfi);
    ops
}

fn jumps() -> Vec<Op> {
    let mut ops = Vec::new();
    for skip in 1..4 {
        for filler in [asm::c_addi(10, 1), asm::addi(10, 10, 1)] {
            let jumps = [
                Op::Jump { rd: 1, skip },
                Op::JumpCompressed { funct3: 1, skip },
                Op::JumpCompressed { funct3: 5, skip },
                Op::JumpRegister { rd: 5, base: 5, odd: true, skip },
                Op::JumpRegisterCompressed { link: true, base: 1, skip },
                Op::JumpRegisterCompressed { link: false, base: 6, skip },
                Op::BranchCompressed { funct3: 6, rs1: 10, skip },
                Op::BranchCompressed { funct3: 7, rs1: 10, skip },
            ];
            for jump in jumps {
                ops.push(jump);
                ops.extend([Op::Code(filler), Op::Code(asm::addi(11, 10, 2)), Op::Code(filler)]);
            }
        }
    }
    for form in [Back::Branch, Back::Jump, Back::JumpCompressed, Back::JumpRegister] {
        ops.push(Op::Back { form, skip: 2 });
    }
    ops
}
