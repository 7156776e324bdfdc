//! The groups of `nicscope measure`.

use nicscope_scenario::error::Result;
use nicscope_scenario::{failed, request_error};

use crate::engine::{Experiment, Figure, Group};
use crate::{house, measure, table};

/// Every group.
pub fn groups() -> impl Iterator<Item = Group> {
    measure::GROUPS.into_iter().chain(table::GROUPS).chain([house::GROUP])
}

/// The group of that name.
///
/// # Errors
/// There is no such group.
pub fn group(name: &str) -> Result<Group> {
    groups().find(|group| group.name == name).ok_or_else(|| {
        let names: Vec<&str> = groups().map(|group| group.name).collect();
        request_error!("unknown group of figures {name:?}: must be one of {}", names.join(", "))
    })
}

/// The bars asked for, in the order of their numbers; all if none was named.
///
/// # Errors
/// The group has no bar of that number.
pub fn chosen(group: Group, only: &[u32]) -> Result<Vec<&'static Experiment>> {
    let numbers = || group.bars.iter().filter_map(Experiment::number);
    for asked in only {
        if !numbers().any(|number| number == *asked) {
            let known: Vec<String> = numbers().map(|number| number.to_string()).collect();
            return Err(request_error!("--only {asked}: {} has bars {}", group.name, known.join(", ")));
        }
    }
    let is_chosen = |bar: &&Experiment| only.is_empty() || bar.number().is_some_and(|number| only.contains(&number));
    Ok(group.bars.iter().filter(is_chosen).collect())
}

/// Whether every figure meets its target.
///
/// # Errors
/// One target is missed, or more: the error names them.
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
    use crate::engine::Target;

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
        let numbers =
            |only: &[u32]| chosen(machine, only).unwrap().iter().filter_map(|bar| bar.number()).collect::<Vec<_>>();
        assert_eq!(numbers(&[3, 2]), [2, 3]);
        assert_eq!(numbers(&[]), [1, 2, 3, 4, 5, 6, 7]);
    }
}
