//! Drives the model clock by clock, with memory behind the ports of both cores and behind the
//! system bus, and with the debug module's registers (DMI).

use bench_core::asm::Program;
use bench_core::memory::{BusError, Memory};
use bench_core::models::{judged, Rvfi};
use nic_layout::registers::Offset;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use verilated::{Context, Model as _};

use crate::debugger::{Debugger, Dmi};
use crate::models::BenchDebug;

/// The number of harts, one in each core.
pub const HARTS: usize = 2;

/// The offset of the debug module's registers in the register page.
const DMI_BASE: u32 = 0xE00;

/// How quickly memory answers, and how often interrupts come: chances in each clock, in percent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timing {
    /// The chance that a request is granted.
    pub gnt: u32,
    /// The chance that a granted access is answered.
    pub rvalid: u32,
    /// The chance that an interrupt line rises.
    pub irq_rises: u32,
    /// The chance that an interrupt line falls.
    pub irq_falls: u32,
}

impl Timing {
    /// Ideal memory: it grants at once and answers in the next clock. There are no interrupts.
    pub const IDEAL: Timing = Timing { gnt: 100, rvalid: 100, irq_rises: 0, irq_falls: 0 };
    /// Slow memory: grants and answers come after random waits. There are no interrupts.
    pub const SLOW: Timing = Timing { gnt: 60, rvalid: 40, irq_rises: 0, irq_falls: 0 };
}

/// A retired instruction, and the conditions outside the core.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retired {
    /// The instruction.
    pub rvfi: Rvfi,
    /// The number of clocks outside debug mode before the clock in which it executed.
    pub clock: u64,
    /// `mip.MEIP` when it executed.
    pub mip: bool,
}

#[derive(Default)]
struct Hart {
    insn_answer: Option<Result<u32, BusError>>,
    data_answer: Option<Result<u32, BusError>>,
    /// The number of clocks outside debug mode before this one, and before the last one.
    clocks: [u64; 2],
    /// The level of `irq_i` in the last clocks, the newest in bit 0.
    irq_history: u8,
    retired: Vec<Retired>,
}

/// The debug module, two cores, and the memory that they share.
pub struct Bench {
    /// The model.
    pub model: BenchDebug,
    /// The memory.
    pub memory: Memory,
    /// The timing of memory and interrupts.
    pub timing: Timing,
    /// The levels of the interrupt lines that a test drives. Random interrupts are added to them.
    pub irq: [bool; HARTS],
    /// Whether each core is out of reset.
    pub run: [bool; HARTS],
    harts: [Hart; HARTS],
    bus_answer: Option<Result<u32, BusError>>,
    rng: ChaCha8Rng,
    clock: u64,
}

fn get_bit(pins: u8, hart: usize) -> bool {
    pins >> hart & 1 == 1
}

fn get_word(pins: u64, hart: usize) -> u32 {
    (pins >> (32 * hart)) as u32
}

/// One level for each hart, as the bits of a pin.
fn bits(levels: [bool; HARTS]) -> u8 {
    u8::from(levels[0]) | u8::from(levels[1]) << 1
}

fn words(values: [u32; HARTS]) -> u64 {
    u64::from(values[0]) | u64::from(values[1]) << 32
}

impl Bench {
    /// A bench after reset; the cores stay in reset. Each core boots at its own address. The seed
    /// decides all that is random.
    pub fn new(memory: Memory, boot_addr: [u32; HARTS], timing: Timing, seed: u64) -> Result<Bench, verilated::Error> {
        let model = BenchDebug::new(judged(Context::new().randomized(seed as u32)))?;
        let mut bench = Bench {
            model,
            memory,
            timing,
            irq: [false; HARTS],
            run: [false; HARTS],
            harts: Default::default(),
            bus_answer: None,
            rng: ChaCha8Rng::seed_from_u64(seed),
            clock: 0,
        };
        bench.model.boot_addr_i.set(words(boot_addr));
        bench.model.dmi_sel_i.set(0);
        bench.model.rst_ni.set(0);
        bench.clocks(2)?;
        // Random contents may have caused fetches and requests.
        bench.harts = Default::default();
        bench.bus_answer = None;
        bench.model.rst_ni.set(1);
        bench.clocks(1)?;
        Ok(bench)
    }

    fn chance(&mut self, percent: u32) -> bool {
        match percent {
            0 => false,
            100.. => true,
            _ => self.rng.next_u32() % 100 < percent,
        }
    }

