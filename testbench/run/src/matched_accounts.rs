//! Accounts of messages that the NIC matches, in a ping-pong of fact E-54.
//!
//! The time of a message begins when the message before it was seen: so the accounts of a round
//! trip add up to its time. The first process of a pair also posts its receive in that time.

use nicscope_account::account::Account;
use nicscope_account::path::Operation;
use nicscope_account::results::Run;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use sim_pins::Ps;

use crate::accounts::{count, Accountant, Kept, Made};
use crate::cluster::{ClusterConfig, ClusterOutput};
use crate::workload::{Message, Step};

/// Half of a round trip is the latency of each of its two messages, in ps. Adds the accounts of the
/// messages of one size to the run.
pub(crate) fn latencies(
    config: &ClusterConfig,
    output: &ClusterOutput,
    steps: &[&Step],
    run: &mut Run,
) -> Result<Vec<u64>> {
    let accountant = Accountant::new(config, output);
    let (mut kept, mut acceptances) = (Kept::default(), Vec::new());
    let mut latencies = Vec::new();
    for trip in trips(steps) {
        let there = accountant.account(trip.there, Operation::Message, Some(trip.begin))?;
        let back = accountant.account(trip.back, Operation::Message, None)?;
        let whole = trip.end - trip.begin;
        let sum = there.account.latency_ps + back.account.latency_ps;
        count(run, i128::from(whole.0) - i128::from(sum));
        for Made { account, missed } in [there, back] {
            count(run, account.difference_ps());
            kept.add(Made { account, missed });
        }
        for message in [trip.there, trip.back] {
            let Made { account, .. } = accountant.account(message, Operation::Acceptance, None)?;
            count(run, account.difference_ps());
            acceptances.push(account);
        }
        latencies.extend([trip.half.0, whole.0 - trip.half.0]);
    }
    let shown = kept.put(run);
    run.acceptances.extend(acceptances.into_iter().find(|account| Some(account.message) == shown));
    Ok(latencies)
}

/// All accounts of the messages of a run until their receivers have seen them.
///
/// # Errors
/// A node was cut off, or the log lacks a step of a message.
pub fn all(config: &ClusterConfig, output: &ClusterOutput) -> Result<Vec<Account>> {
    let reports = output.nodes.iter().map(|node| node.outcome.as_ref().ok_or_else(|| failed!("a node was cut off")));
    let reports: Vec<_> = reports.collect::<Result<_>>()?;
    let accountant = Accountant::new(config, output);
    let mut accounts = Vec::new();
    for index in 0..reports[0].steps.len() {
        let steps: Vec<&Step> = reports.iter().map(|report| &report.steps[index]).collect();
        for trip in trips(&steps) {
            accounts.push(accountant.account(trip.there, Operation::Message, Some(trip.begin))?.account);
            accounts.push(accountant.account(trip.back, Operation::Message, None)?.account);
        }
    }
    Ok(accounts)
}

/// A message and its answer.
struct Trip {
    there: Message,
    back: Message,
    begin: Ps,
    end: Ps,
    /// Half of the time.
    half: Ps,
}

/// The round trips of all pairs of nodes.
fn trips<'a>(steps: &'a [&'a Step]) -> impl Iterator<Item = Trip> + 'a {
    steps.chunks_exact(2).flat_map(|pair| {
        let times = pair[0].timed.begun.chunks_exact(2).zip(pair[0].timed.ended.chunks_exact(2));
        pair[0].sent.iter().zip(&pair[1].sent).zip(times).map(|((there, back), (begun, ended))| Trip {
            there: *there,
            back: *back,
            begin: begun[0],
            end: ended[1],
            half: ended[0] - begun[0],
        })
    })
}
