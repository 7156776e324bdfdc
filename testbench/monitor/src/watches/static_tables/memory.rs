//! The words of the tables as the host writes them, and as the firmware may read them.

use std::collections::VecDeque;

use sim_pins::Ps;

use super::Descriptor;
use crate::context::has_settled;

/// A write that may not have reached the SRAM yet.
struct Change {
    at: Ps,
    index: usize,
    before: u32,
}

pub(super) struct Memory {
    words: Vec<u32>,
    /// Recent writes, in the order of time.
    changes: VecDeque<Change>,
}

impl Memory {
    pub fn new(bytes: u32) -> Memory {
        Memory { words: vec![0; bytes as usize / 4], changes: VecDeque::new() }
    }

    /// The host writes a word. Returns the former word.
    pub fn write(&mut self, at: Ps, offset: u32, value: u32) -> u32 {
        while self.changes.front().is_some_and(|change| has_settled(change.at, at)) {
            self.changes.pop_front();
        }
        let index = offset as usize / 4;
        let before = std::mem::replace(&mut self.words[index], value);
        if before != value {
            self.changes.push_back(Change { at, index, before });
        }
        before
    }

    /// The word that was written last.
    pub fn word(&self, offset: u32) -> u32 {
        self.words[offset as usize / 4]
    }

    /// The values that the firmware may read, the last written first.
    pub fn values(&self, at: Ps, offset: u32) -> impl Iterator<Item = u32> + '_ {
        let index = offset as usize / 4;
        let recent = self.changes.iter().rev().take_while(move |change| !has_settled(change.at, at));
        let before = recent.filter(move |change| change.index == index).map(|change| change.before);
        std::iter::once(self.words[index]).chain(before)
    }

    /// The words of a record as they were written last. Words that a short record lacks are zero.
    pub fn record(&self, offset: u32, bytes: u32) -> Descriptor {
        let mut record = Descriptor::default();
        let words = &self.words[offset as usize / 4..(offset + bytes) as usize / 4];
        record[..words.len()].copy_from_slice(words);
        record
    }

    /// The states of a record that the firmware may read, the last one first.
    pub fn records(&self, at: Ps, offset: u32, bytes: u32) -> Vec<Descriptor> {
        let (first, behind) = (offset as usize / 4, (offset + bytes) as usize / 4);
        let mut record = self.record(offset, bytes);
        let mut records = vec![record];
        for change in self.changes.iter().rev().take_while(|change| !has_settled(change.at, at)) {
            if (first..behind).contains(&change.index) {
                record[change.index - first] = change.before;
                records.push(record);
            }
        }
        records
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_was_replaced_may_be_read_until_the_new_one_has_settled() {
        let mut memory = Memory::new(64);
        let at = Ps::from_us;
        memory.write(at(1), 8, 7);
        memory.write(at(10), 8, 9);
        memory.write(at(12), 12, 3);
        assert_eq!(memory.values(at(13), 8).collect::<Vec<_>>(), [9, 7]);
        assert_eq!(memory.values(at(16), 8).collect::<Vec<_>>(), [9]);
        let firsts = |records: Vec<Descriptor>| records.iter().map(|record| (record[0], record[1])).collect::<Vec<_>>();
        assert_eq!(firsts(memory.records(at(13), 8, 8)), [(9, 3), (9, 0), (7, 0)]);
        assert_eq!(firsts(memory.records(at(16), 8, 8)), [(9, 3), (9, 0)]);
    }
}
