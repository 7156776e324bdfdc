use nic_device::{rarely, Place, Words};
use nic_layout::personality::emp::WINDOW_COLLECTIONS;
use nic_layout::plant::{is_planted, Plant};

use crate::shape::Shape;

/// Which frames of a message have come, at its receiver.
///
/// Most frames come in order: then a count is all that is kept. Once a frame has come before
/// another one, each of the 16 collections from the oldest that is not complete has a byte, with a
/// bit for each of its frames. A frame of a later collection is not taken: its sender does not send
/// it.
#[derive(Clone, Copy, Debug)]
pub struct Arrivals(Place);

/// While frames come in order, the frame that comes next; otherwise [`SCATTERED`].
const NEXT: u32 = 4 * Shape::WORDS;
/// The collection of that frame; from bit 16 on its number there.
const NEXT_POSITION: u32 = NEXT + 4;
/// The oldest collection that is not complete, if frames are scattered or all have come.
const OLDEST: u32 = NEXT + 8;
/// The bytes, if frames are scattered: collection `k` has byte `k % 16`.
const BYTES: u32 = NEXT + 12;

/// No frame has this number.
const SCATTERED: u32 = u32::MAX;

/// What a frame is that has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It comes for the first time. `completes`: it is the last of its collection.
    New {
        /// Whether all frames of its collection are there now.
        completes: bool,
    },
    /// It has come before. `is_complete`: its collection is to be acknowledged again.
    Again {
        /// Whether all frames of its collection are there.
        is_complete: bool,
    },
    /// It is not of the message, or too far ahead: it is dropped.
    Beyond,
}

impl Arrivals {
    /// Words of SRAM.
    pub const WORDS: u32 = Shape::WORDS + 3 + WINDOW_COLLECTIONS / 4;

    /// The arrivals at a place.
    #[inline(always)]
    pub const fn at(place: Place) -> Arrivals {
        Arrivals(place)
    }

    /// No frame of a message has come. `frames`: 1 to 65535, `collection_frames`: 1 to 8.
    pub fn start(self, words: &mut impl Words, frames: u32, collection_frames: u32) {
        Shape(self.0).start(words, frames, collection_frames);
        for at in [NEXT, NEXT_POSITION, OLDEST] {
            words.put(self.0, at, 0);
        }
    }

    /// Takes a frame.
    #[inline(always)]
    pub fn arrive(self, words: &mut impl Words, frame: u32) -> Arrival {
        if frame != words.get(self.0, NEXT) {
            rarely();
            return self.arrive_scattered(words, frame);
        }
        let (frames, collection_frames) = Shape(self.0).frames(words);
        let position = words.get(self.0, NEXT_POSITION);
        if frame + 1 == frames {
            rarely();
            words.put(self.0, NEXT, SCATTERED);
            words.put(self.0, OLDEST, (position & 0xFFFF) + 1);
            return Arrival::New { completes: true };
        }
        words.put(self.0, NEXT, frame + 1);
        let completes = (position >> 16) + 1 == collection_frames;
        let next_position = if completes { (position & 0xFFFF) + 1 } else { position + 0x1_0000 };
        words.put(self.0, NEXT_POSITION, next_position);
        Arrival::New { completes }
    }

    /// What is known of the next frame, if frames come in order and not all have come.
    #[inline(always)]
    pub fn in_order(self, words: &impl Words) -> Option<InOrder> {
        let (frames, collection_frames) = Shape(self.0).frames(words);
        let (next, position) = (words.get(self.0, NEXT), words.get(self.0, NEXT_POSITION));
        (next != SCATTERED).then_some(InOrder { next, position, last: frames - 1, collection_frames })
    }

    /// Takes a frame that is not the next.
    #[inline(never)]
    fn arrive_scattered(self, words: &mut impl Words, frame: u32) -> Arrival {
        let shape = Shape(self.0);
        let (frames, collection_frames) = shape.frames(words);
        if frame >= frames {
            return Arrival::Beyond;
        }
        let position = shape.position(words, frame, collection_frames);
        let collection = position.collection;
        let next = words.get(self.0, NEXT);
        if next != SCATTERED {
            let at = words.get(self.0, NEXT_POSITION);
            if frame < next {
                return Arrival::Again { is_complete: collection < at & 0xFFFF };
            }
            if collection - (at & 0xFFFF) >= WINDOW_COLLECTIONS {
                return Arrival::Beyond;
            }
            self.scatter(words, at & 0xFFFF, at >> 16);
        }
        let oldest = words.get(self.0, OLDEST);
        if collection < oldest {
            return Arrival::Again { is_complete: true };
        }
        if collection - oldest >= WINDOW_COLLECTIONS {
            return Arrival::Beyond;
        }
        let (at, shift) = byte_of(collection);
        let bytes = words.get(self.0, at);
        let full = full_byte(frames, collection_frames, collection);
        let byte = (bytes >> shift) & 0xFF;
        if is_planted(Plant::CopyCounts) && byte & 1 << position.index != 0 && byte != full {
            // The first frame that is missing counts as come.
            let completes = byte | (byte + 1) == full;
            words.put(self.0, at, bytes | ((byte + 1) & !byte) << shift);
            if completes && collection == oldest {
                self.advance(words, oldest, frames, collection_frames);
            }
            return Arrival::New { completes };
        }
        if byte & 1 << position.index != 0 {
            return Arrival::Again { is_complete: byte == full };
        }
        let completes = byte | 1 << position.index == full;
        words.put(self.0, at, bytes | 1 << (shift + position.index));
        if completes && collection == oldest {
            self.advance(words, oldest, frames, collection_frames);
        }
        Arrival::New { completes }
    }

