//! EMP on core B: the module of its image.

use nic_device::Device as _;
use nic_emp::{Config, Machine as _, Physical, Plan};
use nic_firmware::boot;
use nic_firmware::matching::Matching;
use nic_firmware::memory::{read_sram, trace, wait_for_event, write_sram};
use nic_layout::boot::{BootError, BOOT_READY, BOOT_REFUSED, LAYOUT_VERSION};
use nic_layout::personality::emp::pair::{AREA_ADDRESS, COUNTERS, FIRST_FREE, PAIR_MAGIC, REPLY, REQUEST};
use nic_layout::trace::Marker;

use super::{Chip, Machine, PAIR};

#[path = "messages_core.rs"]
mod messages_core;
use messages_core::{node, run, zero_counters, Node};

/// The plan of core A. Core A has left in SRAM from where it has planned.
fn plan() -> Result<Plan, BootError> {
    if read_sram(AREA_ADDRESS + REQUEST) != PAIR_MAGIC {
        return Err(BootError::BadMagic);
    }
    if read_sram(AREA_ADDRESS + REQUEST + 4) != LAYOUT_VERSION {
        return Err(BootError::OtherLayout);
    }
    let config = Config::read(&boot::request_again())?;
    Plan::of::<Matching, Physical>(&config, read_sram(AREA_ADDRESS + FIRST_FREE), boot::sram_bytes(config.sram_bytes))
}

/// Makes the parts ready, and answers the driver.
#[inline(never)]
fn set_up() -> &'static mut Node {
    let plan = match plan() {
        Ok(plan) => plan,
        Err(error) => {
            write_sram(AREA_ADDRESS + REPLY + 4, error.words()[0]);
            write_sram(AREA_ADDRESS + REPLY, BOOT_REFUSED);
            loop {
                wait_for_event();
            }
        }
    };
    let node = node();
    let Node { chip, machine } = node;
    chip.join(&plan.engines);
    zero_counters(chip, AREA_ADDRESS + COUNTERS);
    let session = plan.settings.session as u8;
    machine.start(chip, &plan.settings, &plan.places, (&plan.pages, plan.host_pages), |_| session);
    chip.wake_on(Machine::EVENTS);
    trace(Marker::Ready, plan.settings.node);
    write_sram(AREA_ADDRESS + REPLY, BOOT_READY);
    node
}

#[no_mangle]
extern "C" fn main() -> ! {
    run(set_up())
}
