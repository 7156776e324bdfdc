use nic_device::{rarely, Device};
use nic_fair::PassedOver;
use nic_layout::counter::Counter;
use nic_layout::ring::Event;
use nic_layout::trace::Marker;

use crate::events::{first_of, EVENTS, FIRST, PATIENT};
use crate::frame::Buffer;
use crate::layers::{Layers, LayersConfig};
use crate::protocol::Protocol;
use crate::receive::take_frame;
use crate::timers::{on_ack_timer, on_retransmit_timer};
use crate::transfers::Fence;
use crate::types::ProtocolTypes;

/// Acknowledgements, those that data frames have brought and those that are owed, and the ends of
/// posts give way to other work for so many turns: nothing waits for them as a message waits for
/// its frame, a data frame may carry the acknowledgement, and one status write may tell of several
/// posts.
const PUT_OFF_TURNS: u32 = 4;

/// A protocol over the layers of one NIC, and the order of service.
///
/// The event loop calls [`Self::turn`] over and over. Each call does a bounded amount of work and
/// returns. A turn looks at the pending events once, and serves at most one thing of each class:
/// received frames, doorbells, frames to be repeated, jobs, frames to be sent, other events. So
/// what a message waits for comes first; among the others, and among what is put off, each is
/// served before another is served twice (INV-37). The order of events is [`crate::IN_ORDER`].
#[repr(C)]
pub struct Engine<P: Protocol> {
    protocol: P,
    /// Events that end a wait; all of [`EVENTS`] when it is 0.
    wakes: u32,
    /// Events that gave way to others.
    passed_over: PassedOver,
    receive_taken: u16,
    ack_is_next: bool,
    fence: Fence,
    layers: Layers<P::Types>,
}

impl<P: Protocol> Default for Engine<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Protocol> Engine<P> {
    /// The events that the engine wants.
    pub const EVENTS: u32 = EVENTS;
    /// Those that give way to a frame or an answer that is about to come.
    pub const PATIENT: u32 = PATIENT;
    /// Header of every frame in bytes.
    pub const HEADER_BYTES: u32 = P::Types::HEADER_BYTES;

    /// All zero, so that it may live in memory that start-up clears.
    pub const fn new() -> Engine<P> {
        Engine {
            protocol: P::NOWHERE,
            wakes: 0,
            passed_over: PassedOver::NONE,
            receive_taken: 0,
            ack_is_next: false,
            fence: Fence::EMPTY,
            layers: Layers::new(),
        }
    }

    /// Prepares the layers, their part of SRAM and the rings. Tables of the driver and counters
    /// hold zeros. Call once, before any event.
    pub fn start(&mut self, dev: &mut impl Device, protocol: P, config: &LayersConfig) {
        self.protocol = protocol;
        self.layers.start(dev, config);
    }

    /// Serves some of the pending events, and sends a frame if there is one to send. False if there
    /// was nothing to do: the caller may wait for an event.
    #[inline(always)]
    pub fn turn(&mut self, dev: &mut impl Device, pending: u32) -> bool {
        if pending & Event::MacRx.bit() != 0 {
            dev.clear(Event::MacRx);
            self.on_receive(dev);
        }
        let mut is_accepted = false;
        let (slot, is_new) = 'next: {
            if pending & Event::Doorbell.bit() != 0 {
                dev.clear(Event::Doorbell);
                let slot;
                (is_accepted, slot) = self.layers.on_doorbell(dev);
                if slot.is_some() {
                    break 'next (slot, true);
                }
            }
            rarely();
            if self.layers.has_unasked() {
                self.send_unasked(dev);
            }
            (self.layers.run.pop(), false)
        };
        if let Some(slot) = slot {
            self.protocol.on_post(&mut self.layers, dev, slot, is_new);
        }
        if is_accepted {
            dev.count(Counter::DoorbellsServed);
            dev.count(Counter::DoorbellsAccepted);
        }

