//! What becomes of a frame whose translation is missing where it arrives: dropped, as the thesis has it (M-20), or dropped and asked for again
//! when the line is there, or held.
//!
//! | | Frame | Sender | When the driver has served the miss |
//! |---|---|---|---|
//! | [`ReceiveMiss::TimeOut`] | dropped | finds out by its time-out | |
//! | [`ReceiveMiss::Restart`] | dropped | is told (`Missed`): it stops, and waits longer | is told (`Restart`): it sends again at once |
//! | [`ReceiveMiss::Hold`] | stays in its buffer, and those that follow it | | they are taken as if they had just arrived; what there was no room for is asked for |
//!
//! `Missed` and `Restart` have no sequence number: what is lost of them is made up for by the time-out. They carry an acknowledgement like any frame.

use nic_device::Place;
use nic_layout::boot::{ReceiveMiss, MAX_NODES};
use nic_layout::counter::Counter;
use nic_layout::frame::{word, FrameKind, FRAME_BYTES_MIN};
use nic_layout::plant::{is_planted, Plant};
use nic_layout::trace::Marker;

use crate::receive::{Buffer, FLAGS};
use crate::translate::Untranslated;
use crate::{Machine, Tables};
use nic_device::Device;
use nic_layout::tables::MISS_RING_ENTRIES;
use nic_link::NODE_MASK;
use nic_plan::HELD_FRAMES_LIMIT;

const _: () = assert!(MISS_RING_ENTRIES <= u8::MAX as u32 / 2);

/// A frame that stays in its receive buffer.
#[derive(Clone, Copy, Debug)]
struct Held {
    buffer: u32,
    length_bytes: u16,
    node: u8,
}

/// Peers whose next frame missed here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReceiveMisses {
    /// Since when what is awaited was raised: the misses raised by then must be served. Low bits: far fewer are outstanding.
    raised: [u8; MAX_NODES],
    /// Frames of one peer follow each other here as their sequence numbers do.
    held: [Held; HELD_FRAMES_LIMIT as usize],
    held_count: usize,
    /// Peers that wait for a miss to be served; those of them whose further frames were dropped; those that could not be told yet.
    waiting: u32,
    behind: u32,
    to_restart: u32,
}

impl ReceiveMisses {
    pub(crate) const NONE: ReceiveMisses = ReceiveMisses {
        raised: [0; MAX_NODES],
        held: [Held { buffer: 0, length_bytes: 0, node: 0 }; HELD_FRAMES_LIMIT as usize],
        held_count: 0,
        waiting: 0,
        behind: 0,
        to_restart: 0,
    };

    #[inline(always)]
    pub(crate) fn are_open(&self) -> bool {
        self.waiting | self.to_restart != 0
    }

    fn held(&self) -> &[Held] {
        &self.held[..self.held_count.min(self.held.len())]
    }

    fn held_of(&self, node: usize) -> u32 {
        self.held().iter().filter(|held| usize::from(held.node) == node).count() as u32
    }

    /// False when as many are held as allowed.
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

    /// The oldest frame of a peer, which is held no more.
    fn take(&mut self, node: usize) -> Option<Held> {
        let place = self.held().iter().position(|held| usize::from(held.node) == node)?;
        let frame = *self.held.get(place)?;
        self.held.get_mut(place..self.held_count)?.rotate_left(1);
        self.held_count -= 1;
        Some(frame)
    }

    /// The frame of a peer that was held last becomes its first.
    fn last_becomes_first(&mut self, node: usize) {
        for _ in 1..self.held_of(node) {
            if let Some(frame) = self.take(node) {
                self.hold(frame, HELD_FRAMES_LIMIT);
            }
        }
    }
}

impl<T: Tables> Machine<T> {
    // ---- Where the frame arrives ----

    /// The frame in order finds no translation, or no buffer. `dropped` counts it if it is not held.
    #[cold]
    #[inline(never)]
    pub(crate) fn miss_frame(
        &mut self,
        dev: &mut impl Device,
        node: usize,
        buffer: u32,
        reason: Untranslated,
        dropped: Counter,
    ) -> Buffer {
        let node = node & NODE_MASK;
        if is_planted(Plant::AcknowledgedMiss) {
            self.link.advance(node);
            self.link.owe_ack(dev, node, true);
        }
        // With every way of the set in use there is no miss to be served: nobody would say when to try again.
        let mode = if reason == Untranslated::Fill { self.settings.receive_miss } else { ReceiveMiss::TimeOut };
        let misses = &mut self.receive_misses;
        match mode {
            ReceiveMiss::TimeOut => {}
            ReceiveMiss::Restart => {
                misses.waiting |= 1 << node;
                misses.raised[node] = self.misses_raised as u8;
                if self.fetches() {
                    self.await_fetches(dev, node);
                }
                self.link.tell(dev, &mut self.reads, node, FrameKind::Missed);
            }
            ReceiveMiss::Hold => {
                let is_copy = misses.waiting >> node & 1 != 0 && misses.held_of(node) != 0;
                misses.waiting |= 1 << node;
                misses.raised[node] = self.misses_raised as u8;
                if self.fetches() {
                    self.await_fetches(dev, node);
                }
                if !is_copy && self.hold_frame(dev, node, buffer) {
                    return Buffer::Busy;
                }
                self.receive_misses.behind |= u32::from(!is_copy) << node;
            }
        }
        self.drop_frame(dev, dropped)
    }

