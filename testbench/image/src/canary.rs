//! A canary for the stack of an image: how deep the stack grew in a run, beside the bound that the
//! analysis gives.
//!
//! A loader fills the stack with a pattern before the firmware starts, and a reader looks for the
//! lowest word without the pattern after the run. Both are a few instructions for the core itself,
//! since nothing else reaches its scratchpad. The firmware is not changed: the loader is one more
//! segment of the file, runs in place of the entry point, and jumps there.
//!
//! The depth is a lower limit: a function may reserve words that it does not write, and a word that
//! was written may hold the pattern.

use object::elf::{FileHeader32, ProgramHeader32, PF_R, PF_X, PT_LOAD};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{from_bytes_mut, LittleEndian, U16, U32};
use serde::{Deserialize, Serialize};

use crate::error::ImageError;
use crate::{Analysis, Linked};

/// The word that fills the stack. As an address it names nothing, as a count it is out of range.
const PATTERN: u32 = 0xC0DE_5AFE;

/// An image whose stack is filled with a pattern before it starts.
#[derive(Clone, Debug)]
pub struct Canary {
    planted: Vec<u8>,
    stack_limit: u32,
    stack_top: u32,
    deepest_bytes: u32,
    image_start: u32,
}

/// A program that finds the lowest word of the stack that was written. Addresses are in the core's
/// view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reader {
    /// Where the program is to be written, in SRAM over the image, and where the core starts.
    pub entry: u32,
    /// The instructions.
    pub words: Vec<u32>,
    /// The word of SRAM that takes the address which the program finds. It holds zero before.
    pub answer: u32,
}

/// The stack of an image in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackUse {
    /// The bytes from the top of the stack to the lowest word that was written.
    pub used_bytes: u32,
    /// The bytes of stack on the deepest path, by the analysis of the image.
    pub deepest_bytes: u32,
    /// The bytes between static data and the top of the stack.
    pub room_bytes: u32,
}

impl Canary {
    /// Adds the canary to a linked image: an ELF file with symbols.
    ///
    /// # Errors
    /// Every [`ImageError`] of [`crate::judge`].
    pub fn plant(file: &[u8]) -> Result<Canary, ImageError> {
        let image = Linked::read(file)?;
        let (entry, stack_limit, stack_top) = (image.entry, image.stack_limit, image.stack_top);
        let deepest_bytes = Analysis::of(image)?.stack()?.deepest_bytes;
        let unreadable = |error: object::Error| ImageError::Unreadable(error.to_string());
        let header = FileHeader32::<LittleEndian>::parse(file).map_err(unreadable)?;
        let programs = header.program_headers(LittleEndian, file).map_err(unreadable)?;
        let loaded = || programs.iter().filter(|program| program.p_type(LittleEndian) == PT_LOAD);
        let start = |program: &ProgramHeader32<LittleEndian>| program.p_paddr(LittleEndian);
        let has_bytes = |program: &&ProgramHeader32<LittleEndian>| program.p_filesz(LittleEndian) > 0;
        let end = |program: &ProgramHeader32<LittleEndian>| start(program) + program.p_filesz(LittleEndian);
        let nothing = || ImageError::Unreadable("no segment is loaded".into());
        let image_start = loaded().filter(has_bytes).map(start).min().ok_or_else(nothing)?;
        let loader_at = loaded().filter(has_bytes).map(end).max().ok_or_else(nothing)?.next_multiple_of(16);

        let mut planted = file.to_vec();
        planted.resize(planted.len().next_multiple_of(16), 0);
        let loader_offset = planted.len() as u32;
        let loader = loader(stack_limit, stack_top, entry);
        planted.extend(loader.iter().flat_map(|word| word.to_le_bytes()));
        let headers_offset = planted.len() as u32;
        let word = |value| U32::new(LittleEndian, value);
        let bytes = word(4 * loader.len() as u32);
        let (filled, of_loader) = (
            object::bytes_of_slice(programs),
            ProgramHeader32 {
                p_type: word(PT_LOAD),
                p_offset: word(loader_offset),
                p_vaddr: word(loader_at),
                p_paddr: word(loader_at),
                p_filesz: bytes,
                p_memsz: bytes,
                p_flags: word(PF_R | PF_X),
                p_align: word(16),
            },
        );
        planted.extend(filled);
        planted.extend(object::bytes_of(&of_loader));
        let (header, _) = from_bytes_mut::<FileHeader32<LittleEndian>>(&mut planted)
            .map_err(|()| ImageError::Unreadable("the file header".into()))?;
        header.e_entry = word(loader_at);
        header.e_phoff = word(headers_offset);
        header.e_phnum = U16::new(LittleEndian, programs.len() as u16 + 1);
        Ok(Canary { planted, stack_limit, stack_top, deepest_bytes, image_start })
    }

    /// The ELF file to load in place of the image.
    pub fn planted(&self) -> &[u8] {
        &self.planted
    }

    /// The program to run on the core when the firmware has been stopped.
    pub fn reader(&self) -> Reader {
        let entry = self.image_start;
        // The program takes less.
        let answer = entry + 256;
        Reader { entry, words: reader(self.stack_limit, self.stack_top, answer), answer }
    }

    /// Compares the answer of the [`Reader`], the address of the lowest word of the stack that was
    /// written, with the analysis.
    ///
    /// # Errors
    /// [`ImageError::StackDeeper`] or [`ImageError::NoAnswer`].
    pub fn judge(&self, lowest: u32) -> Result<StackUse, ImageError> {
        if !(self.stack_limit..=self.stack_top).contains(&lowest) {
            return Err(ImageError::NoAnswer(lowest));
        }
        let (used_bytes, deepest_bytes) = (self.stack_top - lowest, self.deepest_bytes);
        let room_bytes = self.stack_top - self.stack_limit;
        match used_bytes > deepest_bytes || used_bytes == room_bytes {
            true => Err(ImageError::StackDeeper { used_bytes, deepest_bytes, room_bytes }),
            false => Ok(StackUse { used_bytes, deepest_bytes, room_bytes }),
        }
    }
}

