use nic_device::{rarely, Place, Words};
use nic_layout::personality::emp::descriptor::{self, Failure, Format, Page, CHAIN_PAGES_MAX, DESCRIPTOR_BYTES};
use nic_layout::personality::emp::list;

/// List pages of host memory that are in the SRAM.
pub trait Lists {
    /// Where the list page with this bus address stands. `None` if it is not in the SRAM.
    fn find(&self, address: u32) -> Option<Place>;
}

/// Bytes of a message that are together in host memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Bus address of the first byte.
    pub address: u32,
    /// Bytes to the end of their page.
    pub bytes: u32,
}

impl Run {
    /// No bytes.
    pub const EMPTY: Run = Run { address: 0, bytes: 0 };
}

/// What [`Cursor::seek`] has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The byte is the first of this run.
    Run(Run),
    /// The list page at this bus address is needed first. The next [`Cursor::seek`] goes on. The
    /// list page may be in the SRAM already: the walk ends at each link, so that it has a bound.
    Load(u32),
    /// The pages are wrong, or end before the byte.
    Bad(Failure),
}

/// A page of a message, and the way to the others.
///
/// The cursor stays in the record of its message, in the SRAM: [`Cursor::WORDS`] words. A seek
/// loads three of them if the byte is in the present page.
#[derive(Clone, Copy, Debug)]
pub struct Cursor(Place);

/// Where in the message the present page begins, in bytes.
const START: u32 = 0;
/// Bytes of the present page. 0: the cursor stands before its first page.
const BYTES: u32 = 4;
/// Bus address of the present page.
const ADDRESS: u32 = 8;
/// Number of the present page in its chain or list page; from bit 16 on the format.
const INDEX: u32 = 12;
/// Bus address of the present list page.
const LIST: u32 = 16;
/// Where in the message the first page of the present list page begins, in bytes.
const LIST_START: u32 = 20;
/// Bus address of the first page, or of the first list page.
const FIRST: u32 = 24;
/// Bytes of the first page; of a list: not used.
const FIRST_BYTES: u32 = 28;

const FORMAT_SHIFT: u32 = 16;
const INDEX_MASK: u32 = 0xFFFF;

impl Cursor {
    /// Words of a cursor in the SRAM.
    pub const WORDS: u32 = 8;

    /// The cursor at a place.
    #[inline(always)]
    pub const fn at(place: Place) -> Cursor {
        Cursor(place)
    }

    /// Stands on the first page of a message: `first` of the descriptor, or the list page that it
    /// names.
    ///
    /// # Errors
    /// [`Failure::BadList`]: the page is not one page of an address space of 32 bits.
    pub fn start(self, words: &mut impl Words, format: Format, first: Page) -> Result<(), Failure> {
        let is_good = match format {
            // A message of no bytes needs no page.
            Format::Page => first.bytes == 0 || first.is_good(),
            Format::Chain => first.is_good(),
            Format::List => first.address >> 32 == 0 && first.address % 4 == 0,
        };
        if !is_good {
            return Err(Failure::BadList);
        }
        if format == Format::Page {
            self.stand_on(words, first);
            return Ok(());
        }
        rarely();
        let (address, bytes) = (first.address as u32, u32::from(first.bytes));
        words.put(self.0, INDEX, (format as u32) << FORMAT_SHIFT);
        words.put(self.0, FIRST, address);
        words.put(self.0, FIRST_BYTES, bytes);
        self.go_to_first(words, format as u32);
        Ok(())
    }

    /// Stands on the only page of a message, which is good, or empty.
    #[inline(always)]
    pub fn stand_on(self, words: &mut impl Words, page: Page) {
        words.put(self.0, START, 0);
        words.put(self.0, BYTES, u32::from(page.bytes));
        words.put(self.0, ADDRESS, page.address as u32);
        words.put(self.0, INDEX, (Format::Page as u32) << FORMAT_SHIFT);
    }

