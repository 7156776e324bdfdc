//! What programs consist of: operations of one or a few instructions.
//!
//! Every operation leaves a program that QEMU and the core must do alike, whatever stands around it: registers `sp`, `s0` and `s1` always
//! point to aligned words of the data; every program ends, because jumps backwards burn a fuse; MPIE is set between
//! operations, so that an interrupt leaves no trace; where a counter is read, the register gets another value at once.
//! Targets are named by a distance in operations, so that a list stays a program when operations are taken out of it.

use bench_core::asm::{self, csr, Code, Program, S0, S1, SP};
use bench_core::bench::Timing;

use crate::handler::{cell, VECTORS};
use crate::image::{DATA, MEMORY_BYTES};
use crate::rules::Answer;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Op {
    /// One instruction that needs nothing around it.
    Code(Code),
    /// Sleep. QEMU finds a `nop` here: it would never be woken.
    Wfi,
    /// A constant, in eight bytes.
    Li {
        rd: u32,
        value: u32,
    },
    /// `sp`, `s0` or `s1` to another word of the data.
    Pointer {
        reg: u32,
        word: u32,
    },
    /// A load or store through any register but `x0`.
    Access {
        store: bool,
        funct3: u32,
        reg: u32,
        base: u32,
        addr: u32,
        offset: i32,
    },
    /// The core traps; QEMU would do it, so it finds an illegal instruction and the answers to come are known here.
    Misaligned {
        store: bool,
        funct3: u32,
        reg: u32,
        base: u32,
        addr: u32,
    },
    MisalignedCompressed {
        store: bool,
        reg: u32,
        base: u32,
        addr: u32,
    },
    Branch {
        funct3: u32,
        rs1: u32,
        rs2: u32,
        skip: u32,
    },
    BranchCompressed {
        funct3: u32,
        rs1: u32,
        skip: u32,
    },
    Jump {
        rd: u32,
        skip: u32,
    },
    JumpCompressed {
        funct3: u32,
        skip: u32,
    },
    JumpRegister {
        rd: u32,
        base: u32,
        odd: bool,
        skip: u32,
    },
    /// `c.jr`, or `c.jalr`.
    JumpRegisterCompressed {
        link: bool,
        base: u32,
        skip: u32,
    },
    Back {
        form: Back,
        skip: u32,
    },
    ReturnFromTrap {
        skip: u32,
    },
    /// A call of something that cannot be fetched, in part or at all.
    CallFaulty {
        target: u32,
        base: u32,
        link: u32,
    },
    SetTrapVector {
        vectored: bool,
    },
    /// Accesses to CSRs that a trap overwrites, with interrupts off.
    Quiet {
        accesses: Vec<Code>,
    },
    /// Reads or writes a register whose value only the core knows.
    Counter {
        access: Code,
        rd: u32,
        then: u32,
    },
    /// `c.addi16sp` there and back.
    AdjustStack {
        sixteens: i32,
    },
    /// A new instruction over the one behind a `fence.i`.
    Patch {
        code: u32,
    },
}

/// How a jump backwards is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Back {
    Branch,
    Jump,
    JumpCompressed,
    JumpRegister,
}

/// A program and the conditions under which it runs.
#[derive(Clone, Debug)]
pub struct Case {
    pub ops: Vec<Op>,
    /// How often it runs from its first operation to its last.
    pub rounds: u32,
    pub timing: Timing,
    /// Of waits and interrupts.
    pub seed: u64,
}

/// Jumps backwards in one round.
const FUSE: i32 = 40;

/// What of a program is not simply its instructions.
#[derive(Default, Debug)]
pub struct Special {
    /// What QEMU finds instead.
    pub replaced: Vec<(u32, Code)>,
    /// How the core answers where QEMU cannot.
    pub answers: Vec<(u32, Answer)>,
}