/// Fills the words from `start` to `end` with the pattern, and jumps to `entry`.
fn loader(start: u32, end: u32, entry: u32) -> Vec<u32> {
    let mut program = [load(T0, start), load(T1, end), load(T2, PATTERN)].concat();
    program.extend([store_word(T2, T0), add(T0, 4), branch(LESS_UNSIGNED, T0, T1, -8)]);
    program.extend(load(T0, entry));
    program.push(jump_to(T0));
    program
}

/// Finds the first word from `start` to `end` that is not the pattern, writes its address to
/// `answer`, and waits for its reset.
fn reader(start: u32, end: u32, answer: u32) -> Vec<u32> {
    let mut program = [load(T0, start), load(T1, end), load(T2, PATTERN)].concat();
    program.extend([load_word(T3, T0), branch(NOT_EQUAL, T3, T2, 12), add(T0, 4), branch(LESS_UNSIGNED, T0, T1, -12)]);
    program.extend(load(T1, answer));
    program.extend([store_word(T0, T1), JUMP_TO_ITSELF]);
    program
}

// RV32I encodings (RISC-V Unprivileged ISA, chapter 2).

/// The number of a register.
type Register = u32;

const T0: Register = 5;
const T1: Register = 6;
const T2: Register = 7;
const T3: Register = 28;

const NOT_EQUAL: u32 = 1;
const LESS_UNSIGNED: u32 = 6;
const JUMP_TO_ITSELF: u32 = 0x0000_006F;

/// `lui` and `addi`: any constant.
fn load(to: Register, value: u32) -> [u32; 2] {
    let upper = value.wrapping_add(0x800) & 0xFFFF_F000;
    [upper | to << 7 | 0x37, (value & 0xFFF) << 20 | to << 15 | to << 7 | 0x13]
}

/// `addi` of a register to itself.
fn add(to: Register, value: u32) -> u32 {
    value << 20 | to << 15 | to << 7 | 0x13
}

/// `lw` without an offset.
fn load_word(to: Register, from: Register) -> u32 {
    from << 15 | 2 << 12 | to << 7 | 0x03
}

/// `sw` without an offset.
fn store_word(value: Register, to: Register) -> u32 {
    value << 20 | to << 15 | 2 << 12 | 0x23
}

/// `jalr` without an offset that keeps no return address.
fn jump_to(target: Register) -> u32 {
    target << 15 | 0x67
}

/// A conditional branch over `distance_bytes`, -4096 to 4094.
fn branch(condition: u32, left: Register, right: Register, distance_bytes: i32) -> u32 {
    let distance = distance_bytes as u32;
    let high = (distance >> 12 & 1) << 31 | (distance >> 5 & 0x3F) << 25;
    let low = (distance >> 1 & 0xF) << 8 | (distance >> 11 & 1) << 7;
    high | right << 20 | left << 15 | condition << 12 | low | 0x63
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: u32 = 0x2000_3000;
    const TOP: u32 = 0x2000_4000;

    fn canary() -> Canary {
        let (planted, image_start) = (Vec::new(), 0x1000_0400);
        Canary { planted, stack_limit: LIMIT, stack_top: TOP, deepest_bytes: 1024, image_start }
    }

    /// The encodings that the assembler of LLVM gives.
    #[test]
    fn the_programs_are_these_instructions() {
        // lui t0, 0x20003; addi t0, t0, 0; lui t2, 0xc0de6; addi t2, t2, -0x502
        assert_eq!(load(T0, LIMIT), [0x2000_32B7, 0x0002_8293]);
        assert_eq!(load(T2, PATTERN), [0xC0DE_63B7, 0xAFE3_8393]);
        // sw t2, 0(t0); addi t0, t0, 4; bltu t0, t1, . - 8; jalr zero, 0(t0)
        let loader = loader(LIMIT, TOP, 0x1000_0400);
        assert_eq!(loader[6..9], [0x0072_A023, 0x0042_8293, 0xFE62_ECE3]);
        assert_eq!(loader[11], 0x0002_8067);
        // lw t3, 0(t0); bne t3, t2, . + 12; addi t0, t0, 4; bltu t0, t1, . - 12; sw t0, 0(t1)
        let reader = reader(LIMIT, TOP, 0x1000_0500);
        assert_eq!(reader[6..10], [0x0002_AE03, 0x007E_1663, 0x0042_8293, 0xFE62_EAE3]);
        assert_eq!(reader[12..], [0x0053_2023, JUMP_TO_ITSELF]);
    }

    #[test]
    fn a_stack_that_stays_within_the_analysed_depth_passes() {
        let used = canary().judge(TOP - 1024).unwrap();
        assert_eq!(used, StackUse { used_bytes: 1024, deepest_bytes: 1024, room_bytes: 4096 });
        assert_eq!(canary().judge(TOP).unwrap().used_bytes, 0);
    }

    #[test]
    fn a_stack_that_grew_deeper_than_analysed_is_found() {
        let deeper = |lowest| matches!(canary().judge(lowest), Err(ImageError::StackDeeper { .. }));
        assert!(deeper(TOP - 1028) && deeper(LIMIT));
        // The whole room was written: what lies below it may have been too.
        let full = Canary { deepest_bytes: 4096, ..canary() };
        assert!(matches!(full.judge(LIMIT), Err(ImageError::StackDeeper { .. })));
        assert_eq!(canary().judge(0), Err(ImageError::NoAnswer(0)));
    }
}