    fn go_to_first(self, words: &mut impl Words, format: u32) {
        let (address, bytes) = (words.get(self.0, FIRST), words.get(self.0, FIRST_BYTES));
        let is_list = format == Format::List as u32;
        words.put(self.0, START, 0);
        words.put(self.0, BYTES, if is_list { 0 } else { bytes });
        words.put(self.0, ADDRESS, address);
        words.put(self.0, INDEX, format << FORMAT_SHIFT);
        words.put(self.0, LIST, address);
        words.put(self.0, LIST_START, 0);
    }

    /// The run from a byte of the message on, if the byte is in the present page.
    #[inline(always)]
    pub fn here(self, words: &impl Words, offset_bytes: u32) -> Option<Run> {
        let (start, bytes) = (words.get(self.0, START), words.get(self.0, BYTES));
        let address = words.get(self.0, ADDRESS);
        let distance = offset_bytes.wrapping_sub(start);
        (distance < bytes).then(|| Run { address: address.wrapping_add(distance), bytes: bytes - distance })
    }

    /// The run from the first byte of the message on, if the cursor has not moved. No bytes: the
    /// first page is in a list page.
    #[inline(always)]
    pub fn first(self, words: &impl Words) -> Run {
        Run { address: words.get(self.0, ADDRESS), bytes: words.get(self.0, BYTES) }
    }

    /// Goes to the page behind the present one, which is not empty and ends before this byte. No
    /// bytes: the cursor has not moved, and [`Self::seek`] says why not.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text.walk")]
    pub fn step(self, words: &mut impl Words, lists: &impl Lists, chain: Place, offset_bytes: u32) -> Run {
        let word = words.get(self.0, INDEX);
        let (format, index) = (word >> FORMAT_SHIFT, (word & INDEX_MASK) + 1);
        let mut page = Page { address: 0, bytes: 0 };
        if format == Format::Chain as u32 && index < CHAIN_PAGES_MAX {
            page = chain_page(words, chain, index);
        } else if format == Format::List as u32 && index < list::LINK {
            if let Some(entries) = lists.find(words.get(self.0, LIST)) {
                page = list::read_entry(index, |at| words.get(entries, at));
            }
        }
        if !page.is_good() {
            rarely();
            return Run::EMPTY;
        }
        let (address, bytes) = (page.address as u32, u32::from(page.bytes));
        words.put(self.0, START, offset_bytes);
        words.put(self.0, BYTES, bytes);
        words.put(self.0, ADDRESS, address);
        words.put(self.0, INDEX, word + 1);
        Run { address, bytes }
    }

    /// Goes to the page of a byte behind the present page. No bytes: [`Self::seek`] says why not.
    #[inline(always)]
    pub fn go_to(self, words: &mut impl Words, lists: &impl Lists, chain: Place, offset_bytes: u32) -> Run {
        match self.walk(words, lists, chain, offset_bytes) {
            Step::Run(run) => run,
            _ => Run::EMPTY,
        }
    }

    /// The run from a byte of the message on. `chain`: the first descriptor of the message.
    pub fn seek(self, words: &mut impl Words, lists: &impl Lists, chain: Place, offset_bytes: u32) -> Step {
        match self.here(words, offset_bytes) {
            Some(run) => Step::Run(run),
            None => self.walk(words, lists, chain, offset_bytes),
        }
    }

    #[inline(never)]
    fn walk(self, words: &mut impl Words, lists: &impl Lists, chain: Place, offset_bytes: u32) -> Step {
        let index = words.get(self.0, INDEX);
        match index >> FORMAT_SHIFT {
            format if format == Format::List as u32 => self.walk_list(words, lists, offset_bytes),
            format if format == Format::Chain as u32 => self.walk_chain(words, chain, offset_bytes),
            _ => Step::Bad(Failure::BadList),
        }
    }

