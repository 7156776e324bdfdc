//! Personalities of the NIC, as runs know them: one value each, in a file of its own.
//!
//! The driver knows which personality its NIC serves once the firmware has answered. A function of
//! an entry returns `None` for a driver that serves another personality.

mod entry;
pub mod table;

use host_model::driver::Driver;
use nic_monitor::watches::Watches;
use nicscope_scenario::personality::Personality as InScenarios;

pub use entry::Personality;
use table::PERSONALITIES;

/// The entry of a personality.
pub fn of(personality: &InScenarios) -> &'static Personality {
    let found = PERSONALITIES.iter().find(|entry| entry.name == personality.name);
    found.expect("a test compares the tables")
}

/// The watches of the personality that the NIC of this driver serves; `None` before the boot.
pub fn watches(driver: &Driver) -> Option<Watches> {
    PERSONALITIES.iter().find_map(|personality| (personality.watches)(driver))
}

/// Numbers of buffers whose descriptors every message misses, if messages go to the buffers in
/// turn. The descriptor of buffer `hot` stays in the cache. Empty if descriptors never miss.
pub fn cold_buffers(driver: &Driver, hot: u32) -> Vec<u32> {
    PERSONALITIES.iter().find_map(|personality| (personality.cold_buffers)(driver, hot)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nicscope_scenario::personality::PERSONALITIES as IN_SCENARIOS;

    #[test]
    fn every_personality_of_scenarios_can_be_run() {
        for personality in IN_SCENARIOS {
            assert_eq!(of(personality).name, personality.name);
        }
        assert_eq!(PERSONALITIES.len(), IN_SCENARIOS.len());
    }
}
