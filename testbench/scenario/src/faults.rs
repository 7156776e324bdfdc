//! What the links of a scenario do to frames.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sim_fabric::LinkFaults;

use crate::error::Result;
use crate::request_error;

/// Faults of every direction of every link, of single links, and of the NICs.
///
/// Ratios are from 0 to 1. A frame that passes a switch passes two links, so it is drawn twice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Faults {
    /// Frames that never arrive.
    pub loss_ratio: f64,
    /// Frames with two changed bytes.
    pub corrupt_ratio: f64,
    /// Frames that arrive twice. By default 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub duplicate_ratio: f64,
    /// Frames that are held, so that later frames overtake them. By default 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delay_ratio: f64,
    /// The shortest delay, in ns. By default 0.
    #[serde(default, skip_serializing_if = "is_no_time")]
    pub delay_ns_min: u64,
    /// The longest delay, in ns. By default 0.
    #[serde(default, skip_serializing_if = "is_no_time")]
    pub delay_ns_max: u64,
    /// Crossings between the clocks of each NIC see a change one clock late, half of the times, by
    /// the seed: so does a flip-flop whose input changes while it samples. No message may change,
    /// but for its time. By default false.
    #[serde(default, skip_serializing_if = "is_false")]
    pub late_crossings: bool,
    /// Links with faults of their own, in place of those above.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<FaultsOfLink>,
}

/// Whether to leave the key out of a written scenario: a result names only the faults that it has.
fn is_zero(ratio: &f64) -> bool {
    *ratio == 0.0
}

fn is_false(flag: &bool) -> bool {
    !flag
}

fn is_no_time(ns: &u64) -> bool {
    *ns == 0
}

/// Faults of both directions of one link. A key that is not given is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FaultsOfLink {
    /// Link n joins node n; links between switches follow.
    pub link: usize,
    /// Frames that never arrive.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub loss_ratio: f64,
    /// Frames with two changed bytes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub corrupt_ratio: f64,
    /// Frames that arrive twice. By default 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub duplicate_ratio: f64,
    /// Frames that are held, so that later frames overtake them. By default 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delay_ratio: f64,
    /// The shortest delay, in ns. By default 0.
    #[serde(default, skip_serializing_if = "is_no_time")]
    pub delay_ns_min: u64,
    /// The longest delay, in ns. By default 0.
    #[serde(default, skip_serializing_if = "is_no_time")]
    pub delay_ns_max: u64,
}

impl FaultsOfLink {
    fn faults(&self) -> LinkFaults {
        let FaultsOfLink {
            loss_ratio, corrupt_ratio, duplicate_ratio, delay_ratio, delay_ns_min, delay_ns_max, ..
        } = *self;
        LinkFaults { loss_ratio, corrupt_ratio, duplicate_ratio, delay_ratio, delay_ns_min, delay_ns_max }
    }
}

impl Faults {
    /// The faults of each direction of a link.
    pub fn of_link(&self, link: usize) -> LinkFaults {
        match self.links.iter().find(|faults| faults.link == link) {
            Some(own) => own.faults(),
            None => self.elsewhere(),
        }
    }

    /// The faults of links that have none of their own.
    fn elsewhere(&self) -> LinkFaults {
        LinkFaults {
            loss_ratio: self.loss_ratio,
            corrupt_ratio: self.corrupt_ratio,
            duplicate_ratio: self.duplicate_ratio,
            delay_ratio: self.delay_ratio,
            delay_ns_min: self.delay_ns_min,
            delay_ns_max: self.delay_ns_max,
        }
    }

    /// # Errors
    /// The first value that is impossible in a cluster of so many links.
    pub(crate) fn check(&self, links: usize) -> Result<()> {
        check("faults", &self.elsewhere())?;
        for (index, own) in self.links.iter().enumerate() {
            let key = format!("faults.links[{index}]");
            if own.link >= links {
                return Err(request_error!("{key}.link = {}: must be 0 to {}", own.link, links - 1));
            }
            if self.links[..index].iter().any(|other| other.link == own.link) {
                return Err(request_error!("{key}.link = {}: must be named once", own.link));
            }
            check(&key, &own.faults())?;
        }
        Ok(())
    }
}

fn check(key: &str, faults: &LinkFaults) -> Result<()> {
    for (name, ratio) in [("loss_ratio", faults.loss_ratio), ("corrupt_ratio", faults.corrupt_ratio)] {
        if !(0.0..=1.0).contains(&ratio) {
            return Err(request_error!("{key}.{name}: {ratio}: must be 0 to 1"));
        }
    }
    if faults.loss_ratio + faults.corrupt_ratio > 0.9 {
        return Err(request_error!("{key}: loss_ratio + corrupt_ratio must be at most 0.9, or nothing arrives"));
    }
    faults.check(key).map_err(|error| request_error!("{error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_has_its_own_faults_or_those_of_all() {
        let own = FaultsOfLink { link: 2, corrupt_ratio: 0.25, ..FaultsOfLink::default() };
        let faults = Faults { loss_ratio: 0.5, links: vec![own], ..Faults::default() };
        assert_eq!((faults.of_link(1).loss_ratio, faults.of_link(1).corrupt_ratio), (0.5, 0.0));
        assert_eq!((faults.of_link(2).loss_ratio, faults.of_link(2).corrupt_ratio), (0.0, 0.25));
        assert!(faults.check(3).is_ok());
        let twice = Faults { links: vec![own, own], ..Faults::default() };
        assert!(twice.check(3).unwrap_err().to_string().contains("links[1].link = 2: must be named once"));
    }
}
