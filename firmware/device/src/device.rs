use crate::{Place, Words};
use nic_layout::counter::Counter;
use nic_layout::ring::Event;
use nic_layout::trace::Marker;

/// What the protocol asks of a NIC: words of SRAM ([`Words`]), rings, mailboxes, doorbells, timers (docs/interfaces.md).
///
/// Indices are the free-running 16-bit numbers of the registers. The machine knows how many entries each ring has and never posts into a full one.
pub trait Device: Words {
    /// Core clocks, wrapping.
    fn now(&self) -> u32;
    fn trace(&mut self, marker: Marker, argument: u32);
    /// Says where the counters are: one word each, in the order of [`Counter`].
    fn count_at(&mut self, sram_address: u32);
    /// Where the counters are.
    fn counters(&self) -> Place;

    /// Adds to a counter.
    #[inline(always)]
    fn count_many(&mut self, counter: Counter, count: u32) {
        self.add(self.counters(), counter.offset(), count);
    }

    /// Adds one to a counter.
    #[inline(always)]
    fn count(&mut self, counter: Counter) {
        self.count_many(counter, 1);
    }

    /// Events that are pending now.
    fn pending(&self) -> u32;
    /// Makes an event pending again.
    fn raise(&mut self, event: Event);
    /// Takes an event: what happens from now on makes it pending again.
    fn clear(&mut self, event: Event);
    /// Only these events end a wait from now on; others are pending all the same.
    fn wake_on(&mut self, events: u32);
    /// Timer 0 or 1 fires once when [`Self::now`] is no longer before `due`.
    fn set_timer(&mut self, timer: usize, due: u32);

    /// Takes the lowest of the doorbell pages that were written; the event is raised again for the others.
    fn take_doorbell(&mut self) -> Option<usize>;
    /// A doorbell page was written, and not taken since.
    fn is_rung(&self, slot: usize) -> bool;
    fn doorbell(&self, slot: usize) -> u32;
    /// Mailboxes written since the last call, one bit each.
    fn take_mailboxes(&mut self) -> u32;
    fn mailbox(&self, index: usize) -> u32;
    /// Writes a mailbox to the host, which interrupts it.
    fn to_host(&mut self, index: usize, value: u32);

    /// Posts transfer number `index` from the host, counted without end. `control` is the length and `DMA_FLAG_*`.
    fn post_dma_read(&mut self, index: u32, bus_address: u32, sram_address: u32, control: u32);
    fn dma_read_consumer(&self) -> u16;
    /// The engine stopped at the descriptor before its consumer index.
    fn dma_read_halted(&self) -> bool;
    fn resume_dma_read(&mut self);

    /// Posts transfer number `index` to the host.
    fn post_dma_write(&mut self, index: u32, bus_address: u32, sram_address: u32, control: u32);
    fn dma_write_consumer(&self) -> u16;
    fn dma_write_halted(&self) -> bool;
    fn resume_dma_write(&mut self);

    /// Puts frame number `index`, counted without end, into the transmit ring. It goes out when all before it have gone and as many were
    /// released, by [`Self::release_transmit`] or by `DMA_FLAG_ASSIST`.
    fn place_transmit(&mut self, index: u32, sram_address: u32, length_bytes: u32);
    fn release_transmit(&mut self);
    /// Changes the length of a frame that was not released yet.
    fn shorten_transmit(&mut self, index: u16, length_bytes: u32);
    fn transmit_consumer(&self) -> u16;

    /// Frames before this index have arrived.
    fn receive_consumer(&self) -> u16;
    /// Address of the buffer, and length in bytes, of the frame that [`Self::expect`] has named; the first is number 0.
    fn received(&self, index: u16) -> (u32, u32);
    /// Says which frame is to be looked at next.
    fn expect(&mut self, index: u16);
    /// Gives a buffer to the receive ring.
    fn recycle(&mut self, sram_address: u32);
}
