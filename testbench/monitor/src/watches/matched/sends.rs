//! Sends: frames that leave belong to posted messages, a send ends well only when its peer has
//! acknowledged every collection, and what is not acknowledged is sent again (INV-27, 28, 32).

use std::collections::{BTreeMap, BTreeSet};

use nic_layout::personality::emp::descriptor::{stat, SEND_DESCRIPTORS};
use nic_layout::personality::emp::frame::{ABORTED, ACK, FIRST};
use nic_layout::trace::Marker;
use sim_pins::Ps;

use super::frame::Frame;
use super::order::{before, KEPT};
use crate::broken::{broken, Broken};
use crate::context::{Access, Command, Context};
use crate::header::Header;
use crate::places::Pins;
use crate::watches::Watch;

/// A message of this node.
struct Message {
    record: u32,
    tag: u16,
    length: u32,
    /// The host has changed the descriptor while the NIC had it: its words are not compared.
    is_wild: bool,
    /// Its frames and those of a collection, once its first frame has left.
    shape: Option<(u32, u32)>,
    /// Collections that were acknowledged.
    acknowledged: BTreeSet<u32>,
    /// The firmware may have given it up, or has ended it.
    is_over: bool,
    /// When a frame of it left last, or when it was taken. Or when a collection of an earlier
    /// message was accepted: on a narrow path an earlier message goes first, however long it is.
    since: Ps,
}

impl Message {
    fn is_accepted(&self) -> bool {
        let collections = |(frames, of_collection): (u32, u32)| frames.div_ceil(of_collection);
        self.shape.is_some_and(|shape| self.acknowledged.len() as u32 == collections(shape))
    }
}

/// A node that messages are sent to.
#[derive(Default)]
struct Peer {
    /// Its session, once a frame was sent to it, or a command has named it.
    session: Option<u32>,
    next: u16,
    messages: BTreeMap<u16, Message>,
}

/// What becomes of messages at their sender. Comes behind `Messages`.
pub struct Sends {
    peers: BTreeMap<u32, Peer>,
    /// Sessions of peers that have started again, until their numbers are forgotten.
    restarted: BTreeMap<u32, u32>,
    /// The message that each record had last: node and number.
    messages: BTreeMap<u32, (u32, u16)>,
    /// Messages of an earlier incarnation of their peer, by record: the host may see later that one
    /// has ended. Their numbers belong to others now.
    forgotten: BTreeMap<u32, (u32, u16, Message)>,
    /// Records that were posted, until the firmware has taken them.
    posted: BTreeSet<u32>,
    /// No message rests for longer.
    rest_max: Ps,
    /// When time-outs were looked at last.
    looked: Ps,
}

/// The interval of a time-out grows to this many times the first (docs/emp.md, Reliability).
const INTERVAL_MAX: u64 = 64;
/// What other messages may take before a message has its turn.
const TURNS_MAX: Ps = Ps::from_us(100_000);
/// The time between two looks at time-outs.
const LOOK: Ps = Ps::from_us(1000);

impl Sends {
    /// `resend`: the first interval of a time-out.
    pub fn new(resend: Ps) -> Sends {
        Sends {
            peers: BTreeMap::new(),
            restarted: BTreeMap::new(),
            messages: BTreeMap::new(),
            forgotten: BTreeMap::new(),
            posted: BTreeSet::new(),
            rest_max: Ps(2 * INTERVAL_MAX * resend.0 + TURNS_MAX.0),
            looked: Ps::ZERO,
        }
    }

    fn message(&mut self, record: u32) -> Option<&mut Message> {
        let (node, number) = self.messages.get(&record)?;
        self.peers.get_mut(node)?.messages.get_mut(number)
    }

    /// The firmware takes a post, and gives the message the next number of its node.
    fn take(&mut self, context: &Context, record: u32) {
        self.posted.remove(&record);
        self.messages.remove(&record);
        self.forgotten.remove(&record);
        let Some(posting) = context.descriptors.posting(record) else { return };
        let (descriptor, at) = (posting.descriptor, context.now());
        let node = u32::from(descriptor.node);
        let peer = self.peers.entry(node).or_default();
        let number = peer.next;
        peer.next = number.wrapping_add(1);
        peer.messages.retain(|other, _| before(*other, number) < KEPT as i16);
        let message = Message {
            record,
            tag: descriptor.tag,
            length: descriptor.length_bytes,
            is_wild: posting.is_wild,
            shape: None,
            acknowledged: BTreeSet::new(),
            is_over: false,
            since: at,
        };
        peer.messages.insert(number, message);
        self.messages.insert(record, (node, number));
    }

    fn leaves(&mut self, at: Ps, frame: &Frame) -> Result<(), Broken> {
        let (node, number) = (frame.header.to, frame.message());
        let peer = self.peers.entry(node).or_default();
        let session = *peer.session.get_or_insert(frame.header.to_session);
        if session != frame.header.to_session {
            // It was in the ring when the node started again.
            return Ok(());
        }
        let Some(message) = peer.messages.get_mut(&number) else {
            return broken(
                27,
                format!("a frame of message {number} leaves for node {node}, and no such message was posted"),
            );
        };
        message.since = at;
        if !frame.is(FIRST) {
            return Ok(());
        }
        let (tag, length) = (frame.tag(), frame.length());
        if !message.is_wild && (tag, length) != (message.tag, message.length) {
            let posted = (message.tag, message.length);
            return broken(
                27,
                format!(
                    "message {number} leaves for node {node} with tag and length {:?}, and {posted:?} was posted",
                    (tag, length)
                ),
            );
        }
        message.shape = Some((frame.cut_of_message().frames(length), frame.collection_frames()));
        Ok(())
    }

