//! Misses of a program in every geometry.

use nic_layout::vmh::VmhGeometry;
use page_traces::Counts;

/// One program in every geometry.
pub struct Misses {
    /// Name of the program.
    pub name: &'static str,
    /// What each geometry did.
    pub counts: Vec<(VmhGeometry, Counts)>,
}

impl Misses {
    /// Counts in one geometry.
    ///
    /// # Panics
    /// If the program was not run in that geometry.
    pub fn of(&self, entries: u32, line_entries: u32, ways: u32) -> &Counts {
        let wanted = VmhGeometry { entries, line_entries, ways };
        let found = self.counts.iter().find(|(geometry, _)| *geometry == wanted);
        &found.expect("every geometry was run").1
    }

    /// Misses of all geometries that are `kept`.
    pub fn sum(&self, kept: impl Fn(&VmhGeometry) -> bool) -> u64 {
        self.counts.iter().filter(|(geometry, _)| kept(geometry)).map(|(_, counts)| counts.misses()).sum()
    }
}
