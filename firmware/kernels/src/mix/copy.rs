//! A copy of 1500 bytes, the payload of a full frame, from one word boundary to another.

use crate::noise::Noise;
use crate::{Data, Kernel};

pub const WORDS: usize = 1500 / 4;

#[repr(C)]
pub struct Frames {
    pub from: [u32; WORDS],
    pub to: [u32; WORDS],
}

// SAFETY: integers.
unsafe impl Data for Frames {}

pub struct Copy;

impl Kernel for Copy {
    const NAME: &'static str = "copy";
    type Data = Frames;

    fn prepare(frames: &mut Frames) {
        let mut noise = Noise::new(2);
        frames.from.fill_with(|| noise.next());
        frames.to.fill(0);
    }

    fn run(frames: &mut Frames) -> u32 {
        frames.to.copy_from_slice(&frames.from);
        0
    }

    /// A word at a wrong place counts otherwise.
    fn check(frames: &Frames, _: u32) -> u32 {
        frames.to.iter().fold(0, |sum: u32, &word| sum.wrapping_mul(31).wrapping_add(word))
    }
}