    /// The firmware takes an answer of a peer.
    fn answered(&mut self, at: Ps, frame: &Frame) {
        let Some(peer) = self.peers.get_mut(&frame.header.from) else { return };
        if peer.session != Some(frame.header.session) {
            return;
        }
        let Some(message) = peer.messages.get_mut(&frame.message()) else { return };
        if frame.is(ABORTED) {
            message.is_over = true;
        } else if let Some((frames, of_collection)) = message.shape.filter(|_| frame.is(ACK)) {
            if frame.number() < frames && message.acknowledged.insert(frame.number() / of_collection) {
                let later = peer.messages.iter_mut().filter(|(number, _)| before(frame.message(), **number) > 0);
                later.for_each(|(_, message)| message.since = at);
            }
        }
    }

    /// The host sees a send done.
    fn ended(&mut self, context: &Context, record: u32) -> Result<(), Broken> {
        let is_certain = context.descriptors.posting(record).is_some_and(|posting| !posting.is_wild);
        if record >= SEND_DESCRIPTORS || !is_certain {
            return Ok(());
        }
        if self.posted.contains(&record) {
            return broken(28, format!("the host sees send {record} done, and the firmware has not taken it"));
        }
        let of_peer = |(node, number): &(u32, u16)| Some((*node, *number, self.peers.get(node)?.messages.get(number)?));
        let forgotten = || self.forgotten.get(&record).map(|(node, number, message)| (*node, *number, message));
        match self.messages.get(&record).and_then(of_peer).or_else(forgotten) {
            Some((node, number, message)) if !message.is_accepted() => {
                let acknowledged = message.acknowledged.len();
                broken(28, format!("send {record} is done: message {number} to node {node}, of which the node has acknowledged {acknowledged} collections of {:?}", message.shape))
            }
            _ => Ok(()),
        }
    }

    /// A peer has started again: numbers to it begin at 0.
    fn forget(&mut self, node: u32) {
        let session = self.restarted.remove(&node);
        let before = self.peers.insert(node, Peer { session, ..Peer::default() });
        for (number, message) in before.into_iter().flat_map(|peer| peer.messages) {
            let record = message.record;
            // A record may have a younger message.
            if self.messages.get(&record) == Some(&(node, number)) {
                self.messages.remove(&record);
                self.forgotten.insert(record, (node, number, message));
            }
        }
    }

    /// No message that is not accepted rests for long.
    fn bounded(&mut self, at: Ps) -> Result<(), Broken> {
        if at.0.saturating_sub(self.looked.0) < LOOK.0 {
            return Ok(());
        }
        self.looked = at;
        for (node, peer) in &self.peers {
            for (number, message) in peer.messages.iter().filter(|(_, message)| !message.is_over) {
                if at.0.saturating_sub(message.since.0) > self.rest_max.0 {
                    let (record, since) = (message.record, message.since);
                    return broken(32, format!("message {number} to node {node}, of send {record}, rests since {since}, and was not given up"));
                }
            }
        }
        Ok(())
    }
}

impl Watch for Sends {
    fn host_writes(
        &mut self,
        context: &mut Context,
        _pins: &dyn Pins,
        _address: u32,
        _value: u32,
    ) -> Result<(), Broken> {
        if let Access::Posts(number) = context.descriptors.access() {
            if number < SEND_DESCRIPTORS {
                self.posted.insert(number);
            }
        }
        Ok(())
    }

    fn host_reads(&mut self, context: &mut Context, _address: u32, _value: u32) -> Result<(), Broken> {
        match context.descriptors.access() {
            Access::SeesEnd(number, stat::DONE) => self.ended(context, number)?,
            Access::SeesEnd(number, _) => _ = self.posted.remove(&number),
            _ => {}
        }
        self.bounded(context.now())
    }

    fn marker(&mut self, context: &mut Context, _pins: &dyn Pins, marker: Marker, argument: u32) -> Result<(), Broken> {
        match marker {
            Marker::PostRead => self.take(context, argument),
            Marker::ReceiveBegin => {
                if let Some(frame) = context.frames.taken().and_then(Frame::of) {
                    self.answered(context.now(), &frame);
                }
            }
            Marker::SendGivenUp | Marker::MessageSent => {
                if let Some(message) = self.message(argument) {
                    message.is_over = true;
                }
            }
            Marker::Command => self.restarted.extend(context.commands.obeyed().and_then(Command::restarted_peer)),
            Marker::NumbersForgotten => self.forget(argument),
            Marker::Idle => return self.bounded(context.now()),
            _ => {}
        }
        Ok(())
    }

    fn sent(&mut self, context: &mut Context, header: &Header) -> Result<(), Broken> {
        match Frame::of(*header).filter(Frame::has_data) {
            Some(frame) => self.leaves(context.now(), &frame),
            None => Ok(()),
        }
    }
}
