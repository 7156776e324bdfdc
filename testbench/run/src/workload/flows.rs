//! Messages between any nodes at once: from each to all others, from all to one, or round a ring.
//!
//! Messages go in rounds. Before a round, each receiver puts other bytes where messages are
//! expected. In a round, each sender posts to its receivers in turn, and keeps `outstanding` posts
//! to each of them; then each receiver waits for every message of the round and compares every
//! byte. No place is written twice in a round, so no message can cover an earlier one.

use std::collections::VecDeque;

use host_model::library::WriteHandle;
use nicscope_scenario::error::Result;
use nicscope_scenario::request_error;
use nicscope_scenario::scenario::Scenario;

use super::app::{App, Target};
use super::places::AREA_BYTES;
use super::step::{measure, Done, Step};

/// Bytes of an area for one of `flows` flows. A receiver divides its area among its senders, and a
/// sender divides its own among its receivers.
fn share_bytes(flows: usize) -> u32 {
    AREA_BYTES / flows.max(1) as u32 / 64 * 64
}

/// Checks that a flow's share of an area holds the largest message.
///
/// # Errors
/// A size is too large. The text names the largest size that is not.
pub fn check(scenario: &Scenario) -> Result<()> {
    let flows = |node| scenario.senders(node).len().max(scenario.receivers(node).len());
    let most = share_bytes((0..scenario.nodes).map(flows).max().unwrap_or(0));
    match scenario.workload.sizes_bytes.iter().find(|size| **size > most) {
        Some(size) if scenario.workload.kind.has_flows() => Err(request_error!(
            "workload.sizes_bytes: {size}: must be at most {most} with workload.kind = {:?} and nodes = {}",
            scenario.workload.kind.name(),
            scenario.nodes
        )),
        _ => Ok(()),
    }
}

/// All messages of one size.
pub async fn step(app: &mut App, size_bytes: u32) -> Result<Step> {
    measure(app, size_bytes, async |app: &mut App, count, _measured| rounds(app, size_bytes, count).await).await
}

async fn rounds(app: &mut App, size_bytes: u32, count: u32) -> Result<Done> {
    let most = (0..app.scenario.nodes).map(|node| app.scenario.senders(node).len()).max().unwrap_or(0);
    let of_a_round = share_bytes(most) / size_bytes.next_multiple_of(64);
    let mut done = Done::default();
    let mut first = 0;
    while first < count {
        let messages = of_a_round.min(count - first);
        round(app, size_bytes, messages, &mut done).await?;
        first += messages;
    }
    Ok(done)
}

/// One round: `count` messages from each sender to each of its receivers.
async fn round(app: &mut App, size_bytes: u32, count: u32, done: &mut Done) -> Result<()> {
    let (node, slot_bytes) = (app.node, size_bytes.next_multiple_of(64));
    let receivers = app.scenario.receivers(node);
    let base = app.posted_to_each;
    app.posted_to_each += count;
    // What arrives here: sender, number and place.
    let mut expected = Vec::new();
    for k in 0..count {
        for (index, sender) in app.scenario.senders(node).into_iter().enumerate() {
            let (number, slot) = (flow_number(app, sender, node, base + k), place(app, node, index, k * slot_bytes));
            app.clear(number, size_bytes, app.places.hot(slot))?;
            expected.push((sender, number, app.places.hot(slot)));
        }
    }
    app.meet("round").await;
    let begin = app.now();
    let mut posted: Vec<VecDeque<WriteHandle>> = receivers.iter().map(|_| VecDeque::new()).collect();
    let room = share_bytes(receivers.len()) / slot_bytes;
    let outstanding = app.scenario.workload.outstanding.min(room);
    for k in 0..count {
        for (index, &receiver) in receivers.iter().enumerate() {
            if posted[index].len() as u32 == outstanding {
                let oldest = posted[index].pop_front().expect("posts are outstanding");
                app.wait(oldest).await?;
            }
            let from = app.places.send(index as u32 * share_bytes(receivers.len()) + k % outstanding * slot_bytes);
            let own = app.scenario.senders(receiver).iter().position(|sender| *sender == node);
            let slot = place(app, receiver, own.expect("the flow has two ends"), k * slot_bytes);
            let to = Target { node: Some(receiver), ..app.places.hot(slot).into() };
            let (message, handle) = app.send(size_bytes, from, to).await?;
            posted[index].push_back(handle);
            app.flows.sent.entry(receiver).or_default().add(size_bytes);
            done.sent.push(message);
        }
    }
    for handle in posted.into_iter().flatten() {
        app.wait(handle).await?;
    }
    for (sender, number, at) in expected {
        app.receive(number, size_bytes, at).await?;
        app.flows.compared.entry(sender).or_default().add(size_bytes);
    }
    done.timed.rounds.push((begin, app.now()));
    Ok(())
}

/// Offset in the area of `receiver`: `offset` in the share of its sender number `index`.
fn place(app: &App, receiver: usize, index: usize, offset: u32) -> u32 {
    index as u32 * share_bytes(app.scenario.senders(receiver).len()) + offset
}

/// The number of message `k` of a flow. A sender posts message `k` of all its flows before message
/// `k + 1` of any.
fn flow_number(app: &App, sender: usize, receiver: usize, k: u32) -> u32 {
    let receivers = app.scenario.receivers(sender);
    let index = receivers.iter().position(|other| *other == receiver).expect("the flow has two ends");
    app.number(sender, k * receivers.len() as u32 + index as u32)
}
