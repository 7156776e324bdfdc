//! Bar 1: the same run prints the same numbers, for any number of threads, with waves and without.

use nicscope_account::results::{Results, Run};
use nicscope_run::cluster::{self, ClusterConfig, ClusterOutput};
use nicscope_run::progress::Progress;
use nicscope_run::run::{self, Observer, RunConfig};
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use sim_pins::Ps;

use crate::engine::{Figure, Target};
use crate::measure::built_in::{config, Folder};

pub fn measure() -> Result<Vec<Figure>> {
    of(&config("ping-pong", &[])?)
}

/// How a run differs from its repetition, from the same on one thread, and from the same with
/// waves.
fn of(config: &RunConfig) -> Result<Vec<Figure>> {
    let folder = Folder::new("repeat")?;
    let mut with_waves = WithWaves { folder: &folder, differing_bytes: Ok(0) };
    let first = text(&run::observe(config, &mut with_waves)?)?;
    let again = text(&run::run(config)?)?;
    let other_threads = match config.threads {
        1 => config.scenario.nodes,
        _ => 1,
    };
    let threads = text(&run::run(&RunConfig { threads: other_threads, ..config.clone() })?)?;
    let figure = |name: &str, bytes: usize| {
        Figure::new(format!("machine.1.{name}"), bytes as f64, "differing bytes", Target::Exactly(0.0))
    };
    Ok(vec![
        figure("second_run", differing_bytes(&first, &again)),
        figure("threads", differing_bytes(&first, &threads)),
        figure("waves", with_waves.differing_bytes?),
        Figure::new("machine.1.compared", first.len() as f64, "bytes of results", Target::AtLeast(1.0)),
    ])
}

fn text(results: &Results) -> Result<String> {
    serde_json::to_string(results).map_err(|error| failed!("results: {error}"))
}

/// Bytes that are not the same at the same place, or are in one of the two only.
fn differing_bytes(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).filter(|(a, b)| a != b).count() + a.len().abs_diff(b.len())
}

/// Runs everything once more with waves of a part of it, and compares not only results but all that
/// was seen of the nodes.
struct WithWaves<'a> {
    folder: &'a Folder,
    differing_bytes: Result<usize>,
}

impl WithWaves<'_> {
    fn compare(&self, config: &ClusterConfig, output: &ClusterOutput) -> Result<usize> {
        let middle = output.ended_at.0 / 2;
        let paths = (0..output.nodes.len()).map(|node| self.folder.path.join(format!("node{node}.fst"))).collect();
        let waves = Some((paths, Ps(middle), Ps(middle) + Ps::from_us(50)));
        let watched = cluster::run(&ClusterConfig { waves, ..config.clone() }, &Progress::new("with waves".into()))?;
        Ok(differing_bytes(&seen(output), &seen(&watched)))
    }
}

impl Observer for WithWaves<'_> {
    fn done(&mut self, config: &ClusterConfig, output: &ClusterOutput, _run: &Run) {
        if let Ok(so_far) = self.differing_bytes {
            self.differing_bytes = self.compare(config, output).map(|bytes| so_far + bytes);
        }
    }
}

/// Every event, marker, probe, frame and counter of a run, as text.
fn seen(output: &ClusterOutput) -> String {
    let mut text = format!("{:?}\n", output.ended_at);
    for node in &output.nodes {
        text += &format!(
            "{:?} {:?} {:?} {:?} {} {:?}\n",
            node.log, node.frames, node.accounting, node.bus, node.core_cycles, node.outcome
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_differing_byte_counts() {
        assert_eq!(differing_bytes("abc", "abc"), 0);
        assert_eq!(differing_bytes("abc", "aXc"), 1);
        assert_eq!(differing_bytes("abc", "abcde"), 2);
    }

    #[test]
    fn a_short_run_repeats_itself() {
        let set = ["platforms=tigon2", "workload.sizes_bytes=64", "workload.iterations=2", "misses.ratios=0.0"];
        for figure in of(&config("ping-pong", &set).unwrap()).unwrap() {
            assert!(figure.ok(), "{figure:?}");
        }
    }
}
