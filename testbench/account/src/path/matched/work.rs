//! What the cores of a node do while a message is there.

use nic_layout::trace::Marker;
use sim_pins::Ps;

use super::super::way::Way;
use crate::account::Clock;
use crate::log::Core;

/// The gap between frames that follow each other, and what the MAC takes to begin the next one.
const GAP_BYTES: u64 = 20;

impl Way<'_> {
    /// The role of a core in the names of stages.
    pub(super) fn role_of(&self, node: usize, core: Core) -> String {
        let role = self.journey.role(node);
        match core {
            Core::A => role.to_string(),
            Core::B => format!("{role}, core B"),
        }
    }

    /// Stages of a core of a node between two times, by the markers of its firmware. While the
    /// core sleeps, the message may be on the wire with earlier frames.
    pub(super) fn work(&mut self, node: usize, core: Core, from: Ps, to: Ps) {
        let log = self.journey.logs[node];
        let role = self.role_of(node, core);
        for (at, marker, _) in log.markers_of(core, from, to).filter(|(at, ..)| *at < to) {
            self.mark(at, node, Clock::Core, format!("{role}: {}", marker.stage()));
            if marker == Marker::Idle && node == self.journey.sender {
                let next = log.markers_of(core, Ps(at.0 + 1), to).next().map_or(to, |(next, ..)| next);
                self.frames_on_the_wire(node, at, next.min(to), &format!("{role}: {}", marker.stage()));
            }
        }
    }

    /// Frames of a node that are on the wire while its core sleeps between two times. `idle`: the
    /// stage between frames.
    fn frames_on_the_wire(&mut self, node: usize, from: Ps, to: Ps, idle: &str) {
        let sent = &self.journey.logs[node].sent;
        // The gap between two frames belongs to the wire.
        let gap = Ps(GAP_BYTES * 1_000_000_000_000 / self.journey.hz.link_hz);
        let first = sent.partition_point(|frame| frame.end + gap <= from);
        for (index, frame) in sent.iter().enumerate().skip(first).take_while(|(_, frame)| frame.start < to) {
            self.mark(frame.start.max(from), node, Clock::Link, "link: frames before it");
            let end = (frame.end + gap).max(from);
            let next = sent.get(index + 1).map_or(Ps::MAX, |next| next.start);
            if end < to.min(next) {
                self.mark(end, node, Clock::Core, idle);
            }
        }
    }
}
