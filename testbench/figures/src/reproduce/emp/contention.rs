//! What two cores cost each other: waits for the semaphore and the SRAM, and events.

use nic_layout::trace::Marker;
use nicscope_run::cluster::{self, ClusterConfig};
use nicscope_run::progress::Progress;
use nicscope_run::summary::summarise;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use nicscope_scenario::scenario::Scheme;
use serde_json::json;
use sim_pins::Ps;

use super::setting::{self, label, Asked, PLATFORM};
use crate::engine::digits::digits;
use crate::engine::report::{Finding, Report, Table};
use crate::engine::{work, Experiment, Measure};

pub const CONTENTION: Experiment = Experiment {
    id: "emp.contention",
    title: "what two cores cost each other for each frame, both ways, by scheme",
    thesis:
        "RO tells the other CPU of each frame, SO once for a collection, SR most often (E-52); curves of Figure 3.5 \
             stay far below 1.6 to 1.8 Gb/s, which a model without contention predicts for DSR and SR",
    note: Some(
        "markers and counters of both nodes over whole runs, by the frames that the nodes received. A wait for the \
         semaphore lasts from the request to the owner's next marker, a few clocks of instructions included",
    ),
    parameters: || json!({"platform": PLATFORM, "sizes_bytes": SIZES_BYTES, "messages": MESSAGES}),
    images: setting::images_of_schemes,
    measure: Measure::Report(|jobs| Ok(report(&measure(jobs)?))),
};

/// A message of one frame, and one of many.
const SIZES_BYTES: [u32; 2] = [10, 16_384];
const MESSAGES: [u32; 2] = [60, 24];

/// For each frame that a node receives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contention {
    /// Core clocks from requests for the semaphore until it was owned.
    pub semaphore_clocks: f64,
    /// Core clocks in which a core waited for the SRAM, both cores together.
    pub sram_clocks: f64,
    /// Entries of queues of which the other core was told.
    pub told: f64,
    /// Events that were set in the other core. An event that is pending is not set again.
    pub events: f64,
}

/// For each scheme the values of both sizes.
fn measure(jobs: usize) -> Result<Vec<(Scheme, [Contention; 2])>> {
    let cases: Vec<(Scheme, u32, u32)> = Scheme::ALL
        .iter()
        .flat_map(|scheme| SIZES_BYTES.iter().zip(MESSAGES).map(|(size, count)| (*scheme, *size, count)))
        .collect();
    let found = work::each(CONTENTION.id, jobs, &cases, |(scheme, size, count)| of_run(*scheme, *size, *count))?;
    Ok(Scheme::ALL.into_iter().zip(found.chunks(2).map(|pair| [pair[0], pair[1]])).collect())
}

fn of_run(scheme: Scheme, size_bytes: u32, count: u32) -> Result<Contention> {
    let asked = Asked::new("both-ways")
        .messages(&[size_bytes], count)
        .key("workload.outstanding", 2)
        .key("cores", 2)
        .key("emp.scheme", scheme.name());
    let config = ClusterConfig { record: true, ..asked.config()? };
    let output = cluster::run(&config, &Progress::hidden())?;
    let run = summarise(PLATFORM, &config, &output)?;
    let counted = |name: &str| run.counters.iter().map(|node| node.get(name).copied().unwrap_or(0)).sum::<u64>() as f64;
    let frames = counted("rtl.mac_rx_frames");
    if frames == 0.0 {
        return Err(failed!("{}: no frame was received", scheme.name()));
    }
    let clocks = |time: Ps| time.0 as f64 * run.core_hz as f64 / 1e12;
    let mut found =
        Contention { sram_clocks: SRAM_WAITS.iter().map(|name| counted(name)).sum(), ..Contention::default() };
    for node in &output.nodes {
        found.add(node.log.markers(Ps::ZERO, Ps::MAX), clocks);
        found.add(node.log.markers_b(), clocks);
    }
    let Contention { semaphore_clocks, sram_clocks, told, events } = found;
    let each = |value: f64| value / frames;
    Ok(Contention {
        semaphore_clocks: each(semaphore_clocks),
        sram_clocks: each(sram_clocks),
        told: each(told),
        events: each(events),
    })
}

