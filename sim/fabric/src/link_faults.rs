//! The faults of a link as a scenario writes them.

use serde::{Deserialize, Serialize};
use sim_pins::Ps;

use crate::fault::{Corruption, Delay, Duplication, Fault, Loss};
use crate::setting::{demand, within, SettingError};

/// Faults of one direction of a link. Ratios are from 0 to 1; frames are drawn independently.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LinkFaults {
    /// Frames that never arrive.
    pub loss_ratio: f64,
    /// Share of the frames that are not lost: frames with two changed bytes.
    pub corrupt_ratio: f64,
    /// Share of the frames not taken above: frames that arrive twice.
    pub duplicate_ratio: f64,
    /// Share of the frames not taken above: frames that are held, so that later frames overtake
    /// them.
    pub delay_ratio: f64,
    /// The shortest delay, in nanoseconds.
    pub delay_ns_min: u64,
    /// The longest delay, in nanoseconds.
    pub delay_ns_max: u64,
}

impl LinkFaults {
    /// Whether the faults are possible.
    ///
    /// # Errors
    /// The first value that is not; `key` is where the faults stand in the scenario.
    pub fn check(&self, key: &str) -> Result<(), SettingError> {
        for (name, ratio) in [
            ("loss_ratio", self.loss_ratio),
            ("corrupt_ratio", self.corrupt_ratio),
            ("duplicate_ratio", self.duplicate_ratio),
            ("delay_ratio", self.delay_ratio),
        ] {
            demand(&format!("{key}.{name}"), ratio, (0.0..=1.0).contains(&ratio), "0 to 1")?;
        }
        within(&format!("{key}.delay_ns_max"), self.delay_ns_max, 0..=1_000_000_000)?;
        let right = format!("0 to {key}.delay_ns_max, here {}", self.delay_ns_max);
        let possible = self.delay_ns_min <= self.delay_ns_max;
        demand(&format!("{key}.delay_ns_min"), self.delay_ns_min, possible, right)?;
        let possible = self.delay_ratio == 0.0 || self.delay_ns_max > 0;
        let right = "1 to 1000000000, because frames are delayed";
        demand(&format!("{key}.delay_ns_max"), self.delay_ns_max, possible, right)
    }

    /// The layers, for a [`Direction`](crate::Direction). Their names are `loss`, `corruption`,
    /// `duplication` and `delay`; a ratio of 0 has no layer.
    pub fn layers(&self) -> Vec<Box<dyn Fault>> {
        let mut layers: Vec<Box<dyn Fault>> = Vec::new();
        if self.loss_ratio > 0.0 {
            layers.push(Box::new(Loss { name: "loss".into(), probability: self.loss_ratio }));
        }
        if self.corrupt_ratio > 0.0 {
            let (probability, offsets) = (self.corrupt_ratio, Corruption::ANY_FRAME);
            layers.push(Box::new(Corruption { name: "corruption".into(), probability, bytes: 2, offsets }));
        }
        if self.duplicate_ratio > 0.0 {
            layers.push(Box::new(Duplication { name: "duplication".into(), probability: self.duplicate_ratio }));
        }
        if self.delay_ratio > 0.0 {
            let by = Ps::from_ns(self.delay_ns_min)..Ps::from_ns(self.delay_ns_max);
            layers.push(Box::new(Delay { name: "delay".into(), probability: self.delay_ratio, by }));
        }
        layers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_stand_in_the_documented_order_and_only_if_wanted() {
        let names =
            |faults: LinkFaults| faults.layers().iter().map(|layer| layer.name().to_owned()).collect::<Vec<_>>();
        assert!(names(LinkFaults::default()).is_empty());
        let all = "loss_ratio = 0.1\ncorrupt_ratio = 0.1\nduplicate_ratio = 0.1\ndelay_ratio = 0.1\ndelay_ns_max = 5";
        let all: LinkFaults = toml::from_str(all).unwrap();
        assert_eq!(all.check("faults"), Ok(()));
        assert_eq!(names(all), ["loss", "corruption", "duplication", "delay"]);
    }

    #[test]
    fn impossible_faults_are_named_with_what_would_be_possible() {
        let message = |text: &str| toml::from_str::<LinkFaults>(text).unwrap().check("faults").unwrap_err().to_string();
        assert_eq!(message("loss_ratio = 1.5"), "faults.loss_ratio = 1.5 is impossible: 0 to 1");
        assert_eq!(message("corrupt_ratio = nan"), "faults.corrupt_ratio = NaN is impossible: 0 to 1");
        assert!(
            message("delay_ns_min = 3").starts_with("faults.delay_ns_min = 3 is impossible: 0 to faults.delay_ns_max")
        );
        assert!(message("delay_ratio = 0.1").starts_with("faults.delay_ns_max = 0 is impossible: 1 to"));
        assert!(toml::from_str::<LinkFaults>("loss = 0.1").is_err());
    }
}
