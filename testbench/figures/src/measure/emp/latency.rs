//! Bar 1: latency of a short message, and the spans of which it consists.

use nic_layout::trace::Marker;
use nicscope_account::log::{NodeLog, Probe};
use nicscope_run::cluster::{self, ClusterConfig};
use nicscope_run::progress::Progress;
use nicscope_run::run;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use sim_pins::Ps;

use crate::engine::{Figure, Target};
use crate::measure::built_in::config;

pub const NOTE: &str =
    "tigon2, one core, 10 bytes, half of a round trip by fact E-54. Spans are means of the messages \
     of that run; the time between two messages is the host's, and the next receive is posted in it";

const ITERATIONS: u32 = 60;
const SET: [&str; 4] = ["personality=emp", "platforms=tigon2", "misses.ratios=0.0", "workload.sizes_bytes=10"];

pub fn measure() -> Result<Vec<Figure>> {
    let thesis = "24.31 us (thesis), 23 us (first publication)";
    let mut figures = vec![
        Figure::new("emp.1.latency", latency_us("once")?, "us", Target::AtMost(10.0)).paper(thesis),
        Figure::new("emp.1.latency_each_post", latency_us("each-post")?, "us", Target::None).paper(thesis),
        Figure::absent("emp.1.latency_two_cores", "us", Target::AtMost(9.0)).paper("22.62 us (thesis)"),
    ];
    figures.extend(spans()?);
    Ok(figures)
}

/// Mean latency. `translate`: when the library asks for physical addresses.
fn latency_us(translate: &str) -> Result<f64> {
    let (iterations, translate) = (format!("workload.iterations={ITERATIONS}"), format!("emp.translate={translate}"));
    let results = run::run(&config("ping-pong", &[&SET[..], &[&*iterations, &*translate]].concat())?)?;
    results.check()?;
    let row = results.runs.iter().flat_map(|run| &run.rows).next();
    row.map(|row| row.latency_ps.mean / 1e6).ok_or_else(|| failed!("ping-pong has no row"))
}

/// Where the time of a message goes.
fn spans() -> Result<Vec<Figure>> {
    let iterations = format!("workload.iterations={ITERATIONS}");
    let cluster = run::cluster_config(&config("ping-pong", &[&SET[..], &[&*iterations]].concat())?, "tigon2", 0.0)?;
    let output = cluster::run(&ClusterConfig { record: true, ..cluster }, &Progress::new("spans of messages".into()))?;
    let logs: Vec<&NodeLog> = output.nodes.iter().map(|node| &node.log).collect();
    let [one, other] = logs[..] else { return Err(failed!("ping-pong has not two nodes")) };
    let mut messages: Vec<[Ps; STEPS]> = messages(one, other).chain(messages(other, one)).collect();
    messages.sort();
    // The warm-up is not measured, and the last message is followed by none.
    let measured = messages.len().saturating_sub(2 * ITERATIONS as usize);
    let pairs: Vec<&[[Ps; STEPS]]> = messages[measured.min(messages.len())..].windows(2).collect();
    let mean = |of: &dyn Fn(&[[Ps; STEPS]]) -> Ps| {
        pairs.iter().map(|pair| of(pair).0 as f64 / 1e6).sum::<f64>() / pairs.len().max(1) as f64
    };
    let mut figures: Vec<Figure> = SPANS
        .iter()
        .enumerate()
        .map(|(step, name)| {
            let value = mean(&|pair| pair[0][step + 1] - pair[0][step]);
            Figure::new(format!("emp.1.span_{name}"), value, "us", Target::None)
        })
        .collect();
    let host = mean(&|pair| pair[1][0] - pair[0][STEPS - 1]);
    figures.push(Figure::new("emp.1.span_host", host, "us", Target::None));
    Ok(figures)
}

const STEPS: usize = 9;

/// What lies between the steps.
const SPANS: [&str; STEPS - 1] = [
    "mailbox_to_post_read",
    "post_read_to_frame",
    "frame_to_wire",
    "wire",
    "frame_taken",
    "match",
    "to_host_memory",
    "to_done",
];

/// The steps of each message from one node to another: the write of the mailbox, the descriptor
/// read, the frame in the ring, its first byte on the wire, its arrival, the frame taken, the
/// receive found, the data in host memory, the end of the receive.
fn messages<'a>(from: &'a NodeLog, to: &'a NodeLog) -> impl Iterator<Item = [Ps; STEPS]> + 'a {
    let first = |log: &'a NodeLog, marker: Marker, since: Ps| {
        log.markers(since, Ps::MAX).find(|(_, found, _)| *found == marker).map(|(at, ..)| at)
    };
    let posts = from.markers(Ps::ZERO, Ps::MAX).filter(|(_, marker, _)| *marker == Marker::PostRead);
    posts.filter_map(move |(post_read, ..)| {
        let mailbox = from.last_pulse(Probe::Mailbox, post_read)?;
        let framed = first(from, Marker::TransmitPosted, post_read)?;
        let wire = from.sent.iter().map(|frame| frame.start).find(|start| *start >= framed)?;
        let arrived = to.first_pulse(Probe::MacRxDone, wire)?;
        let taken = first(to, Marker::ReceiveBegin, arrived)?;
        let matched = first(to, Marker::MessageMatched, taken)?;
        let written = to.first_pulse(Probe::DmaWriteDone, matched)?;
        let received = first(to, Marker::MessageReceived, written)?;
        Some([mailbox, post_read, framed, wire, arrived, taken, matched, written, received])
    })
}
