//! All places of a word in a text, by skipping (Horspool 1980).

use crate::noise::Noise;
use crate::{Data, Kernel};

/// Characters of the text.
pub const TEXT_BYTES: usize = 1024;
/// Characters of the word.
pub const WORD_BYTES: usize = 6;

/// The data of [`Search`]. `struct haystack` in C has the same layout.
#[repr(C)]
pub struct Haystack {
    /// The text, of the letters `a`, `b` and `c` only, so that near matches are many.
    pub text: [u8; TEXT_BYTES],
    /// The word that is searched for.
    pub word: [u8; WORD_BYTES],
    /// For each byte: how many places the word moves on if the text has that byte under the word's
    /// last character.
    pub skip: [u8; 256],
}

// SAFETY: integers.
unsafe impl Data for Haystack {}

/// Finds all places of the word in the text.
pub struct Search;

impl Kernel for Search {
    const NAME: &'static str = "search";
    type Data = Haystack;

    /// Besides the matches of chance, the word stands at three places, the last one at the end.
    fn prepare(data: &mut Haystack) {
        let mut noise = Noise::new(6);
        data.text.fill_with(|| b'a' + noise.below(3) as u8);
        data.word = *b"abacab";
        for place in [100, 555, TEXT_BYTES - WORD_BYTES] {
            data.text[place..place + WORD_BYTES].copy_from_slice(&data.word);
        }
    }

    /// Bits 23:0 of the result are the sum of the places, bits 31:24 their number.
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
