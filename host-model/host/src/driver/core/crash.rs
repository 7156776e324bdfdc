//! Crash records: what a core writes before it stops.

use nic_layout::boot::{CrashRecord, CRASH_RECORD_ADDRESS};
use nic_layout::keeper;

use super::context::Context;
use super::device::Device;
use super::error::DriverError;
use crate::address::SramAddr;

/// Reads the crash record of core A, and with `has_core_b` also the record of core B. A record that
/// is there is the error.
pub async fn look_for_crash(context: &Context, device: &Device, has_core_b: bool) -> Result<(), DriverError> {
    let crash: CrashRecord = device.read_struct(SramAddr(CRASH_RECORD_ADDRESS)).await?;
    if crash.kind != 0 {
        context.set_crash(crash);
        return Err(DriverError::Crashed(crash));
    }
    if has_core_b {
        let crash: CrashRecord = device.read_struct(context.options().duty_of_core_b().area() + keeper::CRASH).await?;
        if crash.kind != 0 {
            context.set_crash_of_core_b(crash);
            return Err(DriverError::CrashedB(crash));
        }
    }
    Ok(())
}
