use nic_device::{Place, Words};
use nic_layout::plant::{is_planted, Plant};

use crate::{Found, Message, Posted, Want, RESERVED_TAG_MIN};

/// A list in the order of posting, searched from the oldest on (E-35).
///
/// Each receive has an entry of four words, of which three are used: what it asks for, and the
/// places of its neighbours in the list. Places instead of numbers make a step of the search a
/// load, a comparison and a load.
#[derive(Clone, Copy, Debug)]
pub struct Linear {
    offset: u32,
    receives: u32,
    /// The place of the first entry.
    entries: Place,
    /// The places of the oldest and the youngest receive.
    oldest: u32,
    youngest: u32,
    posted: u32,
    /// Receives that leave source or tag open.
    open: u32,
}

const ENTRY_LOG2: u32 = 4;
/// What it asks for; [`FREE`] if the receive is not posted.
const KEY: u32 = 0;
/// The place of the next younger receive.
const YOUNGER: u32 = 4;
/// The place of the next older one.
const OLDER: u32 = 8;

/// No entry is there.
const NONE: u32 = u32::MAX;
/// In place of the node: any.
const ANY_SOURCE: u32 = 1 << 25;
/// In place of the tag: any.
const ANY_TAG: u32 = 1 << 24;
const FREE: u32 = u32::MAX;

const fn key(source: u8, tag: u16) -> u32 {
    tag as u32 | (source as u32) << 16
}

/// Whether a receive leaves something open.
const fn is_open(key: u32) -> bool {
    key >= ANY_TAG
}

impl Linear {
    /// No receives.
    pub const NOWHERE: Linear =
        Linear { offset: 0, receives: 0, entries: Place(0), oldest: NONE, youngest: NONE, posted: 0, open: 0 };

    #[inline(always)]
    fn entry(&self, receive: u32) -> Place {
        self.entries.plus(receive << ENTRY_LOG2)
    }

    #[inline(always)]
    fn receive(&self, entry: Place) -> u32 {
        entry.0.wrapping_sub(self.entries.0) >> ENTRY_LOG2
    }

    /// Whether a receive may take the message.
    #[inline(always)]
    fn found(&self, entry: Place, may: bool) -> Found {
        match may || is_planted(Plant::OrderIgnored) {
            true => Found::Receive(self.receive(entry)),
            false => Found::Early,
        }
    }

    /// The entry that the search begins with.
    #[inline(always)]
    fn first(&self) -> u32 {
        if is_planted(Plant::NewestMatches) {
            return self.youngest;
        }
        self.oldest
    }

    /// The word with the place of the entry that the search goes on with.
    #[inline(always)]
    const fn next() -> u32 {
        if is_planted(Plant::NewestMatches) {
            OLDER
        } else {
            YOUNGER
        }
    }

    /// The search if some receive leaves something open.
    fn find_open(&self, words: &impl Words, message: Message) -> Found {
        let exact = key(message.source, message.tag);
        let of_any_source = u32::from(message.tag) | ANY_SOURCE;
        // No receive has the bit that a reserved tag gives.
        let any_tag = ANY_TAG << (2 * (message.tag / RESERVED_TAG_MIN));
        let of_any_tag = u32::from(message.source) << 16 | any_tag;
        let mut next = self.first();
        while next != NONE {
            let entry = Place(next);
            let want = words.get(entry, KEY);
            next = words.get(entry, Linear::next());
            let is_planted_match = is_planted(Plant::AnyTagMatches)
                && want & ANY_TAG == 0
                && (want >> 16 == exact >> 16 || want & ANY_SOURCE != 0);
            if want == exact || is_planted_match {
                return self.found(entry, message.after_tag);
            }
            if !is_open(want) {
                continue;
            }
            if want == of_any_source {
                return self.found(entry, message.after_tag);
            }
            if want == of_any_tag || want == ANY_SOURCE | any_tag {
                return self.found(entry, message.after_all);
            }
        }
        Found::Nothing
    }
}

impl Posted for Linear {
    const NOWHERE: Linear = Linear::NOWHERE;

    fn bytes(receives: u32) -> u32 {
        receives << ENTRY_LOG2
    }

    fn new(offset_bytes: u32, receives: u32) -> Linear {
        Linear { offset: offset_bytes, receives, ..Linear::NOWHERE }
    }

    fn clear(&mut self, words: &mut impl Words) {
        *self = Linear { entries: words.place(self.offset), ..Linear::new(self.offset, self.receives) };
        for receive in 0..self.receives {
            words.put(self.entry(receive), KEY, FREE);
        }
    }

    #[inline(always)]
    fn post(&mut self, words: &mut impl Words, receive: u32, want: Want) {
        let source = want.source.map_or(ANY_SOURCE, |source| u32::from(source) << 16);
        let tag = want.tag.map_or(ANY_TAG, u32::from);
        let entry = self.entry(receive);
        words.put(entry, KEY, source | tag);
        words.put(entry, YOUNGER, NONE);
        words.put(entry, OLDER, self.youngest);
        if self.youngest == NONE {
            self.oldest = entry.0;
        } else {
            words.put(Place(self.youngest), YOUNGER, entry.0);
        }
        self.youngest = entry.0;
        self.posted += 1;
        self.open += u32::from(is_open(source | tag));
    }

    #[inline(always)]
    fn find(&self, words: &impl Words, message: Message) -> Found {
        let exact = key(message.source, message.tag);
        if self.open != 0 {
            return self.find_open(words, message);
        }
        let mut next = self.first();
        while next != NONE {
            let entry = Place(next);
            let want = words.get(entry, KEY);
            next = words.get(entry, Linear::next());
            if want == exact || is_planted(Plant::AnyTagMatches) && want >> 16 == exact >> 16 {
                return self.found(entry, message.after_tag);
            }
        }
        Found::Nothing
    }

    #[inline(always)]
    fn remove(&mut self, words: &mut impl Words, receive: u32) {
        let entry = self.entry(receive);
        let (older, younger) = (words.get(entry, OLDER), words.get(entry, YOUNGER));
        if self.open != 0 {
            self.open -= u32::from(is_open(words.get(entry, KEY)));
        }
        if older == NONE {
            self.oldest = younger;
        } else {
            words.put(Place(older), YOUNGER, younger);
        }
        if younger == NONE {
            self.youngest = older;
        } else {
            words.put(Place(younger), OLDER, older);
        }
        words.put(entry, KEY, FREE);
        self.posted -= 1;
    }

    fn cancel(&mut self, words: &mut impl Words, receive: u32) -> bool {
        if receive >= self.receives || words.get(self.entry(receive), KEY) == FREE {
            return false;
        }
        self.remove(words, receive);
        true
    }

    fn posted(&self) -> u32 {
        self.posted
    }
}
