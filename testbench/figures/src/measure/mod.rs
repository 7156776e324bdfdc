//! The figures of docs/measurements.md, measured again, beside their targets.

mod bar;
mod best;
mod built_in;
mod core;
mod figure;
mod machine;
mod mini;
pub mod report;

pub use bar::Bar;
pub use figure::{Figure, Target};

use nicscope_scenario::error::Result;
use nicscope_scenario::{failed, request_error};

/// A number of bars under one name.
pub struct Group {
    pub name: &'static str,
    bars: &'static [Bar],
}

const GROUPS: [Group; 3] = [
    Group { name: "machine", bars: &machine::BARS },
    Group { name: "core", bars: &core::BARS },
    Group { name: "mini", bars: &mini::BARS },
];

/// The group of that name.
pub fn group(name: &str) -> Result<&'static Group> {
    GROUPS.iter().find(|group| group.name == name).ok_or_else(|| {
        let names: Vec<&str> = GROUPS.iter().map(|group| group.name).collect();
        request_error!("unknown group of figures {name:?}: must be one of {}", names.join(", "))
    })
}

/// The bars asked for, in the order of their numbers; all if none was named.
pub fn chosen(group: &'static Group, only: &[u32]) -> Result<Vec<&'static Bar>> {
    for number in only {
        if !group.bars.iter().any(|bar| bar.number == *number) {
            let known: Vec<String> = group.bars.iter().map(|bar| bar.number.to_string()).collect();
            return Err(request_error!("--only {number}: {} has bars {}", group.name, known.join(", ")));
        }
    }
    Ok(group.bars.iter().filter(|bar| only.is_empty() || only.contains(&bar.number)).collect())
}

/// One missed target is a failure.
pub fn verdict(figures: &[Figure]) -> Result<()> {
    let missed: Vec<&str> = figures.iter().filter(|figure| !figure.ok()).map(|figure| figure.id.as_str()).collect();
    match missed.is_empty() {
        true => Ok(()),
        false => Err(failed!("{} of {} figures miss their target: {}", missed.len(), figures.len(), missed.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missed_target_is_a_failure_with_exit_status_1() {
        let good = Figure::new("machine.2.difference", 0.0, "ps", Target::Exactly(0.0));
        let bad = Figure::new("machine.6.latency", 9.0, "us", Target::AtMost(8.0));
        assert!(verdict(std::slice::from_ref(&good)).is_ok());
        let error = verdict(&[good, bad]).unwrap_err();
        assert_eq!(error.exit_status(), 1);
        assert!(error.to_string().contains("1 of 2") && error.to_string().contains("machine.6.latency"));
    }

    #[test]
    fn wrong_requests_say_what_would_be_right() {
        assert!(group("machina").err().expect("no such group").to_string().contains("machine"));
        let error = chosen(group("machine").unwrap(), &[2, 99]).err().expect("no such bar");
        assert_eq!(error.exit_status(), 2);
        assert!(error.to_string().contains("99") && error.to_string().contains("1, 2, 3"));
    }

    #[test]
    fn bars_are_measured_in_their_order() {
        let machine = group("machine").unwrap();
        let numbers = |only: &[u32]| chosen(machine, only).unwrap().iter().map(|bar| bar.number).collect::<Vec<_>>();
        assert_eq!(numbers(&[3, 2]), [2, 3]);
        assert_eq!(numbers(&[]), [1, 2, 3, 4, 5, 6, 7]);
    }
}
