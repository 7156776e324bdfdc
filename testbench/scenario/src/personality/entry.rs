//! One entry of the table of personalities.

use std::ops::RangeInclusive;

use crate::workload_kind::WorkloadKind;

/// Rows of a comparison.
pub const ROWS: usize = 8;

/// What a paper has published of one system.
#[derive(Debug)]
pub struct Column {
    /// The key of its values in JSON.
    pub key: &'static str,
    /// The heading of its values in a table.
    pub heading: &'static str,
    /// Kilobytes, in the order of the rows of a comparison.
    pub kbytes: [u32; ROWS],
}

/// The memories of a NIC of a paper, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The SRAM.
    pub sram_bytes: u32,
    /// The scratchpads of core A and core B.
    pub scratchpad_bytes: [u32; 2],
    /// The requirements that say so.
    pub source: &'static str,
}

/// One personality: the firmware of the NIC, and what a scenario may ask of it.
#[derive(Debug)]
pub struct Personality {
    /// The name in scenarios, on the command line, and of the firmware image for one core.
    pub name: &'static str,
    /// The name of the image for core B of a NIC with two cores; `None` if the personality has
    /// images for one core only.
    pub image_of_core_b: Option<&'static str>,
    /// One line for `nicscope list`.
    pub description: &'static str,
    /// How the firmware finds translations and buffers.
    pub lookup: Lookup,
    /// Nodes that a cluster of such NICs may have at most.
    pub nodes_max: usize,
    /// What a paper has published of the memory of such NICs.
    pub memory_of_others: &'static [Column],
    /// The sizes of the memories of the NIC on which a paper ran the same protocol.
    pub memory_limits: Option<Limits>,
    /// Bytes of the shortest and of the longest message of a workload.
    pub message_bytes: RangeInclusive<u32>,
    /// Whether a message of a ping-pong has an account, span by span.
    pub has_accounts: bool,
    /// The kinds of workload that the personality can play.
    pub workloads: &'static [WorkloadKind],
}

/// How a firmware finds translations and buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// In caches, which have a geometry and miss.
    Cached,
    /// In tables that hold everything, so a lookup never misses.
    Static,
    /// There is nothing to be found.
    None,
    /// Messages are matched with posted receives.
    Matched,
    /// The same, and their pages are looked up in a cache, which has a geometry and misses.
    MatchedCached,
    /// There is nothing to be found: frames go to the next buffer of the kernel.
    Frames,
}

impl Personality {
    /// Whether lookups go to caches. Only caches have a geometry and can miss.
    pub fn has_caches(&self) -> bool {
        matches!(self.lookup, Lookup::Cached | Lookup::MatchedCached)
    }

    /// Whether messages are matched with posted receives.
    pub fn is_matched(&self) -> bool {
        matches!(self.lookup, Lookup::Matched | Lookup::MatchedCached)
    }

    /// The name of the image for core A of a NIC with `cores` cores, 1 or 2.
    pub fn image(&self, cores: u32) -> String {
        match cores {
            1 => self.name.to_owned(),
            _ => format!("{}-pair", self.name),
        }
    }
}

/// Two personalities are equal if they are the same entry of the table.
impl PartialEq for Personality {
    fn eq(&self, other: &Personality) -> bool {
        self.name == other.name
    }
}

impl Eq for Personality {}
