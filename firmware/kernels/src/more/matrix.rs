//! Product of two matrices of 16 by 16 words.

use crate::noise::Noise;
use crate::{Data, Kernel};

/// Rows and columns of a matrix.
pub const SIDE: usize = 16;

type Square = [[i32; SIDE]; SIDE];

/// The data of [`Matrix`]: matrices row by row. `struct matrices` in C has the same layout.
#[repr(C)]
pub struct Matrices {
    /// The left factor, elements from -1000 to 1000.
    pub a: Square,
    /// The right factor, elements from -1000 to 1000.
    pub b: Square,
    /// `a` times `b`.
    pub product: Square,
}

// SAFETY: integers.
unsafe impl Data for Matrices {}

/// Multiplies two matrices of [`SIDE`] by [`SIDE`].
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