    /// Goes on from the present page, or begins anew for a byte before it.
    fn walk_chain(self, words: &mut impl Words, chain: Place, offset_bytes: u32) -> Step {
        if offset_bytes < words.get(self.0, START) {
            self.go_to_first(words, Format::Chain as u32);
        }
        let (mut start, mut bytes) = (words.get(self.0, START), words.get(self.0, BYTES));
        let mut index = words.get(self.0, INDEX) & INDEX_MASK;
        let mut address = words.get(self.0, ADDRESS);
        while offset_bytes - start >= bytes {
            start += bytes;
            index += 1;
            if index == CHAIN_PAGES_MAX {
                return Step::Bad(Failure::BadList);
            }
            let page = chain_page(words, chain, index);
            if !page.is_good() {
                return Step::Bad(Failure::BadList);
            }
            (address, bytes) = (page.address as u32, u32::from(page.bytes));
        }
        self.stand(words, Format::Chain, index, start, address, bytes);
        Step::Run(Run { address: address + (offset_bytes - start), bytes: bytes - (offset_bytes - start) })
    }

    fn walk_list(self, words: &mut impl Words, lists: &impl Lists, offset_bytes: u32) -> Step {
        if offset_bytes < words.get(self.0, LIST_START) {
            // Addresses of earlier list pages are not kept.
            self.go_to_first(words, Format::List as u32);
        }
        let address = words.get(self.0, LIST);
        let Some(entries) = lists.find(address) else { return Step::Load(address) };
        let page_at = |words: &_, index| list::read_entry(index, |at| Words::get(words, entries, at));

        let mut index = words.get(self.0, INDEX) & INDEX_MASK;
        let mut start = words.get(self.0, START);
        if offset_bytes < start {
            // Backward. The first page of the list page begins at LIST_START, so this ends.
            while offset_bytes < start {
                let Some(before) = index.checked_sub(1) else { return Step::Bad(Failure::BadList) };
                index = before;
                // A list that changes under the walk may say anything.
                start = start.wrapping_sub(u32::from(page_at(words, before).bytes));
            }
        } else {
            // Behind the present page, unless the cursor stands before its first.
            let bytes = words.get(self.0, BYTES);
            start = start.wrapping_add(bytes);
            index += u32::from(bytes != 0);
        }
        loop {
            if index == list::LINK {
                return self.follow(words, page_at(words, index), start);
            }
            let page = page_at(words, index);
            if !page.is_good() {
                return Step::Bad(Failure::BadList);
            }
            let bytes = u32::from(page.bytes);
            let distance = offset_bytes.wrapping_sub(start);
            if distance < bytes {
                self.stand(words, Format::List, index, start, page.address as u32, bytes);
                return Step::Run(Run { address: page.address as u32 + distance, bytes: bytes - distance });
            }
            start = start.wrapping_add(bytes);
            index += 1;
        }
    }

    /// Goes to the first page of the list page that `link` names.
    fn follow(self, words: &mut impl Words, link: Page, start: u32) -> Step {
        if link.bytes != 0 || link.address >> 32 != 0 || link.address % 4 != 0 || link.address == 0 {
            return Step::Bad(Failure::BadList);
        }
        let address = link.address as u32;
        words.put(self.0, START, start);
        words.put(self.0, BYTES, 0);
        words.put(self.0, INDEX, (Format::List as u32) << FORMAT_SHIFT);
        words.put(self.0, LIST, address);
        words.put(self.0, LIST_START, start);
        Step::Load(address)
    }

    fn stand(self, words: &mut impl Words, format: Format, index: u32, start: u32, address: u32, bytes: u32) {
        words.put(self.0, START, start);
        words.put(self.0, BYTES, bytes);
        words.put(self.0, ADDRESS, address);
        words.put(self.0, INDEX, index | (format as u32) << FORMAT_SHIFT);
    }
}

/// Page `index` of a chain, 1 to 6.
#[inline(always)]
fn chain_page(words: &impl Words, chain: Place, index: u32) -> Page {
    let at = chain.plus(DESCRIPTOR_BYTES * index.div_ceil(2));
    descriptor::chain_page(1 - index % 2, |word| words.get(at, word))
}