/// The code of one program, where it begins, and where its conditions begin.
pub struct Placed {
    pub program: Program,
    pub special: Special,
    /// Instructions before this one set the program up, without waits.
    pub body: u32,
    /// From here on the program looks at what its stores left behind.
    pub end: u32,
}

impl Case {
    /// Lays the program out at an address. It falls through at its end.
    pub fn place(&self, at: u32) -> Placed {
        let mut p = Program::at(at);
        let mut special = Special::default();
        p.put(asm::addi(5, 0, self.rounds as i32)).put(asm::sw(5, cell::ROUNDS, 0));
        for register in 1..32u32 {
            p.li(register, register.wrapping_mul(0x0804_0201) ^ self.seed as u32);
        }
        p.li(SP, DATA + 0x40).li(S0, DATA + 0x60).li(S1, DATA + 0x80).put(asm::fence_i());
        let body = p.here();
        p.label("round").put(asm::addi(31, 0, FUSE)).put(asm::sw(31, cell::FUSE, 0));
        for (index, op) in self.ops.iter().enumerate() {
            p.label(format!("op {index}"));
            self.put(&mut p, &mut special, index, op);
        }
        p.label(format!("op {}", self.ops.len()));
        p.put(asm::lw(31, cell::ROUNDS, 0)).put(asm::addi(31, 31, -1)).put(asm::sw(31, cell::ROUNDS, 0));
        // A program may be longer than a branch reaches.
        p.to("done", |d| asm::bge(0, 31, d)).to("round", |d| asm::jal(0, d)).label("done");
        let end = p.here();
        p.li(S0, DATA);
        for word in 0..64 {
            p.put(asm::lw(10 + word as u32 % 4, 4 * word, S0));
        }
        Placed { program: p, special, body, end }
    }

    fn target(&self, index: usize, skip: u32) -> String {
        format!("op {}", (index + skip as usize).min(self.ops.len()))
    }

