//! Frames whose translation or buffer is missing at the receiver. They are dropped, as in the
//! thesis (M-20), or dropped and requested again when the line is filled, or held.
//!
//! | | Frame | Sender | When the driver has served the miss |
//! |---|---|---|---|
//! | [`ReceiveMiss::TimeOut`] | dropped | finds out by its time-out | |
//! | [`ReceiveMiss::Restart`] | dropped | is told (`Missed`): it stops, and waits longer | is told (`Restart`): it sends again at once |
//! | [`ReceiveMiss::Hold`] | stays in its buffer, and those that follow it | | they are taken as if they had just arrived; what there was no room for is asked for |
//!
//! `Missed` and `Restart` have no sequence number. If one is lost, the sender's time-out makes up
//! for it. They carry an acknowledgement like any frame.

use nic_layout::boot::ReceiveMiss;
use nic_layout::counter::Counter;
use nic_layout::frame::link::{FrameKind, FRAME_BYTES_MIN};
use nic_layout::frame::rdma::word;
use nic_layout::nodes::{NodeSet, IMAGE_NODES};
use nic_layout::plant::{is_planted, Plant};
use nic_layout::trace::Marker;

use crate::misses::Misses;
use crate::page::Untranslated;
use crate::wire::{Layers, Wire};
use crate::Tables;
use nic_device::Device;
use nic_engine::Buffer;
use nic_layout::tables::MISS_RING_ENTRIES;
use nic_link::NODE_MASK;
use nic_plan::HELD_FRAMES_LIMIT;

const _: () = assert!(MISS_RING_ENTRIES <= u8::MAX as u32 / 2);

/// A frame that stays in its receive buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub buffer: u32,
    pub length_bytes: u16,
    node: u8,
}

/// Peers whose next frame missed here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReceiveMisses {
    mode: ReceiveMiss,
    /// Frames that may be held at a time.
    held_frames_max: u32,
    /// For each peer the low bits of the number of misses that were raised when its frame missed.
    /// The frame waits until these misses are served. Eight bits suffice, because far fewer misses
    /// are outstanding.
    raised: [u8; IMAGE_NODES],
    /// The held frames. Frames of one peer stand in the order of their sequence numbers.
    held: [Held; HELD_FRAMES_LIMIT as usize],
    held_count: usize,
    /// Peers that wait for a miss to be served; those of them whose further frames were dropped;
    /// those that could not be told yet.
    waiting: NodeSet,
    behind: NodeSet,
    to_restart: NodeSet,
}

impl ReceiveMisses {
    pub(crate) const NONE: ReceiveMisses = ReceiveMisses {
        mode: ReceiveMiss::TimeOut,
        held_frames_max: 0,
        raised: [0; IMAGE_NODES],
        held: [Held { buffer: 0, length_bytes: 0, node: 0 }; HELD_FRAMES_LIMIT as usize],
        held_count: 0,
        waiting: 0,
        behind: 0,
        to_restart: 0,
    };

    /// Peers that wait, or that are to be told.
    #[inline(always)]
    pub(crate) fn open(&self) -> NodeSet {
        self.waiting | self.to_restart
    }

    fn held(&self) -> &[Held] {
        &self.held[..self.held_count.min(self.held.len())]
    }

    pub(crate) fn held_of(&self, node: usize) -> u32 {
        self.held().iter().filter(|held| usize::from(held.node) == node).count() as u32
    }

    /// Holds a frame. False if `most` frames are held already.
    fn hold(&mut self, frame: Held, most: u32) -> bool {
        let has_room = self.held_count < most as usize;
        match self.held.get_mut(self.held_count) {
            Some(place) if has_room => {
                *place = frame;
                self.held_count += 1;
                true
            }
            _ => false,
        }
    }

    /// The place of the oldest held frame of a peer.
    pub(crate) fn oldest_of(&self, node: usize) -> Option<usize> {
        self.held().iter().position(|held| usize::from(held.node) == node)
    }

    /// Takes the held frame at a place out.
    pub(crate) fn take_at(&mut self, place: usize) -> Option<Held> {
        let held = self.held.get_mut(place..self.held_count)?;
        let frame = *held.first()?;
        for next in 1..held.len() {
            held[next - 1] = held[next];
        }
        self.held_count -= 1;
        Some(frame)
    }

    /// Takes the oldest held frame of a peer out.
    pub(crate) fn take(&mut self, node: usize) -> Option<Held> {
        self.take_at(self.oldest_of(node)?)
    }

    /// Makes the frame of a peer that was held last the first of that peer.
    pub(crate) fn last_becomes_first(&mut self, node: usize) {
        for _ in 1..self.held_of(node) {
            if let Some(frame) = self.take(node) {
                self.hold(frame, HELD_FRAMES_LIMIT);
            }
        }
    }

    pub(crate) fn new(mode: ReceiveMiss, held_frames_max: u32) -> ReceiveMisses {
        ReceiveMisses { mode, held_frames_max, ..ReceiveMisses::NONE }
    }

