//! A two-level table over virtual page numbers, as processors and the driver use it (facts M-24).

use crate::address::{PhysPage, VirtPage, VIRT_PAGES};

const LEAF_PAGES: usize = 1024;
const LEAVES: usize = VIRT_PAGES as usize / LEAF_PAGES;
const NOTHING: u32 = u32::MAX;

/// Virtual page to physical page. A leaf exists from the first entry in it.
pub struct PageMap {
    leaves: Vec<Option<Box<[u32; LEAF_PAGES]>>>,
    len: usize,
}

impl Default for PageMap {
    fn default() -> PageMap {
        PageMap { leaves: vec![None; LEAVES], len: 0 }
    }
}

impl PageMap {
    /// The physical page of a page; `None` if it has none.
    pub fn get(&self, page: VirtPage) -> Option<PhysPage> {
        let leaf = self.leaves.get(page.0 as usize / LEAF_PAGES)?.as_ref()?;
        let entry = leaf[page.0 as usize % LEAF_PAGES];
        (entry != NOTHING).then_some(PhysPage(entry))
    }

    /// Gives what stood there before.
    pub fn insert(&mut self, page: VirtPage, target: PhysPage) -> Option<PhysPage> {
        assert!(target.0 != NOTHING, "the entry that means nothing");
        let leaf = &mut self.leaves[page.0 as usize / LEAF_PAGES];
        let leaf = leaf.get_or_insert_with(|| Box::new([NOTHING; LEAF_PAGES]));
        let before = std::mem::replace(&mut leaf[page.0 as usize % LEAF_PAGES], target.0);
        if before == NOTHING {
            self.len += 1;
            return None;
        }
        Some(PhysPage(before))
    }

    /// Takes a page out and gives its physical page; `None` if it had none.
    pub fn remove(&mut self, page: VirtPage) -> Option<PhysPage> {
        let leaf = self.leaves.get_mut(page.0 as usize / LEAF_PAGES)?.as_mut()?;
        let before = std::mem::replace(&mut leaf[page.0 as usize % LEAF_PAGES], NOTHING);
        if before == NOTHING {
            return None;
        }
        self.len -= 1;
        Some(PhysPage(before))
    }

    /// Pages in the map.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the map has no page.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// In the order of virtual pages.
    pub fn iter(&self) -> impl Iterator<Item = (VirtPage, PhysPage)> + '_ {
        self.leaves.iter().enumerate().flat_map(|(number, leaf)| {
            let entries = leaf.iter().flat_map(|leaf| leaf.iter().enumerate());
            entries
                .filter(|(_, entry)| **entry != NOTHING)
                .map(move |(index, entry)| (VirtPage((number * LEAF_PAGES + index) as u32), PhysPage(*entry)))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_two_level_table_is_a_map(
            operations in prop::collection::vec((any::<bool>(), 0_u32..40, 0_u32..1000), 0..200),
        ) {
            let (mut table, mut truth) = (PageMap::default(), BTreeMap::new());
            for (insert, page, target) in operations {
                // Spread over leaves, the first and the last page included.
                let page = VirtPage((page * 26_887).min(VIRT_PAGES - 1));
                if insert {
                    prop_assert_eq!(table.insert(page, PhysPage(target)), truth.insert(page, PhysPage(target)));
                } else {
                    prop_assert_eq!(table.remove(page), truth.remove(&page));
                }
                prop_assert_eq!(table.get(page), truth.get(&page).copied());
            }
            prop_assert_eq!(table.len(), truth.len());
            prop_assert!(table.iter().eq(truth));
        }
    }
}
