//! Where the firmware has put its caches, and what it reads by itself.

use nic_layout::boot::caches::CachesReply;
use nic_layout::cbh::CbhGeometry;
use nic_layout::fetch::DIRECTORY_BYTES;
use nic_layout::key::KeyWidth;
use nic_layout::vmh::VmhGeometry;
use nic_layout::PROCESS_SLOTS;

use crate::address::SramAddr;
use crate::driver::core::error::DriverError;
use crate::driver::core::layout::Reply;

/// Caches of the driver's tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caches {
    /// SRAM address of the VMH cache, which holds translations.
    pub vmh_cache: SramAddr,
    /// Entries, lines and ways of the VMH cache.
    pub geometry: VmhGeometry,
    /// SRAM address of the CBH cache, which holds descriptors of buffers.
    pub cbh_cache: SramAddr,
    /// Entries, ways and key width of the CBH cache.
    pub cbh_geometry: CbhGeometry,
    /// SRAM address of the directories from which the NIC fetches translations; `None` unless the
    /// driver asked for that.
    pub directories: Option<SramAddr>,
}

const DIRECTORIES_BYTES: usize = PROCESS_SLOTS * DIRECTORY_BYTES as usize;

impl Caches {
    /// `fetches`: the NIC was asked to read translations by itself.
    pub fn check(reply: &Reply, key: KeyWidth, fetches: bool) -> Result<Caches, DriverError> {
        let (words, sram_bytes): (CachesReply, u32) = (reply.section()?, reply.sram_bytes());
        let translations = Caches::check_translations(reply)?;
        if words.cbh_entries > sram_bytes / 4 {
            return Err(DriverError::BadLayout { what: "cbh_entries", value: words.cbh_entries });
        }
        let cbh_geometry = CbhGeometry { entries: words.cbh_entries, ways: words.cbh_ways, key };
        let cbh_geometry = cbh_geometry
            .check()
            .map_err(|_| DriverError::BadLayout { what: "cbh_entries or cbh_ways", value: words.cbh_ways })?;
        Ok(Caches {
            cbh_cache: reply.place("cbh_cache", words.cbh_cache, cbh_geometry.bytes() as usize, 4)?,
            cbh_geometry,
            directories: match (fetches, words.directories) {
                (false, _) => None,
                (true, 0) => return Err(DriverError::BadLayout { what: "directories", value: 0 }),
                (true, start) => Some(reply.place("directories", start, DIRECTORIES_BYTES, 4)?),
            },
            ..translations
        })
    }

    /// The cache of translations alone: there are no buffers.
    pub fn check_translations(reply: &Reply) -> Result<Caches, DriverError> {
        let (words, sram_bytes): (CachesReply, u32) = (reply.section()?, reply.sram_bytes());
        let geometry =
            VmhGeometry { entries: words.vmh_entries, line_entries: words.vmh_line_entries, ways: words.vmh_ways };
        // Before any arithmetic with it.
        if words.vmh_entries > sram_bytes / 4 {
            return Err(DriverError::BadLayout { what: "vmh_entries", value: words.vmh_entries });
        }
        let geometry = geometry.check().map_err(|_| DriverError::BadLayout {
            what: "vmh_line_entries or vmh_ways",
            value: words.vmh_line_entries,
        })?;
        Ok(Caches {
            vmh_cache: reply.place("vmh_cache", words.vmh_cache, geometry.bytes() as usize, 4)?,
            geometry,
            cbh_cache: SramAddr(0),
            cbh_geometry: CbhGeometry { entries: 0, ways: 1, key: KeyWidth::default() },
            directories: None,
        })
    }
}
