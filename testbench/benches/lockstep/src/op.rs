//! The operations of programs. An operation is one or a few instructions.
//!
//! QEMU and the core must execute a program alike, with any operations in any order. So the
//! following holds between operations. Registers `sp`, `s0` and `s1` point to aligned words of the
//! data. Every program ends, because the number of jumps backwards is limited. MPIE is set, so that
//! an interrupt changes no state. After a counter is read, the register gets another value at once.
//! Targets are named by a distance in operations, so a list is still a program when operations are
//! taken out of it.

use bench_core::asm::{self, csr, Code, Program, S0, S1, SP};
use bench_core::bench::Timing;

use crate::handler::{cell, VECTORS};
use crate::image::{DATA, MEMORY_BYTES};
use crate::rules::Answer;

/// One operation. A `skip` is the distance of a target in operations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Op {
    /// One instruction that needs no others around it.
    Code(Code),
    /// `wfi`. QEMU finds a `nop` in its place, since no interrupt would wake QEMU.
    Wfi,
    /// Loads a constant, in eight bytes.
    Li {
        /// The register that is written.
        rd: u32,
        /// The constant.
        value: u32,
    },
    /// Points `sp`, `s0` or `s1` to another word of the data.
    Pointer {
        /// The register.
        reg: u32,
        /// The number of the word.
        word: u32,
    },
    /// A load or store through any register but `x0`.
    Access {
        /// Whether it is a store.
        store: bool,
        /// The size and the extension, as `funct3` of the encoding.
        funct3: u32,
        /// The register that is loaded or stored.
        reg: u32,
        /// The register of the address.
        base: u32,
        /// The address.
        addr: u32,
        /// The offset in the instruction, in bytes.
        offset: i32,
    },
    /// A load or store at an address that is not aligned. The core traps; QEMU would execute the
    /// access. So QEMU finds an illegal instruction, and the CSRs that the core must show are
    /// noted.
    Misaligned {
        /// Whether it is a store.
        store: bool,
        /// The size and the extension, as `funct3` of the encoding.
        funct3: u32,
        /// The register that is loaded or stored.
        reg: u32,
        /// The register of the address.
        base: u32,
        /// The address.
        addr: u32,
    },
    /// The same with `c.lw` or `c.sw`.
    MisalignedCompressed {
        /// Whether it is a store.
        store: bool,
        /// The register that is loaded or stored.
        reg: u32,
        /// The register of the address.
        base: u32,
        /// The address.
        addr: u32,
    },
    /// A conditional branch forwards.
    Branch {
        /// The condition, as `funct3` of the encoding.
        funct3: u32,
        /// The first register that is compared.
        rs1: u32,
        /// The second register that is compared.
        rs2: u32,
        /// The distance of the target in operations.
        skip: u32,
    },
    /// A conditional branch forwards, of two bytes.
    BranchCompressed {
        /// The condition, as `funct3` of the encoding.
        funct3: u32,
        /// The register that is compared with zero.
        rs1: u32,
        /// The distance of the target in operations.
        skip: u32,
    },
    /// `jal` forwards.
    Jump {
        /// The register of the return address.
        rd: u32,
        /// The distance of the target in operations.
        skip: u32,
    },
    /// `c.jal` or `c.j` forwards.
    JumpCompressed {
        /// The instruction, as `funct3` of the encoding.
        funct3: u32,
        /// The distance of the target in operations.
        skip: u32,
    },
    /// `jalr` forwards.
    JumpRegister {
        /// The register of the return address.
        rd: u32,
        /// The register of the target.
        base: u32,
        /// Whether bit 0 of the address is set, which `jalr` clears.
        odd: bool,
        /// The distance of the target in operations.
        skip: u32,
    },
    /// `c.jr` or `c.jalr` forwards.
    JumpRegisterCompressed {
        /// Whether the return address is kept: `c.jalr`.
        link: bool,
        /// The register of the target.
        base: u32,
        /// The distance of the target in operations.
        skip: u32,
    },
    /// A jump backwards, while the limit of the round permits it.
    Back {
        /// The instruction of the jump.
        form: Back,
        /// The distance of the target in operations, backwards.
        skip: u32,
    },
    /// `mret` to a later operation.
    ReturnFromTrap {
        /// The distance of the target in operations.
        skip: u32,
    },
    /// Calls an instruction that cannot be fetched, in its second half or as a whole.
    CallFaulty {
        /// The address of the instruction.
        target: u32,
        /// The register of the address.
        base: u32,
        /// The register of the return address.
        link: u32,
    },
    /// Sets the mode of `mtvec`.
    SetTrapVector {
        /// Whether the mode is vectored.
        vectored: bool,
    },
    /// Accesses to CSRs that a trap overwrites, with interrupts off.
    Quiet {
        /// The instructions.
        accesses: Vec<Code>,
    },
    /// Accesses a CSR whose value only the core knows.
    Counter {
        /// The access.
        access: Code,
        /// The register that the access writes.
        rd: u32,
        /// The value that the register gets afterwards.
        then: u32,
    },
    /// Moves `sp` by `c.addi16sp`, and moves it back.
    AdjustStack {
        /// The distance, in units of 16 bytes.
        sixteens: i32,
    },
    /// Writes a new instruction over a `nop`, and executes it after a `fence.i`.
    Patch {
        /// The encoding of the new instruction.
        code: u32,
    },
}

/// The instruction of a jump backwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Back {
    /// A branch.
    Branch,
    /// `jal`.
    Jump,
    /// `c.j`.
    JumpCompressed,
    /// `jalr`.
    JumpRegister,
}

/// A program and the conditions under which it runs.
#[derive(Clone, Debug)]
pub struct Case {
    /// The operations.
    pub ops: Vec<Op>,
    /// The number of times that the program runs from its first operation to its last.
    pub rounds: u32,
    /// The timing of memory, interrupts and halts.
    pub timing: Timing,
    /// The seed of waits and interrupts.
    pub seed: u64,
}

/// The most jumps backwards in one round.
const FUSE: i32 = 40;

/// The parts of a program for which QEMU and the core differ.
#[derive(Default, Debug)]
pub struct Special {
    /// The encodings that QEMU finds in place of the core's, by address.
    pub replaced: Vec<(u32, Code)>,
    /// The traps that the core must take where QEMU cannot, by address.
    pub answers: Vec<(u32, Answer)>,
}

/// The code of one program.
pub struct Placed {
    /// The instructions at their addresses.
    pub program: Program,
    /// The places at which QEMU and the core differ.
    pub special: Special,
    /// The address of the body. The instructions before it set the program up, without waits.
    pub body: u32,
    /// The address of the end, where the program loads the words that its stores have written.
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
                // `MPP` of QEMU must be the mode to return to, and not the value after an earlier
                // return.
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
    /// QEMU finds an illegal encoding with the same lowest byte, since the handler looks at that
    /// byte.
    fn misaligned(&mut self, at: u32, store: bool, addr: u32, code: Code) {
        let instead = match code {
            // Loads and stores with `funct3` 7 are reserved. `c.fld` belongs to an extension that
            // the core never has.
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

/// Addresses without memory.
pub const NOWHERE: [u32; 5] = [MEMORY_BYTES, MEMORY_BYTES + 0x1004, 0x8000_0000, 0xF000_0000, 0xFFFF_FFF0];
