//! Judges which receives messages have taken, and what is in them.

use std::collections::BTreeMap;

use nic_device::Words;
use nic_layout::frame::link::word as link;
use nic_layout::personality::emp::descriptor::{stat, Failure, RESERVED_TAG_MIN, SEND_DESCRIPTORS};
use nic_layout::personality::emp::frame::{word, FIRST};
use nic_layout::trace::Marker;
use nic_matching::Posted;

use super::host::byte_of;
use super::{Node, Scheme};

/// What a node's NIC has done, in its order.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// A receive was posted: its index at the host.
    Posted(usize),
    /// A message has taken a receive: its source, its number, and the receive.
    Matched(u32, u16, usize),
}

/// Keeps the order of matches at each node.
#[derive(Default)]
pub struct Judge {
    events: BTreeMap<usize, Vec<Event>>,
    taken: BTreeMap<usize, Vec<bool>>,
    /// Receives are posted that the hosts do not know of.
    pub is_blind: bool,
}

impl Judge {
    /// Looks at what a turn of a NIC has done.
    pub fn look<P: Posted, C: Scheme>(&mut self, index: usize, node: &mut Node<P, C>) {
        if self.is_blind {
            return;
        }
        let events = self.events.entry(index).or_default();
        let taken = self.taken.entry(index).or_default();
        taken.resize(node.host.receives.len(), false);
        // The sorter takes what is posted before it looks at a frame.
        for (receive, taken) in taken.iter_mut().enumerate() {
            let message = &node.host.receives[receive];
            let is_taken = message.descriptor.is_some_and(|number| message.ended.is_some() || node.stat(number) != 1);
            if is_taken && !*taken {
                *taken = true;
                events.push(Event::Posted(receive));
            }
        }
        let mut frame = None;
        for (marker, record) in node.take_trace() {
            if marker == Marker::ReceiveBegin {
                frame = Some(record as u16);
            }
            if marker == Marker::MessageMatched {
                let (source, number) = message_of(node, frame.expect("a message without its first frame"));
                let is_it = |message: &super::Message| {
                    message.ended.is_none() && message.descriptor == Some(record + SEND_DESCRIPTORS)
                };
                let receive = node.host.receives.iter().position(is_it).expect("a receive that is not posted");
                events.push(Event::Matched(source, number, receive));
            }
        }
    }

    /// A node has started again: numbers of messages begin anew.
    pub fn forget(&mut self) {
        *self = Judge::default();
    }

    /// Judges all messages: they have ended, and well.
    pub fn check_all_done<P: Posted, C: Scheme>(&self, nodes: &[Node<P, C>]) {
        self.check(nodes);
        for (index, node) in nodes.iter().enumerate() {
            for (send, message) in node.host.sends.iter().enumerate() {
                assert_eq!(message.ended, Some(stat::DONE), "node {index}, send {send}: {:?}", message.wish);
            }
        }
    }

    /// Judges all messages: they have ended.
    pub fn check<P: Posted, C: Scheme>(&self, nodes: &[Node<P, C>]) {
        for index in 0..nodes.len() {
            self.check_order(index, nodes);
        }
    }

    /// The sends of a node to another in their order: their numbers.
    fn sends<P: Posted, C: Scheme>(nodes: &[Node<P, C>], source: u32, to: usize) -> Vec<usize> {
        let sends = nodes[source as usize].host.sends.iter().enumerate();
        sends.filter(|(_, message)| message.wish.node == Some(to as u16)).map(|(index, _)| index).collect()
    }

    fn check_order<P: Posted, C: Scheme>(&self, index: usize, nodes: &[Node<P, C>]) {
        let receives = &nodes[index].host.receives;
        let mut posted: Vec<usize> = Vec::new();
        let mut matched: BTreeMap<u32, Vec<u16>> = BTreeMap::new();
        for event in self.events.get(&index).into_iter().flatten() {
            let (source, number, receive) = match *event {
                Event::Posted(receive) => {
                    posted.push(receive);
                    continue;
                }
                Event::Matched(source, number, receive) => (source, number, receive),
            };
            let sends = Judge::sends(nodes, source, index);
            let send_of = |number: u16| &nodes[source as usize].host.sends[sends[usize::from(number)]];
            let is_match = |number: u16, receive: usize| {
                let (send, wish) = (&send_of(number).wish, &receives[receive].wish);
                let is_tag = match wish.tag {
                    Some(tag) => Some(tag) == send.tag,
                    None => send.tag < Some(RESERVED_TAG_MIN),
                };
                is_tag && wish.node.is_none_or(|node| u32::from(node) == source)
            };
            assert!(is_match(number, receive), "node {index}: message {number} of {source} took receive {receive}");
            // A receive that the host has given up takes no message.
            let may_take =
                |other: usize| is_match(number, other) && receives[other].ended != Some(Failure::Cancelled.stat());
            let older = posted.iter().take_while(|&&other| other != receive).find(|&&other| may_take(other));
            assert_eq!(older, None, "node {index}: message {number} of {source} took receive {receive}, a younger one");
            let numbers = matched.entry(source).or_default();
            // A message that was given up takes no turn any more.
            let is_earlier = |&earlier: &u16| {
                !numbers.contains(&earlier)
                    && is_match(earlier, receive)
                    && send_of(earlier).ended.is_none_or(|stat| stat == stat::DONE)
            };
            let earlier = (0..number).find(is_earlier);
            assert_eq!(earlier, None, "node {index}: message {number} of {source} overtook in receive {receive}");
            assert!(!numbers.contains(&number), "node {index}: message {number} of {source} was matched twice");
            numbers.push(number);
            posted.retain(|&other| other != receive);
            check_bytes(nodes, index, receive, source, sends[usize::from(number)]);
        }
    }
}

/// A receive that has ended well holds the bytes of its message, and nothing else was written.
fn check_bytes<P: Posted, C: Scheme>(nodes: &[Node<P, C>], index: usize, receive: usize, source: u32, send: usize) {
    let (got, sent) = (&nodes[index].host.receives[receive], &nodes[source as usize].host.sends[send]);
    if got.ended != Some(stat::DONE) {
        assert_ne!(sent.ended, Some(stat::DONE), "node {index}, receive {receive}: its sender takes it for done");
        return;
    }
    let length = sent.wish.bytes;
    assert_eq!(got.came, (source as u16, sent.wish.tag.unwrap_or(0), length), "node {index}, receive {receive}");
    for (offset, byte) in nodes[index].host.bytes(receive).into_iter().enumerate() {
        let expected = if (offset as u32) < length { byte_of(source, send, offset as u32) } else { 0xEE };
        assert_eq!(byte, expected, "node {index}, receive {receive}, byte {offset} of {length}");
    }
}

/// The message whose first frame was taken in this turn, so that it is still in its buffer.
/// `index`: of the frame in the receive ring.
fn message_of<P: Posted, C: Scheme>(node: &Node<P, C>, index: u16) -> (u32, u16) {
    let (buffer, _) = node.hardware.received[&index];
    assert_eq!(node.hardware.read(buffer + link::TYPE), word::kind(FIRST), "frame {index}");
    let number = word::message(node.hardware.read(buffer + word::NUMBERS));
    (link::node(node.hardware.read(buffer + link::NODE_LENGTH)), number)
}
