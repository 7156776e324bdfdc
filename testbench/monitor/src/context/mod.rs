//! Facts that the watches of one node share: one watch, or the monitor, records a fact, and others
//! read it.

mod commands;
mod descriptors;
mod frames;
mod grants;
mod posted;

use sim_pins::Ps;

pub(crate) use commands::{Command, Commands};
pub(crate) use descriptors::{Access, Descriptors, Posting};
pub(crate) use frames::Frames;
pub(crate) use grants::{Grant, Grants, PageGrant};
pub(crate) use posted::{in_page, joined, Posted, Side, POST_WORDS};

use crate::header::Header;
use crate::places::Places;
use crate::seen::Seen;

/// A line that the NIC has fetched from a table of the host: its words in the order in which they
/// crossed the bus.
#[derive(Clone, Debug)]
pub(crate) struct Fetched {
    pub entries: Vec<u32>,
    /// The index of the entry whose page was missing.
    pub wanted: usize,
}

/// The shared facts.
pub struct Context {
    /// The time of the event that the watches see now.
    pub(crate) at: Ps,
    pub(crate) places: Places,
    /// Events counted for the comparison with the firmware's counters (INV-38). Watches add to it.
    pub(crate) seen: Seen,
    /// Commands of the driver. The monitor records them.
    pub(crate) commands: Commands,
    /// Descriptors of messages, as the host writes them. Watch `Messages` records them.
    pub(crate) descriptors: Descriptors,
    /// Frames in the receive ring, and the frame that the firmware judges. The monitor records the
    /// arrivals, and watch `Link` or `Messages` the rest.
    pub(crate) frames: Frames,
    /// What processes have posted, and where their status pages are. Watch `Posts` records it.
    pub(crate) posted: Posted,
    /// DMA that lookups allow. The watches of lookups add to it; watch `Dma` removes what has
    /// ended.
    pub(crate) grants: Grants,
    /// The fetch that has ended with the marker at hand. Watch `Fetches` sets it.
    pub(crate) fetched: Option<Fetched>,
}

impl Context {
    /// The time of the event that the watches see now.
    pub fn now(&self) -> Ps {
        self.at
    }

    /// Where the NIC and its tables are.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// The frame that the firmware judges; `None` between two frames. A watch asks before `Link`,
    /// which closes the frame.
    pub fn judged(&self) -> Option<Header> {
        self.frames.judged()
    }

    /// Events counted for the comparison with the firmware's counters (INV-38).
    pub fn seen(&mut self) -> &mut Seen {
        &mut self.seen
    }

    pub(crate) fn new(places: Places, seen: Seen) -> Context {
        Context {
            at: Ps::ZERO,
            places,
            seen,
            commands: Commands::default(),
            descriptors: Descriptors::default(),
            frames: Frames::default(),
            posted: Posted::new(),
            grants: Grants::default(),
            fetched: None,
        }
    }
}

/// The longest time that a word of the host takes from the bus into the SRAM. Until then the
/// firmware may read the old value or the new one.
const SETTLING: Ps = Ps::from_us(5);

/// Whether a word that the host wrote at `since` has certainly reached the SRAM.
pub(crate) fn has_settled(since: Ps, at: Ps) -> bool {
    at.0.saturating_sub(since.0) > SETTLING.0
}
