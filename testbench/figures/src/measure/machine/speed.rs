//! Bar 5: how fast the simulation is, and what of its time is not the models'.

use std::fs;
use std::thread;

use nicscope_run::cluster::{self, ClusterConfig};
use nicscope_run::progress::Progress;
use nicscope_run::run;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use sim_nic::{Fault, Nic, NicConfig, ParameterSet, Recording};
use sim_pins::Ps;

use crate::engine::{Figure, Target};
use crate::measure::best::{processor_seconds, Best};
use crate::measure::built_in::config;

pub const NOTE: &str = "times are the best of several; what else the machine does at the same time makes them longer";

/// Best of so many: the least disturbed one.
const ROUNDS: u32 = 5;

/// The window that is traced, from the middle of the stream. Processor time advances in steps of
/// some milliseconds; without waves this takes a hundred.
const TRACED: Ps = Ps::from_us(2_000);

pub fn measure() -> Result<Vec<Figure>> {
    let config = config("stream", &["platforms=tigon2", "workload.sizes_bytes=16384", "workload.iterations=96"])?;
    let cluster = run::cluster_config(&config, "tigon2", 0.0)?;
    let progress = || Progress::new("stream on tigon2".into());
    let recorded = cluster::run(&ClusterConfig { record_inputs: true, ..cluster.clone() }, &progress())?;
    let recordings: Vec<&Recording> = recorded.nodes.iter().map(|node| &node.recording).collect();
    let differing =
        recordings.iter().filter(|recording| recording.play_bare(true).outputs != Some(recording.outputs())).count();
    let (mut pairs, mut singles) = (Best::default(), Best::default());
    let (mut pairs_bare, mut singles_bare) = (Best::default(), Best::default());
    let mut evaluations = 0;
    for _ in 0..ROUNDS {
        let run = |threads| cluster::run(&ClusterConfig { threads, ..cluster.clone() }, &progress());
        pairs.wall(|| run(recordings.len()))??;
        pairs_bare.wall(|| play_on_threads(&recordings))?;
        singles.processor(|| run(1))??;
        evaluations = singles_bare.processor(|| recordings.iter().map(|one| one.play_bare(false).evaluations).sum())?;
    }
    let cycles = recorded.nodes[0].core_cycles as f64;
    let share = |bare: &Best, whole: &Best| 100.0 * (1.0 - bare.seconds / whole.seconds);
    let mut figures = vec![
        Figure::new("machine.5.core_cycles", cycles / pairs.seconds, "core cycles/s and node", Target::AtLeast(1e6))
            .paper("128 000 to 325 000 NIC clocks/s (public synchronised simulations)"),
        Figure::new("machine.5.core_cycles_bare", cycles / pairs_bare.seconds, "core cycles/s and node", Target::None),
        Figure::new("machine.5.bare_to_whole", pairs_bare.seconds / pairs.seconds, "of the speed in C++", Target::None),
        Figure::new(
            "machine.5.rust_share",
            share(&singles_bare, &singles),
            "% of processor time",
            Target::AtMost(15.0),
        ),
        // On two threads each thread waits for the other at the end of each window. That costs time
        // but no work.
        Figure::new("machine.5.rust_and_waiting_share", share(&pairs_bare, &pairs), "% of the time", Target::None),
        Figure::new(
            "machine.5.core_cycles_processor",
            cycles * recordings.len() as f64 / singles.seconds,
            "core cycles/s of one processor",
            Target::None,
        ),
        Figure::new("machine.5.evaluations", evaluations as f64, "in the run, both nodes", Target::None),
        Figure::new("machine.5.outputs_that_differ", differing as f64, "nodes", Target::Exactly(0.0)),
    ];
    for (id, cost) in costs_of_waves(recordings[0])? {
        figures.push(Figure::new(id, cost, "times the time", Target::None));
    }
    Ok(figures)
}

/// Each recording on a thread of its own.
fn play_on_threads(recordings: &[&Recording]) {
    thread::scope(|scope| {
        for recording in recordings {
            scope.spawn(|| recording.play_bare(false));
        }
    });
}

/// How much longer a window takes with all signals written to a file, for each format of which
/// there is a build.
fn costs_of_waves(recording: &Recording) -> Result<Vec<(&'static str, f64)>> {
    let nic = |waves| Nic::new(NicConfig { waves, ..NicConfig::new(ParameterSet::Tigon2) });
    let traced = [
        ("machine.5.cost_of_fst", nic(true)),
        #[cfg(feature = "vcd")]
        ("machine.5.cost_of_vcd", Nic::with_vcd(verilated::Context::new())),
    ];
    let from = Ps(recording.end().0 / 2);
    let path = std::env::temp_dir().join(format!("nicscope-{}-cost.waves", std::process::id()));
    let plain = window_seconds(recording, from, nic(false), |_| Ok(()))?;
    let seconds = traced.map(|(id, nic)| (id, window_seconds(recording, from, nic, |nic| nic.open_waves(&path))));
    let _ = fs::remove_file(&path);
    seconds.into_iter().map(|(id, seconds)| Ok((id, seconds? / plain))).collect()
}

/// Processor time from `from` on for the length of the window, with `begin` ahead of it.
fn window_seconds(
    recording: &Recording,
    from: Ps,
    nic: std::result::Result<Nic, Fault>,
    mut begin: impl FnMut(&mut Nic) -> std::result::Result<(), Fault>,
) -> Result<f64> {
    let failed = |fault: Fault| failed!("{fault}");
    let mut nic = nic.map_err(failed)?;
    let (mut start, mut end) = (None, None);
    recording
        .play_on(&mut nic, |nic, at| {
            if start.is_none() && at >= from {
                begin(nic)?;
                start = Some(processor_seconds());
            } else if end.is_none() && at >= from + TRACED {
                nic.close_waves()?;
                end = Some(processor_seconds());
            }
            Ok(())
        })
        .map_err(failed)?;
    match (start, end) {
        (Some(start), Some(end)) => Ok(end? - start?),
        _ => Err(failed!("the recording ends before the window")),
    }
}
