//! What is likely: few processes, few buffers, short messages more often than long ones, and a bit of everything that can go wrong.

use nicscope_scenario::scenario::{MissService, ReceiveMiss};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::case::{Case, Cluster, Wire, MIDDLE_CBH, MIDDLE_VMH, SMALL_CBH, SMALL_VMH, TWO_CORES, WIDE_CBH};
use super::operation::{Op, Post, Rights, Twist, Who, EXPORTS, NODES, POST_BYTES_MAX, PROCESSES};

fn who() -> impl Strategy<Value = Who> {
    (0..NODES, prop_oneof![5 => 0..1usize, 5 => 0..PROCESSES]).prop_map(|(node, process)| Who { node, process })
}

fn bytes() -> impl Strategy<Value = u32> {
    prop_oneof![
        2 => Just(0u32),
        6 => Just(4u32),
        16 => 1..=32u32,
        16 => 33..=300u32,
        6 => 300..=1600u32,
        2 => 1600..=4200u32,
        1 => 4200..=POST_BYTES_MAX,
    ]
}

/// Places within 16 pages, often at the edge of one, and as often where others are.
fn place() -> impl Strategy<Value = u32> {
    prop_oneof![
        1 => 0..65_536u32,
        3 => (0..16u32, 0..80u32).prop_map(|(page, near)| (page * 4096 + near).saturating_sub(40)),
        6 => 0..512u32,
    ]
}

fn twist() -> impl Strategy<Value = Twist> {
    prop_oneof![
        44 => Just(Twist::None),
        1 => Just(Twist::WrongKey),
        1 => Just(Twist::NoBuffer),
        1 => Just(Twist::Beyond),
        1 => Just(Twist::Hole),
    ]
}

fn post() -> impl Strategy<Value = Op> {
    let export = prop_oneof![20 => 0..1usize, 1 => 0..EXPORTS];
    let process = prop_oneof![5 => 0..1usize, 5 => 0..PROCESSES];
    let parts = (who(), prop::bool::weighted(0.2), process, export, place(), place(), bytes(), any::<bool>(), twist());
    parts.prop_map(|(who, is_read, process, export, own, at, bytes, notify, twist)| {
        Op::Post(Post { who, is_read, process, export, own, at, bytes, notify: notify && !is_read, twist })
    })
}

fn op() -> impl Strategy<Value = Op> {
    let rights = prop_oneof![
        6 => Just(Rights { write: true, read: true }),
        2 => Just(Rights { write: true, read: false }),
        2 => Just(Rights { write: false, read: true }),
    ];
    let bytes = prop_oneof![1 => 1..200u32, 3 => 200..65_536u32];
    let place_of_buffer = || prop_oneof![1 => 0..1usize, 8 => 1..EXPORTS];
    let export = (who(), place_of_buffer(), place(), bytes, rights, any::<bool>()).prop_map(
        |(who, export, from, bytes, rights, listens)| Op::Export { who, export, from, bytes, rights, listens },
    );
    prop_oneof![
        140 => post(),
        8 => export,
        3 => (who(), place_of_buffer()).prop_map(|(who, export)| Op::Withdraw { who, export }),
        5 => who().prop_map(|who| Op::Wait { who }),
        1 => who().prop_map(|who| Op::End { who }),
        2 => (who(), 0..200u32).prop_map(|(who, after_us)| Op::Kill { who, after_us }),
        5 => (who(), 0..64u32).prop_map(|(who, page)| Op::Invalidate { who, page }),
        4 => (0..NODES, 1..20u32).prop_map(|(node, us)| Op::Pause { node, us }),
        1 => Just(Op::Settle),
    ]
}

fn wire() -> impl Strategy<Value = Wire> {
    let share = || prop_oneof![4 => Just(0u32), 4 => 1..10u32, 1 => 10..60u32];
    (share(), share(), share(), share()).prop_map(|(loss, corrupt, duplicate, delay)| Wire {
        loss,
        corrupt,
        duplicate,
        delay,
    })
}

