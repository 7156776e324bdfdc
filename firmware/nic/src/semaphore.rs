//! The one semaphore between the cores (facts E-5).

use nic_layout::registers::semaphore::{CoreA, Release, CORE_A, RELEASE};

use crate::memory::{load, store};

/// Does `work` while this core, `CORE`, owns the semaphore. What it writes to SRAM is there before
/// the other core can own it: accesses of a core are made in program order.
#[inline(always)]
pub fn locked<const CORE: u32, T>(work: impl FnOnce() -> T) -> T {
    locked_by(CORE, work)
}

/// The same where the core is a number that the compiler knows.
#[inline(always)]
pub fn locked_by<T>(core: u32, work: impl FnOnce() -> T) -> T {
    // To each core its own request is CORE_A (docs/events.md).
    store(CORE_A, CoreA(0));
    while !load(CORE_A).owned() {}
    let done = work();
    store(RELEASE, Release(core));
    done
}
