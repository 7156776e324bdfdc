//! Places frames on one direction of a link: in time where the line is free, later where it is not.

use sim_pins::LinkSymbol;

use crate::wire::TimedSymbol;

/// The gap between two frames, in symbols (IEEE 802.3, 4.4.2: 96 bit times).
pub(crate) const GAP: u64 = 12;

/// A whole frame that waits for its turn.
#[derive(Clone, Debug)]
pub(crate) struct Held<T> {
    /// The first edge at which it may start.
    pub due: u64,
    pub symbols: Vec<LinkSymbol>,
    /// Handed back when it is placed.
    pub label: T,
}

/// `T` labels held frames.
#[derive(Debug)]
pub(crate) struct Line<T> {
    /// What goes to the receiver, in order.
    pub out: Vec<TimedSymbol>,
    held: Vec<Held<T>>,
    /// The first edge at which a frame may start.
    free_from: u64,
    /// How much later than sent the frame on the line is.
    shift: Option<u64>,
}

impl<T> Line<T> {
    pub(crate) fn new() -> Line<T> {
        Line { out: Vec::new(), held: Vec::new(), free_from: 0, shift: None }
    }

    /// Begins a frame that passes symbol by symbol. Returns the edge at which it starts on the
    /// line.
    pub(crate) fn begin(&mut self, edge: u64) -> u64 {
        let start = edge.max(self.free_from);
        self.shift = Some(start - edge);
        start
    }

    pub(crate) fn pass(&mut self, edge: u64, symbol: LinkSymbol) {
        let shift = self.shift.expect("begin() came first");
        self.out.push(TimedSymbol { edge: edge + shift, symbol });
    }

    /// Ends the frame whose last symbol was sent at the edge before `edge`.
    pub(crate) fn end(&mut self, edge: u64) {
        let shift = self.shift.take().expect("begin() came first");
        self.free_from = self.free_from.max(edge + shift + GAP);
    }

    pub(crate) fn hold(&mut self, frame: Held<T>) {
        let behind_equals = self.held.partition_point(|other| other.due <= frame.due);
        self.held.insert(behind_equals, frame);
    }

    /// Places the held frames that are due at `edge` or before, unless a frame is passing: they
    /// follow it. `placed` is told the label and the edge of the start.
    pub(crate) fn release(&mut self, edge: u64, mut placed: impl FnMut(T, u64)) {
        while self.shift.is_none() && self.held.first().is_some_and(|frame| frame.due <= edge) {
            let frame = self.held.remove(0);
            let start = frame.due.max(self.free_from);
            let timed = |(i, &symbol)| TimedSymbol { edge: start + i as u64, symbol };
            self.out.extend(frame.symbols.iter().enumerate().map(timed));
            self.free_from = start + frame.symbols.len() as u64 + GAP;
            placed(frame.label, start);
        }
    }

    /// A symbol outside of frames, such as carrier extension right behind one. Lost while the line
    /// is behind.
    pub(crate) fn between(&mut self, edge: u64, symbol: LinkSymbol) {
        if self.shift.is_none() && edge + GAP >= self.free_from {
            self.out.push(TimedSymbol { edge, symbol });
        }
    }
}
