//! The values of the option `--waves`.

use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::request_error;
use sim_pins::Ps;

/// When waves are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// No waves.
    Never,
    /// Each run from its beginning to its end.
    Always,
    /// The time before a failure, if the run fails.
    Failure,
    /// The first message with a miss, and a hit to compare it with.
    Miss,
    /// Each run between two simulated times.
    Between {
        /// The first simulated time.
        from: Ps,
        /// The last simulated time.
        to: Ps,
    },
}

/// The latest time that can be given. The watchdog ends every run long before an hour of simulated
/// time.
const US_MAX: f64 = 3.6e9;

impl When {
    /// Reads the value of the option: `never`, `always`, `failure`, `miss`, or two times. An error
    /// names the values that are allowed.
    pub fn parse(text: &str) -> Result<When> {
        match text {
            "never" => Ok(When::Never),
            "always" => Ok(When::Always),
            "failure" => Ok(When::Failure),
            "miss" => Ok(When::Miss),
            _ => between(text),
        }
    }
}

fn between(text: &str) -> Result<When> {
    let unknown = |why: &str| -> Error {
        request_error!(
            "--waves {text}: {why}; must be never, always, failure, miss, or two times in us as FROM..TO, for example 950..1200"
        )
    };
    let (from, to) = text.split_once("..").ok_or_else(|| unknown("unknown"))?;
    let time = |text: &str| -> Result<Ps> {
        let us: f64 = text.trim().parse().map_err(|_| unknown(&format!("{text:?} is no number")))?;
        match (0.0..=US_MAX).contains(&us) {
            true => Ok(Ps((us * 1e6).round() as u64)),
            false => Err(unknown(&format!("{text} is not between 0 and {US_MAX} us"))),
        }
    };
    let (from, to) = (time(from)?, time(to)?);
    match from < to {
        true => Ok(When::Between { from, to }),
        false => Err(unknown("the first time must be before the second")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_and_windows_are_understood() {
        assert_eq!(When::parse("never").unwrap(), When::Never);
        assert_eq!(When::parse("always").unwrap(), When::Always);
        assert_eq!(When::parse("failure").unwrap(), When::Failure);
        assert_eq!(When::parse("miss").unwrap(), When::Miss);
        let window = When::Between { from: Ps(500_000), to: Ps(12_000_000) };
        assert_eq!(When::parse("0.5..12").unwrap(), window);
        assert_eq!(When::parse("0.5 .. 12").unwrap(), window);
    }

    #[test]
    fn anything_else_is_told_what_would_be_right() {
        for bad in
            ["", "hit", "Miss", "..", "5", "5..", "..5", "5..5", "6..5", "-1..5", "1..nan", "1..inf", "1..1e12", "a..b"]
        {
            let error = When::parse(bad).unwrap_err();
            assert_eq!(error.exit_status(), 2, "{bad}");
            let text = error.to_string();
            assert!(text.contains("never, always, failure, miss") && text.contains("FROM..TO"), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics_and_no_window_is_empty(text in "[-0-9.e ]{0,12}") {
            if let Ok(When::Between { from, to }) = When::parse(&text) {
                prop_assert!(from < to);
            }
        }
    }
}
