//! The descriptors of messages, as the host writes them (docs/emp.md, Descriptors).

use std::collections::{BTreeMap, BTreeSet};

use nic_layout::personality::emp::descriptor::{
    chain_descriptors, chain_pages, left_in_bank, offset_bytes, stat, Descriptor, Format, Page, BANKS_BYTES,
    BANK_BYTES, BANK_DESCRIPTORS, CHAIN_PAGES_MAX, DESCRIPTORS, DESCRIPTOR_BYTES, SEND_DESCRIPTORS,
};
use nic_layout::personality::emp::{MAILBOX_RECEIVE, MAILBOX_SEND};
use nic_layout::registers::{ident, mailbox};
use nic_layout::ring::{COMMAND_CLOSE, COMMAND_MASK, MAILBOX_COMMAND, MAILBOX_COMMAND_DONE};
use nic_layout::WINDOW_OFFSET;

use crate::places::Places;

/// A message that was posted, and that the host has not seen ended.
#[derive(Clone, Debug)]
pub(crate) struct Posting {
    pub descriptor: Descriptor,
    /// The pages of the message; of a list none.
    pub pages: Vec<Page>,
    /// The host has written to the descriptor since. Then what the NIC has read is unknown.
    pub is_wild: bool,
    /// What the host had posted there before, if it has not seen its end. Perhaps the NIC has that,
    /// and ignores the later post.
    pub before: Option<Box<Posting>>,
}

/// What an access of the host means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// The host has posted the descriptor with this number.
    Posts(u32),
    /// The host sees this descriptor ended, with this first byte.
    SeesEnd(u32, u8),
    /// The host knows that all messages of its process have ended.
    SeesClosed,
    /// Anything else.
    Other,
}

/// The host's descriptors, and which of them are posted.
#[derive(Debug)]
pub(crate) struct Descriptors {
    /// What the window shows.
    window: u32,
    words: Vec<u32>,
    posted: BTreeMap<u32, Posting>,
    /// What the access at hand means.
    access: Access,
    /// Descriptors that the host may have written while the NIC had them.
    wild: BTreeSet<u32>,
    /// The driver has commanded that the process be closed, and has not read the answer.
    is_closing: bool,
}

impl Default for Descriptors {
    fn default() -> Descriptors {
        let words = vec![0; BANKS_BYTES as usize / 4];
        let (posted, wild) = (BTreeMap::new(), BTreeSet::new());
        Descriptors { window: 0, words, posted, access: Access::Other, wild, is_closing: false }
    }
}

/// Offset of `address` from `start`, if it lies in the bytes from there.
fn within(address: u32, start: u32, bytes: u32) -> Option<u32> {
    Some(address.wrapping_sub(start)).filter(|offset| *offset < bytes)
}

impl Descriptors {
    /// The offset from the first descriptor that a bus address names, through the window or
    /// directly. `start`: the SRAM offset of the first descriptor.
    fn offset(&self, places: &Places, start: u32, address: u32) -> Option<u32> {
        let in_window = within(address, places.registers + WINDOW_OFFSET, BANK_BYTES);
        let in_sram = in_window.map(|offset| self.window + offset).or_else(|| places.in_sram(address));
        in_sram.and_then(|at| within(at, start, BANKS_BYTES))
    }

    /// The descriptor whose words these bytes are part of, and the offset in it.
    fn number(offset: u32) -> (u32, u32) {
        let (bank, in_bank) = (offset / BANK_BYTES, offset % BANK_BYTES);
        (bank * BANK_DESCRIPTORS + in_bank / DESCRIPTOR_BYTES, in_bank % DESCRIPTOR_BYTES)
    }

    fn words(&self, number: u32) -> [u32; 5] {
        let first = offset_bytes(number) as usize / 4;
        std::array::from_fn(|word| self.words[first + word])
    }

    /// A message that was posted, and that the host has not seen ended.
    pub fn posting(&self, number: u32) -> Option<&Posting> {
        self.posted.get(&number)
    }

