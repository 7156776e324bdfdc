use nic_device::{rarely, Place, Words};

/// How many frames and collections a message has: the first words of [`crate::Arrivals`] and
/// [`crate::Window`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape(pub Place);

/// Frames of the message; from bit 16 on the frames of a collection.
const FRAMES: u32 = 0;
/// What a number of frames is multiplied with to divide it by the frames of a collection.
const RECIPROCAL: u32 = 4;
/// Collections of the message.
const COLLECTIONS: u32 = 8;

/// A frame within its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    /// Its collection.
    pub collection: u32,
    /// Its number in the collection.
    pub index: u32,
}

/// 2^31 divided by a number from 1 to 8, rounded up. With it a multiplication divides every number
/// below 2^16 exactly.
const fn reciprocal(divisor: u32) -> u32 {
    (1_u32 << 31).div_ceil(divisor)
}

const fn divide(number: u32, reciprocal: u32) -> u32 {
    (((number << 1) as u64 * reciprocal as u64) >> 32) as u32
}

impl Shape {
    pub const WORDS: u32 = 3;

    /// `frames`: 1 to 65535. `collection_frames`: 1 to 8.
    #[inline(always)]
    pub fn start(self, words: &mut impl Words, frames: u32, collection_frames: u32) {
        if frames == 1 {
            // Whatever its only frame is multiplied with, it is in collection 0.
            words.put(self.0, FRAMES, frames | collection_frames << 16);
            return words.put(self.0, COLLECTIONS, 1);
        }
        rarely();
        self.start_long(words, frames, collection_frames);
    }

    #[inline(never)]
    fn start_long(self, words: &mut impl Words, frames: u32, collection_frames: u32) {
        let reciprocal = match collection_frames {
            1 => const { reciprocal(1) },
            2 => const { reciprocal(2) },
            3 => const { reciprocal(3) },
            4 => const { reciprocal(4) },
            5 => const { reciprocal(5) },
            6 => const { reciprocal(6) },
            7 => const { reciprocal(7) },
            _ => const { reciprocal(8) },
        };
        words.put(self.0, FRAMES, frames | collection_frames << 16);
        words.put(self.0, RECIPROCAL, reciprocal);
        words.put(self.0, COLLECTIONS, divide(frames - 1, reciprocal) + 1);
    }

    /// Frames of the message, and of a collection.
    #[inline(always)]
    pub fn frames(self, words: &impl Words) -> (u32, u32) {
        let both = words.get(self.0, FRAMES);
        (both & 0xFFFF, both >> 16)
    }

    #[inline(always)]
    pub fn collections(self, words: &impl Words) -> u32 {
        words.get(self.0, COLLECTIONS)
    }

    #[inline(always)]
    pub fn position(self, words: &impl Words, frame: u32, collection_frames: u32) -> Position {
        let collection = divide(frame, words.get(self.0, RECIPROCAL));
        Position { collection, index: frame - collection * collection_frames }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_multiplication_divides_every_number_of_a_frame() {
        for divisor in 1..=8 {
            let reciprocal = reciprocal(divisor);
            assert!((0..=0xFFFF).all(|frame| divide(frame, reciprocal) == frame / divisor), "{divisor}");
        }
    }
}
