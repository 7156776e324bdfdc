//! What becomes of a frame whose translation is missing where it arrives: dropped, as the thesis has it (M-20), or dropped and asked for again
//! when the line is there, or held.
//!
//! | | Frame | Sender | When the driver has served the miss |
//! |---|---|---|---|
//! | [`ReceiveMiss::TimeOut`] | dropped | finds out by its time-out | |
//! | [`ReceiveMiss::Restart`] | dropped | is told (`Missed`): it stops, and waits longer | is told (`Restart`): it sends again at once |
//! | [`ReceiveMiss::Hold`] | stays in its buffer, the first of a peer | | it is taken as if it had just arrived; frames that came behind it are asked for |
//!
//! `Missed` and `Restart` have no sequence number: what is lost of them is made up for by the time-out. They carry an acknowledgement like any frame.

use nic_layout::boot::{ReceiveMiss, MAX_NODES};
use nic_layout::counter::Counter;
use nic_layout::frame::{word, FrameKind};
use nic_layout::trace::Marker;
use nic_lookup::Place;

use crate::link::NODE_MASK;
use crate::machine::RETRANSMIT_TIMER;
use crate::receive::Buffer;
use crate::translate::Untranslated;
use crate::{Device, Machine};
use nic_plan::LOST_RESTART_LOG2;

/// Peers whose next frame missed here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReceiveMisses {
    /// Since when what is awaited was raised: the misses raised by then must be served.
    raised: [u32; MAX_NODES],
    /// Buffer of the frame that is held; 0: none.
    held: [u32; MAX_NODES],
    held_count: u32,
    /// Peers that wait for a miss to be served; those of them whose further frames were dropped; those that could not be told yet.
    waiting: u32,
    behind: u32,
    to_restart: u32,
}

impl ReceiveMisses {
    pub(crate) const NONE: ReceiveMisses = ReceiveMisses {
        raised: [0; MAX_NODES],
        held: [0; MAX_NODES],
        held_count: 0,
        waiting: 0,
        behind: 0,
        to_restart: 0,
    };

    #[inline(always)]
    pub(crate) fn are_open(&self) -> bool {
        self.waiting | self.to_restart != 0
    }
}

impl<const E: u32, const L: u32, const W: u32> Machine<E, L, W> {
    // ---- Where the frame arrives ----

    /// The frame in order finds no translation.
    #[cold]
    #[inline(never)]
    pub(crate) fn miss_frame(
        &mut self,
        dev: &mut impl Device,
        node: usize,
        buffer: u32,
        reason: Untranslated,
    ) -> Buffer {
        let node = node & NODE_MASK;
        // With every way of the set in use there is no miss to be served: nobody would say when to try again.
        let mode = if reason == Untranslated::Fill { self.config.receive_miss } else { ReceiveMiss::TimeOut };
        let misses = &mut self.receive_misses;
        match mode {
            ReceiveMiss::TimeOut => {}
            ReceiveMiss::Restart => {
                misses.waiting |= 1 << node;
                misses.raised[node] = self.misses_raised;
                self.tell(dev, node, FrameKind::Missed);
            }
            ReceiveMiss::Hold => {
                let may_hold = misses.held[node] == 0 && misses.held_count < self.config.held_frames_max;
                misses.waiting |= 1 << node;
                misses.raised[node] = self.misses_raised;
                if may_hold {
                    misses.held[node] = buffer;
                    misses.held_count += 1;
                    self.count(dev, Counter::FramesHeld);
                    dev.trace(Marker::FrameHeld, node as u32);
                    return Buffer::Busy;
                }
                // Held already, and this is its retransmission; or there is no room for more.
                misses.behind |= u32::from(misses.held[node] == 0) << node;
            }
        }
        self.drop_frame(dev, Counter::FramesDroppedMiss)
    }

    /// A frame came behind a missing one. If that one is held, what follows it must be asked for.
    #[cold]
    #[inline(never)]
    pub(crate) fn gap_frame(&mut self, dev: &mut impl Device, node: usize) -> Buffer {
        let bit = 1 << (node & NODE_MASK);
        self.receive_misses.behind |= self.receive_misses.waiting & bit;
        self.drop_frame(dev, Counter::FramesGap)
    }

