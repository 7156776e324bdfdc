//! One end of a reliable stream: numbers of bytes, windows, cumulative acknowledgements. It knows
//! neither time nor frames, so tests can play it over any link.
//!
//! The end of a stream has a number too, the one behind the last byte.

use std::collections::VecDeque;

use nic_layout::personality::kernel::DATA_BYTES_MAX;

use super::segment::Segment;

/// Acknowledgements of the same number after which the sender repeats it at once.
const DUPLICATES: u32 = 3;
/// A receiver acknowledges at once when it has taken so many segments.
const SEGMENTS_OWED: u32 = 2;

/// How far `to` lies behind `from`; negative: before it.
fn distance(from: u32, to: u32) -> i32 {
    to.wrapping_sub(from) as i32
}

/// One end of a stream.
#[derive(Debug)]
pub struct Stream {
    window_bytes: u32,
    /// Bytes that the peer has not acknowledged, from number `oldest` on.
    unacknowledged: VecDeque<u8>,
    oldest: u32,
    /// The number to send next, and the number behind all that were ever sent.
    next: u32,
    highest: u32,
    /// The number up to which the peer has room.
    edge: u32,
    duplicates: u32,
    /// The number of the end of the stream.
    end: Option<u32>,
    /// Bytes that have come and were not read.
    received: VecDeque<u8>,
    /// The number that the peer has to send next.
    expected: u32,
    peer_has_ended: bool,
    /// Segments that were taken and not acknowledged, and whether an acknowledgement is due.
    owed: u32,
    is_due: bool,
    /// The edge of the own window that the peer was told last.
    told: u32,
}

impl Stream {
    /// Both ends begin with number 0 and the same window.
    pub fn new(window_bytes: u32) -> Stream {
        Stream {
            window_bytes,
            unacknowledged: VecDeque::new(),
            oldest: 0,
            next: 0,
            highest: 0,
            edge: window_bytes,
            duplicates: 0,
            end: None,
            received: VecDeque::new(),
            expected: 0,
            peer_has_ended: false,
            owed: 0,
            is_due: false,
            told: window_bytes,
        }
    }

    // ---- Sending --------------------------------------------------------------------------------

    /// Bytes that [`Self::push`] takes.
    pub fn room(&self) -> u32 {
        self.window_bytes.saturating_sub(self.unacknowledged.len() as u32)
    }

    /// Appends bytes to the stream. There must be room, and the stream must not have ended.
    pub fn push(&mut self, bytes: &[u8]) {
        self.unacknowledged.extend(bytes);
    }

    /// No more bytes follow.
    pub fn end(&mut self) {
        let behind = self.oldest.wrapping_add(self.unacknowledged.len() as u32);
        self.end.get_or_insert(behind);
    }

    /// Whether this end has ended its stream.
    pub fn has_ended(&self) -> bool {
        self.end.is_some()
    }

    /// Whether something was sent and not acknowledged.
    pub fn is_waiting(&self) -> bool {
        self.highest != self.oldest
    }

    /// Whether something was not sent, for lack of room at the peer.
    pub fn is_held(&self) -> bool {
        !self.is_through() && !self.is_waiting()
    }

    /// The oldest number that was not acknowledged.
    pub fn oldest(&self) -> u32 {
        self.oldest
    }

    /// Whether the peer has acknowledged everything, the end too.
    pub fn is_through(&self) -> bool {
        self.unacknowledged.is_empty() && self.end.is_none_or(|end| self.oldest != end)
    }

    /// The next segment to send, if there is one and the peer has room for it. Its acknowledgement
    /// is filled in by [`Self::acknowledge`].
    pub fn next_segment(&mut self) -> Option<Segment> {
        let offset = distance(self.oldest, self.next) as usize;
        let available = self.unacknowledged.len().saturating_sub(offset) as u32;
        let is_end = self.end == Some(self.next.wrapping_add(available));
        if available == 0 && !is_end {
            return None;
        }
        let room = distance(self.next, self.edge).max(0) as u32;
        let count = available.min(DATA_BYTES_MAX).min(room);
        // A part of what could go waits, rather than leave as a short segment.
        let is_cut = count < available && count < DATA_BYTES_MAX;
        if available > 0 && (count == 0 || (is_cut && self.next != self.oldest)) {
            return None;
        }
        let data = self.unacknowledged.range(offset..offset + count as usize).copied().collect();
        let first = self.next;
        let has_end = is_end && count == available;
        self.next = first.wrapping_add(count + u32::from(has_end));
        if distance(self.highest, self.next) > 0 {
            self.highest = self.next;
        }
        Some(Segment { first, data, has_end, ..Segment::default() })
    }

    /// The peer has not acknowledged in time: all is sent again.
    pub fn on_timeout(&mut self) {
        self.next = self.oldest;
        self.duplicates = 0;
    }

    // ---- Receiving ------------------------------------------------------------------------------

    /// Takes a segment of the peer.
    pub fn take(&mut self, segment: &Segment) {
        self.take_acknowledgement(segment);
        let length = segment.data.len() as u32 + u32::from(segment.has_end);
        if length == 0 {
            self.is_due |= segment.asks;
            return;
        }
        let known = distance(segment.first, self.expected);
        if known < 0 || known >= length as i32 || segment.data.len() > self.window() as usize + known as usize {
            // A gap before it, nothing new in it, or no room: the peer learns what is expected.
            self.is_due = true;
            return;
        }
        let new = segment.data.get(known as usize..).unwrap_or_default();
        self.received.extend(new);
        self.expected = self.expected.wrapping_add(length - known as u32);
        self.peer_has_ended |= segment.has_end;
        self.owed += 1;
        self.is_due |= segment.has_end || self.owed >= SEGMENTS_OWED;
    }