    /// All such messages, but for those whose end the host sees now.
    pub fn open(&self) -> impl Iterator<Item = (&u32, &Posting)> {
        let has_ended = |number: u32| match self.access {
            Access::SeesEnd(ended, _) => ended == number,
            Access::SeesClosed => true,
            Access::Posts(_) | Access::Other => false,
        };
        self.posted.iter().filter(move |(number, _)| !has_ended(**number))
    }

    /// What the access at hand means.
    pub fn access(&self) -> Access {
        self.access
    }

    /// The host writes a word.
    pub fn write(&mut self, places: &Places, start: u32, address: u32, value: u32) {
        self.settle();
        let register = address.wrapping_sub(places.registers);
        if register == mailbox::TO_NIC.at(MAILBOX_COMMAND).offset().0 {
            self.is_closing = value & COMMAND_MASK == COMMAND_CLOSE;
        } else if register == ident::WINDOW_BASE.offset().0 {
            self.window = value;
        } else if register == mailbox::TO_NIC.at(MAILBOX_SEND).offset().0 {
            self.post(value, true);
        } else if register == mailbox::TO_NIC.at(MAILBOX_RECEIVE).offset().0 {
            self.post(value, false);
        } else if let Some(offset) = self.offset(places, start, address) {
            self.words[offset as usize / 4] = value;
            let (number, _) = Descriptors::number(offset);
            for (first, posting) in &mut self.posted {
                let more = chain_descriptors(CHAIN_PAGES_MAX) * u32::from(posting.descriptor.format == Format::Chain);
                if (*first..=first + more).contains(&number) {
                    posting.is_wild = true;
                    self.wild.insert(*first);
                }
            }
        }
    }

    /// The host has written a number to a mailbox of posts.
    fn post(&mut self, number: u32, is_send: bool) {
        if number >= DESCRIPTORS || (number < SEND_DESCRIPTORS) != is_send {
            return;
        }
        let Ok(descriptor) = Descriptor::read(self.words(number)) else { return };
        if descriptor.stat != stat::POSTED {
            return;
        }
        let mut pages = Vec::new();
        if descriptor.format != Format::List {
            pages.push(Page { address: descriptor.address, bytes: descriptor.page_bytes });
        }
        if descriptor.format == Format::Chain {
            let more = chain_descriptors(CHAIN_PAGES_MAX).min(left_in_bank(number));
            pages.extend((1..more).flat_map(|next| chain_pages(self.words(number + next))));
        }
        let is_wild = self.wild.contains(&number);
        let before = self.posted.remove(&number).and_then(|before| {
            let is_same = before.descriptor == descriptor && before.pages == pages;
            if is_same {
                before.before
            } else {
                Some(Box::new(before))
            }
        });
        self.posted.insert(number, Posting { descriptor, pages, is_wild, before });
        self.access = Access::Posts(number);
    }

    /// The host reads a word.
    pub fn read(&mut self, places: &Places, start: u32, address: u32, value: u32) {
        self.settle();
        let answer = places.registers + mailbox::TO_HOST.at(MAILBOX_COMMAND_DONE).offset().0;
        if address == answer {
            // The mailbox keeps the answer to an earlier command until the next one is answered.
            if self.is_closing && value & COMMAND_MASK == COMMAND_CLOSE {
                self.is_closing = false;
                self.access = Access::SeesClosed;
            }
        } else if let Some(offset) = self.offset(places, start, address) {
            let (number, in_descriptor) = Descriptors::number(offset);
            if in_descriptor == 0 && stat::has_ended(value as u8) {
                self.access = Access::SeesEnd(number, value as u8);
            }
        }
    }

    /// All watches have seen the access before: what has ended is not posted any more.
    fn settle(&mut self) {
        match self.access {
            Access::SeesEnd(number, _) => {
                self.posted.remove(&number);
                self.wild.remove(&number);
            }
            Access::SeesClosed => {
                self.posted.clear();
                self.wild.clear();
            }
            Access::Posts(_) | Access::Other => {}
        }
        self.access = Access::Other;
    }
}
