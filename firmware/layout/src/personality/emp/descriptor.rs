//! Descriptors: what the host fills, and what the NIC answers (E-22 to E-29).

use super::MESSAGE_BYTES_MAX;
use crate::PAGE_BYTES;

/// Bytes of a descriptor.
pub const DESCRIPTOR_BYTES: u32 = 20;
/// Descriptors that send: the numbers below this.
pub const SEND_DESCRIPTORS: u32 = 200;
/// Descriptors that receive: the numbers from [`SEND_DESCRIPTORS`] on.
pub const RECEIVE_DESCRIPTORS: u32 = 440;
/// All descriptors.
pub const DESCRIPTORS: u32 = SEND_DESCRIPTORS + RECEIVE_DESCRIPTORS;
/// Bytes of a bank: the window of the host shows a whole one.
pub const BANK_BYTES: u32 = 2048;
/// Descriptors in each bank but the last.
pub const BANK_DESCRIPTORS: u32 = BANK_BYTES / DESCRIPTOR_BYTES;
/// Banks.
pub const BANKS: u32 = DESCRIPTORS.div_ceil(BANK_DESCRIPTORS);
/// Bytes of all banks.
pub const BANKS_BYTES: u32 = BANKS * BANK_BYTES;

/// Offset of a descriptor from the first bank, in bytes. `number` is below [`DESCRIPTORS`].
pub const fn offset_bytes(number: u32) -> u32 {
    number / BANK_DESCRIPTORS * BANK_BYTES + number % BANK_DESCRIPTORS * DESCRIPTOR_BYTES
}

/// How many descriptors stand from this one to the end of its bank, this one included.
pub const fn left_in_bank(number: u32) -> u32 {
    let in_bank = BANK_DESCRIPTORS - number % BANK_DESCRIPTORS;
    let in_all = DESCRIPTORS.saturating_sub(number);
    if in_bank < in_all {
        in_bank
    } else {
        in_all
    }
}

/// The first byte of a descriptor: whose it is, and how it ended.
pub mod stat {
    /// In the pool of the host.
    pub const FREE: u8 = 0;
    /// Filled by the host; the NIC has not read it.
    pub const POSTED: u8 = 1;
    /// The NIC has read it.
    pub const TAKEN: u8 = 2;
    /// The message is there, or its receiver has accepted it.
    pub const DONE: u8 = 3;
    /// The message has failed; the other bits are a [`super::Failure`].
    pub const FAILED: u8 = 16;

    /// Whether the descriptor is the host's again.
    pub const fn has_ended(stat: u8) -> bool {
        stat == DONE || stat & 0xF0 == FAILED
    }
}

/// Why a message has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Failure {
    /// No such format or node, a length beyond the longest, a chain beyond its bank.
    BadDescriptor = 0,
    /// Pages of wrong lengths or addresses, or too few of them.
    BadList = 1,
    /// The PCI bus ended a DMA of the message or of its list.
    BusError = 2,
    /// The peer has not answered.
    Unreachable = 3,
    /// The peer has another session now.
    PeerRestarted = 4,
    /// The receive is shorter than the message.
    Truncated = 5,
    /// The other side has given the message up.
    Aborted = 6,
    /// The host has given the message up.
    Cancelled = 7,
    /// The process has no page at an address of the message (`emp-mini` alone).
    BadAddress = 8,
}

impl Failure {
    /// All failures, by their numbers.
    pub const ALL: [Failure; 9] = [
        Failure::BadDescriptor,
        Failure::BadList,
        Failure::BusError,
        Failure::Unreachable,
        Failure::PeerRestarted,
        Failure::Truncated,
        Failure::Aborted,
        Failure::Cancelled,
        Failure::BadAddress,
    ];

    /// The first byte of a descriptor whose message has failed so.
    pub const fn stat(self) -> u8 {
        stat::FAILED | self as u8
    }

