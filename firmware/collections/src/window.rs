use core::ops::Range;

use nic_device::{Place, Words};
use nic_layout::personality::emp::{FIRST_WINDOW_COLLECTIONS, WINDOW_COLLECTIONS};

use crate::shape::Shape;

/// Which frames of a message may be sent, and which collections were accepted, at its sender.
#[derive(Clone, Copy, Debug)]
pub struct Window(Place);

/// The oldest collection that was not accepted.
const OLDEST: u32 = 4 * Shape::WORDS;
/// The frame that is sent next for the first time.
const NEXT: u32 = OLDEST + 4;
/// The collection of that frame; from bit 16 on its number there.
const NEXT_POSITION: u32 = OLDEST + 8;
/// Accepted collections from the oldest on: collection `k` has bit `k % 16`. Bit 16: some
/// collection was accepted.
const ACCEPTED: u32 = OLDEST + 12;

const MATCHED: u32 = 1 << WINDOW_COLLECTIONS;

/// A frame that is sent for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Next {
    /// Its number in the message.
    pub frame: u32,
    /// Its collection.
    pub collection: u32,
    /// Whether it is the last of its collection, whose timer starts (E-33).
    pub is_last: bool,
    /// The collection of the frame behind it, and its number there.
    position_behind: u32,
}

/// What an acknowledgement says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acknowledged {
    /// The collection with this number is accepted.
    New(u32),
    /// It was accepted before.
    Again,
    /// There is no such frame, or it was not sent.
    Strange,
}

impl Window {
    /// Words of SRAM.
    pub const WORDS: u32 = Shape::WORDS + 4;

    /// The window at a place.
    #[inline(always)]
    pub const fn at(place: Place) -> Window {
        Window(place)
    }

    /// No frame of a message was sent. `frames`: 1 to 65535, `collection_frames`: 1 to 8.
    pub fn start(self, words: &mut impl Words, frames: u32, collection_frames: u32) {
        Shape(self.0).start(words, frames, collection_frames);
        for at in [OLDEST, NEXT, NEXT_POSITION, ACCEPTED] {
            words.put(self.0, at, 0);
        }
    }

    /// The only frame of a message was sent. `collection_frames`: 1 to 8.
    #[inline(always)]
    pub fn start_sent(self, words: &mut impl Words, collection_frames: u32) {
        Shape(self.0).start(words, 1, collection_frames);
        words.put(self.0, OLDEST, 0);
        words.put(self.0, NEXT, 1);
        words.put(self.0, NEXT_POSITION, 1);
        words.put(self.0, ACCEPTED, 0);
    }

    /// Takes the next frame, if the window lets it pass.
    #[inline(always)]
    pub fn next(self, words: &mut impl Words) -> Option<Next> {
        let next = self.peek(words)?;
        self.take(words, &next);
        Some(next)
    }

    /// The next frame, if the window lets it pass. It stays the next.
    #[inline(always)]
    pub fn peek(self, words: &impl Words) -> Option<Next> {
        let (frames, collection_frames) = Shape(self.0).frames(words);
        let frame = words.get(self.0, NEXT);
        let position = words.get(self.0, NEXT_POSITION);
        let (collection, index) = (position & 0xFFFF, position >> 16);
        if frame == frames || collection - words.get(self.0, OLDEST) >= self.room(words) {
            return None;
        }
        let is_last = frame + 1 == frames || index + 1 == collection_frames;
        let position_behind = if is_last { collection + 1 } else { collection | (index + 1) << 16 };
        Some(Next { frame, collection, is_last, position_behind })
    }

    /// Takes the frame of [`Self::peek`].
    #[inline(always)]
    pub fn take(self, words: &mut impl Words, next: &Next) {
        words.put(self.0, NEXT, next.frame + 1);
        words.put(self.0, NEXT_POSITION, next.position_behind);
    }

