//! Draws random clusters: a share of every mode, geometry and fault.

use nicscope_scenario::scenario::{Emp, MissService, ReceiveMiss};
use sim_fabric::SwitchMode;

use crate::case::{
    Cluster, Joint, Nodes, Wire, MIDDLE_CBH, MIDDLE_VMH, NODES_MAX, SMALL_CBH, SMALL_VMH, TWO_CORES, WIDE_CBH,
};
use crate::random::Random;

fn wire(random: &mut Random) -> Wire {
    let mut share = || match random.weighted(&[4, 4, 1]) {
        0 => 0,
        1 => random.number(1..=9),
        _ => random.number(10..=59),
    };
    Wire { loss: share(), corrupt: share(), duplicate: share(), delay: share(), forge: 0 }
}

/// A cluster of two nodes on a cable.
pub fn cluster(random: &mut Random) -> Cluster {
    let platform = random.one_of(&[(3, "tigon2"), (2, "lanai9")]);
    // A miss of the receive path that waits for a time-out takes many clocks. So such clusters are
    // fewer, and their time-outs mostly short. With the other modes a short time-out only repeats
    // frames that are on their way.
    let receive = random.one_of(&[(1, ReceiveMiss::TimeOut), (3, ReceiveMiss::Restart), (3, ReceiveMiss::Hold)]);
    let [short, middle, long] = match receive {
        ReceiveMiss::TimeOut => [6, 3, 1],
        ReceiveMiss::Restart | ReceiveMiss::Hold => [1, 2, 2],
    };
    let retransmit_us = random.one_of(&[(short, 60), (middle, 100), (long, 250)]);
    let service = random.one_of(&[(2, MissService::KernelThread), (1, MissService::Interrupt), (2, MissService::Nic)]);
    let vmh = random.one_of(&[(1, SMALL_VMH), (3, MIDDLE_VMH)]);
    let cbh = random.one_of(&[(2, SMALL_CBH), (1, WIDE_CBH), (5, MIDDLE_CBH)]);
    let cores = random.one_of(&[(5, 1), (1, 2)]);
    // A queue for each process, or fewer: then processes take queues from each other.
    let queues = random.one_of(&[(6, 8), (1, 1), (1, 2), (1, 3)]);
    let water = random.one_of(&[(1, (1, 0)), (2, (24, 8)), (2, (64, 48)), (2, (1000, 500))]);
    let interrupt_us = random.one_of(&[(6, 1), (5, 10), (1, 100)]);
    // The time of the kernel's work in percent, and the pins that it refuses of a thousand.
    let kernel = random.one_of(&[(4, 20), (1, 100)]);
    let refuses = match random.weighted(&[7, 1]) {
        0 => 0,
        _ => random.number(1..=59),
    };
    let wire = wire(random);
    let seed = random.word().into();
    Cluster {
        platform,
        personality: Cluster::PLAIN.personality,
        cores: if platform == TWO_CORES { cores } else { 1 },
        receive,
        service,
        vmh,
        cbh,
        water,
        retransmit_us,
        interrupt_us,
        topology: Nodes::PAIR,
        wire,
        odd: None,
        queues,
        kernel,
        refuses,
        // Every fourth cluster; the draw of the seed decides.
        late_crossings: seed % 4 == 0,
        emp: Emp::USUAL,
        seed,
    }
}

/// The same cluster with 2 to [`NODES_MAX`] nodes, mostly behind switches.
pub fn cluster_of_nodes(cluster: Cluster, random: &mut Random) -> Cluster {
    let count = random.one_of(&[(3, 2), (2, 3), (2, 4), (1, 5), (1, 6), (1, 7), (1, NODES_MAX)]);
    let mode = random.one_of(&[(1, SwitchMode::StoreAndForward), (1, SwitchMode::CutThrough)]);
    let joint = match random.weighted(&[2, 1]) {
        0 if count == Nodes::PAIR.nodes => Joint::Cable,
        0 => Joint::Switch(mode),
        _ => Joint::TwoLevel { mode, nodes_per_leaf: random.index(1..count), spines: random.index(1..3) },
    };
    let topology = Nodes { nodes: count, joint };
    let has_odd = topology != Nodes::PAIR && random.flag();
    let odd = has_odd.then(|| (random.index(0..topology.links()), wire(random)));
    Cluster { topology, odd, ..cluster }
}
