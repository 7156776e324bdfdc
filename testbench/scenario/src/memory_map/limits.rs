//! The memories of a NIC of a paper, beside what an image and its plan use of them.

use nic_image::Stack;
use serde::Serialize;

use super::regions::{Memory, Use};
use crate::personality::Limits;

/// One memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Limit {
    /// Which memory it is.
    pub memory: &'static str,
    /// Bytes that are used: regions with a use, and of the stack its deepest path.
    pub used_bytes: u32,
    /// Bytes that the NIC of the paper has.
    pub published_bytes: u32,
    /// The requirements that say so.
    pub source: &'static str,
}

/// A limit for each memory that there is: the SRAM, and the scratchpad of each core.
pub(super) fn beside(limits: Option<Limits>, sram: &Memory, scratchpads: [Option<(&Memory, &Stack)>; 2]) -> Vec<Limit> {
    let Some(Limits { sram_bytes, scratchpad_bytes, source }) = limits else { return Vec::new() };
    let used_bytes = sram.bytes - sram.sum(Use::Free) - sram.sum(Use::Alignment);
    let mut all = vec![Limit { memory: "SRAM", used_bytes, published_bytes: sram_bytes, source }];
    let names = ["scratchpad of core A", "scratchpad of core B"];
    for ((memory, scratchpad), published_bytes) in names.into_iter().zip(scratchpads).zip(scratchpad_bytes) {
        let Some((scratchpad, stack)) = scratchpad else { continue };
        let room = scratchpad.regions.iter().find(|region| region.name == "stack").map_or(0, |stack| stack.bytes);
        let used_bytes = scratchpad.bytes - room + stack.deepest_bytes;
        all.push(Limit { memory, used_bytes, published_bytes, source });
    }
    all
}
