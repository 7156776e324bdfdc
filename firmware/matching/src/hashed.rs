use nic_device::{rarely, Place, Words};
use nic_layout::plant::{is_planted, Plant};

use crate::{Found, Message, Posted, Want, RESERVED_TAG_MIN};

/// Lists of receives that ask for the same, found by a hash.
///
/// A receive belongs to one of four classes, by what it leaves open: nothing, the tag, the source,
/// or both. Receives of a class that ask for the same form a list in the order of posting. Their
/// oldest one leads the list. The leaders whose keys have the same hash form a chain. A message
/// looks for one leader in each class that has receives, and takes the oldest of those that it
/// finds. How long that takes does not depend on how many receives are posted, unless many of
/// *different* keys have the same hash.
///
/// Neighbours are named by their places, as in [`crate::Linear`].
#[derive(Clone, Copy, Debug)]
pub struct Hashed {
    offset: u32,
    receives: u32,
    /// The places of the first entry and of the first chain.
    entries: Place,
    chains: Place,
    /// The number of the next post, counted without end.
    next: u32,
    /// Receives that leave something open.
    open: u32,
    /// Receives of each class.
    posted: [u32; CLASSES],
}

/// No entry is there.
const NONE: u32 = u32::MAX;

// A class is a bit for the tag and a bit for the source, set if the receive leaves it open.
const ANY_TAG: usize = 1;
const ANY_SOURCE: usize = 2;
const CLASSES: usize = 4;

/// Chains of each class that asks for a tag, as a power of two: more than there are receives.
const TAG_CHAINS_LOG2: u32 = 9;
const TAG_CHAINS: u32 = 1 << TAG_CHAINS_LOG2;
/// Chains of the class that asks for a source alone: one for each.
const SOURCE_CHAINS: u32 = 256;
/// The first chain of each class.
const FIRST: [u32; CLASSES] = [0, 2 * TAG_CHAINS, TAG_CHAINS, 2 * TAG_CHAINS + SOURCE_CHAINS];
const CHAINS: u32 = 2 * TAG_CHAINS + SOURCE_CHAINS + 1;

/// Bytes of an entry, as a power of two. An entry has the words that follow.
const ENTRY_LOG2: u32 = 5;
/// The key; [`FREE`] if the receive is not posted.
const KEY: u32 = 0;
/// The number of the post.
const NUMBER: u32 = 4;
/// The next younger receive of the same key.
const YOUNGER: u32 = 8;
/// The next older one; a leader has none.
const OLDER: u32 = 12;
/// The youngest receive of a leader's key.
const YOUNGEST: u32 = 16;
/// The leaders behind and before a leader in the chain.
const BEHIND: u32 = 20;
const BEFORE: u32 = 24;
const FREE: u32 = u32::MAX;

/// What a receive of a class asks for. Parts that it leaves open are 0.
#[inline(always)]
const fn key(class: usize, source: u8, tag: u16) -> u32 {
    let source = if class & ANY_SOURCE == 0 { source as u32 } else { 0 };
    let tag = if class & ANY_TAG == 0 { tag as u32 } else { 0 };
    (class as u32) << 24 | source << 16 | tag
}

/// The chain of a key.
#[inline(always)]
fn chain_of(class: usize, key: u32) -> u32 {
    if class & ANY_TAG == 0 {
        FIRST[class & 3] + (key.wrapping_mul(0x9E37_79B1) >> (32 - TAG_CHAINS_LOG2))
    } else {
        // The source, or 0.
        FIRST[class & 3] + ((key >> 16) & 0xFF)
    }
}

impl Hashed {
    /// No receives.
    pub const NOWHERE: Hashed =
        Hashed { offset: 0, receives: 0, entries: Place(0), chains: Place(0), next: 0, open: 0, posted: [0; CLASSES] };

    #[inline(always)]
    fn entry(&self, receive: u32) -> Place {
        self.entries.plus(receive << ENTRY_LOG2)
    }

    /// The word with the first leader of a key's chain.
    #[inline(always)]
    fn chain(&self, key: u32) -> Place {
        let class = (key >> 24) as usize;
        self.chains.plus(4 * chain_of(class, key))
    }

    /// The leader of a key: its oldest receive.
    #[inline(always)]
    fn leader(&self, words: &impl Words, key: u32) -> Option<Place> {
        let mut next = words.get(self.chain(key), 0);
        while next != NONE {
            let leader = Place(next);
            if words.get(leader, KEY) == key {
                return Some(leader);
            }
            rarely();
            next = words.get(leader, BEHIND);
        }
        None
    }