    /// Handles a frame in order whose lookup missed. `dropped` is the counter of the frame if it is
    /// dropped.
    #[cold]
    #[inline(never)]
    pub(crate) fn miss_frame<T: Tables>(
        &mut self,
        misses: &Misses,
        layers: &mut Layers<T>,
        dev: &mut impl Device,
        (node, buffer): (usize, u32),
        reason: Untranslated,
        dropped: Counter,
    ) -> Buffer {
        let node = node & NODE_MASK;
        if is_planted(Plant::AcknowledgedMiss) {
            layers.link.advance(node);
            layers.link.owe_ack(dev, node, true);
        }
        // If every way of the set is in use, no miss is raised. Then no event would tell when to
        // try again, so the frame is left to the sender's time-out.
        let mode = if reason == Untranslated::Fill { self.mode } else { ReceiveMiss::TimeOut };
        match mode {
            ReceiveMiss::TimeOut => {}
            ReceiveMiss::Restart => {
                self.await_miss(misses, dev, node);
                layers.link.tell(dev, &mut layers.reads, node, FrameKind::MISSED);
            }
            ReceiveMiss::Hold => {
                let is_copy = self.waiting >> node & 1 != 0 && self.held_of(node) != 0;
                self.await_miss(misses, dev, node);
                if !is_copy && self.hold_frame::<T>(dev, node, buffer) {
                    return Buffer::Busy;
                }
                self.behind |= NodeSet::from(!is_copy) << node;
            }
        }
        layers.drop_frame(dev, dropped)
    }

    /// Lets the next frame of a peer wait for the misses that are raised and the fetches that are
    /// open now.
    fn await_miss(&mut self, misses: &Misses, dev: &mut impl Device, node: usize) {
        self.waiting |= 1 << node;
        self.raised[node & NODE_MASK] = misses.raised() as u8;
        if misses.fetches().are_used() {
            misses.fetches().await_all(dev, node);
        }
    }

    /// Handles a frame whose number is not the peer's next. It is held if the frames before it are
    /// held and there is room; otherwise it is dropped and requested again later.
    #[cold]
    #[inline(never)]
    pub(crate) fn gap_frame<T: Tables>(
        &mut self,
        layers: &mut Layers<T>,
        dev: &mut impl Device,
        node: usize,
        buffer: u32,
        sequence: u32,
    ) -> Buffer {
        let node = node & NODE_MASK;
        let ahead = sequence.wrapping_sub(layers.link.expected(node));
        let held = self.held_of(node);
        if self.waiting >> node & 1 != 0 && ahead >= held {
            if held != 0 && ahead == held && self.hold_frame::<T>(dev, node, buffer) {
                return Buffer::Busy;
            }
            self.behind |= 1 << node;
        }
        layers.drop_frame(dev, Counter::FramesGap)
    }

    fn hold_frame<T: Tables>(&mut self, dev: &mut impl Device, node: usize, buffer: u32) -> bool {
        let data_bytes = word::data_bytes(dev.read(buffer + word::NODE_LENGTH));
        let length_bytes = (Wire::<T>::HEADER_BYTES + data_bytes).max(FRAME_BYTES_MIN as u32);
        let frame = Held { buffer, length_bytes: length_bytes as u16, node: node as u8 };
        let holds = self.hold(frame, self.held_frames_max);
        if holds {
            dev.count(Counter::FramesHeld);
            dev.trace(Marker::FrameHeld, node as u32);
        }
        holds
    }

    /// Ends the wait of a peer's next frame if its misses were served. True if it has ended.
    pub(crate) fn ends_wait(&mut self, misses: &Misses, dev: &impl Device, node: usize) -> bool {
        let bit = 1 << node;
        let is_served = (misses.served() as u8).wrapping_sub(self.raised[node & NODE_MASK]) <= u8::MAX / 2;
        let fetches = misses.fetches();
        if self.waiting & bit == 0 || !is_served || (fetches.are_used() && !fetches.have_ended(dev, node)) {
            return false;
        }
        self.waiting &= !bit;
        self.to_restart |= NodeSet::from(self.mode == ReceiveMiss::Restart) << node;
        true
    }

    /// Whether the next frame of a peer waits for a miss or for room.
    pub(crate) fn waits(&self, node: usize) -> bool {
        self.waiting >> (node & NODE_MASK) & 1 != 0
    }

    /// Forgets the misses of a peer that has started again and of which no frame is held.
    pub(crate) fn forget(&mut self, node: usize) {
        let others = !(1 << (node & NODE_MASK));
        self.waiting &= others;
        self.behind &= others;
        self.to_restart &= others;
    }

    /// Lets the held frames of a peer wait for room, which the end of a host write brings.
    pub(crate) fn wait_for_room(&mut self, misses: &Misses, node: usize) {
        self.waiting |= 1 << (node & NODE_MASK);
        self.raised[node & NODE_MASK] = misses.served() as u8;
    }

    /// Requests the dropped frames of a peer that is marked for it, unless its next frame waits.
    pub(crate) fn ask_for_more<T: Tables>(&mut self, layers: &mut Layers<T>, dev: &mut impl Device, node: usize) {
        let bit = 1 << node;
        if self.to_restart & !self.waiting & bit != 0 {
            if layers.link.tell(dev, &mut layers.reads, node, FrameKind::RESTART) {
                self.to_restart &= !bit;
            } else {
                layers.link.start_ack_timer(dev, node);
            }
        }
    }

    /// After the held frames of a peer were judged anew: if frames behind them were dropped and the
    /// peer's next frame does not wait, marks the peer for [`Self::ask_for_more`].
    pub(crate) fn after_held(&mut self, node: usize) {
        let bit = 1 << node;
        if self.waiting & bit == 0 {
            self.to_restart |= self.behind & bit;
            self.behind &= !bit;
        }
    }
}
