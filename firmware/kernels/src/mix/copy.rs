//! A copy of 1500 bytes, the payload of a full frame, from one word boundary to another.

use crate::noise::Noise;
use crate::{Data, Kernel};

/// Words of a frame.
pub const WORDS: usize = 1500 / 4;

/// The data of [`Copy`]: two frames. `struct frames` in C has the same layout.
#[repr(C)]
pub struct Frames {
    /// The frame that is copied: noise.
    pub from: [u32; WORDS],
    /// The copy.
    pub to: [u32; WORDS],
}

// SAFETY: integers.
unsafe impl Data for Frames {}

/// Copies [`WORDS`] words: in Rust by `nic_copy`, in C by a loop of five words at a time.
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

    /// A weighted sum of the copy: a word at a wrong place changes it.
    fn check(frames: &Frames, _: u32) -> u32 {
        frames.to.iter().fold(0, |sum: u32, &word| sum.wrapping_mul(31).wrapping_add(word))
    }
}
