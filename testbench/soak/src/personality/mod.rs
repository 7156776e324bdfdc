//! Personalities of the NIC, as a soak knows them: one value each, in a file of its own.

mod entry;
pub mod table;

use nicscope_scenario::personality::Personality as InScenarios;

pub use entry::Personality;

/// The entry of a personality.
pub fn of(personality: &InScenarios) -> &'static Personality {
    let found = table::PERSONALITIES.iter().find(|entry| entry.name == personality.name);
    found.expect("a test compares the tables")
}

#[cfg(test)]
mod tests {
    use super::*;
    use nicscope_scenario::personality::PERSONALITIES;

    #[test]
    fn every_personality_of_scenarios_can_be_soaked() {
        for personality in PERSONALITIES {
            assert_eq!(of(personality).name, personality.name);
        }
        assert_eq!(table::PERSONALITIES.len(), PERSONALITIES.len());
    }
}
