//! Nodes with their hosts, the wires between them, and the order of their steps.

mod cores;
mod driver;
mod dynamic;
mod host;
mod judge;
pub mod plan;

use std::collections::VecDeque;

use nic_collections::Numbers;
use nic_device::mock::Hardware;
use nic_device::{Device, Words};
use nic_emp::{PagePlaces, Places, Settings, LIST_BUFFER_BYTES, QUEUES_BYTES};
use nic_layout::counter::{conservation, Counter};
use nic_layout::nodes::IMAGE_NODES;
use nic_layout::personality::emp::descriptor::{BANKS_BYTES, RECEIVE_DESCRIPTORS, SEND_DESCRIPTORS};
use nic_layout::personality::emp::frame::Cut;
use nic_layout::personality::emp::COUNTERS as COUNTED;
use nic_layout::personality::emp::OPEN_NUMBERS;
use nic_layout::ring::{Event, DMA_FLAG_ASSIST, DMA_FLAG_EVENT, MAC_FLAG_EVENT, MAC_FLAG_SKIP};
use nic_layout::trace::Marker;
use nic_matching::Posted;

pub use cores::Scheme;
use cores::{Cores, Start};
pub use driver::{Driver, Mini};
pub use dynamic::Dynamic;
pub use host::{Host, Message, Wish};
pub use judge::Judge;

const SRAM_BYTES: u32 = 512 * 1024;
/// Where each core counts.
const COUNTERS: [u32; 2] = [0x400, 0xA00];
const _: () = assert!(4 * Counter::COUNT as u32 <= 0x600);

/// How the wires treat frames: out of 1000.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    pub loss: u32,
    pub duplication: u32,
    pub reordering: u32,
    /// Copies with one wrong bit in front of their frames.
    pub garbage: u32,
    pub read_errors: u32,
    pub write_errors: u32,
}

/// Numbers in a sequence that a seed fixes.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn word(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as u32
    }

    pub fn below(&mut self, bound: u32) -> u32 {
        self.word() % bound
    }

    pub fn chance(&mut self, of_1000: u32) -> bool {
        self.below(1000) < of_1000
    }
}

/// A NIC with its host. `P`: how it finds posted receives. `C`: on which core each part runs.
pub struct Node<P: Posted, C: Scheme> {
    cores: C::Cores<P>,
    /// The device, as core A sees it.
    pub hardware: Hardware,
    pub host: Host,
    pub places: Places,
    /// Frames that came when no buffer was free.
    pub overruns: u32,
    /// The driver, if addresses are virtual.
    driver: Option<Driver>,
}

fn settings(node: u32, node_count: u32, cut: Cut) -> Settings {
    Settings {
        node,
        node_count,
        session: 7,
        cut,
        collection_frames: 3,
        resend_cycles: 400,
        resend_limit: 64,
        buffer_bytes: (cut.data_bytes + 28).max(64).next_multiple_of(8),
        transmit_buffers: 8,
        receive_buffers: 16,
        frame_cycles: 0,
        slow_below: 8,
        slower_below: 2,
    }
}

fn places<P: Posted>(settings: &Settings) -> Places {
    let mut next = 0x1000;
    let mut take = |bytes: u32| {
        let at = next;
        next += bytes.next_multiple_of(8);
        at
    };
    let places = Places {
        descriptors: take(BANKS_BYTES),
        sends: take(SEND_DESCRIPTORS * nic_emp::send_record::BYTES),
        receives: take(RECEIVE_DESCRIPTORS * nic_emp::receive_record::BYTES),
        sent: take(4 * OPEN_NUMBERS * IMAGE_NODES as u32),
        paths: take(nic_emp::path::BYTES * IMAGE_NODES as u32),
        numbers: take(Numbers::BYTES * IMAGE_NODES as u32),
        posted: take(P::bytes(RECEIVE_DESCRIPTORS)),
        queues: take(QUEUES_BYTES),
        transmit_buffers: take(settings.transmit_buffers * settings.buffer_bytes),
        receive_buffers: take(settings.receive_buffers * settings.buffer_bytes),
        answer_buffers: take((nic_emp::ANSWERS + nic_emp::ANSWERS_APART) * nic_emp::ANSWER_BYTES),
        send_lists: take(nic_emp::SEND_LISTS as u32 * LIST_BUFFER_BYTES),
        receive_lists: take(nic_emp::RECEIVE_LISTS as u32 * LIST_BUFFER_BYTES),
    };
    assert!(next <= SRAM_BYTES, "{next:#x}");
    places
}

