//! Where the firmware has put its tables: its boot reply, believed only as far as it is possible (INV-35).

use nic_layout::boot::{BootReply, Personality};
use nic_layout::cbh::CbhGeometry;
use nic_layout::fetch::DIRECTORY_BYTES;
use nic_layout::key::KeyWidth;
use nic_layout::post::{POST_DESCRIPTOR_BYTES, POST_QUEUE_ENTRIES};
use nic_layout::static_tables::StaticGeometry;
use nic_layout::tables::{MissEntry, NotifyEntry, ProcessEntry, MISS_RING_ENTRIES, NEXT_OWNER, NOTIFY_RING_ENTRIES};
use nic_layout::vmh::VmhGeometry;
use nic_layout::PROCESS_SLOTS;

use super::error::DriverError;
use crate::address::SramAddr;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NicLayout {
    post_queues: SramAddr,
    pub post_queue_count: usize,
    process_table: SramAddr,
    miss_ring: SramAddr,
    notify_ring: SramAddr,
    pub counters: SramAddr,
    /// Of every key.
    pub key_width: KeyWidth,
    pub lookup: LookupLayout,
    /// Of a NIC that was asked to fetch translations, and has a cache of them.
    pub directories: Option<SramAddr>,
}

/// Where the firmware looks handles up: what it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LookupLayout {
    Mini(Caches),
    Vmmc(StaticLayout),
}

/// Caches of the driver's tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caches {
    pub vmh_cache: SramAddr,
    pub geometry: VmhGeometry,
    pub cbh_cache: SramAddr,
    pub cbh_geometry: CbhGeometry,
}

/// Tables that hold everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StaticLayout {
    pub at: SramAddr,
    pub geometry: StaticGeometry,
}

const DIRECTORIES_BYTES: usize = PROCESS_SLOTS * DIRECTORY_BYTES as usize;
const POST_QUEUE_BYTES: u32 = POST_QUEUE_ENTRIES * POST_DESCRIPTOR_BYTES;

impl NicLayout {
    pub fn check(reply: &BootReply, sram_bytes: u32, fetches: bool) -> Result<NicLayout, DriverError> {
        let place = |what, start, bytes, alignment| place(sram_bytes, what, start, bytes, alignment);
        let post_queue_count = reply.post_queue_count as usize;
        let is_static = reply.personality == Personality::Vmmc as u32;
        if !(1..=PROCESS_SLOTS).contains(&post_queue_count) || (is_static && post_queue_count != PROCESS_SLOTS) {
            return Err(DriverError::BadLayout { what: "post_queue_count", value: reply.post_queue_count });
        }
        let key_width = KeyWidth::from_bits(reply.key_bits)
            .ok_or(DriverError::BadLayout { what: "key_bits", value: reply.key_bits })?;
        Ok(NicLayout {
            post_queues: place(
                "post_queues",
                reply.post_queues,
                post_queue_count * POST_QUEUE_BYTES as usize,
                POST_QUEUE_BYTES,
            )?,
            post_queue_count,
            process_table: place(
                "process_table",
                reply.process_table,
                (NEXT_OWNER + 1) * size_of::<ProcessEntry>(),
                4,
            )?,
            miss_ring: place("miss_ring", reply.miss_ring, MISS_RING_ENTRIES as usize * size_of::<MissEntry>(), 4)?,
            notify_ring: place(
                "notify_ring",
                reply.notify_ring,
                NOTIFY_RING_ENTRIES as usize * size_of::<NotifyEntry>(),
                4,
            )?,
            counters: place("counters", reply.counters, nic_layout::counter::Counter::COUNT * 4, 4)?,
            key_width,
            lookup: match Personality::from_word(reply.personality) {
                Some(Personality::Mini) => LookupLayout::Mini(Caches::check(reply, key_width, sram_bytes)?),
                Some(Personality::Vmmc) => LookupLayout::Vmmc(StaticLayout::check(reply, key_width, sram_bytes)?),
                None => return Err(DriverError::BadLayout { what: "personality", value: reply.personality }),
            },
            directories: match fetches && reply.personality == Personality::Mini as u32 {
                true if reply.directories == 0 => {
                    return Err(DriverError::BadLayout { what: "directories", value: 0 });
                }
                true => Some(place("directories", reply.directories, DIRECTORIES_BYTES, 4)?),
                false => None,
            },
        })
    }

