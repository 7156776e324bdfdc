//! Processes whose messages come back: each is compared with what was sent.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;

use host_model::library::{Process, WriteError, WriteHandle};
use nic_layout::personality::echo::{DATA_BYTES_MAX, OP_ECHO, OP_ECHOED};
use nic_layout::post::{PostDescriptor, POST_DESCRIPTOR_BYTES, POST_QUEUE_ENTRIES};
use nicscope_scenario::error::Result;
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

/// Posts a message of at most [`DATA_BYTES_MAX`] bytes to a node.
pub async fn echo(process: &Process<()>, node: usize, message: u32, bytes: &[u8]) -> Result<WriteHandle, WriteError> {
    let mut data = [0; 5];
    for (word, bytes) in data.iter_mut().zip(bytes.chunks(4)) {
        *word = bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    let [local_address, buffer, buffer_offset, key @ ..] = data;
    let (destination_node, length_bytes) = (node as u16, bytes.len() as u32);
    let (op, flags) = (OP_ECHO, 0);
    let post = PostDescriptor {
        op,
        flags,
        destination_node,
        length_bytes,
        local_address,
        buffer,
        buffer_offset,
        key,
        message,
    };
    process.post_entries(&post, &[], length_bytes).await
}

/// Whether a post of these bytes has come back. Each of its bytes is compared.
pub async fn is_back(process: &Process<()>, post: WriteHandle, bytes: &[u8]) -> Result<bool> {
    let failed = |error: &dyn std::fmt::Debug| failed!("message {}: {error:?}", post.message);
    let entry = post.index % POST_QUEUE_ENTRIES * POST_DESCRIPTOR_BYTES;
    let mut found = Vec::new();
    for word in (0..8 + bytes.len() as u32).step_by(4) {
        let value = process.peek_raw(entry + word).await.map_err(|error| failed(&error))?;
        found.extend(value.map_err(|error| failed(&error))?.to_le_bytes());
        if found[0] != OP_ECHOED {
            return Ok(false);
        }
    }
    match &found[8..8 + bytes.len()] == bytes {
        true => Ok(true),
        false => Err(failed!("message {} came back as {:?}, not as {bytes:?} (INV-27)", post.message, &found[8..])),
    }
}

/// Sends the messages of the scenario to the peer, and compares what comes back.
pub fn play(work: Work, handle: Handle, meeting: Meeting<Note>) -> Playing {
    Box::pin(async move {
        let Work { node, scenario, seed, messages, .. } = work;
        let failed = |error: &dyn std::fmt::Display| failed!("node {node}: {error}");
        let process: Process<()> = handle.open_with("application").await.map_err(|error| failed(&error))?;
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
            let mut under_way: VecDeque<(WriteHandle, Vec<u8>)> = VecDeque::new();
            for turn in 0..count + workload.outstanding {
                if under_way.len() == workload.outstanding as usize || turn >= count {
                    let Some((post, bytes)) = under_way.pop_front() else { break };
                    process.wait(post).await.map_err(|error| failed(&error))?;
                    let give_up = sim.now() + GIVE_UP;
                    while !is_back(&process, post, &bytes).await? {
                        if sim.now() > give_up {
                            return Err(failed(&format!("message {} does not come back (INV-27)", post.message)));
                        }
                    }
                    timed.ended.push(sim.now());
                    messages.fetch_add(1, Ordering::Relaxed);
                }
                if turn < count {
                    let size_bytes = least + random.next_u32() % (most - least + 1);
                    let bytes = pattern(number, size_bytes);
                    timed.begun.push(sim.now());
                    let post = echo(&process, peer, number, &bytes).await.map_err(|error| failed(&error))?;
                    under_way.push_back((post, bytes));
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
