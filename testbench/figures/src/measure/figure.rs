//! One measured value beside what it must be.

use std::borrow::Cow;
use std::fmt;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// What a value must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    AtMost(f64),
    AtLeast(f64),
    Exactly(f64),
    /// Told beside others; there is nothing to meet.
    None,
}

impl Target {
    /// A value that is no number meets nothing.
    pub fn is_met_by(self, value: f64) -> bool {
        match self {
            Target::AtMost(bound) => value <= bound,
            Target::AtLeast(bound) => value >= bound,
            Target::Exactly(bound) => value == bound,
            Target::None => value.is_finite(),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::AtMost(bound) => write!(f, "at most {bound}"),
            Target::AtLeast(bound) => write!(f, "at least {bound}"),
            Target::Exactly(bound) => write!(f, "{bound}"),
            Target::None => Ok(()),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Group, bar and name, as in docs/measurements.md.
    pub id: String,
    pub value: f64,
    pub unit: &'static str,
    pub target: Target,
    /// What was published, and of what machine; or what it was before.
    pub paper: Option<Cow<'static, str>>,
}

impl Figure {
    pub fn new(id: impl Into<String>, value: f64, unit: &'static str, target: Target) -> Figure {
        Figure { id: id.into(), value, unit, target, paper: None }
    }

    pub fn paper(mut self, paper: impl Into<Cow<'static, str>>) -> Figure {
        self.paper = Some(paper.into());
        self
    }

    /// One that is not there to be measured: it meets nothing.
    pub fn absent(id: impl Into<String>, unit: &'static str, target: Target) -> Figure {
        Figure::new(id, f64::NAN, unit, target)
    }

    pub fn ok(&self) -> bool {
        self.target.is_met_by(self.value)
    }

    /// Counts whole, the rest with four digits that mean something.
    pub fn value_text(&self) -> String {
        match self.value {
            value if value.is_nan() => "absent".to_string(),
            value if value.fract() == 0.0 || value.abs() >= 10_000.0 => format!("{value:.0}"),
            value if value.abs() >= 100.0 => format!("{value:.1}"),
            value if value.abs() >= 10.0 => format!("{value:.2}"),
            value => format!("{value:.3}"),
        }
    }
}

impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let target = match self.target {
            Target::None => None,
            target => Some(target.to_string()),
        };
        let mut fields = serializer.serialize_struct("Figure", 6)?;
        fields.serialize_field("id", &self.id)?;
        fields.serialize_field("value", &self.value)?;
        fields.serialize_field("unit", &self.unit)?;
        fields.serialize_field("target", &target)?;
        fields.serialize_field("paper", &self.paper)?;
        fields.serialize_field("ok", &self.ok())?;
        fields.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_bound_on_the_right_side() {
        assert!(Target::AtMost(8.0).is_met_by(8.0) && !Target::AtMost(8.0).is_met_by(8.001));
        assert!(Target::AtLeast(1e6).is_met_by(1e6) && !Target::AtLeast(1e6).is_met_by(999_999.0));
        assert!(Target::Exactly(0.0).is_met_by(0.0) && !Target::Exactly(0.0).is_met_by(1.0));
        for target in [Target::AtMost(1.0), Target::AtLeast(1.0), Target::Exactly(1.0), Target::None] {
            assert!(!target.is_met_by(f64::NAN), "{target:?}");
        }
    }

    #[test]
    fn the_json_form_has_the_six_fields() {
        let figure = Figure::new("machine.6.x", 9.5, "us", Target::AtMost(8.0)).paper("8 us, LANai9");
        let json = serde_json::to_string(&figure).unwrap();
        let expected =
            r#"{"id":"machine.6.x","value":9.5,"unit":"us","target":"at most 8","paper":"8 us, LANai9","ok":false}"#;
        assert_eq!(json, expected);
        let plain = serde_json::to_string(&Figure::new("a.1.b", 2.0, "", Target::None)).unwrap();
        assert_eq!(plain, r#"{"id":"a.1.b","value":2.0,"unit":"","target":null,"paper":null,"ok":true}"#);
    }

    #[test]
    fn what_is_absent_meets_nothing_and_says_so() {
        let absent = Figure::absent("core.5.x", "%", Target::AtMost(25.0));
        assert!(!absent.ok());
        assert_eq!(absent.value_text(), "absent");
        assert!(serde_json::to_string(&absent).unwrap().contains(r#""value":null"#));
    }

    #[test]
    fn values_are_written_with_the_digits_that_count() {
        let text = |value| Figure::new("", value, "", Target::None).value_text();
        assert_eq!([0.0, 10_000.0, 947.152, 15.504, 0.0912].map(text), ["0", "10000", "947.2", "15.50", "0.091"]);
    }
}
