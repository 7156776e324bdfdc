//! A panic: recorded like a trap. No host and no frame can cause one (docs/firmware.md).

use core::panic::PanicInfo;

use nic_layout::boot::{CRASH_PANIC, CRASH_RECORD_ADDRESS};
use nic_layout::trace::Marker;

use crate::memory::{trace, write_sram};

extern "C" {
    fn _stop() -> !;
}

#[panic_handler]
fn panic(info: &PanicInfo) -> ! {
    write_sram(CRASH_RECORD_ADDRESS + 4, info.location().map_or(0, |location| location.line()));
    write_sram(CRASH_RECORD_ADDRESS, CRASH_PANIC);
    trace(Marker::Crash, 0);
    // SAFETY: the end of start-up code; it touches two registers and never returns.
    unsafe { _stop() }
}
