//! Lookup in two caches of the driver's tables.

use nic_device::DMA_RING_LOG2;
use nic_layout::boot::caches::{CachesReply, CachesRequest, COUNTERS, PERSONALITY};
use nic_layout::boot::{BootError, Kind, ReceiveMiss, Sections, SectionsWriter, REPLY_WORDS};
use nic_layout::cbh::CbhGeometry;
use nic_layout::counter::Set;
use nic_layout::fetch::DIRECTORY_BYTES;
use nic_layout::key::KeyWidth;
use nic_layout::vmh::VmhGeometry;
use nic_layout::PROCESS_SLOTS;

use crate::{Lookup, LookupPlaces, Misses, Piece, Regions, Use};

/// Post queues that processes share (M-52), if the driver does not ask for a number.
const POST_QUEUES_SHARED: u32 = 2;

/// Bytes that are kept of each fetch of translations.
pub const FETCH_RECORD_BYTES: u32 = 16;
/// Fetches that may be under way: as many as the ring of host reads has places.
pub const FETCH_RECORDS: u32 = 1 << DMA_RING_LOG2;
/// Bytes of all fetch records, of the numbers of fetches that began and that ended, and for each
/// node of the image of how many had begun when its frame missed.
pub const fn fetches_bytes(nodes: usize) -> u32 {
    FETCH_RECORDS * FETCH_RECORD_BYTES + 8 + 4 * nodes as u32
}

const OWNER: &str = "caches";

/// Shapes of both caches, built into an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// The cache of translations.
    pub vmh: VmhGeometry,
    /// The cache of buffer descriptors.
    pub cbh: CbhGeometry,
}

impl Geometry {
    /// What the thesis recommends (MC-6).
    pub const RECOMMENDED: Geometry = Geometry { vmh: VmhGeometry::RECOMMENDED, cbh: CbhGeometry::RECOMMENDED };
}

/// Two caches. Their size is fixed by the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caches {
    /// The shapes of the caches.
    pub geometry: Geometry,
    /// What becomes of a frame that misses.
    pub misses: Misses,
    /// The NIC reads translations from the host's tables.
    pub fetches: bool,
}

impl Caches {
    /// Caches of an image, before the request is read.
    pub const fn built(geometry: Geometry) -> Caches {
        Caches { geometry, misses: Misses::NONE, fetches: false }
    }
}

/// The pieces of a cache of translations, in their order.
pub fn vmh_pieces(vmh: VmhGeometry) -> [Piece; 4] {
    let piece = |name, start, end: u32| Piece::new(name, Use::Vmh, 1, end - start);
    let (states, replacement, entries) = (vmh.state_offset(0), vmh.replacement_offset(0), vmh.entry_offset(0, 0));
    [
        piece("VMH cache: keys", 0, states),
        piece("VMH cache: states", states, replacement),
        piece("VMH cache: replacement", replacement, entries),
        piece("VMH cache: entries", entries, vmh.bytes()),
    ]
}

impl Lookup for Caches {
    const PERSONALITY: u32 = PERSONALITY;
    const ASKS: &'static [Kind] = &[Kind::CACHES];
    const COUNTERS: &'static [&'static Set] = COUNTERS;

    fn key(&self) -> KeyWidth {
        self.geometry.cbh.key
    }

    fn misses(&self) -> Misses {
        self.misses
    }

    fn post_queues(&self) -> u32 {
        POST_QUEUES_SHARED
    }

    fn check_post_queues(&self, _post_queues: u32) -> Result<(), BootError> {
        Ok(())
    }

    fn plan(&self, nodes: usize, regions: &mut impl Regions) -> LookupPlaces {
        let Geometry { vmh, cbh } = self.geometry;
        let (directories, fetches) = match self.fetches {
            true => (
                regions.take(
                    OWNER,
                    8,
                    &[Piece::new("directories of the host's tables", Use::Vmh, PROCESS_SLOTS as u32, DIRECTORY_BYTES)],
                ),
                regions.take(OWNER, 8, &[Piece::new("fetches of translations", Use::Vmh, 1, fetches_bytes(nodes))]),
            ),
            false => (0, 0),
        };
        let piece = |name, r#use, start, end| Piece::new(name, r#use, 1, end - start);
        let descriptors = cbh.entry_offset(0);
        let buffers = [
            piece("CBH cache: replacement", Use::Cbh, 0, descriptors),
            piece("CBH cache: entries", Use::Cbh, descriptors, cbh.bytes()),
        ];
        LookupPlaces {
            directories,
            fetches,
            vmh: regions.take(OWNER, 8, &vmh_pieces(vmh)),
            cbh: regions.take(OWNER, 8, &buffers),
        }
    }

    fn cut(self, _share: u32, _shares: u32) -> Self {
        self
    }

    fn reply(&self, places: &LookupPlaces, reply: &mut SectionsWriter<REPLY_WORDS>) {
        let Geometry { vmh, cbh } = self.geometry;
        reply.push(&CachesReply {
            vmh_cache: places.vmh,
            vmh_entries: vmh.entries,
            vmh_line_entries: vmh.line_entries,
            vmh_ways: vmh.ways,
            cbh_cache: places.cbh,
            cbh_entries: cbh.entries,
            cbh_ways: cbh.ways,
            directories: places.directories,
        });
    }

    fn read(self, request: &Sections<'_>) -> Result<Self, BootError> {
        let CachesRequest { receive_miss, held_frames_max, fetches_translations } = request.get()?;
        let receive = ReceiveMiss::from_word(receive_miss).ok_or(BootError::ReceiveMissOutOfRange)?;
        let fetches = match fetches_translations {
            0 => false,
            1 => true,
            _ => return Err(BootError::FetchOutOfRange),
        };
        Ok(Caches { misses: Misses { receive, held_frames_max }, fetches, ..self })
    }
}
