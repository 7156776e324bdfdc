//! Personalities of the NIC, as scenarios know them.
//!
//! A personality is a value: one entry of [`PERSONALITIES`], described in a file of its own. The
//! rest of this crate reads the fields of the entry and never compares names.

mod entry;
mod table;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::Result;
use crate::request_error;

pub use entry::{Column, Limits, Lookup, Personality, ROWS};
pub use table::PERSONALITIES;

/// The personality with a name.
///
/// # Errors
/// No personality has the name.
pub fn named(name: &str) -> Result<&'static Personality> {
    let found = PERSONALITIES.into_iter().find(|personality| personality.name == name);
    found.ok_or_else(|| request_error!("unknown personality {name:?}: must be one of {}", NAMES.join(", ")))
}

/// The names of all personalities, in the order of the table.
pub const NAMES: [&str; PERSONALITIES.len()] = {
    let mut names = [""; PERSONALITIES.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = PERSONALITIES[index].name;
        index += 1;
    }
    names
};

/// The personality of a scenario that names none: the first entry of the table.
pub fn default() -> &'static Personality {
    PERSONALITIES[0]
}

/// The values of the key `personality`.
pub(crate) fn schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"enum": NAMES})
}

/// Writes a personality to a file as its name, and reads it back.
pub(crate) mod by_name {
    use super::*;

    pub fn serialize<S: Serializer>(
        personality: &&'static Personality,
        serializer: S,
    ) -> std::result::Result<S::Ok, S::Error> {
        personality.name.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> std::result::Result<&'static Personality, D::Error> {
        let name = String::deserialize(deserializer)?;
        let found = PERSONALITIES.into_iter().find(|personality| personality.name == name);
        found.ok_or_else(|| D::Error::unknown_variant(&name, &NAMES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_finds_its_own_entry_and_other_names_are_refused_with_all_names() {
        for personality in PERSONALITIES {
            assert_eq!(named(personality.name).unwrap(), personality);
        }
        let refused = named("tcp").unwrap_err().to_string();
        assert!(NAMES.iter().all(|name| refused.contains(name)), "{refused}");
    }
}
