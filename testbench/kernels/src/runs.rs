//! Measures all kernels of an image by the core's own counters, and independently by RVFI.

use host_model::elf;
use nic_kernels::report::{BEGIN, CALLS, CRASH, DONE, END};
use nic_kernels::Kernel;

use crate::images::{self, Language, Placement};
use crate::machine::Machine;
use crate::retired::{Kind, Retired};
use crate::stalls::{History, Stalls};
use crate::Error;

/// The names of the kernels, by their numbers in reports.
macro_rules! names {
    ($($number:literal, $kernel:ty, $c:ident;)*) => {
        [$(<$kernel>::NAME),*]
    };
}
/// The names of the kernels, by their numbers in reports.
pub const NAMES: [&str; 9] = nic_kernels::each_kernel!(names);

/// The number of kernels in the mix, which are the first of [`NAMES`].
pub const MIX: usize = 4;

/// The measurement of one kernel. Counts are sums over all its measured calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// The name of the kernel.
    pub name: &'static str,
    /// Clocks, by `mcycle`.
    pub clocks: u64,
    /// Retired instructions, by `minstret`.
    pub instructions: u64,
    /// Clocks between the same two readings of `mcycle`, by RVFI.
    pub clocks_seen: u64,
    /// Instructions between the same two readings of `minstret`, by RVFI.
    pub instructions_seen: u64,
    /// Instructions that retired between the two readings of `mcycle`, by RVFI. Together with
    /// `stalls` they are `clocks_seen`.
    pub retired: u64,
    /// Clocks between the two readings of `mcycle` in which no instruction retired, by cause.
    pub stalls: Stalls,
    /// The check word that the kernel computed.
    pub check: u32,
}

impl Run {
    /// Clocks per instruction, by the core's counters.
    pub fn cpi(&self) -> f64 {
        self.clocks as f64 / self.instructions as f64
    }

    /// Clocks of one call of the kernel, by `mcycle`.
    pub fn clocks_per_call(&self) -> f64 {
        self.clocks as f64 / f64::from(CALLS)
    }
}

/// Builds an image and measures its kernels. `link_every` n: the link accesses the SRAM in one of n
/// clocks; 0 for never. Errors: see [`Error`].
pub fn measure(language: Language, placement: Placement, link_every: u64) -> Result<Vec<Run>, Error> {
    let name = format!("kernels in {}, {}", language.name(), placement.name());
    of(&images::kernels(language, placement)?, &name, link_every)
}

/// Measures the kernels of any image. `name` stands in errors; `link_every` as in [`measure`].
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

/// The limit of a run in clocks: more than all kernels take on any core that is of interest.
const CLOCKS_MAX: u64 = 20_000_000;

fn listen(machine: &mut Machine) -> Result<Vec<Run>, (What, u32)> {
    let mut runs = Vec::new();
    let mut window = Window::default();
    // The number of the kernel, and the words of the report that follow `END`.
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

/// The instructions that RVFI shows between the first and the last reading of each counter.
#[derive(Default)]
struct Window {
    minstret: Readings,
    mcycle: Readings,
    /// The clock of the last instruction.
    last: u64,
    history: History,
    stalls: Stalls,
    /// The stalls up to the last reading of `mcycle`.
    stalls_at_mcycle: Stalls,
}

/// The first and the last instruction that read a counter: the clock and the number of each.
#[derive(Default)]
struct Readings(Option<[(u64, u64); 2]>);

impl Readings {
    fn add(&mut self, clock: u64, order: u64) {
        let first = self.0.map_or((clock, order), |[first, _]| first);
        self.0 = Some([first, (clock, order)]);
    }

    /// Clocks and instructions from the first reading to the last.
    fn between(&self) -> (u64, u64) {
        self.0.map_or((0, 0), |[first, last]| (last.0 - first.0, last.1 - first.1))
    }
}

const MCYCLE: u16 = 0xB00;
const MINSTRET: u16 = 0xB02;

impl Window {
    fn retire(&mut self, clock: u64, retired: &Retired) {
        // The clock counter is read last at the start and first at the end: causes are counted
        // between its readings.
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

/// The CPI of the mix, in which each kernel has the same share of the instructions.
pub fn cpi_of_mix(runs: &[Run]) -> f64 {
    runs[..MIX].iter().map(Run::cpi).sum::<f64>() / MIX as f64
}

/// The sum of the clocks of one call of each kernel of the mix.
pub fn clocks_of_mix(runs: &[Run]) -> f64 {
    runs[..MIX].iter().map(Run::clocks_per_call).sum()
}
