//! An integer FIR filter: 32 taps over 160 samples.

use crate::noise::Noise;
use crate::{Data, Kernel};

/// Coefficients of the filter.
pub const TAPS: usize = 32;
/// Samples that a call produces.
pub const OUTPUTS: usize = 160;

/// The data of [`Filter`]. `struct samples` in C has the same layout.
#[repr(C)]
pub struct Samples {
    /// The coefficients, from -2000 to 2000.
    pub taps: [i16; TAPS],
    /// The samples before the filter, from -2000 to 2000.
    pub inputs: [i16; OUTPUTS + TAPS],
    /// The samples behind the filter: sums of [`TAPS`] products, shifted right by 8 bits.
    pub outputs: [i32; OUTPUTS],
}

// SAFETY: integers.
unsafe impl Data for Samples {}

/// Filters [`OUTPUTS`] samples.
pub struct Filter;

impl Kernel for Filter {
    const NAME: &'static str = "filter";
    type Data = Samples;

    fn prepare(data: &mut Samples) {
        let mut noise = Noise::new(9);
        for value in data.taps.iter_mut().chain(&mut data.inputs) {
            *value = (noise.below(4001) as i32 - 2000) as i16;
        }
    }

    fn run(data: &mut Samples) -> u32 {
        for (i, output) in data.outputs.iter_mut().enumerate() {
            let window = &data.inputs[i..i + TAPS];
            *output = window.iter().zip(&data.taps).fold(0, |sum, (&x, &tap)| sum + i32::from(x) * i32::from(tap)) >> 8;
        }
        0
    }

    fn check(data: &Samples, _: u32) -> u32 {
        data.outputs.iter().fold(0, |sum: u32, &output| sum.wrapping_mul(31).wrapping_add(output as u32))
    }
}
