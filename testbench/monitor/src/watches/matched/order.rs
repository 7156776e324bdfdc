//! The rule of matching (docs/emp.md, Matching), by the plainest search; and the numbers of a peer.

use std::collections::BTreeMap;

use nic_layout::personality::emp::descriptor::{Descriptor, ANY_SOURCE, ANY_TAG, RESERVED_TAG_MIN};
use nic_layout::personality::emp::OPEN_NUMBERS;

use super::frame::Frame;

/// What a receive asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Want {
    pub source: Option<u32>,
    pub tag: Option<u16>,
}

impl Want {
    pub fn of(descriptor: &Descriptor) -> Want {
        let source = (descriptor.flags & ANY_SOURCE == 0).then_some(u32::from(descriptor.node));
        Want { source, tag: (descriptor.flags & ANY_TAG == 0).then_some(descriptor.tag) }
    }

    /// Whether a message from a node with a tag matches.
    pub fn takes(&self, source: u32, tag: u16) -> bool {
        let is_tag = match self.tag {
            Some(wanted) => wanted == tag,
            None => tag < RESERVED_TAG_MIN,
        };
        is_tag && self.source.is_none_or(|wanted| wanted == source)
    }
}

/// A posted receive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Receive {
    pub record: u32,
    /// `None`: the host has changed the descriptor meanwhile, so it may ask for anything.
    pub want: Option<Want>,
    /// Its place in the order of posts.
    pub order: u64,
}

/// What the rule says of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// The message takes the receive of this record.
    Takes(u32),
    /// An earlier message has to be matched first.
    Early,
    /// No receive matches.
    Nothing,
    /// A receive stands before that may ask for anything.
    Unknown,
}

/// What is known of the messages of a peer, as their receiver sees them.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    newest: Option<u16>,
    /// Every number before this one was matched, or is not in use any more.
    unmatched: u16,
    /// Numbers that were matched or given up, of the last [`KEPT`].
    seen: BTreeMap<u16, ()>,
    /// What messages have taken: number, tag, and the receive.
    taken: Vec<(u16, u16, Receive)>,
}

/// Messages that are remembered.
pub(super) const KEPT: u16 = 600;
/// How far a number may be ahead of the newest (docs/emp.md, Numbers).
const AHEAD_MAX: i16 = 0x7000;

/// How far a number lies before another; negative: behind it.
pub(super) const fn before(number: u16, other: u16) -> i16 {
    other.wrapping_sub(number) as i16
}

/// The later one of two numbers.
const fn later(number: u16, other: u16) -> u16 {
    if before(number, other) > 0 {
        other
    } else {
        number
    }
}

/// The oldest message that is open, as the sender of a first frame says: this one, if no other is.
fn oldest_open(first: &Frame) -> u16 {
    first.message().wrapping_sub(first.oldest_distance())
}

impl Order {
    /// Whether no frame of the message was taken before.
    pub fn is_unseen(&self, number: u16) -> bool {
        match before(number, self.newest.unwrap_or(u16::MAX)) {
            ahead if ahead < 0 => ahead >= -AHEAD_MAX,
            behind if behind >= OPEN_NUMBERS as i16 => false,
            _ => !self.seen.contains_key(&number),
        }
    }

    /// The rule for a message whose number is unseen. `posted`: from the oldest on.
    pub fn rule(&self, posted: &[Receive], source: u32, first: &Frame) -> Rule {
        let number = first.message();
        let after_tag = first.tag_distance() == 0 || !self.is_unseen(number.wrapping_sub(first.tag_distance()));
        let after_all = before(number, later(self.unmatched, oldest_open(first))) >= 0;
        for receive in posted {
            let Some(want) = receive.want else { return Rule::Unknown };
            if want.takes(source, first.tag()) {
                let may = if want.tag.is_some() { after_tag } else { after_all };
                return if may { Rule::Takes(receive.record) } else { Rule::Early };
            }
        }
        Rule::Nothing
    }

    /// The firmware has found the first frame good, and believes what it says of earlier messages.
    pub fn believe(&mut self, first: &Frame) {
        self.unmatched = later(self.unmatched, oldest_open(first));
    }

    /// A message that was sent before others takes a receive. Gives a later message that has taken
    /// an older receive which both match.
    pub fn overtaken(&self, source: u32, number: u16, tag: u16, by: &Receive) -> Option<u16> {
        let overtakes = |(other, _, receive): &&(u16, u16, Receive)| {
            before(number, *other) > 0
                && receive.order < by.order
                && receive.want.is_some_and(|want| want.takes(source, tag))
        };
        self.taken.iter().find(overtakes).map(|(other, ..)| *other)
    }

    /// A message has taken a receive.
    pub fn take(&mut self, number: u16, tag: u16, receive: Receive) {
        self.see(number);
        self.taken.push((number, tag, receive));
        self.taken.retain(|(other, ..)| before(*other, number) < KEPT as i16);
    }

    /// A message was matched or given up.
    pub fn see(&mut self, number: u16) {
        let newest = self.newest.unwrap_or(u16::MAX);
        if before(number, newest) < 0 {
            self.newest = Some(number);
            self.unmatched = later(self.unmatched, number.wrapping_sub(OPEN_NUMBERS as u16 - 1));
        }
        self.seen.insert(number, ());
        self.seen.retain(|other, ()| before(*other, number) < KEPT as i16);
        while self.seen.contains_key(&self.unmatched) {
            self.unmatched = self.unmatched.wrapping_add(1);
        }
    }
}
