//! Processes whose messages come back: each is compared with what was sent.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;

use host_model::executor::Sim;
use host_model::library::{Process, WriteHandle};
use nic_layout::personality::echo::{DATA_BYTES_MAX, OP_ECHO, OP_ECHOED};
use nic_layout::post::{PostDescriptor, POST_DESCRIPTOR_BYTES, POST_QUEUE_ENTRIES};
use nicscope_scenario::error::{Error, Result, Statement};
use nicscope_scenario::scenario::{Scenario, WorkloadKind};
use nicscope_scenario::{failed, request_error};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sim_pins::Ps;

use crate::meeting::Meeting;
use crate::node::Handle;
use crate::workload::app::{pattern, Totals};
use crate::workload::{Message, NodeReport, Note, Playing, Step, Timed, Work};

/// Much longer than a retransmission takes.
const GIVE_UP: Ps = Ps::from_us(200_000);

/// A message fits the descriptor of its post.
pub fn check(scenario: &Scenario) -> Result<()> {
    match scenario.workload.sizes_bytes.iter().find(|size| **size > DATA_BYTES_MAX) {
        Some(size) => Err(request_error!("workload.sizes_bytes: {size}: must be at most {DATA_BYTES_MAX}")),
        None => Ok(()),
    }
}

/// A process, and its messages that have not come back.
pub struct Sender {
    process: Process<()>,
    under_way: VecDeque<(WriteHandle, Vec<u8>)>,
}

impl Sender {
    /// A new process.
    pub async fn open(handle: &Handle) -> Result<Sender> {
        let process = handle.open_with("application").await.map_err(|error| failed!("{error}"))?;
        Ok(Sender { process, under_way: VecDeque::new() })
    }

    /// Ends the process, whatever is under way.
    pub async fn close(&self) -> Result<()> {
        self.process.close().await.map_err(|error| failed!("{error}"))
    }

    /// Sends a message of at most [`DATA_BYTES_MAX`] bytes to a node.
    pub async fn send(&mut self, node: usize, message: u32, bytes: Vec<u8>) -> Result<()> {
        let mut data = [0; DATA_BYTES_MAX as usize / 4];
        for (word, bytes) in data.iter_mut().zip(bytes.chunks(4)) {
            *word = bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
        }
        let [local_address, buffer, buffer_offset, key @ ..] = data;
        let (op, destination_node, length_bytes) = (OP_ECHO, node as u16, bytes.len() as u32);
        let data = PostDescriptor { local_address, buffer, buffer_offset, key, ..PostDescriptor::default() };
        let post = PostDescriptor { op, destination_node, length_bytes, message, ..data };
        let posted = self.process.post_entries(&post, &[], length_bytes).await;
        self.under_way.push_back((posted.map_err(|error| failed!("message {message}: {error}"))?, bytes));
        Ok(())
    }

    /// Waits until so many messages at most are under way. Each byte of the others is compared.
    pub async fn wait(&mut self, sim: &Sim, most: usize) -> Result<()> {
        while self.under_way.len() > most {
            let Some((post, bytes)) = self.under_way.pop_front() else { break };
            let failed = |error: &dyn std::fmt::Debug| failed!("message {}: {error:?}", post.message);
            let broken = |what: &str| {
                let statement = Statement::Invariant(27);
                Error::broken(statement, format!("{statement}: message {} {what}", post.message))
            };
            self.process.wait(post).await.map_err(|error| failed(&error))?;
            let entry = post.index % POST_QUEUE_ENTRIES * POST_DESCRIPTOR_BYTES;
            let give_up = sim.now() + GIVE_UP;
            let mut found = vec![0];
            while found[0] != OP_ECHOED {
                if sim.now() > give_up {
                    return Err(broken("does not come back"));
                }
                found.clear();
                for word in (0..8 + bytes.len() as u32).step_by(4) {
                    let value = self.process.peek_raw(entry + word).await.map_err(|error| failed(&error))?;
                    found.extend(value.map_err(|error| failed(&error))?.to_le_bytes());
                }
            }
            if found[8..8 + bytes.len()] != bytes {
                return Err(broken(&format!("came back as {:?}, not as {bytes:?}", &found[8..])));
            }
        }
        Ok(())
    }
}

/// Sends the messages of the scenario to the peer, and compares what comes back.
pub fn play(work: Work, handle: Handle, meeting: Meeting<Note>) -> Playing {
    Box::pin(async move {
        let Work { node, scenario, seed, messages, .. } = work;
        let failed = |error: &dyn std::fmt::Display| failed!("node {node}: {error}");
        let mut sender = Sender::open(&handle).await?;
        let (workload, peer, sim) = (&scenario.workload, scenario.peer(node), handle.sim().clone());
        let (least, most) = (workload.sizes_bytes.iter().min(), workload.sizes_bytes.iter().max());
        // Random messages are counted over both directions.
        let (count, bounds) = match workload.kind {
            WorkloadKind::Random => {
                (workload.iterations.div_ceil(2), vec![(*least.expect("checked"), *most.expect("checked"))])
            }
            _ => (workload.iterations, workload.sizes_bytes.iter().map(|size| (*size, *size)).collect()),
        };
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(node as u64 + 1);
        let (mut steps, mut number) = (Vec::new(), node as u32);
        for (least, most) in bounds {
            meeting.exchange(&format!("step {}", steps.len()), Note::Here).await;
            let before = Totals::read(&handle).await.map_err(|error| failed(&error))?;
            let (begin, mut sent, mut timed) = (sim.now(), Vec::new(), Timed::default());
            let outstanding = workload.outstanding as usize;
            for turn in 0..count as usize + outstanding {
                if turn >= outstanding {
                    sender.wait(&sim, (outstanding - 1).min(count as usize + outstanding - 1 - turn)).await?;
                    timed.ended.push(sim.now());
                    messages.fetch_add(1, Ordering::Relaxed);
                }
                if turn < count as usize {
                    let size_bytes = least + random.next_u32() % (most - least + 1);
                    timed.begun.push(sim.now());
                    sender.send(peer, number, pattern(number, size_bytes)).await?;
                    sent.push(Message { number, size_bytes, sender: node });
                    number += scenario.nodes as u32;
                }
            }
            let end = sim.now();
            let after = Totals::read(&handle).await.map_err(|error| failed(&error))?;
            steps.push(Step {
                size_bytes: if least == most { least } else { 0 },
                sent,
                begin,
                end,
                before,
                after,
                timed,
            });
        }
        meeting.exchange("end", Note::Here).await;
        let compared = steps.iter().map(|step| step.sent.len() as u64).sum();
        Ok(NodeReport { steps, compared, ..NodeReport::at_rest(node, &handle).await? })
    })
}
