//! Missing lines and descriptors: the misses of which the driver is told, and the lines that the
//! NIC fetches itself.

use nic_device::Device;
use nic_layout::counter::Counter;
use nic_layout::ring::MAILBOX_MISS;
use nic_layout::tables::{MISS_BUFFER, MISS_RING_ENTRIES};
use nic_layout::trace::Marker;
use nic_lookup::Fetched;
use nic_plan::{LookupPlaces, MISS_ENTRY_BYTES};

use crate::fetch::Fetches;
use crate::wire::Layers;
use crate::Tables;

/// The miss ring, and the fetches. Indices are free-running: `served <= raised <= served +
/// MISS_RING_ENTRIES`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Misses {
    raised: u32,
    served: u32,
    ring: u32,
    fetches: Fetches,
}

impl Misses {
    pub(crate) const NONE: Misses = Misses { raised: 0, served: 0, ring: 0, fetches: Fetches::NONE };

    pub(crate) fn new(ring: u32, places: &LookupPlaces) -> Misses {
        Misses { ring, fetches: Fetches::new(places), ..Misses::NONE }
    }

    /// The free-running number of misses of which the driver was told.
    pub(crate) fn raised(&self) -> u32 {
        self.raised
    }

    pub(crate) fn served(&self) -> u32 {
        self.served
    }

    pub(crate) fn fetches(&self) -> &Fetches {
        &self.fetches
    }

    /// Whether the miss ring has room for one more miss. Open fetches count as misses, because each
    /// may still become one.
    pub(crate) fn has_room(&self, dev: &impl Device) -> bool {
        let mut raised = self.raised.wrapping_sub(self.served);
        if self.fetches.are_used() {
            raised = raised.wrapping_add(self.fetches.open(dev));
        }
        raised < MISS_RING_ENTRIES
    }

    /// Whether the driver was told of this key and has not answered. If the line was taken away
    /// meanwhile, the driver sees that by the line's key, so the line must not be reserved again
    /// for another answer.
    pub(crate) fn has_been_raised(&self, dev: &impl Device, key: u32) -> bool {
        let unserved = 0..self.raised.wrapping_sub(self.served);
        unserved.into_iter().any(|n| {
            let at = self.entry(self.served.wrapping_add(n));
            dev.read(at) == key && dev.read(at + 8) != MISS_BUFFER
        })
    }

    fn entry(&self, index: u32) -> u32 {
        self.ring + (index % MISS_RING_ENTRIES) * MISS_ENTRY_BYTES
    }

    /// Tells the driver of a reserved line or entry ([`nic_layout::tables::MissEntry`]). The caller
    /// has made sure that the ring has room.
    #[cold]
    #[inline(never)]
    pub(crate) fn raise(&mut self, dev: &mut impl Device, key: u32, line: u32, kind: u32) {
        let at = self.entry(self.raised);
        dev.write(at, key);
        dev.write(at + 4, line);
        dev.write(at + 8, kind);
        dev.write(at + 12, dev.now());
        self.raised = self.raised.wrapping_add(1);
        dev.to_host(MAILBOX_MISS, self.raised);
        dev.trace(Marker::MissRaised, line);
    }

    /// Records that the driver has served all misses before `consumer`. False if it claims more
    /// than were raised.
    pub(crate) fn on_filled(&mut self, dev: &mut impl Device, consumer: u32) -> bool {
        dev.trace(Marker::FillSeen, consumer);
        let served = consumer.wrapping_sub(self.served);
        if served > self.raised.wrapping_sub(self.served) {
            dev.count(Counter::MailboxesWild);
            return false;
        }
        self.served = consumer;
        dev.count_many(Counter::MissesServed, served);
        true
    }

    /// Ends the fetches among the transfers that have ended. True if there were any.
    pub(crate) fn end_fetches<T: Tables>(
        &mut self,
        tables: &T,
        layers: &mut Layers<T>,
        dev: &mut impl Device,
        host_pages: u32,
    ) -> bool {
        let mut is_any = false;
        // There are at most as many as records, so the loop is bounded (INV-37).
        while let Some(ended) = self.fetches.take_ended(layers, dev) {
            is_any = true;
            let tag = (ended.pid, ended.page);
            match tables.end_fetch(dev, ended.line, tag, ended.came, host_pages) {
                Fetched::Filled => {
                    dev.count(Counter::FetchesFilled);
                    dev.trace(Marker::FetchFilled, ended.line);
                }
                Fetched::Lost => {
                    dev.count(Counter::FetchesLost);
                    dev.trace(Marker::FetchLost, ended.line);
                }
                Fetched::Unfilled => {
                    dev.count(Counter::FetchesUnfilled);
                    dev.trace(Marker::FetchUnfilled, ended.line);
                    // The ring has room, because `has_room` counts open fetches.
                    self.raise(dev, T::miss_key(ended.pid, ended.page), ended.line, ended.path);
                }
            }
        }
        layers.await_transfers(self.fetches.open(dev) != 0);
        is_any
    }
}
