//! The state of the transmitter, and frames without data.

use nic_device::{rarely, Device, Place};
use nic_dma::{HostReads, Transfer};
use nic_layout::frame::link::FrameKind;
use nic_layout::personality::emp::descriptor::Failure;
use nic_layout::personality::emp::frame::{word, HEADER_BYTES};
use nic_layout::ring::{Event, DMA_FLAG_EVENT};
use nic_layout::trace::Marker;

use super::buffers::Ring;
use super::open::Open;
use super::tag::Tag;
use crate::header::Addresses;
use crate::lists::Buffers;
use crate::messages::{
    FromReceiverForTransmitter, FromSender, SenderToTransmitter, ToReceiverOfTransmitter, ToSenderOfTransmitter,
    TransmitterToSender,
};
use crate::pages::Pages;
use crate::places::{send_record as record, Places, Settings};

/// While the ring of host reads has this room, the ends of its transfers make no event.
const QUIET_ROOM: u32 = 24;

/// List pages of sends in the SRAM: as many as of receives, so that one walk serves both.
pub const SEND_LISTS: usize = 8;

/// The part that sends. `A`: what addresses are.
#[derive(Debug)]
pub struct Transmitter<A> {
    pub(crate) from_sender: FromSender,
    pub(crate) from_receiver: FromReceiverForTransmitter,
    pub(crate) to_sender: ToSenderOfTransmitter,
    pub(crate) to_receiver: ToReceiverOfTransmitter,
    /// Something rare waits, here or in a queue from here ([`Self::stir`]).
    pub(crate) is_stirred: bool,
    /// The frame whose data are not all asked for.
    pub(super) open: Option<Open>,
    /// An entry of the sender that waits for room.
    pub(super) waiting: Option<SenderToTransmitter>,
    pub(super) ring: Ring,
    pub(super) places: Places,
    /// The first record of a send.
    pub(super) sends: Place,
    pub(super) settings: Settings,
    pub(super) reads: HostReads<Tag>,
    /// Transfers in that queue whose ends somebody waits for.
    pub(super) awaited: u32,
    pub(super) lists: Buffers<SEND_LISTS>,
    pub(super) addresses: Addresses,
    pub(crate) pages: A,
}

/// The sides of the queues that the transmitter has.
pub struct Sides {
    /// From the sender.
    pub from_sender: FromSender,
    /// From the receiver.
    pub from_receiver: FromReceiverForTransmitter,
    /// To the sender.
    pub to_sender: ToSenderOfTransmitter,
    /// To the receiver.
    pub to_receiver: ToReceiverOfTransmitter,
}

impl<A: Pages> Transmitter<A> {
    /// Before [`Self::start`].
    pub const fn nowhere() -> Transmitter<A> {
        Transmitter {
            from_sender: FromSender::NOWHERE,
            from_receiver: FromReceiverForTransmitter::NOWHERE,
            to_sender: ToSenderOfTransmitter::NOWHERE,
            to_receiver: ToReceiverOfTransmitter::NOWHERE,
            is_stirred: false,
            open: None,
            waiting: None,
            ring: Ring::NOWHERE,
            places: Places::NOWHERE,
            sends: Place(0),
            settings: Settings::NONE,
            reads: HostReads::new(Tag::UNUSED),
            awaited: 0,
            lists: Buffers::new(0),
            addresses: Addresses::NONE,
            pages: A::NOWHERE,
        }
    }

    /// Something rare waits, here or in a queue from here: all parts look at everything.
    #[cold]
    pub(crate) fn stir(&mut self, dev: &mut impl Device) {
        self.is_stirred = true;
        dev.raise(Event::Work);
    }

    /// The record of a send.
    #[inline(always)]
    pub(super) fn record(&self, record: u32) -> Place {
        self.sends.plus(record * record::BYTES)
    }

    /// Posts a transfer whose end somebody waits for. There is room.
    pub(super) fn post_awaited(&mut self, dev: &mut impl Device, transfer: Transfer, tag: Tag) {
        self.awaited += 1;
        self.reads.post(dev, transfer, DMA_FLAG_EVENT, tag);
    }

    /// Lets the frame that was placed last leave behind the transfers that were posted.
    #[inline(always)]
    pub(super) fn release(&mut self, dev: &mut impl Device) {
        if self.reads.is_idle() {
            rarely();
            return dev.release_transmit();
        }
        // Most ends say only that there is room again. So they are handled many at a time.
        let flags = if self.reads.has_room(QUIET_ROOM) { 0 } else { DMA_FLAG_EVENT };
        self.reads.release_behind(dev, flags);
    }

    /// The same for the first frame of a message, whose books have taken a while: if all transfers
    /// have ended meanwhile, the frame leaves at once.
    #[inline(always)]
    pub(super) fn release_first(&mut self, dev: &mut impl Device) {
        if A::MAY_MISS {
            // The end of each transfer unlocks a line.
            return self.release(dev);
        }
        let Some(consumer) = self.all_read(dev) else {
            rarely();
            return self.release(dev);
        };
        self.reads.retire_all(consumer);
        dev.release_transmit();
    }

    /// The index of the engine, if all transfers have ended well, and nothing waits for their ends.
    #[inline(always)]
    pub(super) fn all_read(&self, dev: &impl Device) -> Option<u16> {
        // The index is read before the flag: so all transfers have succeeded, or the flag is set.
        let consumer = dev.dma_read_consumer();
        if consumer != self.reads.next_number() as u16 || self.awaited != 0 || dev.dma_read_halted() {
            return None;
        }
        Some(consumer)
    }

    /// Sends a frame without data. False if it has to wait.
    ///
    /// It waits while a frame is open: the transfers of an open frame name its place in the ring,
    /// which is the next.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    pub(super) fn send_answer(&mut self, dev: &mut impl Device, kind: FrameKind, node: u32, numbers: u32) -> bool {
        // If every transfer has ended, the answer need not leave behind one, even if their ends were
        // not handled: the frames before it were released by them.
        let is_idle = dev.dma_read_consumer() == self.reads.next_number() as u16;
        if self.open.is_some() || !is_idle && !self.reads.has_room(1) {
            return false;
        }
        let Some(offset) = self.ring.ready_answer(dev) else { return false };
        let at = dev.place(offset);
        self.addresses.put(dev, at, kind, node, 0, numbers);
        // Every acknowledgement says what room there is (E-40).
        let room = if self.settings.has_flow_control() { dev.receive_room() } else { 0 };
        dev.put(at, word::OFFSET, room);
        self.ring.place_answer(dev, offset, HEADER_BYTES);
        match is_idle {
            true => dev.release_transmit(),
            false => self.release(dev),
        }
        // Answers are at rest more often than messages: the next message need not look.
        self.ring.look(dev);
        dev.trace(Marker::AckSent, numbers);
        true
    }

    /// Tells the sender that a frame of a record could not be read. False if the queue has no room.
    #[cold]
    pub(super) fn tell_failed(&mut self, dev: &mut impl Device, record: u32, failure: Failure) -> bool {
        if self.to_sender.room(dev) == 0 {
            return false;
        }
        self.stir(dev);
        self.to_sender.push(dev, TransmitterToSender::Failed { record, failure }.words());
        true
    }
}
