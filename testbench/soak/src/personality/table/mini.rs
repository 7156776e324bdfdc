//! Handles looked up in caches on the NIC.

use host_model::address::{Pid, UserVirt};
use host_model::driver::mini::Mini;
use host_model::driver::{Driver, DriverError, DriverPlant};
use host_model::processor::Cpu;
use nic_layout::cbh::{self, STATE_EMPTY, STATE_INVALID};
use nic_layout::plant::Plant;
use nic_layout::vmh::{key, KEY_EMPTY, KEY_RESERVED};
use nicscope_scenario::error::Statement::{Invariant, Requirement};

use crate::campaign::LanguageOf;
use crate::defect::{Defect, Workload};
use crate::language::Planted;
use crate::personality::entry::{Personality, Work};
use crate::rdma::operation::Op;
use crate::rdma::plant::Plant as Between;

/// Lines are evicted, and the driver or the NIC fills them.
const DEFECTS: [Defect; 16] = [
    Defect::of_firmware(Plant::StaleBuffer, 19, Workload::Caches),
    Defect::of_firmware(Plant::StaleLine, 19, Workload::Caches),
    Defect::of_firmware(Plant::SecondMiss, 18, Workload::Caches),
    Defect::of_firmware(Plant::LockedVictim, 15, Workload::Caches),
    Defect::of_firmware(Plant::VictimOffByOne, 14, Workload::Caches),
    Defect::of_firmware(Plant::DuplicateTag, 13, Workload::Caches),
    Defect::of_firmware(Plant::UncheckedKey, 21, Workload::Caches),
    Defect::of_firmware(Plant::LostWakeUp, 10, Workload::Caches),
    Defect::of_firmware(Plant::AcknowledgedMiss, 29, Workload::Caches),
    Defect::of_firmware(Plant::EarlyUnlock, 21, Workload::Caches),
    Defect::of_firmware(Plant::BusyQueue, 39, Workload::Caches),
    Defect::of_driver("keep-queue", DriverPlant::KeepQueue, 39, Workload::Caches),
    Defect::of_driver("unpin-cached", DriverPlant::UnpinCached, 17, Workload::Caches),
    Defect::of_driver("reserve-leak", DriverPlant::ReserveLeak, 16, Workload::Caches),
    Defect::of_firmware(Plant::StaleFetch, 19, Workload::FetchingCaches),
    Defect::of_firmware(Plant::OldSession, 31, Workload::LateFrame),
];

/// Defects between the product and the model.
pub const PLANTED: [Planted<Between>; 13] = [
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
    Planted { plant: Between::PinStays, breaks: &[Invariant(36)] },
    // The monitor sees the host write a key for which there was no miss.
    Planted { plant: Between::LinesStay, breaks: &[Invariant(16)] },
];

/// The entry of `mini`.
pub const ENTRY: Personality = Personality {
    name: "mini",
    language: &LanguageOf::<Op>::VALUE,
    defects: &DEFECTS,
    registers: false,
    absent_buffer_bit: 1 << 19,
    invalidate: |driver, cpu, pid, address| Box::pin(invalidate(driver, cpu, pid, address)),
    left,
    leave,
};

async fn invalidate(driver: &Driver, cpu: &Cpu, pid: Pid, address: UserVirt) -> Result<(), DriverError> {
    driver.service::<Mini>()?.invalidate(cpu, pid, address).await
}

/// The first line or entry that is locked, reserved, or valid.
fn left<'a>(driver: &'a Driver, cpu: &'a Cpu) -> Work<'a, Option<String>> {
    Box::pin(async move {
        let (device, caches) = (driver.device(cpu)?, *driver.service::<Mini>()?.caches());
        let mut left = None;
        for line in 0..caches.geometry.lines() {
            let key = device.read_sram(caches.vmh_cache + caches.geometry.key_offset(line)).await?;
            let locks = device.read_sram(caches.vmh_cache + caches.geometry.state_offset(line)).await?;
            if key != KEY_EMPTY || locks != 0 {
                left = left.or(Some(format!("line {line} has key {key:#x} and locks {locks:#x}")));
            }
        }
        for entry in 0..caches.cbh_geometry.entries {
            let at = caches.cbh_cache + caches.cbh_geometry.entry_offset(entry) + cbh::entry::STATE;
            let state = device.read_sram(at).await? & cbh::STATE_MASK;
            if state != STATE_EMPTY && state != STATE_INVALID {
                left = left.or(Some(format!("buffer entry {entry} is in state {state}")));
            }
        }
        Ok(left)
    })
}

/// Reserves the first line if the driver has filled a line, so the shortest failing case has an
/// operation.
fn leave<'a>(driver: &'a Driver, cpu: &'a Cpu) -> Work<'a, ()> {
    Box::pin(async move {
        if driver.counts().fills != 0 {
            let (device, caches) = (driver.device(cpu)?, *driver.service::<Mini>()?.caches());
            device.write_sram(caches.vmh_cache + caches.geometry.key_offset(0), &[key(1, 0, KEY_RESERVED)]).await;
        }
        Ok(())
    })
}
