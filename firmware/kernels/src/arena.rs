//! Memory that one kernel after the other uses.

use core::mem::{align_of, size_of};

use crate::Kernel;

const BYTES: usize = 4096;

#[repr(C, align(8))]
pub struct Arena([u8; BYTES]);

impl Arena {
    pub const fn new() -> Arena {
        Arena([0; BYTES])
    }

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
