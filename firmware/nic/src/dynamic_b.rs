//! EMP on core B with the scheme `dynamic`: the module of its image.

use nic_emp::dynamic::BELL;
use nic_firmware::memory::{read_sram, store, trace, wait_for_event, write_sram};
use nic_firmware::shared::{look_at_all, run, Halves};
use nic_layout::boot::{BootError, BOOT_READY, BOOT_REFUSED, LAYOUT_VERSION};
use nic_layout::personality::emp::pair::{AREA_ADDRESS, PAIR_MAGIC, REPLY, REQUEST, STATES};
use nic_layout::registers::event_a;
use nic_layout::trace::Marker;
use nic_layout::CORE_SRAM_BASE;

/// Core B's number, plus one.
const CORE: u32 = 2;

/// The states that core A has made ready.
fn states() -> Result<*mut Halves<CORE>, BootError> {
    if read_sram(AREA_ADDRESS + REQUEST) != PAIR_MAGIC {
        return Err(BootError::BadMagic);
    }
    // The same sources make both images. Their states would differ in size otherwise.
    let are_same = read_sram(AREA_ADDRESS + REQUEST + 4) == LAYOUT_VERSION
        && read_sram(AREA_ADDRESS + STATES + 4) == size_of::<Halves<CORE>>() as u32;
    if !are_same {
        return Err(BootError::OtherLayout);
    }
    Ok((read_sram(AREA_ADDRESS + STATES) + CORE_SRAM_BASE) as *mut Halves<CORE>)
}

/// Finds the states, and answers the driver.
#[inline(never)]
fn set_up() -> *mut Halves<CORE> {
    let states = match states() {
        Ok(states) => states,
        Err(error) => {
            write_sram(AREA_ADDRESS + REPLY + 4, error.words()[0]);
            write_sram(AREA_ADDRESS + REPLY, BOOT_REFUSED);
            loop {
                wait_for_event();
            }
        }
    };
    store(event_a::ENABLE, BELL);
    look_at_all();
    trace(Marker::Ready, 0);
    write_sram(AREA_ADDRESS + REPLY, BOOT_READY);
    states
}

#[no_mangle]
extern "C" fn main() -> ! {
    run(set_up())
}
