//! Memory that one kernel after the other uses.

use core::mem::{align_of, size_of};

use crate::Kernel;

const BYTES: usize = 4096;

/// 4096 bytes, aligned to 8. Each kernel keeps its data at the begin of them.
#[repr(C, align(8))]
pub struct Arena([u8; BYTES]);

impl Arena {
    /// An arena of zeros.
    pub const fn new() -> Arena {
        Arena([0; BYTES])
    }

    /// The data of kernel `K`: at first the bytes that the kernel before it has left. Data that do
    /// not fit are refused when the kernel is compiled.
    pub fn of<K: Kernel>(&mut self) -> &mut K::Data {
        const { assert!(size_of::<K::Data>() <= BYTES && align_of::<K::Data>() <= align_of::<Arena>()) };
        // SAFETY: large and aligned enough, as just asserted; any bytes are valid data, as `Data`
        // demands.
        unsafe { &mut *self.0.as_mut_ptr().cast() }
    }
}

impl Default for Arena {
    fn default() -> Arena {
        Arena::new()
    }
}
