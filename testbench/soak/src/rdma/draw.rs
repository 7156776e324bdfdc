//! Draws random lists: few processes, few buffers, short messages more often than long ones, and a
//! share of every refusal.

use std::ops::Range;

use super::operation::{Op, Post, Rights, Twist, Who, EXPORTS, POST_BYTES_MAX, PROCESSES};
use crate::case::{Case, Nodes};
use crate::clusters::{cluster, cluster_of_nodes};
use crate::random::Random;

/// Nodes of a case before more nodes are drawn.
const PAIR: usize = Nodes::PAIR.nodes;

fn process(random: &mut Random) -> usize {
    match random.weighted(&[5, 5]) {
        0 => random.index(0..1),
        _ => random.index(0..PROCESSES),
    }
}

fn who(random: &mut Random) -> Who {
    Who { node: random.index(0..PAIR), process: process(random) }
}

fn bytes(random: &mut Random) -> u32 {
    match random.weighted(&[2, 6, 16, 16, 6, 2, 1]) {
        0 => 0,
        1 => 4,
        2 => random.number(1..=32),
        3 => random.number(33..=300),
        4 => random.number(300..=1600),
        5 => random.number(1600..=4200),
        _ => random.number(4200..=POST_BYTES_MAX),
    }
}

/// A place within 16 pages: often near the edge of a page, and more often in the first 512 bytes,
/// so that posts overlap.
fn place(random: &mut Random) -> u32 {
    match random.weighted(&[1, 3, 6]) {
        0 => random.number(0..=65_535),
        1 => {
            let (page, near) = (random.number(0..=15), random.number(0..=79));
            (page * 4096 + near).saturating_sub(40)
        }
        _ => random.number(0..=511),
    }
}

fn post(random: &mut Random) -> Op {
    let (who, is_read, process) = (who(random), random.chance(0.2), process(random));
    let export = match random.weighted(&[20, 1]) {
        0 => random.index(0..1),
        _ => random.index(0..EXPORTS),
    };
    let (own, at, bytes, notify) = (place(random), place(random), bytes(random), random.flag());
    let twist = random.one_of(&[
        (44, Twist::None),
        (1, Twist::WrongKey),
        (1, Twist::NoBuffer),
        (1, Twist::Beyond),
        (1, Twist::Hole),
    ]);
    Op::Post(Post {
        who,
        is_read,
        node: (who.node + 1) % PAIR,
        process,
        export,
        own,
        at,
        bytes,
        notify: notify && !is_read,
        twist,
    })
}

fn place_of_buffer(random: &mut Random) -> usize {
    match random.weighted(&[1, 8]) {
        0 => random.index(0..1),
        _ => random.index(1..EXPORTS),
    }
}

fn export(random: &mut Random) -> Op {
    let (who, export, from) = (who(random), place_of_buffer(random), place(random));
    let bytes = match random.weighted(&[1, 3]) {
        0 => random.number(1..=199),
        _ => random.number(200..=65_535),
    };
    let rights = random.one_of(&[
        (6, Rights { write: true, read: true }),
        (2, Rights { write: true, read: false }),
        (2, Rights { write: false, read: true }),
    ]);
    Op::Export { who, export, from, bytes, rights, listens: random.flag() }
}

fn op(random: &mut Random) -> Op {
    match random.weighted(&[140, 8, 3, 5, 1, 2, 5, 4, 1]) {
        0 => post(random),
        1 => export(random),
        2 => Op::Withdraw { who: who(random), export: place_of_buffer(random) },
        3 => Op::Wait { who: who(random) },
        4 => Op::End { who: who(random) },
        5 => Op::Kill { who: who(random), after_us: random.number(0..=199) },
        6 => Op::Invalidate { who: who(random), page: random.number(0..=63) },
        7 => Op::Pause { node: random.index(0..PAIR), us: random.number(1..=19) },
        _ => Op::Settle,
    }
}

/// The case `number` of a seed, with two nodes on a cable and a number of operations within `ops`.
/// The same seed and number always give the same case.
pub fn case(seed: u64, number: u64, ops: Range<usize>) -> Case<Op> {
    let mut random = Random::new(seed, number);
    let cluster = cluster(&mut random);
    let count = random.number(ops.start as u32..=ops.end as u32 - 1);
    let ops = (0..count).map(|_| op(&mut random)).collect();
    Case { remarks: Vec::new(), cluster, ops }
}

