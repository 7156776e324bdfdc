//! Handles looked up in static tables.

use host_model::driver::vmmc::Vmmc;
use host_model::driver::Driver;
use host_model::processor::Cpu;

use crate::personality::entry::{Personality, Work};

pub const ENTRY: Personality = Personality {
    name: "vmmc",
    registers: true,
    // Imports have room for identifiers of 13 bits.
    absent_buffer_bit: 1 << 12,
    // There are no lines to be taken away.
    invalidate: |_, _, _, _| Box::pin(async { Ok(()) }),
    left,
    // Tables belong to the driver: nothing that the host writes to the NIC makes it forget one.
    leave: |_, _| Box::pin(async { Ok(()) }),
};

/// A table, a buffer or an import that the driver has not got back.
fn left<'a>(driver: &'a Driver, _cpu: &'a Cpu) -> Work<'a, Option<String>> {
    Box::pin(async move {
        let vmmc = driver.service::<Vmmc>()?;
        let geometry = vmmc.tables().geometry;
        let all = (geometry.vmh_tables as usize, geometry.cbh_entries as usize, 0);
        let free = vmmc.free();
        Ok((free != all).then(|| format!("{free:?} of {all:?} tables, buffers and imports are free")))
    })
}
