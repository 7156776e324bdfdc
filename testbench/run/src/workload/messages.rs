//! Processes that send messages which their posts carry, and compare the bytes that come back.
//!
//! A personality says with [`Messages`] how a message is posted, and how the process finds what has
//! come back. Everything else is the same for all: the order of messages, waits, comparisons,
//! steps, and their times.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::atomic::Ordering;

use host_model::executor::Sim;
use host_model::library::{Process, WriteHandle};
use nic_layout::post::{PostDescriptor, CARRIED_AT, POST_DESCRIPTOR_BYTES, POST_QUEUE_ENTRIES};
use nicscope_scenario::error::{Error, Result, Statement};
use nicscope_scenario::scenario::{Scenario, WorkloadKind};
use nicscope_scenario::{failed, request_error};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sim_pins::Ps;

use super::app::{pattern, Totals};
use super::{Message, NodeReport, Note, Playing, Step, Timed, Work};
use crate::meeting::Meeting;
use crate::node::Handle;

/// Time after which a missing message is an error: much longer than a retransmission takes.
const GIVE_UP: Ps = Ps::from_us(200_000);

/// The messages of a personality whose posts carry their data.
pub trait Messages: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// Bytes of the longest message.
    const BYTES_MAX: u32;

    /// The post of a message to a node. `bytes` has at most [`Messages::BYTES_MAX`] bytes.
    fn post(node: usize, message: u32, bytes: &[u8]) -> PostDescriptor;

    /// Whether the message has come back, and its bytes stand in the descriptor. `operation` is the
    /// operation in the descriptor as the NIC has left it.
    fn has_returned(operation: u8) -> bool;
}

/// Checks that the messages of a scenario fit their posts.
///
/// # Errors
/// A size is larger than [`Messages::BYTES_MAX`].
pub fn check<M: Messages>(scenario: &Scenario) -> Result<()> {
    let most = M::BYTES_MAX;
    match scenario.workload.sizes_bytes.iter().find(|size| **size > most) {
        Some(size) => Err(request_error!(
            "workload.sizes_bytes: {size}: a post of personality {:?} carries at most {most} bytes, as with --set workload.sizes_bytes=[4,{most}]",
            scenario.personality.name
        )),
        None => Ok(()),
    }
}

/// A process, and its messages that have not come back.
pub struct Sender<M> {
    process: Process<()>,
    under_way: VecDeque<(WriteHandle, Vec<u8>)>,
    messages: PhantomData<M>,
}

impl<M: Messages> Sender<M> {
    /// Opens the NIC for a new process.
    ///
    /// # Errors
    /// The driver refuses the process.
    pub async fn open(handle: &Handle) -> Result<Sender<M>> {
        let process = handle.open_with("application").await.map_err(|error| failed!("{error}"))?;
        Ok(Sender { process, under_way: VecDeque::new(), messages: PhantomData })
    }

    /// Ends the process, whatever is under way.
    ///
    /// # Errors
    /// The driver fails.
    pub async fn close(&self) -> Result<()> {
        self.process.close().await.map_err(|error| failed!("{error}"))
    }

    /// Sends message number `message`, whose bytes are those of [`pattern`], to a node.
    ///
    /// # Errors
    /// The library refuses the post.
    pub async fn send(&mut self, node: usize, message: u32, size_bytes: u32) -> Result<()> {
        let bytes = pattern(message, size_bytes);
        let posted = self.process.post_entries(&M::post(node, message, &bytes), &[], size_bytes).await;
        self.under_way.push_back((posted.map_err(|error| failed!("message {message}: {error}"))?, bytes));
        Ok(())
    }

    /// Changes a byte that the oldest message is compared with: a defect that tests plant.
    pub fn spoil(&mut self) {
        if let Some(byte) = self.under_way.front_mut().and_then(|(_, bytes)| bytes.first_mut()) {
            *byte = !*byte;
        }
    }