    fn put(&self, p: &mut Program, special: &mut Special, index: usize, op: &Op) {
        let target = |skip| self.target(index, skip);
        match *op {
            Op::Code(code) => {
                p.put(code);
            }
            Op::Wfi => {
                special.replaced.push((p.here(), asm::nop()));
                p.put(asm::wfi());
            }
            Op::Li { rd, value } => {
                p.li(rd, value);
            }
            Op::Pointer { reg, word } => {
                p.li(reg, DATA + 4 * word);
            }
            Op::Access { store, funct3, reg, base, addr, offset } => {
                let code =
                    if store { asm::store(funct3, reg, offset, base) } else { asm::load(funct3, reg, offset, base) };
                p.li(base, addr.wrapping_sub(offset as u32)).put(code);
            }
            Op::Misaligned { store, funct3, reg, base, addr } => {
                let code = if store { asm::store(funct3, reg, 0, base) } else { asm::load(funct3, reg, 0, base) };
                p.li(base, addr);
                special.misaligned(p.here(), store, addr, code);
                p.put(code);
            }
            Op::MisalignedCompressed { store, reg, base, addr } => {
                let code = if store { asm::c_sw(reg, 0, base) } else { asm::c_lw(reg, 0, base) };
                p.li(base, addr);
                special.misaligned(p.here(), store, addr, code);
                p.put(code);
            }
            Op::Branch { funct3, rs1, rs2, skip } => {
                p.to(target(skip), move |d| asm::branch(funct3, rs1, rs2, d));
            }
            Op::BranchCompressed { funct3, rs1, skip } => {
                p.to_compressed(target(skip), move |d| asm::c_branch(funct3, rs1, d));
            }
            Op::Jump { rd, skip } => {
                p.to(target(skip), move |d| asm::jal(rd, d));
            }
            Op::JumpCompressed { funct3, skip } => {
                p.to_compressed(target(skip), move |d| asm::c_jump(funct3, d));
            }
            Op::JumpRegister { rd, base, odd, skip } => {
                p.la(base, target(skip)).put(asm::jalr(rd, base, i32::from(odd)));
            }
            Op::JumpRegisterCompressed { link, base, skip } => {
                p.la(base, target(skip)).put(Code::Half(0x8002 | u16::from(link) << 12 | (base as u16) << 7));
            }
            Op::Back { form, skip } => {
                let target = format!("op {}", index.saturating_sub(skip as usize));
                let over = format!("over {index}");
                p.put(asm::lw(31, cell::FUSE, 0)).put(asm::addi(31, 31, -1)).put(asm::sw(31, cell::FUSE, 0));
                p.to(over.clone(), |d| asm::blt(31, 0, d));
                match form {
                    Back::Branch => p.to(target, |d| asm::bge(31, 0, d)),
                    Back::Jump => p.to(target, |d| asm::jal(1, d)),
                    Back::JumpCompressed => p.to_compressed(target, |d| asm::c_jump(5, d)),
                    Back::JumpRegister => p.la(31, target).put(asm::jalr(0, 31, 0)),
                };
                p.label(over);
            }
            Op::ReturnFromTrap { skip } => {
                // QEMU's MPP is the mode to return to, and not what it was before an earlier return.
                p.put(asm::csrrci(0, csr::MSTATUS, 8)).li(31, 3 << 11).put(asm::csrrs(0, csr::MSTATUS, 31));
                p.la(31, target(skip)).put(asm::csrw(csr::MEPC, 31)).put(asm::mret());
            }
            Op::CallFaulty { target, base, link } => {
                let behind = format!("behind {index}");
                p.la(31, behind.clone()).put(asm::sw(31, cell::RETURN, 0));
                p.li(base, target).put(asm::jalr(link, base, 0)).label(behind);
            }
            Op::SetTrapVector { vectored } => {
                p.li(31, VECTORS + u32::from(vectored)).put(asm::csrw(csr::MTVEC, 31));
            }
            Op::Quiet { ref accesses } => {
                p.put(asm::csrrci(0, csr::MSTATUS, 8)).put_all(accesses.iter().copied());
                p.put(asm::addi(31, 0, 0x88)).put(asm::csrrs(0, csr::MSTATUS, 31));
            }
            Op::Counter { access, rd, then } => {
                p.put(access).li(rd, then);
            }
            Op::AdjustStack { sixteens } => {
                p.put(c_addi16sp(16 * sixteens)).put(c_addi16sp(-16 * sixteens));
            }
            Op::Patch { code } => {
                let here = format!("patch {index}");
                p.la(31, here.clone()).li(30, code).put(asm::sh(30, 0, 31)).put(asm::srli(30, 30, 16));
                p.put(asm::sh(30, 2, 31)).put(asm::fence_i()).label(here).put(asm::nop());
            }
        }
    }
}

impl Special {
    /// QEMU finds something illegal with the same lowest byte, which is what the handler looks at.
    fn misaligned(&mut self, at: u32, store: bool, addr: u32, code: Code) {
        let instead = match code {
            // Loads and stores with funct3 7 are reserved; c.fld is of an extension that the core never has.
            Code::Word(bits) => Code::Word(bits & 0xFF | 7 << 12),
            Code::Half(bits) => Code::Half(bits & 0xFF | 1 << 13),
        };
        self.replaced.push((at, instead));
        self.answers.push((at, Answer { cause: if store { 6 } else { 4 }, value: addr }));
    }
}

fn c_addi16sp(imm: i32) -> Code {
    let i = imm as u32;
    let bits = (i >> 9 & 1) << 12 | (i >> 4 & 1) << 6 | (i >> 6 & 1) << 5 | (i >> 7 & 3) << 3 | (i >> 5 & 1) << 2;
    Code::Half((0x6101 | bits) as u16)
}

/// Addresses at which nothing answers.
pub const NOWHERE: [u32; 5] = [MEMORY_BYTES, MEMORY_BYTES + 0x1004, 0x8000_0000, 0xF000_0000, 0xFFFF_FFF0];
