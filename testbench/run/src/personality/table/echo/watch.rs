//! Each frame that a node accepts leaves again: once, in its turn, with the same bytes, to its
//! sender (INV-27).

use std::collections::{BTreeMap, VecDeque};

use nic_layout::frame::link::FrameKind;
use nic_layout::personality::echo::BACK;
use nic_layout::trace::Marker;
use nic_monitor::watches::Watch;
use nic_monitor::{broken, Broken, Context, Header, Pins};

/// What a node owes one peer.
#[derive(Default)]
struct Peer {
    /// Accepted frames that have not left yet.
    owed: VecDeque<Header>,
    /// The sequence number of the next frame to the peer: an earlier one is sent again.
    next: u32,
}

/// What goes back, by peer.
#[derive(Default)]
pub struct Returned(BTreeMap<u32, Peer>);

/// What has to come back unchanged.
fn content(frame: &Header) -> (u32, u32, [u32; 5]) {
    (frame.message, frame.data_bytes, frame.data)
}

impl Watch for Returned {
    fn marker(&mut self, context: &mut Context, _pins: &dyn Pins, marker: Marker, argument: u32) -> Result<(), Broken> {
        match marker {
            Marker::Accepted => {
                if let Some(frame) = context.judged().filter(|frame| frame.is(FrameKind::WRITE) && frame.buffer != BACK)
                {
                    self.0.entry(frame.from).or_default().owed.push_back(frame);
                }
            }
            // Nothing is sent to a peer that was given up.
            Marker::PeerLost => drop(self.0.remove(&argument)),
            _ => {}
        }
        Ok(())
    }

    fn sent(&mut self, _context: &mut Context, frame: &Header) -> Result<(), Broken> {
        let peer = self.0.entry(frame.to).or_default();
        let is_new = frame.sequence.wrapping_sub(peer.next) as i32 >= 0;
        if !frame.is(FrameKind::WRITE) || !is_new {
            return Ok(());
        }
        peer.next = frame.sequence.wrapping_add(1);
        if frame.buffer != BACK {
            return Ok(());
        }
        match peer.owed.pop_front() {
            Some(owed) if content(&owed) == content(frame) => Ok(()),
            Some(owed) => broken(
                27,
                format!("{:?} came from node {}, and {:?} goes back", content(&owed), frame.to, content(frame)),
            ),
            None => broken(27, format!("message {} goes back to node {}, and never came", frame.message, frame.to)),
        }
    }

    fn finish(&mut self, _context: &mut Context) -> Result<(), Broken> {
        match self.0.iter().find_map(|(node, peer)| Some((node, peer.owed.front()?))) {
            Some((node, owed)) => broken(27, format!("message {} of node {node} has not gone back", owed.message)),
            None => Ok(()),
        }
    }
}
