//! What passes between the threads of a sender and a receiver.

use std::sync::{Arc, Mutex, PoisonError};

use sim_pins::{LinkSymbol, Ps};

/// A symbol that is not idle, and the edge of the transmit clock that it belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TimedSymbol {
    pub edge: u64,
    pub symbol: LinkSymbol,
}

#[derive(Default, Debug)]
pub(crate) struct Contents {
    /// In order of their edges. Edges between them are idle.
    pub symbols: Vec<TimedSymbol>,
    /// Nothing will be added for edges before this one.
    pub complete_before: u64,
    /// Against the direction of the symbols: from when on the sender must not, or may again, begin
    /// a frame.
    pub flow: Vec<FlowChange>,
}

/// The receiver stops the sender, or lets it go on. Links with backpressure have it; GMII has not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FlowChange {
    /// When it takes effect at the sender: the latency of the link is included.
    pub at: Ps,
    pub is_stopped: bool,
}

/// One direction of a link. Both ends touch it once a window; in between they keep their own books.
#[derive(Clone, Default, Debug)]
pub(crate) struct Wire(Arc<Mutex<Contents>>);

impl Wire {
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut Contents) -> R) -> R {
        // A node that panicked ends the run; what it sent before is as good as ever.
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
