//! All kernels of an image, measured by the core's own counters and beside that by RVFI.

use host_model::elf;
use nic_kernels::report::{BEGIN, CALLS, CRASH, DONE, END};
use nic_kernels::Kernel;

use crate::images::{self, Language, Placement};
use crate::machine::Machine;
use crate::retired::{Kind, Retired};
use crate::stalls::{History, Stalls};
use crate::Error;

/// Names of the kernels, by their numbers in reports.
macro_rules! names {
    ($($number:literal, $kernel:ty, $c:ident;)*) => {
        [$(<$kernel>::NAME),*]
    };
}
pub const NAMES: [&str; 9] = nic_kernels::each_kernel!(names);

/// The first of them are the mix.
pub const MIX: usize = 4;

/// One kernel, measured. Counts are those of all its measured calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    pub name: &'static str,
    /// By `mcycle` and `minstret`.
    pub clocks: u64,
    pub instructions: u64,
    /// Clocks and instructions between the same two readings, by RVFI.
    pub clocks_seen: u64,
    pub instructions_seen: u64,
    /// Between the two readings of `mcycle`: instructions, and clocks without one. Together they are `clocks_seen`.
    pub retired: u64,
    pub stalls: Stalls,
    pub check: u32,
}

impl Run {
    pub fn cpi(&self) -> f64 {
        self.clocks as f64 / self.instructions as f64
    }

    pub fn clocks_per_call(&self) -> f64 {
        self.clocks as f64 / f64::from(CALLS)
    }
}

/// How often the link uses the SRAM meanwhile: 0 never, n in one clock of n.
pub fn measure(language: Language, placement: Placement, link_every: u64) -> Result<Vec<Run>, Error> {
    let name = format!("kernels in {}, {}", language.name(), placement.name());
    of(&images::kernels(language, placement)?, &name, link_every)
}

/// Of any image of kernels.
pub fn of(image: &elf::Image, name: &str, link_every: u64) -> Result<Vec<Run>, Error> {
    let mut machine = Machine::new(image, link_every)?;
    listen(&mut machine).map_err(|(what, pc)| match what {
        What::Model(error) => Error::Model(error),
        What::Program(what) => Error::Program { image: name.into(), what, clocks: machine.clocks(), pc },
    })
}

enum What {
    Model(verilated::Error),
    Program(String),
}

/// More than all kernels take on any core that could be meant.
const CLOCKS_MAX: u64 = 20_000_000;

fn listen(machine: &mut Machine) -> Result<Vec<Run>, (What, u32)> {
    let mut runs = Vec::new();
    let mut window = Window::default();
    // Words of the report behind `END`.
    let mut report: Option<(usize, Vec<u32>)> = None;
    let mut pc = 0;
    while machine.clocks() < CLOCKS_MAX {
        let clock = machine.clock().map_err(|error| (What::Model(error), pc))?;
        if let Some(retired) = &clock.retired {
            pc = retired.pc;
            window.retire(machine.clocks(), retired);
        }
        let Some(word) = clock.trace else {
            continue;
        };
        if let Some((number, words)) = &mut report {
            words.push(word);
            if let [clocks, instructions, check] = words[..] {
                let seen = std::mem::take(&mut window);
                runs.push(seen.finish(NAMES[*number], clocks, instructions, check));
                report = None;
            }
            continue;
        }
        let number = (word & 0x0FFF_FFFF) as usize;
        match word & 0xF000_0000 {
            BEGIN if number == runs.len() => window = Window::default(),
            END if number == runs.len() && number < NAMES.len() => report = Some((number, Vec::new())),
            DONE => return Ok(runs),
            CRASH => return Err((What::Program(format!("trap or panic, cause {number}")), pc)),
            _ => return Err((What::Program(format!("unexpected word {word:#010x} on the trace port")), pc)),
        }
    }
    Err((What::Program("no end".to_string()), pc))
}

/// What RVFI shows between the first and the last reading of each counter.
#[derive(Default)]
struct Window {
    minstret: Readings,
    mcycle: Readings,
    /// Clock of the last instruction, and those before it.
    last: u64,
    history: History,
    stalls: Stalls,
    /// At the last reading of the clock counter.
    stalls_at_mcycle: Stalls,
}

/// First and last instruction that read a counter: its clock, its number.
#[derive(Default)]
struct Readings(Option<[(u64, u64); 2]>);

impl Readings {
    fn add(&mut self, clock: u64, order: u64) {
        let first = self.0.map_or((clock, order), |[first, _]| first);
        self.0 = Some([first, (clock, order)]);
    }

    /// Clocks and instructions from the first to the last.
    fn between(&self) -> (u64, u64) {
        self.0.map_or((0, 0), |[first, last]| (last.0 - first.0, last.1 - first.1))
    }
}

const MCYCLE: u16 = 0xB00;
const MINSTRET: u16 = 0xB02;

impl Window {
    fn retire(&mut self, clock: u64, retired: &Retired) {
        // The clock counter is read last at the start and first at the end: causes are counted between its readings.
        if self.mcycle.0.is_some() {
            self.stalls.add(self.history.cause_before(retired), clock - self.last - 1);
        }
        match retired.kind() {
            Kind::Csr(MINSTRET) => self.minstret.add(clock, retired.order),
            Kind::Csr(MCYCLE) => {
                self.mcycle.add(clock, retired.order);
                self.stalls_at_mcycle = self.stalls;
            }
            _ => {}
        }
        self.last = clock;
        self.history.push(*retired);
    }

    fn finish(self, name: &'static str, clocks: u32, instructions: u32, check: u32) -> Run {
        let (clocks_seen, retired) = self.mcycle.between();
        let (_, instructions_seen) = self.minstret.between();
        Run {
            name,
            clocks: u64::from(clocks),
            instructions: u64::from(instructions),
            clocks_seen,
            instructions_seen,
            retired,
            stalls: self.stalls_at_mcycle,
            check,
        }
    }
}

/// CPI of the mix: each of its kernels has the same share of the instructions.
pub fn cpi_of_mix(runs: &[Run]) -> f64 {
    runs[..MIX].iter().map(Run::cpi).sum::<f64>() / MIX as f64
}

/// Clocks of one call of each kernel of the mix.
pub fn clocks_of_mix(runs: &[Run]) -> f64 {
    runs[..MIX].iter().map(Run::clocks_per_call).sum()
}
