//! Frames on their way through the NIC.

use nic_device::{rarely, Device, DMA_RING_LOG2};
use nic_layout::counter::Counter;
use nic_layout::frame::link::FRAME_BYTES_MIN;
use nic_layout::personality::kernel::{
    FRAME_BYTES_MAX, MAILBOX_FRAMES, MAILBOX_RECEIVE, MAILBOX_SEND, PREFIX_BYTES, RECEIVE_ENTRY_BYTES, RING_ENTRIES,
    SEND_ENTRY_BYTES, SENT_TOLD,
};
use nic_layout::ring::{
    Event, DMA_FLAG_ASSIST, DMA_FLAG_EVENT, MAC_FLAG_EVENT, MAC_FLAG_SKIP, MAILBOX_COMMAND, MAILBOX_COMMAND_DONE,
};

use crate::plan::Places;

/// Transfers that an engine has at a time at most: its ring keeps one entry free.
const TRANSFERS: u32 = (1 << DMA_RING_LOG2) - 1;
const TRANSFER_MASK: usize = (1 << DMA_RING_LOG2) - 1;

/// The mailboxes of the driver, one bit each.
const MAILBOXES: u32 = 1 << MAILBOX_COMMAND | 1 << MAILBOX_SEND | 1 << MAILBOX_RECEIVE;

/// A command that waits for the transfers before it.
#[derive(Clone, Copy, Debug)]
struct Command {
    word: u32,
    /// Host reads and host writes that had been posted.
    reads: u32,
    writes: u32,
}

/// All state. Numbers are free-running. Host read n fetches frame n, which is number n in the
/// transmit ring; host write n fills buffer n of the host.
#[derive(Clone, Copy, Debug)]
pub struct Frames {
    places: Places,
    /// Frames to send that the driver has posted, that were taken, and whose read has ended.
    sends_posted: u32,
    sends_taken: u32,
    sends_read: u32,
    /// Buffers that the driver has posted, that were taken, and that are filled.
    buffers_posted: u32,
    buffers_taken: u32,
    buffers_filled: u32,
    /// Frames that were taken from the MAC.
    received: u32,
    /// The transmit buffer of the next frame.
    transmit_buffer: u32,
    /// The SRAM buffer of each host write under way.
    under_way: [u32; TRANSFER_MASK + 1],
    command: Option<Command>,
}

impl Frames {
    /// The events that end a wait, one bit each.
    pub const EVENTS: u32 = Event::MacRx.bit()
        | Event::DmaWrite.bit()
        | Event::DmaRead.bit()
        | Event::MacTx.bit()
        | Event::Mailbox.bit()
        | Event::DmaError.bit();

    /// Before [`Self::start`].
    pub const NOWHERE: Frames = Frames {
        places: Places {
            sends: 0,
            receives: 0,
            transmit_buffers: 0,
            receive_buffers: 0,
            buffer_bytes: 0,
            transmit_count: 0,
            receive_count: 0,
        },
        sends_posted: 0,
        sends_taken: 0,
        sends_read: 0,
        buffers_posted: 0,
        buffers_taken: 0,
        buffers_filled: 0,
        received: 0,
        transmit_buffer: 0,
        under_way: [0; TRANSFER_MASK + 1],
        command: None,
    };

    /// Gives all buffers to the MAC.
    pub fn start(&mut self, dev: &mut impl Device, places: &Places) {
        *self = Frames { places: *places, ..Frames::NOWHERE };
        self.transmit_buffer = places.transmit_buffers;
        let mut at = places.receive_buffers + PREFIX_BYTES;
        for _ in 0..places.receive_count {
            dev.recycle(at);
            at += places.buffer_bytes + PREFIX_BYTES;
        }
    }

    /// Whether a turn would do something without any event.
    #[inline(always)]
    pub fn has_work(&self, dev: &impl Device) -> bool {
        self.may_receive(dev) || self.may_send(dev)
    }

    /// Handles events, then at most one frame in each direction.
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    pub fn turn(&mut self, dev: &mut impl Device, pending: u32) {
        dev.clear_all(pending & Frames::EVENTS);
        if pending & Event::Mailbox.bit() != 0 {
            self.on_mailboxes(dev);
        }
        if pending & Event::DmaError.bit() != 0 {
            self.on_error(dev);
        }
        if pending & (Event::DmaWrite.bit() | Event::DmaRead.bit() | Event::DmaError.bit()) != 0 {
            self.on_transfers(dev);
        }
        if self.may_receive(dev) {
            self.receive(dev);
        }
        if self.may_send(dev) {
            self.send(dev);
        }
        if self.command.is_some() {
            rarely();
            self.answer(dev);
        }
    }

    // ---- Events ---------------------------------------------------------------------------------

    fn on_mailboxes(&mut self, dev: &mut impl Device) {
        let written = dev.take_mailboxes(MAILBOXES);
        if written & 1 << MAILBOX_SEND != 0 {
            self.sends_posted = self.posted(dev, MAILBOX_SEND, self.sends_taken, self.sends_posted);
        }
        if written & 1 << MAILBOX_RECEIVE != 0 {
            self.buffers_posted = self.posted(dev, MAILBOX_RECEIVE, self.buffers_taken, self.buffers_posted);
        }
        if written & 1 << MAILBOX_COMMAND != 0 {
            dev.count(Counter::Commands);
            let word = dev.mailbox(MAILBOX_COMMAND);
            self.command = Some(Command { word, reads: self.sends_taken, writes: self.buffers_taken });
        }
    }

