//! Lookup in tables that hold every translation, buffer and import.

use nic_layout::boot::static_tables::{StaticTablesReply, StaticTablesRequest, COUNTERS, PERSONALITY};
use nic_layout::boot::{BootError, Kind, Sections, SectionsWriter, REPLY_WORDS};
use nic_layout::counter::Set;
use nic_layout::key::KeyWidth;
use nic_layout::static_tables::{import, StaticGeometry};
use nic_layout::PROCESS_SLOTS;

use crate::{Lookup, LookupPlaces, Misses, Piece, Regions, Use};

const ALL_SLOTS: u32 = PROCESS_SLOTS as u32;
const OWNER: &str = "static tables";

/// Tables that hold at most so much: as the driver asks, less where the SRAM is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaticTables {
    /// What the tables hold.
    pub geometry: StaticGeometry,
}

impl StaticTables {
    /// Tables with keys of an image, before the request is read.
    pub const fn built(key: KeyWidth) -> StaticTables {
        StaticTables { geometry: StaticGeometry { vmh_tables: 0, cbh_entries: 0, import_entries: 0, key } }
    }
}

impl Lookup for StaticTables {
    const PERSONALITY: u32 = PERSONALITY;
    const ASKS: &'static [Kind] = &[Kind::STATIC_TABLES];
    const COUNTERS: &'static [&'static Set] = COUNTERS;
    const NODES: usize = import::NODES;

    fn key(&self) -> KeyWidth {
        self.geometry.key
    }

    fn misses(&self) -> Misses {
        Misses::NONE
    }

    /// Each process has its own.
    fn post_queues(&self) -> u32 {
        ALL_SLOTS
    }

    /// Tables are found by the slot of their process, so every slot has its queue.
    fn check_post_queues(&self, post_queues: u32) -> Result<(), BootError> {
        match post_queues {
            0 | ALL_SLOTS => Ok(()),
            _ => Err(BootError::PostQueuesOutOfRange),
        }
    }

    /// One piece of memory; the structure of buffers is its middle.
    fn plan(&self, _nodes: usize, regions: &mut impl Regions) -> LookupPlaces {
        let geometry = self.geometry;
        let (tables, buffers) = (geometry.table_offset(1), geometry.buffer_offset(0));
        let imports = geometry.import_offset(0, 0);
        let piece = |name, r#use, start, end| Piece::new(name, r#use, 1, end - start);
        let pieces = [
            piece("VMH tables: top levels", Use::Vmh, 0, tables),
            piece("VMH tables: second level", Use::Vmh, tables, buffers),
            piece("CBH table", Use::Cbh, buffers, imports),
            piece("import tables", Use::Imports, imports, geometry.bytes()),
        ];
        let vmh = regions.take(OWNER, 8, &pieces);
        LookupPlaces { directories: 0, fetches: 0, vmh, cbh: vmh.wrapping_add(buffers) }
    }

    /// Each table by the same share, and at least one entry of each.
    fn cut(self, share: u32, shares: u32) -> Self {
        let wanted = self.geometry;
        let of = |count: u32| (count * share / shares).max(1);
        StaticTables {
            geometry: StaticGeometry {
                vmh_tables: of(wanted.vmh_tables),
                cbh_entries: of(wanted.cbh_entries),
                import_entries: of(wanted.import_entries),
                key: wanted.key,
            },
        }
    }

    fn reply(&self, places: &LookupPlaces, reply: &mut SectionsWriter<REPLY_WORDS>) {
        let StaticGeometry { vmh_tables, cbh_entries, import_entries, .. } = self.geometry;
        reply.push(&StaticTablesReply { tables: places.vmh, vmh_tables, cbh_entries, import_entries });
    }

    fn read(self, request: &Sections<'_>) -> Result<Self, BootError> {
        let StaticTablesRequest { vmh_tables_max, cbh_entries_max, import_entries_max } = request.get()?;
        let geometry = StaticGeometry {
            vmh_tables: vmh_tables_max,
            cbh_entries: cbh_entries_max,
            import_entries: import_entries_max,
            key: self.geometry.key,
        };
        let geometry = geometry.check().map_err(|_| BootError::StaticTablesOutOfRange)?;
        Ok(StaticTables { geometry })
    }
}
