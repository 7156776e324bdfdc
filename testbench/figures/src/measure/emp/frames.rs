//! Bar 3: clocks that the receiving core takes for a frame.

use std::path::{Path, PathBuf};

use nic_layout::trace::Marker;
use nicscope_run::cluster::{self, ClusterConfig};
use nicscope_run::progress::Progress;
use nicscope_run::run;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use sim_pins::Ps;
use wellen::simple;

use crate::engine::{Figure, Target};
use crate::measure::built_in::{config, Folder};

pub const NOTE: &str =
    "clocks in which core A of the receiver does not sleep, in the middle of a stream of messages of 16 KB, divided by \
     the frames that arrive meanwhile: all that the core does, with matching, posts of receives and acknowledgements";

/// The receiver of the stream.
const RECEIVER: usize = 1;
/// The clock of core A, which stops while the core sleeps.
const CLOCK: &str = "TOP.nic_top.gen_core[0].u_core.u_core.clk_i";

pub fn measure() -> Result<Vec<Figure>> {
    let set = [
        "personality=emp",
        "platforms=tigon2",
        "misses.ratios=0.0",
        "workload.outstanding=2",
        "workload.sizes_bytes=16384",
        "workload.iterations=24",
    ];
    let cluster = run::cluster_config(&config("stream", &set)?, "tigon2", 0.0)?;
    let progress = || Progress::new("a stream whose frames are counted".into());
    let output = cluster::run(&ClusterConfig { record: true, ..cluster.clone() }, &progress())?;
    let frames: Vec<Ps> = output.nodes[RECEIVER]
        .log
        .markers(Ps::ZERO, Ps::MAX)
        .filter(|(_, marker, _)| *marker == Marker::ReceiveBegin)
        .map(|(at, ..)| at)
        .collect();
    let (first, last) = (frames.len() / 2, frames.len() * 3 / 4);
    let (Some(&from), Some(&to)) = (frames.get(first), frames.get(last)) else {
        return Err(failed!("the stream has no frames"));
    };
    let folder = Folder::new("frames")?;
    let paths: Vec<PathBuf> = (0..output.nodes.len()).map(|node| folder.path.join(format!("node{node}.fst"))).collect();
    cluster::run(&ClusterConfig { waves: Some((paths.clone(), from, to)), ..cluster }, &progress())?;
    let clocks = edges(&paths[RECEIVER])?;
    let value = clocks as f64 / (last - first) as f64;
    Ok(vec![Figure::new("emp.3.clocks_of_a_frame", value, "core clocks", Target::AtMost(400.0))])
}

/// Rising edges of the clock in a file of waves.
fn edges(path: &Path) -> Result<usize> {
    let wrong = |what: &str| failed!("{}: {what}", path.display());
    let mut wave = simple::read(path).map_err(|error| wrong(&error.to_string()))?;
    let hierarchy = wave.hierarchy();
    let found = hierarchy.all_vars().find(|var| hierarchy[*var].full_name(hierarchy) == CLOCK);
    let signal = hierarchy[found.ok_or_else(|| wrong("no clock of core A"))?].signal_ref();
    wave.load_signals(&[signal]);
    let changes = wave.get_signal(signal).ok_or_else(|| wrong("the clock has no values"))?;
    Ok(changes.iter_changes().filter(|(_, value)| value.to_bit_string().as_deref() == Some("1")).count())
}
