//! A stream with the tasks that sleep on it, and its timer.

use std::cell::{Cell, RefCell};

use sim_pins::Ps;

use super::segment::Peer;
use super::stream::Stream;
use crate::executor::{Lock, Notify};

/// One end of a stream in the kernel.
pub(super) struct Endpoint {
    pub peer: Peer,
    pub stream: RefCell<Stream>,
    /// The lock of the socket: protocol work and copies exclude each other.
    pub lock: Lock,
    /// Bytes, or an end, have come.
    pub readable: Notify,
    /// Room has come, or the peer has acknowledged.
    pub writable: Notify,
    /// The time of the last progress of the sender, and where it was.
    progress: Cell<(Ps, u32)>,
    timeouts: Cell<u32>,
    /// The peer does not answer.
    pub is_lost: Cell<bool>,
}

impl Endpoint {
    pub fn new(peer: Peer, window_bytes: u32) -> Endpoint {
        Endpoint {
            peer,
            stream: RefCell::new(Stream::new(window_bytes)),
            lock: Lock::default(),
            readable: Notify::new(),
            writable: Notify::new(),
            progress: Cell::new((Ps::ZERO, 0)),
            timeouts: Cell::new(0),
            is_lost: Cell::new(false),
        }
    }

    /// Whether the peer has not acknowledged anything for so long.
    pub fn is_late(&self, now: Ps, interval: Ps) -> bool {
        let stream = self.stream.borrow();
        let (since, at) = self.progress.get();
        if stream.oldest() != at || stream.is_through() {
            self.progress.set((now, stream.oldest()));
            self.timeouts.set(0);
            return false;
        }
        now >= since + interval
    }

    /// Notes a time-out. False: it was one too many, and the peer is lost.
    pub fn time_out(&self, now: Ps, limit: u32) -> bool {
        self.progress.set((now, self.stream.borrow().oldest()));
        self.timeouts.set(self.timeouts.get() + 1);
        if self.timeouts.get() > limit {
            self.is_lost.set(true);
            self.readable.notify();
            self.writable.notify();
        }
        !self.is_lost.get()
    }
}
