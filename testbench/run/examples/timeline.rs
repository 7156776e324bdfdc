//! Prints what the nodes of one platform did between two times: markers, probes, frames, host.
use nic_layout::trace;
use nicscope_run::cluster::{self, ClusterConfig};
use nicscope_run::progress::Progress;
use nicscope_run::run::{cluster_config, RunConfig};
use nicscope_scenario::scenario;

fn main() {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap();
    let (from, to): (f64, f64) = (args.next().unwrap().parse().unwrap(), args.next().unwrap().parse().unwrap());
    let overrides: Vec<String> = args.collect();
    let config = RunConfig { scenario: scenario::load(&name, &overrides).unwrap(), seed: 1, threads: 2, firmware: None };
    let platform = config.scenario.platforms[0].clone();
    let cluster = ClusterConfig { record: true, ..cluster_config(&config, &platform, 0.0).unwrap() };
    let output = cluster::run(&cluster, &Progress::new("timeline".into())).unwrap();
    let mut lines: Vec<(u64, String)> = Vec::new();
    for (index, node) in output.nodes.iter().enumerate() {
        for (at, word) in &node.log.trace {
            if let Some((marker, argument)) = trace::parse(*word) {
                lines.push((at.0, format!("{index} fw    {} {argument}", marker.name())));
            }
        }
        for (at, bits) in &node.log.probes {
            lines.push((at.0, format!("{index} probe {bits:#x}")));
        }
        for frame in &node.log.sent {
            lines.push((frame.start.0, format!("{index} wire  frame of {} bytes begins, kind {:x}", frame.contents.len(), frame.contents[14])));
        }
        for event in &node.log.host {
            lines.push((event.at.0, format!("{index} host  {:?}", event.kind)));
        }
    }
    lines.sort();
    println!("ended at {} us", output.ended_at.0 as f64 / 1e6);
    let mut last = [0u64; 2];
    for (at, line) in lines {
        let us = at as f64 / 1e6;
        if us >= from && us <= to {
            let node = if line.starts_with('0') { 0 } else { 1 };
            let since = (at - last[node]) as f64 / 1e6 * 88.0;
            println!("{us:10.3} {since:6.0}clk {}{line}", if node == 1 { "                    " } else { "" });
            last[node] = at;
        }
    }
}
