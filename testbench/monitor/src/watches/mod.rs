//! The watches: each checks one group of rules on the events of a node.

mod answers;
mod caches;
mod dma;
mod fetches;
mod frame_target;
mod link;
mod matched;
mod notifications;
mod posts;
mod static_tables;

pub use answers::Answers;
pub use caches::{CachePlaces, Caches};
pub use dma::Dma;
pub use fetches::Fetches;
pub use link::Link;
pub use matched::{Messages, Receives, Sends};
pub use notifications::Notifications;
pub use posts::Posts;
pub use static_tables::{StaticPlaces, StaticTables};

use nic_layout::trace::Marker;
use sim_pins::Ps;

use crate::broken::Broken;
use crate::context::Context;
use crate::header::Header;
use crate::places::Pins;
use crate::tap::Transfer;

/// The longest time between a miss and its answer. A line that is reserved for longer will never be
/// filled (INV-16).
pub(crate) const ANSWER_MAX: Ps = Ps::from_us(20_000);

/// A group of rules and the state that they need.
///
/// Every event reaches every watch of the node, in the order of the list. The first broken rule
/// ends the run.
pub trait Watch: Send {
    /// A word that the host reads from the NIC over the bus.
    fn host_reads(&mut self, _context: &mut Context, _address: u32, _value: u32) -> Result<(), Broken> {
        Ok(())
    }

    /// A word that the host writes to the NIC over the bus.
    fn host_writes(
        &mut self,
        _context: &mut Context,
        _pins: &dyn Pins,
        _address: u32,
        _value: u32,
    ) -> Result<(), Broken> {
        Ok(())
    }

    /// A data phase of the NIC as a master.
    fn dma(&mut self, _context: &mut Context, _pins: &dyn Pins, _transfer: &Transfer) -> Result<(), Broken> {
        Ok(())
    }

    /// A word of the trace port.
    fn marker(
        &mut self,
        _context: &mut Context,
        _pins: &dyn Pins,
        _marker: Marker,
        _argument: u32,
    ) -> Result<(), Broken> {
        Ok(())
    }

    /// A whole frame that the NIC has received.
    fn received(&mut self, _context: &mut Context, _header: &Header) -> Result<(), Broken> {
        Ok(())
    }

    /// A whole frame that the NIC has sent.
    fn sent(&mut self, _context: &mut Context, _header: &Header) -> Result<(), Broken> {
        Ok(())
    }

    /// A physical page that the host has unpinned.
    fn unpinned(&mut self, _context: &mut Context, _frame: u32) -> Result<(), Broken> {
        Ok(())
    }

    /// The end of the run.
    fn finish(&mut self, _context: &mut Context) -> Result<(), Broken> {
        Ok(())
    }
}

/// The watches of a node, in the order in which they see an event.
pub struct Watches(Vec<Box<dyn Watch>>);

impl Watches {
    /// The watches of one personality.
    ///
    /// The order matters where one watch records a fact that another reads. `Posts` comes before
    /// the lookups. `Fetches` and `Dma` come before `Caches`, which fills and unlocks lines. `Link`
    /// comes last, since it closes the frame that the others judge.
    pub fn new(watches: Vec<Box<dyn Watch>>) -> Watches {
        Watches(watches)
    }

    /// Passes an event to each watch, until a rule is broken.
    #[inline]
    pub(crate) fn each(&mut self, mut turn: impl FnMut(&mut dyn Watch) -> Result<(), Broken>) -> Result<(), Broken> {
        self.0.iter_mut().try_for_each(|watch| turn(&mut **watch))
    }
}
