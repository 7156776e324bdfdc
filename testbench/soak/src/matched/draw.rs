//! Random lists of operations.

use std::ops::Range;

use nic_layout::personality::emp::descriptor::RESERVED_TAG_MIN;

use super::number::BURST_MAX;
use super::operation::{Op, What, ANY_SOURCE, ANY_TAG, BYTES_MAX, KEEP, OF_RECEIVE};
use super::{hostile, settings};
use crate::case::{Case, Wire, NODES_MAX, TWO_CORES};
use crate::clusters::{cluster, cluster_of_nodes};
use crate::random::Random;

/// How far a receive stands from its send in a list, at most.
const APART: usize = 9;
/// The most messages of a burst that have no receive in the burst of the peer, or receives that
/// have no message.
const LEFT_OVER_MAX: u32 = 12;

/// Most bursts have tags that other messages do not have.
const TAGS_OF_BURSTS: std::ops::RangeInclusive<u32> = 100..=400;

/// The case with a number.
pub fn case(seed: u64, number: u64, ops: Range<usize>) -> Case<Op> {
    let mut random = Random::new(seed, number);
    let mut cluster = cluster(&mut random);
    // Schemes of two cores are as many as the rest.
    if cluster.platform == TWO_CORES && random.chance(0.6) {
        cluster.cores = 2;
    }
    cluster.emp = settings::draw(&mut random, cluster.cores);
    cluster = cluster_of_nodes(cluster, &mut random);
    if random.chance(0.25) {
        cluster.wire = Wire { forge: random.number(1..=9), ..cluster.wire };
    }
    let nodes = cluster.topology.nodes.min(NODES_MAX);
    // Lists of single messages have every kind of message, receive and end. The others have many
    // messages for the time of a simulation: a comparison waits for the longest pause of a sender.
    let weights = match random.chance(0.25) {
        true => [700, 30, 30, 160, 14, 14, 3, 15, 34, 40],
        false => [200, 20, 20, 60, 6, 6, 2, 6, 8, 672],
    };
    let count = random.index(ops);
    let mut placed: Vec<(usize, Op)> = Vec::new();
    while placed.len() < count {
        let at = 2 * APART + placed.len();
        let node = random.index(0..nodes);
        let peer = (node + random.index(1..nodes)) % nodes;
        let what = Op { what: What::Send, node, peer, tag: tag(&mut random), bytes: 0, flags: 0 };
        match random.weighted(&weights) {
            0 => {
                let near = |random: &mut Random| at + random.index(0..2 * APART) - APART;
                let bytes = size(&mut random);
                let keep = |random: &mut Random| if random.chance(0.15) { KEEP } else { 0 };
                let flags = keep(&mut random);
                placed.push((near(&mut random), Op { bytes, flags, ..what }));
                // Some messages have no receive, and some receives no message.
                if random.chance(0.95) {
                    let any = random.one_of(&[(6, 0), (2, ANY_SOURCE), (2, ANY_TAG), (1, ANY_SOURCE | ANY_TAG)]);
                    let room = match random.weighted(&[12, 4, 1]) {
                        0 => bytes,
                        1 => (2 * bytes).min(BYTES_MAX),
                        _ => bytes / 2,
                    };
                    let flags = any | keep(&mut random);
                    let receive = Op { what: What::Receive, node: peer, peer: node, bytes: room, flags, ..what };
                    placed.push((near(&mut random), receive));
                }
            }
            1 => placed.push((at, Op { what: What::Again, flags: random.number(0..=OF_RECEIVE), ..what })),
            2 => placed.push((at, Op { what: What::Cancel, flags: random.number(0..=OF_RECEIVE), ..what })),
            3 => placed.push((at, Op { what: What::Wait, bytes: random.number(0..=120), ..what })),
            4 => placed.push((at, Op { what: What::End, ..what })),
            5 => placed.push((at, Op { what: What::Kill, bytes: random.number(0..=300), ..what })),
            6 => placed.push((at, Op { what: What::Reset, bytes: random.number(0..=300), ..what })),
            7 => {
                let flags = random.number(0..=hostile::KINDS - 1);
                placed.push((at, Op { what: What::Hostile, flags, bytes: random.number(0..=BYTES_MAX), ..what }));
            }
            8 => placed.push((at, Op::SETTLE)),
            _ => {
                // Many messages, most of them short, and mostly a receive for each of them, in the next
                // operation: then no burst waits for one that stands behind it.
                let most = random.one_of(&[(3, 100), (2, 1500), (1, 5000)]);
                let bytes = random.number(0..=most);
                let flags = burst_count(&mut random);
                // A message without a receive may rest for long, and so does what comes behind it with its
                // tag.
                let tag = if random.chance(0.9) { random.number(TAGS_OF_BURSTS) as u16 } else { what.tag };
                let burst = Op { what: What::Sends, tag, bytes, flags, ..what };
                let of_peer = Op { what: What::Receives, node: peer, peer: node, ..burst };
                // What is left over keeps its places, so it is little.
                match random.weighted(&[1, 2, 30]) {
                    0 => placed.push((at, Op { flags: flags.min(LEFT_OVER_MAX), ..burst })),
                    1 => {
                        placed.push((at, burst));
                        let more = random.number(0..=2 * LEFT_OVER_MAX);
                        let flags = (flags + more).saturating_sub(LEFT_OVER_MAX).clamp(1, BURST_MAX);
                        placed.push((at, Op { flags, ..of_peer }));
                    }
                    _ => placed.extend([(at, burst), (at, of_peer)]),
                }
            }
        }
    }
    placed.sort_by_key(|(at, _)| *at);
    Case { remarks: Vec::new(), ops: placed.into_iter().map(|(_, op)| op).collect(), cluster }
}

/// Few tags, so that messages compete for receives; or many; or some that receives of any tag do
/// not take.
fn tag(random: &mut Random) -> u16 {
    match random.weighted(&[5, 5, 1]) {
        0 => random.number(0..=2) as u16,
        1 => random.number(3..=60) as u16,
        _ => RESERVED_TAG_MIN + random.number(0..=1) as u16,
    }
}

/// How many messages are posted at once.
fn burst_count(random: &mut Random) -> u32 {
    match random.weighted(&[2, 2, 1]) {
        0 => random.number(1..=16),
        1 => random.number(17..=64),
        _ => random.number(65..=BURST_MAX),
    }
}

/// Mostly short messages; each format; rarely long ones.
fn size(random: &mut Random) -> u32 {
    match random.weighted(&[10, 8, 6, 1]) {
        0 => random.number(0..=100),
        1 => random.number(0..=6_000),
        2 => random.number(0..=40_000),
        _ => random.number(40_000..=BYTES_MAX),
    }
}
