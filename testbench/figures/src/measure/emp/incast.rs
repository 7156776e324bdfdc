//! Bar 6: many nodes that send to one.

use nicscope_run::run;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;

use crate::engine::{Figure, Target};
use crate::measure::built_in::config;

pub const NOTE: &str =
    "tigon2, one core, behind a store-and-forward switch with 128 KB for each port, messages of 16 KB, \
     four posted by each sender, 40 from each; counts are of all nodes, divided by the messages";

/// Nine tenths of what the wire carries of data.
const TARGET_MBITS_PER_S: f64 = 0.9 * 966.2;

pub fn measure() -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for (senders, flow_control, target) in [
        (3, false, Target::AtLeast(TARGET_MBITS_PER_S)),
        (7, false, Target::AtLeast(TARGET_MBITS_PER_S)),
        (3, true, Target::None),
        (7, true, Target::None),
    ] {
        figures.extend(incast(senders, flow_control, target)?);
    }
    Ok(figures)
}

fn incast(senders: u32, flow_control: bool, target: Target) -> Result<Vec<Figure>> {
    let (nodes, flow) = (format!("nodes={}", senders + 1), format!("emp.flow_control={flow_control}"));
    let set = [
        "personality=emp",
        "platforms=tigon2",
        "misses.ratios=0.0",
        "workload.sizes_bytes=16384",
        "workload.iterations=40",
        &nodes,
        &flow,
    ];
    let results = run::run(&config("incast", &set)?)?;
    results.check()?;
    let run = results.runs.first().ok_or_else(|| failed!("incast has no run"))?;
    let row = run.rows.first().ok_or_else(|| failed!("incast has no row"))?;
    let waits = row.waits.ok_or_else(|| failed!("incast counts no waits"))?;
    let name = format!("emp.6.incast_{senders}{}", if flow_control { "_flow_control" } else { "" });
    let dropped: u64 = run.switches.iter().flatten().map(|port| port["dropped_tail"]).sum();
    let all: u64 = run.flows.iter().map(|flow| flow.messages).sum();
    let each = |what: &str, count: u64, messages: u64| {
        Figure::new(format!("{name}_{what}"), count as f64 / messages as f64, "of a message", Target::None)
    };
    let measured = row.messages.into();
    Ok(vec![
        Figure::new(name.clone(), row.bandwidth_bits_per_s / 1e6, "Mb/s", target),
        each("frames_again", row.retransmissions, measured),
        each("timeouts", waits.timeouts, measured),
        each("no_buffer", waits.no_buffer, measured),
        // The warm-up is in it: a switch counts a whole run.
        each("dropped_by_the_switch", dropped, all),
    ])
}
