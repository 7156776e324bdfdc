use crate::{Parking, Violation};

/// The platform's side of the bus. Clocks are PCI clocks.
///
/// The defaults are for tests of the bus. A run of a node takes the times of the memory path from
/// its platform file (`[bridge]` there), which names their sources.
#[derive(Clone, Debug)]
pub struct Settings {
    /// A 64-bit slot: REQ64# is low at the end of reset.
    pub bus_64_bit: bool,
    /// RST# stays low so long. The standard's 1 ms after power-up is not waited for.
    pub reset_clocks: u32,
    /// From RST# high to the first FRAME#: at least 5.
    pub recovery_clocks: u32,
    /// Device number of the NIC: IDSEL rises with AD[16 + device] of a type 0 configuration access.
    pub nic_device: u8,
    /// The agent that holds GNT# while no agent requests the bus.
    pub parking: Parking,

    /// Bridge as master: latency timer.
    pub latency_timer_clocks: u32,
    /// Cache lines that posted CPU writes may fill; 0: CPU writes are not posted. Four lines is
    /// what desktop bridges of the time had within a factor of two (assumption).
    pub posted_write_lines: usize,
    /// Keeps a [`Delivery`](crate::Delivery) for each posted write that has reached the bus; they
    /// must then be taken.
    pub reports_deliveries: bool,
    /// Writes to consecutive ascending dwords of one line leave in one burst.
    pub write_combining: bool,
    /// Posted writes that came after a read may overtake it once it has been retried (PCI 2.3,
    /// appendix E: required of a bridge, to avoid deadlock).
    pub writes_pass_retried_reads: bool,
    /// A transaction retried so often is given up. The standard has no such limit: it is a watchdog
    /// against a hung target.
    pub retry_limit: u32,

    /// Bridge as target: DEVSEL# at this clock, 1 (fast) to 3 (slow).
    pub devsel_clock: u32,
    /// First TRDY# of a read of memory, clocks after the address phase, at most 16.
    pub read_first_clock: u32,
    /// First TRDY# of a write: 2, with a medium DEVSEL#, where the bridge posts writes.
    pub write_first_clock: u32,
    /// Wait states before each further beat.
    pub beat_wait_clocks: u32,
    /// Wait states more at each new cache line of a read or write.
    pub line_wait_clocks: u32,
    /// A power of two, 32 or less.
    pub cache_line_bytes: u32,
    /// Bursts end at multiples of this many bytes (a power of two); 0: never. Default 4096: no
    /// burst leaves its page.
    pub boundary_bytes: u32,
    /// Answers 64-bit requests with ACK64# (only in a 64-bit slot).
    pub target_64_bit: bool,
    /// A read of memory waits, by retries, until CPU writes posted before it have reached the bus
    /// (PCI 2.3, appendix E: a read completion pushes posted writes of its direction).
    pub reads_push_posted_writes: bool,
    /// Reports wrong parity on PERR# and SERR#.
    pub reports_parity: bool,
    /// What the bridge does when memory refuses an access of the NIC.
    pub on_fault: FaultAnswer,

    /// The protocol checker watches both agents.
    pub checks: bool,
    /// Called at once for each violation, if set: tests may panic here.
    pub on_violation: Option<fn(&Violation)>,
}

/// What the bridge answers when memory refuses an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultAnswer {
    /// The bridge ends the transaction by target abort.
    TargetAbort,
    /// Ones for reads, writes vanish. The fault is recorded all the same.
    Ignore,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            bus_64_bit: true,
            reset_clocks: 32,
            recovery_clocks: 64,
            nic_device: 4,
            parking: Parking::Bridge,
            latency_timer_clocks: 32,
            posted_write_lines: 4,
            reports_deliveries: false,
            write_combining: true,
            writes_pass_retried_reads: true,
            retry_limit: 1 << 16,
            devsel_clock: 2,
            read_first_clock: 12,
            write_first_clock: 2,
            beat_wait_clocks: 0,
            line_wait_clocks: 0,
            cache_line_bytes: 32,
            boundary_bytes: 4096,
            target_64_bit: true,
            reads_push_posted_writes: true,
            reports_parity: true,
            on_fault: FaultAnswer::TargetAbort,
            checks: true,
            on_violation: None,
        }
    }
}

/// A setting outside what the bus allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{name} is {value}; it must be {expected}")]
pub struct SettingsError {
    /// Name of the setting.
    pub name: &'static str,
    /// Its value.
    pub value: u64,
    /// What would be right, in words.
    pub expected: &'static str,
}

impl Settings {
    /// Checks that the settings are possible.
    ///
    /// # Errors
    ///
    /// The first setting that is out of range.
    pub fn check(&self) -> Result<(), SettingsError> {
        let refuse = |name, value: u64, expected| Err(SettingsError { name, value, expected });
        if self.reset_clocks < 10 {
            return refuse(
                "reset_clocks",
                self.reset_clocks.into(),
                "10 or more: REQ64# must stand 10 clocks before RST# rises",
            );
        }
        if self.recovery_clocks < 5 {
            return refuse("recovery_clocks", self.recovery_clocks.into(), "5 or more");
        }
        if self.nic_device > 15 {
            return refuse("nic_device", self.nic_device.into(), "0 to 15: IDSEL hangs on AD[31:16]");
        }
        if !(1..=3).contains(&self.devsel_clock) {
            return refuse("devsel_clock", self.devsel_clock.into(), "1 (fast), 2 (medium) or 3 (slow)");
        }
        for (name, value) in
            [("read_first_clock", self.read_first_clock), ("write_first_clock", self.write_first_clock)]
        {
            if value > 16 {
                return refuse(name, value.into(), "16 or less");
            }
        }
        let later_clock = 1 + self.beat_wait_clocks + self.line_wait_clocks;
        if later_clock > 8 {
            return refuse("beat_wait_clocks + line_wait_clocks", u64::from(later_clock - 1), "7 or less");
        }
        if !self.cache_line_bytes.is_power_of_two() || !(8..=32).contains(&self.cache_line_bytes) {
            return refuse("cache_line_bytes", self.cache_line_bytes.into(), "8, 16 or 32");
        }
        if self.boundary_bytes != 0 && (!self.boundary_bytes.is_power_of_two() || self.boundary_bytes < 8) {
            return refuse("boundary_bytes", self.boundary_bytes.into(), "0, or a power of two from 8");
        }
        Ok(())
    }
}