    /// Frames do not come in order any more: the first `index` of the oldest collection, and all of
    /// those before it, have come.
    fn scatter(self, words: &mut impl Words, oldest: u32, index: u32) {
        words.put(self.0, NEXT, SCATTERED);
        words.put(self.0, OLDEST, oldest);
        for at in (BYTES..4 * Arrivals::WORDS).step_by(4) {
            words.put(self.0, at, 0);
        }
        let (at, shift) = byte_of(oldest);
        words.put(self.0, at, ((1 << index) - 1) << shift);
    }

    /// The oldest collection is complete: goes to the oldest that is not.
    fn advance(self, words: &mut impl Words, mut oldest: u32, frames: u32, collection_frames: u32) {
        let collections = Shape(self.0).collections(words);
        while oldest < collections {
            let (at, shift) = byte_of(oldest);
            let bytes = words.get(self.0, at);
            if (bytes >> shift) & 0xFF != full_byte(frames, collection_frames, oldest) {
                break;
            }
            // The byte serves a later collection now.
            words.put(self.0, at, bytes & !(0xFF << shift));
            oldest += 1;
        }
        words.put(self.0, OLDEST, oldest);
        let are_all_empty =
            |words: &_| (BYTES..4 * Arrivals::WORDS).step_by(4).all(|at| Words::get(words, self.0, at) == 0);
        if oldest < collections && are_all_empty(words) {
            // Nothing has come of the collections from here on: in order again.
            words.put(self.0, NEXT, oldest * collection_frames);
            words.put(self.0, NEXT_POSITION, oldest);
        }
    }

    /// Whether all frames of the message have come.
    #[inline(always)]
    pub fn is_complete(self, words: &impl Words) -> bool {
        words.get(self.0, OLDEST) == Shape(self.0).collections(words)
    }
}

/// A copy of what [`Arrivals`] know of frames in order, for a memory that is faster than theirs. It
/// is true until another frame arrives.
#[derive(Clone, Copy, Debug)]
pub struct InOrder {
    next: u32,
    position: u32,
    last: u32,
    collection_frames: u32,
}

impl InOrder {
    /// The copy of none.
    pub const NOTHING: InOrder = InOrder { next: 0, position: 0, last: 0, collection_frames: 0 };

    /// The frame that comes next.
    #[inline(always)]
    pub const fn next(&self) -> u32 {
        self.next
    }

    /// Whether that frame is the last of its message.
    #[inline(always)]
    pub const fn is_at_last(&self) -> bool {
        self.next == self.last
    }

    /// [`Arrivals::arrive`] of the next frame, which is not the last of its message. `arrivals`:
    /// the place of what this is a copy of. True: it completes its collection.
    #[inline(always)]
    pub fn arrive(&mut self, words: &mut impl Words, arrivals: Place) -> bool {
        let (index, collection) = (self.position >> 16, self.position & 0xFFFF);
        let completes = index + 1 == self.collection_frames;
        self.position = if completes { collection + 1 } else { self.position + 0x1_0000 };
        self.next += 1;
        words.put(arrivals, NEXT, self.next);
        words.put(arrivals, NEXT_POSITION, self.position);
        completes
    }
}

/// The word of a collection's byte, and its lowest bit there.
#[inline(always)]
fn byte_of(collection: u32) -> (u32, u32) {
    let byte = collection % WINDOW_COLLECTIONS;
    (BYTES + (byte & !3), 8 * (byte & 3))
}

/// The byte of a collection whose frames are all there. The last collection may have fewer.
#[inline(always)]
fn full_byte(frames: u32, collection_frames: u32, collection: u32) -> u32 {
    let left = frames - collection * collection_frames;
    (1 << left.min(collection_frames)) - 1
}
