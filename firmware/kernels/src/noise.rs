//! Numbers that look random and are always the same (xorshift, Marsaglia 2003).

pub struct Noise(u32);

impl Noise {
    pub fn new(seed: u32) -> Noise {
        Noise(seed | 1)
    }

    pub fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    /// Below `end`, which is at most 2^16.
    pub fn below(&mut self, end: u32) -> u32 {
        ((self.next() >> 16) * end) >> 16
    }
}
