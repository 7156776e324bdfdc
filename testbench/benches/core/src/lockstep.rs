//! Runs the core and the reference side by side and compares every retired instruction.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::path::Path;

use verilated::Model as _;

use crate::bench::{Bench, Granted, Timing};
use crate::insn::{Alu, Insn};
use crate::memory::Memory;
use crate::models::{time_at, BenchCore, Rvfi};
use crate::reference::{cause, Moment, Reference};

/// The clocks without a retired instruction after which the core counts as stuck: many more than
/// any chain of wait states takes.
const PATIENCE_CLOCKS: u64 = 2000;

/// The clocks after which a run ends if the core sleeps and nothing can wake it.
const SLEEP_CLOCKS: u64 = 50;

/// The number of last instructions that the report of a mismatch lists.
const SHOWN: usize = 12;

/// The reason why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The core and the reference differ.
    #[error("clock {clock}: {what}\n{listing}")]
    Mismatch {
        /// The clock of the difference.
        clock: u64,
        /// The difference.
        what: String,
        /// The last instructions before it, one in each line.
        listing: String,
    },
    /// An error of the model, for example a failed assertion.
    #[error(transparent)]
    Model(#[from] verilated::Error),
}

/// The reason why a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// A jump to itself retired.
    Parked,
    /// The budget of instructions is used up.
    Budget,
    /// The core sleeps, and nothing can wake it.
    Asleep,
}

/// A retired instruction and the clock of its retirement.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The clock; 0 is the first after reset.
    pub clock: u64,
    /// The instruction.
    pub rvfi: Rvfi,
}

/// A core and the reference, which execute the same program.
pub struct Lockstep {
    /// The core and its memory.
    pub bench: Bench<BenchCore>,
    /// The reference and its memory.
    pub reference: Reference,
    /// The values of the registers, by the writes that RVFI reports.
    pub x: [u32; 32],
    /// Those that were written, a bit for each: others have any value.
    known: u32,
    /// The words on the trace port: the clock and the value of each.
    pub traces: Vec<(u64, u32)>,
    /// All retired instructions, if [`keep_steps`](Lockstep::keep_steps) is set.
    pub steps: Vec<Step>,
    /// Whether retired instructions are kept in `steps`.
    pub keep_steps: bool,
    /// The number of retired instructions.
    pub retired: u64,
    /// The number of interrupts that were taken.
    pub interrupts: u64,
    /// The number of exceptions.
    pub exceptions: u64,
    /// The number of events that `nic.dispatch` served.
    pub dispatches: u64,
    /// The number of the next clock; clock 0 is the first after reset.
    pub clock: u64,
    /// `irq_i` in the last 64 clocks, the newest in bit 0.
    irq_history: u64,
    sleep_history: u64,
    /// The event on the pins in the previous clock.
    event: Option<u8>,
    fenced: bool,
    irq_since_retirement: bool,
    last_retirement: u64,
    pending: VecDeque<Granted>,
    log: VecDeque<String>,
}

impl Lockstep {
    /// Builds a model and a reference with the same memory. The core boots at `boot_addr`; the seed
    /// decides all that is random. An error of the model.
    pub fn new(memory: Memory, boot_addr: u32, timing: Timing, seed: u64) -> Result<Lockstep, Failure> {
        let model = crate::models::CoreModel::build(verilated::Context::new().randomized(seed as u32))?;
        Lockstep::with_model(model, memory, boot_addr, timing, seed)
    }

    /// As [`Lockstep::new`], with a model that was used before.
    pub fn with_model(
        model: BenchCore,
        memory: Memory,
        boot_addr: u32,
        timing: Timing,
        seed: u64,
    ) -> Result<Lockstep, Failure> {
        let reference = Reference::new(boot_addr, Bench::<BenchCore>::HART_ID, memory.clone());
        Ok(Lockstep {
            bench: Bench::with_model(model, memory, boot_addr, timing, seed)?,
            reference,
            x: [0; 32],
            known: 1,
            traces: Vec::new(),
            steps: Vec::new(),
            keep_steps: false,
            retired: 0,
            interrupts: 0,
            exceptions: 0,
            dispatches: 0,
            clock: 0,
            irq_history: 0,
            sleep_history: 0,
            event: None,
            fenced: false,
            irq_since_retirement: false,
            last_retirement: 0,
            pending: VecDeque::new(),
            log: VecDeque::new(),
        })
    }

    /// The model, for another run.
    pub fn into_model(self) -> BenchCore {
        self.bench.model
    }

    /// Writes waves to a file from now on.
    pub fn waves(&mut self, path: &Path) -> Result<(), Failure> {
        Ok(self.bench.model.open_fst(path, 0)?)
    }

