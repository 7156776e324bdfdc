//! Posted writes on their way from the processors to the bus.

use crate::{BusAddr, Word};
use std::collections::VecDeque;

/// Dwords in one entry.
pub(crate) const LINE_WORDS: usize = 8;
const LINE_BYTES: u32 = 4 * LINE_WORDS as u32;

/// Consecutive dwords within one line: one burst.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub addr: BusAddr,
    words: [Word; LINE_WORDS],
    len: usize,
    /// Nothing may join it: it was on the bus, or a read was submitted after it.
    pub closed: bool,
    /// PERR# answered one of its words.
    pub bad_parity: bool,
    pub retries: u32,
    /// Number of this entry since the beginning.
    pub serial: u64,
}

impl Entry {
    pub fn words(&self) -> &[Word] {
        &self.words[..self.len]
    }

    /// Forgets the words that have moved.
    pub fn advance(&mut self, moved: usize) {
        self.words.copy_within(moved..self.len, 0);
        self.len -= moved;
        self.addr = self.addr + 4 * moved as u32;
    }

    fn takes(&self, addr: BusAddr) -> bool {
        !self.closed
            && addr == self.addr + 4 * self.len as u32
            && !addr.starts_block(LINE_BYTES)
            && self.len < LINE_WORDS
    }
}

#[derive(Debug)]
pub(crate) struct WriteBuffer {
    entries: VecDeque<Entry>,
    capacity: usize,
    combining: bool,
    entered: u64,
}

impl WriteBuffer {
    pub fn new(capacity: usize, combining: bool) -> WriteBuffer {
        WriteBuffer { entries: VecDeque::with_capacity(capacity), capacity, combining, entered: 0 }
    }

    /// Takes as many words as find room. Returns how many, and the serial number of the entry that
    /// took the first.
    pub fn accept(&mut self, addr: BusAddr, words: &[Word]) -> (usize, u64) {
        let mut taken = 0;
        let mut first_serial = self.entered + 1;
        // The words of one submission belong together, whatever the setting.
        let mut join = self.combining;
        while taken < words.len() {
            let addr = addr + 4 * taken as u32;
            let has_room = self.entries.len() < self.capacity;
            match self.entries.back_mut() {
                Some(entry) if join && entry.takes(addr) => {
                    if taken == 0 {
                        first_serial = entry.serial;
                    }
                    entry.words[entry.len] = words[taken];
                    entry.len += 1;
                }
                _ if has_room => {
                    let mut line = [Word::default(); LINE_WORDS];
                    line[0] = words[taken];
                    self.entered += 1;
                    let serial = self.entered;
                    self.entries.push_back(Entry {
                        addr,
                        words: line,
                        len: 1,
                        closed: false,
                        bad_parity: false,
                        retries: 0,
                        serial,
                    });
                }
                _ => break,
            }
            join = true;
            taken += 1;
        }
        (taken, first_serial)
    }

    /// Keeps later writes out of the entries that are here.
    pub fn close(&mut self) {
        if let Some(entry) = self.entries.back_mut() {
            entry.closed = true;
        }
    }

    pub fn front_mut(&mut self) -> Option<&mut Entry> {
        self.entries.front_mut()
    }

    pub fn front(&self) -> Option<&Entry> {
        self.entries.front()
    }

    pub fn pop(&mut self) -> Option<Entry> {
        self.entries.pop_front()
    }

    pub fn clear(&mut self) {
        self.entries.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Serial number of the entry that entered last.
    pub fn last_serial(&self) -> u64 {
        self.entered
    }

    /// True when every entry up to this serial number has left.
    pub fn has_flushed(&self, serial: u64) -> bool {
        self.entries.front().is_none_or(|entry| entry.serial > serial)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(data: u32) -> Word {
        Word::full(data)
    }

    #[test]
    fn ascending_dwords_of_a_line_share_an_entry() {
        let mut buffer = WriteBuffer::new(2, true);
        assert_eq!(buffer.accept(BusAddr(0x18), &[word(1)]).0, 1);
        assert_eq!(buffer.accept(BusAddr(0x1C), &[word(2)]).0, 1);
        assert_eq!(buffer.front().unwrap().words(), [word(1), word(2)]);
        assert_eq!(buffer.accept(BusAddr(0x20), &[word(3)]).0, 1, "the next line needs the second entry");
        assert_eq!(buffer.accept(BusAddr(0x1C), &[word(4)]).0, 0, "a third entry does not exist");
    }

    #[test]
    fn nothing_joins_a_burst_that_was_on_the_bus() {
        let mut buffer = WriteBuffer::new(2, true);
        buffer.accept(BusAddr(0), &[word(1)]);
        buffer.front_mut().unwrap().closed = true;
        buffer.accept(BusAddr(4), &[word(2)]);
        assert_eq!(buffer.front().unwrap().words().len(), 1);
        assert_eq!(buffer.last_serial(), 2);
    }

    #[test]
    fn without_combining_each_submission_is_its_own_burst() {
        let mut buffer = WriteBuffer::new(4, false);
        buffer.accept(BusAddr(0), &[word(1), word(2)]);
        buffer.accept(BusAddr(8), &[word(3)]);
        assert_eq!(buffer.front().unwrap().words().len(), 2);
        assert_eq!(buffer.last_serial(), 2);
    }

    #[test]
    fn a_long_write_enters_in_pieces_as_room_appears() {
        let mut buffer = WriteBuffer::new(2, true);
        let words: Vec<Word> = (0..20).map(word).collect();
        assert_eq!(buffer.accept(BusAddr(0x10), &words).0, 12);
        let first = buffer.pop().unwrap();
        assert_eq!(first.words().len(), 4);
        assert_eq!(buffer.accept(BusAddr(0x40), &words[12..]).0, 8);
        assert!(buffer.has_flushed(first.serial) && !buffer.has_flushed(first.serial + 1));
    }

    #[test]
    fn the_remainder_starts_behind_what_moved() {
        let mut buffer = WriteBuffer::new(1, true);
        buffer.accept(BusAddr(0x100), &[word(1), word(2), word(3)]);
        let entry = buffer.front_mut().unwrap();
        entry.advance(2);
        assert_eq!((entry.addr, entry.words()), (BusAddr(0x108), &[word(3)][..]));
    }
}