    /// The producer index in a mailbox; the one before it if the new one is impossible.
    fn posted(&self, dev: &mut impl Device, mailbox: usize, taken: u32, before: u32) -> u32 {
        let posted = dev.mailbox(mailbox);
        if posted.wrapping_sub(taken) > RING_ENTRIES {
            rarely();
            dev.count(Counter::MailboxesWild);
            return before;
        }
        posted
    }

    /// Takes the ends of transfers, and tells the host.
    #[inline(always)]
    fn on_transfers(&mut self, dev: &mut impl Device) {
        let (read, filled) = (self.sends_read, self.buffers_filled);
        self.sends_read = read.wrapping_add(u32::from(dev.dma_read_consumer().wrapping_sub(read as u16)));
        let ended = dev.dma_write_consumer();
        while self.buffers_filled as u16 != ended {
            dev.recycle(self.under_way[self.buffers_filled as usize & TRANSFER_MASK]);
            self.buffers_filled = self.buffers_filled.wrapping_add(1);
        }
        // A host that only sends learns from time to time that its buffers are free.
        if self.buffers_filled != filled || (self.sends_read ^ read) & !(SENT_TOLD - 1) != 0 {
            dev.to_host(MAILBOX_FRAMES, self.buffers_filled & 0xFFFF | self.sends_read << 16);
        }
    }

    /// The bus has refused a transfer. A frame that could not be read does not leave; a buffer that
    /// could not be filled counts as filled.
    #[cold]
    #[inline(never)]
    fn on_error(&mut self, dev: &mut impl Device) {
        if dev.dma_read_halted() {
            let failed = dev.dma_read_consumer().wrapping_sub(1);
            dev.shorten_transmit(failed, MAC_FLAG_SKIP | FRAME_BYTES_MIN as u32);
            dev.release_transmit();
            dev.count(Counter::DmaReadErrors);
            dev.resume_dma_read();
        }
        if dev.dma_write_halted() {
            dev.count(Counter::DmaWriteErrors);
            dev.resume_dma_write();
        }
    }

    /// Answers the command when the transfers before it have ended. Nothing else is asked of this
    /// firmware: it keeps nothing of processes and peers.
    #[cold]
    #[inline(never)]
    fn answer(&mut self, dev: &mut impl Device) {
        let Some(command) = self.command else { return };
        let is_behind = |now: u32, then: u32| now.wrapping_sub(then) as i32 >= 0;
        if is_behind(self.sends_read, command.reads) && is_behind(self.buffers_filled, command.writes) {
            self.command = None;
            dev.to_host(MAILBOX_COMMAND_DONE, command.word);
        }
    }

    // ---- Frames ---------------------------------------------------------------------------------

    #[inline(always)]
    fn may_receive(&self, dev: &impl Device) -> bool {
        self.received as u16 != dev.receive_consumer()
            && self.buffers_taken.wrapping_sub(self.buffers_filled) < TRANSFERS
    }

    /// Writes the oldest frame to the next buffer of the host. Without one the frame is dropped.
    #[inline(always)]
    fn receive(&mut self, dev: &mut impl Device) {
        let (buffer, length_bytes) = dev.received(self.received as u16);
        self.received = self.received.wrapping_add(1);
        dev.expect(self.received as u16);
        dev.count(Counter::FramesReceived);
        if self.buffers_taken == self.buffers_posted {
            rarely();
            dev.count(Counter::FramesUnplaced);
            return dev.recycle(buffer);
        }
        let number = self.buffers_taken;
        self.buffers_taken = number.wrapping_add(1);
        let ring = dev.place(self.places.receives);
        let address = dev.get(ring, (number & (RING_ENTRIES - 1)) * RECEIVE_ENTRY_BYTES);
        let start = buffer - PREFIX_BYTES;
        let at = dev.place(start);
        dev.put(at, 0, length_bytes);
        dev.put(at, 4, 0);
        self.under_way[number as usize & TRANSFER_MASK] = buffer;
        dev.post_dma_write(number, address, start, (PREFIX_BYTES + length_bytes) | DMA_FLAG_EVENT);
        dev.count(Counter::FramesPlaced);
    }

    #[inline(always)]
    fn may_send(&self, dev: &impl Device) -> bool {
        self.sends_taken != self.sends_posted
            && self.sends_taken.wrapping_sub(self.sends_read) < TRANSFERS
            && u32::from((self.sends_taken as u16).wrapping_sub(dev.transmit_consumer())) < self.places.transmit_count
    }

    /// Reads the next frame of the host. It leaves when its bytes have come.
    #[inline(always)]
    fn send(&mut self, dev: &mut impl Device) {
        let number = self.sends_taken;
        self.sends_taken = number.wrapping_add(1);
        let entry = dev.place(self.places.sends + (number & (RING_ENTRIES - 1)) * SEND_ENTRY_BYTES);
        let (address, length_bytes) = (dev.get(entry, 0), dev.get(entry, 4));
        let length_bytes = length_bytes.clamp(FRAME_BYTES_MIN as u32, FRAME_BYTES_MAX);
        let buffer = self.transmit_buffer;
        self.transmit_buffer = buffer + self.places.buffer_bytes;
        if self.transmit_buffer == self.places.transmit_buffers + self.places.transmit_count * self.places.buffer_bytes
        {
            self.transmit_buffer = self.places.transmit_buffers;
        }
        dev.place_transmit(number, buffer, length_bytes | MAC_FLAG_EVENT);
        dev.post_dma_read(number, address, buffer, length_bytes | DMA_FLAG_ASSIST | DMA_FLAG_EVENT);
        dev.count(Counter::FramesToMac);
    }
}
