//! Lays programs out in memory: one image for the core and one for QEMU. They differ where QEMU
//! cannot do the same as the core.

use std::collections::BTreeMap;

use bench_core::asm::{self, Code, Program};
use bench_core::bench::Timing;
use bench_core::memory::Memory;

use crate::handler;
use crate::op::{Case, Placed};
use crate::rules::Answer;

/// The size of memory in bytes. Memory begins at address 0.
pub const MEMORY_BYTES: u32 = 0x20_0000;
/// The address of the first instruction after reset, on both sides.
pub const START: u32 = 0x1000;
const FIRST: u32 = 0x1200;
/// The address of the data of the programs.
pub const DATA: u32 = MEMORY_BYTES - 0x2000;
/// The address of the first half of an instruction whose second half lies behind the end of memory.
pub const EDGE: u32 = MEMORY_BYTES - 2;

/// A program in the image.
#[derive(Clone, Debug)]
pub struct Slot {
    /// The address of its first instruction, where it sets itself up.
    pub start: u32,
    /// The address of its body, from which its conditions hold.
    pub body: u32,
    /// The timing of memory, interrupts and halts.
    pub timing: Timing,
    /// The seed of waits and interrupts.
    pub seed: u64,
}

/// Programs in memory, for both sides, with the permitted differences.
pub struct Image {
    /// The memory of the core.
    pub core: Memory,
    /// The memory of QEMU, as the bytes of its file.
    pub qemu: Vec<u8>,
    /// The programs in the order of their addresses, which is the order of their execution.
    pub slots: Vec<Slot>,
    /// By the address of an instruction: the trap that the core must take where QEMU takes another.
    pub answers: BTreeMap<u32, Answer>,
    /// The address of the jump to itself behind the last program.
    pub park: u32,
}

impl Image {
    /// Lays programs out one behind the other. Panics if they do not fit.
    pub fn of<'a>(cases: impl IntoIterator<Item = &'a Case>) -> Image {
        let mut bytes = Bytes(vec![0; MEMORY_BYTES as usize]);
        // QEMU 7.2 ends if only half of an instruction lies in memory. So it finds a whole
        // instruction there that traps.
        let mut replaced = vec![(EDGE, Code::Half(0))];
        let mut answers = BTreeMap::from([(EDGE, Answer { cause: 1, value: EDGE + 2 })]);
        let mut slots = Vec::new();
        bytes.program(&handler::start(FIRST));
        bytes.program(&handler::handler());
        let mut at = FIRST;
        for case in cases {
            let Placed { program, special, body, .. } = case.place(at);
            assert!(program.here() < DATA, "too many programs for one image");
            bytes.program(&program);
            slots.push(Slot { start: at, body, timing: case.timing, seed: case.seed });
            replaced.extend(special.replaced);
            answers.extend(special.answers);
            // Each program begins where the previous one ends, also in the middle of a word.
            at = program.here();
        }
        let mut end = Program::at(at);
        end.put(asm::jal(0, 0));
        bytes.program(&end);
        for word in 0..0x400u32 {
            bytes.put(DATA + 4 * word, Code::Word(word.wrapping_mul(0x9E37_79B9)));
        }
        bytes.put(EDGE, Code::Half(asm::addi(1, 1, 1).bits() as u16));

        let core = bytes.memory();
        for (at, code) in replaced {
            bytes.put(at, code);
        }
        Image { core, qemu: bytes.0, slots, answers, park: at }
    }

    /// The program to which an address belongs.
    pub fn slot_of(&self, pc: u32) -> Option<usize> {
        let after = self.slots.partition_point(|slot| slot.start <= pc);
        after.checked_sub(1).filter(|_| pc < self.park)
    }
}

struct Bytes(Vec<u8>);

impl Bytes {
    fn put(&mut self, at: u32, code: Code) {
        let len = code.len_bytes() as usize;
        self.0[at as usize..][..len].copy_from_slice(&code.bits().to_le_bytes()[..len]);
    }

    fn program(&mut self, program: &Program) {
        for (at, code) in program.codes() {
            self.put(at, code);
        }
    }

    fn memory(&self) -> Memory {
        let mut memory = Memory::new(0, MEMORY_BYTES);
        for (index, word) in self.0.chunks_exact(4).enumerate() {
            memory.poke(4 * index as u32, u32::from_le_bytes(word.try_into().expect("four bytes")));
        }
        memory
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::Op;

    #[test]
    fn images_differ_only_where_qemu_cannot_follow() {
        let case = Case { ops: vec![Op::Wfi, Op::Code(asm::c_nop())], rounds: 1, timing: Timing::IDEAL, seed: 1 };
        let image = Image::of([&case, &case]);
        let differs = |at: &u32| image.core.peek(*at).to_le_bytes() != image.qemu[*at as usize..][..4];
        let words = (0..MEMORY_BYTES).step_by(4).filter(differs).count();
        // Each `wfi` covers one word, or two if it straddles. The edge of memory is another
        // difference.
        assert!((3..=5).contains(&words), "{words}");
        assert_eq!(image.slot_of(image.slots[1].body), Some(1));
        assert_eq!(image.slot_of(image.park), None);
    }
}
