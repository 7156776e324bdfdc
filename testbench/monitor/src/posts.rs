//! What the processes of a node have posted, from the words that they wrote into their queues.

use nic_layout::post::{OP_READ, OP_WRITE, POST_DESCRIPTOR_BYTES, POST_FLAG_INLINE, POST_QUEUE_ENTRIES};
use nic_layout::{PAGE_SHIFT, PROCESS_SLOTS};

/// Which side of a post a page is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Its data are read from there.
    From,
    /// Its data go there.
    To,
}

#[derive(Clone)]
pub(crate) struct Slot {
    /// The process, 0 before the first.
    pub pid: u32,
    pub status_address: u32,
    /// Words 0 to 2 of each descriptor: operation, length, local address.
    posts: Vec<[u32; 3]>,
    /// Where a page was found last.
    last: usize,
}

pub(crate) struct Posts {
    pub slots: Vec<Slot>,
}

impl Posts {
    pub fn new() -> Posts {
        let posts = vec![[0; 3]; POST_QUEUE_ENTRIES as usize];
        Posts { slots: vec![Slot { pid: 0, status_address: 0, posts, last: 0 }; PROCESS_SLOTS] }
    }

    /// A word at an offset in the table of processes.
    pub fn write_table(&mut self, offset: u32, entry_bytes: u32, value: u32) {
        let Some(slot) = self.slots.get_mut((offset / entry_bytes) as usize) else { return };
        match offset % entry_bytes {
            4 if slot.pid != value => {
                slot.pid = value;
                slot.posts.fill([0; 3]);
            }
            8 => slot.status_address = value,
            _ => {}
        }
    }

    /// A word at an offset in the queue of a slot.
    pub fn write_queue(&mut self, slot: usize, offset: u32, value: u32) {
        let (entry, word) = (offset / POST_DESCRIPTOR_BYTES, offset % POST_DESCRIPTOR_BYTES / 4);
        let post = self.slots.get_mut(slot).and_then(|slot| slot.posts.get_mut(entry as usize));
        if let Some(place) = post.and_then(|post| post.get_mut(word as usize)) {
            *place = value;
        }
    }

    /// Whether a process has a post with this page.
    pub fn has(&mut self, pid: u32, page: u32, side: Side) -> bool {
        let mut slots = self.slots.iter_mut();
        slots.any(|slot| slot.pid & 0xFFF == pid && slot.has(page, side))
    }
}

impl Slot {
    pub fn has(&mut self, page: u32, side: Side) -> bool {
        if covers(&self.posts[self.last], page, side) {
            return true;
        }
        match self.posts.iter().position(|post| covers(post, page, side)) {
            Some(found) => {
                self.last = found;
                true
            }
            None => false,
        }
    }
}

fn covers(&[operation, length, local_address]: &[u32; 3], page: u32, side: Side) -> bool {
    let (kind, flags) = (operation as u8, (operation >> 8) as u8);
    let of_side = match side {
        Side::From => kind == OP_WRITE && flags & POST_FLAG_INLINE == 0,
        Side::To => kind == OP_READ,
    };
    let last = u64::from(local_address) + u64::from(length.max(1)) - 1;
    of_side && local_address >> PAGE_SHIFT <= page && u64::from(page) <= last >> PAGE_SHIFT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_known_by_the_words_of_the_post() {
        let mut posts = Posts::new();
        posts.write_table(32 + 4, 32, 5);
        for (offset, value) in [(64, u32::from(OP_WRITE)), (68, 4096), (72, 0x3010)] {
            posts.write_queue(1, offset, value);
        }
        assert!(posts.has(5, 3, Side::From) && posts.has(5, 4, Side::From) && !posts.has(5, 5, Side::From));
        assert!(!posts.has(5, 3, Side::To) && !posts.has(4, 3, Side::From));
        posts.write_table(32 + 4, 32, 6);
        assert!(!posts.has(6, 3, Side::From), "another process");
    }
}
