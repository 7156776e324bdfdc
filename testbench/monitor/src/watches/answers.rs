//! Answers: each data frame that a node accepts is answered once, in its turn, with the same bytes,
//! by a frame to its sender (INV-27).

use std::collections::{BTreeMap, VecDeque};

use nic_layout::frame::link::FrameKind;
use nic_layout::trace::Marker;

use crate::broken::{broken, Broken};
use crate::context::Context;
use crate::header::Header;
use crate::places::Pins;
use crate::watches::Watch;

/// The debts of a node to one peer.
#[derive(Default)]
struct Peer {
    /// Accepted frames that are not answered yet.
    owed: VecDeque<Header>,
    /// The sequence number of the next frame to the peer: an earlier one is sent again.
    next: u32,
}

/// A protocol whose data frames are questions and answers. The answer to a question carries the
/// data of the question. Comes before [`Link`](crate::watches::Link), which closes the frame that
/// both judge.
pub struct Answers {
    is_answer: fn(&Header) -> bool,
    peers: BTreeMap<u32, Peer>,
}

impl Answers {
    /// A watch of data frames. `is_answer` tells answers from questions.
    pub fn new(is_answer: fn(&Header) -> bool) -> Answers {
        Answers { is_answer, peers: BTreeMap::new() }
    }
}

/// What an answer has in common with its question: message number, length in bytes, and the first
/// words of the data.
fn content(frame: &Header) -> (u32, u32, [u32; 5]) {
    (frame.message, frame.data_bytes, frame.data)
}

impl Watch for Answers {
    fn marker(&mut self, context: &mut Context, _pins: &dyn Pins, marker: Marker, argument: u32) -> Result<(), Broken> {
        match marker {
            Marker::Accepted => {
                let question = context.judged().filter(|frame| frame.is(FrameKind::WRITE) && !(self.is_answer)(frame));
                if let Some(frame) = question {
                    self.peers.entry(frame.from).or_default().owed.push_back(frame);
                }
            }
            // Nothing is sent to a peer that was given up.
            Marker::PeerLost => drop(self.peers.remove(&argument)),
            _ => {}
        }
        Ok(())
    }

    fn sent(&mut self, _context: &mut Context, frame: &Header) -> Result<(), Broken> {
        let peer = self.peers.entry(frame.to).or_default();
        let is_new = frame.sequence.wrapping_sub(peer.next) as i32 >= 0;
        if !frame.is(FrameKind::WRITE) || !is_new {
            return Ok(());
        }
        peer.next = frame.sequence.wrapping_add(1);
        if !(self.is_answer)(frame) {
            return Ok(());
        }
        let (to, answer) = (frame.to, content(frame));
        match peer.owed.pop_front().as_ref().map(content) {
            Some(question) if question == answer => Ok(()),
            Some(question) => broken(27, format!("{question:?} came from node {to}, and {answer:?} goes back")),
            None => broken(27, format!("message {} goes back to node {to}, and never came", frame.message)),
        }
    }

    fn finish(&mut self, _context: &mut Context) -> Result<(), Broken> {
        match self.peers.iter().find_map(|(node, peer)| Some((node, peer.owed.front()?))) {
            Some((node, owed)) => broken(27, format!("message {} of node {node} has not gone back", owed.message)),
            None => Ok(()),
        }
    }
}
