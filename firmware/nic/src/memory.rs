//! SRAM, registers, the trace port: everything outside the core.

use core::arch::asm;
use core::ptr::{read_volatile, write_volatile};

use nic_device::{Place, Words};
use nic_layout::registers::{Bits, Readable, Register, Writable};
use nic_layout::trace::{word, Marker, TRACE_CSR};
use nic_layout::{CORE_REGISTER_BASE, CORE_SRAM_BASE};

/// An address that the compiler knows nothing about: so it keeps it in a register, and the offset
/// of a word in the load or store. A constant it would add to each offset anew.
macro_rules! base {
    ($address:expr) => {{
        let base: u32;
        // SAFETY: loads a constant.
        unsafe { asm!("li {0}, {1}", out(reg) base, const $address, options(pure, nomem, nostack, preserves_flags)) };
        base
    }};
}

/// `offset_bytes` is a multiple of 4.
#[inline(always)]
pub fn sram(offset_bytes: u32) -> Place {
    Place(base!(CORE_SRAM_BASE).wrapping_add(offset_bytes))
}

/// A word of SRAM.
#[inline(always)]
pub fn get(place: Place, distance_bytes: u32) -> u32 {
    let address = place.0.wrapping_add(distance_bytes) as *const u32;
    // SAFETY: a word of SRAM or, beyond it or unaligned, a fault that stops the firmware; Rust
    // keeps no object there.
    unsafe { read_volatile(address) }
}

/// The low half of a word of SRAM.
#[inline(always)]
pub fn get_half(place: Place, distance_bytes: u32) -> u32 {
    let address = place.0.wrapping_add(distance_bytes) as *const u16;
    // SAFETY: as for `get`.
    u32::from(unsafe { read_volatile(address) })
}

/// Writes a word.
#[inline(always)]
pub fn put(place: Place, distance_bytes: u32, value: u32) {
    let address = place.0.wrapping_add(distance_bytes) as *mut u32;
    // SAFETY: as for `get`; the places written come from the memory map, which lies above the
    // image.
    unsafe { write_volatile(address, value) }
}

/// `offset_bytes` is a multiple of 4.
#[inline(always)]
pub fn read_sram(offset_bytes: u32) -> u32 {
    get(sram(offset_bytes), 0)
}

/// `offset_bytes` is a multiple of 4.
#[inline(always)]
pub fn write_sram(offset_bytes: u32, value: u32) {
    put(sram(offset_bytes), 0, value);
}

/// The SRAM as memory of words.
pub struct Sram;

impl Words for Sram {
    #[inline(always)]
    fn read(&self, offset_bytes: u32) -> u32 {
        read_sram(offset_bytes)
    }

    #[inline(always)]
    fn write(&mut self, offset_bytes: u32, value: u32) {
        write_sram(offset_bytes, value);
    }
}

/// The middle of the register page: all of it within reach of a load's 12-bit offset.
const REGISTER_MIDDLE: u32 = CORE_REGISTER_BASE + 0x800;

#[inline(always)]
fn register(offset: u32) -> u32 {
    base!(REGISTER_MIDDLE).wrapping_add(offset.wrapping_sub(0x800))
}

/// Reads a register.
#[inline(always)]
pub fn load<T: Bits, A: Readable>(from: Register<T, A>) -> T {
    let address = register(from.offset().0) as *const u32;
    // SAFETY: the address of a register; reading it has the effect that its description states and
    // no other.
    T::from_bits(unsafe { read_volatile(address) })
}

/// A ring index: the low half of its register, which a load of a half word takes without the shifts
/// of a mask.
#[inline(always)]
pub fn load_index<A: Readable>(from: Register<u32, A>) -> u16 {
    let address = register(from.offset().0) as *const u16;
    // SAFETY: as for `load`; the bus gives the whole register, the core takes half of it.
    unsafe { read_volatile(address) }
}

/// Writes a register.
#[inline(always)]
pub fn store<T: Bits, A: Writable>(to: Register<T, A>, value: T) {
    let address = register(to.offset().0) as *mut u32;
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

/// Puts a marker without an argument on the trace port. `ID`: its number, at most `STEP_MAX`.
#[inline(always)]
pub fn step<const ID: u8>() {
    // SAFETY: the CSR only drives the trace port.
    unsafe { asm!("csrwi {csr}, {id}", csr = const TRACE_CSR, id = const ID, options(nomem, nostack)) }
}

/// Waits until an enabled event is pending. Returns at once if one is.
#[inline(always)]
pub fn wait_for_event() {
    // SAFETY: changes no memory; events end it.
    unsafe { asm!("wfi", options(nomem, nostack)) }
}
