/// Process slots that have work, in the order in which they are served. At most eight slots, each
/// at most once; a slot takes four bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct SlotQueue {
    /// Slot number plus one; the next to be served in the lowest bits.
    slots: u32,
    shift: u32,
    members: u32,
}

impl SlotQueue {
    /// Number of slots; their numbers are 0 to 7.
    pub const SLOTS: usize = 8;

    /// No slot has work.
    pub const EMPTY: SlotQueue = SlotQueue { slots: 0, shift: 0, members: 0 };

    /// Adds a slot behind all others. A slot that is in the queue stays at its place.
    #[inline(always)]
    pub fn push(&mut self, slot: usize) {
        let slot = slot as u32 & 7;
        if self.members & (1 << slot) == 0 {
            self.members |= 1 << slot;
            self.slots |= (slot + 1) << (self.shift & 31);
            self.shift += 4;
        }
    }

    /// Adds a slot before all others. A slot that is in the queue stays at its place.
    pub fn push_front(&mut self, slot: usize) {
        let slot = slot as u32 & 7;
        if self.members & (1 << slot) == 0 {
            self.members |= 1 << slot;
            self.slots = self.slots << 4 | (slot + 1);
            self.shift += 4;
        }
    }

    /// Takes the next slot out. `None` if the queue is empty.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<usize> {
        if self.slots == 0 {
            return None;
        }
        let slot = (self.slots & 0xF) - 1;
        self.slots >>= 4;
        self.shift -= 4;
        self.members &= !(1 << slot);
        Some(slot as usize)
    }

    /// Whether no slot has work.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.slots == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_served_in_turn_and_once() {
        let mut queue = SlotQueue::EMPTY;
        for slot in [7, 0, 3, 7, 1, 2, 4, 5, 6, 0] {
            queue.push(slot);
        }
        let order: Vec<usize> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, [7, 0, 3, 1, 2, 4, 5, 6]);
        assert!(queue.is_empty());
    }

    #[test]
    fn who_comes_to_the_front_is_next_and_the_others_stay_in_turn() {
        let mut queue = SlotQueue::EMPTY;
        for slot in [3, 1, 4, 0, 2, 5, 6] {
            queue.push(slot);
        }
        queue.push_front(7);
        queue.push_front(4);
        let order: Vec<usize> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, [7, 3, 1, 4, 0, 2, 5, 6]);
        queue.push_front(1);
        queue.push(0);
        assert_eq!([queue.pop(), queue.pop(), queue.pop()], [Some(1), Some(0), None]);
    }
}
