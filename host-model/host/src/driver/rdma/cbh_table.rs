//! The host's table of registered buffers (facts M-39).

use nic_layout::cbh::{Descriptor, BUFFER_ID_MAX};

use crate::address::Pid;

/// A power of two: the low bits of an identifier choose its bucket.
const BUCKETS: usize = 256;

/// The buffers of one process: a hash table by identifier, any value of which may be used.
pub struct CbhTable {
    buckets: Vec<Vec<(u32, Descriptor)>>,
    len: usize,
    /// The identifier after the last that was given out. An identifier that was freed is given out
    /// again only after all others.
    next_id: u32,
}

/// Identifiers of a process begin where those of the process before have some room: the first
/// buffers of all, which may be all that they have, lie in different sets of the NIC's cache.
const IDS_APART: u32 = 32;

impl CbhTable {
    /// An empty table; its first identifier depends on the process.
    pub fn new(pid: Pid) -> CbhTable {
        CbhTable { buckets: vec![Vec::new(); BUCKETS], len: 0, next_id: (pid.0 * IDS_APART) & BUFFER_ID_MAX }
    }

    fn bucket(&self, id: u32) -> &Vec<(u32, Descriptor)> {
        &self.buckets[id as usize % BUCKETS]
    }

    /// The descriptor of a buffer; `None` if the identifier is not in use.
    pub fn get(&self, id: u32) -> Option<Descriptor> {
        self.bucket(id).iter().find(|(other, _)| *other == id).map(|(_, descriptor)| *descriptor)
    }

    /// Buffers in the table.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the table has no buffer.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// An identifier that is not in use; `None` if all are.
    pub fn free_id(&mut self) -> Option<u32> {
        if self.len > BUFFER_ID_MAX as usize {
            return None;
        }
        while self.get(self.next_id).is_some() {
            self.next_id = (self.next_id + 1) & BUFFER_ID_MAX;
        }
        let free = self.next_id;
        self.next_id = (free + 1) & BUFFER_ID_MAX;
        Some(free)
    }

    /// The identifiers in use, in no particular order.
    pub fn ids(&self) -> Vec<u32> {
        self.buckets.iter().flatten().map(|(id, _)| *id).collect()
    }

    /// False if the identifier is in use, or is none: then nothing changes.
    pub fn insert(&mut self, id: u32, descriptor: Descriptor) -> bool {
        if id > BUFFER_ID_MAX || self.get(id).is_some() {
            return false;
        }
        self.buckets[id as usize % BUCKETS].push((id, descriptor));
        self.len += 1;
        true
    }

    /// Takes a buffer out and gives its descriptor; `None` if the identifier is not in use.
    pub fn remove(&mut self, id: u32) -> Option<Descriptor> {
        let bucket = &mut self.buckets[id as usize % BUCKETS];
        let at = bucket.iter().position(|(other, _)| *other == id)?;
        self.len -= 1;
        Some(bucket.swap_remove(at).1)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn descriptor(start_address: u32) -> Descriptor {
        Descriptor { start_address, ..Descriptor::default() }
    }

    proptest! {
        #[test]
        fn the_table_agrees_with_a_map(steps in prop::collection::vec((0u32..4, 0u32..3, any::<bool>(), any::<u32>()), 1..200)) {
            let (mut table, mut map) = (CbhTable::new(Pid(1)), BTreeMap::new());
            for (high, low, inserts, start) in steps {
                // Buckets collide.
                let id = high << 18 | low;
                if inserts {
                    let is_new = !map.contains_key(&id);
                    prop_assert_eq!(table.insert(id, descriptor(start)), is_new);
                    map.entry(id).or_insert(descriptor(start));
                } else {
                    prop_assert_eq!(table.remove(id), map.remove(&id));
                }
                prop_assert_eq!(table.len(), map.len());
                prop_assert!(map.iter().all(|(id, held)| table.get(*id) == Some(*held)));
            }
        }
    }

    #[test]
    fn identifiers_are_given_out_in_turn_and_never_twice() {
        let mut table = CbhTable::new(Pid(2));
        assert!(table.insert(65, descriptor(0)) && !table.insert(65, descriptor(0)));
        assert!(!table.insert(BUFFER_ID_MAX + 1, descriptor(0)));
        assert_eq!((table.free_id(), table.free_id()), (Some(64), Some(66)));
        table.next_id = BUFFER_ID_MAX;
        assert_eq!((table.free_id(), table.free_id()), (Some(BUFFER_ID_MAX), Some(0)));
    }

    #[test]
    fn with_every_identifier_in_use_there_is_none_left() {
        let mut table = CbhTable { len: BUFFER_ID_MAX as usize + 1, ..CbhTable::new(Pid(1)) };
        assert_eq!(table.free_id(), None);
    }
}
