//! Sets and queues of records.

/// Records, with room for 256.
#[derive(Clone, Copy, Debug)]
pub(super) struct Set([u32; 8]);

impl Set {
    pub const EMPTY: Set = Set([0; 8]);

    #[inline(always)]
    pub fn insert(&mut self, record: u32) {
        self.0[record as usize / 32 % 8] |= 1 << (record % 32);
    }

    #[inline(always)]
    pub fn remove(&mut self, record: u32) {
        self.0[record as usize / 32 % 8] &= !(1 << (record % 32));
    }

    #[inline(always)]
    pub fn has(&self, record: u32) -> bool {
        self.0[record as usize / 32 % 8] & 1 << (record % 32) != 0
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// The first member from `first` on.
    pub fn next(&self, first: u32) -> Option<u32> {
        let mut number = first as usize / 32;
        let mut word = self.0.get(number)? & u32::MAX << (first % 32);
        while word == 0 {
            number += 1;
            word = *self.0.get(number)?;
        }
        Some(32 * number as u32 + word.trailing_zeros())
    }
}

/// A queue of records, each of them in it at most once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fifo {
    ring: [u8; 256],
    first: u32,
    end: u32,
    members: Set,
}

impl Fifo {
    pub const EMPTY: Fifo = Fifo { ring: [0; 256], first: 0, end: 0, members: Set::EMPTY };

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.first == self.end
    }

    /// How many records are in the queue.
    pub fn len(&self) -> u32 {
        self.end.wrapping_sub(self.first)
    }

    /// The record that comes next.
    #[inline(always)]
    pub fn front(&self) -> Option<u32> {
        if self.is_empty() {
            return None;
        }
        Some(u32::from(self.ring[self.first as usize % 256]))
    }

    /// Adds a record at the end, if it is not in the queue.
    #[inline(always)]
    pub fn push(&mut self, record: u32) {
        if self.members.has(record) {
            return;
        }
        self.members.insert(record);
        self.ring[self.end as usize % 256] = record as u8;
        self.end = self.end.wrapping_add(1);
    }

    /// Whether a record is in the queue.
    #[inline(always)]
    pub fn has(&self, record: u32) -> bool {
        self.members.has(record)
    }

    /// Removes a record, wherever it stands.
    pub fn remove(&mut self, record: u32) {
        for _ in 0..self.len() {
            let Some(front) = self.front() else { return };
            self.pop();
            if front != record {
                self.push(front);
            }
        }
    }

    /// Removes the record that comes next.
    #[inline(always)]
    pub fn pop(&mut self) {
        if let Some(record) = self.front() {
            self.members.remove(record);
            self.first = self.first.wrapping_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_in_a_queue_once() {
        let mut queue = Fifo::EMPTY;
        for round in 0..300_u32 {
            for record in [3, 199, 3, 0, 199] {
                queue.push(record);
            }
            assert_eq!(queue.len(), 3, "round {round}");
            for record in [3, 199, 0] {
                assert_eq!(queue.front(), Some(record), "round {round}");
                queue.pop();
            }
            assert!(queue.is_empty() && queue.front().is_none());
        }
    }

    #[test]
    fn a_record_leaves_the_middle_of_a_queue() {
        let mut queue = Fifo::EMPTY;
        for record in [3, 199, 0, 7] {
            queue.push(record);
        }
        queue.remove(199);
        queue.remove(8);
        assert!(queue.has(0) && !queue.has(199));
        for record in [3, 0, 7] {
            assert_eq!(queue.front(), Some(record));
            queue.pop();
        }
        assert!(queue.is_empty());
    }

    #[test]
    fn a_set_finds_its_members_in_order() {
        let mut set = Set::EMPTY;
        assert!(set.is_empty());
        for record in [0, 31, 32, 199] {
            set.insert(record);
        }
        set.remove(31);
        assert_eq!([set.next(0), set.next(1), set.next(33), set.next(200)], [Some(0), Some(32), Some(199), None]);
        assert_eq!((set.next(255), set.next(256)), (None, None));
        assert!(set.has(199) && !set.has(31) && !set.is_empty());
    }
}
