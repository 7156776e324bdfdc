//! One entry of the table of personalities.

use std::future::Future;
use std::pin::Pin;

use host_model::address::{Pid, UserVirt};
use host_model::driver::{Driver, DriverError};
use host_model::processor::Cpu;

use crate::campaign::Language;
use crate::defect::Defect;

/// A future of the driver that a task awaits.
pub type Work<'a, T> = Pin<Box<dyn Future<Output = Result<T, DriverError>> + 'a>>;

/// What a soak needs to know about a personality.
pub struct Personality {
    /// The name in scenarios.
    pub name: &'static str,
    /// The language of its operations.
    pub language: &'static dyn Language,
    /// Whether posts may name only registered memory, so that a process registers its memory when
    /// it begins.
    pub registers: bool,
    /// A bit that the number of no buffer of a case has.
    pub absent_buffer_bit: u32,
    /// Takes the translation of a process's page from the NIC, if the NIC looks it up in a cache.
    pub invalidate: for<'a> fn(&'a Driver, &'a Cpu, Pid, UserVirt) -> Work<'a, ()>,
    /// A text about what NIC and driver still hold after all processes have ended; `None` if they
    /// hold nothing (INV-36).
    pub left: for<'a> fn(&'a Driver, &'a Cpu) -> Work<'a, Option<String>>,
    /// Defects of firmware and driver, and what finds each.
    pub defects: &'static [Defect],
    /// Plants something on the NIC that `left` must find.
    pub leave: for<'a> fn(&'a Driver, &'a Cpu) -> Work<'a, ()>,
}
