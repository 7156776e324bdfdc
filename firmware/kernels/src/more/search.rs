//! All places of a word in a text, by skipping (Horspool 1980).

use crate::noise::Noise;
use crate::{Data, Kernel};

pub const TEXT_BYTES: usize = 1024;
pub const WORD_BYTES: usize = 6;

#[repr(C)]
pub struct Haystack {
    pub text: [u8; TEXT_BYTES],
    pub word: [u8; WORD_BYTES],
    /// How far a byte lets the word move on.
    pub skip: [u8; 256],
}

// SAFETY: integers.
unsafe impl Data for Haystack {}

pub struct Search;

impl Kernel for Search {
    const NAME: &'static str = "search";
    type Data = Haystack;

    /// Letters are few, so that near matches are many.
    fn prepare(data: &mut Haystack) {
        let mut noise = Noise::new(6);
        data.text.fill_with(|| b'a' + noise.below(3) as u8);
        data.word = *b"abacab";
        for place in [100, 555, TEXT_BYTES - WORD_BYTES] {
            data.text[place..place + WORD_BYTES].copy_from_slice(&data.word);
        }
    }

    /// The sum of the places, and their number above.
    fn run(data: &mut Haystack) -> u32 {
        data.skip.fill(WORD_BYTES as u8);
        for (i, &byte) in data.word[..WORD_BYTES - 1].iter().enumerate() {
            data.skip[byte as usize] = (WORD_BYTES - 1 - i) as u8;
        }
        let (mut place, mut found) = (0, 0);
        while place + WORD_BYTES <= TEXT_BYTES {
            let window = &data.text[place..place + WORD_BYTES];
            if window.iter().rev().zip(data.word.iter().rev()).all(|(a, b)| a == b) {
                found += 1 << 24 | place as u32;
            }
            place += data.skip[window[WORD_BYTES - 1] as usize] as usize;
        }
        found
    }
}
