//! One entry of the table of personalities.

use std::future::Future;
use std::pin::Pin;

use host_model::address::{Pid, UserVirt};
use host_model::driver::{Driver, DriverError};
use host_model::processor::Cpu;

/// Work of the driver that a task awaits.
pub type Work<'a, T> = Pin<Box<dyn Future<Output = Result<T, DriverError>> + 'a>>;

/// What a soak needs to know of a personality.
pub struct Personality {
    /// Its name, as in scenarios.
    pub name: &'static str,
    /// Posts name registered memory only, so a process registers its memory when it begins.
    pub registers: bool,
    /// A bit that no buffer of a case has in its number.
    pub absent_buffer_bit: u32,
    /// Takes what the NIC has of a page of a process away from it, if the NIC can miss it.
    pub invalidate: for<'a> fn(&'a Driver, &'a Cpu, Pid, UserVirt) -> Work<'a, ()>,
    /// What the NIC or the driver still has when all processes have ended (INV-36).
    pub left: for<'a> fn(&'a Driver, &'a Cpu) -> Work<'a, Option<String>>,
    /// Leaves something behind on the NIC that `left` must find: tests plant it.
    pub leave: for<'a> fn(&'a Driver, &'a Cpu) -> Work<'a, ()>,
}
