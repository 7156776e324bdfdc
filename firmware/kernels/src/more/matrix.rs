//! Product of two matrices of 16 by 16 words.

use crate::noise::Noise;
use crate::{Data, Kernel};

pub const SIDE: usize = 16;

type Square = [[i32; SIDE]; SIDE];

#[repr(C)]
pub struct Matrices {
    pub a: Square,
    pub b: Square,
    pub product: Square,
}

// SAFETY: integers.
unsafe impl Data for Matrices {}

pub struct Matrix;

impl Kernel for Matrix {
    const NAME: &'static str = "matrix";
    type Data = Matrices;

    fn prepare(data: &mut Matrices) {
        let mut noise = Noise::new(5);
        for element in data.a.iter_mut().chain(&mut data.b).flatten() {
            *element = noise.below(2001) as i32 - 1000;
        }
    }

    fn run(data: &mut Matrices) -> u32 {
        for (row, sums) in data.a.iter().zip(&mut data.product) {
            for (column, sum) in sums.iter_mut().enumerate() {
                *sum = row.iter().zip(&data.b).fold(0, |sum, (&a, b)| sum + a * b[column]);
            }
        }
        0
    }

    fn check(data: &Matrices, _: u32) -> u32 {
        data.product.iter().flatten().fold(0, |sum: u32, &element| sum.wrapping_mul(31).wrapping_add(element as u32))
    }
}