    /// A frame came behind a missing one. If that one is held, so may this be; otherwise it must be asked for.
    #[cold]
    #[inline(never)]
    pub(crate) fn gap_frame(&mut self, dev: &mut impl Device, node: usize, buffer: u32, sequence: u32) -> Buffer {
        let node = node & NODE_MASK;
        let ahead = sequence.wrapping_sub(self.link.expected(node));
        let misses = &self.receive_misses;
        let held = misses.held_of(node);
        if misses.waiting >> node & 1 != 0 && ahead >= held {
            if held != 0 && ahead == held && self.hold_frame(dev, node, buffer) {
                return Buffer::Busy;
            }
            self.receive_misses.behind |= 1 << node;
        }
        self.drop_frame(dev, Counter::FramesGap)
    }

    fn hold_frame(&mut self, dev: &mut impl Device, node: usize, buffer: u32) -> bool {
        let data_bytes = word::data_bytes(dev.read(buffer + word::NODE_LENGTH));
        let length_bytes = (Self::HEADER_BYTES + data_bytes).max(FRAME_BYTES_MIN as u32);
        let holds = self
            .receive_misses
            .hold(Held { buffer, length_bytes: length_bytes as u16, node: node as u8 }, self.settings.held_frames_max);
        if holds {
            dev.count(Counter::FramesHeld);
            dev.trace(Marker::FrameHeld, node as u32);
        }
        holds
    }

    /// The driver has served misses, or there is room again in a ring: goes on with what waited for that.
    #[cold]
    #[inline(never)]
    pub(crate) fn end_receive_misses(&mut self, dev: &mut impl Device) {
        for node in 0..MAX_NODES {
            let bit = 1 << node;
            let misses = &self.receive_misses;
            let served = (self.misses_served as u8).wrapping_sub(misses.raised[node]) <= u8::MAX / 2;
            if misses.waiting & bit != 0 && served && (!self.fetches() || self.fetches_have_ended(dev, node)) {
                let misses = &mut self.receive_misses;
                misses.waiting &= !bit;
                misses.to_restart |= u32::from(self.settings.receive_miss == ReceiveMiss::Restart) << node;
                self.take_held_frames(dev, node);
                let misses = &mut self.receive_misses;
                if misses.waiting & bit == 0 {
                    misses.to_restart |= misses.behind & bit;
                    misses.behind &= !bit;
                }
            }
            let misses = &self.receive_misses;
            // Not while its next frame waits again.
            if misses.to_restart & !misses.waiting & bit != 0 {
                if self.link.tell(dev, &mut self.reads, node, FrameKind::Restart) {
                    self.receive_misses.to_restart &= !bit;
                } else {
                    self.link.start_ack_timer(dev, node);
                }
            }
        }
    }

    /// Judges anew what is held of a peer, until one misses again or there is no room.
    fn take_held_frames(&mut self, dev: &mut impl Device, node: usize) {
        let bit = 1 << node;
        while self.receive_misses.held_of(node) != 0 {
            if !self.writes.has_room(2) {
                // The end of a host write comes back.
                self.receive_stalled = true;
                self.receive_misses.waiting |= bit;
                self.receive_misses.raised[node & NODE_MASK] = self.misses_served as u8;
                return;
            }
            let Some(frame) = self.receive_misses.take(node) else { return };
            dev.count(Counter::FramesRetaken);
            dev.trace(Marker::FrameRetaken, node as u32);
            // What was allowed then may not be any more (INV-21).
            if self.take_held(dev, frame.buffer, u32::from(frame.length_bytes)) == Buffer::Free {
                dev.recycle(frame.buffer);
            }
            if self.receive_misses.waiting & bit != 0 {
                self.receive_misses.last_becomes_first(node);
                return;
            }
        }
    }

    // ---- Where the frame came from ----

    /// A frame that tells of a miss, or that one was served.
    #[cold]
    #[inline(never)]
    pub(crate) fn take_notice(&mut self, dev: &mut impl Device, at: Place, type_word: u32, length_bytes: u32) {
        let node_length = dev.get(at, word::NODE_LENGTH);
        let node = match self.link.check_source::<false>(dev, at, (type_word, FLAGS), node_length, length_bytes) {
            Ok(node) => node,
            Err(reason) => {
                self.drop_frame(dev, reason);
                return;
            }
        };
        let expected = dev.get(at, word::SEQUENCE);
        let acknowledge = dev.get(at, word::ACKNOWLEDGE);
        self.on_acknowledge(dev, node, acknowledge, 0);
        if type_word == word::kind(FrameKind::Missed, 0) {
            dev.count(Counter::FramesMissed);
            self.link.on_missed(dev, node, expected);
        } else {
            dev.count(Counter::FramesRestart);
            dev.trace(Marker::RestartReceived, expected);
            self.go_on(node);
            self.link.on_restart(dev, node, expected);
        }
    }
}
