//! Frames of the link: they come whole, are taken in order, and acknowledgements cover what was
//! taken (INV-11, 27, 29). Frames of or for a dead incarnation of a node are not taken (INV-31).

use std::collections::BTreeMap;

use nic_layout::frame::link::FrameKind;
use nic_layout::trace::Marker;

use super::Watch;
use crate::broken::{broken, Broken};
use crate::context::{Command, Context};
use crate::header::Header;
use crate::places::Pins;

/// The sequence numbers between this node and one other.
#[derive(Clone, Copy, Debug)]
struct Peer {
    /// The number after the highest sequence number that was sent to the node.
    sent: u32,
    /// The ack in the last frame that only acknowledged and was sent to the node.
    told: u32,
}

/// Frames of the link and their acknowledgements.
#[derive(Default)]
pub struct Link {
    /// By sender: the sequence number of the next frame to be accepted.
    expected: BTreeMap<u32, u32>,
    /// By node: the numbers that were exchanged with it.
    peers: BTreeMap<u32, Peer>,
    /// The session in the frames that this node sends. `None` before its first frame.
    own_session: Option<u32>,
    /// By node: its session, as far as a command has told the firmware of it.
    sessions: BTreeMap<u32, u32>,
}

impl Watch for Link {
    fn marker(&mut self, context: &mut Context, _pins: &dyn Pins, marker: Marker, argument: u32) -> Result<(), Broken> {
        match marker {
            Marker::ReceiveBegin => context.frames.begin(),
            Marker::FrameRetaken => context.frames.retake(argument),
            // The guard opens the frame, and is true if the ring holds no such frame.
            Marker::ReceiveHeader if !context.frames.open(argument) => {
                return broken(11, format!("frame {argument} was received, and never came whole"));
            }
            Marker::Accepted | Marker::Refused => {
                let judged = context.frames.judged();
                context.frames.close();
                if let Some(frame) = judged {
                    return self.advance(&frame);
                }
            }
            Marker::Dropped | Marker::FrameHeld => context.frames.close(),
            Marker::ReadTaken => context.frames.queue_read(argument),
            Marker::Command => {
                if let Some((node, session)) = context.commands.obeyed().and_then(Command::restarted_peer) {
                    self.restart(node, session);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn received(&mut self, _context: &mut Context, header: &Header) -> Result<(), Broken> {
        self.check_answer(header)
    }

    fn sent(&mut self, _context: &mut Context, header: &Header) -> Result<(), Broken> {
        self.check_acknowledgement(header)
    }
}

impl Link {
    /// The firmware goes on with the next incarnation of a node: numbers begin at 0 both ways.
    fn restart(&mut self, node: u32, session: u32) {
        self.sessions.insert(node, session);
        self.expected.insert(node, 0);
        self.peers.remove(&node);
    }

    /// The session of a node, as its peer's firmware knows it: without a command its own.
    fn session_of(&self, node: u32) -> Option<u32> {
        self.sessions.get(&node).copied().or(self.own_session)
    }

    /// A frame is accepted: it must be of and for the present incarnations, and the next of its
    /// sender.
    fn advance(&mut self, frame: &Header) -> Result<(), Broken> {
        let (sequence, from) = (frame.sequence, frame.from);
        for (what, named, known) in
            [("from", frame.session, self.session_of(from)), ("for", frame.to_session, self.own_session)]
        {
            if let Some(known) = known.filter(|known| *known != named) {
                return broken(
                    31,
                    format!("frame {sequence} of node {from} is taken, {what} session {named}; it is {known} now"),
                );
            }
        }
        let expected = self.expected.insert(from, sequence.wrapping_add(1));
        match expected.filter(|expected| *expected != sequence) {
            Some(expected) => {
                broken(27, format!("frame {sequence} of node {from} is taken, and frame {expected} is the next"))
            }
            None => Ok(()),
        }
    }

    /// A peer may acknowledge only what was sent to it (INV-29). Frames of another session, and for
    /// another, are not judged: the firmware drops them.
    fn check_answer(&self, header: &Header) -> Result<(), Broken> {
        let is_of_present = self.session_of(header.from) == Some(header.session);
        let is_current = is_of_present && self.own_session == Some(header.to_session);
        let Some(peer) = self.peers.get(&header.from).filter(|_| is_current) else {
            return Ok(());
        };
        match !header.is_ours() || (header.acknowledge.wrapping_sub(peer.sent) as i32) <= 0 {
            true => Ok(()),
            false => broken(
                29,
                format!(
                    "node {} acknowledges all frames before {}, and the next one to be sent to it is {}",
                    header.from, header.acknowledge, peer.sent
                ),
            ),
        }
    }

    /// An ack covers what was accepted or refused for good, and nothing else. A frame that only
    /// acknowledges never takes back an earlier ack (INV-29). Frames with a number may, since they
    /// do not cover what was refused. A frame for a dead incarnation that was in the ring is not
    /// judged.
    fn check_acknowledgement(&mut self, header: &Header) -> Result<(), Broken> {
        if !header.is_ours() {
            return Ok(());
        }
        self.own_session = Some(header.session);
        if self.session_of(header.to) != Some(header.to_session) {
            return Ok(());
        }
        let peer = self.peers.entry(header.to).or_insert(Peer { sent: 0, told: 0 });
        if header.has_sequence() && (header.sequence.wrapping_sub(peer.sent) as i32) >= 0 {
            peer.sent = header.sequence.wrapping_add(1);
        }
        if header.is(FrameKind::ACKNOWLEDGE) {
            let before = std::mem::replace(&mut peer.told, header.acknowledge);
            if (header.acknowledge.wrapping_sub(before) as i32) < 0 {
                return broken(
                    29,
                    format!("node {} is told of {before} frames, and then of {}", header.to, header.acknowledge),
                );
            }
        }
        let expected = self.expected.get(&header.to).copied().unwrap_or(0);
        match (header.acknowledge.wrapping_sub(expected) as i32) <= 0 {
            true => Ok(()),
            false => broken(
                29,
                format!(
                    "node {} is told that all frames before {} came; the last one taken was the one before {expected}",
                    header.to, header.acknowledge
                ),
            ),
        }
    }
}
