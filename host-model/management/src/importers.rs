//! Which hosts and processes may look up a published value (facts M-3).

use std::collections::BTreeSet;

/// A process, or all processes of a host.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Importer {
    /// The number of the host.
    pub host: usize,
    /// The number of the process in its host. `None`: every process of the host, and the host
    /// itself.
    pub process: Option<u32>,
}

impl Importer {
    /// Every process of a host, and the host itself.
    pub fn host(host: usize) -> Importer {
        Importer { host, process: None }
    }

    /// One process of a host.
    pub fn process(host: usize, process: u32) -> Importer {
        Importer { host, process: Some(process) }
    }
}

/// The hosts and processes that may look up a published value.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Importers {
    /// All of them.
    #[default]
    All,
    /// Those of the set. An empty set permits none.
    Only(BTreeSet<Importer>),
}

impl Importers {
    /// The importers that are listed.
    pub fn only(importers: impl IntoIterator<Item = Importer>) -> Importers {
        Importers::Only(importers.into_iter().collect())
    }

    /// Whether a process of `host` may look up the value. `process` is `None` for a task that is no
    /// process.
    pub fn permit(&self, host: usize, process: Option<u32>) -> bool {
        match self {
            Importers::All => true,
            Importers::Only(listed) => {
                listed.contains(&Importer { host, process }) || listed.contains(&Importer::host(host))
            }
        }
    }
}
