//! Echo between two nodes over a mock device, whose wire loses and doubles frames: link, DMA
//! queues, post queues and the order of events serve a protocol that knows nothing of VMMC.

use std::collections::VecDeque;

use nic_device::mock::Hardware;
use nic_device::Words as _;
use nic_echo::Echo;
use nic_engine::{Engine, LayersConfig, Protocol};
use nic_layout::counter::{conservation, Counter, SETS};
use nic_layout::frame::rdma::{word, HEADER_BYTES};
use nic_layout::personality::echo::{BACK, DATA_BYTES_MAX, MAILBOX_ECHOED, OP_ECHO as ECHO, OP_ECHOED};
use nic_layout::post::PostError;
use nic_layout::ring::{
    Event, COMMAND_ASSIGN, COMMAND_CLOSE, COMMAND_FENCE, DMA_FLAG_ASSIST, DMA_FLAG_EVENT, MAILBOX_COMMAND,
    MAILBOX_COMMAND_DONE,
};
use nic_layout::tables::{ENTRY_ASSIGNED, ENTRY_OPEN, NEXT_OWNER};
use nic_link::LinkConfig;
use nic_posts::PostsConfig;
use proptest::prelude::*;

const OP_ECHO: u32 = ECHO as u32;
const SRAM_BYTES: u32 = 0x2_0000;
const PROCESS_TABLE: u32 = 0x1000;
const POST_ERRORS: u32 = 0x1800;
const COUNTERS: u32 = 0x2000;
const ACK_BUFFERS: u32 = 0x3000;
const TX_BUFFERS: u32 = 0x4000;
const RX_BUFFERS: u32 = 0x5000;
const POST_QUEUES: u32 = 0x8000;
const STATUS_PAGE: u32 = 0x9000;
const BUFFER_BYTES: u32 = 128;

struct Node {
    machine: Engine<Echo>,
    hardware: Hardware,
    rung: u32,
    /// What the status page says: refused, last error, its index, ended.
    status: [u32; 4],
    /// Messages and data of frames of this node that came back, as they are taken off the wire.
    back: Vec<(u32, Vec<u32>)>,
    is_idle: bool,
}

impl Node {
    fn new(node: u32, retransmit_limit: u32) -> Node {
        let mut hardware = Hardware::new(SRAM_BYTES);
        hardware.sram.fill(0);
        let config = LayersConfig {
            link: LinkConfig {
                node,
                node_count: 2,
                session: 5,
                window_frames: 4,
                ack_frames: 3,
                ack_cycles: 20,
                retransmit_cycles: 200,
                retransmit_limit,
                tx_buffers: TX_BUFFERS,
                tx_buffer_count: 6,
                buffer_bytes: BUFFER_BYTES,
                ack_buffers: ACK_BUFFERS,
            },
            posts: PostsConfig {
                process_table: PROCESS_TABLE,
                post_queues: POST_QUEUES,
                post_queue_count: 1,
                post_errors: POST_ERRORS,
            },
            counters: COUNTERS,
            frame_data_bytes_max: 64,
            rx_buffers: RX_BUFFERS,
            rx_buffer_count: 8,
        };
        let mut machine = Engine::new();
        machine.start(&mut hardware, <Echo as Protocol>::NOWHERE, &config);
        let mut node = Node { machine, hardware, rung: 0, status: [0; 4], back: Vec::new(), is_idle: false };
        node.open();
        node
    }

    fn open(&mut self) {
        for (word, value) in [ENTRY_OPEN, 9, STATUS_PAGE].into_iter().enumerate() {
            self.hardware.write(PROCESS_TABLE + 4 * word as u32, value);
        }
    }

    fn post(&mut self, operation: u32, message: u32, data: &[u32]) {
        let at = POST_QUEUES + self.rung % 128 * 32;
        self.hardware.write(at, operation);
        self.hardware.write(at + 4, 4 * data.len() as u32);
        for (word, value) in data.iter().enumerate() {
            self.hardware.write(at + 8 + 4 * word as u32, *value);
        }
        self.hardware.write(at + 28, message);
        self.rung += 1;
        self.hardware.doorbells |= 1;
        self.hardware.doorbell_values[0] = self.rung;
        self.hardware.pending |= Event::Doorbell.bit();
    }

    fn command(&mut self, command: u32) {
        self.hardware.mailboxes |= 1 << MAILBOX_COMMAND;
        self.hardware.to_nic[MAILBOX_COMMAND] = command;
        self.hardware.pending |= Event::Mailbox.bit();
    }

    fn counter(&self, counter: Counter) -> u32 {
        self.hardware.read(COUNTERS + counter.offset())
    }

    fn echoed(&self) -> u32 {
        self.hardware.to_host[MAILBOX_ECHOED]
    }

