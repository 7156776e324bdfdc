//! A reference of the core's triggers outside debug mode, where they only raise breakpoint
//! exceptions (RISC-V Debug, chapter 5).

use crate::asm::csr;

const COUNT: usize = 4;
const TYPE: u32 = 6 << 28;

#[derive(Clone, Copy, Default)]
struct Trigger {
    tdata1: u32,
    tdata2: u32,
}

/// The triggers and their registers.
#[derive(Default)]
pub struct Triggers {
    select: usize,
    triggers: [Trigger; COUNT],
    mte: bool,
    mpte: bool,
    /// The triggers that hit the data of the last load.
    after: [bool; COUNT],
}

/// An instruction that is about to execute, as far as triggers compare it.
pub struct About {
    /// The address of the instruction.
    pub pc: u32,
    /// The encoding. `None` if the fetch failed or the encoding is reserved.
    pub encoding: Option<u32>,
    /// The length of the instruction in bytes.
    pub len_bytes: u32,
    /// The address and the size in bytes of a load.
    pub load: Option<(u32, u32)>,
    /// The address and the size in bytes of a store, and the value of the register that it stores.
    pub store: Option<(u32, u32, u32)>,
}

impl Trigger {
    fn has(&self, bit: u32) -> bool {
        self.tdata1 >> bit & 1 == 1
    }

    fn watches(&self) -> bool {
        self.has(6)
    }

    fn matches(&self, value: u32, size_bytes: u32, ignored: u32) -> bool {
        let size = self.tdata1 >> 16 & 7;
        let size_fits = size == 0 || 1 << (size - 1) == size_bytes;
        let range = if self.has(7) { self.tdata2 ^ self.tdata2.wrapping_add(1) } else { 0 };
        size_fits && (value ^ self.tdata2) & !(range | ignored) == 0
    }

    fn matches_data(&self, value: u32, size_bytes: u32) -> bool {
        self.matches(value, size_bytes, u32::MAX.checked_shl(8 * size_bytes).unwrap_or(0))
    }

    fn matches_before(&self, about: &About) -> bool {
        let data = self.has(21);
        if self.has(2) {
            return match about.encoding {
                Some(encoding) if data => self.matches_data(encoding, about.len_bytes),
                _ => !data && self.matches(about.pc, about.len_bytes, 0),
            };
        }
        let load = about.load.is_some_and(|(at, size)| self.has(0) && !data && self.matches(at, size, size - 1));
        let store = about.store.is_some_and(|(at, size, value)| {
            self.has(1) && if data { self.matches_data(value, size) } else { self.matches(at, size, size - 1) }
        });
        load || store
    }
}

impl Triggers {
    /// Reads one of the trigger CSRs. `None` if there is none of this number.
    pub fn read(&self, number: u32) -> Option<u32> {
        let selected = &self.triggers[self.select];
        Some(match number {
            csr::TSELECT => self.select as u32,
            csr::TDATA1 => TYPE | selected.tdata1,
            csr::TDATA2 => selected.tdata2,
            csr::TINFO => 1 << 24 | 1 << 6,
            csr::TCONTROL => u32::from(self.mpte) << 7 | u32::from(self.mte) << 3,
            _ => return None,
        })
    }

    /// Writes one of the trigger CSRs.
    pub fn write(&mut self, number: u32, value: u32) {
        let selected = &mut self.triggers[self.select];
        match number {
            csr::TSELECT => self.select = value as usize % COUNT,
            csr::TDATA1 => {
                let mut kept = value & (1 << 25 | 1 << 22 | 1 << 21);
                if value >> 18 & 1 == 0 {
                    kept |= value & 3 << 16;
                }
                if value >> 7 & 0xF == 1 {
                    kept |= 1 << 7;
                }
                if value >> 28 == 6 {
                    kept |= value & if value & 4 != 0 { 1 << 6 | 4 } else { 1 << 6 | 3 };
                }
                selected.tdata1 = kept;
            }
            csr::TDATA2 => {
                let too_large = selected.has(7) && value << 1 == u32::MAX << 1;
                selected.tdata2 = if too_large { value & !(1 << 30) } else { value };
            }
            csr::TCONTROL => {
                self.mpte = value >> 7 & 1 == 1;
                self.mte = value >> 3 & 1 == 1;
            }
            _ => {}
        }
    }

    /// Whether a breakpoint exception is taken in place of the instruction.
    pub fn fire(&mut self, about: &About) -> bool {
        let late = self.after.contains(&true);
        let mut fires = late;
        for (trigger, after) in self.triggers.iter_mut().zip(&mut self.after) {
            let before = !late && self.mte && trigger.watches() && trigger.matches_before(about);
            if before || *after {
                trigger.tdata1 = trigger.tdata1 & !(1 << 25) | 1 << 22 | u32::from(*after) << 25;
            }
            fires |= before;
            *after = false;
        }
        fires
    }

    /// A load has ended with this data.
    pub fn loaded(&mut self, value: u32, size_bytes: u32) {
        for (trigger, after) in self.triggers.iter().zip(&mut self.after) {
            *after = self.mte
                && trigger.watches()
                && !trigger.has(2)
                && trigger.has(0)
                && trigger.has(21)
                && trigger.matches_data(value, size_bytes);
        }
    }

    /// A trap is taken: triggers may not fire in its handler (`tcontrol`).
    pub fn trap(&mut self) {
        self.mpte = self.mte;
        self.mte = false;
    }

    /// A trap returns: triggers may fire as before the trap (`tcontrol`).
    pub fn mret(&mut self) {
        self.mte = self.mpte;
    }
}
