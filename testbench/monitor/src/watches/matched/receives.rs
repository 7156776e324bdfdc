//! Receives: messages take them as the ordering rule says, acknowledgements cover what has come,
//! and a receive ends when its message is whole (INV-27, 28, 29, 30, 31, 34).

use std::collections::BTreeMap;

use nic_layout::counter::Counter;
use nic_layout::personality::emp::descriptor::{stat, SEND_DESCRIPTORS};
use nic_layout::personality::emp::frame::{ABORT, ACK, FIRST};
use nic_layout::trace::Marker;
use sim_pins::Ps;

use super::arrival::Arrival;
use super::frame::Frame;
use super::order::{before, Order, Receive, Rule, Want, KEPT};
use crate::broken::{broken, Broken};
use crate::context::{Access, Command, Context};
use crate::header::Header;
use crate::places::Pins;
use crate::watches::{Watch, ANSWER_MAX};

/// A node that sends messages here.
#[derive(Default)]
struct Peer {
    /// Its session, once a message of it was matched, or a command has named it.
    session: Option<u32>,
    order: Order,
    messages: BTreeMap<u16, Arrival>,
    /// Complete collections that are to be acknowledged, by message and collection, since when.
    owed: BTreeMap<(u16, u32), Ps>,
}

/// A frame that the sorter has taken, until the next marker says what became of it.
struct Taken {
    frame: Frame,
    /// What the rule says, if the frame is the first of a message.
    rule: Option<Rule>,
}

/// What becomes of messages at their receiver. Comes behind `Messages`.
#[derive(Default)]
pub struct Receives {
    /// From the oldest on.
    posted: Vec<Receive>,
    posts: u64,
    peers: BTreeMap<u32, Peer>,
    /// The message that each record has taken last; none since it was posted.
    messages: BTreeMap<u32, (u32, u16)>,
    taken: Option<Taken>,
}

impl Receives {
    /// The sorter takes a frame.
    fn begin(&mut self, context: &mut Context) -> Result<(), Broken> {
        self.decide(context)?;
        let Some(frame) = context.frames.taken().and_then(Frame::of) else { return Ok(()) };
        let source = frame.header.from;
        let mut rule = None;
        if frame.is(FIRST) {
            let peer = self.peers.entry(source).or_default();
            let is_of_present = peer.session.is_none_or(|session| session == frame.header.session);
            if is_of_present && peer.order.is_unseen(frame.message()) {
                rule = Some(peer.order.rule(&self.posted, source, &frame));
            }
        }
        self.taken = Some(Taken { frame, rule });
        Ok(())
    }

    /// The firmware has found a first frame good, and looks for its receive. A frame that it drops
    /// before says nothing: it may be of another incarnation, for which other numbers are open.
    fn search(&mut self) {
        if let Some(Taken { frame, rule: Some(_) }) = &self.taken {
            self.peers.entry(frame.header.from).or_default().order.believe(frame);
        }
    }

    /// The frame that was taken was not dropped, and has begun no message.
    fn decide(&mut self, context: &Context) -> Result<(), Broken> {
        let Some(Taken { frame, rule }) = self.taken.take() else { return Ok(()) };
        let (source, number) = (frame.header.from, frame.message());
        if let Some(Rule::Takes(record)) = rule {
            let what = format!("message {number} of node {source} is refused, and receive {record} is posted for it");
            return broken(34, what);
        }
        let peer = self.peers.entry(source).or_default();
        if frame.is(ABORT) && peer.order.is_unseen(number) {
            peer.order.see(number);
        }
        if frame.has_data() {
            if let Some(collection) = peer.messages.get_mut(&number).and_then(|message| message.come(&frame)) {
                if peer.messages[&number].last() != Some(collection) {
                    peer.owed.insert((number, collection), context.now());
                }
            }
        }
        Ok(())
    }

    /// The frame that was taken has come, unless it may still begin a message. If it is dropped
    /// after all, it counts too much.
    fn keep(&mut self, context: &Context) -> Result<(), Broken> {
        match self.taken.as_ref().is_some_and(|taken| taken.rule.is_none()) {
            true => self.decide(context),
            false => Ok(()),
        }
    }