    /// The caches, of a firmware that has them.
    pub fn caches(&self) -> Result<Caches, DriverError> {
        match self.lookup {
            LookupLayout::Mini(caches) => Ok(caches),
            LookupLayout::Vmmc(_) => Err(DriverError::NoCaches),
        }
    }

    /// The static tables, of a firmware that has them.
    pub fn static_tables(&self) -> Option<StaticLayout> {
        match self.lookup {
            LookupLayout::Mini(_) => None,
            LookupLayout::Vmmc(tables) => Some(tables),
        }
    }

    /// As [`Self::miss_entry`].
    pub fn notify_entry(&self, index: u32) -> SramAddr {
        self.notify_ring + (index % NOTIFY_RING_ENTRIES) * size_of::<NotifyEntry>() as u32
    }

    pub fn post_queue(&self, slot: usize) -> SramAddr {
        self.post_queues + slot as u32 * POST_QUEUE_BYTES
    }

    pub fn process_entry(&self, slot: usize) -> SramAddr {
        self.process_table + (slot * size_of::<ProcessEntry>()) as u32
    }

    /// The entry of a free-running index: masked, wherever the index came from.
    pub fn miss_entry(&self, index: u32) -> SramAddr {
        self.miss_ring + (index % MISS_RING_ENTRIES) * size_of::<MissEntry>() as u32
    }
}

impl Caches {
    fn check(reply: &BootReply, key: KeyWidth, sram_bytes: u32) -> Result<Caches, DriverError> {
        let geometry =
            VmhGeometry { entries: reply.vmh_entries, line_entries: reply.vmh_line_entries, ways: reply.vmh_ways };
        // Before any arithmetic with it.
        if reply.vmh_entries > sram_bytes / 4 {
            return Err(DriverError::BadLayout { what: "vmh_entries", value: reply.vmh_entries });
        }
        let geometry = geometry.check().map_err(|_| DriverError::BadLayout {
            what: "vmh_line_entries or vmh_ways",
            value: reply.vmh_line_entries,
        })?;
        if reply.cbh_entries > sram_bytes / 4 {
            return Err(DriverError::BadLayout { what: "cbh_entries", value: reply.cbh_entries });
        }
        let cbh_geometry = CbhGeometry { entries: reply.cbh_entries, ways: reply.cbh_ways, key };
        let cbh_geometry = cbh_geometry
            .check()
            .map_err(|_| DriverError::BadLayout { what: "cbh_entries or cbh_ways", value: reply.cbh_ways })?;
        Ok(Caches {
            vmh_cache: place(sram_bytes, "vmh_cache", reply.vmh_cache, geometry.bytes() as usize, 4)?,
            geometry,
            cbh_cache: place(sram_bytes, "cbh_cache", reply.cbh_cache, cbh_geometry.bytes() as usize, 4)?,
            cbh_geometry,
        })
    }
}

impl StaticLayout {
    fn check(reply: &BootReply, key: KeyWidth, sram_bytes: u32) -> Result<StaticLayout, DriverError> {
        let geometry = StaticGeometry {
            vmh_tables: reply.static_vmh_tables,
            cbh_entries: reply.static_cbh_entries,
            import_entries: reply.static_import_entries,
            key,
        };
        let geometry = geometry.check().map_err(|_| DriverError::BadLayout {
            what: "static_vmh_tables, static_cbh_entries or static_import_entries, the first",
            value: reply.static_vmh_tables,
        })?;
        let at = place(sram_bytes, "static_tables", reply.static_tables, geometry.bytes() as usize, 4)?;
        Ok(StaticLayout { at, geometry })
    }
}

/// Whether a structure fits the SRAM.
fn place(
    sram_bytes: u32,
    what: &'static str,
    start: u32,
    bytes: usize,
    alignment: u32,
) -> Result<SramAddr, DriverError> {
    let end = u64::from(start) + bytes as u64;
    if start % alignment != 0 || end > u64::from(sram_bytes) {
        return Err(DriverError::BadLayout { what, value: start });
    }
    Ok(SramAddr(start))
}
