//! What the processes of a node have posted, from the words that they wrote into their queues, and whose the queues are (INV-39).

use nic_layout::post::{OP_READ, OP_WRITE, POST_DESCRIPTOR_BYTES, POST_FLAG_INLINE, POST_QUEUE_ENTRIES};
use nic_layout::tables::NEXT_OWNER;
use nic_layout::{PAGE_BYTES, PAGE_SHIFT, PROCESS_SLOTS};

use crate::lines::Broken;

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
    /// The queue's words that are not zero, and those of them that a process before this one left there.
    filled: Vec<bool>,
    foreign: Vec<bool>,
    /// Posts that were rung, and those that have ended, as the status page says; free-running.
    rung: u32,
    ended: u32,
}

/// Who gets the next queue, as the driver wrote it.
#[derive(Clone, Copy, Default)]
struct Next {
    pid: u32,
    status_address: u32,
    ended: u32,
}

pub(crate) struct Posts {
    pub slots: Vec<Slot>,
    next: Next,
}

impl Posts {
    pub fn new() -> Posts {
        let posts = vec![[0; 3]; POST_QUEUE_ENTRIES as usize];
        let none = vec![false; PAGE_BYTES as usize / 4];
        let slot =
            Slot { pid: 0, status_address: 0, posts, last: 0, filled: none.clone(), foreign: none, rung: 0, ended: 0 };
        Posts { slots: vec![slot; PROCESS_SLOTS], next: Next::default() }
    }

    /// A word at an offset in the table of processes.
    pub fn write_table(&mut self, offset: u32, entry_bytes: u32, value: u32) {
        if (offset / entry_bytes) as usize == NEXT_OWNER {
            match offset % entry_bytes {
                4 => self.next.pid = value,
                8 => self.next.status_address = value,
                28 => self.next.ended = value,
                _ => {}
            }
            return;
        }
        let Some(slot) = self.slots.get_mut((offset / entry_bytes) as usize) else { return };
        match offset % entry_bytes {
            4 if slot.pid != value => slot.change_hands(value, 0),
            8 => slot.status_address = value,
            _ => {}
        }
    }

    /// A word at an offset in the queue of a slot.
    ///
    /// Zeros are what the driver clears it with, before its new owner sees it; anything else is a post, and then nothing of another process may be left.
    pub fn write_queue(&mut self, slot: usize, offset: u32, value: u32) -> Result<(), Broken> {
        if let Some(owned) = self.slots.get_mut(slot) {
            let place = offset as usize / 4 % owned.filled.len();
            owned.filled[place] = value != 0;
            owned.foreign[place] = false;
            if let Some(left) = owned.foreign.iter().position(|is_foreign| *is_foreign).filter(|_| value != 0) {
                let pid = owned.pid;
                return Err((
                    39,
                    format!(
                        "process {pid} posts in slot {slot}, and word {left} of its queue is what another one left"
                    ),
                ));
            }
        }
        let (entry, word) = (offset / POST_DESCRIPTOR_BYTES, offset % POST_DESCRIPTOR_BYTES / 4);
        let post = self.slots.get_mut(slot).and_then(|slot| slot.posts.get_mut(entry as usize));
        if let Some(place) = post.and_then(|post| post.get_mut(word as usize)) {
            *place = value;
        }
        Ok(())
    }

    /// A doorbell, which the firmware ignores if it is wild.
    pub fn ring(&mut self, slot: usize, value: u32) {
        if let Some(slot) = self.slots.get_mut(slot) {
            let free = POST_QUEUE_ENTRIES.wrapping_sub(slot.rung.wrapping_sub(slot.ended));
            if value.wrapping_sub(slot.rung) <= free {
                slot.rung = value;
            }
        }
    }

    /// A status page says so; low bits.
    pub fn ended(&mut self, slot: usize, low_bits: u32, mask: u32) {
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.ended = slot.ended.wrapping_add(low_bits.wrapping_sub(slot.ended) & mask);
        }
    }

    /// The firmware gives a queue to the next process: all that the one before has posted must have ended.
    pub fn assign(&mut self, slot_number: usize) -> Result<(), Broken> {
        let next = self.next;
        let Some(slot) = self.slots.get_mut(slot_number) else {
            return Err((39, format!("slot {slot_number} gets another owner, and does not exist")));
        };
        let (pid, rung, ended) = (slot.pid, slot.rung, slot.ended);
        slot.change_hands(next.pid, next.ended);
        slot.status_address = next.status_address;
        match (rung.wrapping_sub(ended) as i32) > 0 {
            true => Err((
                39,
                format!(
                    "slot {slot_number} goes from process {pid} to {}, and posts are under way: {rung} were rung, {ended} have ended",
                    next.pid
                ),
            )),
            false => Ok(()),
        }
    }

    /// The firmware has forgotten a slot.
    pub fn close(&mut self, slot: usize) {
        if let Some(slot) = self.slots.get_mut(slot) {
            (slot.rung, slot.ended) = (0, 0);
        }
    }

    /// Whether a process has a post with this page.
    pub fn has(&mut self, pid: u32, page: u32, side: Side) -> bool {
        let mut slots = self.slots.iter_mut();
        slots.any(|slot| slot.pid & 0xFFF == pid && slot.has(page, side))
    }
}

impl Slot {
    fn change_hands(&mut self, pid: u32, ended: u32) {
        self.pid = pid;
        self.posts.fill([0; 3]);
        self.foreign.clone_from(&self.filled);
        (self.rung, self.ended) = (ended, ended);
    }

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
            posts.write_queue(1, offset, value).expect("nothing of another process is there");
        }
        assert!(posts.has(5, 3, Side::From) && posts.has(5, 4, Side::From) && !posts.has(5, 5, Side::From));
        assert!(!posts.has(5, 3, Side::To) && !posts.has(4, 3, Side::From));
        posts.write_table(32 + 4, 32, 6);
        assert!(!posts.has(6, 3, Side::From), "another process");
    }
}