fn cluster() -> impl Strategy<Value = Cluster> {
    let platform = prop_oneof![3 => Just("tigon2"), 2 => Just("lanai9")];
    // A miss of the receive path that waits for a time-out costs so many clocks that such clusters are fewer, and the time-out mostly short. Where none
    // waits for it, a short one only sends again what is under way.
    let retransmit_us = |short, middle, long| prop_oneof![short => Just(60u32), middle => Just(100), long => Just(250)];
    let receive = prop_oneof![
        1 => (Just(ReceiveMiss::TimeOut), retransmit_us(6, 3, 1)),
        3 => (Just(ReceiveMiss::Restart), retransmit_us(1, 2, 2)),
        3 => (Just(ReceiveMiss::Hold), retransmit_us(1, 2, 2)),
    ];
    let vmh = prop_oneof![1 => Just(SMALL_VMH), 3 => Just(MIDDLE_VMH)];
    let water = prop_oneof![1 => Just((1, 0)), 2 => Just((24, 8)), 2 => Just((64, 48)), 2 => Just((1000, 500))];
    let interrupt_us = prop_oneof![6 => Just(1u32), 5 => Just(10), 1 => Just(100)];
    // The kernel's work, and the pins that it refuses.
    let kernel = (prop_oneof![4 => Just(20u32), 1 => Just(100)], prop_oneof![7 => Just(0u32), 1 => 1..60u32]);
    // As many as processes, or fewer: then they take queues from each other.
    let queues = prop_oneof![6 => Just(8u32), 1 => Just(1), 1 => Just(2), 1 => Just(3)];
    let service = prop_oneof![2 => Just(MissService::KernelThread), 1 => Just(MissService::Interrupt), 2 => Just(MissService::Nic)];
    let cbh = prop_oneof![2 => Just(SMALL_CBH), 1 => Just(WIDE_CBH), 5 => Just(MIDDLE_CBH)];
    let cores = prop_oneof![5 => Just(1u32), 1 => Just(2)];
    let nic = (vmh, cbh, cores, queues);
    let times = (interrupt_us, kernel);
    let parts = (platform, receive, service, nic, water, times, wire(), any::<u32>());
    parts.prop_map(|(platform, (receive, retransmit_us), service, nic, water, (interrupt_us, kernel), wire, seed)| {
        let (vmh, cbh, cores, queues) = nic;
        let (kernel, refuses) = kernel;
        Cluster {
            platform,
            cores: if platform == TWO_CORES { cores } else { 1 },
            receive,
            service,
            vmh,
            cbh,
            water,
            retransmit_us,
            interrupt_us,
            wire,
            queues,
            kernel,
            refuses,
            seed: seed.into(),
        }
    })
}

/// The case of that number; the same seed has the same cases.
pub fn case(seed: u64, number: u64, ops: std::ops::Range<usize>) -> Case {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&number.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = (cluster(), prop::collection::vec(op(), ops));
    let tree = strategy.new_tree(&mut runner).expect("nothing is rejected");
    let (cluster, ops) = tree.current();
    Case { remarks: Vec::new(), cluster, ops }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Kind;
    use std::collections::BTreeSet;

    #[test]
    fn a_number_names_a_case_and_every_kind_occurs() {
        assert_eq!(case(1, 5, 10..90), case(1, 5, 10..90));
        assert_ne!(case(1, 5, 10..90), case(1, 6, 10..90));
        assert_ne!(case(1, 5, 10..90), case(2, 5, 10..90));
        let cases: Vec<Case> = (0..40).map(|number| case(1, number, 100..200)).collect();
        let kinds: BTreeSet<Kind> = cases.iter().flat_map(|case| &case.ops).map(Op::kind).collect();
        assert_eq!(kinds.len(), Kind::ALL.len());
        let text: Vec<String> = cases.iter().map(Case::to_string).collect();
        for (case, text) in cases.iter().zip(text) {
            assert_eq!(text.parse::<Case>().expect("its own text"), *case);
        }
    }
}
