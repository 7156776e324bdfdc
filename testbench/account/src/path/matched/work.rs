//! What the cores of a node do while a message is there.

use nic_layout::trace::Marker;
use sim_pins::Ps;

use super::super::host;
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

    /// Stages of a core of a node between two times, by the markers of its firmware. From a miss
    /// until the host has served it, the message waits for the host, whatever the core does. While
    /// the core sleeps else, the message may be on the wire with earlier frames.
    pub(super) fn work(&mut self, node: usize, core: Core, from: Ps, to: Ps) {
        let log = self.journey.logs[node];
        let role = self.role_of(node, core);
        let raised = self.miss_raised(node, core, from, to).unwrap_or(to);
        let outstanding = self.outstanding_miss(node, core, from);
        let mut by_the_host = host::stages(log, outstanding.unwrap_or(raised), to);
        let before = by_the_host.partition_point(|(begin, ..)| *begin < from);
        if let Some((at, clock, stage)) = by_the_host.drain(..before).next_back() {
            self.mark(at.max(from), node, clock, stage);
        }
        let mut by_the_host = by_the_host.into_iter().peekable();
        let mut waits = outstanding.is_some();
        for (at, marker, _) in log.markers_of(core, from, to).filter(|(at, ..)| *at < to) {
            while let Some((at, clock, stage)) = by_the_host.next_if(|(begin, ..)| *begin < at) {
                waits &= stage != host::MISS_SERVED;
                self.mark(at, node, clock, stage);
            }
            if waits {
                continue;
            }
            self.mark(at, node, Clock::Core, format!("{role}: {}", marker.stage()));
            waits = marker == Marker::MissRaised;
            if marker == Marker::Idle && node == self.journey.sender {
                let next = log.markers_of(core, Ps(at.0 + 1), to).next().map_or(to, |(next, ..)| next);
                self.frames_on_the_wire(node, at, next.min(to), &format!("{role}: {}", marker.stage()));
            }
        }
        for (at, clock, stage) in by_the_host {
            self.mark(at, node, clock, stage);
        }
    }

    /// When a core raised the miss for this message that the host has not served at that time.
    fn outstanding_miss(&self, node: usize, core: Core, at: Ps) -> Option<Ps> {
        let log = self.journey.logs[node];
        let mut before = log.markers_of(core, self.begin, at).rev();
        let (raised, ..) = before.find(|(_, marker, _)| *marker == Marker::MissRaised)?;
        let is_served = host::stages(log, raised, at).iter().any(|(.., stage)| stage == host::MISS_SERVED);
        (!is_served).then_some(raised)
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