    /// A number below `limit`, from the seed of the bench.
    pub fn random(&mut self, limit: u32) -> u32 {
        self.rng.next_u32() % limit
    }

    /// Advances by a number of clocks. An error of the model.
    pub fn clocks(&mut self, count: u32) -> Result<(), verilated::Error> {
        (0..count).try_for_each(|_| self.clock())
    }

    /// Advances by one clock. An error of the model, for example a failed assertion.
    pub fn clock(&mut self) -> Result<(), verilated::Error> {
        let timing = self.timing;
        let mut insn = [None; HARTS];
        let mut data = [None; HARTS];
        let mut irq = self.irq;
        let (mut insn_gnt, mut data_gnt) = ([false; HARTS], [false; HARTS]);
        for h in 0..HARTS {
            if self.chance(timing.rvalid) {
                insn[h] = self.harts[h].insn_answer.take();
            }
            if self.chance(timing.rvalid) {
                data[h] = self.harts[h].data_answer.take();
            }
            let was_random = self.harts[h].irq_history & 1 == 1 && !self.irq[h];
            irq[h] |= if was_random { !self.chance(timing.irq_falls) } else { self.chance(timing.irq_rises) };
            insn_gnt[h] = self.chance(timing.gnt);
            data_gnt[h] = self.chance(timing.gnt);
        }
        let bus = if self.chance(timing.rvalid) { self.bus_answer.take() } else { None };
        let bus_gnt = self.chance(timing.gnt);

        let rdata = |answer: Option<Result<u32, BusError>>| answer.map_or(0xBAD0_BAD0, |a| a.unwrap_or(0xDEAD_DEAD));
        let m = &self.model;
        m.run_i.set(bits(self.run));
        m.irq_i.set(bits(irq));
        m.instr_gnt_i.set(bits(insn_gnt));
        m.instr_rvalid_i.set(bits(insn.map(|a| a.is_some())));
        m.instr_rdata_i.set(words(insn.map(rdata)));
        m.instr_err_i.set(bits(insn.map(|a| a == Some(Err(BusError)))));
        m.data_gnt_i.set(bits(data_gnt));
        m.data_rvalid_i.set(bits(data.map(|a| a.is_some())));
        m.data_rdata_i.set(words(data.map(rdata)));
        m.data_err_i.set(bits(data.map(|a| a == Some(Err(BusError)))));
        m.bus_gnt_i.set_bool(bus_gnt);
        m.bus_rvalid_i.set_bool(bus.is_some());
        m.bus_rdata_i.set(rdata(bus));
        m.bus_err_i.set_bool(bus == Some(Err(BusError)));
        self.model.eval()?;

        for h in 0..HARTS {
            self.serve(h, insn_gnt[h], data_gnt[h]);
            self.retire(h, irq[h]);
        }
        if self.model.bus_req_o.is_high() && bus_gnt {
            let at = self.model.bus_word_o.get() << 2;
            let (be, wdata) = (self.model.bus_be_o.get(), self.model.bus_wdata_o.get());
            self.bus_answer = Some(match self.model.bus_we_o.is_high() {
                true => self.memory.write(at, be, wdata).map(|()| 0),
                false => self.memory.read(at),
            });
        }
        self.clock += 1;
        self.model.tick(self.clock * 10_000, 1)
    }

    /// Performs the accesses of a hart that were granted.
    fn serve(&mut self, h: usize, insn_gnt: bool, data_gnt: bool) {
        let m = &self.model;
        let hart = &mut self.harts[h];
        if !self.run[h] {
            (hart.insn_answer, hart.data_answer) = (None, None);
        }
        if get_bit(m.instr_req_o.get(), h) && insn_gnt {
            hart.insn_answer = Some(self.memory.read(get_word(m.instr_addr_o.get(), h)));
        }
        if get_bit(m.data_req_o.get(), h) && data_gnt {
            let (at, wdata) = (get_word(m.data_addr_o.get(), h), get_word(m.data_wdata_o.get(), h));
            let be = m.data_be_o.get() >> (4 * h) & 0xF;
            hart.data_answer = Some(match get_bit(m.data_we_o.get(), h) {
                true => self.memory.write(at, be, wdata).map(|()| 0),
                false => self.memory.read(at),
            });
        }
    }

