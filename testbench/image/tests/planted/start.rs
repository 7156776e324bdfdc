// The beginning of every planted image: the start-up code of the firmware without its copies.
#![no_std]
#![no_main]

core::arch::global_asm!(
    ".section .start, \"ax\"",
    ".global _start",
    "_start: la sp, _stack_top",
    "call main",
);

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}

/// A value that the compiler does not know.
fn unknown() -> u32 {
    // SAFETY: an aligned word of SRAM.
    unsafe { core::ptr::read_volatile(0x1000_0000 as *const u32) }
}

fn keep(value: u32) {
    // SAFETY: an aligned word of SRAM.
    unsafe { core::ptr::write_volatile(0x1000_0004 as *mut u32, value) }
}
