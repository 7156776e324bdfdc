//! Messages that the NIC matches: DMA lies in the pages of descriptors that are posted, and of list
//! pages that these name (INV-25, INV-27, INV-36).

use std::collections::BTreeMap;
use std::ops::Range;

use nic_layout::personality::emp::descriptor::{
    chain_descriptors, chain_pages, left_in_bank, offset_bytes, stat, Descriptor, Format, Page, BANKS_BYTES,
    CHAIN_PAGES_MAX, DESCRIPTORS, DESCRIPTOR_BYTES, SEND_DESCRIPTORS,
};
use nic_layout::personality::emp::{list, MAILBOX_RECEIVE, MAILBOX_SEND};
use nic_layout::registers::{ident, mailbox};
use nic_layout::ring::{admitted, COMMAND_ADMIT, COMMAND_CLOSE, COMMAND_MASK, MAILBOX_COMMAND, MAILBOX_COMMAND_DONE};
use nic_layout::{PAGE_BYTES, PAGE_SHIFT, WINDOW_OFFSET};

use super::dma::lies_in;
use super::posts::within;
use super::Watch;
use crate::broken::{broken, Broken};
use crate::context::Context;
use crate::places::Pins;
use crate::tap::Transfer;

/// Bytes of the host's window.
const WINDOW_BYTES: u32 = 2048;

/// A message that was posted, and that the host has not seen ended.
#[derive(Debug)]
struct Posted {
    descriptor: Descriptor,
    /// The pages of a page or of a chain.
    pages: Vec<Range<u32>>,
}

/// Every data phase of the NIC as a master reads from the pages of a posted send, writes to those
/// of a posted receive, or reads a list page.
pub struct Messages {
    /// SRAM offset of the descriptors.
    start: u32,
    /// What the window shows.
    window: u32,
    /// The descriptors as the host wrote them.
    memory: Vec<u32>,
    posted: BTreeMap<u32, Posted>,
    /// List pages that posted descriptors name, as the NIC has read them.
    lists: BTreeMap<u32, Vec<u8>>,
    /// The bytes that were last found to be allowed, for writes or for reads.
    allowed: Option<(bool, Range<u32>)>,
    /// No process has the NIC open, since its driver was told that all messages have ended.
    is_closed: bool,
    /// Addresses are those of a process, with this number.
    space: Option<u32>,
}

impl Messages {
    /// `start`: SRAM offset of the descriptors.
    pub fn new(start: u32) -> Messages {
        Messages {
            start,
            window: 0,
            memory: vec![0; BANKS_BYTES as usize / 4],
            posted: BTreeMap::new(),
            lists: BTreeMap::new(),
            allowed: None,
            is_closed: false,
            space: None,
        }
    }

    /// The same, of a NIC whose descriptors have virtual addresses.
    pub fn with_virtual_addresses(start: u32) -> Messages {
        Messages { space: Some(0), ..Messages::new(start) }
    }

    /// The bus address of an address in a descriptor or a list page. `None`: its page is not pinned
    /// for the process.
    fn on_bus(&self, pins: &dyn Pins, address: u32) -> Option<u32> {
        match self.space {
            Some(pid) => pins.pinned(pid, address >> PAGE_SHIFT).map(|page| page << PAGE_SHIFT | address % PAGE_BYTES),
            None => Some(address),
        }
    }

    /// The byte offset in the SRAM that a bus address names, through the window or directly.
    fn in_sram(&self, context: &Context, address: u32) -> Option<u32> {
        let window = context.places().registers + WINDOW_OFFSET;
        match within(address, window, WINDOW_BYTES) {
            Some(offset) => Some(self.window + offset),
            None => context.places().in_sram(address),
        }
    }

    fn words(&self, number: u32) -> [u32; 5] {
        let first = offset_bytes(number) as usize / 4;
        std::array::from_fn(|word| self.memory[first + word])
    }

    /// The host has written a number to a mailbox of posts.
    fn post(&mut self, number: u32, is_send: bool) {
        let words = if number < DESCRIPTORS { self.words(number) } else { return };
        let Ok(descriptor) = Descriptor::read(words) else { return };
        if descriptor.stat != stat::POSTED || (number < SEND_DESCRIPTORS) != is_send {
            return;
        }
        let range = |page: Page| page.address as u32..page.address as u32 + u32::from(page.bytes);
        let first = range(Page { address: descriptor.address, bytes: descriptor.page_bytes });
        let mut pages = Vec::new();
        match descriptor.format {
            Format::Page => pages.push(first),
            Format::Chain => {
                pages.push(first);
                let more = chain_descriptors(CHAIN_PAGES_MAX).min(left_in_bank(number));
                pages.extend((1..more).flat_map(|next| chain_pages(self.words(number + next))).map(range));
            }
            // What is there now counts: the NIC reads the list page for this message.
            Format::List => _ = self.lists.insert(descriptor.address as u32, vec![0; PAGE_BYTES as usize]),
        }
        self.allowed = None;
        self.is_closed = false;
        self.posted.insert(number, Posted { descriptor, pages });
    }

    /// The pages of a message, as far as its list pages were read.
    fn pages(&self, posted: &Posted) -> Vec<Range<u32>> {
        let mut pages = posted.pages.clone();
        let mut next = (posted.descriptor.format == Format::List).then_some(posted.descriptor.address as u32);
        // A list page may name itself: the walk ends with the message.
        let mut left = posted.descriptor.length_bytes;
        while let Some(list) = next.and_then(|address| self.lists.get(&address)) {
            let word = |at: u32| {
                let at = at as usize;
                u32::from_le_bytes([list[at], list[at + 1], list[at + 2], list[at + 3]])
            };
            let before = left;
            for number in 0..list::PAGES {
                let page = list::read_entry(number, word);
                left = left.saturating_sub(page.bytes.into());
                pages.push(page.address as u32..page.address as u32 + u32::from(page.bytes));
            }
            let link = list::read_entry(list::LINK, word);
            next = (left != 0 && left != before).then_some(link.address as u32);
        }
        pages
    }

