//! What the nodes of a run returned, summed: rows of sizes, accounts of messages, equations.

use host_model::events::EventKind;
use host_model::platform::Platform;
use nic_layout::counter::{Counter, MESSAGES};
use nicscope_account::path::Operation;
use nicscope_account::results::{Restart, Row, Run, Spread, Waits};
use nicscope_scenario::error::{Error, Result, Statement};
use nicscope_scenario::failed;
use nicscope_scenario::scenario::WorkloadKind;
use sim_pins::Ps;

use crate::accounts;
use crate::cluster::{ClusterConfig, ClusterOutput};
use crate::equations::{equations, sums_of_flows};
use crate::matched_accounts;
use crate::printed;
use crate::workload::app::Totals;
use crate::workload::{NodeReport, Step};

/// Makes rows, accounts and sums of the nodes' reports. `name` is the platform's name.
///
/// # Errors
/// A node was cut off, or the log of a recorded run lacks a step of a message.
pub fn summarise(name: &str, config: &ClusterConfig, output: &ClusterOutput) -> Result<Run> {
    let platform = &config.platform;
    let reports: Vec<&NodeReport> = output
        .nodes
        .iter()
        .enumerate()
        .map(|(node, output)| output.outcome.as_ref().ok_or_else(|| failed!("node {node} was cut off")))
        .collect::<Result<_>>()?;
    let counters =
        output.nodes.iter().zip(&reports).map(|(node, report)| printed::counters(&report.totals, &node.accounting));
    let mut run = Run {
        platform: name.into(),
        core_hz: platform.core.clock_hz,
        miss_ratio: config.miss_ratio,
        rows: Vec::new(),
        hits: Vec::new(),
        misses: Vec::new(),
        acceptances: Vec::new(),
        accounts: 0,
        largest_difference_ps: 0,
        counters: counters.collect(),
        conservation: equations(output),
        simulated_ps: output.ended_at.0,
        core_cycles: output.nodes.iter().map(|node| node.core_cycles).collect(),
        flows: sums_of_flows(output),
        switches: printed::switches(output),
        restarts: reports.iter().filter_map(|report| report.restart).collect(),
        stacks: reports.iter().map(|report| report.stacks.clone()).filter(|stacks| !stacks.is_empty()).collect(),
    };
    check_restarts(&run.restarts)?;
    for index in 0..reports[0].steps.len() {
        let steps: Vec<&Step> = reports.iter().map(|report| &report.steps[index]).collect();
        let latencies = latencies(config, output, &steps, &mut run)?;
        run.rows.push(row(platform, &steps, &latencies));
    }
    Ok(run)
}

/// What ended well has arrived, and no more has arrived than was posted (INV-28).
fn check_restarts(restarts: &[Restart]) -> Result<()> {
    let [first, second] = restarts else { return Ok(()) };
    for (node, sender, receiver) in [(0, first, second), (1, second, first)] {
        let posted = sender.ended_well + sender.under_way;
        if !(sender.ended_well..=posted).contains(&receiver.arrived) {
            let text = format!(
                "node {node}: INV-28: {} messages ended well, {} more were under way, {} have arrived",
                sender.ended_well, sender.under_way, receiver.arrived
            );
            return Err(Error::broken(Statement::Invariant(28), text));
        }
    }
    Ok(())
}

/// The row of the messages of one size, from the steps of all nodes.
fn row(platform: &Platform, steps: &[&Step], latencies: &[u64]) -> Row {
    let difference = |counters: &[Counter]| -> u64 {
        let of_step = |step: &&Step| -> u64 {
            counters.iter().map(|&counter| step.after.firmware(counter) - step.before.firmware(counter)).sum()
        };
        steps.iter().map(of_step).sum()
    };
    let sent = || steps.iter().flat_map(|step| &step.sent);
    let bytes: u64 = sent().map(|message| u64::from(message.size_bytes)).sum();
    let latency_ps = Spread::of(latencies).unwrap_or(Spread { min: 0, mean: 0.0, max: 0 });
    // In a ping-pong a message has the link for itself while it is on its way. In a stream the
    // messages overlap.
    let seconds = match latencies.is_empty() {
        false => latencies.iter().sum::<u64>() as f64 / 1e12,
        true => elapsed(steps).0 as f64 / 1e12,
    };
    Row {
        size_bytes: steps[0].size_bytes,
        messages: sent().count() as u32,
        latency_ps,
        latency_core_cycles: latency_ps.mean * platform.core.clock_hz as f64 / 1e12,
        bandwidth_bits_per_s: bytes as f64 * 8.0 / seconds,
        hits: difference(&[Counter::SendHits, Counter::ReceiveHits]),
        misses: difference(&[Counter::SendMisses, Counter::ReceiveMisses, Counter::BufferMisses]),
        retransmissions: difference(&[Counter::FramesRetransmitted]),
        waits: has_waits(steps).then(|| Waits {
            timeouts: difference(&[Counter::Timeouts]),
            refusals: difference(&[Counter::RefusalsTaken]),
            early: difference(&[Counter::FirstsEarly]),
            no_buffer: steps.iter().map(|step| no_buffer(&step.after) - no_buffer(&step.before)).sum(),
            narrowed: difference(&[Counter::PathsNarrowed]),
            slowed: difference(&[Counter::PeersSlowed]),
            held: difference(&[Counter::MessagesHeld]),
        }),
    }
}