    /// A leader has given way, in its chain, to the entry at a place, or to [`NONE`].
    fn replace_leader(&self, words: &mut impl Words, key: u32, leader: Place, by: u32) {
        let (before, behind) = (words.get(leader, BEFORE), words.get(leader, BEHIND));
        if by != NONE {
            words.put(Place(by), BEFORE, before);
            words.put(Place(by), BEHIND, behind);
        }
        let (front, back) = if by == NONE { (before, behind) } else { (by, by) };
        match before {
            NONE => words.put(self.chain(key), 0, back),
            before => words.put(Place(before), BEHIND, back),
        }
        if behind != NONE {
            words.put(Place(behind), BEFORE, front);
        }
    }

    /// The search if some receive leaves something open.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn find_open(&self, words: &impl Words, message: Message) -> Found {
        let mut oldest = Oldest { entry: NONE, number: 0, may: false };
        for class in [0, ANY_SOURCE] {
            if self.posted[class] != 0 {
                if let Some(leader) = self.leader(words, key(class, message.source, message.tag)) {
                    oldest.consider(words, leader.0, message.after_tag);
                }
            }
        }
        for class in [ANY_TAG, ANY_TAG | ANY_SOURCE] {
            if self.posted[class] != 0 && message.tag < RESERVED_TAG_MIN {
                // Chains of these classes have one key each.
                let leader = words.get(self.chain(key(class, message.source, message.tag)), 0);
                if leader != NONE {
                    oldest.consider(words, leader, message.after_all);
                }
            }
        }
        match oldest.entry {
            NONE => Found::Nothing,
            entry => self.found(Place(entry), oldest.may),
        }
    }

    /// Whether a receive may take the message.
    #[inline(always)]
    fn found(&self, entry: Place, may: bool) -> Found {
        match may || is_planted(Plant::OrderIgnored) {
            true => Found::Receive(entry.0.wrapping_sub(self.entries.0) >> ENTRY_LOG2),
            false => Found::Early,
        }
    }

    /// The planted defects: the oldest receive for the source, whatever its tag, or the youngest
    /// that the message matches.
    fn find_planted(&self, words: &impl Words, message: Message) -> Found {
        let is_any_tag = is_planted(Plant::AnyTagMatches);
        let mut best: Option<(Place, u32)> = None;
        for receive in 0..self.receives {
            let entry = self.entry(receive);
            let (wanted, number) = (words.get(entry, KEY), words.get(entry, NUMBER));
            let class = (wanted >> 24) as usize & (ANY_TAG | ANY_SOURCE);
            let is_for_source = class & ANY_SOURCE != 0 || (wanted >> 16) & 0xFF == u32::from(message.source);
            let is_match = match is_any_tag {
                true => is_for_source,
                false => wanted == key(class, message.source, message.tag),
            };
            let is_better = |other| if is_any_tag { is_older(number, other) } else { is_older(other, number) };
            if wanted != FREE && is_match && best.is_none_or(|(_, other)| is_better(other)) {
                best = Some((entry, number));
            }
        }
        best.map_or(Found::Nothing, |(entry, _)| self.found(entry, message.after_tag))
    }
}

/// The oldest receive that was found so far.
struct Oldest {
    /// Its place, or [`NONE`].
    entry: u32,
    /// The number of its post.
    number: u32,
    /// Whether it may take the message.
    may: bool,
}

impl Oldest {
    #[inline(always)]
    fn consider(&mut self, words: &impl Words, entry: u32, may: bool) {
        let number = words.get(Place(entry), NUMBER);
        if self.entry == NONE || is_older(number, self.number) {
            *self = Oldest { entry, number, may };
        }
    }
}

/// Whether a post was made before another. Both are posted, so fewer than 2^31 lie between them:
/// a receive that stays posted for longer than 2^31 others loses its age.
#[inline(always)]
const fn is_older(number: u32, other: u32) -> bool {
    (number.wrapping_sub(other) as i32) < 0
}

impl Posted for Hashed {
    const NOWHERE: Hashed = Hashed::NOWHERE;

    fn bytes(receives: u32) -> u32 {
        (receives << ENTRY_LOG2) + (4 * CHAINS).next_multiple_of(8)
    }

