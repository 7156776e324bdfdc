//! The monitor of a node: it sees what the firmware says on its trace port, what moves on the PCI bus and on the link, and what the host unpins. It says at
//! once when an invariant is broken (docs/properties.md).
//!
//! The rules are in watches, one for each group: the link, DMA, post queues, the caches of a NIC, lines that the NIC fetches, notifications, static tables.
//! Which of them a node has, its personality says ([`Watches`]). A watch keeps its state to itself; facts that several need are in one context.
//!
//! The monitor only looks. The node's loop feeds it, in the order of time:
//! * [`Monitor::transfers`]: data phases of the bus, from a [`Tap`];
//! * [`Monitor::marker`]: words of the trace port of core A;
//! * [`Monitor::received`], [`Monitor::sent`]: symbols of the link;
//! * [`Monitor::unpinned`]: physical pages that the host has let go;
//! * [`Monitor::finish`] at the end;
//!
//! and asks for [`Monitor::violation`]. Nothing is judged before [`Monitor::place`], which says where the driver found the NIC's tables.

mod broken;
mod context;
mod header;
mod tap;
pub mod watches;

use nic_layout::registers::mailbox;
use nic_layout::ring::{MAILBOX_ARGUMENT, MAILBOX_COMMAND};
use nic_layout::trace::{self, Marker};
use sim_pins::{LinkSymbol, Ps};

pub use broken::{Broken, Invariant, Violation};
pub use context::Context;
pub use header::Header;
pub use tap::{Tap, Transfer};

use header::HeaderParser;
use watches::{Watch, Watches};

/// A line that waits longer for what it is reserved for will never get it (INV-16).
const ANSWER_MAX: Ps = Ps::from_us(20_000);

/// What the host knows of its pages.
pub trait Pins {
    /// The physical page behind a page of a process, if it is pinned.
    fn pinned(&self, pid: u32, page: u32) -> Option<u32>;
}

/// Where the NIC and its tables are, as the driver found them.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// BAR 0 of the NIC: a bus address.
    pub registers: u32,
    /// BAR 1 of the NIC: a bus address and a number of bytes.
    pub sram: u32,
    pub sram_bytes: u32,
    /// Offsets in the SRAM.
    pub process_table: u32,
    pub post_queues: u32,
    pub post_queue_count: u32,
    /// Physical pages of the host.
    pub host_pages: u32,
}

impl Places {
    /// The offset in the SRAM of a bus address, if it is there.
    pub(crate) fn in_sram(&self, address: u32) -> Option<u32> {
        Some(address.wrapping_sub(self.sram)).filter(|offset| *offset < self.sram_bytes)
    }
}

/// What the monitor has seen, to be compared with the counters of the firmware (INV-38).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Lookups of the send path and of the receive path, and how they ended.
    pub lookups: [u64; 2],
    pub hits: [u64; 2],
    pub faults: [u64; 2],
    /// Lines reserved; those of them that the NIC fetches; and those that were filled so.
    pub misses: [u64; 2],
    pub fetches: [u64; 2],
    pub fetches_filled: u64,
    pub buffer_hits: u64,
    pub buffer_misses: u64,
    /// Answers of the driver: lines and entries filled, denied, given back.
    pub fills: u64,
    pub denials: u64,
    pub releases: u64,
    /// Data phases of the NIC as a master.
    pub dma_beats: u64,
    pub frames_received: u64,
    pub frames_sent: u64,
    pub unpinned_pages: u64,
}

/// The monitor of one node.
pub struct Monitor {
    node: usize,
    /// Events that were seen before the node was placed.
    seen: Seen,
    placed: Option<Placed>,
    violation: Option<Violation>,
    received: HeaderParser,
    sent: HeaderParser,
}

/// What there is once the places are known.
struct Placed {
    context: Context,
    watches: Watches,
}

impl Placed {
    /// Gives each watch its turn with an event.
    #[inline]
    fn each(
        &mut self,
        at: Ps,
        mut turn: impl FnMut(&mut dyn Watch, &mut Context) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        self.context.at = at;
        let context = &mut self.context;
        self.watches.each(|watch| turn(watch, context))
    }