/// Whether the firmware counts what keeps messages waiting.
fn has_waits(steps: &[&Step]) -> bool {
    steps.iter().all(|step| step.after.sets.contains(&&MESSAGES))
}

fn no_buffer(totals: &Totals) -> u64 {
    totals.rtl("mac_rx_no_buffer")
}

/// The measured time of a step: the sum of its rounds; without rounds, the time from the first
/// begin of a node to the last end of a node.
fn elapsed(steps: &[&Step]) -> Ps {
    let from_first_to_last = |times: &mut dyn Iterator<Item = (Ps, Ps)>| {
        let (begin, end) = times.fold((Ps::MAX, Ps::ZERO), |(begin, end), (b, e)| (begin.min(b), end.max(e)));
        end - begin
    };
    let rounds = (0..steps[0].timed.rounds.len())
        .map(|round| from_first_to_last(&mut steps.iter().map(|step| step.timed.rounds[round])))
        .fold(Ps::ZERO, |sum, round| sum + round);
    match rounds {
        Ps::ZERO => from_first_to_last(&mut steps.iter().map(|step| (step.begin, step.end))),
        rounds => rounds,
    }
}

/// Latencies of the messages of one size, in ps. Empty if messages overlap. Adds the accounts of
/// the messages to the run.
fn latencies(config: &ClusterConfig, output: &ClusterOutput, steps: &[&Step], run: &mut Run) -> Result<Vec<u64>> {
    let sent = steps.iter().flat_map(|step| step.sent.iter().copied());
    match config.scenario.workload.kind {
        WorkloadKind::PingPong if config.record && config.scenario.has_messages() => {
            matched_accounts::latencies(config, output, steps, run)
        }
        WorkloadKind::PingPong if config.record => accounts::latencies(config, output, Operation::Write, sent, run),
        WorkloadKind::Fetch if config.record => accounts::latencies(config, output, Operation::Read, sent, run),
        // The stages of a word cannot be told from the stages of other messages. Its begin and its
        // end can.
        WorkloadKind::Bystander => sent
            .map(|message| {
                let window = message_window(output, message.sender, message.number);
                let (begin, end) = window.ok_or_else(|| failed!("word {} has no end", message.number))?;
                Ok((end - begin).0)
            })
            .collect(),
        _ => {
            let begun = steps.iter().flat_map(|step| &step.timed.begun);
            let ended = steps.iter().flat_map(|step| &step.timed.ended);
            Ok(begun.zip(ended).map(|(begun, ended)| (*ended - *begun).0).collect())
        }
    }
}

/// Begin and end of a message of node `sender`, for a window of waves: the call of the sender's
/// library, and the time when a process sees the data, or the end of its read. `None` if the log
/// lacks one of them.
pub fn message_window(output: &ClusterOutput, sender: usize, message: u32) -> Option<(Ps, Ps)> {
    let log = &output.nodes[sender].log;
    let begin = log.post(message, EventKind::PostBegin)?;
    let arrived = output.nodes.iter().find_map(|node| node.log.arrival(message, EventKind::ArrivalSeen));
    let end = arrived.or_else(|| log.post(message, EventKind::StatusSeen))?;
    Some((begin, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_without_an_arrival_is_found() {
        let node =
            |ended_well, under_way, arrived| Restart { ended_well, under_way, arrived, exchanged: 1, reset: None };
        for (arrived, holds) in [(9, false), (10, true), (14, true), (15, false)] {
            let found = check_restarts(&[node(10, 4, 7), node(7, 4, arrived)]);
            assert_eq!(found.is_ok(), holds, "{arrived}");
            if let Err(error) = found {
                assert_eq!(error.statement(), Some(Statement::Invariant(28)));
            }
        }
    }
}
