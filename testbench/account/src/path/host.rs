//! The host's work on a miss, in stages.

use host_model::events::{EventKind, Subject};
use sim_pins::Ps;

use crate::account::Clock;
use crate::log::NodeLog;

/// The host's last stage of a miss.
pub(super) const MISS_SERVED: &str = "miss served";

/// What the host does about a miss, from the interrupt on.
pub(super) fn stages(log: &NodeLog, from: Ps, to: Ps) -> Vec<(Ps, Clock, String)> {
    log.host_events(from, to)
        .filter(|event| event.at < to)
        .filter_map(|event| {
            let stage = match (event.subject, event.kind) {
                (Subject::Interrupt { .. }, EventKind::InterruptAsserted) => "interrupt delay",
                (Subject::Interrupt { .. }, EventKind::HandlerStart) => "interrupt handler",
                (Subject::Interrupt { .. }, EventKind::HandlerEnd) => "miss thread wakes",
                (_, EventKind::ThreadStart | EventKind::ServiceStart | EventKind::PinEnd) => "miss thread",
                (_, EventKind::PinStart) => "pin pages",
                (_, EventKind::FillStart) => "fill line (PIO)",
                (_, EventKind::LineValid | EventKind::LineReleased | EventKind::BufferDenied) => "report to the NIC",
                (_, EventKind::ServedWritten) => MISS_SERVED,
                _ => return None,
            };
            let clock = match event.kind {
                EventKind::FillStart | EventKind::LineValid => Clock::Pci,
                _ => Clock::Host,
            };
            Some((event.at, clock, stage.to_string()))
        })
        .collect()
}
