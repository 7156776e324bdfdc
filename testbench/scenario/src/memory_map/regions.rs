//! A memory of the NIC as regions with a use each.

use serde::Serialize;

/// Name, use, start and length.
pub(super) type Part = (&'static str, Use, u32, u32);

/// One memory of the NIC, by regions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Memory {
    /// Size of the memory, in bytes.
    pub bytes: u32,
    /// The regions in the order of their addresses. They cover the memory without a gap.
    pub regions: Vec<Region>,
}

/// A part of a memory with one use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Region {
    /// What lies there, for the user.
    pub name: &'static str,
    /// The row of the comparison to which its bytes count.
    pub r#use: Use,
    /// Offset of the first byte from the start of the memory.
    pub start: u32,
    /// Length in bytes.
    pub bytes: u32,
}

/// What a region is for, in the terms of the thesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Use {
    /// Code and static data.
    Program,
    /// The scratchpad's copy of code and data that are counted in SRAM already.
    Copy,
    /// Send and receive buffers.
    Buffers,
    /// Translations of virtual pages.
    Vmh,
    /// Descriptors of exported buffers.
    Cbh,
    /// Tables of imported buffers, which only static tables have.
    Imports,
    /// Processes and their post queues.
    Pch,
    /// Unused bytes before a region that must be aligned.
    Alignment,
    /// Bytes that nothing uses.
    Free,
}

impl From<nic_plan::Use> for Use {
    fn from(planned: nic_plan::Use) -> Use {
        match planned {
            nic_plan::Use::Program => Use::Program,
            nic_plan::Use::Buffers => Use::Buffers,
            nic_plan::Use::Vmh => Use::Vmh,
            nic_plan::Use::Cbh => Use::Cbh,
            nic_plan::Use::Imports => Use::Imports,
            nic_plan::Use::Pch => Use::Pch,
        }
    }
}

impl Memory {
    /// A memory of `bytes` bytes with the given regions, in the order of their addresses. The gaps
    /// between them become regions too.
    ///
    /// # Panics
    /// If regions overlap or do not end with the memory: the firmware's plan would be wrong.
    pub(super) fn cover(bytes: u32, given: impl IntoIterator<Item = Part>) -> Memory {
        let mut regions = Vec::new();
        let mut end = 0;
        for (name, r#use, start, length) in given {
            assert!(start >= end, "{name} at {start:#x} overlaps what ends at {end:#x}");
            if start > end {
                regions.push(Region { name: "alignment", r#use: Use::Alignment, start: end, bytes: start - end });
            }
            if length > 0 {
                regions.push(Region { name, r#use, start, bytes: length });
            }
            end = start + length;
        }
        assert!(end == bytes, "regions end at {end:#x} of {bytes:#x}");
        Memory { bytes, regions }
    }

    /// The sum of all regions with one use, in bytes.
    pub fn sum(&self, r#use: Use) -> u32 {
        self.regions.iter().filter(|region| region.r#use == r#use).map(|region| region.bytes).sum()
    }
}
