//! The state of the receiver.

use nic_device::{rarely, Device, Place};
use nic_dma::HostWrites;
use nic_layout::counter::Counter;
use nic_layout::ring::Event;

use super::next::{Next, NONE};
use super::open::{Command, Open};
use super::tag::Tag;
use crate::lists::Buffers;
use crate::messages::{
    Answer, FromSorterForReceiver, FromTransmitterForReceiver, ReceiverToTransmitter, SorterToReceiver, ToSorter,
    ToTransmitterOfReceiver,
};
use crate::neighbours::Transmits;
use crate::pages::Pages;
use crate::places::{receive_record as record, Settings};
use nic_layout::personality::emp::frame::Cut;

/// List pages of receives in the SRAM.
pub const RECEIVE_LISTS: usize = 8;

/// Entries that serving one entry of the sorter may add to a queue: the answer to a frame, and the
/// end of its message.
pub const ENTRIES: u32 = 2;

/// The part that places data. `A`: what addresses are.
#[derive(Debug)]
pub struct Receiver<A> {
    pub(crate) from_sorter: FromSorterForReceiver,
    pub(crate) from_transmitter: FromTransmitterForReceiver,
    pub(crate) to_transmitter: ToTransmitterOfReceiver,
    pub(crate) to_sorter: ToSorter,
    /// Something rare waits, here or in a queue from here ([`Self::stir`]).
    pub(crate) is_stirred: bool,
    /// The frame whose data are not all handed to the engine.
    pub(super) open: Option<Open>,
    /// An entry of the sorter that waits for room.
    pub(super) waiting: Option<SorterToReceiver>,
    /// A command of the driver that was not passed on yet.
    pub(super) command: Option<Command>,
    /// Records that are given up, and not given back yet.
    pub(super) failing: u32,
    /// The frame that is expected next.
    pub(super) next: Next,
    /// The record of the frame before, if that frame was not expected.
    pub(super) last: u32,
    /// Frames of which the data were handed to the engine.
    pub(super) placed: u32,
    /// Receives that have ended well.
    pub(super) done: u32,
    /// The first record.
    pub(super) receives: Place,
    /// How messages are cut into frames.
    pub(super) cut: Cut,
    pub(super) writes: HostWrites<Tag>,
    pub(super) lists: Buffers<RECEIVE_LISTS>,
    pub(crate) pages: A,
}

/// The sides of the queues that the receiver has.
pub struct Sides {
    /// From the sorter.
    pub from_sorter: FromSorterForReceiver,
    /// From the transmitter.
    pub from_transmitter: FromTransmitterForReceiver,
    /// To the transmitter.
    pub to_transmitter: ToTransmitterOfReceiver,
    /// To the sorter.
    pub to_sorter: ToSorter,
}

impl<A: Pages> Receiver<A> {
    /// Before [`Self::start`].
    pub const fn nowhere() -> Receiver<A> {
        Receiver {
            from_sorter: FromSorterForReceiver::NOWHERE,
            from_transmitter: FromTransmitterForReceiver::NOWHERE,
            to_transmitter: ToTransmitterOfReceiver::NOWHERE,
            to_sorter: ToSorter::NOWHERE,
            is_stirred: false,
            open: None,
            waiting: None,
            command: None,
            failing: 0,
            next: Next::NOTHING,
            last: u32::MAX,
            placed: 0,
            done: 0,
            receives: Place(0),
            cut: Settings::NONE.cut,
            writes: HostWrites::new(Tag::UNUSED),
            lists: Buffers::new(0),
            pages: A::NOWHERE,
        }
    }

    /// Something rare waits, here or in a queue from here: all parts look at everything.
    #[cold]
    pub(crate) fn stir(&mut self, dev: &mut impl Device) {
        self.is_stirred = true;
        dev.raise(Event::Work);
    }

    /// Whether an entry of the sorter can be served.
    #[inline(always)]
    pub(super) fn has_room(&mut self, dev: &impl Device) -> bool {
        self.to_transmitter.has_room(dev, ENTRIES) && self.to_sorter.has_room(dev, ENTRIES)
    }

    #[inline(always)]
    pub(super) fn record(&self, record: u32) -> Place {
        self.receives.plus(record * record::BYTES)
    }

    /// A frame of a record has come that was not expected, or its message was given up.
    #[inline(always)]
    pub(super) fn expect_nothing(&mut self, record: u32) {
        if self.next.record == record {
            self.next.node_length = NONE;
        }
    }

    /// Counts a frame whose data go to host memory.
    #[inline(always)]
    pub(super) fn count_placed(&mut self, dev: &mut impl Device) {
        self.placed = self.placed.wrapping_add(1);
        // As many as were placed since the start.
        dev.put(dev.counters(), Counter::FramesPlaced.offset(), self.placed);
    }

    /// Answers a frame. There is room in the queue to the transmitter.
    #[inline(always)]
    pub(super) fn answer<T: Transmits>(
        &mut self,
        dev: &mut impl Device,
        to: &mut T,
        kind: Answer,
        node: u32,
        numbers: u32,
    ) {
        if !T::IS_HERE {
            if to.answer(dev, kind, node, numbers) {
                return;
            }
            rarely();
            self.to_transmitter.push(dev, ReceiverToTransmitter::Answer { kind, node, numbers }.words());
            return dev.tell();
        }
        if !to.answer(dev, kind, node, numbers) {
            rarely();
            self.answer_later(dev, kind, node, numbers);
        }
    }

    /// Asks the transmitter for an answer. There is room.
    pub(super) fn answer_later(&mut self, dev: &mut impl Device, kind: Answer, node: u32, numbers: u32) {
        self.stir(dev);
        self.to_transmitter.push_rarely(dev, ReceiverToTransmitter::Answer { kind, node, numbers }.words());
    }
}
