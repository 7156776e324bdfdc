//! Bar 7: random operations on clusters, and planted defects. The operations take hours, so
//! `nicscope soak --record` writes what it has done to a file of the project, which is read here.

use nicscope_scenario::error::Result;
use nicscope_soak::defect::Workload;
use nicscope_soak::play::FAULTS;

use crate::engine::{Figure, Target};
use crate::house::{Played, SoakRecords, Soaked};
use crate::measure::defects;

pub const NOTE: &str = "the operations as recorded in testbench/figures/records/soak.json by `nicscope soak \
    --personality emp --record testbench/figures/records/soak.json`; emp.7.mini: the same of `emp-mini`. Of each defect: \
    when it was found, in simulated time from power-up, and by which invariant; none: without a defect";

const MESSAGES_MIN: f64 = 1e6;
/// Clusters of 2 to this many nodes.
const NODES_MAX: f64 = 8.0;
/// The least number of planted defects.
const DEFECTS_MIN: f64 = 8.0;

pub fn measure() -> Result<Vec<Figure>> {
    let records = SoakRecords::of_project()?;
    let mut figures = of_campaigns("emp.7", Target::AtLeast(MESSAGES_MIN), records.of("emp").as_ref());
    let played = defects::play("emp", &[Workload::Lists, Workload::ListsOnTwoCores])?;
    figures.push(Figure::new("emp.7.defects", played.planted.len() as f64, "", Target::AtLeast(DEFECTS_MIN)));
    figures.extend(defects::figures("emp.7", &played));
    // The same protocol with a cache. The bar asks for a million messages in all, of any addresses.
    figures.extend(of_campaigns("emp.7.mini", Target::AtLeast(1.0), records.of("emp-mini").as_ref()));
    figures.extend(defects::figures("emp.7.mini", &defects::play("emp-mini", &[Workload::Lists])?));
    Ok(figures)
}

/// Figures of recorded campaigns. `messages`: how many messages they shall have at least.
fn of_campaigns(bar: &str, messages: Target, soaked: Option<&Soaked>) -> Vec<Figure> {
    let figure = |name: &str, count: &dyn Fn(&Played) -> u64, unit: &'static str, target| {
        Soaked::figure(soaked, format!("{bar}.{name}"), count, unit, target)
    };
    let counted = |it: &Played, name: &str| it.counts.get(name).copied().unwrap_or(0);
    let some = Target::AtLeast(1.0);
    vec![
        figure("messages", &|it| counted(it, "messages received"), "messages received", messages),
        figure("broken", &|it| u64::from(it.failure.is_some()), "", Target::Exactly(0.0)),
        figure("nodes", &Played::most_nodes, "nodes at most", Target::AtLeast(NODES_MAX)),
        figure("processes_ended", &|it| it.played("end") + it.played("kill"), "processes that end or are killed", some),
        figure("resets", &|it| it.played("reset"), "resets of NICs, of which peers are told", some),
        figure(
            "faults",
            &|it| FAULTS.iter().map(|name| counted(it, name)).sum(),
            "frames lost, corrupted, doubled, delayed",
            some,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played() -> Played {
        let counts = [("messages received", 1_000_000), ("clusters of 8 nodes", 1), ("loss", 5)];
        Played {
            kinds: ["end", "kill", "reset"].map(|name| (name.to_owned(), 2)).into(),
            counts: counts.map(|(name, count)| (name.to_owned(), count)).into(),
            ..Played::default()
        }
    }

    #[test]
    fn each_part_of_the_bar_can_be_missed() {
        let met = |soaked: Option<&Soaked>| {
            let figures = of_campaigns("emp.7", Target::AtLeast(MESSAGES_MIN), soaked);
            figures.iter().map(Figure::ok).collect::<Vec<_>>()
        };
        let met_by = |played| met(Some(&Soaked { played, ..Soaked::default() }));
        assert_eq!(met_by(played()), [true; 6]);
        assert_eq!(met(None), [false; 6]);
        let few = Played { counts: Default::default(), kinds: Default::default(), ..played() };
        assert_eq!(met_by(few), [false, true, false, false, false, false]);
        let broken = Played { failure: Some("so".into()), ..played() };
        assert_eq!(met_by(broken), [true, false, true, true, true, true]);
    }
}
