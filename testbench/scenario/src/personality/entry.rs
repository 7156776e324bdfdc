//! One entry of the table of personalities.

use crate::workload_kind::WorkloadKind;

/// What a NIC does with handles: its firmware, and what a scenario may ask of it.
#[derive(Debug)]
pub struct Personality {
    /// The name in scenarios and on the command line, and of the firmware's image.
    pub name: &'static str,
    /// One line for `nicscope list`.
    pub description: &'static str,
    /// How the firmware finds translations and buffers.
    pub lookup: Lookup,
    /// The kinds of workload that make sense with it.
    pub workloads: &'static [WorkloadKind],
}

/// How a firmware finds translations and buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// In caches, which have a geometry and miss.
    Cached,
    /// In tables that hold everything, so a lookup never misses.
    Static,
}

impl Personality {
    /// Whether lookups go to caches, which have a geometry and miss.
    pub fn has_caches(&self) -> bool {
        self.lookup == Lookup::Cached
    }

    /// The name of the image for core A of a NIC with so many cores.
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
