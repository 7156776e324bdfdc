//! Checks of what a scenario says, with messages that name the key, the value and what would be
//! right.

use std::fmt::Display;
use std::ops::RangeInclusive;

/// A value of a scenario that cannot be built.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{key} = {value} is impossible: {right}")]
pub struct SettingError {
    /// The key as a scenario writes it, such as `topology.switch.forwarding_ns`.
    pub key: String,
    /// The refused value.
    pub value: String,
    /// The values that are possible.
    pub right: String,
}

pub(crate) fn demand(
    key: &str,
    value: impl Display,
    possible: bool,
    right: impl Into<String>,
) -> Result<(), SettingError> {
    if possible {
        Ok(())
    } else {
        Err(SettingError { key: key.to_owned(), value: value.to_string(), right: right.into() })
    }
}

pub(crate) fn within(key: &str, value: u64, range: RangeInclusive<u64>) -> Result<(), SettingError> {
    let right = format!("{} to {}", range.start(), range.end());
    demand(key, value, range.contains(&value), right)
}
