//! Pseudo-random numbers (xorshift, Marsaglia 2003), the same in each image and on the host.

/// The generator: its state is never 0.
pub struct Noise(u32);

impl Noise {
    /// A generator that begins at a seed. Seeds 2n and 2n + 1 give the same numbers.
    pub fn new(seed: u32) -> Noise {
        Noise(seed | 1)
    }

    /// The next number, never 0.
    pub fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    /// The next number below `end`. `end` is at most 2^16.
    pub fn below(&mut self, end: u32) -> u32 {
        ((self.next() >> 16) * end) >> 16
    }
}
