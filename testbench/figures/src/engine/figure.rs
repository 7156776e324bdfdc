//! One measured value beside what it must be.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What a value must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// The bound itself is met.
    AtMost(f64),
    /// The bound itself is met.
    AtLeast(f64),
    /// No other value.
    Exactly(f64),
    /// The value stands beside others; there is nothing to meet.
    None,
}

impl Target {
    /// Whether the value is within the bound. A value that is no number meets no target.
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

impl FromStr for Target {
    type Err = String;

    /// The inverse of `Display`.
    fn from_str(text: &str) -> Result<Target, String> {
        let number = |text: &str| text.parse().map_err(|_| format!("{text:?} is no bound of a target"));
        match (text.strip_prefix("at most "), text.strip_prefix("at least ")) {
            (Some(bound), _) => Ok(Target::AtMost(number(bound)?)),
            (_, Some(bound)) => Ok(Target::AtLeast(number(bound)?)),
            _ if text.is_empty() => Ok(Target::None),
            _ => Ok(Target::Exactly(number(text)?)),
        }
    }
}

/// How a value or a verdict came about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decided {
    /// Runs decided it: another machine or firmware could give another result.
    #[default]
    Measured,
    /// An input of the experiment settles it, so it is no finding: which input, and how.
    ByConstruction(Cow<'static, str>),
}

/// A value with its id, unit, target, and what others found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "Form", try_from = "Form")]
pub struct Figure {
    /// Group, bar and name, as in docs/measurements.md.
    pub id: String,
    /// In `unit`; NaN if there is nothing to measure.
    pub value: f64,
    /// The unit of the value; empty for a count that needs none.
    pub unit: Cow<'static, str>,
    /// What the value must be.
    pub target: Target,
    /// The published value and its machine, or an earlier value.
    pub paper: Option<Cow<'static, str>>,
    /// Where the published or earlier value is from.
    pub source: Option<Cow<'static, str>>,
    /// How the value came about.
    pub decided: Decided,
}

impl Figure {
    /// A measured value that no paper has.
    pub fn new(id: impl Into<String>, value: f64, unit: impl Into<Cow<'static, str>>, target: Target) -> Figure {
        let (id, unit) = (id.into(), unit.into());
        Figure { id, value, unit, target, paper: None, source: None, decided: Decided::Measured }
    }

    /// A statement of a paper: 1 if it holds, otherwise 0.
    pub fn statement(
        id: impl Into<String>,
        holds: bool,
        statement: impl Into<Cow<'static, str>>,
        decided: Decided,
    ) -> Figure {
        let value = f64::from(u8::from(holds));
        Figure { decided, ..Figure::new(id, value, "holds", Target::AtLeast(1.0)).paper(statement) }
    }

    /// The same, beside a published or an earlier value.
    pub fn paper(mut self, paper: impl Into<Cow<'static, str>>) -> Figure {
        self.paper = Some(paper.into());
        self
    }

    /// The same, with the source of the published or earlier value.
    pub fn source(mut self, source: impl Into<Cow<'static, str>>) -> Figure {
        self.source = Some(source.into());
        self
    }

    /// A figure whose object does not exist yet, or was not measured: it meets no target.
    pub fn absent(id: impl Into<String>, unit: impl Into<Cow<'static, str>>, target: Target) -> Figure {
        Figure::new(id, f64::NAN, unit, target)
    }

    /// Whether the value meets the target.
    pub fn ok(&self) -> bool {
        self.target.is_met_by(self.value)
    }

    /// A count as a whole number, any other value with four significant digits; `absent` for NaN.
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

/// The JSON form of a figure.
#[derive(Serialize, Deserialize)]
struct Form {
    id: String,
    value: Option<f64>,
    unit: Cow<'static, str>,
    target: Option<String>,
    paper: Option<Cow<'static, str>>,
    #[serde(default)]
    source: Option<Cow<'static, str>>,
    #[serde(default)]
    decided: Decided,
    ok: bool,
}

impl From<Figure> for Form {
    fn from(figure: Figure) -> Form {
        let ok = figure.ok();
        let Figure { id, value, unit, target, paper, source, decided } = figure;
        let target = (target != Target::None).then(|| target.to_string());
        Form { id, value: Some(value).filter(|value| value.is_finite()), unit, target, paper, source, decided, ok }
    }
}

impl TryFrom<Form> for Figure {
    type Error = String;

    fn try_from(form: Form) -> Result<Figure, String> {
        let Form { id, value, unit, target, paper, source, decided, .. } = form;
        let target = target.map_or(Ok(Target::None), |text| text.parse())?;
        Ok(Figure { id, value: value.unwrap_or(f64::NAN), unit, target, paper, source, decided })
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
    fn the_json_form_has_eight_fields_and_is_read_again() {
        let figure = Figure::new("machine.6.x", 9.5, "us", Target::AtMost(8.0)).paper("8 us, LANai9");
        let json = serde_json::to_string(&figure).unwrap();
        let expected = concat!(
            r#"{"id":"machine.6.x","value":9.5,"unit":"us","target":"at most 8","paper":"8 us, LANai9","#,
            r#""source":null,"decided":"measured","ok":false}"#
        );
        assert_eq!(json, expected);
        assert_eq!(serde_json::from_str::<Figure>(&json).unwrap(), figure);
        let plain = Figure::new("a.1.b", 2.0, "", Target::None);
        let json = serde_json::to_string(&plain).unwrap();
        assert!(json.contains(r#""target":null,"paper":null"#), "{json}");
        assert_eq!(serde_json::from_str::<Figure>(&json).unwrap(), plain);
    }

    #[test]
    fn a_target_is_read_as_it_is_written() {
        for target in [Target::AtMost(1.02), Target::AtLeast(0.98), Target::Exactly(0.0), Target::None] {
            assert_eq!(target.to_string().parse(), Ok(target));
        }
        assert!("about 3".parse::<Target>().is_err());
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