    /// Runs until a jump to itself, for at most `budget` instructions. Returns the reason of the
    /// end, or the first difference.
    pub fn run(&mut self, budget: u64) -> Result<End, Failure> {
        let limit = self.retired + budget;
        while self.retired < limit {
            if let Some(end) = self.step_clock()? {
                return Ok(end);
            }
        }
        Ok(End::Budget)
    }

    /// Advances by one clock, and compares what the core did with the reference.
    pub fn step_clock(&mut self) -> Result<Option<End>, Failure> {
        let timing = self.bench.timing;
        let clock = self.bench.clock()?;
        // Bit 2 of the histories is the value two clocks ago, which the CSRs saw in the previous
        // clock.
        self.irq_history = self.irq_history << 1 | u64::from(clock.irq);
        self.sleep_history = self.sleep_history << 1 | u64::from(clock.outputs.sleep);
        self.irq_since_retirement |= self.irq_history >> 2 & 1 == 1;
        self.pending.extend(clock.granted);

        let mut end = None;
        match clock.rvfi {
            Some(rvfi) => {
                self.compare(&rvfi, clock.outputs.trace)?;
                if rvfi.next_pc == rvfi.pc && !rvfi.trap {
                    end = Some(End::Parked);
                }
            }
            None => {
                if let Some(value) = clock.outputs.trace {
                    return Err(self.mismatch(format!("trace {value:#x} without an instruction")));
                }
                if self.fenced {
                    return Err(self.mismatch("fence_i_o without an instruction".into()));
                }
                let quiet = self.clock - self.last_retirement;
                if clock.outputs.sleep {
                    let in_dispatch = matches!(self.reference.next_insn(), Insn::Dispatch { .. });
                    let ends_by_irq =
                        if in_dispatch { self.reference.interrupts_enabled() } else { self.reference.can_wake() };
                    // While a trigger is armed, an instruction that waits can be affected in every
                    // third clock only.
                    let late = if in_dispatch { 0b111 } else { 0b1 };
                    if ends_by_irq && self.sleep_history >> 1 & self.irq_history >> 2 & late == late {
                        return Err(self.mismatch("sleeps through an interrupt".into()));
                    }
                    let irq_comes = timing.irq_rises_percent != 0 || self.bench.irq;
                    let event_comes = timing.event_rises_percent != 0 || self.bench.event.is_some();
                    let hopeless = !(ends_by_irq && irq_comes || in_dispatch && event_comes);
                    if hopeless && quiet > SLEEP_CLOCKS {
                        end = Some(End::Asleep);
                    }
                } else if quiet > PATIENCE_CLOCKS {
                    return Err(self.mismatch(format!("nothing retired for {quiet} clocks")));
                }
            }
        }
        self.event = clock.event;
        self.fenced = clock.outputs.fence_i;
        self.clock += 1;
        Ok(end)
    }

