//! The extensions of the core. The core is asked, so that programs grow with it.

use std::fmt;

use bench_core::asm::{self, csr, Program};
use bench_core::bench::{Bench, Timing};
use bench_core::memory::Memory;
use bench_core::models::BenchCore;

use crate::bitmanip;

/// RV32IMC with Zicsr and Zifencei, which every core has, and the extensions that the core reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Isa {
    /// The value of `misa`.
    pub misa: u32,
    /// The value of `mimpid`, the version of the core.
    pub mimpid: u32,
    /// Whether the core has Zba, Zbb and Zbs: letter B of `misa`.
    pub bitmanip: bool,
}

const BASE: u32 = 0x1000;

impl Isa {
    /// Runs a short program on the core that reads its identity, and tries an instruction of Zba.
    ///
    /// # Panics
    /// If the core retires no instruction, or if `misa` and an instruction of Zba disagree about
    /// letter B.
    /// the other way round.
    pub fn of_core() -> Result<Isa, verilated::Error> {
        let mut program = Program::at(BASE);
        program.put(asm::csrr(10, csr::MISA)).put(asm::csrr(11, csr::MIMPID));
        program.put(bitmanip::sh1add(12, 10, 11)).to("end", |d| asm::jal(0, d)).label("end");
        program.to("end", |d| asm::jal(0, d));
        let mut memory = Memory::new(0, 2 * BASE);
        memory.load(&program);
        let mut bench = Bench::<BenchCore>::new(memory, BASE, Timing::IDEAL, 1)?;
        let mut retired = Vec::new();
        for _ in 0..200 {
            retired.extend(bench.clock()?.rvfi);
            if let [misa, mimpid, sh1add, ..] = retired[..] {
                let bitmanip = misa.rd.1 >> 1 & 1 == 1;
                assert_eq!(bitmanip, !sh1add.trap, "letter B of misa, and whether sh1add is done");
                return Ok(Isa { misa: misa.rd.1, mimpid: mimpid.rd.1, bitmanip });
            }
        }
        panic!("the core retires nothing: it cannot be asked for its instruction set");
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "rv32imc_zicsr_zifencei{}", if self.bitmanip { "_zba_zbb_zbs" } else { "" })
    }
}