impl<P: Posted, C: Scheme> Node<P, C> {
    fn new(node: u32, node_count: u32, cut: Cut, session: u32) -> Node<P, C> {
        Node::with(Settings { session, ..settings(node, node_count, cut) })
    }

    fn with(settings: Settings) -> Node<P, C> {
        let node = settings.node;
        let places = places::<P>(&settings);
        let mut hardware = Hardware::new(SRAM_BYTES);
        for at in (0x400..0x1000).step_by(4) {
            hardware.write(at, 0);
        }
        for at in (0..BANKS_BYTES).step_by(4) {
            hardware.write(places.descriptors + at, 0);
        }
        let is_translated = <C as Scheme>::NAME == <Mini as Scheme>::NAME;
        let places_of_pages = if is_translated { driver::PLACES } else { PagePlaces::default() };
        let start = Start { settings: &settings, places: &places, pages: (&places_of_pages, 1 << 20) };
        let cores = C::Cores::start(&mut hardware, start);
        Node {
            cores,
            hardware,
            host: Host::new(node),
            places,
            overruns: 0,
            driver: is_translated.then(Driver::default),
        }
    }

    pub fn driver_mut(&mut self) -> &mut Driver {
        self.driver.as_mut().expect("addresses are virtual")
    }

    /// The address in descriptors of what is at a bus address.
    fn address_of(&self, bus: u32) -> u32 {
        if self.driver.is_some() {
            driver::virtual_of(bus)
        } else {
            bus
        }
    }

    pub fn counter(&self, counter: Counter) -> u32 {
        COUNTERS.map(|at| self.hardware.read(at + counter.offset())).iter().sum()
    }

    /// Every frame, send and receive has ended in exactly one way (INV-38).
    fn check_sums(&self) {
        for equation in conservation(COUNTED) {
            assert_eq!(equation.surplus(|counter| self.counter(counter)), 0, "{}", equation.name);
        }
    }

    /// A turn of core A.
    fn step_a(&mut self) {
        self.cores.step_a(&mut self.hardware);
    }

    /// A turn of core B.
    fn step_b(&mut self) {
        self.cores.step_b(&mut self.hardware);
    }

    fn step_read(&mut self, is_error: bool) {
        if self.hardware.read_halted {
            return;
        }
        let Some((bus, sram, control)) = self.hardware.reads.pop_front() else { return };
        let bytes = control & 0xFFFF;
        self.hardware.read_consumer = self.hardware.read_consumer.wrapping_add(1);
        if bytes != 0 {
            if is_error {
                self.hardware.read_halted = true;
                self.hardware.raise_in_both(Event::DmaError);
                return;
            }
            let data = self.host.read(self.address_of(bus), bytes);
            self.hardware.put(sram, &data);
        }
        if control & DMA_FLAG_ASSIST != 0 {
            self.hardware.release_transmit();
        }
        if control & DMA_FLAG_EVENT != 0 {
            self.hardware.raise_in_both(Event::DmaRead);
        }
    }

    fn step_write(&mut self, is_error: bool) {
        if self.hardware.write_halted {
            return;
        }
        let Some((bus, sram, control)) = self.hardware.writes.pop_front() else { return };
        let bytes = control & 0xFFFF;
        self.hardware.write_consumer = self.hardware.write_consumer.wrapping_add(1);
        if bytes != 0 {
            if is_error {
                self.hardware.write_halted = true;
                self.hardware.raise_in_both(Event::DmaError);
                return;
            }
            let data = self.hardware.get(sram, bytes as usize);
            let address = self.address_of(bus);
            self.host.write(address, &data);
        }
        if control & DMA_FLAG_EVENT != 0 {
            self.hardware.raise_in_both(Event::DmaWrite);
        }
    }

