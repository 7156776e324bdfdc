//! List pages that were read into the SRAM.

use core::cell::Cell;

use nic_device::{rarely, Place, Words};
use nic_layout::personality::emp::list::LIST_BYTES;

/// Bytes of a list buffer: those of a list page, and the word that its last entry ends in.
pub const LIST_BUFFER_BYTES: u32 = (LIST_BYTES + 2).next_multiple_of(8);

const HINTS: usize = 4;

/// `N` buffers for list pages. A list page belongs to the record that asked for it: another message
/// may have other words at the same address.
#[derive(Clone, Debug)]
pub struct Buffers<const N: usize> {
    first: u32,
    pages: [Page; N],
    /// The buffer that gives way next.
    next: usize,
    /// The buffers in which list pages were found last, by the lowest bits of their records.
    last: [Cell<u8>; HINTS],
    /// Whether some buffer is not empty.
    is_used: bool,
}

#[derive(Clone, Copy, Debug)]
struct Page {
    record: u16,
    state: State,
    address: u32,
}

impl Page {
    /// Whether it is this list page of a record.
    fn is_loaded(&self, record: u16, address: u32) -> bool {
        self.state == State::Loaded && self.record == record && self.address == address
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Empty,
    Loading,
    Loaded,
}

/// The state of a list page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// It is being read.
    Loading,
    /// It is to be read into the buffer with this number and SRAM offset.
    Load(u32, u32),
    /// Every buffer is being filled.
    NoBuffer,
}

impl<const N: usize> Buffers<N> {
    /// Empty buffers from an SRAM offset on.
    pub const fn new(first: u32) -> Buffers<N> {
        Buffers {
            first,
            pages: [Page { record: 0, state: State::Empty, address: 0 }; N],
            next: 0,
            last: [const { Cell::new(0) }; HINTS],
            is_used: false,
        }
    }

    fn offset(&self, buffer: usize) -> u32 {
        self.first + buffer as u32 * LIST_BUFFER_BYTES
    }

    /// The list pages of a record.
    pub fn of<'a, W: Words>(&'a self, words: &W, record: u32) -> Lists<'a, N> {
        Lists { buffers: self, first: words.place(self.first), record: record as u16 }
    }

    /// Takes a buffer for a list page of a record, unless the page is on its way.
    pub fn want(&mut self, record: u32, address: u32) -> Wanted {
        let is_it = |page: &Page| u32::from(page.record) == record && page.address == address;
        if self.pages.iter().any(|page| page.state == State::Loading && is_it(page)) {
            return Wanted::Loading;
        }
        for _ in 0..N {
            let buffer = self.next;
            self.next = if buffer + 1 == N { 0 } else { buffer + 1 };
            let offset = self.offset(buffer);
            let Some(page) = self.pages.get_mut(buffer) else { break };
            if page.state != State::Loading {
                *page = Page { record: record as u16, state: State::Loading, address };
                self.is_used = true;
                return Wanted::Load(buffer as u32, offset);
            }
        }
        Wanted::NoBuffer
    }

    /// Whether a list page of a record is on its way.
    pub fn is_loading(&self, record: u32) -> bool {
        self.pages.iter().any(|page| page.state == State::Loading && u32::from(page.record) == record)
    }

    /// A buffer was filled.
    pub fn loaded(&mut self, buffer: u32) {
        self.set(buffer, State::Loaded);
    }

    /// A buffer could not be filled. The record that it was for.
    pub fn failed(&mut self, buffer: u32) -> u32 {
        self.set(buffer, State::Empty);
        self.pages.get(buffer as usize).map_or(0, |page| u32::from(page.record))
    }

    fn set(&mut self, buffer: u32, state: State) {
        if let Some(page) = self.pages.get_mut(buffer as usize) {
            page.state = state;
        }
    }

    /// The record has a new message: nothing that was read for it is of use.
    #[inline(always)]
    pub fn forget(&mut self, record: u32) {
        if self.is_used {
            rarely();
            self.forget_pages(record);
        }
    }

    #[cold]
    #[inline(never)]
    fn forget_pages(&mut self, record: u32) {
        for page in &mut self.pages {
            if u32::from(page.record) == record {
                // A page that is being read keeps its buffer. No search finds it.
                page.address = u32::MAX;
                if page.state == State::Loaded {
                    page.state = State::Empty;
                }
            }
        }
        self.is_used = self.pages.iter().any(|page| page.state != State::Empty);
    }
}

/// The list pages of one record.
pub struct Lists<'a, const N: usize> {
    buffers: &'a Buffers<N>,
    first: Place,
    record: u16,
}

impl<const N: usize> nic_scatter::Lists for Lists<'_, N> {
    #[inline(always)]
    fn find(&self, address: u32) -> Option<Place> {
        let Buffers { pages, last, .. } = self.buffers;
        let last = &last[usize::from(self.record) % HINTS];
        if !pages.get(usize::from(last.get())).is_some_and(|page| page.is_loaded(self.record, address)) {
            last.set(self.search(address)? as u8);
        }
        Some(self.first.plus(u32::from(last.get()) * LIST_BUFFER_BYTES))
    }
}

impl<const N: usize> Lists<'_, N> {
    #[inline(never)]
    fn search(&self, address: u32) -> Option<usize> {
        self.buffers.pages.iter().position(|page| page.is_loaded(self.record, address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nic_scatter::Lists as _;

    #[test]
    fn a_list_page_is_found_by_the_record_that_asked_for_it() {
        let words: Vec<u32> = vec![0; 16];
        let mut buffers = Buffers::<2>::new(0x100);
        assert_eq!(buffers.want(5, 0x7000), Wanted::Load(0, 0x100));
        assert_eq!(buffers.want(5, 0x7000), Wanted::Loading);
        assert_eq!(buffers.of(&words, 5).find(0x7000), None);
        assert_eq!(buffers.want(6, 0x7000), Wanted::Load(1, 0x100 + LIST_BUFFER_BYTES));
        assert_eq!(buffers.want(7, 0x8000), Wanted::NoBuffer, "a buffer that is being filled is not taken");
        buffers.loaded(0);
        assert_eq!(buffers.of(&words, 5).find(0x7000), Some(Place(0x100)));
        assert_eq!(buffers.of(&words, 6).find(0x7000), None);
        assert_eq!(buffers.failed(1), 6);
        assert_eq!(buffers.want(7, 0x8000), Wanted::Load(0, 0x100));
        assert_eq!(buffers.of(&words, 5).find(0x7000), None);
    }

    #[test]
    fn a_new_message_of_a_record_finds_nothing_of_the_one_before() {
        let words: Vec<u32> = vec![0; 16];
        let mut buffers = Buffers::<2>::new(0);
        buffers.want(5, 0x7000);
        buffers.loaded(0);
        buffers.want(5, 0x8000);
        buffers.forget(5);
        buffers.loaded(1);
        for address in [0x7000, 0x8000] {
            assert_eq!(buffers.of(&words, 5).find(address), None);
        }
    }
}
