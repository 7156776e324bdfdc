//! Messages that the NIC matches: DMA lies in the pages of descriptors that are posted, and of list
//! pages that these name (INV-25, INV-27, INV-36). A receive ends when its bytes are in host memory
//! (INV-28).

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use nic_layout::personality::emp::descriptor::{stat, Format, Page, SEND_DESCRIPTORS};
use nic_layout::personality::emp::frame::FIRST;
use nic_layout::personality::emp::list;
use nic_layout::registers::mailbox;
use nic_layout::ring::{admitted, COMMAND_ADMIT, COMMAND_MASK, MAILBOX_COMMAND};
use nic_layout::trace::Marker;
use nic_layout::{PAGE_BYTES, PAGE_SHIFT};

use super::frame::Frame;
use crate::broken::{broken, Broken};
use crate::context::{Access, Context, Posting};
use crate::places::Pins;
use crate::tap::Transfer;
use crate::watches::dma::lies_in;
use crate::watches::Watch;

/// The bytes of physical memory that the NIC has written, and when: after how many matches.
#[derive(Default)]
struct Written(HashMap<u32, Box<[u32; PAGE_BYTES as usize]>>);

impl Written {
    fn write(&mut self, bytes: &Range<u32>, now: u32) {
        let page = self.0.entry(bytes.start / PAGE_BYTES).or_insert_with(|| Box::new([0; PAGE_BYTES as usize]));
        let from = (bytes.start % PAGE_BYTES) as usize;
        let end = (from + bytes.len()).min(page.len());
        page[from..end].fill(now);
    }

    /// The first byte that was not written since a match.
    fn missing(&self, bytes: &Range<u32>, since: u32) -> Option<u32> {
        bytes.clone().find(|at| {
            let page = self.0.get(&(at / PAGE_BYTES));
            page.is_none_or(|page| page[(at % PAGE_BYTES) as usize] < since)
        })
    }
}

/// Where addresses are physical, no page is looked up.
struct NoPins;

impl Pins for NoPins {
    fn pinned(&self, _pid: u32, _page: u32) -> Option<u32> {
        None
    }
}

/// Every data phase of the NIC as a master reads from the pages of a posted send, writes to those
/// of a posted receive, or reads a list page. The first of the watches of messages: it records what
/// the others read.
pub struct Messages {
    /// SRAM offset of the descriptors.
    start: u32,
    /// List pages that posted descriptors name, as the NIC has read them.
    lists: BTreeMap<u32, Vec<u8>>,
    /// The bytes that were last found to be allowed, for writes or for reads.
    allowed: Option<(bool, Range<u32>)>,
    /// No process has the NIC open, since its driver was told that all messages have ended.
    is_closed: bool,
    /// Addresses are those of a process, with this number.
    space: Option<u32>,
    written: Written,
    /// Matches so far.
    matches: u32,
    /// By descriptor: the length of its message, and the match of it.
    matched: BTreeMap<u32, (u32, u32)>,
}

fn range(page: &Page) -> Range<u32> {
    page.address as u32..(page.address as u32).saturating_add(page.bytes.into())
}

impl Messages {
    /// `start`: SRAM offset of the descriptors.
    pub fn new(start: u32) -> Messages {
        Messages {
            start,
            lists: BTreeMap::new(),
            allowed: None,
            is_closed: false,
            space: None,
            written: Written::default(),
            matches: 0,
            matched: BTreeMap::new(),
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
            Some(pid) => {
                pins.pinned(pid, address >> PAGE_SHIFT).map(|page| (page << PAGE_SHIFT) | (address % PAGE_BYTES))
            }
            None => Some(address),
        }
    }

    /// Bytes of a page as they lie on the bus.
    fn range_on_bus(&self, pins: &dyn Pins, page: &Range<u32>) -> Option<Range<u32>> {
        self.on_bus(pins, page.start).map(|start| start..start.saturating_add(page.len() as u32))
    }

    /// The pages that the NIC may take for those of a message: of the last post, and of those
    /// before it whose end the host has not seen.
    fn pages_of_any(&self, posting: &Posting) -> Vec<Range<u32>> {
        let posts = std::iter::successors(Some(posting), |posting| posting.before.as_deref());
        posts.flat_map(|posting| self.pages(posting)).collect()
    }

