//! A branchy state machine: it sorts the tokens of a text by kind, character by character.

use crate::noise::Noise;
use crate::{Data, Kernel};

/// Characters of the text.
pub const BYTES: usize = 1024;

/// The kind of a token by its characters so far. The numbers are those of c/machine.c.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum State {
    /// Between two tokens.
    Start = 0,
    /// A word: a letter or `_`, then letters, digits or `_`.
    Word = 1,
    /// A sign that has no digit yet.
    Sign = 2,
    /// The number `0`.
    Zero = 3,
    /// A decimal number.
    Decimal = 4,
    /// `0x` that has no digit yet.
    Prefix = 5,
    /// A hexadecimal number.
    Hex = 6,
    /// No token of these kinds, up to the next separator.
    Wrong = 7,
}

/// Number of values of [`State`].
pub const STATES: usize = 8;

/// The data of [`Machine`]. `struct text` in C has the same layout.
#[repr(C)]
pub struct Text {
    /// Tokens with a separator behind each; the last may be cut off.
    pub bytes: [u8; BYTES],
}

// SAFETY: integers.
unsafe impl Data for Text {}

/// Counts the tokens of each final state and returns a weighted sum of the counts.
pub struct Machine;

impl Kernel for Machine {
    const NAME: &'static str = "machine";
    type Data = Text;

    fn prepare(text: &mut Text) {
        const TOKENS: [&[u8]; 8] = [b"buffer_7 ", b"42,", b"0x1f3c ", b"-17 ", b"0,", b"x\n", b"0xq ", b"9b "];
        let mut noise = Noise::new(4);
        let mut token: &[u8] = &[];
        for byte in &mut text.bytes {
            if token.is_empty() {
                token = TOKENS[noise.below(8) as usize];
            }
            *byte = token[0];
            token = &token[1..];
        }
    }

    fn run(text: &mut Text) -> u32 {
        let mut counts = [0u32; STATES];
        let mut state = State::Start;
        for &byte in &text.bytes {
            if matches!(byte, b' ' | b',' | b'\n') {
                counts[state as usize] += 1;
                state = State::Start;
                continue;
            }
            state = match state {
                State::Start => match byte {
                    b'a'..=b'z' | b'_' => State::Word,
                    b'+' | b'-' => State::Sign,
                    b'0' => State::Zero,
                    b'1'..=b'9' => State::Decimal,
                    _ => State::Wrong,
                },
                State::Word => match byte {
                    b'a'..=b'z' | b'_' | b'0'..=b'9' => State::Word,
                    _ => State::Wrong,
                },
                State::Zero if byte == b'x' => State::Prefix,
                State::Sign | State::Zero | State::Decimal => match byte {
                    b'0'..=b'9' => State::Decimal,
                    _ => State::Wrong,
                },
                State::Prefix | State::Hex => match byte {
                    b'0'..=b'9' | b'a'..=b'f' => State::Hex,
                    _ => State::Wrong,
                },
                State::Wrong => State::Wrong,
            };
        }
        counts.iter().fold(state as u32, |sum, &count| sum.wrapping_mul(131).wrapping_add(count))
    }
}