/// The case `number` of a seed with 2 to 8 nodes, mostly behind switches: the list of [`case`],
/// with its operations spread over all nodes, and with
/// up to two resets of NICs or restarts of nodes.
pub fn case_of_nodes(seed: u64, number: u64, ops: Range<usize>) -> Case<Op> {
    let mut case = case(seed, number, ops);
    // A separate generator, so that the list stays as old reports name it.
    let mut random = Random::new(seed, u64::MAX - number);
    case.cluster = cluster_of_nodes(case.cluster, &mut random);
    let count = case.cluster.topology.nodes;
    if case.cluster.topology != Nodes::PAIR {
        for op in &mut case.ops {
            let node = random.index(0..count);
            op.set_node(node);
            if let Op::Post(post) = op {
                post.node = (node + random.index(1..count)) % count;
            }
        }
    }
    // Few, so that most of a list is ordinary traffic.
    for _ in 0..random.weighted(&[2, 2, 1]) {
        let (node, after_us) = (random.index(0..count), random.number(0..=199));
        let op = match random.weighted(&[1, 1]) {
            0 => Op::Reset { node, after_us },
            _ => Op::Restart { node, after_us },
        };
        case.ops.insert(random.index(0..case.ops.len() + 1), op);
    }
    case
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Joint, NODES_MAX};
    use crate::rdma::operation::Kind;
    use std::collections::BTreeSet;

    #[test]
    fn a_number_names_a_case_and_every_kind_occurs() {
        assert_eq!(case(1, 5, 10..90), case(1, 5, 10..90));
        assert_ne!(case(1, 5, 10..90), case(1, 6, 10..90));
        assert_ne!(case(1, 5, 10..90), case(2, 5, 10..90));
        let cases: Vec<Case<Op>> = (0..40).map(|number| case(1, number, 100..200)).collect();
        let mut kinds: BTreeSet<Kind> = cases.iter().flat_map(|case| &case.ops).map(Op::kind).collect();
        let of_nodes: Vec<Case<Op>> = (0..40).map(|number| case_of_nodes(1, number, 100..200)).collect();
        kinds.extend(of_nodes.iter().flat_map(|case| &case.ops).map(Op::kind));
        assert_eq!(kinds.len(), Kind::ALL.len());
        let text: Vec<String> = cases.iter().map(Case::to_string).collect();
        for (case, text) in cases.iter().zip(text) {
            assert_eq!(text.parse::<Case<Op>>().expect("its own text"), *case);
        }
    }

    #[test]
    fn cases_of_many_nodes_have_every_number_and_every_joint_and_reach_every_node() {
        let cases: Vec<Case<Op>> = (0..60).map(|number| case_of_nodes(1, number, 100..200)).collect();
        let counts: BTreeSet<usize> = cases.iter().map(|case| case.cluster.topology.nodes).collect();
        assert_eq!(counts, (2..=NODES_MAX).collect());
        let two_levels = |case: &&Case<Op>| matches!(case.cluster.topology.joint, Joint::TwoLevel { .. });
        assert!(cases.iter().filter(two_levels).count() > 5);
        for case in &cases {
            assert_eq!(case.to_string().parse::<Case<Op>>().expect("its own text"), *case);
            let nodes: BTreeSet<usize> = case.ops.iter().filter_map(Op::node).collect();
            assert_eq!(nodes, (0..case.cluster.topology.nodes).collect());
        }
    }

    /// A report names a case by its seed and its number, so they must always give the same case.
    #[test]
    fn a_number_names_the_case_that_it_always_named() {
        let text = "cluster tigon2 hold cache 256 16 4 buffers 16 4 water 64 48 retransmit 100 interrupt 10 seed 1023158146 cores 2
link loss 5 corrupt 42 duplicate 3 delay 7
queues 1
host kernel 100 refuses 0
read 1.0 into 20514 from 0.0.0 at 35186 bytes 15
write 0.0 from 59 to 1.0.0 at 283 bytes 174 notify
write 1.0 from 57 to 0.0.0 at 20 bytes 24
write 0.0 from 166 to 1.0.0 at 347 bytes 300
export 0.3.2 from 236 bytes 59917 write read
read 0.0 into 119 from 1.2.0 at 18052 bytes 3496
";
        assert_eq!(case(1, 5, 4..9).to_string(), text);
    }
}
