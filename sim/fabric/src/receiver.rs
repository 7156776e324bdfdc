use std::collections::VecDeque;

use sim_pins::{LinkSymbol, Ps, LINK_IDLE};
use sim_time::Clock;

use crate::wire::{FlowChange, TimedSymbol, Wire};

/// The receiving end of one direction.
#[derive(Debug)]
pub struct Receiver {
    wire: Wire,
    clock: Clock,
    latency: Ps,
    arrived: VecDeque<TimedSymbol>,
    /// No symbol but idle before this edge.
    next_active: u64,
    /// What was sent before this edge is in `arrived`.
    complete_before: u64,
}

impl Receiver {
    pub(crate) fn new(wire: Wire, sender: Clock, latency: Ps) -> Receiver {
        let clock = sender.delayed(latency);
        Receiver { wire, clock, latency, arrived: VecDeque::new(), next_active: 0, complete_before: 0 }
    }

    /// The receive clock: the clock of the sender, later by the latency.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// The symbol that stands on the pins at rising edge `edge` of the receive clock. Ask for edges
    /// in order.
    ///
    /// # Panics
    /// If the sender has not come so far: the window is longer than the latency, or it did not end
    /// with `Transmitter::end_window`.
    #[inline(always)]
    pub fn receive(&mut self, edge: u64) -> LinkSymbol {
        if edge < self.next_active {
            LINK_IDLE
        } else {
            self.receive_active(edge)
        }
    }

    /// The first edge from which on something else than idle may come. A caller that skips edges
    /// must stop before it.
    #[inline(always)]
    pub fn idle_before(&self) -> u64 {
        self.next_active
    }

    #[inline(never)]
    fn receive_active(&mut self, edge: u64) -> LinkSymbol {
        self.fetch(edge);
        let symbol = match self.arrived.front() {
            Some(first) if first.edge == edge => {
                let symbol = first.symbol;
                self.arrived.pop_front();
                symbol
            }
            Some(first) => {
                assert!(first.edge > edge, "edge {} was skipped, but not idle", first.edge);
                LINK_IDLE
            }
            None => LINK_IDLE,
        };
        self.next_active = self.arrived.front().map_or(self.complete_before, |first| first.edge);
        symbol
    }

    /// The next symbol that is not idle and belongs to an edge before `edge`, with its edge. For a
    /// device that looks at its ports once a window; it must not use [`receive`](Receiver::receive)
    /// as well.
    pub(crate) fn next_before(&mut self, edge: u64) -> Option<TimedSymbol> {
        if let Some(last) = edge.checked_sub(1) {
            self.fetch(last);
        }
        match self.arrived.front() {
            Some(first) if first.edge < edge => self.arrived.pop_front(),
            _ => None,
        }
    }

    /// Stops the sender, or lets it go on, by a signal that leaves at `at`. Times must not
    /// decrease. The sender obeys between frames, if it asks
    /// [`Transmitter::may_begin`](crate::Transmitter::may_begin).
    pub fn set_stopped(&mut self, at: Ps, is_stopped: bool) {
        let change = FlowChange { at: at + self.latency, is_stopped };
        self.wire.with(|contents| contents.flow.push(change));
    }

    /// Takes what was sent before and at `edge` from the wire.
    fn fetch(&mut self, edge: u64) {
        if edge < self.complete_before {
            return;
        }
        self.wire.with(|contents| {
            self.arrived.extend(contents.symbols.drain(..));
            self.complete_before = contents.complete_before;
        });
        assert!(
            edge < self.complete_before,
            "edge {edge} is received, but only {} were sent: the window must not be longer than the latency",
            self.complete_before
        );
    }
}
