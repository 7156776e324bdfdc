//! A hash of 1024 bytes by multiplication and rotation (MurmurHash3, 32 bits).

use crate::noise::Noise;
use crate::{Data, Kernel};

/// Words of the message.
pub const WORDS: usize = 256;

/// The data of [`Hash`]. `struct message` in C has the same layout.
#[repr(C)]
pub struct Message {
    /// The message: noise.
    pub words: [u32; WORDS],
}

// SAFETY: integers.
unsafe impl Data for Message {}

/// Hashes the message with seed 0 and returns its hash.
pub struct Hash;

impl Kernel for Hash {
    const NAME: &'static str = "hash";
    type Data = Message;

    fn prepare(message: &mut Message) {
        let mut noise = Noise::new(8);
        message.words.fill_with(|| noise.next());
    }

    fn run(message: &mut Message) -> u32 {
        let mut hash = message.words.iter().fold(0u32, |hash, &word| {
            let mixed = word.wrapping_mul(0xCC9E_2D51).rotate_left(15).wrapping_mul(0x1B87_3593);
            (hash ^ mixed).rotate_left(13).wrapping_mul(5).wrapping_add(0xE654_6B64)
        });
        hash ^= 4 * WORDS as u32;
        hash = (hash ^ hash >> 16).wrapping_mul(0x85EB_CA6B);
        hash = (hash ^ hash >> 13).wrapping_mul(0xC2B2_AE35);
        hash ^ hash >> 16
    }
}