    fn transfer(&mut self, transfer: &Transfer, pins: &dyn Pins) -> Result<(), Broken> {
        if transfer.by_nic {
            self.context.seen.dma_beats += 1;
            return self.each(transfer.at, |watch, context| watch.dma(context, pins, transfer));
        }
        let registers = self.context.places.registers;
        let is = |address, number: usize| address == registers + mailbox::TO_NIC.at(number).offset().0;
        for (address, value) in words(transfer) {
            if !transfer.is_write {
                self.each(transfer.at, |watch, context| watch.host_reads(context, address, value))?;
                continue;
            }
            if is(address, MAILBOX_ARGUMENT) {
                self.context.commands.write_argument(value);
            } else if is(address, MAILBOX_COMMAND) {
                self.context.commands.write(value);
            }
            self.each(transfer.at, |watch, context| watch.host_writes(context, pins, address, value))?;
        }
        Ok(())
    }
}

impl Monitor {
    /// For the node of this number.
    pub fn new(node: usize) -> Monitor {
        Monitor {
            node,
            seen: Seen::default(),
            placed: None,
            violation: None,
            received: HeaderParser::default(),
            sent: HeaderParser::default(),
        }
    }

    /// The first invariant that was broken.
    #[inline]
    pub fn violation(&self) -> Option<&Violation> {
        self.violation.as_ref()
    }

    /// What was seen up to now.
    pub fn seen(&self) -> Seen {
        self.placed.as_ref().map_or(self.seen, |placed| placed.context.seen)
    }

    /// Whether anything is judged.
    #[inline]
    pub fn is_placed(&self) -> bool {
        self.placed.is_some()
    }

    /// The firmware has started, with empty tables.
    pub fn place(&mut self, places: Places, watches: Watches) {
        self.placed = Some(Placed { context: Context::new(places, self.seen), watches });
    }

    fn check(&mut self, at: Ps, result: Result<(), Broken>) {
        if let Err(Broken { invariant, what }) = result {
            self.violation.get_or_insert(Violation { node: self.node, at, invariant, what });
        }
    }

    fn seen_mut(&mut self) -> &mut Seen {
        self.placed.as_mut().map_or(&mut self.seen, |placed| &mut placed.context.seen)
    }

    /// Data phases of the bus, in order.
    pub fn transfers(&mut self, transfers: &[Transfer], pins: &dyn Pins) {
        for transfer in transfers {
            let Some(placed) = &mut self.placed else { return };
            let result = placed.transfer(transfer, pins);
            self.check(transfer.at, result);
        }
    }

    /// A word of the trace port.
    pub fn marker(&mut self, at: Ps, word: u32, pins: &dyn Pins) {
        let (Some(placed), Some((marker, argument))) = (&mut self.placed, trace::parse(word)) else { return };
        if marker == Marker::Command {
            placed.context.commands.obey(argument);
        }
        let result = placed.each(at, |watch, context| watch.marker(context, pins, marker, argument));
        self.check(at, result);
    }

    /// A symbol that the NIC receives.
    #[inline]
    pub fn received(&mut self, at: Ps, symbol: LinkSymbol) {
        if let Some(header) = self.received.next(symbol) {
            self.seen_mut().frames_received += 1;
            if let Some(placed) = &mut self.placed {
                let result = placed.each(at, |watch, context| watch.received(context, &header));
                self.check(at, result);
            }
        }
    }

    /// A symbol that the NIC sends.
    #[inline]
    pub fn sent(&mut self, at: Ps, symbol: LinkSymbol) {
        if let Some(header) = self.sent.next(symbol) {
            self.seen_mut().frames_sent += 1;
            if let Some(placed) = &mut self.placed {
                let result = placed.each(at, |watch, context| watch.sent(context, &header));
                self.check(at, result);
            }
        }
    }

    /// A physical page that is pinned no more.
    pub fn unpinned(&mut self, at: Ps, frame: u32) {
        self.seen_mut().unpinned_pages += 1;
        if let Some(placed) = &mut self.placed {
            let result = placed.each(at, |watch, context| watch.unpinned(context, frame));
            self.check(at, result);
        }
    }

    /// The end of the run.
    pub fn finish(&mut self, at: Ps) {
        if let Some(placed) = &mut self.placed {
            let result = placed.each(at, |watch, context| watch.finish(context));
            self.check(at, result);
        }
    }

    /// The number of the node.
    pub fn node(&self) -> usize {
        self.node
    }
}

/// The words of a data phase that are written or read: address and value.
pub(crate) fn words(transfer: &Transfer) -> impl Iterator<Item = (u32, u32)> {
    let Transfer { address, data, byte_enables, .. } = *transfer;
    (0..2)
        .filter(move |half| byte_enables >> (4 * half) & 0xF != 0)
        .map(move |half| (address + 4 * half, (data >> (32 * half)) as u32))
}
