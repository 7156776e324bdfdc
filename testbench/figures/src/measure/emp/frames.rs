//! Bar 3: clocks that the receiving core takes for a frame.

use std::path::{Path, PathBuf};

use nic_layout::trace::Marker;
use nicscope_run::cluster::{self, ClusterConfig};
use nicscope_run::progress::Progress;
use nicscope_run::run;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use nicscope_scenario::scenario::Matching;
use sim_pins::Ps;
use wellen::simple;

use super::super::messages::matching::{clocks, Case};
use crate::engine::{Figure, Target};
use crate::measure::built_in::{config, Folder};

pub const NOTE: &str =
    "clocks in which core A of the receiver does not sleep, in the middle of a stream of messages of 16 KB, divided by \
     the frames that arrive meanwhile: all that the core does, with matching, posts of receives and acknowledgements. \
     match_hashed: the longest search of those that are listed, without what comes before it";

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
    let awake = edges(&paths[RECEIVER])?;
    let value = awake as f64 / (last - first) as f64;
    let (none, many) = (match_clocks(0)?, match_clocks(MANY)?);
    let an_entry = (many - none) / f64::from(MANY);
    Ok([
        Figure::new("emp.3.clocks_of_a_frame", value, "core clocks", Target::AtMost(400.0)),
        Figure::new("emp.3.match_first", none, "core clocks", Target::None),
        Figure::new("emp.3.match_behind_400", many, "core clocks", Target::None),
        Figure::new("emp.3.clocks_of_an_entry", an_entry, "core clocks", Target::AtMost(8.0)),
    ]
    .into_iter()
    .chain(hashed(none - an_entry)?)
    .collect())
}

/// The hashed search. `before`: clocks from the frame taken to the begin of the search.
fn hashed(before: f64) -> Result<Vec<Figure>> {
    let of = |others, is_mixed| clocks(Case { search: Matching::Hashed, others, is_mixed });
    let rows = [("0", of(0, false)?), ("400", of(MANY, false)?), ("400_mixed", of(MANY, true)?)];
    let (mut figures, mut longest) = (Vec::new(), 0_f64);
    for (others, row) in rows {
        // From the frame taken to the receive found.
        for (kind, value) in ["first", "last", "open"].into_iter().zip(row) {
            longest = longest.max(value);
            figures.push(Figure::new(format!("emp.3.hashed_{kind}_{others}"), value, "core clocks", Target::None));
        }
    }
    figures.push(Figure::new("emp.3.match_hashed", longest - before, "core clocks", Target::AtMost(120.0)));
    Ok(figures)
}

/// Receives that the search walks past.
const MANY: u32 = 400;

/// Mean clocks from a frame that is taken to its receive that is found, behind so many others.
fn match_clocks(posted_ahead: u32) -> Result<f64> {
    let ahead = format!("emp.posted_ahead={posted_ahead}");
    let set = [
        "personality=emp",
        "platforms=tigon2",
        "misses.ratios=0.0",
        "workload.sizes_bytes=10",
        "workload.iterations=20",
        &ahead,
    ];
    let cluster = run::cluster_config(&config("ping-pong", &set)?, "tigon2", 0.0)?;
    let clock_hz = cluster.platform.core.clock_hz as f64;
    let progress = Progress::new(format!("matching behind {posted_ahead} receives"));
    let output = cluster::run(&ClusterConfig { record: true, ..cluster }, &progress)?;
    let (mut clocks, mut messages) = (0.0, 0);
    for node in &output.nodes {
        let mut taken = Ps::ZERO;
        for (at, marker, _) in node.log.markers(Ps::ZERO, Ps::MAX) {
            if marker == Marker::ReceiveBegin {
                taken = at;
            } else if marker == Marker::MessageMatched {
                clocks += (at - taken).0 as f64 * clock_hz / 1e12;
                messages += 1;
            }
        }
    }
    match messages {
        0 => Err(failed!("no message was matched")),
        _ => Ok(clocks / f64::from(messages)),
    }
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