    /// The pages of a message, as far as its list pages were read.
    fn pages(&self, posting: &Posting) -> Vec<Range<u32>> {
        let mut pages: Vec<Range<u32>> = posting.pages.iter().map(range).collect();
        let descriptor = &posting.descriptor;
        let mut next = (descriptor.format == Format::List).then_some(descriptor.address as u32);
        // A list page may name itself: the walk ends with the message.
        let mut left = descriptor.length_bytes;
        while let Some(list) = next.and_then(|address| self.lists.get(&address)) {
            let word = |at: u32| {
                let at = at as usize;
                u32::from_le_bytes([list[at], list[at + 1], list[at + 2], list[at + 3]])
            };
            let before = left;
            for number in 0..list::PAGES {
                let page = list::read_entry(number, word);
                left = left.saturating_sub(page.bytes.into());
                pages.push(range(&page));
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

    fn allow(
        &mut self,
        context: &Context,
        transfer: &Transfer,
        phase: &Range<u32>,
        pins: &dyn Pins,
    ) -> Result<(), Broken> {
        let is_write = transfer.is_write;
        if !is_write && self.read_list(transfer, phase, pins) {
            return Ok(());
        }
        for (number, posting) in context.descriptors.open() {
            if (*number < SEND_DESCRIPTORS) == is_write {
                continue;
            }
            let mut pages = self.pages_of_any(posting).into_iter().filter_map(|page| self.range_on_bus(pins, &page));
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

    /// A receive ends: the bytes of its message are in host memory.
    ///
    /// Bytes at virtual addresses whose page is not pinned any more are not looked for.
    fn check_written(&mut self, context: &Context, pins: &dyn Pins, number: u32) -> Result<(), Broken> {
        let posting = context.descriptors.posting(number).filter(|posting| !posting.is_wild);
        let (Some(posting), Some((length, since))) = (posting, self.matched.remove(&number)) else { return Ok(()) };
        let mut left = length;
        for mut page in self.pages(posting) {
            page.end = page.end.min(page.start.saturating_add(left));
            left -= page.len() as u32;
            let Some(page) = self.range_on_bus(pins, &page) else { continue };
            if let Some(at) = self.written.missing(&page, since) {
                return broken(
                    28,
                    format!("descriptor {number} is done, and byte {at:#x} of its message was not written"),
                );
            }
        }
        match left {
            0 => Ok(()),
            _ => broken(28, format!("descriptor {number} is done, and {left} bytes of its message have no page")),
        }
    }
}

impl Watch for Messages {
    fn host_writes(&mut self, context: &mut Context, _pins: &dyn Pins, address: u32, value: u32) -> Result<(), Broken> {
        let register = address.wrapping_sub(context.places().registers);
        if register == mailbox::TO_NIC.at(MAILBOX_COMMAND).offset().0 && value & COMMAND_MASK == COMMAND_ADMIT {
            self.space = self.space.map(|_| admitted(value));
        }
        context.descriptors.write(&context.places, self.start, address, value);
        if let Access::Posts(number) = context.descriptors.access() {
            self.allowed = None;
            self.is_closed = false;
            if let Some(posting) = context.descriptors.posting(number) {
                if posting.descriptor.format == Format::List {
                    let list = self.lists.entry(posting.descriptor.address as u32);
                    let list = list.or_insert_with(|| vec![0; PAGE_BYTES as usize]);
                    // What is there now counts: the NIC reads the list page for this message. Unless the
                    // descriptor is in use, and the NIC ignores the post.
                    if !posting.is_wild {
                        list.fill(0);
                    }
                }
            }
        }
        Ok(())
    }

    /// The host polls the first word of a descriptor, or reads that a command was obeyed.
    fn host_reads(&mut self, context: &mut Context, address: u32, value: u32) -> Result<(), Broken> {
        context.descriptors.read(&context.places, self.start, address, value);
        match context.descriptors.access() {
            Access::SeesClosed => {
                self.lists.clear();
                self.matched.clear();
                self.allowed = None;
                self.is_closed = true;
                Ok(())
            }
            Access::SeesEnd(number, stat) => {
                self.allowed = None;
                if stat != stat::DONE {
                    self.matched.remove(&number);
                }
                // Virtual addresses were looked at when the NIC ended the receive: pages may be unpinned since.
                match self.space {
                    Some(_) => Ok(()),
                    None => self.check_written(context, &NoPins, number),
                }
            }
            Access::Posts(_) | Access::Other => Ok(()),
        }
    }

    /// Where addresses are virtual, what was allowed there is allowed no more.
    fn unpinned(&mut self, _context: &mut Context, _frame: u32) -> Result<(), Broken> {
        self.allowed = None;
        Ok(())
    }

    fn dma(&mut self, context: &mut Context, pins: &dyn Pins, transfer: &Transfer) -> Result<(), Broken> {
        let Some(phase) = transfer.moved() else { return Ok(()) };
        if transfer.is_write {
            self.written.write(&phase, self.matches);
        }
        if let Some((is_write, bytes)) = &self.allowed {
            if *is_write == transfer.is_write && lies_in(*is_write, &phase, bytes) {
                return Ok(());
            }
        }
        self.allow(context, transfer, &phase, pins)
    }

    fn marker(&mut self, context: &mut Context, pins: &dyn Pins, marker: Marker, argument: u32) -> Result<(), Broken> {
        match marker {
            Marker::ReceiveBegin => context.frames.begin(),
            Marker::MessageMatched => {
                self.matches += 1;
                let first = context.frames.taken().and_then(Frame::of).filter(|frame| frame.is(FIRST));
                if let Some(first) = first {
                    self.matched.insert(argument + SEND_DESCRIPTORS, (first.length(), self.matches));
                }
            }
            Marker::MessageReceived => return self.check_written(context, pins, argument + SEND_DESCRIPTORS),
            _ => {}
        }
        Ok(())
    }
}
