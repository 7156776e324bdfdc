//! The posts of the processes of a node, as they wrote them into their queues.

use std::ops::Range;

use nic_layout::post::{ProcessStatus, OP_READ, OP_WRITE, POST_DESCRIPTOR_BYTES, POST_FLAG_INLINE, POST_QUEUE_ENTRIES};
use nic_layout::{PAGE_BYTES, PAGE_SHIFT, PROCESS_SLOTS};

/// The number of words of a post.
pub(crate) const POST_WORDS: usize = POST_DESCRIPTOR_BYTES as usize / 4;
/// The bits of a process identifier in a handle: 12.
const PID_MASK: u32 = 0xFFF;

/// The side of a post on which a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The data of the post are read from the page.
    From,
    /// The data of the post are written to the page.
    To,
}

impl Side {
    /// The side that lookups of a path are for.
    pub fn of(is_receive: bool) -> Side {
        if is_receive {
            Side::To
        } else {
            Side::From
        }
    }
}

struct Slot {
    /// The identifier of the process; 0 before the first process.
    pid: u32,
    status_address: u32,
    posts: Vec<[u32; POST_WORDS]>,
}

pub(crate) struct Posted {
    slots: Vec<Slot>,
}

impl Posted {
    pub fn new() -> Posted {
        let posts = || vec![[0; POST_WORDS]; POST_QUEUE_ENTRIES as usize];
        Posted { slots: (0..PROCESS_SLOTS).map(|_| Slot { pid: 0, status_address: 0, posts: posts() }).collect() }
    }

    /// A slot gets another process, whose queue is empty.
    pub fn set_owner(&mut self, slot: usize, pid: u32) {
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.pid = pid;
            slot.posts.fill([0; POST_WORDS]);
        }
    }

    pub fn set_status_address(&mut self, slot: usize, address: u32) {
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.status_address = address;
        }
    }

    /// The process writes a word at a byte offset in the queue of a slot.
    pub fn write(&mut self, slot: usize, offset: u32, value: u32) {
        let (entry, word) = (offset / POST_DESCRIPTOR_BYTES, offset % POST_DESCRIPTOR_BYTES / 4);
        if let Some(post) = self.slots.get_mut(slot).and_then(|slot| slot.posts.get_mut(entry as usize)) {
            post[word as usize] = value;
        }
    }

    /// The identifier of the process of a slot; 0 before the first process.
    pub fn pid(&self, slot: usize) -> u32 {
        self.slots.get(slot).map_or(0, |slot| slot.pid)
    }

    /// Whether a range of bus addresses lies in the status page of a process.
    pub fn is_status(&self, bytes: &Range<u32>) -> bool {
        self.slots.iter().any(|slot| {
            let start = slot.status_address;
            slot.pid != 0 && start <= bytes.start && bytes.end <= start + size_of::<ProcessStatus>() as u32
        })
    }

    /// Whether a post in the queue of a slot names this page on this side.
    pub fn has(&self, slot: usize, page: u32, side: Side) -> bool {
        self.slots.get(slot).is_some_and(|slot| slot.posts.iter().any(|post| bytes_in(post, page, side).is_some()))
    }

    /// The processes with a post that names this page on this side.
    pub fn processes(&self, page: u32, side: Side) -> Vec<u32> {
        let slots = (0..self.slots.len()).filter(|slot| self.has(*slot, page, side));
        slots.map(|slot| self.pid(slot) & PID_MASK).collect()
    }

    /// The bytes of a page that posts of a process name: ranges of offsets in the page, without
    /// overlap, in ascending order.
    pub fn bytes(&self, pid: u32, page: u32, side: Side) -> Vec<Range<u32>> {
        let slots = self.slots.iter().filter(|slot| slot.pid & PID_MASK == pid);
        let posts = slots.flat_map(|slot| &slot.posts);
        joined(posts.filter_map(|post| bytes_in(post, page, side)).collect())
    }

    /// The slot number and the words of each post.
    pub fn posts(&self) -> impl Iterator<Item = (usize, &[u32; POST_WORDS])> {
        self.slots.iter().enumerate().flat_map(|(number, slot)| slot.posts.iter().map(move |post| (number, post)))
    }
}

/// The same bytes in ascending ranges without overlap.
pub(crate) fn joined(mut ranges: Vec<Range<u32>>) -> Vec<Range<u32>> {
    ranges.sort_by_key(|range| range.start);
    let mut joined: Vec<Range<u32>> = Vec::new();
    for range in ranges {
        match joined.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => joined.push(range),
        }
    }
    joined
}

/// The bytes of a page that a post names on one side: offsets in the page.
fn bytes_in(post: &[u32; POST_WORDS], page: u32, side: Side) -> Option<Range<u32>> {
    let [operation, length, local_address, ..] = *post;
    let (kind, flags) = (operation as u8, (operation >> 8) as u8);
    let is_of_side = match side {
        Side::From => kind == OP_WRITE && flags & POST_FLAG_INLINE == 0,
        Side::To => kind == OP_READ,
    };
    if !is_of_side {
        return None;
    }
    let start = u64::from(local_address);
    in_page(start..start + u64::from(length.max(1)), page)
}

/// The part of a range of addresses that lies in a page: offsets in the page.
pub(crate) fn in_page(addresses: Range<u64>, page: u32) -> Option<Range<u32>> {
    let first = u64::from(page) << PAGE_SHIFT;
    let start = addresses.start.max(first);
    let end = addresses.end.min(first + u64::from(PAGE_BYTES));
    (start < end).then(|| (start - first) as u32..(end - first) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_a_page_are_those_that_posts_of_the_process_name() {
        let mut posted = Posted::new();
        posted.set_owner(1, 5);
        for (offset, value) in [(64, u32::from(OP_WRITE)), (68, 4096), (72, 0x3010)] {
            posted.write(1, offset, value);
        }
        assert_eq!(posted.bytes(5, 3, Side::From), std::slice::from_ref(&(0x10..0x1000)));
        assert_eq!(posted.bytes(5, 4, Side::From), std::slice::from_ref(&(0..0x10)));
        assert!(posted.bytes(5, 5, Side::From).is_empty() && posted.bytes(5, 3, Side::To).is_empty());
        assert!(posted.bytes(4, 3, Side::From).is_empty());
        assert_eq!((posted.processes(4, Side::From), posted.processes(4, Side::To)), (vec![5], vec![]));
        posted.set_owner(1, 6);
        assert!(posted.bytes(6, 3, Side::From).is_empty(), "another process");
    }

    #[test]
    fn ranges_that_touch_become_one() {
        assert_eq!(joined(vec![8..12, 0..4, 4..6, 10..20, 11..12]), [0..6, 8..20]);
    }
}
