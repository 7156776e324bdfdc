//! Where the firmware has put its static tables.

use nic_layout::key::KeyWidth;
use nic_layout::static_tables::StaticGeometry;
use nic_layout::PROCESS_SLOTS;

use crate::address::SramAddr;
use crate::driver::core::error::DriverError;
use crate::driver::core::layout::Reply;

/// Tables that hold everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StaticLayout {
    pub at: SramAddr,
    pub geometry: StaticGeometry,
}

impl StaticLayout {
    pub fn check(reply: &Reply, key: KeyWidth) -> Result<StaticLayout, DriverError> {
        let words = reply.words();
        if words.post_queue_count as usize != PROCESS_SLOTS {
            return Err(DriverError::BadLayout { what: "post_queue_count", value: words.post_queue_count });
        }
        let geometry = StaticGeometry {
            vmh_tables: words.static_vmh_tables,
            cbh_entries: words.static_cbh_entries,
            import_entries: words.static_import_entries,
            key,
        };
        let geometry = geometry.check().map_err(|_| DriverError::BadLayout {
            what: "static_vmh_tables, static_cbh_entries or static_import_entries, the first",
            value: words.static_vmh_tables,
        })?;
        let at = reply.place("static_tables", words.static_tables, geometry.bytes() as usize, 4)?;
        Ok(StaticLayout { at, geometry })
    }
}