    fn take_acknowledgement(&mut self, segment: &Segment) {
        let acknowledged = distance(self.oldest, segment.expected);
        if acknowledged > 0 && distance(segment.expected, self.highest) >= 0 {
            let bytes = (acknowledged as usize).min(self.unacknowledged.len());
            self.unacknowledged.drain(..bytes);
            self.oldest = segment.expected;
            self.duplicates = 0;
            if distance(self.oldest, self.next) < 0 {
                self.next = self.oldest;
            }
        } else if acknowledged == 0 && self.is_waiting() && segment.data.is_empty() && !segment.has_end {
            let is_new_window = segment.expected.wrapping_add(segment.window) != self.edge;
            self.duplicates += u32::from(!is_new_window);
            if self.duplicates == DUPLICATES {
                self.next = self.oldest;
            }
        }
        let edge = segment.expected.wrapping_add(segment.window);
        if distance(self.edge, edge) > 0 {
            self.edge = edge;
        }
    }

    /// Bytes that wait for [`Self::pop`].
    pub fn unread(&self) -> u32 {
        self.received.len() as u32
    }

    /// Whether the peer has ended its stream, and all of it has come.
    pub fn peer_has_ended(&self) -> bool {
        self.peer_has_ended
    }

    /// Takes up to `most` bytes.
    pub fn pop(&mut self, most: u32) -> Vec<u8> {
        let count = (most as usize).min(self.received.len());
        let bytes = self.received.drain(..count).collect();
        let edge = self.expected.wrapping_add(self.window());
        let is_much = distance(self.told, edge) >= (2 * DATA_BYTES_MAX).min(self.window_bytes / 2) as i32;
        // A peer that was told of little room waits.
        let is_news = distance(self.expected, self.told) < 2 * DATA_BYTES_MAX as i32;
        self.is_due |= is_much && is_news && !self.peer_has_ended;
        bytes
    }

    fn window(&self) -> u32 {
        self.window_bytes.saturating_sub(self.received.len() as u32)
    }

    /// Whether an acknowledgement has to leave now.
    pub fn is_due(&self) -> bool {
        self.is_due
    }

    /// Whether a segment was taken and not acknowledged.
    pub fn owes(&self) -> bool {
        self.owed > 0
    }

    /// Fills the acknowledgement of a segment in.
    pub fn acknowledge(&mut self, segment: &mut Segment) {
        (segment.expected, segment.window) = (self.expected, self.window());
        (self.owed, self.is_due) = (0, false);
        self.told = self.expected.wrapping_add(segment.window);
    }

    /// A segment without data, for an acknowledgement. `asks`: the peer has to answer.
    pub fn empty_segment(&self, asks: bool) -> Segment {
        Segment { first: self.next, asks, ..Segment::default() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand_chacha::rand_core::{RngCore, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn byte(at: usize) -> u8 {
        ((at * 31) >> 3) as u8
    }

    proptest! {
        /// Every byte comes once and in order, then the end, whatever the link does.
        #[test]
        fn a_stream_is_exact_over_a_bad_link(
            all in 0usize..60_000,
            writes in proptest::collection::vec(1u32..9000, 1..20),
            reads in proptest::collection::vec(1u32..9000, 1..20),
            seed in any::<u64>(),
        ) {
            let (mut sender, mut receiver) = (Stream::new(8192), Stream::new(8192));
            let (mut pushed, mut popped, mut turn) = (0, 0, 0usize);
            let mut late: Vec<(bool, Segment)> = Vec::new();
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            while !(sender.has_ended() && sender.is_through()) {
                turn += 1;
                prop_assert!(turn < 200_000, "no progress: {sender:?} {receiver:?}");
                let part = (writes[turn % writes.len()].min(sender.room()) as usize).min(all - pushed);
                sender.push(&(pushed..pushed + part).map(byte).collect::<Vec<_>>());
                pushed += part;
                if pushed == all {
                    sender.end();
                }
                let mut out = std::mem::take(&mut late);
                match sender.next_segment() {
                    Some(mut segment) => {
                        sender.acknowledge(&mut segment);
                        out.push((true, segment));
                    }
                    None if turn % 7 == 0 && sender.is_held() => out.push((true, sender.empty_segment(true))),
                    None if turn % 7 == 0 => sender.on_timeout(),
                    None => {}
                }
                if receiver.is_due() || (receiver.owes() && turn % 5 == 0) {
                    let mut segment = receiver.empty_segment(false);
                    receiver.acknowledge(&mut segment);
                    out.push((false, segment));
                }
                for (is_data, segment) in out {
                    // One in eight each is lost, comes twice, or comes late.
                    let copies = match random.next_u32() % 8 {
                        0 => 0,
                        1 => 2,
                        2 => {
                            late.push((is_data, segment));
                            continue;
                        }
                        _ => 1,
                    };
                    for _ in 0..copies {
                        if is_data { receiver.take(&segment) } else { sender.take(&segment) }
                    }
                }
                for found in receiver.pop(reads[turn % reads.len()]) {
                    prop_assert_eq!(found, byte(popped));
                    popped += 1;
                }
            }
            popped += receiver.pop(u32::MAX).len();
            prop_assert_eq!(popped, all);
            prop_assert!(receiver.peer_has_ended());
        }
    }
}
