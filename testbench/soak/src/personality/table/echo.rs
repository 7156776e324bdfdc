//! Every frame goes back to its sender. Processes send, wait for what comes back, and end.

use nic_layout::plant::Plant;
use nicscope_run::personality::table::echo::Echoes;

use crate::campaign::LanguageOf;
use crate::defect::{Defect, Workload};
use crate::messages::operation::Op;
use crate::personality::entry::Personality;

const DEFECTS: [Defect; 2] = [
    Defect::of_firmware(Plant::AnswerAltered, 27, Workload::Lists),
    Defect::of_firmware(Plant::AnswerOmitted, 27, Workload::Lists),
];

/// Processes have no buffers, and the NIC keeps nothing of a process.
pub const ENTRY: Personality = Personality {
    name: "echo",
    language: &LanguageOf::<Op<Echoes>>::VALUE,
    defects: &DEFECTS,
    registers: false,
    absent_buffer_bit: 0,
    invalidate: |_, _, _, _| Box::pin(async { Ok(()) }),
    left: |_, _| Box::pin(async { Ok(None) }),
    leave: |_, _| Box::pin(async { Ok(()) }),
};