    /// The failure of a first byte. `None` if there is no such failure.
    pub fn of_stat(stat: u8) -> Option<Failure> {
        (stat & 0xF0 == stat::FAILED).then(|| Failure::ALL.get(usize::from(stat & 0xF)).copied())?
    }
}

/// How a descriptor names the pages of its message (E-24).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Format {
    /// At most one page.
    Page = 0,
    /// Two to seven pages, in this descriptor and those behind it.
    Chain = 1,
    /// Any number of pages, in list pages ([`super::list`]).
    List = 2,
}

/// Bit of the second byte: a receive takes messages of any node.
pub const ANY_SOURCE: u8 = 0x80;
/// Bit of the second byte: a receive takes messages of any tag below [`RESERVED_TAG_MIN`].
pub const ANY_TAG: u8 = 0x40;
/// Tags from here on belong to libraries above: only a receive that asks for such a tag takes its
/// message.
pub const RESERVED_TAG_MIN: u16 = 0x8000;
/// Pages of a chain at most.
pub const CHAIN_PAGES_MAX: u32 = 7;

/// Descriptors that a chain of so many pages takes.
pub const fn chain_descriptors(pages: u32) -> u32 {
    1 + pages.saturating_sub(1).div_ceil(2)
}

/// The words of a first descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// The first byte.
    pub stat: u8,
    /// The format. A number that is none is not decoded.
    pub format: Format,
    /// `ANY_SOURCE` and `ANY_TAG`.
    pub flags: u8,
    /// The node to send to, or to receive from.
    pub node: u16,
    /// The tag.
    pub tag: u16,
    /// Bytes of the first page, or of nothing if the format is a list.
    pub page_bytes: u16,
    /// Bytes of the message, or room for it.
    pub length_bytes: u32,
    /// Physical address of the first page, or of the first list page.
    pub address: u64,
}

impl Descriptor {
    /// The words as they stand in the SRAM.
    pub const fn words(&self) -> [u32; 5] {
        [
            self.stat as u32 | (self.format as u32 | self.flags as u32) << 8 | (self.node as u32) << 16,
            self.tag as u32 | (self.page_bytes as u32) << 16,
            self.length_bytes,
            self.address as u32,
            (self.address >> 32) as u32,
        ]
    }

    /// The descriptor of five words.
    ///
    /// # Errors
    /// [`Failure::BadDescriptor`]: no such format, or a message beyond the longest.
    pub const fn read(words: [u32; 5]) -> Result<Descriptor, Failure> {
        let [head, tag, length_bytes, low, high] = words;
        let format = match (head >> 8) as u8 & !(ANY_SOURCE | ANY_TAG) {
            0 => Format::Page,
            1 => Format::Chain,
            2 => Format::List,
            _ => return Err(Failure::BadDescriptor),
        };
        if length_bytes > MESSAGE_BYTES_MAX {
            return Err(Failure::BadDescriptor);
        }
        Ok(Descriptor {
            stat: head as u8,
            format,
            flags: (head >> 8) as u8 & (ANY_SOURCE | ANY_TAG),
            node: (head >> 16) as u16,
            tag: tag as u16,
            page_bytes: (tag >> 16) as u16,
            length_bytes,
            address: low as u64 | (high as u64) << 32,
        })
    }
}

/// A page of a message: a run of bytes that does not cross a page of physical memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Physical address of the first byte.
    pub address: u64,
    /// Bytes.
    pub bytes: u16,
}

impl Page {
    /// Whether the run has at least one byte, stays in one page, and in an address space of 32
    /// bits: the DMA engines have no more.
    pub const fn is_good(self) -> bool {
        let in_page = self.address as u32 % PAGE_BYTES;
        self.bytes != 0 && in_page + self.bytes as u32 <= PAGE_BYTES && self.address >> 32 == 0
    }
}

/// The words of a descriptor of a chain that is not the first: two pages.
pub const fn chain_words(pages: [Page; 2]) -> [u32; 5] {
    let [one, other] = pages;
    [
        one.address as u32,
        (one.address >> 32) as u32,
        other.address as u32,
        (other.address >> 32) as u32,
        one.bytes as u32 | (other.bytes as u32) << 16,
    ]
}

