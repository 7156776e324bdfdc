//! The monitor of a node. It watches the words of the firmware's trace port, the data phases of the
//! PCI bus, the frames of the link, and the pages that the host unpins. It reports a broken
//! invariant at once (docs/properties.md).
//!
//! The rules are in watches, one for each group: the link, DMA, post queues, the caches of a NIC,
//! lines that the NIC fetches, notifications, static tables. The personality of a node lists its
//! watches ([`Watches`]). The state of a watch is private; facts that several watches need
//! are in one shared context.
//!
//! The monitor only looks. The node's loop feeds it, in the order of time:
//! * [`Monitor::transfers`]: data phases of the bus, from a [`Tap`];
//! * [`Monitor::marker`]: words of the trace ports;
//! * [`Monitor::received`], [`Monitor::sent`]: symbols of the link;
//! * [`Monitor::judged`]: the receiving MAC keeps a frame in its ring, or drops it;
//! * [`Monitor::unpinned`]: physical pages that the host has let go;
//! * [`Monitor::finish`] at the end;
//!
//! and asks for [`Monitor::violation`]. Nothing is judged before [`Monitor::place`], which passes
//! the addresses at which the driver found the NIC's tables.

mod broken;
mod context;
mod header;
mod mac;
mod places;
mod seen;
mod tap;
pub mod watches;

use nic_layout::registers::mailbox;
use nic_layout::ring::{MAILBOX_ARGUMENT, MAILBOX_COMMAND};
use nic_layout::trace::{self, Marker};
use sim_pins::{LinkSymbol, Ps};

pub use broken::{broken, Broken, Invariant, Violation};
pub use context::Context;
pub use header::Header;
pub use places::{Pins, Places, PostPlaces};
pub use seen::Seen;
pub use tap::{Tap, Transfer};

use header::{Ended, HeaderParser};
use mac::Mac;
use tap::words;
use watches::{Watch, Watches};

/// The monitor of one node.
pub struct Monitor {
    node: usize,
    /// Events that were counted before the node was placed.
    seen: Seen,
    placed: Option<Placed>,
    /// The NIC was reset, and its firmware has not started again.
    is_reset: bool,
    violation: Option<Violation>,
    received: HeaderParser,
    sent: HeaderParser,
    mac: Mac,
}

/// The context and the watches, which exist once the places are known.
struct Placed {
    context: Context,
    watches: Watches,
}

impl Placed {
    /// Passes an event to each watch.
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
    /// A monitor for one node, given by its number. It judges nothing before [`Monitor::place`].
    pub fn new(node: usize) -> Monitor {
        Monitor {
            node,
            seen: Seen::default(),
            placed: None,
            is_reset: false,
            violation: None,
            received: HeaderParser::default(),
            sent: HeaderParser::default(),
            mac: Mac::default(),
        }
    }

    /// The first invariant that was broken, if any was.
    #[inline]
    pub fn violation(&self) -> Option<&Violation> {
        self.violation.as_ref()
    }

    /// The events that were counted up to now.
    pub fn seen(&self) -> Seen {
        self.placed.as_ref().map_or(self.seen, |placed| placed.context.seen)
    }

    /// Whether [`Monitor::place`] was called, so that events are judged.
    #[inline]
    pub fn is_placed(&self) -> bool {
        self.placed.is_some()
    }

    /// The firmware has started with empty tables at these places. The watches begin with no state;
    /// events that were counted before stay counted.
    pub fn place(&mut self, places: Places, watches: Watches) {
        self.is_reset = false;
        self.placed = Some(Placed { context: Context::new(places, self.seen), watches });
    }

    /// RST# of the bus falls. Until [`Monitor::place`] the NIC is no master of the bus (INV-12).
    /// The firmware counts anew, and so does the monitor.
    pub fn reset(&mut self) {
        self.placed = None;
        self.seen = Seen::default();
        self.mac = Mac::default();
        self.is_reset = true;
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
            let result = match &mut self.placed {
                Some(placed) => placed.transfer(transfer, pins),
                None if self.is_reset && transfer.by_nic => broken(
                    12,
                    format!("DMA at {:#x} between the reset of the NIC and its next start", transfer.address),
                ),
                None => Ok(()),
            };
            self.check(transfer.at, result);
        }
    }

    /// A word of a core's trace port. A word that is no marker is ignored.
    pub fn marker(&mut self, at: Ps, word: u32, pins: &dyn Pins) {
        let (Some(placed), Some((marker, argument))) = (&mut self.placed, trace::parse(word)) else { return };
        if marker == Marker::Command {
            placed.context.commands.obey(argument);
        }
        let result = placed.each(at, |watch, context| watch.marker(context, pins, marker, argument));
        self.check(at, result);
    }

    /// A symbol that the NIC receives, one for each clock of the link.
    #[inline]
    pub fn received(&mut self, at: Ps, symbol: LinkSymbol) {
        if let Some(ended) = self.received.next(symbol) {
            self.arrived(at, ended);
        }
    }

    fn arrived(&mut self, at: Ps, ended: Ended) {
        self.mac.end(ended);
        let Ended::Whole(header) = ended else { return };
        self.seen_mut().frames_received += 1;
        if let Some(placed) = &mut self.placed {
            let result = placed.each(at, |watch, context| watch.received(context, &header));
            self.check(at, result);
        }
    }

    /// The MAC has judged the next frame that it received. `is_kept`: the frame is in the receive
    /// ring, where the firmware finds it; else the MAC dropped the frame.
    pub fn judged(&mut self, is_kept: bool) {
        let header = self.mac.judge(self.placed.is_some());
        if let (Some(placed), true) = (&mut self.placed, is_kept) {
            placed.context.frames.arrive(header);
        }
    }

    /// A symbol that the NIC sends, one for each clock of the link.
    #[inline]
    pub fn sent(&mut self, at: Ps, symbol: LinkSymbol) {
        if let Some(Ended::Whole(header)) = self.sent.next(symbol) {
            self.seen_mut().frames_sent += 1;
            if let Some(placed) = &mut self.placed {
                let result = placed.each(at, |watch, context| watch.sent(context, &header));
                self.check(at, result);
            }
        }
    }

    /// The host has unpinned a physical page, given by its number.
    pub fn unpinned(&mut self, at: Ps, frame: u32) {
        self.seen_mut().unpinned_pages += 1;
        if let Some(placed) = &mut self.placed {
            let result = placed.each(at, |watch, context| watch.unpinned(context, frame));
            self.check(at, result);
        }
    }

    /// The end of the run: all transfers must have ended by now.
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
