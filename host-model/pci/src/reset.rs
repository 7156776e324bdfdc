//! RST# and what comes with it: REQ64# tells the width of the slot, and the bus rests before the
//! first access.

use crate::pins::Pins;
use sim_pins::PciPin;

/// REQ64# is held so long after RST# rises, then driven high for a clock (PCI 2.3, section 4.3.2:
/// held 0 to 50 ns).
const REQ64_HOLD_CLOCKS: u32 = 1;

#[derive(Debug)]
pub(crate) struct Reset {
    /// Clocks of RST# low that are left.
    low_left: u32,
    /// RST# fell since the last edge: agents that drove REQ64# have not let go of it yet.
    just_fell: bool,
    /// Clocks since RST# rose, up to the recovery time.
    since: u32,
    recovery_clocks: u32,
}

impl Reset {
    pub fn new(low_clocks: u32, recovery_clocks: u32) -> Reset {
        Reset { low_left: low_clocks, just_fell: false, since: 0, recovery_clocks }
    }

    pub fn begin(&mut self, low_clocks: u32) {
        self.low_left = low_clocks;
        self.just_fell = true;
        self.since = 0;
    }

    pub fn is_low(&self) -> bool {
        self.low_left > 0
    }

    /// RST# is high and the recovery time is over.
    pub fn is_over(&self) -> bool {
        self.low_left == 0 && self.since >= self.recovery_clocks
    }

    pub fn advance(&mut self) {
        self.just_fell = false;
        if self.low_left > 0 {
            self.low_left -= 1;
        } else if self.since < self.recovery_clocks {
            self.since += 1;
        }
    }

    pub fn put(&self, pins: &mut Pins, bus_64_bit: bool) {
        pins.drive(PciPin::Rst, !self.is_low());
        if bus_64_bit && !self.just_fell {
            if self.is_low() || self.since < REQ64_HOLD_CLOCKS {
                pins.drive(PciPin::Req64, false);
            } else if self.since == REQ64_HOLD_CLOCKS {
                pins.drive(PciPin::Req64, true);
            }
        }
    }
}