    /// Whether [`Self::next`] would give a frame.
    #[inline(always)]
    pub fn may_send(self, words: &impl Words) -> bool {
        let (frames, _) = Shape(self.0).frames(words);
        let collection = words.get(self.0, NEXT_POSITION) & 0xFFFF;
        words.get(self.0, NEXT) != frames && collection - words.get(self.0, OLDEST) < self.room(words)
    }

    /// Collections that may be in flight.
    #[inline(always)]
    fn room(self, words: &impl Words) -> u32 {
        match self.is_matched(words) {
            true => WINDOW_COLLECTIONS,
            false => FIRST_WINDOW_COLLECTIONS,
        }
    }

    /// Takes the acknowledgement of a collection, which has the number of one of its frames.
    #[inline(always)]
    pub fn acknowledge(self, words: &mut impl Words, frame: u32) -> Acknowledged {
        let shape = Shape(self.0);
        let (frames, collection_frames) = shape.frames(words);
        if frame >= frames {
            return Acknowledged::Strange;
        }
        let collection = shape.position(words, frame, collection_frames).collection;
        let mut oldest = words.get(self.0, OLDEST);
        if collection < oldest {
            return Acknowledged::Again;
        }
        if collection >= self.sent(words) {
            return Acknowledged::Strange;
        }
        let mut accepted = words.get(self.0, ACCEPTED);
        if accepted & bit(collection) != 0 {
            return Acknowledged::Again;
        }
        accepted |= bit(collection) | MATCHED;
        while accepted & bit(oldest) != 0 {
            accepted &= !bit(oldest);
            oldest += 1;
        }
        words.put(self.0, ACCEPTED, accepted);
        words.put(self.0, OLDEST, oldest);
        Acknowledged::New(collection)
    }

    /// Collections whose frames were all sent: those below this number.
    #[inline(always)]
    pub fn sent(self, words: &impl Words) -> u32 {
        words.get(self.0, NEXT_POSITION) & 0xFFFF
    }

    /// The oldest collection that was not accepted.
    #[inline(always)]
    pub fn oldest(self, words: &impl Words) -> u32 {
        words.get(self.0, OLDEST)
    }

    /// Whether the collection was sent and not accepted.
    #[inline(always)]
    pub fn is_waiting(self, words: &impl Words, collection: u32) -> bool {
        let is_accepted = words.get(self.0, ACCEPTED) & bit(collection) != 0;
        collection >= self.oldest(words) && collection < self.sent(words) && !is_accepted
    }

    /// Whether the next frame is the first of its collection.
    #[inline(always)]
    pub fn begins(self, words: &impl Words) -> bool {
        words.get(self.0, NEXT_POSITION) >> 16 == 0
    }

    /// Collections whose frames were all sent and that were not accepted, without those of `lost`:
    /// collection `k` has bit `k % 16` there.
    pub fn in_flight(self, words: &impl Words, lost: u32) -> u32 {
        let oldest = self.oldest(words);
        let from_oldest = (1 << (self.sent(words) - oldest).min(WINDOW_COLLECTIONS)) - 1;
        let rotated = from_oldest << (oldest % WINDOW_COLLECTIONS);
        let flying = (rotated | rotated >> WINDOW_COLLECTIONS) & !words.get(self.0, ACCEPTED) & !lost & (MATCHED - 1);
        flying.count_ones()
    }

    /// The frames of a collection.
    pub fn frames_of(self, words: &impl Words, collection: u32) -> Range<u32> {
        let (frames, collection_frames) = Shape(self.0).frames(words);
        let first = (collection * collection_frames).min(frames);
        first..(first + collection_frames).min(frames)
    }

    /// Whether some collection was accepted: a receive has taken the message.
    #[inline(always)]
    pub fn is_matched(self, words: &impl Words) -> bool {
        words.get(self.0, ACCEPTED) & MATCHED != 0
    }

    /// Whether all collections were accepted.
    #[inline(always)]
    pub fn is_complete(self, words: &impl Words) -> bool {
        self.oldest(words) == Shape(self.0).collections(words)
    }
}

#[inline(always)]
const fn bit(collection: u32) -> u32 {
    1 << (collection % WINDOW_COLLECTIONS)
}
