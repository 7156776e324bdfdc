use nic_device::{rarely, Place, Words};
use nic_layout::plant::{is_planted, Plant};

use crate::{Found, Message, Posted, Want};

/// Lists of receives that ask for the same, found by a hash.
///
/// A receive belongs to one of four classes, by what it leaves open: nothing, the tag, the source,
/// or both. Each class has lists in the order of posting. A message looks at one list of each class
/// that has receives, and takes the oldest receive that it finds there. How long that takes does
/// not depend on how many receives are posted, unless different keys have the same hash.
#[derive(Clone, Copy, Debug)]
pub struct Hashed {
    entries: u32,
    lists: u32,
    receives: u32,
    /// The number of the next post, counted without end.
    next: u32,
    /// Receives of each class.
    posted: [u32; CLASSES],
}

/// In place of a receive: none.
const NONE: u32 = 0xFFFF;

// A class is a bit for the tag and a bit for the source, set if the receive leaves it open.
const ANY_TAG: usize = 1;
const ANY_SOURCE: usize = 2;
const CLASSES: usize = 4;

/// Lists of the classes that ask for a tag, each.
const TAG_LISTS: u32 = 128;
/// Lists of the class that asks for a source alone: one for each.
const SOURCE_LISTS: u32 = 256;
/// The first list of each class.
const FIRST: [u32; CLASSES] = [0, 2 * TAG_LISTS, TAG_LISTS, 2 * TAG_LISTS + SOURCE_LISTS];
const LISTS: u32 = 2 * TAG_LISTS + SOURCE_LISTS + 1;

// An entry is four words.
const ENTRY_BYTES: u32 = 16;
/// The key; [`FREE`] if the receive is not posted.
const KEY: u32 = 0;
/// The number of the post.
const NUMBER: u32 = 4;
/// The neighbours in the list: the older one, and from bit 16 on the younger one.
const NEIGHBOURS: u32 = 8;
/// The list.
const LIST: u32 = 12;
const FREE: u32 = u32::MAX;

/// What a receive of a class asks for. Parts that it leaves open are 0.
const fn key(class: usize, source: u8, tag: u16) -> u32 {
    let source = if class & ANY_SOURCE == 0 { source as u32 } else { 0 };
    let tag = if class & ANY_TAG == 0 { tag as u32 } else { 0 };
    (class as u32) << 24 | source << 16 | tag
}

/// The list of a class for a key.
#[inline(always)]
fn list_of(class: usize, key: u32) -> u32 {
    if class & ANY_TAG == 0 {
        FIRST[class & 3] + (key.wrapping_mul(0x9E37_79B1) >> 25)
    } else {
        // The source, or 0.
        FIRST[class & 3] + ((key >> 16) & 0xFF)
    }
}

impl Hashed {
    /// No receives.
    pub const NOWHERE: Hashed = Hashed { entries: 0, lists: 0, receives: 0, next: 0, posted: [0; CLASSES] };

    #[inline(always)]
    fn entry(&self, words: &impl Words, receive: u32) -> Place {
        words.place(self.entries + ENTRY_BYTES * receive)
    }

    /// The word with the oldest receive of a list, and from bit 16 on the youngest.
    #[inline(always)]
    fn ends(&self, words: &impl Words, list: u32) -> Place {
        words.place(self.lists + 4 * list)
    }

    /// The oldest receive of a class that the message matches, and the number of its post.
    #[inline(always)]
    fn oldest(&self, words: &impl Words, class: usize, message: Message) -> Option<(u32, u32)> {
        let key = key(class, message.source, message.tag);
        // The planted defect goes from the youngest to older ones.
        let both = words.get(self.ends(words, list_of(class, key)), 0);
        let mut receive = if is_planted(Plant::NewestMatches) { both >> 16 } else { both & NONE };
        while receive != NONE {
            let entry = self.entry(words, receive);
            // Lists of the other classes have one key each.
            if class & ANY_TAG != 0 || words.get(entry, KEY) == key {
                return Some((receive, words.get(entry, NUMBER)));
            }
            rarely();
            let neighbours = words.get(entry, NEIGHBOURS);
            receive = if is_planted(Plant::NewestMatches) { neighbours & NONE } else { neighbours >> 16 };
        }
        None
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
        ENTRY_BYTES * receives + (4 * LISTS).next_multiple_of(8)
    }