    /// One turn, and one step of each engine. The frame that leaves.
    fn step(&mut self) -> Option<Vec<u32>> {
        let hardware = &mut self.hardware;
        hardware.now = hardware.now.wrapping_add(3);
        for (timer, event) in [Event::Timer0, Event::Timer1].into_iter().enumerate() {
            if hardware.timers[timer].is_some_and(|due| (hardware.now.wrapping_sub(due) as i32) >= 0) {
                hardware.timers[timer] = None;
                hardware.pending |= event.bit();
            }
        }
        let pending = hardware.pending;
        self.is_idle = !self.machine.turn(hardware, pending);
        hardware.trace.clear();
        if let Some((_, _, control)) = hardware.reads.pop_front() {
            hardware.read_consumer = hardware.read_consumer.wrapping_add(1);
            hardware.released += u32::from(control & DMA_FLAG_ASSIST != 0);
            hardware.pending |= if control & DMA_FLAG_EVENT != 0 { Event::DmaRead.bit() } else { 0 };
        }
        if let Some((bus, sram, control)) = hardware.writes.pop_front() {
            assert_eq!((bus, control & 0xFFFF), (STATUS_PAGE, 16), "echo writes statuses only");
            self.status = std::array::from_fn(|word| hardware.read(sram + 4 * word as u32));
            hardware.write_consumer = hardware.write_consumer.wrapping_add(1);
            hardware.pending |= Event::DmaWrite.bit();
        }
        if hardware.released == 0 {
            return None;
        }
        hardware.released -= 1;
        let (at, bytes) = hardware.transmit.pop_front().expect("released frames were placed");
        hardware.transmit_consumer = hardware.transmit_consumer.wrapping_add(1);
        Some((at..at + bytes.max(60)).step_by(4).map(|at| hardware.read(at)).collect())
    }

    fn deliver(&mut self, frame: &[u32]) {
        let hardware = &mut self.hardware;
        let Some(buffer) = hardware.receive_free.pop_front() else { return };
        for (at, &word) in (buffer..).step_by(4).zip(frame) {
            hardware.write(at, word);
        }
        let index = hardware.receive_consumer;
        hardware.received.insert(index, (buffer, 4 * frame.len() as u32));
        hardware.receive_consumer = index.wrapping_add(1);
        hardware.pending |= Event::MacRx.bit();
        let at = |offset: u32| frame[offset as usize / 4];
        let is_back = at(word::TYPE) >> 16 & 0xFF == 0x41 && at(word::BUFFER) == BACK;
        let data_bytes = word::data_bytes(at(word::NODE_LENGTH));
        let data = &frame[HEADER_BYTES / 4..][..data_bytes as usize / 4];
        let message = (at(word::MESSAGE), data.to_vec());
        if is_back && !self.back.contains(&message) {
            self.back.push(message);
        }
    }
}

struct Pair {
    nodes: [Node; 2],
    wires: [VecDeque<Vec<u32>>; 2],
    /// What becomes of the next frames: 0 lost, 1 doubled, otherwise delivered.
    fates: Vec<u8>,
    sent: usize,
}

impl Pair {
    fn new(retransmit_limit: u32, fates: Vec<u8>) -> Pair {
        let nodes = [Node::new(0, retransmit_limit), Node::new(1, retransmit_limit)];
        Pair { nodes, wires: Default::default(), fates, sent: 0 }
    }

    fn step(&mut self) {
        for from in 0..2 {
            if let Some(frame) = self.nodes[from].step() {
                let fate = self.fates.get(self.sent).copied().unwrap_or(2);
                self.sent += 1;
                (0..[0, 2, 1][usize::from(fate.min(2))]).for_each(|_| self.wires[from].push_back(frame.clone()));
            }
            if let Some(frame) = self.wires[from].pop_front() {
                self.nodes[1 - from].deliver(&frame);
            }
        }
    }

    fn run(&mut self, is_done: impl Fn(&Pair) -> bool) {
        for _ in 0..200_000 {
            if is_done(self) {
                return;
            }
            self.step();
        }
        panic!("it does not come to an end");
    }

    /// Everything has ended: the counters of each node add up.
    fn settle(&mut self) {
        self.run(|pair| {
            let is_quiet = |node: &Node| {
                let ended = node.counter(Counter::FramesAcknowledged) + node.counter(Counter::FramesAbandoned);
                node.is_idle && node.counter(Counter::FramesSent) == ended && node.hardware.transmit.is_empty()
            };
            pair.nodes.iter().all(is_quiet) && pair.wires.iter().all(VecDeque::is_empty)
        });
        for node in &self.nodes {
            for equation in conservation(SETS) {
                assert_eq!(equation.surplus(|counter| node.counter(counter)), 0, "{}", equation.name);
            }
        }
    }
}

