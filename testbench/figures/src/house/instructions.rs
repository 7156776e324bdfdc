//! Instructions that a message takes, counted where the core retires them: by its register
//! `minstret`, as waves of the end of a run show it.

use std::path::{Path, PathBuf};

use nicscope_run::cluster::{self, ClusterConfig};
use nicscope_run::progress::Progress;
use nicscope_run::run::{self, RunConfig};
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use sim_pins::Ps;
use wellen::simple;

use crate::measure::built_in::{config, Folder};

/// A kind of message of which instructions are counted.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// In the id of its figure.
    pub name: &'static str,
    scenario: &'static str,
    size_bytes: u32,
    platform: &'static str,
    /// Messages of an iteration.
    messages: u32,
}

impl Message {
    /// Words that wait for each other, and a stream, on each platform.
    pub const ALL: [Message; 4] = [
        Message::word("word_tigon2", "tigon2"),
        Message::word("word_lanai9", "lanai9"),
        Message::stream("stream_tigon2", "tigon2"),
        Message::stream("stream_lanai9", "lanai9"),
    ];

    const fn word(name: &'static str, platform: &'static str) -> Message {
        Message { name, scenario: "ping-pong", size_bytes: 4, platform, messages: 2 }
    }

    const fn stream(name: &'static str, platform: &'static str) -> Message {
        Message { name, scenario: "stream", size_bytes: 16_384, platform, messages: 1 }
    }
}

/// Iterations of the two runs whose difference counts: what boots, connects and warms up is in
/// both.
const ITERATIONS: [u32; 2] = [16, 48];

/// Instructions that the cores of all nodes retire for a message, with the image of the personality
/// or with the one given.
pub fn of(message: Message, personality: &str, firmware: Option<PathBuf>) -> Result<f64> {
    let [short, long] = ITERATIONS.map(|iterations| -> Result<u64> {
        let size = format!("workload.sizes_bytes={}", message.size_bytes);
        let platform = format!("platforms={}", message.platform);
        let iterations = format!("workload.iterations={iterations}");
        let personality = format!("personality={personality}");
        let set = [&*platform, &size, &iterations, &personality, "misses.ratios=0.0"];
        let config = RunConfig { firmware: firmware.clone(), ..config(message.scenario, &set)? };
        retired(&config, message)
    });
    let messages = message.messages * (ITERATIONS[1] - ITERATIONS[0]);
    Ok((long? as f64 - short? as f64) / f64::from(messages))
}

/// Instructions of a whole run, all nodes together.
fn retired(config: &RunConfig, message: Message) -> Result<u64> {
    let cluster = run::cluster_config(config, message.platform, 0.0)?;
    let progress = || Progress::new(format!("{} to be counted", message.name));
    let output = cluster::run(&cluster, &progress())?;
    let folder = Folder::new("instructions")?;
    let paths: Vec<PathBuf> = (0..output.nodes.len()).map(|node| folder.path.join(format!("node{node}.fst"))).collect();
    let from = Ps(output.ended_at.0.saturating_sub(WINDOW.0));
    let waves = Some((paths.clone(), from, output.ended_at));
    cluster::run(&ClusterConfig { waves, ..cluster }, &progress())?;
    paths.iter().map(|path| counter(path)).sum()
}

/// Waves of so much of the end are written.
const WINDOW: Ps = Ps::from_us(1);

/// The counter of retired instructions of core A.
const COUNTER: &str = "u_instret.count_q";

/// The last value of the counter in a file of waves.
fn counter(path: &Path) -> Result<u64> {
    let wrong = |what: &str| failed!("{}: {what}", path.display());
    let mut wave = simple::read(path).map_err(|error| wrong(&error.to_string()))?;
    let hierarchy = wave.hierarchy();
    let found = hierarchy.all_vars().find(|var| hierarchy[*var].full_name(hierarchy).contains(COUNTER));
    let signal = hierarchy[found.ok_or_else(|| wrong("no counter of instructions"))?].signal_ref();
    wave.load_signals(&[signal]);
    let changes = wave.get_signal(signal).ok_or_else(|| wrong("the counter has no values"))?;
    let last = changes.iter_changes().last().and_then(|(_, value)| value.to_bit_string());
    let bits = last.ok_or_else(|| wrong("the counter has no values"))?;
    u64::from_str_radix(&bits, 2).map_err(|error| wrong(&format!("the counter is {bits}: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::COMPARED;

    #[test]
    fn a_word_takes_some_hundred_instructions_and_the_same_each_time() {
        let [first, second] = [(); 2].map(|()| of(Message::ALL[0], COMPARED[0], None).unwrap());
        assert_eq!(first, second);
        assert!((100.0..2000.0).contains(&first), "{first}");
    }
}