/// Clocks in which the data port or the instruction port of a core waited.
const SRAM_WAITS: [&str; 4] = [
    "rtl.sram_waits_core_a_data",
    "rtl.sram_waits_core_a_insn",
    "rtl.sram_waits_core_b_data",
    "rtl.sram_waits_core_b_insn",
];

impl Contention {
    /// Adds what the markers of one core say.
    fn add(&mut self, markers: impl Iterator<Item = (Ps, Marker, u32)>, clocks: impl Fn(Ps) -> f64) {
        let mut asked = None;
        for (at, marker, argument) in markers {
            match marker {
                Marker::SemaphoreAsked => asked = Some(at),
                Marker::SemaphoreOwned => {
                    self.semaphore_clocks += asked.take().map_or(0.0, |asked| clocks(at - asked));
                }
                Marker::PeerTold => {
                    self.told += 1.0;
                    self.events += f64::from(argument);
                }
                _ => {}
            }
        }
    }
}

fn report(schemes: &[(Scheme, [Contention; 2])]) -> Report {
    let tables = SIZES_BYTES.iter().enumerate().map(|(index, size_bytes)| {
        let columns = ["scheme", "semaphore, clocks", "SRAM, clocks", "told", "events"];
        let mut table = Table::new(format!("For each frame, messages of {size_bytes} bytes"), columns);
        for (scheme, found) in schemes {
            let Contention { semaphore_clocks, sram_clocks, told, events } = found[index];
            let values = [semaphore_clocks, sram_clocks, told, events].map(Into::into);
            table.row(std::iter::once(label(*scheme).into()).chain(values));
        }
        table
    });
    Report { tables: tables.collect(), findings: findings(schemes), ..Report::default() }
}

fn findings(schemes: &[(Scheme, [Contention; 2])]) -> Vec<Finding> {
    let of = |wanted: Scheme| {
        let found = schemes.iter().find(|(scheme, _)| *scheme == wanted);
        found.map_or(Contention::default(), |(_, found)| found[1])
    };
    let told = |scheme| of(scheme).told;
    let all = schemes.iter().map(|(scheme, found)| format!("{} {}", label(*scheme), digits(found[1].told)));
    let figures = format!("told for each frame: {}", all.collect::<Vec<_>>().join(", "));
    let most = Scheme::FIXED.iter().all(|scheme| told(Scheme::Sr) >= told(*scheme));
    vec![
        Finding::new("E-52", "RO tells the other core of each data frame", told(Scheme::Ro) >= 0.7, figures.clone()),
        Finding::new("E-52", "SR tells the other core most often", most, figures.clone()),
        Finding::new(
            "E-52",
            "SO tells the other core once for a collection, each third frame",
            told(Scheme::So) <= 0.5,
            figures,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_lasts_from_the_request_to_the_owner_and_told_is_not_set() {
        let mut found = Contention::default();
        let markers = [
            (Ps(10), Marker::SemaphoreAsked, 0),
            (Ps(25), Marker::SemaphoreOwned, 0),
            (Ps(30), Marker::PeerTold, 1),
            (Ps(40), Marker::PeerTold, 0),
            (Ps(50), Marker::SemaphoreOwned, 0),
        ];
        found.add(markers.into_iter(), |time| time.0 as f64);
        assert_eq!(found, Contention { semaphore_clocks: 15.0, sram_clocks: 0.0, told: 2.0, events: 1.0 });
    }

    #[test]
    fn each_statement_can_hold_and_can_fail() {
        let made_up = |values: [f64; 5]| {
            let found = |told| [Contention { told, ..Contention::default() }; 2];
            Scheme::FIXED.into_iter().zip(values.map(found)).collect::<Vec<_>>()
        };
        let holds = |values| findings(&made_up(values)).iter().map(|finding| finding.holds).collect::<Vec<_>>();
        assert_eq!(holds([0.0, 0.33, 1.0, 1.0, 2.0]), [true; 3]);
        assert_eq!(holds([0.0, 0.6, 0.5, 3.0, 2.0]), [false; 3]);
    }
}
