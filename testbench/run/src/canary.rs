//! How deep the stacks of the firmware grew in a run: the cores look themselves, since nothing else
//! reaches their scratchpads ([`nic_image::Canary`]).

use host_model::address::SramAddr;
use host_model::driver::DriverError;
use host_model::processor::Priority;
use nic_image::{Canary, ImageError, StackUse};
use nic_layout::registers::ident::{self, CoreControl};
use nic_layout::CORE_SRAM_BASE;
use nicscope_scenario::error::{Error, Result, Statement};
use nicscope_scenario::failed;
use sim_pins::Ps;

use crate::node::Handle;

/// Time between two looks for the answer of a core.
const POLL: Ps = Ps::from_us(20);
/// A core reads a scratchpad of 16 KiB in less than 1 ms.
const POLLS_MAX: u32 = 200;

/// Stops the cores of a node, and lets each find how deep its stack grew. `canaries`: those of the
/// images that the node booted, core A first. The NIC serves nothing afterwards.
///
/// # Errors
/// A stack grew deeper than the analysis of its image says (INV-37), a core does not answer, or a
/// PCI transaction fails.
pub async fn measure(handle: &Handle, canaries: &[Canary]) -> Result<Vec<StackUse>> {
    let mut stacks = Vec::new();
    for (core, canary) in canaries.iter().enumerate() {
        let answer = answer(handle, core, canary).await.map_err(|error| failed!("{error}"))?;
        let name = ["A", "B"][core];
        stacks.push(canary.judge(answer).map_err(|error| broken(name, &error))?);
    }
    Ok(stacks)
}

/// The error of a run in which the canary of core `core` says `error`.
pub fn broken(core: &str, error: &ImageError) -> Error {
    Error::broken(Statement::Invariant(37), format!("INV-37: core {core}: {error}"))
}

/// Runs the reader of a canary on a core. 0 if it does not answer.
async fn answer(handle: &Handle, core: usize, canary: &Canary) -> Result<u32, DriverError> {
    let in_sram = |address: u32| SramAddr(address - CORE_SRAM_BASE);
    let device = handle.driver().device(&handle.cpu("read stacks", Priority::User))?;
    let reader = canary.reader();
    device.write(ident::CORE_CONTROL, CoreControl(0)).await;
    device.write_sram(in_sram(reader.entry), &reader.words).await;
    device.write_sram(in_sram(reader.answer), &[0]).await;
    let run = match core {
        0 => {
            device.write(ident::BOOT_ADDRESS, reader.entry).await;
            CoreControl(0).with_run_a(true)
        }
        _ => {
            device.write(ident::BOOT_ADDRESS_B, reader.entry).await;
            CoreControl(0).with_run_b(true)
        }
    };
    device.write(ident::CORE_CONTROL, run).await;
    let mut found = 0;
    for _ in 0..POLLS_MAX {
        handle.sim().sleep_for(POLL).await;
        found = device.read_sram(in_sram(reader.answer)).await?;
        if found != 0 {
            break;
        }
    }
    device.write(ident::CORE_CONTROL, CoreControl(0)).await;
    Ok(found)
}
