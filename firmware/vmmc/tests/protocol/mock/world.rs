//! Nodes, the wires between them, and the order of their steps.

use std::collections::VecDeque;

use nic_vmmc::Tables;

use super::{NodeOf, Random, Settings};

/// Nodes and the wires between them.
pub struct WorldOf<T: Tables> {
    pub nodes: Vec<NodeOf<T>>,
    pub settings: Settings,
    pub random: Random,
    /// Destination and frame.
    pub wire: VecDeque<(usize, Vec<u8>)>,
    /// Frames to this node vanish.
    pub unreachable: Option<usize>,
}

impl<T: Tables> WorldOf<T> {
    pub fn new(settings: Settings, seed: u64) -> WorldOf<T> {
        WorldOf {
            nodes: (0..settings.nodes).map(|node| NodeOf::new(node, &settings)).collect(),
            settings,
            random: Random::new(seed),
            wire: VecDeque::new(),
            unreachable: None,
        }
    }

    fn send(&mut self, frame: Vec<u8>) {
        // Byte 5 is the receiver's node, byte 4 the receiver's session.
        let to = usize::from(frame[5]);
        assert!(to < self.nodes.len(), "a frame to nobody");
        if self.unreachable == Some(to) || self.random.chance(self.settings.loss) {
            return;
        }
        if self.random.chance(self.settings.duplication) {
            self.wire.push_back((to, frame.clone()));
        }
        if self.random.chance(self.settings.garbage) {
            let mut garbage = frame.clone();
            let at = self.random.below(48) as usize;
            garbage[at] ^= 1 << self.random.below(8);
            // Only the FCS protects the words behind the kind: a wild sequence number would pass
            // for a good one. So only garbage before them is delivered.
            if at < 15 {
                self.wire.push_back((to, garbage));
            }
        }
        let place = if self.random.chance(self.settings.reordering) {
            self.random.below(self.wire.len() as u32 + 1) as usize
        } else {
            self.wire.len()
        };
        self.wire.insert(place, (to, frame));
    }

    pub fn step(&mut self) {
        for index in 0..self.nodes.len() {
            let choice = self.random.word();
            let node = &mut self.nodes[index];
            node.hardware.now = node.hardware.now.wrapping_add(1);
            if choice & 1 != 0 {
                node.step_firmware();
                node.check_sums(false);
            }
            let error = self.random.chance(self.settings.read_errors);
            let node = &mut self.nodes[index];
            if choice & 2 != 0 {
                node.step_read(error);
            }
            if choice & 4 != 0 {
                node.step_write(false);
            }
            if choice & 8 != 0 {
                if let Some(frame) = node.step_transmit() {
                    self.send(frame);
                }
            }
            if self.random.chance(self.settings.driver_speed) {
                self.nodes[index].serve_miss();
                self.nodes[index].read_notification();
            }
        }
        if self.random.below(2) == 0 {
            if let Some((to, frame)) = self.wire.pop_front() {
                self.nodes[to].deliver(&frame);
            }
        }
    }

    /// Steps until `done`, or fails (INV-33).
    pub fn run(&mut self, steps: u32, done: impl Fn(&WorldOf<T>) -> bool) {
        for _ in 0..steps {
            if done(self) {
                return;
            }
            self.step();
        }
        panic!("not done after {steps} steps");
    }

    /// Steps until nothing has moved for longer than any timer of a receiver.
    pub fn settle(&mut self) {
        let mut quiet = 0;
        for _ in 0..1_000_000 {
            self.step();
            let is_quiet = self.wire.is_empty() && self.nodes.iter().all(NodeOf::is_quiet);
            quiet = if is_quiet { quiet + 1 } else { 0 };
            if quiet > 200 {
                return;
            }
        }
        panic!("it never settles");
    }
}