    /// Host memory has what the engine wrote in the last turn of a core.
    fn end_writes_at_once(&mut self) {
        self.hardware.writes_at_once = false;
        while let Some((bus, data)) = self.hardware.written_at_once.pop_front() {
            let address = self.address_of(bus);
            self.host.write(address, &data);
        }
    }

    /// The frame that leaves now, padded.
    fn step_transmit(&mut self) -> Option<Vec<u8>> {
        if self.hardware.released == 0 {
            return None;
        }
        self.hardware.released -= 1;
        let (at, control) = self.hardware.transmit.pop_front().unwrap();
        self.hardware.transmit_consumer = self.hardware.transmit_consumer.wrapping_add(1);
        if control & MAC_FLAG_EVENT != 0 {
            self.hardware.raise_in_both(Event::MacTx);
        }
        if control & MAC_FLAG_SKIP != 0 {
            return None;
        }
        let mut frame = self.hardware.get(at, (control & 0xFFFF) as usize);
        frame.resize(frame.len().max(60), 0);
        Some(frame)
    }

    /// A frame arrives. Without a buffer the MAC drops it.
    fn deliver(&mut self, frame: &[u8]) {
        let Some(buffer) = self.hardware.receive_free.pop_front() else {
            self.overruns += 1;
            return;
        };
        self.hardware.put(buffer, frame);
        let index = self.hardware.receive_consumer;
        self.hardware.received.insert(index, (buffer, frame.len() as u32));
        self.hardware.receive_consumer = index.wrapping_add(1);
        self.hardware.raise_in_both(Event::MacRx);
    }

    pub fn write_mailbox(&mut self, index: usize, value: u32) {
        assert!(self.hardware.mailboxes & 1 << index == 0, "mailbox {index} was not taken");
        self.hardware.to_nic[index] = value;
        self.hardware.mailboxes |= 1 << index;
        self.hardware.raise_in_both(Event::Mailbox);
    }
}

/// Nodes and the wires between them.
pub struct World<P: Posted, C: Scheme> {
    pub nodes: Vec<Node<P, C>>,
    pub judge: Judge,
    pub faults: Faults,
    pub random: Random,
    wire: VecDeque<(usize, Vec<u8>)>,
    /// Frames to this node vanish.
    pub unreachable: Option<usize>,
    /// How many have vanished, and how many were lost as [`Faults`] say.
    pub vanished: u32,
    pub lost: u32,
    /// The host memory of this node takes one write in so many steps.
    pub slow: Option<(usize, u32)>,
}

impl<P: Posted, C: Scheme> World<P, C> {
    pub fn new(nodes: u32, mtu_bytes: u32, faults: Faults, seed: u64) -> World<P, C> {
        let cut = Cut::of_mtu(mtu_bytes);
        World {
            nodes: (0..nodes).map(|node| Node::new(node, nodes, cut, 7)).collect(),
            judge: Judge::default(),
            faults,
            random: Random::new(seed),
            wire: VecDeque::new(),
            unreachable: None,
            vanished: 0,
            lost: 0,
            slow: None,
        }
    }

    /// The same with flow control. A frame is said to take so many clocks on the wire.
    pub fn with_flow_control(nodes: u32, mtu_bytes: u32, faults: Faults, seed: u64, frame_cycles: u32) -> World<P, C> {
        let cut = Cut::of_mtu(mtu_bytes);
        let mut world = World::new(nodes, mtu_bytes, faults, seed);
        world.nodes =
            (0..nodes).map(|node| Node::with(Settings { frame_cycles, ..settings(node, nodes, cut) })).collect();
        world
    }

    fn send(&mut self, frame: Vec<u8>) {
        let to = usize::from(frame[5]);
        assert!(to < self.nodes.len(), "a frame to a node that does not exist");
        if self.unreachable == Some(to) {
            self.vanished += 1;
            return;
        }
        if self.random.chance(self.faults.loss) {
            self.lost += 1;
            return;
        }
        if self.random.chance(self.faults.duplication) {
            self.wire.push_back((to, frame.clone()));
        }
        if self.random.chance(self.faults.garbage) {
            // Only the FCS protects the numbers, and what a first frame says of its message. Type,
            // source, length and offset are checked.
            let checked = [8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 24, 25, 26, 27];
            let mut garbage = frame.clone();
            garbage[checked[self.random.below(16) as usize]] ^= 1 << self.random.below(8);
            let is_answer = !matches!(frame[14] & 0xF, 1 | 4);
            // The last word of an answer says what room there is.
            if !is_answer || garbage[24..28] == frame[24..28] {
                self.wire.push_back((to, garbage));
            }
        }
        let place = match self.random.chance(self.faults.reordering) {
            true => self.random.below(self.wire.len() as u32 + 1) as usize,
            false => self.wire.len(),
        };
        self.wire.insert(place, (to, frame));
    }

