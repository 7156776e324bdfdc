//! An integer FIR filter: 32 taps over 160 samples.

use crate::noise::Noise;
use crate::{Data, Kernel};

pub const TAPS: usize = 32;
pub const OUTPUTS: usize = 160;

#[repr(C)]
pub struct Samples {
    pub taps: [i16; TAPS],
    pub inputs: [i16; OUTPUTS + TAPS],
    pub outputs: [i32; OUTPUTS],
}

// SAFETY: integers.
unsafe impl Data for Samples {}

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