    /// The list pages that links name are list pages too.
    fn follow_links(&mut self) {
        let links: Vec<u32> = self
            .lists
            .values()
            .map(|list| {
                let at = (list::LINK * list::ENTRY_BYTES) as usize;
                u32::from_le_bytes([list[at], list[at + 1], list[at + 2], list[at + 3]])
            })
            .filter(|address| *address != 0)
            .collect();
        for address in links {
            self.lists.entry(address).or_insert_with(|| vec![0; PAGE_BYTES as usize]);
        }
    }

    /// The NIC reads from a list page. True if that is allowed.
    fn read_list(&mut self, transfer: &Transfer, phase: &Range<u32>, pins: &dyn Pins) -> bool {
        self.follow_links();
        let starts = self.lists.keys().filter_map(|start| Some((*start, self.on_bus(pins, *start)?)));
        let is_in = |start: u32| start < phase.end && phase.start < start + PAGE_BYTES;
        // The last that begins before the phase ends, if list pages overlap.
        let found = starts.filter(|(_, on_bus)| is_in(*on_bus)).max_by_key(|(_, on_bus)| *on_bus);
        let Some((key, start)) = found else { return false };
        let Some(list) = self.lists.get_mut(&key) else { return false };
        for byte in (0..8).filter(|byte| transfer.byte_enables & 1 << byte != 0) {
            let at = (transfer.address + byte).wrapping_sub(start);
            if let Some(place) = list.get_mut(at as usize) {
                *place = (transfer.data >> (8 * byte)) as u8;
            }
        }
        true
    }

    fn allow(&mut self, transfer: &Transfer, phase: &Range<u32>, pins: &dyn Pins) -> Result<(), Broken> {
        let is_write = transfer.is_write;
        if !is_write && self.read_list(transfer, phase, pins) {
            return Ok(());
        }
        for (number, posted) in &self.posted {
            if (*number < SEND_DESCRIPTORS) == is_write {
                continue;
            }
            let on_bus = |page: Range<u32>| self.on_bus(pins, page.start).map(|start| start..start + page.len() as u32);
            let mut pages = self.pages(posted).into_iter().filter_map(on_bus);
            if let Some(page) = pages.find(|page| lies_in(is_write, phase, page)) {
                self.allowed = Some((is_write, page));
                return Ok(());
            }
        }
        let what = if is_write { "writes to" } else { "reads from" };
        let of = if is_write { "receive" } else { "send" };
        let invariant = match (self.is_closed, is_write) {
            (true, _) => 36,
            (false, true) => 27,
            (false, false) => 25,
        };
        broken(invariant, format!("the NIC {what} {:#x}, which no posted {of} names", phase.start))
    }
}

impl Watch for Messages {
    fn host_writes(&mut self, context: &mut Context, _pins: &dyn Pins, address: u32, value: u32) -> Result<(), Broken> {
        let register = address.wrapping_sub(context.places().registers);
        if register == ident::WINDOW_BASE.offset().0 {
            self.window = value;
        } else if register == mailbox::TO_NIC.at(MAILBOX_SEND).offset().0 {
            self.post(value, true);
        } else if register == mailbox::TO_NIC.at(MAILBOX_RECEIVE).offset().0 {
            self.post(value, false);
        } else if register == mailbox::TO_NIC.at(MAILBOX_COMMAND).offset().0 && value & COMMAND_MASK == COMMAND_ADMIT {
            self.space = self.space.map(|_| admitted(value));
        } else if let Some(at) = self.in_sram(context, address) {
            if let Some(offset) = within(at, self.start, BANKS_BYTES) {
                self.memory[offset as usize / 4] = value;
            }
        }
        Ok(())
    }

    /// The host polls the first word of a descriptor, or reads that a command was obeyed.
    fn host_reads(&mut self, context: &mut Context, address: u32, value: u32) -> Result<(), Broken> {
        let answer = context.places().registers + mailbox::TO_HOST.at(MAILBOX_COMMAND_DONE).offset().0;
        if address == answer && value & COMMAND_MASK == COMMAND_CLOSE {
            self.posted.clear();
            self.lists.clear();
            self.allowed = None;
            self.is_closed = true;
            return Ok(());
        }
        let at = self.in_sram(context, address).and_then(|at| within(at, self.start, BANKS_BYTES));
        if let Some(offset) = at.filter(|_| stat::has_ended(value as u8)) {
            let (bank, in_bank) = (offset / WINDOW_BYTES, offset % WINDOW_BYTES);
            if in_bank % DESCRIPTOR_BYTES == 0 {
                let number = bank * (WINDOW_BYTES / DESCRIPTOR_BYTES) + in_bank / DESCRIPTOR_BYTES;
                self.posted.remove(&number);
                self.allowed = None;
            }
        }
        Ok(())
    }

    /// Where addresses are virtual, what was allowed there is allowed no more.
    fn unpinned(&mut self, _context: &mut Context, _frame: u32) -> Result<(), Broken> {
        self.allowed = None;
        Ok(())
    }

    fn dma(&mut self, _context: &mut Context, pins: &dyn Pins, transfer: &Transfer) -> Result<(), Broken> {
        let Some(phase) = transfer.moved() else { return Ok(()) };
        if let Some((is_write, bytes)) = &self.allowed {
            if *is_write == transfer.is_write && lies_in(*is_write, &phase, bytes) {
                return Ok(());
            }
        }
        self.allow(transfer, &phase, pins)
    }
}
