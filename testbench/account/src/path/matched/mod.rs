//! The way of a message that the receiver's NIC matches.
//!
//! The way is that of the *last frame*: the frame whose data came last into host memory. While the
//! sender's core is busy with earlier frames, that is where the message is. A first frame that
//! matches nothing is refused; then the message waits at its sender. A frame that is lost waits for
//! its time-out.
//!
//! The firmware may be on one core or on two: a step is where its marker is.
//!
//! * `facts`: which markers, frames and descriptors belong to a message. `send`: from the post to
//!   the wire. `receive`: from the wire to the process. `answer`: refusals, and the acknowledgement.

mod answer;
mod facts;
mod frame;
mod receive;
mod send;
#[cfg(test)]
mod tests;

use nic_layout::trace::Marker;
use sim_pins::Ps;

use super::way::{PathError, Way};
use crate::account::Clock;
use crate::log::Core;

impl Way<'_> {
    /// From the post to the descriptor that says that the message is there.
    pub(super) fn to_the_receiver(&mut self) -> Result<(), PathError> {
        let facts = self.facts()?;
        self.post_message(&facts)?;
        let (last, before) = facts.attempts.split_last().ok_or_else(|| self.journey.missing("no frame of it"))?;
        for (index, attempt) in before.iter().enumerate() {
            self.send(&facts, attempt)?;
            self.lose(&facts, attempt)?;
            // A later frame may leave before this one is judged.
            let next = facts.attempts[index + 1].frame.start;
            self.marks.retain(|mark| mark.at <= next);
        }
        self.send(&facts, last)?;
        self.receive(&facts, last)
    }

    /// Stages of a core of a node between two times, by the markers of its firmware. While the
    /// core sleeps, the message may be on the wire with earlier frames.
    fn work(&mut self, node: usize, core: Core, from: Ps, to: Ps) {
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
        let first = sent.partition_point(|frame| frame.end <= from);
        for frame in sent[first..].iter().take_while(|frame| frame.start < to) {
            self.mark(frame.start.max(from), node, Clock::Link, "link: frames before it");
            if frame.end < to {
                self.mark(frame.end, node, Clock::Core, idle);
            }
        }
    }
}
