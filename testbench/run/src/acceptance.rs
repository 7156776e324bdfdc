//! Compares the ends of a sender's writes with the log of its peer (INV-28): the peer accepted each
//! frame of a write before the sender saw the write's good end.

use std::collections::{BTreeMap, BTreeSet};

use host_model::events::{EventKind, Subject};
use nic_layout::frame::link::FrameKind;
use nic_layout::trace::{parse, Marker, ARGUMENT_MASK};
use nicscope_account::log::NodeLog;
use sim_pins::Ps;

/// The result of judging the writes of a node.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Judged {
    /// Frames of writes that have ended well, each looked for at the peer.
    pub frames: u64,
    /// A text for each frame that the peer had not accepted when the sender saw the end.
    pub broken: Vec<String>,
}

/// Compares the writes of `sender` with the log of its only peer. Both logs come from a recorded
/// run in which the frames of `sender` were captured.
///
/// Messages in `ended_badly` are not judged. Every other message must have one post, and the run
/// must have fewer frames than the argument of a marker can number.
pub fn of_writes(sender: &NodeLog, peer: &NodeLog, ended_badly: &BTreeSet<u32>) -> Judged {
    let mut accepted: BTreeMap<u32, Ps> = BTreeMap::new();
    for (at, word) in &peer.trace {
        if let Some((Marker::Accepted, sequence)) = parse(*word) {
            accepted.entry(sequence).or_insert(*at);
        }
    }
    let mut frames: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for frame in sender.sent.iter().filter_map(|frame| frame.data).filter(|data| data.kind == FrameKind::WRITE) {
        frames.entry(frame.message).or_default().insert(frame.sequence & ARGUMENT_MASK);
    }
    let mut judged = Judged::default();
    for event in sender.host.iter().filter(|event| event.kind == EventKind::StatusSeen) {
        let Subject::Post { message, .. } = event.subject else { continue };
        if ended_badly.contains(&message) {
            continue;
        }
        for sequence in frames.get(&message).into_iter().flatten() {
            judged.frames += 1;
            let end = format!("message {message} ended at {}, and its frame {sequence} was", event.at);
            match accepted.get(sequence) {
                Some(at) if *at < event.at => {}
                Some(at) => judged.broken.push(format!("INV-28: {end} accepted at {at}")),
                None => judged.broken.push(format!("INV-28: {end} never accepted")),
            }
        }
    }
    judged
}
