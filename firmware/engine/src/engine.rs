use nic_device::{rarely, Device};
use nic_fair::{PassedOver, RunQueue};
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

/// Number of turns for which deferred work gives way to other work. Deferred are acknowledgements,
/// received in data frames or owed, and the ends of posts. No message waits for them; a later data
/// frame may carry the owed acknowledgement, and one write of a status may report several posts.
const PUT_OFF_TURNS: u32 = 4;

/// A protocol over the layers of one NIC, and the order of service.
///
/// The event loop calls [`Self::turn`] repeatedly. Each call does a bounded amount of work and
/// returns. A turn reads the pending events once and serves at most one item of each class:
/// received frames, doorbells, frames to retransmit, jobs, frames to send, other events. The
/// classes for which a message waits come first. Among the other events, and among deferred work,
/// no item is served twice while another waits (INV-37). The order of events is
/// [`crate::IN_ORDER`].
#[repr(C)]
pub struct Engine<P: Protocol> {
    protocol: P,
    /// Events that end a wait; 0 stands for all of [`EVENTS`].
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
    /// The events that the engine serves, one bit each.
    pub const EVENTS: u32 = EVENTS;
    /// The events that give way to an expected frame, one bit each.
    pub const PATIENT: u32 = PATIENT;
    /// Header of every frame in bytes.
    pub const HEADER_BYTES: u32 = P::Types::HEADER_BYTES;

    /// An engine before [`Self::start`], as a constant, so that it may be a static.
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

    /// Prepares the layers, their part of SRAM and the rings. The tables of the driver and the
    /// counters hold zeros. Call once, before any event.
    pub fn start(&mut self, dev: &mut impl Device, protocol: P, config: &LayersConfig) {
        self.protocol = protocol;
        self.layers.start(dev, config);
    }

    /// Serves some of the pending events, and sends a frame if one is ready. False if there was
    /// nothing to do: the caller may wait for an event.
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
        // The events are read again, because those of `pending` were served. While an answer is
        // expected the read is saved.
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

    /// Whether a frame is expected soon. Then the caller may read the pending events repeatedly
    /// before the next turn, until one comes that is not in [`Self::PATIENT`].
    #[inline(always)]
    pub fn awaits_answer(&self) -> bool {
        self.layers.awaits_answer()
    }

    /// Takes one frame from the ring. If there are more, the event is raised again, so that other
    /// classes are served between two frames.
    #[inline(always)]
    fn on_receive(&mut self, dev: &mut impl Device) {
        let index = self.receive_taken;
        if index == dev.receive_consumer() {
            rarely();
            return;
        }
        // Without room for its data the frame stays in the ring until the end of a host write
        // raises the event again. The protocol does not wait.
        if !self.layers.writes.has_room(P::Types::FRAME_WRITES) {
            rarely();
            self.layers.stall_reception();
            dev.count(Counter::ReceiveStalls);
            return;
        }
        let (buffer, length_bytes) = dev.received(index);
        dev.trace(Marker::ReceiveBegin, u32::from(index));
        // Only data frames make an answer expected. A peer that sends other frames, one behind the
        // other, must not keep patient events waiting.
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

    /// Whether the end of a host write would let any work go on. Otherwise, as mostly after a
    /// status write, it is handled with the end of the next host write.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn awaits_writes(&self) -> bool {
        self.layers.awaits_writes() || self.protocol.awaits_writes()
    }

    /// Sets the events that end the wait that follows.
    #[inline(always)]
    fn choose_wakes(&mut self, dev: &mut impl Device) {
        let wakes = if self.awaits_writes() { EVENTS } else { EVENTS & !Event::DmaWrite.bit() };
        if wakes != self.wakes {
            self.wakes = wakes;
            dev.wake_on(wakes);
        }
    }

    /// Does deferred work: processes the received acknowledgement, which may complete posts, and
    /// then either ends the posts of a slot or sends an acknowledgement, in turn.
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

    /// Retransmits a frame and serves a job, if there are any.
    #[cold]
    #[inline(never)]
    fn send_unasked(&mut self, dev: &mut impl Device) {
        if self.layers.run.jobs() & RunQueue::RETRANSMIT != 0 {
            self.layers.resend_one(dev);
        }
        if self.layers.has_jobs() {
            self.protocol.on_job(&mut self.layers, dev);
        }
    }

    /// Serves the first of `events`; events that were passed over before come first.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn serve_other(&mut self, dev: &mut impl Device, events: u32) {
        let candidates = self.passed_over.first_of(events);
        let served = first_of(candidates);
        self.passed_over.chose(candidates, served.bit());
        // The event is cleared before it is served, so that whatever happens meanwhile makes it
        // pending again (INV-10). Frames and doorbells have markers of their own.
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

    /// Handles the ends of host reads.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn on_dma_read(&mut self, dev: &mut impl Device) {
        self.fence.end_reads(&mut self.protocol, &mut self.layers, dev);
    }

    /// Handles the ends of host writes.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn on_dma_write(&mut self, dev: &mut impl Device) {
        self.fence.end_writes(&mut self.protocol, &mut self.layers, dev);
    }

    /// Handles a halted DMA engine. The frame of a failed host read goes without data. The data of
    /// a failed host write are lost; the loss is counted, and the engine goes on (INV-6).
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
