//! An output port: its queue, and the frame that it sends.

use std::collections::VecDeque;

use sim_pins::{Ps, LINK_IDLE};
use sim_time::Clock;

use crate::line::GAP;
use crate::switch::ingress::{Frame, FrameKey};
use crate::transmitter::Transmitter;

/// A frame that an output queue has taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Queued {
    pub key: FrameKey,
    pub ready: Ps,
    /// Room that it fills: its bytes, or the longest frame as long as its length is not known.
    pub bytes: u64,
}

/// The frame that leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sending {
    pub queued: Queued,
    pub start_edge: u64,
    /// Symbols that the transmitter has.
    emitted: usize,
}

pub(super) struct Egress {
    pub tx: Transmitter,
    pub queue: VecDeque<Queued>,
    pub sending: Option<Sending>,
    /// Bytes of the queue and of the frame that leaves.
    pub held_bytes: u64,
    capacity_bytes: u64,
    /// The first edge at which a frame may start: the gap is over.
    free_edge: u64,
    /// An event for the start of the first frame of the queue is planned.
    pub is_start_planned: bool,
    pub is_stopped: bool,
}

impl Egress {
    pub(super) fn new(tx: Transmitter, capacity_bytes: u32) -> Egress {
        Egress {
            tx,
            queue: VecDeque::new(),
            sending: None,
            held_bytes: 0,
            capacity_bytes: capacity_bytes.into(),
            free_edge: 0,
            is_start_planned: false,
            is_stopped: false,
        }
    }

    pub(super) fn clock(&self) -> Clock {
        self.tx.clock()
    }

    pub(super) fn has_room(&self, bytes: u64) -> bool {
        self.held_bytes + bytes <= self.capacity_bytes
    }

    pub(super) fn put(&mut self, queued: Queued) {
        self.held_bytes += queued.bytes;
        self.queue.push_back(queued);
    }

    /// The length of a frame is known: what was reserved beyond it is free again.
    pub(super) fn settle(&mut self, key: FrameKey, bytes: u64) {
        let sending = self.sending.as_mut().map(|sending| &mut sending.queued);
        for queued in sending.into_iter().chain(&mut self.queue).filter(|queued| queued.key == key) {
            self.held_bytes = self.held_bytes - queued.bytes + bytes;
            queued.bytes = bytes;
        }
    }

    /// When the first frame of the queue can start, at `now` or later; `None` if none can.
    pub(super) fn next_start(&self, now: Ps) -> Option<Ps> {
        if self.sending.is_some() || self.is_start_planned || self.is_stopped {
            return None;
        }
        let earliest = self.queue.front()?.ready.max(now);
        Some(self.clock().edge(self.free_edge.max(self.clock().edges_before(earliest))))
    }

    /// Starts the first frame of the queue at an edge of the transmit clock.
    pub(super) fn start(&mut self, at: Ps) -> FrameKey {
        let queued = self.queue.pop_front().expect("a start is planned for a frame");
        self.sending = Some(Sending { queued, start_edge: self.clock().edges_before(at), emitted: 0 });
        queued.key
    }

    /// The first edge behind a frame of so many symbols, if that frame is the leaving frame.
    pub(super) fn end_of(&self, key: FrameKey, symbols: usize) -> Option<Ps> {
        let sending = self.sending.as_ref().filter(|sending| sending.queued.key == key)?;
        Some(self.clock().edge(sending.start_edge + symbols as u64))
    }

    /// Gives the transmitter the symbols of the frame that leave before edge `end_edge`.
    pub(super) fn emit(&mut self, frame: &Frame, end_edge: u64) {
        let Some(sending) = &mut self.sending else {
            return;
        };
        let due = end_edge.saturating_sub(sending.start_edge) as usize;
        assert!(frame.has_ended || due <= frame.symbols.len(), "a symbol would leave before it has arrived");
        let due = due.min(frame.symbols.len());
        for (i, &symbol) in frame.symbols.iter().enumerate().take(due).skip(sending.emitted) {
            self.tx.send(sending.start_edge + i as u64, symbol);
        }
        sending.emitted = due.max(sending.emitted);
    }

    /// The frame has left: gives the transmitter the rest of it and what it needs to see the end.
    pub(super) fn finish(&mut self, frame: &Frame) -> Sending {
        self.emit(frame, u64::MAX);
        let sending = self.sending.take().expect("a frame that ends has begun");
        let end_edge = sending.start_edge + frame.symbols.len() as u64;
        self.tx.send(end_edge, LINK_IDLE);
        self.free_edge = end_edge + GAP;
        self.held_bytes -= sending.queued.bytes;
        sending
    }
}
