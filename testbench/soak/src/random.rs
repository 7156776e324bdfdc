//! Random numbers of a case.
//!
//! A report names a case by its seed and its number, and an old case must be drawn again from them.
//! So the way from the generator to a value is fixed here, and a test compares it.

use std::ops::{Range, RangeInclusive};

use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha20Rng;

/// Words of the generator that are skipped for each alternative before the chosen one.
const WORDS_OF_AN_ALTERNATIVE: u32 = 32;

/// The generator of one case.
pub struct Random(ChaCha20Rng);

impl Random {
    /// The generator of case `number` of a seed.
    pub fn new(seed: u64, number: u64) -> Random {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        bytes[8..16].copy_from_slice(&number.to_le_bytes());
        Random(ChaCha20Rng::from_seed(bytes))
    }

    /// Any 32 bits.
    pub fn word(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// True with probability one half.
    pub fn flag(&mut self) -> bool {
        self.word() >> 31 == 1
    }

    /// True with a probability, 0 to 1 (exclusive).
    pub fn chance(&mut self, probability: f64) -> bool {
        // A share of 2^64.
        self.0.next_u64() < (probability * 2f64.powi(64)) as u64
    }

    /// A number of the range, each with the same probability: the upper half of a product. Products
    /// that would favour some numbers are drawn again.
    pub fn number(&mut self, range: RangeInclusive<u32>) -> u32 {
        let count = range.end() - range.start() + 1;
        let refused = count.wrapping_neg() % count;
        loop {
            let product = u64::from(self.0.next_u32()) * u64::from(count);
            if product as u32 >= refused {
                return range.start() + (product >> 32) as u32;
            }
        }
    }

    /// An index of the range, each with the same probability.
    pub fn index(&mut self, range: Range<usize>) -> usize {
        range.start + self.below(range.len() as u64) as usize
    }

    fn below(&mut self, count: u64) -> u64 {
        let refused = count.wrapping_neg() % count;
        loop {
            let product = u128::from(self.0.next_u64()) * u128::from(count);
            if product as u64 >= refused {
                return (product >> 64) as u64;
            }
        }
    }

    /// An index into `weights`, each with a probability in proportion to its weight.
    pub fn weighted(&mut self, weights: &[u32]) -> usize {
        let mut left = self.below(weights.iter().copied().map(u64::from).sum());
        for (index, weight) in weights.iter().copied().map(u64::from).enumerate() {
            match left.checked_sub(weight) {
                Some(rest) => left = rest,
                None => {
                    for _ in 0..WORDS_OF_AN_ALTERNATIVE * index as u32 {
                        self.word();
                    }
                    return index;
                }
            }
        }
        unreachable!("less than the sum of the weights was drawn")
    }

    /// One of some values, each with a probability in proportion to its weight.
    pub fn one_of<T: Copy>(&mut self, values: &[(u32, T)]) -> T {
        let weights: Vec<u32> = values.iter().map(|(weight, _)| *weight).collect();
        values[self.weighted(&weights)].1
    }
}
