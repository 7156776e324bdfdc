//! SRAM, registers, the trace port: everything outside the core.

use core::arch::asm;
use core::ptr::{read_volatile, write_volatile};

use nic_layout::registers::{Bits, Readable, Register, Writable};
use nic_layout::trace::{word, Marker, TRACE_CSR};
use nic_layout::{CORE_REGISTER_BASE, CORE_SRAM_BASE};

/// `offset_bytes` is a multiple of 4.
#[inline(always)]
pub fn read_sram(offset_bytes: u32) -> u32 {
    let address = CORE_SRAM_BASE.wrapping_add(offset_bytes) as *const u32;
    // SAFETY: a word of SRAM or, beyond it or unaligned, a fault that stops the firmware; Rust keeps no object there.
    unsafe { read_volatile(address) }
}

/// `offset_bytes` is a multiple of 4.
#[inline(always)]
pub fn write_sram(offset_bytes: u32, value: u32) {
    let address = CORE_SRAM_BASE.wrapping_add(offset_bytes) as *mut u32;
    // SAFETY: as for `read_sram`; the offsets written come from the memory map, which lies above the image.
    unsafe { write_volatile(address, value) }
}

#[inline(always)]
pub fn load<T: Bits, A: Readable>(register: Register<T, A>) -> T {
    let address = (CORE_REGISTER_BASE + register.offset().0) as *const u32;
    // SAFETY: the address of a register; reading it has the effect that its description states and no other.
    T::from_bits(unsafe { read_volatile(address) })
}

#[inline(always)]
pub fn store<T: Bits, A: Writable>(register: Register<T, A>, value: T) {
    let address = (CORE_REGISTER_BASE + register.offset().0) as *mut u32;
    // SAFETY: the address of a register that may be written.
    unsafe { write_volatile(address, value.to_bits()) }
}

/// Puts a marker on the trace port: one instruction that costs the same whether anyone listens.
#[inline(always)]
pub fn trace(marker: Marker, argument: u32) {
    // SAFETY: the CSR only drives the trace port.
    unsafe {
        asm!("csrw {csr}, {word}", csr = const TRACE_CSR, word = in(reg) word(marker, argument), options(nomem, nostack))
    }
}

/// Waits until an enabled event is pending. Returns at once if one is.
#[inline(always)]
pub fn wait_for_event() {
    // SAFETY: changes no memory; events end it.
    unsafe { asm!("wfi", options(nomem, nostack)) }
}
