//! Handles looked up in static tables.

use host_model::driver::vmmc::Vmmc;
use host_model::driver::Driver;
use host_model::processor::Cpu;

use crate::campaign::LanguageOf;
use crate::personality::entry::{Personality, Work};
use crate::rdma::operation::Op;

pub const ENTRY: Personality = Personality {
    name: "vmmc",
    language: &LanguageOf::<Op>::VALUE,
    registers: true,
    // Imports have room for identifiers of 13 bits.
    absent_buffer_bit: 1 << 12,
    // There is no cache to take a line from.
    invalidate: |_, _, _, _| Box::pin(async { Ok(()) }),
    left,
    // The driver keeps the tables: no store to the NIC can make it lose an entry.
    leave: |_, _| Box::pin(async { Ok(()) }),
};

/// A text if tables, buffers or imports are not free again.
fn left<'a>(driver: &'a Driver, _cpu: &'a Cpu) -> Work<'a, Option<String>> {
    Box::pin(async move {
        let vmmc = driver.service::<Vmmc>()?;
        let geometry = vmmc.tables().geometry;
        let all = (geometry.vmh_tables as usize, geometry.cbh_entries as usize, 0);
        let free = vmmc.free();
        Ok((free != all).then(|| format!("{free:?} of {all:?} tables, buffers and imports are free")))
    })
}