        let mut others = pending & EVENTS & !FIRST;
        let mut unheeded = 0;
        if others & PATIENT != 0 {
            if self.layers.waits_for_answer(dev, pending & Event::MacRx.bit() != 0) {
                others &= !PATIENT;
            } else if others & Event::DmaWrite.bit() != 0 && !self.awaits_writes() {
                unheeded = Event::DmaWrite.bit();
                others &= !unheeded;
            }
        }
        if others != 0 {
            self.serve_other(dev, others);
        }
        // As it is now: what was pending was served. But a process that may send an answer comes
        // first.
        let pending = if self.awaits_answer() { pending } else { dev.pending() };
        let is_idle = pending & EVENTS & !unheeded == 0 && !self.has_work();
        if self.layers.put_off() != 0 {
            if self.layers.count_put_off_turn() < PUT_OFF_TURNS && !is_idle {
                return true;
            }
            self.catch_up(dev);
            if self.layers.put_off() != 0 || self.has_work() {
                return true;
            }
        }
        if is_idle {
            self.choose_wakes(dev);
        }
        !is_idle
    }

    /// Whether the caller may look at events for a while, for others than [`Self::PATIENT`], and be
    /// quick when one comes.
    #[inline(always)]
    pub fn awaits_answer(&self) -> bool {
        self.layers.awaits_answer()
    }

    /// Takes one frame from the ring. If there are more, the event is raised again: others have
    /// their turn between two frames.
    #[inline(always)]
    fn on_receive(&mut self, dev: &mut impl Device) {
        let index = self.receive_taken;
        if index == dev.receive_consumer() {
            rarely();
            return;
        }
        // Without room for its data the frame waits in the ring, not the protocol in a loop: the
        // end of a host write goes on.
        if !self.layers.writes.has_room(P::Types::FRAME_WRITES) {
            rarely();
            self.layers.stall_reception();
            dev.count(Counter::ReceiveStalls);
            return;
        }
        let (buffer, length_bytes) = dev.received(index);
        dev.trace(Marker::ReceiveBegin, u32::from(index));
        // Unless data say otherwise: a peer that sends other frames, one behind the other, awaits
        // nothing.
        self.layers.await_nothing();
        if take_frame(&mut self.protocol, &mut self.layers, dev, buffer, length_bytes) == Buffer::Free {
            dev.recycle(buffer);
        }
        let next = self.receive_taken.wrapping_add(1);
        self.receive_taken = next;
        dev.expect(next);
        if next != dev.receive_consumer() {
            rarely();
            dev.raise(Event::MacRx);
        }
        dev.count(Counter::FramesReceived);
    }

    /// Whether the end of a host write would let something go on. If it would not, as most often
    /// after a status page, it is seen to with the next one.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn awaits_writes(&self) -> bool {
        self.layers.awaits_writes() || self.protocol.awaits_writes()
    }

    /// Says which events end the wait that follows.
    #[inline(always)]
    fn choose_wakes(&mut self, dev: &mut impl Device) {
        let wakes = if self.awaits_writes() { EVENTS } else { EVENTS & !Event::DmaWrite.bit() };
        if wakes != self.wakes {
            self.wakes = wakes;
            dev.wake_on(wakes);
        }
    }

    /// Ends what a peer has acknowledged, which may end posts, and does one of the other things
    /// that were put off: an end and an acknowledgement in turn.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn catch_up(&mut self, dev: &mut impl Device) {
        let layers = &mut self.layers;
        layers.end_put_off();
        if layers.link.has_deferred() {
            layers.process_deferred(dev);
            if dev.pending() & FIRST != 0 {
                return;
            }
        }
        self.ack_is_next = !self.ack_is_next;
        if !self.ack_is_next || layers.link.acks_due() == 0 {
            if let Some(slot) = layers.posts.next_unsettled() {
                return layers.settle(dev, slot);
            }
        }
        if let Some(node) = layers.link.next_ack_due() {
            layers.link.send_ack(dev, &mut layers.reads, node);
        }
    }

    #[inline(always)]
    fn has_work(&self) -> bool {
        self.layers.run.has_slots() || self.layers.has_unasked()
    }

    /// A frame that goes again, and a job.
    #[cold]
    #[inline(never)]
    fn send_unasked(&mut self, dev: &mut impl Device) {
        if self.layers.link.resending() != 0 {
            self.layers.resend_one(dev);
        }
        if self.layers.has_jobs() {
            self.protocol.on_job(&mut self.layers, dev);
        }
    }

    /// Serves one of some events: the first of those that were passed over, if there are any.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn serve_other(&mut self, dev: &mut impl Device, events: u32) {
        let candidates = self.passed_over.first_of(events);
        let served = first_of(candidates);
        self.passed_over.chose(candidates, served.bit());
        // It is cleared before it is served: what happens meanwhile makes it pending again
        // (INV-10). Frames and doorbells have markers of their own.
        dev.clear(served);
        dev.trace(Marker::Dispatch, served as u32);
        match served {
            Event::DmaWrite => self.on_dma_write(dev),
            Event::DmaRead => self.on_dma_read(dev),
            _ => self.serve_rare(dev, served),
        }
    }

    #[cold]
    #[inline(never)]
    fn serve_rare(&mut self, dev: &mut impl Device, event: Event) {
        let Engine { protocol, layers, fence, .. } = self;
        match event {
            Event::Mailbox => fence.on_mailboxes(protocol, layers, dev),
            Event::DmaError => self.on_dma_error(dev),
            Event::Timer0 => on_retransmit_timer(protocol, layers, dev),
            _ => on_ack_timer(protocol, layers, dev),
        }
    }

    /// Ends what the host-read engine has completed.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn on_dma_read(&mut self, dev: &mut impl Device) {
        self.fence.end_reads(&mut self.protocol, &mut self.layers, dev);
    }

    /// Ends what the host-write engine has completed.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn on_dma_write(&mut self, dev: &mut impl Device) {
        self.fence.end_writes(&mut self.protocol, &mut self.layers, dev);
    }

    /// An engine halted. What the bus did not read is made up for; what it did not write is lost,
    /// counted, and the engine goes on (INV-6).
    fn on_dma_error(&mut self, dev: &mut impl Device) {
        self.on_dma_read(dev);
        if dev.dma_write_halted() {
            dev.count(Counter::DmaWriteErrors);
            dev.resume_dma_write();
            // A failed transfer with the event flag raises no event of its own.
            self.on_dma_write(dev);
        }
    }
}
