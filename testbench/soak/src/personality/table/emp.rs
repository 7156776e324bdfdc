//! Messages that the NIC matches. Processes send to each other, are killed and are hostile. NICs
//! are reset.

use nic_layout::plant::Plant;

use crate::campaign::LanguageOf;
use crate::defect::{Defect, Workload};
use crate::matched::operation::Op;
use crate::personality::entry::Personality;

const DEFECTS: [Defect; 11] = [
    Defect::of_firmware(Plant::PlacedBeside, 27, Workload::Lists),
    Defect::of_firmware(Plant::AnyTagMatches, 27, Workload::Lists),
    Defect::of_firmware(Plant::TailOmitted, 28, Workload::Lists),
    Defect::of_firmware(Plant::NewestMatches, 27, Workload::Lists),
    Defect::of_firmware(Plant::OrderIgnored, 27, Workload::Lists),
    Defect::of_firmware(Plant::EarlyAcknowledgement, 29, Workload::Lists),
    Defect::of_firmware(Plant::CopyCounts, 29, Workload::Lists),
    Defect::of_firmware(Plant::EarlyDone, 28, Workload::Lists),
    Defect::of_firmware(Plant::AnyAcknowledgement, 28, Workload::Lists),
    Defect::of_firmware(Plant::RefusalAccepts, 28, Workload::Lists),
    Defect::of_firmware(Plant::LostTimer, 32, Workload::Lists),
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