    fn new(offset_bytes: u32, receives: u32) -> Hashed {
        Hashed { entries: offset_bytes, lists: offset_bytes + ENTRY_BYTES * receives, receives, ..Hashed::NOWHERE }
    }

    fn clear(&mut self, words: &mut impl Words) {
        self.posted = [0; CLASSES];
        for receive in 0..self.receives {
            let entry = self.entry(words, receive);
            words.put(entry, KEY, FREE);
        }
        for list in 0..LISTS {
            let ends = self.ends(words, list);
            words.put(ends, 0, NONE | NONE << 16);
        }
    }

    #[inline(always)]
    fn post(&mut self, words: &mut impl Words, receive: u32, want: Want) {
        let class = usize::from(want.tag.is_none()) | usize::from(want.source.is_none()) << 1;
        let key = key(class, want.source.unwrap_or(0), want.tag.unwrap_or(0));
        let list = list_of(class, key);
        let (entry, ends) = (self.entry(words, receive), self.ends(words, list));
        let both = words.get(ends, 0);
        let youngest = both >> 16;
        words.put(entry, KEY, key);
        words.put(entry, NUMBER, self.next);
        words.put(entry, NEIGHBOURS, youngest | NONE << 16);
        words.put(entry, LIST, list);
        if youngest == NONE {
            words.put(ends, 0, receive | receive << 16);
        } else {
            let entry = self.entry(words, youngest);
            let word = words.get(entry, NEIGHBOURS);
            words.put(entry, NEIGHBOURS, word & NONE | receive << 16);
            words.put(ends, 0, both & NONE | receive << 16);
        }
        self.next = self.next.wrapping_add(1);
        self.posted[class & 3] += 1;
    }

    #[inline(always)]
    fn find(&self, words: &impl Words, message: Message) -> Found {
        let mut found: Option<(u32, u32)> = None;
        let mut of_any_tag = false;
        for class in 0..CLASSES {
            if self.posted[class] == 0 {
                continue;
            }
            if let Some((receive, number)) = self.oldest(words, class, message) {
                if found.is_none_or(|(_, other)| is_older(number, other)) {
                    found = Some((receive, number));
                    of_any_tag = class & ANY_TAG != 0;
                }
            }
        }
        let Some((receive, _)) = found else { return Found::Nothing };
        if !is_planted(Plant::OrderIgnored) && !if of_any_tag { message.after_all } else { message.after_tag } {
            return Found::Early;
        }
        Found::Receive(receive)
    }
    #[inline(always)]
    fn remove(&mut self, words: &mut impl Words, receive: u32) {
        let entry = self.entry(words, receive);
        let class = (words.get(entry, KEY) >> 24) as usize;
        let (neighbours, list) = (words.get(entry, NEIGHBOURS), words.get(entry, LIST));
        let (older, younger) = (neighbours & NONE, neighbours >> 16);
        let ends = self.ends(words, list);
        let mut both = words.get(ends, 0);
        if older == NONE {
            both = both & !NONE | younger;
        } else {
            rarely();
            let entry = self.entry(words, older);
            let word = words.get(entry, NEIGHBOURS);
            words.put(entry, NEIGHBOURS, word & NONE | younger << 16);
        }
        if younger == NONE {
            both = both & NONE | older << 16;
        } else {
            let entry = self.entry(words, younger);
            let word = words.get(entry, NEIGHBOURS);
            words.put(entry, NEIGHBOURS, word & !NONE | older);
        }
        words.put(ends, 0, both);
        words.put(entry, KEY, FREE);
        self.posted[class & 3] -= 1;
    }

    fn cancel(&mut self, words: &mut impl Words, receive: u32) -> bool {
        if receive >= self.receives || words.get(self.entry(words, receive), KEY) == FREE {
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
