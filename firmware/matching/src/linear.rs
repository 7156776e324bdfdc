use nic_device::{Place, Words};
use nic_layout::plant::{is_planted, Plant};

use crate::{Found, Message, Posted, Want};

/// A list in the order of posting, searched from the oldest on (E-35).
///
/// Each receive has two words: what it asks for, and its neighbours in the list.
#[derive(Clone, Copy, Debug)]
pub struct Linear {
    offset: u32,
    receives: u32,
    oldest: u32,
    youngest: u32,
    posted: u32,
}

/// No receive has this number.
const NONE: u32 = 0xFFFF;
/// In place of the node: any. Bit 24 in place of the tag: any. A receive that is not posted has
/// [`FREE`].
const ANY_SOURCE: u32 = 0xFF << 16;
const ANY_TAG: u32 = 1 << 24;
const FREE: u32 = u32::MAX;

const fn key(source: u8, tag: u16) -> u32 {
    tag as u32 | (source as u32) << 16
}

impl Linear {
    /// No receives.
    pub const NOWHERE: Linear = Linear { offset: 0, receives: 0, oldest: NONE, youngest: NONE, posted: 0 };

    fn at(&self, words: &impl Words, receive: u32) -> Place {
        words.place(self.offset + 8 * receive)
    }

    fn unlink(&mut self, words: &mut impl Words, receive: u32) {
        let at = self.at(words, receive);
        let neighbours = words.get(at, 4);
        let (older, younger) = (neighbours & 0xFFFF, neighbours >> 16);
        if older == NONE {
            self.oldest = younger;
        } else {
            let at = self.at(words, older);
            let word = words.get(at, 4);
            words.put(at, 4, word & 0xFFFF | younger << 16);
        }
        if younger == NONE {
            self.youngest = older;
        } else {
            let at = self.at(words, younger);
            let word = words.get(at, 4);
            words.put(at, 4, word & 0xFFFF_0000 | older);
        }
        words.put(at, 0, FREE);
        self.posted -= 1;
    }
}

impl Posted for Linear {
    fn bytes(receives: u32) -> u32 {
        8 * receives
    }

    fn new(offset_bytes: u32, receives: u32) -> Linear {
        Linear { offset: offset_bytes, receives, oldest: NONE, youngest: NONE, posted: 0 }
    }

    fn clear(&mut self, words: &mut impl Words) {
        (self.oldest, self.youngest, self.posted) = (NONE, NONE, 0);
        for receive in 0..self.receives {
            let at = self.at(words, receive);
            words.put(at, 0, FREE);
        }
    }

    fn post(&mut self, words: &mut impl Words, receive: u32, want: Want) {
        let source = want.source.map_or(ANY_SOURCE, |source| u32::from(source) << 16);
        let tag = want.tag.map_or(ANY_TAG, u32::from);
        let at = self.at(words, receive);
        words.put(at, 0, source | tag);
        words.put(at, 4, self.youngest | NONE << 16);
        if self.youngest == NONE {
            self.oldest = receive;
        } else {
            let at = self.at(words, self.youngest);
            let word = words.get(at, 4);
            words.put(at, 4, word & 0xFFFF | receive << 16);
        }
        self.youngest = receive;
        self.posted += 1;
    }

    fn take(&mut self, words: &mut impl Words, message: Message) -> Found {
        let exact = key(message.source, message.tag);
        let of_any_source = u32::from(message.tag) | ANY_SOURCE;
        let of_any_tag = u32::from(message.source) << 16 | ANY_TAG;
        let mut receive = self.oldest;
        while receive != NONE {
            let at = self.at(words, receive);
            let want = words.get(at, 0);
            let mut is_match =
                want == exact || want == of_any_source || want == of_any_tag || want == ANY_SOURCE | ANY_TAG;
            if is_planted(Plant::AnyTagMatches) {
                is_match |= want >> 16 == exact >> 16;
            }
            if is_match {
                let may = if want & ANY_TAG == 0 { message.after_tag } else { message.after_all };
                if !may {
                    return Found::Early;
                }
                self.unlink(words, receive);
                return Found::Taken(receive);
            }
            receive = words.get(at, 4) >> 16;
        }
        Found::Nothing
    }

    fn cancel(&mut self, words: &mut impl Words, receive: u32) -> bool {
        let at = self.at(words, receive);
        if receive >= self.receives || words.get(at, 0) == FREE {
            return false;
        }
        self.unlink(words, receive);
        true
    }

    fn posted(&self) -> u32 {
        self.posted
    }
}
