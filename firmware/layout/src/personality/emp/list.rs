//! List pages: pages of host memory with the addresses of the pages of a message (E-24, E-25).

use super::descriptor::Page;
use crate::PAGE_BYTES;

/// Bytes of an entry: an address of 8 bytes and a length of 2.
pub const ENTRY_BYTES: u32 = 10;
/// Entries of a list page that name pages of the message.
pub const PAGES: u32 = LINK;
/// The entry that has the address of the next list page.
pub const LINK: u32 = 408;
/// Bytes of a list page that entries fill.
pub const LIST_BYTES: u32 = (LINK + 1) * ENTRY_BYTES;

const _: () = assert!(LIST_BYTES <= PAGE_BYTES && LIST_BYTES + ENTRY_BYTES > PAGE_BYTES);

/// The bytes of an entry.
pub fn entry(page: Page) -> [u8; ENTRY_BYTES as usize] {
    let mut bytes = [0; ENTRY_BYTES as usize];
    let (address, length) = bytes.split_at_mut(8);
    address.copy_from_slice(&page.address.to_le_bytes());
    length.copy_from_slice(&page.bytes.to_le_bytes());
    bytes
}

/// The entry at `number` of a list page whose words `word` gives, by their distance in bytes from
/// its start. An entry begins at a word or in the middle of one.
#[inline(always)]
pub fn read_entry(number: u32, word: impl Fn(u32) -> u32) -> Page {
    let start = number * ENTRY_BYTES;
    let at = start & !3;
    let words = [word(at), word(at + 4), word(at + 8)];
    let (low, high, bytes) = match start % 4 {
        0 => (words[0], words[1], words[2]),
        _ => (words[0] >> 16 | words[1] << 16, words[1] >> 16 | words[2] << 16, words[2] >> 16),
    };
    Page { address: u64::from(low) | u64::from(high) << 32, bytes: bytes as u16 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_of_a_list_page_is_read_as_it_was_written() {
        let page = |n: u32| Page { address: u64::from(n) * 0x1_0001_0003 + 0xABCD, bytes: (n * 7 + 1) as u16 };
        let mut bytes = [0; PAGE_BYTES as usize];
        for n in 0..=LINK {
            let start = (n * ENTRY_BYTES) as usize;
            bytes[start..start + 10].copy_from_slice(&entry(page(n)));
        }
        let word = |at: u32| {
            let at = at as usize;
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        for n in 0..=LINK {
            assert_eq!(read_entry(n, word), page(n), "{n}");
        }
    }
}
