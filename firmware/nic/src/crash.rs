//! A panic: recorded like a trap. No host and no frame can cause one (docs/firmware.md).

use core::panic::PanicInfo;

use nic_layout::boot::CRASH_PANIC;
use nic_layout::trace::Marker;
use nic_layout::CORE_SRAM_BASE;

use crate::memory::{trace, write_sram};

extern "C" {
    fn _stop() -> !;
    static _crash_record: u8;
}

#[panic_handler]
fn panic(info: &PanicInfo) -> ! {
    let record = core::ptr::addr_of!(_crash_record) as u32 - CORE_SRAM_BASE;
    write_sram(record + 4, info.location().map_or(0, |location| location.line()));
    write_sram(record, CRASH_PANIC);
    trace(Marker::Crash, 0);
    // SAFETY: the end of start-up code; it touches two registers and never returns.
    unsafe { _stop() }
}
