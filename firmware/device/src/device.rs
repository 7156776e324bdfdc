use crate::{Place, Words};
use nic_layout::counter::Counter;
use nic_layout::ring::Event;
use nic_layout::trace::Marker;

/// The hardware of a NIC as firmware uses it: words of SRAM ([`Words`]), rings, mailboxes,
/// doorbells, timers (docs/interfaces.md).
///
/// Ring indices are free-running. The registers keep their low 16 bits. A device does not check for
/// room: the caller knows how many entries each ring has and never posts into a full ring.
pub trait Device: Words {
    /// Core clocks since reset, modulo 2^32.
    fn now(&self) -> u32;
    /// Writes a marker with its argument to the trace port.
    fn trace(&mut self, marker: Marker, argument: u32);
    /// Puts a marker without an argument on the trace port, in one instruction. `ID`: its number,
    /// at most [`nic_layout::trace::STEP_MAX`].
    fn step<const ID: u8>(&mut self);
    /// Sets the address of the counters: one word each, in the order of [`Counter`].
    fn count_at(&mut self, sram_address: u32);
    /// The address of the counters.
    fn counters(&self) -> Place;

    /// Adds `count` to a counter, modulo 2^32.
    #[inline(always)]
    fn count_many(&mut self, counter: Counter, count: u32) {
        self.add(self.counters(), counter.offset(), count);
    }

    /// Adds one to a counter.
    #[inline(always)]
    fn count(&mut self, counter: Counter) {
        self.count_many(counter, 1);
    }

    /// The pending events, one bit each ([`Event::bit`]).
    fn pending(&self) -> u32;
    /// Makes an event pending.
    fn raise(&mut self, event: Event);
    /// Tells the other core that an entry waits for it: makes [`Event::Entry`] pending there. Call
    /// it after the entry is in SRAM. A NIC with one core does nothing.
    fn tell(&mut self) {}
    /// Clears a pending event. Whatever happens after this call makes it pending again.
    fn clear(&mut self, event: Event);
    /// Clears pending events, one bit each.
    fn clear_all(&mut self, events: u32);
    /// Sets the events, one bit each, that end a wait. Other events become pending all the same.
    fn wake_on(&mut self, events: u32);
    /// Starts timer 0 or 1. It fires once, as soon as [`Self::now`] has reached `due`.
    fn set_timer(&mut self, timer: usize, due: u32);

    /// Takes the lowest doorbell page that was written. If others were written too, the event
    /// becomes pending again for them. `None` if no page was written.
    fn take_doorbell(&mut self) -> Option<usize>;
    /// Whether a doorbell page was written and has not been taken since.
    fn is_rung(&self, slot: usize) -> bool;
    /// The word that was last written to a doorbell page: a producer index.
    fn doorbell(&self, slot: usize) -> u32;
    /// Takes those of the mailboxes `of` that the host has written since they were last taken, one
    /// bit each.
    #[inline(always)]
    fn take_mailboxes(&mut self, of: u32) -> u32 {
        let written = self.written_mailboxes(of);
        self.clear_mailboxes(written);
        written
    }
    /// Those of the mailboxes `of` that the host has written and that were not cleared since, one
    /// bit each.
    fn written_mailboxes(&self, of: u32) -> u32;
    /// Clears mailboxes, one bit each. A host that waits for it may write the next word then, so
    /// the word of such a mailbox is read before.
    fn clear_mailboxes(&mut self, boxes: u32);
    /// The word that the host has last written to a mailbox.
    fn mailbox(&self, index: usize) -> u32;
    /// Writes a mailbox to the host. The write interrupts the host.
    fn to_host(&mut self, index: usize, value: u32);

    /// Posts host read number `index`, a free-running number. `control` is the length in bytes with
    /// `DMA_FLAG_*` (`nic_layout::ring`).
    fn post_dma_read(&mut self, index: u32, bus_address: u32, sram_address: u32, control: u32);
    /// The number of host reads that have ended.
    fn dma_read_consumer(&self) -> u16;
    /// Whether the engine of host reads has stopped on an error. The failed descriptor is the last
    /// one before the consumer index.
    fn dma_read_halted(&self) -> bool;
    /// Lets the engine of host reads go on behind the failed descriptor.
    fn resume_dma_read(&mut self);

    /// Posts host write number `index`, a free-running number. `control` as in
    /// [`Self::post_dma_read`].
    fn post_dma_write(&mut self, index: u32, bus_address: u32, sram_address: u32, control: u32);
    /// The number of host writes that have ended.
    fn dma_write_consumer(&self) -> u16;
    /// Whether the engine of host writes has stopped on an error. The failed descriptor is the last
    /// one before the consumer index.
    fn dma_write_halted(&self) -> bool;
    /// Lets the engine of host writes go on behind the failed descriptor.
    fn resume_dma_write(&mut self);

    /// Places frame number `index`, a free-running number, in the transmit ring. Frames leave in
    /// this order. Frame n leaves once n + 1 frames have been released, by
    /// [`Self::release_transmit`] or by `DMA_FLAG_ASSIST`.
    fn place_transmit(&mut self, index: u32, sram_address: u32, length_bytes: u32);
    /// Whether the other core places frames too ([`Self::send_apart`]).
    const SHARES_FRAMES: bool = false;
    /// The number of the next frame of the core that places most frames. `own`: the number behind
    /// its last one. From now on the other core places none, until the frame of this number is
    /// released.
    #[inline(always)]
    fn claim_transmit(&mut self, own: u32) -> u32 {
        own
    }
    /// Places a frame and releases it, on the other core. Its number; `None` while a frame is
    /// claimed or waits for its release, since frames leave in the order of their numbers.
    #[inline(always)]
    fn send_apart(&mut self, _sram_address: u32, _length_bytes: u32) -> Option<u32> {
        None
    }
    /// Releases one more frame.
    fn release_transmit(&mut self);
    /// Changes the length of a frame that has not been released yet.
    fn shorten_transmit(&mut self, index: u16, length_bytes: u32);
    /// The number of frames that have left.
    fn transmit_consumer(&self) -> u16;

    /// The number of frames that have arrived.
    fn receive_consumer(&self) -> u16;
    /// Address of the buffer and length in bytes of frame `index`, the frame that [`Self::expect`]
    /// has named last. Before the first call of `expect` that is frame 0.
    fn received(&self, index: u16) -> (u32, u32);
    /// Names the frame that [`Self::received`] is asked for next.
    fn expect(&mut self, index: u16);
    /// Buffers in the receive ring that no frame has taken.
    fn receive_room(&self) -> u32;
    /// Gives a buffer to the receive ring.
    fn recycle(&mut self, sram_address: u32);
}
