//! Events by hardware dispatch (docs/events.md): a handler for each, and a loop of one instruction
//! that calls them.
//!
//! The firmware `mini` polls instead (docs/firmware.md).

use core::arch::asm;

use nic_layout::dispatch::{DISPATCH_RA, HANDLER_CSR, INDEX_CSR};

/// From now on `handler` serves the event, of which there are 32. It clears the event before it
/// looks at its cause.
pub fn set_handler(event: u32, handler: extern "C" fn()) {
    // SAFETY: what is written is only jumped to, and a function with this ABI may be called from
    // `dispatch`.
    unsafe {
        asm!("csrw {index}, {event}", "csrw {address}, {handler}", index = const INDEX_CSR, address = const HANDLER_CSR,
            event = in(reg) event, handler = in(reg) handler, options(nostack, preserves_flags));
    }
}

/// Sleeps until an enabled event is pending, calls its handler, and so on. Every enabled event has
/// one.
pub fn dispatch() -> ! {
    loop {
        // SAFETY: a call of a function with the C ABI, as `clobber_abi` says.
        unsafe { asm!(".word {dispatch}", dispatch = const DISPATCH_RA, clobber_abi("C")) };
    }
}
