//! The memory of the core and of the reference: an array of words. A part of it answers with bus
//! errors.

use std::ops::Range;

use crate::asm::Program;

/// The bus answered with an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BusError;

/// An array of words from a base address on.
#[derive(Clone)]
pub struct Memory {
    base: u32,
    words: Vec<u32>,
    faulty: Vec<Range<u32>>,
}

impl Memory {
    /// A memory of `len_bytes` bytes from `base` on, filled with zeros. No access to it fails.
    pub fn new(base: u32, len_bytes: u32) -> Memory {
        Memory { base, words: vec![0; len_bytes as usize / 4], faulty: Vec::new() }
    }

    /// Whether the memory has this address, faulty or not.
    pub fn covers(&self, at: u32) -> bool {
        (at.wrapping_sub(self.base) as usize / 4) < self.words.len()
    }

    /// Makes accesses to these bytes fail. Accesses outside the memory fail anyway.
    pub fn add_faulty(&mut self, bytes: Range<u32>) {
        self.faulty.push(bytes);
    }

    /// Writes a program at its addresses.
    pub fn load(&mut self, program: &Program) {
        for (at, code) in program.codes() {
            self.poke_half(at, code.bits() as u16);
            if code.len_bytes() == 4 {
                self.poke_half(at + 2, (code.bits() >> 16) as u16);
            }
        }
    }

    fn poke_half(&mut self, at: u32, half: u16) {
        let word = &mut self.words[(at - self.base) as usize / 4];
        let shift = 8 * (at & 2);
        *word = *word & !(0xFFFF << shift) | u32::from(half) << shift;
    }

    fn index(&self, at: u32) -> Result<usize, BusError> {
        let index = at.wrapping_sub(self.base) as usize / 4;
        if !self.covers(at) || self.faulty.iter().any(|range| range.contains(&at)) {
            return Err(BusError);
        }
        Ok(index)
    }

    /// The word that contains address `at`.
    pub fn read(&self, at: u32) -> Result<u32, BusError> {
        Ok(self.words[self.index(at)?])
    }

    /// Writes the bytes that `be` names into the word that contains address `at`.
    pub fn write(&mut self, at: u32, be: u8, data: u32) -> Result<(), BusError> {
        let index = self.index(at)?;
        let mask = (0..4).filter(|lane| be >> lane & 1 == 1).fold(0, |mask, lane| mask | 0xFF << (8 * lane));
        self.words[index] = self.words[index] & !mask | data & mask;
        Ok(())
    }

    /// Reads a word, also where accesses fail.
    pub fn peek(&self, at: u32) -> u32 {
        self.words[(at - self.base) as usize / 4]
    }

    /// Writes a word, also where accesses fail.
    pub fn poke(&mut self, at: u32, word: u32) {
        self.words[(at - self.base) as usize / 4] = word;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_enables_choose_the_bytes_written() {
        let mut memory = Memory::new(0x1000, 16);
        memory.poke(0x1004, 0x1122_3344);
        memory.write(0x1004, 0b0110, 0xAABB_CCDD).unwrap();
        assert_eq!(memory.read(0x1004), Ok(0x11BB_CC44));
    }

    #[test]
    fn outside_and_faulty_ranges_answer_with_errors() {
        let mut memory = Memory::new(0x1000, 16);
        memory.add_faulty(0x1008..0x100C);
        assert_eq!(memory.read(0x0FFC), Err(BusError));
        assert_eq!(memory.read(0x1010), Err(BusError));
        assert_eq!(memory.write(0x1008, 0xF, 0), Err(BusError));
        assert_eq!(memory.read(0x1004), Ok(0));
    }
}
