//! Handles looked up in caches on the NIC.

use host_model::address::{Pid, UserVirt};
use host_model::driver::mini::Mini;
use host_model::driver::{Driver, DriverError};
use host_model::processor::Cpu;
use nic_layout::cbh::{self, STATE_EMPTY, STATE_INVALID};
use nic_layout::vmh::{key, KEY_EMPTY, KEY_RESERVED};

use crate::campaign::LanguageOf;
use crate::personality::entry::{Personality, Work};
use crate::rdma::operation::Op;

pub const ENTRY: Personality = Personality {
    name: "mini",
    language: &LanguageOf::<Op>::VALUE,
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