    fn compare(&mut self, rvfi: &Rvfi, trace: Option<u32>) -> Result<(), Failure> {
        let insn = if rvfi.insn == 0 && rvfi.trap { Insn::Illegal } else { Insn::decode(rvfi.insn) };
        self.remember(rvfi, insn);
        let irq_seen = self.irq_history >> 2 & 1 == 1;

        if rvfi.intr {
            if !self.reference.interrupts_enabled() {
                return Err(self.mismatch("interrupt taken though disabled".into()));
            }
            if !self.irq_since_retirement {
                return Err(self.mismatch("interrupt taken though irq_i was low".into()));
            }
        } else if self.reference.interrupts_enabled() && irq_seen && starts_in_its_last_clock(insn) {
            return Err(self.mismatch("started though an interrupt was pending and enabled".into()));
        }

        let mip = self.irq_history >> 3 & 1 == 1;
        let moment = Moment {
            interrupted: rvfi.intr,
            mip,
            clock: self.clock.saturating_sub(1),
            time: time_at(self.clock.saturating_sub(2)),
            event: self.event,
            seen: rvfi.rd.1,
        };
        if matches!(insn, Insn::Dispatch { .. }) && !rvfi.trap && self.event.is_none() {
            return Err(self.mismatch("dispatched without an event".into()));
        }
        let expected = self.reference.step(moment);
        let access_faulted =
            expected.trapped && matches!(self.reference.mcause(), cause::LOAD_FAULT | cause::STORE_FAULT);

        let mut differences = String::new();
        let mut check = |name: &str, core: u64, reference: u64| {
            if core != reference {
                write!(differences, "{name}: core {core:#x}, reference {reference:#x}; ").expect("writes to a string");
            }
        };
        check("order", rvfi.order, self.retired);
        check("pc", rvfi.pc.into(), expected.pc.into());
        check("insn", rvfi.insn.into(), expected.bits.into());
        check("next pc", rvfi.next_pc.into(), expected.next_pc.into());
        check("trap", rvfi.trap.into(), expected.trapped.into());
        check("rd", rvfi.rd.0.into(), expected.rd.into());
        check("rd value", rvfi.rd.1.into(), expected.rd_value.into());
        // An instruction that traps may report a source or none, and never a stale one.
        let source = |(register, value): (u8, u32), of_reference: u32| match expected.trapped {
            true if self.known & 1 << register == 0 => value,
            true => self.x[usize::from(register)],
            false => of_reference,
        };
        check("rs1 value", rvfi.rs1.1.into(), source(rvfi.rs1, expected.rs1_value).into());
        check("rs2 value", rvfi.rs2.1.into(), source(rvfi.rs2, expected.rs2_value).into());
        check("read mask", rvfi.mem_rmask.into(), expected.access.read_mask.into());
        check("write mask", rvfi.mem_wmask.into(), expected.access.write_mask.into());
        if rvfi.mem_rmask | rvfi.mem_wmask != 0 {
            let data = if rvfi.mem_wmask != 0 { rvfi.mem_wdata & bytes(rvfi.mem_wmask) } else { rvfi.mem_rdata };
            check("memory address", rvfi.mem_addr.into(), expected.access.addr.into());
            check("memory data", data.into(), expected.access.data.into());
        }
        check(
            "trace",
            trace.map_or(0, |value| 1 << 32 | u64::from(value)),
            expected.trace.map_or(0, |value| 1 << 32 | u64::from(value)),
        );

        let fences = !expected.trapped && Insn::decode(expected.bits) == Insn::FenceI;
        check("fence_i_o in the clock before", self.fenced.into(), fences.into());

        // The accesses to memory that RVFI reports must be those of the bus.
        if expected.access.read_mask | expected.access.write_mask != 0 || access_faulted {
            match self.pending.pop_front() {
                None => check("accesses on the bus", 0, 1),
                Some(bus) => {
                    check("we on the bus", bus.we.into(), matches!(insn, Insn::Store { .. }).into());
                    if !access_faulted {
                        check("address on the bus", bus.addr.into(), expected.access.addr.into());
                        let mask = expected.access.read_mask | expected.access.write_mask;
                        check("byte enables on the bus", bus.be.into(), mask.into());
                    }
                    if bus.we && !access_faulted {
                        check("data on the bus", (bus.wdata & bytes(bus.be)).into(), expected.access.data.into());
                    }
                }
            }
        }
        check("accesses ahead of their instruction, above one", (self.pending.len() > 1).into(), 0);
        if !differences.is_empty() {
            return Err(self.mismatch(differences));
        }

        self.x[usize::from(rvfi.rd.0)] = rvfi.rd.1;
        self.known |= 1 << rvfi.rd.0;
        self.traces.extend(trace.map(|value| (self.clock, value)));
        if self.keep_steps {
            self.steps.push(Step { clock: self.clock, rvfi: *rvfi });
        }
        self.retired += 1;
        self.interrupts += u64::from(rvfi.intr);
        self.exceptions += u64::from(rvfi.trap);
        self.dispatches += u64::from(matches!(insn, Insn::Dispatch { .. }) && !rvfi.trap);
        self.last_retirement = self.clock;
        self.irq_since_retirement = self.irq_history >> 1 & 1 == 1;
        Ok(())
    }

    fn remember(&mut self, rvfi: &Rvfi, insn: Insn) {
        let mut line = format!("{:7} {:08x}: {:08x} {insn}", self.clock, rvfi.pc, rvfi.insn);
        if rvfi.rd.0 != 0 {
            write!(line, "  -> x{} = {:#x}", rvfi.rd.0, rvfi.rd.1).expect("writes to a string");
        }
        if rvfi.trap {
            write!(line, "  trap to {:#x}", rvfi.next_pc).expect("writes to a string");
        }
        if rvfi.intr {
            line.push_str("  (first after an interrupt)");
        }
        self.log.push_back(line);
        if self.log.len() > SHOWN {
            self.log.pop_front();
        }
    }

    fn mismatch(&self, what: String) -> Failure {
        let mut listing = String::from("  clock      pc: insn\n");
        for line in &self.log {
            listing.push_str(line);
            listing.push('\n');
        }
        Failure::Mismatch { clock: self.clock, what, listing }
    }
}

/// Whether an instruction retires in the clock after the one in which it could have been
/// interrupted last.
fn starts_in_its_last_clock(insn: Insn) -> bool {
    match insn {
        Insn::Load { .. } | Insn::Store { .. } | Insn::Wfi | Insn::Csr { .. } => false,
        Insn::Op { op, .. } => {
            !matches!(op, Alu::Mul | Alu::Mulh | Alu::Mulhsu | Alu::Mulhu | Alu::Div | Alu::Divu | Alu::Rem | Alu::Remu)
        }
        _ => true,
    }
}

/// The bits of the bytes in a mask.
fn bytes(mask: u8) -> u32 {
    (0..4).filter(|lane| mask >> lane & 1 == 1).fold(0, |bits, lane| bits | 0xFF << (8 * lane))
}
