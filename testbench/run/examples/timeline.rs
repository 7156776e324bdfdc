//! What the nodes of a run did between two times: markers of the firmware, probes of the hardware,
//! frames on the wire, events of the hosts. A line has the time in us, the clocks of an 88 MHz core
//! since the node's line before it, and the node.
//!
//! ```sh
//! cargo run --release -p nicscope-run --example timeline -- \
//!     both-ways 5000 5100 'workload.sizes_bytes=[16384]' workload.iterations=6
//! ```

use nic_layout::trace;
use nicscope_run::cluster::{self, ClusterConfig};
use nicscope_run::progress::Progress;
use nicscope_run::run::{cluster_config, RunConfig, DEFAULT_SEED};
use nicscope_scenario::scenario;

const CLOCKS_PER_PS: f64 = 88e-6;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, from, to, overrides @ ..] = arguments.as_slice() else {
        return Err("usage: timeline SCENARIO FROM_US TO_US [KEY=VALUE ...]".into());
    };
    let (from, to): (f64, f64) = (from.parse()?, to.parse()?);
    let scenario = scenario::load(name, overrides)?;
    let platform = scenario.platforms[0].clone();
    let config = RunConfig { scenario, seed: DEFAULT_SEED, threads: 2, firmware: None };
    let cluster = ClusterConfig { record: true, ..cluster_config(&config, &platform, 0.0)? };
    let output = cluster::run(&cluster, &Progress::new(name.clone()))?;
    let mut lines: Vec<(u64, usize, String)> = Vec::new();
    for (index, node) in output.nodes.iter().enumerate() {
        let log = &node.log;
        for (core, words) in [("firmware", &log.trace), ("core B  ", &log.trace_b)] {
            let markers = words.iter().filter_map(|(at, word)| Some((at.0, trace::parse(*word)?)));
            lines.extend(markers.map(|(at, (marker, what))| (at, index, format!("{core} {} {what}", marker.name()))));
        }
        lines.extend(log.probes.iter().map(|(at, bits)| (at.0, index, format!("probe    {bits:#x}"))));
        let frames = log.sent.iter().map(|frame| (frame.start.0, frame.contents.len()));
        lines.extend(frames.map(|(at, bytes)| (at, index, format!("wire     a frame of {bytes} bytes begins"))));
        lines.extend(log.host.iter().map(|event| (event.at.0, index, format!("host     {:?}", event.kind))));
    }
    lines.sort();
    let mut last = vec![0; output.nodes.len()];
    for (at, node, what) in lines {
        let us = at as f64 / 1e6;
        if (from..=to).contains(&us) {
            let clocks = (at - last[node]) as f64 * CLOCKS_PER_PS;
            println!("{us:10.3} {clocks:6.0}  node {node} {what}");
        }
        last[node] = at;
    }
    Ok(())
}