/// The pages of such a descriptor.
pub fn chain_pages(words: [u32; 5]) -> [Page; 2] {
    [0, 1].map(|number| chain_page(number, |at| words[at as usize / 4]))
}

/// Page 0 or 1 of such a descriptor, whose words `word` gives by their distance in bytes from its
/// start.
#[inline(always)]
pub fn chain_page(number: u32, word: impl Fn(u32) -> u32) -> Page {
    let (low, high) = (word(8 * number), word(8 * number + 4));
    Page { address: u64::from(low) | u64::from(high) << 32, bytes: (word(16) >> (16 * number)) as u16 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_lie_in_banks_that_the_window_shows_whole() {
        assert_eq!((DESCRIPTORS, BANKS, BANKS_BYTES), (640, 7, 14_336));
        assert_eq!((offset_bytes(0), offset_bytes(101), offset_bytes(102)), (0, 2020, 2048));
        for number in 0..DESCRIPTORS {
            let first = offset_bytes(number);
            assert_eq!(first / BANK_BYTES, (first + DESCRIPTOR_BYTES - 1) / BANK_BYTES, "{number}");
            assert!(number == 0 || first >= offset_bytes(number - 1) + DESCRIPTOR_BYTES);
            assert_eq!(first % 4, 0);
        }
        assert_eq!((left_in_bank(0), left_in_bank(101), left_in_bank(639)), (102, 1, 1));
    }

    #[test]
    fn a_chain_of_seven_pages_takes_four_descriptors() {
        assert_eq!([1, 2, 3, 4, 5, 6, 7].map(chain_descriptors), [1, 2, 2, 3, 3, 4, 4]);
    }

    #[test]
    fn a_descriptor_survives_its_words() {
        let descriptor = Descriptor {
            stat: stat::POSTED,
            format: Format::List,
            flags: ANY_TAG,
            node: 0x1234,
            tag: 0xFEDC,
            page_bytes: 4096,
            length_bytes: MESSAGE_BYTES_MAX,
            address: 0x89AB_CDEF_0123_4000,
        };
        assert_eq!(Descriptor::read(descriptor.words()), Ok(descriptor));
        let [head, tag, _, low, high] = descriptor.words();
        let too_long = [head, tag, MESSAGE_BYTES_MAX + 1, low, high];
        assert_eq!(Descriptor::read(too_long), Err(Failure::BadDescriptor));
        for format in 3..64 {
            let other = [head & !0x3F00 | format << 8, tag, 0, low, high];
            assert_eq!(Descriptor::read(other), Err(Failure::BadDescriptor), "{format}");
        }
    }

    #[test]
    fn the_pages_of_a_chain_survive_their_words() {
        let pages = [Page { address: 0x1_2345_6789, bytes: 0x0FED }, Page { address: 4095, bytes: 1 }];
        assert_eq!(chain_pages(chain_words(pages)), pages);
    }

    #[test]
    fn a_page_stays_in_one_page() {
        let is_good = |address, bytes| Page { address, bytes }.is_good();
        assert!(is_good(0, 4096) && is_good(4095, 1) && is_good(0xFFFF_F000, 4096));
        assert!(!is_good(0, 0) && !is_good(1, 4096) && !is_good(4095, 2) && !is_good(1 << 32, 1));
    }

    #[test]
    fn every_failure_has_its_first_byte() {
        for failure in Failure::ALL {
            assert_eq!(Failure::of_stat(failure.stat()), Some(failure));
            assert!(stat::has_ended(failure.stat()));
        }
        for stat in [stat::FREE, stat::POSTED, stat::TAKEN] {
            assert!(!stat::has_ended(stat) && Failure::of_stat(stat).is_none());
        }
        assert!(stat::has_ended(stat::DONE) && Failure::of_stat(stat::DONE).is_none());
    }
}
