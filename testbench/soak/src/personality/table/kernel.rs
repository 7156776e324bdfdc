//! Streams of the kernel. Processes write to each other, and read.

use crate::campaign::LanguageOf;
use crate::personality::entry::Personality;
use crate::streams::operation::Op;

/// Processes have nothing on the NIC.
pub const ENTRY: Personality = Personality {
    name: "kernel",
    language: &LanguageOf::<Op>::VALUE,
    defects: &[],
    registers: false,
    absent_buffer_bit: 0,
    invalidate: |_, _, _, _| Box::pin(async { Ok(()) }),
    left: |_, _| Box::pin(async { Ok(None) }),
    leave: |_, _| Box::pin(async { Ok(()) }),
};
