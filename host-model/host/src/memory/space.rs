//! The address space of a process: which pages it may touch, and which physical page is behind
//! them.

use std::collections::BTreeSet;

use nic_layout::PAGE_BYTES;

use super::page_map::PageMap;
use crate::address::{UserVirt, VirtPage};

/// First page of the heap.
const HEAP_FIRST_PAGE: u32 = 0x1_0000;
/// Behind the last page of the heap; what the driver maps for the process lies above.
const HEAP_LAST_PAGE: u32 = 0xB_0000;
/// The heap grows by this many pages at once. As long as the longest line of the VMH cache, so that
/// no line that holds heap pages has holes that are filled later: the NIC would go on refusing them
/// (facts M-34).
const HEAP_STEP_PAGES: u32 = 128;

#[derive(Default)]
pub struct AddressSpace {
    heap_used_pages: u32,
    single_pages: BTreeSet<u32>,
    /// Pages that were touched.
    pub resident: PageMap,
}

impl AddressSpace {
    /// Reserves whole pages; physical pages come at the first touch.
    pub fn reserve(&mut self, bytes: u32) -> Option<UserVirt> {
        let start = HEAP_FIRST_PAGE + self.heap_used_pages;
        let pages = bytes.max(1).div_ceil(PAGE_BYTES);
        if u64::from(start) + u64::from(pages) > u64::from(HEAP_LAST_PAGE) {
            return None;
        }
        self.heap_used_pages += pages;
        Some(VirtPage(start).start())
    }

    /// Makes one page accessible, wherever it is.
    pub fn add_page(&mut self, page: VirtPage) {
        self.single_pages.insert(page.0);
    }

    /// The pages that were reserved, and then those that were added singly.
    pub fn reserved(&self) -> impl Iterator<Item = VirtPage> + '_ {
        let heap = HEAP_FIRST_PAGE..HEAP_FIRST_PAGE + self.heap_used_pages;
        let of_heap = heap.clone();
        let single = self.single_pages.iter().copied().filter(move |page| !of_heap.contains(page));
        heap.chain(single).map(VirtPage)
    }

    pub fn contains(&self, page: VirtPage) -> bool {
        let heap_pages = self.heap_used_pages.next_multiple_of(HEAP_STEP_PAGES);
        (HEAP_FIRST_PAGE..HEAP_FIRST_PAGE + heap_pages).contains(&page.0) || self.single_pages.contains(&page.0)
    }
}
