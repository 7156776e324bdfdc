use crate::Device;

/// A device that both cores use, one at a time.
pub trait SharedDevice: Device {
    /// Makes events pending in the core that runs, one bit each.
    fn set(&mut self, events: u32);
    /// Makes events pending in core A, one bit each, whichever core runs.
    fn set_in_core_a(&mut self, events: u32);
    /// Starts a timer of core A, whichever core runs.
    fn set_timer_of_core_a(&mut self, timer: usize, due: u32);
}