    fn drop(&mut self, counter: u32) -> Result<(), Broken> {
        let Some(Taken { frame, rule }) = self.taken.take() else { return Ok(()) };
        let is_early = counter == Counter::FirstsEarly.offset() / 4;
        match rule {
            Some(Rule::Takes(record)) if is_early => {
                let (source, number) = (frame.header.from, frame.message());
                broken(
                    34,
                    format!(
                        "message {number} of node {source} waits for an earlier one, and may take receive {record}"
                    ),
                )
            }
            _ => Ok(()),
        }
    }

    fn post(&mut self, context: &Context, record: u32) -> Result<(), Broken> {
        if self.posted.iter().any(|receive| receive.record == record) {
            return broken(9, format!("receive {record} is posted twice"));
        }
        let posting = context.descriptors.posting(record + SEND_DESCRIPTORS);
        let want = posting.filter(|posting| !posting.is_wild).map(|posting| Want::of(&posting.descriptor));
        self.posted.push(Receive { record, want, order: self.posts });
        self.posts += 1;
        self.messages.remove(&record);
        Ok(())
    }

    /// A message takes a receive.
    fn matched(&mut self, context: &Context, record: u32) -> Result<(), Broken> {
        let Some(Taken { frame, rule }) = self.taken.take() else {
            return broken(27, format!("receive {record} is taken by a frame that never came whole"));
        };
        let (source, number, tag) = (frame.header.from, frame.message(), frame.tag());
        let peer = self.peers.entry(source).or_default();
        let session = *peer.session.get_or_insert(frame.header.session);
        if session != frame.header.session {
            let what = format!(
                "message {number} of node {source} is of session {}, and it is {session} now",
                frame.header.session
            );
            return broken(31, what);
        }
        let Some(rule) = rule else {
            return broken(
                27,
                format!("message {number} of node {source} takes receive {record}, and was there before"),
            );
        };
        let Some(at) = self.posted.iter().position(|receive| receive.record == record) else {
            return broken(
                27,
                format!("message {number} of node {source} takes receive {record}, which is not posted"),
            );
        };
        if rule != Rule::Takes(record) && rule != Rule::Unknown {
            let what = format!(
                "message {number} of node {source} with tag {tag} takes receive {record}; the rule says {rule:?}"
            );
            return broken(27, what);
        }
        let receive = self.posted.remove(at);
        if let Some(later) = peer.order.overtaken(source, number, tag, &receive) {
            let what = format!("message {number} of node {source} takes receive {record}; message {later}, which was sent later, has taken an older one that both match");
            return broken(27, what);
        }
        peer.order.take(number, tag, receive);
        peer.messages.retain(|other, _| before(*other, number) < KEPT as i16);
        let message = Arrival::new(&frame);
        if message.owes_first() {
            peer.owed.insert((number, 0), context.now());
        }
        peer.messages.insert(number, message);
        self.messages.insert(record, (source, number));
        Ok(())
    }

    /// The firmware gives the descriptor of a message back to the host.
    fn received(&mut self, context: &Context, record: u32) -> Result<(), Broken> {
        self.keep(context)?;
        let Some((source, number)) = self.messages.get(&record).copied() else {
            return broken(28, format!("receive {record} ends, and no message has taken it"));
        };
        let Some(peer) = self.peers.get_mut(&source) else { return Ok(()) };
        let Some(message) = peer.messages.get_mut(&number) else { return Ok(()) };
        if !message.is_whole() {
            return broken(
                28,
                format!("receive {record} ends, and not all frames of message {number} of node {source} have come"),
            );
        }
        message.is_done = true;
        if let Some(last) = message.last() {
            peer.owed.insert((number, last), context.now());
        }
        Ok(())
    }

    /// The message of a record is given up. What it owed is not acknowledged any more. What came
    /// before may be: the acknowledgement of the frame that was taken last is perhaps in the ring.
    fn fail(&mut self, context: &Context, record: u32) -> Result<(), Broken> {
        self.keep(context)?;
        let Some((source, number)) = self.messages.get(&record) else { return Ok(()) };
        let Some(peer) = self.peers.get_mut(source) else { return Ok(()) };
        peer.owed.retain(|(other, _), _| other != number);
        if let Some(message) = peer.messages.get_mut(number) {
            message.is_failed = true;
        }
        Ok(())
    }

