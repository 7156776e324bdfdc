//! The part of the protocol that writes and reads remote memory (VMMC), over any lookup of handles.

use core::fmt::Debug;

use nic_layout::boot::{BootError, Kind, ReceiveMiss, Sections, SectionsWriter, REPLY_WORDS};
use nic_layout::counter::Set;
use nic_layout::frame::rdma::header_bytes;
use nic_layout::key::KeyWidth;
use nic_layout::nodes::{IMAGE_NODES, NODES_MAX};
use nic_layout::post::INLINE_BYTES_MAX;

use crate::{data_bytes_limit, Config, Frames, Part, Piece, Regions, Use, FRAME_PAGES_MAX};

/// Reads of other nodes that wait for their answer at a time.
pub const READS_MAX: u32 = 16;
/// Reads of own processes that are open at a time in an image for `nodes` nodes: as many as a node
/// answers, and one for each peer at least.
pub const fn open_reads_max(nodes: usize) -> u32 {
    if nodes as u32 > READS_MAX {
        nodes as u32
    } else {
        READS_MAX
    }
}
/// Bytes that are kept of each read of another node.
pub const READ_BYTES: u32 = 64;
/// Bytes that are kept of each read of an own process ([`open_reads_max`]).
pub const OPEN_READ_BYTES: u32 = 32;

/// Frames that miss may be held up to this number ([`ReceiveMiss::Hold`]).
pub const HELD_FRAMES_LIMIT: u32 = 16;

const OWNER: &str = "transfers";

/// What becomes of a frame that misses where it arrives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Misses {
    /// The treatment.
    pub receive: ReceiveMiss,
    /// Frames that may be held at a time.
    pub held_frames_max: u32,
}

impl Misses {
    /// Nothing is held.
    pub const NONE: Misses = Misses { receive: ReceiveMiss::TimeOut, held_frames_max: 0 };
}

/// Where the lookup structures are. SRAM offsets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LookupPlaces {
    /// A directory for each slot (`nic_layout::fetch`); 0 if the NIC does not fetch translations.
    pub directories: u32,
    /// What is kept of fetches; 0 if the NIC does not fetch translations.
    pub fetches: u32,
    /// The structure of translations.
    pub vmh: u32,
    /// The structure of buffers.
    pub cbh: u32,
}

/// How a firmware with remote memory looks handles up: the part below [`Rdma`].
pub trait Lookup: Copy + Debug + Eq {
    /// As [`Part::PERSONALITY`].
    const PERSONALITY: u32;
    /// As [`Part::ASKS`].
    const ASKS: &'static [Kind];
    /// The sets of counters that the firmware has.
    const COUNTERS: &'static [&'static Set];

    /// Nodes that the lookup can name, in any image.
    const NODES: usize = NODES_MAX;

    /// Width of every key.
    fn key(&self) -> KeyWidth;
    /// What becomes of a frame that misses.
    fn misses(&self) -> Misses;
    /// As [`Part::post_queues`].
    fn post_queues(&self) -> u32;
    /// Checks the number of post queues that the driver asks for; 0 leaves it open.
    ///
    /// # Errors
    /// [`BootError::PostQueuesOutOfRange`].
    fn check_post_queues(&self, post_queues: u32) -> Result<(), BootError>;
    /// As [`Part::plan`], in an image for `nodes` nodes.
    fn plan(&self, nodes: usize, regions: &mut impl Regions) -> LookupPlaces;
    /// As [`Part::cut`].
    fn cut(self, share: u32, shares: u32) -> Self;
    /// Adds one section to the reply.
    fn reply(&self, places: &LookupPlaces, reply: &mut SectionsWriter<REPLY_WORDS>);
    /// As [`Part::read`].
    ///
    /// # Errors
    /// What the firmware refuses.
    fn read(self, request: &Sections<'_>) -> Result<Self, BootError>;
}

/// Remote memory with the lookup `L`, in an image that has room for `NODES` nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rdma<L, const NODES: usize = IMAGE_NODES> {
    /// How handles are looked up.
    pub lookup: L,
    /// Largest number of pages that a frame touches at either end. The image is built for it.
    pub frame_pages_max: u32,
}

impl<L, const NODES: usize> Rdma<L, NODES> {
    /// Remote memory whose frames touch [`FRAME_PAGES_MAX`] pages at most.
    pub const fn new(lookup: L) -> Self {
        Rdma { lookup, frame_pages_max: FRAME_PAGES_MAX }
    }
}

/// Where the structures of remote memory are. SRAM offsets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RdmaPlaces {
    /// Reads of other nodes that wait for their answer.
    pub reads: u32,
    /// Reads of own processes whose data have not come.
    pub open_reads: u32,
    /// The lookup structures.
    pub lookup: LookupPlaces,
}

impl<L: Lookup, const NODES: usize> Part for Rdma<L, NODES> {
    type Places = RdmaPlaces;

    const PERSONALITY: u32 = L::PERSONALITY;
    const NODES: usize = NODES;
    const ASKS: &'static [Kind] = L::ASKS;
    const ANSWERS: usize = 1;

    fn frames(&self) -> Frames {
        let key = self.lookup.key();
        Frames {
            header_bytes: header_bytes(key) as u32,
            less_data_bytes: key.upper_bytes(),
            // What a post carries itself fits one frame.
            least_data_bytes: INLINE_BYTES_MAX,
            data_bytes_limit: data_bytes_limit(self.frame_pages_max),
        }
    }

    fn key(&self) -> KeyWidth {
        self.lookup.key()
    }

    fn post_queues(&self) -> u32 {
        self.lookup.post_queues()
    }

    fn check(&self, config: &Config<Self>) -> Result<(), BootError> {
        if L::NODES < NODES && config.link.node_count > L::NODES as u32 {
            return Err(BootError::NodeOutOfRange);
        }
        let held = self.lookup.misses().held_frames_max;
        // Held frames keep buffers from the MAC: one at least stays with it.
        if held >= config.link.rx_buffer_count || held > HELD_FRAMES_LIMIT {
            return Err(BootError::ReceiveMissOutOfRange);
        }
        self.lookup.check_post_queues(config.post_queues)
    }

    fn plan(&self, regions: &mut impl Regions) -> RdmaPlaces {
        let mut take = |name, count, bytes| regions.take(OWNER, 16, &[Piece::new(name, Use::Program, count, bytes)]);
        let reads = take("reads of others", READS_MAX, READ_BYTES);
        let open_reads = take("reads of own processes", open_reads_max(NODES), OPEN_READ_BYTES);
        RdmaPlaces { reads, open_reads, lookup: self.lookup.plan(NODES, regions) }
    }

    fn cut(self, share: u32) -> Self {
        Rdma { lookup: self.lookup.cut(share, Self::SHARES), ..self }
    }

    fn reply(&self, places: &RdmaPlaces, reply: &mut SectionsWriter<REPLY_WORDS>) {
        self.lookup.reply(&places.lookup, reply);
    }

    fn read(self, request: &Sections<'_>) -> Result<Self, BootError> {
        Ok(Rdma { lookup: self.lookup.read(request)?, ..self })
    }
}
