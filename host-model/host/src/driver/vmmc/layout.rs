//! Where the firmware has put its static tables.

use nic_layout::boot::static_tables::StaticTablesReply;
use nic_layout::boot::PostsReply;
use nic_layout::key::KeyWidth;
use nic_layout::static_tables::StaticGeometry;
use nic_layout::PROCESS_SLOTS;

use crate::address::SramAddr;
use crate::driver::core::error::DriverError;
use crate::driver::core::layout::Reply;

/// Tables that hold everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StaticLayout {
    /// SRAM address of the tables.
    pub at: SramAddr,
    /// Sizes of the tables.
    pub geometry: StaticGeometry,
}

impl StaticLayout {
    /// Checks what the reply says of the static tables.
    ///
    /// # Errors
    ///
    /// [`DriverError::BadLayout`] if sizes are impossible, or the tables do not lie in the SRAM.
    pub fn check(reply: &Reply, key: KeyWidth) -> Result<StaticLayout, DriverError> {
        let PostsReply { post_queue_count, .. } = reply.section()?;
        if post_queue_count as usize != PROCESS_SLOTS {
            return Err(DriverError::BadLayout { what: "post_queue_count", value: post_queue_count });
        }
        let words: StaticTablesReply = reply.section()?;
        let geometry = StaticGeometry {
            vmh_tables: words.vmh_tables,
            cbh_entries: words.cbh_entries,
            import_entries: words.import_entries,
            key,
        };
        let geometry = geometry.check().map_err(|_| DriverError::BadLayout {
            what: "vmh_tables, cbh_entries or import_entries, the first",
            value: words.vmh_tables,
        })?;
        let at = reply.place("tables", words.tables, geometry.bytes() as usize, 4)?;
        Ok(StaticLayout { at, geometry })
    }
}