    /// The host sees a receive ended.
    fn ended(&self, context: &Context, number: u32) -> Result<(), Broken> {
        let is_certain = context.descriptors.posting(number).is_some_and(|posting| !posting.is_wild);
        let Some(record) = number.checked_sub(SEND_DESCRIPTORS).filter(|_| is_certain) else { return Ok(()) };
        let Some((source, message)) = self.messages.get(&record) else {
            return broken(28, format!("the host sees receive {record} done, and no message has taken it"));
        };
        // Nothing is known any more of messages of an earlier incarnation.
        match self.peers.get(source).and_then(|peer| peer.messages.get(message)) {
            Some(arrival) if !arrival.is_done => {
                broken(28, format!("the host sees receive {record} done, and its message is not whole"))
            }
            _ => Ok(()),
        }
    }

    fn restart(&mut self, node: u32, session: u32) {
        self.peers.insert(node, Peer { session: Some(session), ..Peer::default() });
    }

    /// A frame leaves: an acknowledgement covers what has come.
    fn acknowledges(&mut self, context: &Context, frame: &Frame) -> Result<(), Broken> {
        self.keep(context)?;
        let (node, number) = (frame.header.to, frame.message());
        let Some(peer) = self.peers.get_mut(&node) else {
            return broken(29, format!("node {node} is told that message {number} came, and nothing came from it"));
        };
        if peer.session != Some(frame.header.to_session) {
            // It was in the ring when the node started again.
            return Ok(());
        }
        let Some(message) = peer.messages.get(&number) else {
            return broken(29, format!("node {node} is told that frames of message {number} came, and none was taken"));
        };
        if let Some(why) = message.may_not_acknowledge(frame.number()) {
            let what = format!("frame {} of message {number} of node {node} is acknowledged: {why}", frame.number());
            return broken(29, what);
        }
        let collection = message.collection(frame.number());
        peer.owed.remove(&(number, collection));
        Ok(())
    }

    /// No collection waits for its acknowledgement for long.
    fn bounded(&self, at: Ps) -> Result<(), Broken> {
        for (node, peer) in &self.peers {
            for ((number, collection), since) in &peer.owed {
                if at.0.saturating_sub(since.0) > ANSWER_MAX.0 {
                    return broken(30, format!("collection {collection} of message {number} of node {node} is complete since {since}, and not acknowledged"));
                }
            }
        }
        Ok(())
    }
}

impl Watch for Receives {
    fn marker(&mut self, context: &mut Context, _pins: &dyn Pins, marker: Marker, argument: u32) -> Result<(), Broken> {
        match marker {
            Marker::ReceiveBegin => self.begin(context),
            Marker::MatchBegun => {
                self.search();
                Ok(())
            }
            Marker::Dropped => self.drop(argument),
            Marker::MessageMatched => self.matched(context, argument),
            Marker::MessageReceived => self.received(context, argument),
            Marker::ReceivePosted => self.post(context, argument),
            Marker::ReceiveGivenUp => {
                self.posted.retain(|receive| receive.record != argument);
                Ok(())
            }
            Marker::ReceiveFailed => self.fail(context, argument),
            Marker::Command => {
                self.decide(context)?;
                if let Some((node, session)) = context.commands.obeyed().and_then(Command::restarted_peer) {
                    self.restart(node, session);
                }
                Ok(())
            }
            Marker::Idle => self.bounded(context.now()),
            _ => Ok(()),
        }
    }

    fn host_reads(&mut self, context: &mut Context, _address: u32, _value: u32) -> Result<(), Broken> {
        match context.descriptors.access() {
            Access::SeesEnd(number, stat::DONE) => self.ended(context, number),
            _ => Ok(()),
        }
    }

    fn sent(&mut self, context: &mut Context, header: &Header) -> Result<(), Broken> {
        match Frame::of(*header).filter(|frame| frame.is(ACK)) {
            Some(frame) => self.acknowledges(context, &frame),
            None => Ok(()),
        }
    }

    fn finish(&mut self, context: &mut Context) -> Result<(), Broken> {
        self.bounded(context.now())
    }
}
