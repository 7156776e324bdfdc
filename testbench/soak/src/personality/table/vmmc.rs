//! Handles looked up in static tables.

use host_model::driver::vmmc::Vmmc;
use host_model::driver::Driver;
use host_model::processor::Cpu;
use nic_layout::plant::Plant;
use nicscope_scenario::error::Statement::{Invariant, Requirement};

use crate::campaign::LanguageOf;
use crate::defect::{Defect, Workload};
use crate::language::Planted;
use crate::personality::entry::{Personality, Work};
use crate::rdma::operation::Op;
use crate::rdma::plant::Plant as Between;

/// No line is evicted; imports are released instead.
const DEFECTS: [Defect; 7] = [
    Defect::of_firmware(Plant::StaleBuffer, 19, Workload::StaticTables),
    Defect::of_firmware(Plant::UncheckedKey, 21, Workload::StaticTables),
    Defect::of_firmware(Plant::EarlyUnlock, 21, Workload::StaticTables),
    Defect::of_firmware(Plant::StaleImport, 19, Workload::StaticTables),
    Defect::of_firmware(Plant::UncheckedBound, 22, Workload::StaticTables),
    Defect::of_firmware(Plant::OtherProcess, 21, Workload::StaticTables),
    Defect::of_firmware(Plant::OldSession, 31, Workload::LateFrame),
];

/// Defects between the product and the model. Defects that need a line which the driver has filled
/// are missing.
pub const PLANTED: [Planted<Between>; 11] = [
    Planted { plant: Between::WrongByte, breaks: &[Invariant(27)] },
    Planted { plant: Between::ByteBeside, breaks: &[Invariant(27)] },
    Planted { plant: Between::WrongRead, breaks: &[Invariant(28)] },
    // The bytes of the wrong write stay, a read behind the writes finds them, or notifications come
    // in the wrong order.
    Planted { plant: Between::OutOfOrder, breaks: &[Invariant(27), Invariant(28), Requirement(6)] },
    Planted { plant: Between::ToldTwice, breaks: &[Requirement(6)] },
    Planted { plant: Between::ToldNever, breaks: &[Requirement(6)] },
    // The monitor finds it as soon as the page is unpinned, before any DMA accesses the page.
    Planted { plant: Between::PinGoes, breaks: &[Invariant(17)] },
    Planted { plant: Between::KeyMends, breaks: &[Invariant(24)] },
    Planted { plant: Between::KeyBreaks, breaks: &[Invariant(24)] },
    Planted { plant: Between::BufferStays, breaks: &[Invariant(24)] },
    Planted { plant: Between::EndUnseen, breaks: &[Invariant(33)] },
];

/// The entry of `vmmc`.
pub const ENTRY: Personality = Personality {
    name: "vmmc",
    language: &LanguageOf::<Op>::VALUE,
    defects: &DEFECTS,
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
