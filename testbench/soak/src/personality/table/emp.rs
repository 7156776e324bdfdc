//! Messages that the NIC matches. Processes send to each other, are killed and are hostile. NICs
//! are reset.

use nic_layout::plant::Plant;

use crate::campaign::LanguageOf;
use crate::defect::{Defect, Workload};
use crate::matched::operation::Op;
use crate::personality::entry::Personality;

pub(super) const fn lists(plant: Plant, invariant: u8) -> Defect {
    Defect::of_firmware(plant, invariant, Workload::Lists)
}

const fn on_two_cores(plant: Plant, invariant: u8) -> Defect {
    Defect::of_firmware(plant, invariant, Workload::ListsOnTwoCores)
}

const DEFECTS: [Defect; 12] = [
    lists(Plant::PlacedBeside, 27).or(&[28]),
    lists(Plant::AnyTagMatches, 27),
    lists(Plant::TailOmitted, 28),
    lists(Plant::NewestMatches, 27),
    lists(Plant::OrderIgnored, 27),
    lists(Plant::EarlyAcknowledgement, 29),
    lists(Plant::CopyCounts, 29).or(&[27, 28]),
    lists(Plant::EarlyDone, 28).or(&[27]),
    lists(Plant::AnyAcknowledgement, 28),
    lists(Plant::RefusalAccepts, 28),
    lists(Plant::LostTimer, 32),
    on_two_cores(Plant::LostBell, 32).or_silence(),
];

/// The NIC keeps nothing of a process but its messages, which have ended.
pub const ENTRY: Personality = Personality {
    name: "emp",
    language: &LanguageOf::<Op>::VALUE,
    defects: &DEFECTS,
    registers: false,
    absent_buffer_bit: 0,
    invalidate: |_, _, _, _| Box::pin(async { Ok(()) }),
    left: |_, _| Box::pin(async { Ok(None) }),
    leave: |_, _| Box::pin(async { Ok(()) }),
};
