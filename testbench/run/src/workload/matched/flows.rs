//! Messages between any nodes at once: from each to all others, from all to one, or round a ring.
//!
//! A process keeps receives posted for each of its senders, and some messages under way to each of
//! its receivers. It looks at all of them in turn, so that no flow waits for another.

use std::collections::VecDeque;

use nicscope_scenario::error::Result;

use super::side::{Posted, Side};
use super::slots::Slots;
use crate::workload::step::{Done, Timed};
use host_model::library::emp::Transfer;

/// The messages to one node, or from one node.
struct Flow<T> {
    /// The other node.
    node: usize,
    /// Its place among the flows of this direction, which decides what memory it has.
    index: u32,
    /// Messages that were posted, and those that have ended.
    posted: u32,
    ended: u32,
    waiting: VecDeque<T>,
}

fn flows<T>(nodes: Vec<usize>) -> Vec<Flow<T>> {
    let flow = |(index, node): (usize, usize)| Flow {
        node,
        index: index as u32,
        posted: 0,
        ended: 0,
        waiting: VecDeque::new(),
    };
    nodes.into_iter().enumerate().map(flow).collect()
}

impl Side {
    /// Plays `count` messages of each flow. The time is from the first post of a node, when all
    /// receives stand, until each node has compared all bytes and knows that its messages were
    /// accepted.
    pub(super) async fn flows(&mut self, size: u32, count: u32, from: &Slots, to: &Slots) -> Result<Done> {
        let mut sends: Vec<Flow<Transfer>> = flows(self.scenario.receivers(self.node));
        let mut receives: Vec<Flow<Posted>> = flows(self.scenario.senders(self.node));
        // Memory in equal shares.
        let sends_of_each = (from.count / sends.len().max(1) as u32).min(self.scenario.workload.outstanding);
        let receives_of_each = to.count / receives.len().max(1) as u32;
        for _ in 0..receives_of_each.min(count) {
            for flow in &mut receives {
                self.post_flow(flow, size, receives_of_each, to).await?;
            }
        }
        self.meet("receives are posted").await;
        let (begin, mut sent) = (self.now(), Vec::new());
        while sends.iter().any(|flow| flow.ended < count) || receives.iter().any(|flow| flow.ended < count) {
            for flow in &mut sends {
                if let Some(oldest) = flow.waiting.front() {
                    if self.has_ended(oldest).await? {
                        flow.ended += 1;
                        let oldest = flow.waiting.pop_front();
                        oldest.into_iter().for_each(|oldest| self.process.free(oldest));
                        self.count_sent(flow.node, size);
                    }
                }
                if flow.posted < count && flow.posted - flow.ended < sends_of_each {
                    let number = self.next_of_flow(self.node, flow.node);
                    let at = from.at(flow.index * sends_of_each + flow.posted % sends_of_each);
                    sent.push(self.fill(number, size, at)?);
                    flow.waiting.push_back(self.post_send(flow.node, size, at).await?);
                    flow.posted += 1;
                }
            }
            for flow in &mut receives {
                let Some((oldest, _)) = flow.waiting.front() else { continue };
                if !self.has_ended(oldest).await? {
                    continue;
                }
                flow.ended += 1;
                let number = self.next_of_flow(flow.node, self.node);
                if let Some(oldest) = flow.waiting.pop_front() {
                    self.take(oldest, number, size)?;
                }
                self.flows.compared.entry(flow.node).or_default().add(size);
                if flow.posted < count {
                    self.post_flow(flow, size, receives_of_each, to).await?;
                }
            }
        }
        Ok(Done { sent, timed: Timed { rounds: vec![(begin, self.now())], ..Timed::default() } })
    }

    /// Posts the next receive of a flow, which has the share of its index of the memory.
    async fn post_flow(&mut self, flow: &mut Flow<Posted>, size: u32, share: u32, to: &Slots) -> Result<()> {
        let at = to.at(flow.index * share + flow.posted % share);
        flow.waiting.push_back(self.post_receive(flow.node, size, at).await?);
        flow.posted += 1;
        Ok(())
    }

    fn count_sent(&mut self, to: usize, size: u32) {
        self.flows.sent.entry(to).or_default().add(size);
        self.messages.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }

    /// The number of the next message of a flow, unique in the run. Both ends count alike.
    fn next_of_flow(&mut self, sender: usize, receiver: usize) -> u32 {
        let next = self.next_of.entry((sender, receiver)).or_default();
        let index = *next;
        *next += 1;
        self.number(sender, index * self.nodes + receiver as u32)
    }
}