    pub fn step(&mut self) {
        for index in 0..self.nodes.len() {
            let choice = self.random.word();
            let read_error = self.random.chance(self.faults.read_errors);
            let write_error = self.random.chance(self.faults.write_errors);
            let node = &mut self.nodes[index];
            node.hardware.now = node.hardware.now.wrapping_add(1);
            // The cores of a NIC take their turns in any order.
            for (bit, step) in [(1, Node::step_a as fn(&mut Node<P, C>)), (16, Node::step_b)] {
                if choice & bit != 0 {
                    node.hardware.writes_at_once = choice & (256 * bit) != 0;
                    step(node);
                    node.end_writes_at_once();
                    self.judge.look(index, node);
                }
            }
            if choice & 2 != 0 {
                node.step_read(read_error);
            }
            let is_slow = self.slow.is_some_and(|(slow, of)| slow == index && self.random.below(of) != 0);
            if choice & 4 != 0 && !is_slow {
                node.step_write(write_error);
            }
            node.poll();
            if let Some(driver) = &mut node.driver {
                driver.step(&mut node.hardware, choice & 0xE0 == 0);
            }
            if choice & 8 != 0 {
                if let Some(frame) = self.nodes[index].step_transmit() {
                    self.send(frame);
                }
            }
        }
        if self.random.below(2) == 0 {
            if let Some((to, frame)) = self.wire.pop_front() {
                self.nodes[to].deliver(&frame);
            }
        }
    }

    /// Steps until `done`.
    pub fn run(&mut self, steps: u32, done: impl Fn(&World<P, C>) -> bool) {
        for _ in 0..steps {
            if done(self) {
                return;
            }
            self.step();
        }
        for (index, node) in self.nodes.iter().enumerate() {
            println!("node {index}: {:?}", node.host);
            for &counter in Counter::ALL.iter().filter(|&&counter| node.counter(counter) != 0) {
                println!("  {} {}", counter.name(), node.counter(counter));
            }
        }
        panic!("not done after {steps} steps");
    }

    /// Steps until every send has ended, gives up the receives that are left, and judges all
    /// messages: every send has ended well.
    pub fn finish(&mut self, steps: u32) {
        self.end(steps);
        self.judge.check_all_done(&self.nodes);
    }

    /// The same where messages may fail.
    pub fn end(&mut self, steps: u32) {
        self.run(steps, |world| world.nodes.iter().all(|node| node.host.have_sends_ended()));
        for node in &mut self.nodes {
            node.host.cancel_receives();
        }
        self.run(steps, |world| world.nodes.iter().all(|node| node.host.has_ended()));
        self.judge.check(&self.nodes);
        for node in &self.nodes {
            node.check_sums();
        }
    }

    /// A node starts again, with another session. Its peers were not told.
    pub fn restart(&mut self, node: usize, session: u32) {
        self.nodes[node] = Node::new(node as u32, self.nodes.len() as u32, Cut::of_mtu(1500), session);
        self.judge.forget();
    }

    /// Posts a send of these bytes.
    pub fn send_message(&mut self, from: usize, wish: Wish) -> usize {
        self.nodes[from].host.send(wish)
    }

    /// Posts a receive.
    pub fn receive(&mut self, at: usize, wish: Wish) -> usize {
        self.nodes[at].host.receive(wish)
    }
}

impl<P: Posted, C: Scheme> Node<P, C> {
    /// Markers since the last call.
    fn take_trace(&mut self) -> Vec<(Marker, u32)> {
        std::mem::take(&mut self.hardware.trace)
    }
}