    /// Records the instruction that a hart reports on RVFI.
    fn retire(&mut self, h: usize, irq: bool) {
        let m = &self.model;
        let hart = &mut self.harts[h];
        hart.irq_history = hart.irq_history << 1 | u8::from(irq);
        if get_bit(m.rvfi_valid_o.get(), h) {
            let nibble = |pins: u8| pins >> (4 * h) & 0xF;
            let masks = [m.rvfi_mem_rmask_o.get(), m.rvfi_mem_wmask_o.get()].map(nibble);
            let if_any = |mask: u8, pins: u64| if mask == 0 { 0 } else { get_word(pins, h) };
            hart.retired.push(Retired {
                clock: hart.clocks[1],
                mip: hart.irq_history >> 2 & 1 == 1,
                rvfi: Rvfi {
                    insn: get_word(m.rvfi_insn_o.get(), h),
                    trap: get_bit(m.rvfi_trap_o.get(), h),
                    intr: get_bit(m.rvfi_intr_o.get(), h),
                    rd: ((m.rvfi_rd_addr_o.get() >> (5 * h) & 0x1F) as u8, get_word(m.rvfi_rd_wdata_o.get(), h)),
                    pc: get_word(m.rvfi_pc_rdata_o.get(), h),
                    next_pc: get_word(m.rvfi_pc_wdata_o.get(), h),
                    mem_addr: if_any(masks[0] | masks[1], m.rvfi_mem_addr_o.get()),
                    mem_rmask: masks[0],
                    mem_wmask: masks[1],
                    mem_rdata: if_any(masks[0], m.rvfi_mem_rdata_o.get()),
                    mem_wdata: if_any(masks[1], m.rvfi_mem_wdata_o.get()),
                    ..Rvfi::default()
                },
            });
        }
        hart.clocks[1] = hart.clocks[0];
        if !self.run[h] {
            hart.clocks = [0; 2];
        } else if !get_bit(m.debug_mode_o.get(), h) {
            hart.clocks[0] += 1;
        }
    }

    /// The instructions that a hart has retired so far.
    pub fn retired(&self, hart: usize) -> &[Retired] {
        &self.harts[hart].retired
    }

    /// Whether a hart is in debug mode.
    pub fn in_debug_mode(&self, hart: usize) -> bool {
        get_bit(self.model.debug_mode_o.get(), hart)
    }

    /// Whether a hart sleeps.
    pub fn asleep(&self, hart: usize) -> bool {
        get_bit(self.model.sleep_o.get(), hart)
    }
}

impl Dmi for Bench {
    type Error = verilated::Error;

    fn read(&mut self, at: Offset) -> Result<u32, verilated::Error> {
        self.model.dmi_sel_i.set(1);
        self.model.dmi_we_i.set(0);
        self.model.dmi_addr_i.set(((at.0 - DMI_BASE) / 4) as u8);
        self.clock()?;
        self.model.dmi_sel_i.set(0);
        let data = self.model.dmi_rdata_o.get();
        self.clock()?;
        assert_eq!(self.model.dmi_rdata_o.get(), 0, "data stand for one clock");
        Ok(data)
    }

    fn write(&mut self, at: Offset, value: u32) -> Result<(), verilated::Error> {
        self.model.dmi_sel_i.set(1);
        self.model.dmi_we_i.set(1);
        self.model.dmi_addr_i.set(((at.0 - DMI_BASE) / 4) as u8);
        self.model.dmi_wdata_i.set(value);
        self.clock()?;
        self.model.dmi_sel_i.set(0);
        Ok(())
    }
}

/// The address of the programs of the tests.
pub const BASE: u32 = 0x1000_0000;

/// Hart 0 runs the program at [`BASE`], hart 1 stays in reset. Returns a debugger that has selected
/// hart 0.
pub fn debugged(memory: Memory, timing: Timing, seed: u64) -> Debugger<Bench> {
    let bench = Bench::new(memory, [BASE; HARTS], timing, seed).expect("the model starts");
    let mut debugger = Debugger::new(bench).expect("the debug module answers");
    debugger.dmi.run[0] = true;
    debugger
}

/// The same, with one program in a memory of 4 KB.
pub fn debugged_program(program: &Program, timing: Timing) -> Debugger<Bench> {
    let mut memory = Memory::new(BASE, 0x1000);
    memory.load(program);
    debugged(memory, timing, 1)
}

/// The same, halted before the first instruction.
pub fn halted_program(program: &Program, timing: Timing) -> Debugger<Bench> {
    let mut debugger = debugged_program(program, timing);
    debugger.halt().expect("the debug module answers");
    assert_eq!(debugger.pc().expect("the debug module answers"), BASE);
    debugger
}
