//! Runs one image on the core and on QEMU, and compares them.

use std::path::Path;

use bench_core::asm::Code;
use bench_core::bench::{Bench, Timing};
use bench_core::models::BenchCore;
use verilated::Model as _;

use crate::compare::{Compare, Difference, Totals};
use crate::debugger::Debugger;
use crate::image::Image;
use crate::isa::Isa;
use crate::op::Case;
use crate::qemu::Qemu;

/// The clocks without a retired instruction after which the core counts as stuck. An interrupt that
/// ends `wfi` comes within some hundreds of clocks.
const PATIENCE_CLOCKS: u32 = 20_000;

/// The most clocks from `irq_i` to the first instruction before which the interrupt can be taken
/// (docs/core.md).
const IRQ_SEEN_CLOCKS: u32 = 3;

/// Memory without waits, and interrupts that end at once, until the conditions of a program begin.
const SETUP: Timing = Timing { irq_falls_percent: 100, ..Timing::IDEAL };

/// The most instructions that retire between the clock in which an interrupt is seen and the first
/// instruction of its handler: those in the pipeline.
const IN_FLIGHT: u32 = 4;

/// A difference between the core and QEMU, or another reason why a batch ended early.
#[derive(Debug)]
pub struct Failure {
    /// The number of the program in which the failure showed. `None` if it showed before the first
    /// program.
    pub program: Option<usize>,
    /// The clock of the failure, counted from reset.
    pub clock: u64,
    /// The failure, with the last instructions.
    pub what: String,
}

/// Runs programs one behind the other, each under its own conditions, and compares every
/// instruction.
pub fn run(cases: &[Case], isa: Isa, waves: Option<&Path>) -> Result<Totals, Failure> {
    run_image(&Image::of(cases), isa, waves, &[])
}

/// As [`run`], with an image that is laid out already, and a debugger that executes `spoil`
/// whenever it halts the core.
pub fn run_image(image: &Image, isa: Isa, waves: Option<&Path>, spoil: &[Code]) -> Result<Totals, Failure> {
    let outside = |what: String| Failure { program: None, clock: 0, what };
    let qemu = Qemu::start(image, &isa).map_err(|error| outside(error.to_string()))?;
    let mut compare =
        Compare::new(image, isa, Bench::<BenchCore>::HART_ID, qemu).map_err(|error| outside(error.to_string()))?;
    let seed = image.slots.first().map_or(1, |slot| slot.seed);
    let mut bench = Bench::<BenchCore>::new(image.core.clone(), crate::image::START, SETUP, seed)
        .map_err(|error| outside(error.to_string()))?;
    // A failed assertion is reported below. Verilator's own text about it is only noise while a
    // program is shrunk.
    bench.model.on_display(|_| {});
    if let Some(path) = waves {
        bench.model.open_fst(path, 0).map_err(|error| outside(error.to_string()))?;
    }

    let mut debugger = Debugger::new(&mut bench, spoil);
    let mut program = None;
    let mut quiet = 0;
    // The level of the pin in the last clocks, the newest in bit 0.
    let mut irq = 0u32;
    // The instructions that retired since the pin was high.
    let mut since_irq = u32::MAX;
    let mut clocks = 0u64;
    loop {
        let at = clocks;
        let failure = |what: String| Failure { program, clock: at, what };
        let clock = match bench.clock() {
            Ok(clock) => clock,
            Err(error) => return Err(failure(format!("{error}\n{}", compare.listing()))),
        };
        clocks += 1;
        irq = irq << 1 | u32::from(clock.irq);
        since_irq = if clock.irq { 0 } else { since_irq };
        quiet += 1;
        if quiet > PATIENCE_CLOCKS {
            return Err(failure(format!("nothing retired for {quiet} clocks\n{}", compare.listing())));
        }
        let masked = debugger.masks_interrupts();
        if let Some(halt) = debugger.clock(&clock, &mut bench) {
            compare.halted(&halt, since_irq <= IN_FLIGHT).map_err(|difference| failure(difference.to_string()))?;
        }
        let Some(rvfi) = clock.rvfi else { continue };
        if debugger.overdue() {
            return Err(failure(format!("the core does not halt when it should\n{}", compare.listing())));
        }
        quiet = 0;
        if rvfi.pc == image.park && compare.pc() == image.park {
            return Ok(compare.totals);
        }
        let seen = if rvfi.intr { since_irq <= IN_FLIGHT } else { steadily_high(irq) && !masked };
        if let Err(difference) = compare.retired(&rvfi, seen, &bench.memory) {
            if let Difference::Qemu(error) = difference {
                return Err(failure(format!("{error}\n{}", compare.listing())));
            }
            return Err(failure(difference.to_string()));
        }
        since_irq = since_irq.saturating_add(1);
        // The conditions of a program take effect with its body.
        let next = program.map_or(0, |program| program + 1);
        match image.slots.get(next) {
            Some(slot) if rvfi.pc == slot.start => {
                program = Some(next);
                bench.timing = SETUP;
            }
            _ => {
                if let Some(slot) = program.and_then(|program| image.slots.get(program)) {
                    if rvfi.pc == slot.body && bench.timing != slot.timing {
                        bench.timing = slot.timing;
                        bench.reseed(slot.seed);
                        debugger.reseed(slot.seed);
                    }
                }
            }
        }
    }
}

/// Whether the pin was high for so long that an interrupt should have been taken by now.
fn steadily_high(irq: u32) -> bool {
    let mask = (1 << (IRQ_SEEN_CLOCKS + 1)) - 1;
    irq & mask == mask
}
