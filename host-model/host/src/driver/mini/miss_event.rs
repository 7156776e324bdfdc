//! Entries of the miss ring, as the driver judges them (INV-35).

use nic_layout::tables::{MissEntry, MISS_BUFFER, MISS_RECEIVE, MISS_SEND};
use nic_layout::vmh::{key_line_page, key_pid, KEY_RESERVED, KEY_STATE_MASK};

use super::layout::Caches;
use crate::address::{Pid, VirtPage};
use crate::events::Subject;

/// A cache of the NIC.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Cache {
    Vmh,
    Cbh,
}

/// An entry of the miss ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MissEvent {
    /// Free-running index in the ring.
    pub index: u32,
    /// `None`: it makes no sense. Otherwise the line exists in this cache, is of the right set, and
    /// waits for this key.
    pub cache: Option<Cache>,
    pub key: u32,
    pub line: u32,
    /// Another entry for this line is not served yet: an honest NIC does so only after an
    /// invalidation.
    pub repeated: bool,
}

impl MissEvent {
    /// Judges an entry as the NIC wrote it.
    pub fn judge(entry: &MissEntry, index: u32, layout: &Caches) -> MissEvent {
        let MissEntry { key, line, kind, .. } = *entry;
        let cache = match kind {
            MISS_SEND | MISS_RECEIVE => {
                let (page, geometry) = (key_line_page(key), layout.geometry);
                let possible = key & KEY_STATE_MASK == KEY_RESERVED
                    && key_pid(key) != 0
                    && geometry.line_page(page) == page
                    && line < geometry.lines()
                    && line / geometry.ways == geometry.set_of(page);
                possible.then_some(Cache::Vmh)
            }
            MISS_BUFFER => {
                // Whatever process and buffer: the word is from the network.
                let geometry = layout.cbh_geometry;
                let possible = line < geometry.entries && line / geometry.ways == geometry.set_of(key);
                possible.then_some(Cache::Cbh)
            }
            _ => None,
        };
        MissEvent { index, cache, key, line, repeated: false }
    }

    pub fn pid(&self) -> Pid {
        Pid(key_pid(self.key))
    }

    pub fn first_page(&self) -> VirtPage {
        VirtPage(key_line_page(self.key))
    }

    /// The pages of the line.
    pub fn pages(&self, layout: &Caches) -> Vec<VirtPage> {
        let first = self.first_page().0;
        (first..first + layout.geometry.line_entries).map(VirtPage).collect()
    }

    pub fn subject(&self) -> Subject {
        Subject::Miss { number: self.index.into(), key: self.key }
    }
}
