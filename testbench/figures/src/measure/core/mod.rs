//! The group `core`: is the NIC's processor fast, on silicon too, and proven?

mod before;
mod clock;
mod cpi;
mod dispatch;
mod pair;
mod proof;

use crate::engine::Experiment;
use crate::measure::built_in;

/// The bars of the group.
pub const BARS: [Experiment; 6] = [
    Experiment::bar("core.1", "clocks for each instruction, and kernels for each MHz", cpi::measure).note(cpi::NOTE),
    Experiment::bar("core.2", "clock and size on an FPGA", clock::measure).note(clock::NOTE),
    Experiment::bar("core.3", "lock-step, proofs, coverage, mutation", proof::measure).note(proof::NOTE),
    Experiment::bar("core.4", "time to a handler, and the semaphore", dispatch::measure).note(dispatch::NOTE),
    Experiment::bar("core.5", "what a second core costs the simulator", pair::measure)
        .note(pair::NOTE)
        .images(built_in::images),
    Experiment::bar("core.6", "ping-pong before and after the five-stage core", before::measure)
        .note(before::NOTE)
        .images(built_in::images),
];