    /// Waits until at most `most` messages are under way. Compares each byte of the others.
    ///
    /// # Errors
    /// A post ends with an error, a message does not come back, or a byte is wrong (INV-27).
    pub async fn wait(&mut self, sim: &Sim, most: usize) -> Result<()> {
        while self.under_way.len() > most {
            let Some((post, bytes)) = self.under_way.pop_front() else { break };
            let failed = |error: &dyn Debug| failed!("message {}: {error:?}", post.message);
            let broken = |what: &str| {
                let statement = Statement::Invariant(27);
                Error::broken(statement, format!("{statement}: message {} {what}", post.message))
            };
            self.process.wait(post).await.map_err(|error| failed(&error))?;
            let give_up = sim.now() + GIVE_UP;
            let entry = post.index % POST_QUEUE_ENTRIES * POST_DESCRIPTOR_BYTES;
            let mut found = Vec::new();
            while !found.first().is_some_and(|operation| M::has_returned(*operation)) {
                if sim.now() > give_up {
                    return Err(broken("does not come back"));
                }
                found.clear();
                for word in (0..CARRIED_AT + bytes.len() as u32).step_by(4) {
                    let value = self.process.peek_raw(entry + word).await.map_err(|error| failed(&error))?;
                    found.extend(value.map_err(|error| failed(&error))?.to_le_bytes());
                }
            }
            let found = &found[CARRIED_AT as usize..][..bytes.len()];
            if found != bytes {
                return Err(broken(&format!("came back as {found:?}, not as {bytes:?}")));
            }
        }
        Ok(())
    }
}

/// The messages of one step: how many, and their least and greatest size in bytes.
struct Planned {
    count: usize,
    least: u32,
    most: u32,
}

/// The steps of a workload. Random messages are counted over both directions.
fn steps(scenario: &Scenario) -> Vec<Planned> {
    let workload = &scenario.workload;
    let sizes = workload.sizes_bytes.iter().copied();
    match workload.kind {
        WorkloadKind::Random => {
            let (least, most) = (sizes.clone().min().expect("checked"), sizes.max().expect("checked"));
            vec![Planned { count: workload.iterations.div_ceil(2) as usize, least, most }]
        }
        _ => sizes.map(|size| Planned { count: workload.iterations as usize, least: size, most: size }).collect(),
    }
}

/// Sends the messages of the scenario to the peer, and compares what comes back.
///
/// # Errors
/// The task fails if an operation of the process fails, or a message does not come back as it was
/// sent (INV-27).
pub fn play<M: Messages>(work: Work, handle: Handle, meeting: Meeting<Note>) -> Playing {
    Box::pin(run::<M>(work, handle, meeting))
}

async fn run<M: Messages>(work: Work, handle: Handle, meeting: Meeting<Note>) -> Result<NodeReport> {
    let Work { node, scenario, seed, messages, .. } = work;
    let totals = async || Totals::read(&handle).await.map_err(|error| failed!("node {node}: {error}"));
    let mut sender = Sender::<M>::open(&handle).await?;
    let (outstanding, peer, sim) = (scenario.workload.outstanding as usize, scenario.peer(node), handle.sim().clone());
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(node as u64 + 1);
    let (mut done, mut number) = (Vec::new(), node as u32);
    for Planned { count, least, most } in steps(&scenario) {
        meeting.exchange(&format!("step {}", done.len()), Note::Here).await;
        let before = totals().await?;
        let (begin, mut sent, mut timed) = (sim.now(), Vec::new(), Timed::default());
        for turn in 0..count + outstanding {
            if turn >= outstanding {
                sender.wait(&sim, (outstanding - 1).min(count + outstanding - 1 - turn)).await?;
                timed.ended.push(sim.now());
                messages.fetch_add(1, Ordering::Relaxed);
            }
            if turn < count {
                let size_bytes = least + random.next_u32() % (most - least + 1);
                timed.begun.push(sim.now());
                sender.send(peer, number, size_bytes).await?;
                sent.push(Message { number, size_bytes, sender: node });
                number += scenario.nodes as u32;
            }
        }
        let end = sim.now();
        let after = totals().await?;
        let size_bytes = if least == most { least } else { 0 };
        done.push(Step { size_bytes, sent, begin, end, before, after, timed });
    }
    meeting.exchange("end", Note::Here).await;
    let compared = done.iter().map(|step| step.sent.len() as u64).sum();
    Ok(NodeReport { steps: done, compared, ..NodeReport::at_rest(node, &handle).await? })
}