    /// The driver has served misses, or there is room again in a ring: goes on with what waited for that.
    #[cold]
    #[inline(never)]
    pub(crate) fn end_receive_misses(&mut self, dev: &mut impl Device) {
        for node in 0..MAX_NODES {
            let bit = 1 << node;
            let misses = &mut self.receive_misses;
            let served = self.misses_served.wrapping_sub(misses.raised[node]) <= u32::MAX / 2;
            if misses.waiting & bit != 0 && served {
                let buffer = misses.held[node];
                if buffer != 0 && !self.has_write_room(2) {
                    self.receive_stalled = true;
                    continue;
                }
                let misses = &mut self.receive_misses;
                let asks = self.config.receive_miss == ReceiveMiss::Restart || misses.behind & bit != 0;
                misses.waiting &= !bit;
                misses.behind &= !bit;
                misses.to_restart |= u32::from(asks) << node;
                if buffer != 0 {
                    misses.held[node] = 0;
                    misses.held_count -= 1;
                    self.count(dev, Counter::FramesRetaken);
                    dev.trace(Marker::FrameRetaken, node as u32);
                    let at = dev.place(buffer);
                    let (type_word, node_length) = (dev.get(at, word::TYPE), dev.get(at, word::NODE_LENGTH));
                    // All is judged anew: what was allowed then may not be any more (INV-21).
                    let (flags, data_bytes) = (word::flags(type_word), word::data_bytes(node_length));
                    if self.take_held(dev, at, buffer, node, flags, data_bytes) == Buffer::Free {
                        dev.recycle(buffer);
                    }
                }
            }
            let misses = &self.receive_misses;
            // Not while its next frame waits again.
            if misses.to_restart & !misses.waiting & bit != 0 {
                if self.tell(dev, node, FrameKind::Restart) {
                    self.receive_misses.to_restart &= !bit;
                } else {
                    self.start_ack_timer(dev, node);
                }
            }
        }
    }

    /// Sends a frame without sequence number that says no more than its kind and an acknowledgement. False if the rings are full.
    ///
    /// A copy may still be in the ring, of the other kind perhaps: then the peer is told the newer thing twice.
    fn tell(&mut self, dev: &mut impl Device, node: usize, kind: FrameKind) -> bool {
        if !self.has_short_room(dev) {
            return false;
        }
        let acknowledgement = self.piggyback_ack(node);
        let at = self.notice_buffer(node);
        dev.write(at + word::TYPE, word::kind(kind, 0));
        self.place_short(dev, at, acknowledgement);
        let (counter, marker) = match kind {
            FrameKind::Restart => (Counter::RestartsSent, Marker::RestartSent),
            _ => (Counter::MissedSent, Marker::MissedSent),
        };
        self.count(dev, counter);
        dev.trace(marker, acknowledgement);
        true
    }

    // ---- Where the frame came from ----

    /// A frame that tells of misses, or none of ours.
    #[cold]
    #[inline(never)]
    pub(crate) fn take_notice(&mut self, dev: &mut impl Device, at: Place, type_word: u32, length_bytes: u32) {
        const MISSED: u32 = word::kind(FrameKind::Missed, 0);
        const RESTART: u32 = word::kind(FrameKind::Restart, 0);
        let kind = type_word & word::KIND_MASK;
        let node_length = dev.get(at, word::NODE_LENGTH);
        let source = match kind {
            MISSED | RESTART => self.check_source(dev, at, type_word, node_length, length_bytes),
            _ => Err(Counter::FramesMalformed),
        };
        let node = match source {
            Ok(node) => node,
            Err(reason) => {
                self.drop_frame(dev, reason);
                return;
            }
        };
        let expected = dev.get(at, word::ACKNOWLEDGE);
        self.on_acknowledge(dev, node, expected);
        if kind == MISSED {
            self.count(dev, Counter::FramesMissed);
            self.on_missed(dev, node, expected);
        } else {
            self.count(dev, Counter::FramesRestart);
            self.on_restart(dev, node, expected);
        }
    }

    /// The peer has no translation for the oldest frame in flight yet. It will say when it has: until then nothing that is sent would be taken.
    fn on_missed(&mut self, dev: &mut impl Device, node: usize, expected: u32) {
        let node = node & NODE_MASK;
        dev.trace(Marker::MissedReceived, expected);
        let window = &self.peers[node].window;
        if expected != window.oldest() || window.in_flight() == 0 {
            return;
        }
        self.resend &= !(1 << node);
        self.halted |= 1 << node;
        self.barred |= 1 << node;
        // Should the restart be lost.
        let wait = self.peers[node].window.interval(self.config.retransmit_cycles) << LOST_RESTART_LOG2;
        if let Some(due) = self.retransmit.set(node, dev.now().wrapping_add(wait)) {
            dev.set_timer(RETRANSMIT_TIMER, due);
        }
    }

    /// The peer takes the oldest frame in flight now.
    fn on_restart(&mut self, dev: &mut impl Device, node: usize, expected: u32) {
        let node = node & NODE_MASK;
        dev.trace(Marker::RestartReceived, expected);
        self.go_on(node);
        let window = &self.peers[node].window;
        if expected != window.oldest() || window.in_flight() == 0 {
            return;
        }
        self.begin_resend(node);
        self.start_retransmit_timer(dev, node);
    }

    /// Frames for a peer that had none taken may go out again.
    #[cold]
    pub(crate) fn go_on(&mut self, node: usize) {
        let bit = 1 << (node & NODE_MASK);
        if self.halted & bit != 0 {
            self.halted &= !bit;
            self.barred = self.lost | self.halted;
            self.wake(self.blocked);
        }
    }
}