const TO: [u32; 2] = [1 << 16 | OP_ECHO, OP_ECHO];

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Both nodes send at the same time, more than their windows hold.
    #[test]
    fn every_frame_comes_back_once_whatever_the_wire_does(
        counts in prop::array::uniform2(0u32..40),
        fates in prop::collection::vec(prop_oneof![1 => 0u8..2, 6 => Just(2u8)], 0..300),
    ) {
        let mut pair = Pair::new(u32::MAX, fates);
        for (node, to) in TO.into_iter().enumerate() {
            for message in 0..counts[node] {
                let data: Vec<u32> = (0..message % 6).map(|word| message << 8 | word).collect();
                pair.nodes[node].post(to, message, &data);
            }
        }
        pair.run(|pair| (0..2).all(|node| {
            pair.nodes[node].echoed() == counts[node] && pair.nodes[node].status[3] == counts[node]
        }));
        pair.settle();
        for (node, count) in pair.nodes.iter_mut().zip(counts) {
            // On the wire, a frame that is sent again may be overtaken.
            node.back.sort();
            prop_assert_eq!(node.echoed(), count);
            prop_assert_eq!(node.counter(Counter::PostsCompleted), count);
            let expected: Vec<_> =
                (0..count).map(|m| (m, (0..m % 6).map(|word| m << 8 | word).collect::<Vec<u32>>())).collect();
            prop_assert_eq!(&node.back, &expected);
            for message in 0..count {
                prop_assert_eq!(node.hardware.read(POST_QUEUES + message * 32), u32::from(OP_ECHOED));
            }
        }
    }
}

#[test]
fn a_post_that_asks_for_something_else_ends_badly() {
    let mut pair = Pair::new(u32::MAX, Vec::new());
    let node = &mut pair.nodes[0];
    node.post(TO[0] + 1, 0, &[]);
    node.post(OP_ECHO, 0, &[]);
    node.post(3 << 16 | OP_ECHO, 0, &[]);
    node.post(TO[0], 0, &vec![0; DATA_BYTES_MAX as usize / 4 + 1]);
    pair.run(|pair| pair.nodes[0].status[3] == 4);
    assert_eq!(pair.nodes[0].status, [4, PostError::LengthOutOfRange as u32, 3, 4]);
    assert_eq!(pair.nodes[0].counter(Counter::PostsRefusedNode), 2);
    pair.settle();
}

#[test]
fn posts_to_a_peer_that_does_not_answer_end_badly() {
    let mut pair = Pair::new(3, vec![0; 1000]);
    (0..6).for_each(|message| pair.nodes[0].post(TO[0], message, &[message]));
    pair.run(|pair| pair.nodes[0].status[3] == 6);
    assert_eq!(pair.nodes[0].status[..2], [6, PostError::PeerUnreachable as u32]);
    assert_eq!(pair.nodes[0].counter(Counter::PeersLost), 1);
    pair.settle();
}

/// The commands that are about post queues are the engine's: a protocol has them without a line.
#[test]
fn a_fence_is_answered_a_queue_changes_hands_and_a_slot_is_closed() {
    let mut pair = Pair::new(u32::MAX, Vec::new());
    let done = |pair: &Pair| pair.nodes[0].hardware.to_host[MAILBOX_COMMAND_DONE];
    pair.nodes[0].post(TO[0], 1, &[7]);
    pair.nodes[0].command(COMMAND_FENCE);
    pair.run(|pair| done(pair) == COMMAND_FENCE && pair.nodes[0].echoed() == 1 && pair.nodes[0].status[3] == 1);
    pair.settle();
    let next = PROCESS_TABLE + 32 * NEXT_OWNER as u32;
    for (word, value) in [ENTRY_OPEN, 11, STATUS_PAGE, 0, 0, 0, u32::MAX, 50].into_iter().enumerate() {
        pair.nodes[0].hardware.write(next + 4 * word as u32, value);
    }
    pair.nodes[0].command(COMMAND_ASSIGN);
    pair.run(|pair| done(pair) == COMMAND_ASSIGN);
    assert_eq!(pair.nodes[0].hardware.read(next), ENTRY_ASSIGNED);
    pair.nodes[0].rung = 50;
    pair.nodes[0].post(TO[0], 2, &[]);
    pair.run(|pair| pair.nodes[0].echoed() == 2 && pair.nodes[0].status[3] == 51);
    pair.settle();
    pair.nodes[0].hardware.write(PROCESS_TABLE, 0);
    pair.nodes[0].command(COMMAND_CLOSE);
    pair.run(|pair| done(pair) == COMMAND_CLOSE);
    pair.nodes[0].post(TO[0], 3, &[]);
    pair.run(|pair| pair.nodes[0].counter(Counter::DoorbellsClosed) == 1);
    pair.settle();
}