    fn new(offset_bytes: u32, receives: u32) -> Hashed {
        Hashed { offset: offset_bytes, receives, ..Hashed::NOWHERE }
    }

    fn clear(&mut self, words: &mut impl Words) {
        (self.open, self.posted) = (0, [0; CLASSES]);
        self.entries = words.place(self.offset);
        self.chains = words.place(self.offset + (self.receives << ENTRY_LOG2));
        for receive in 0..self.receives {
            words.put(self.entry(receive), KEY, FREE);
        }
        for chain in 0..CHAINS {
            words.put(self.chains.plus(4 * chain), 0, NONE);
        }
    }

    #[inline(never)]
    fn post(&mut self, words: &mut impl Words, receive: u32, want: Want) {
        let class = usize::from(want.tag.is_none()) | usize::from(want.source.is_none()) << 1;
        let key = key(class, want.source.unwrap_or(0), want.tag.unwrap_or(0));
        let entry = self.entry(receive);
        words.put(entry, KEY, key);
        words.put(entry, NUMBER, self.next);
        words.put(entry, YOUNGER, NONE);
        let chain = self.chain(key);
        let first = words.get(chain, 0);
        // The entry itself is in no chain yet.
        match self.leader(words, key) {
            Some(leader) => {
                let youngest = words.get(leader, YOUNGEST);
                words.put(Place(youngest), YOUNGER, entry.0);
                words.put(entry, OLDER, youngest);
                words.put(leader, YOUNGEST, entry.0);
            }
            None => {
                words.put(entry, OLDER, NONE);
                words.put(entry, YOUNGEST, entry.0);
                words.put(entry, BEHIND, first);
                words.put(entry, BEFORE, NONE);
                words.put(chain, 0, entry.0);
                if first != NONE {
                    rarely();
                    words.put(Place(first), BEFORE, entry.0);
                }
            }
        }
        self.next = self.next.wrapping_add(1);
        self.posted[class & 3] += 1;
        self.open += u32::from(class != 0);
    }

    #[inline(always)]
    fn find(&self, words: &impl Words, message: Message) -> Found {
        if is_planted(Plant::AnyTagMatches) || is_planted(Plant::NewestMatches) {
            return self.find_planted(words, message);
        }
        if self.open != 0 {
            return self.find_open(words, message);
        }
        match self.leader(words, key(0, message.source, message.tag)) {
            Some(leader) => self.found(leader, message.after_tag),
            None => Found::Nothing,
        }
    }

    #[inline(never)]
    fn remove(&mut self, words: &mut impl Words, receive: u32) {
        let entry = self.entry(receive);
        let key = words.get(entry, KEY);
        let (older, younger) = (words.get(entry, OLDER), words.get(entry, YOUNGER));
        if older == NONE {
            if younger != NONE {
                let youngest = words.get(entry, YOUNGEST);
                words.put(Place(younger), OLDER, NONE);
                words.put(Place(younger), YOUNGEST, youngest);
            }
            self.replace_leader(words, key, entry, younger);
        } else {
            rarely();
            words.put(Place(older), YOUNGER, younger);
            if younger != NONE {
                words.put(Place(younger), OLDER, older);
            } else if let Some(leader) = self.leader(words, key) {
                words.put(leader, YOUNGEST, older);
            }
        }
        words.put(entry, KEY, FREE);
        let class = (key >> 24) as usize & 3;
        self.posted[class] -= 1;
        self.open -= u32::from(class != 0);
    }

    fn cancel(&mut self, words: &mut impl Words, receive: u32) -> bool {
        if receive >= self.receives || words.get(self.entry(receive), KEY) == FREE {
            return false;
        }
        self.remove(words, receive);
        true
    }

    fn posted(&self) -> u32 {
        self.posted.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_posts_wrap() {
        let mut words = vec![0; Hashed::bytes(8) as usize / 4];
        let mut posted = Hashed { next: u32::MAX - 2, ..Hashed::new(0, 8) };
        posted.clear(&mut words);
        for receive in 0..8 {
            let source = if receive % 2 == 0 { Some(3) } else { None };
            posted.post(&mut words, receive, Want { source, tag: Some(5) });
        }
        let message = Message { source: 3, tag: 5, after_tag: true, after_all: false };
        for receive in 0..8 {
            assert_eq!(posted.find(&words, message), Found::Receive(receive));
            posted.remove(&mut words, receive);
        }
    }
}
