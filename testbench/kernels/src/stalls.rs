//! Where the clocks go that retire no instruction. Each is laid to one cause, by what retires before and after it, so that the sum of
//! all causes and all instructions is the number of clocks.

use crate::retired::{Kind, Retired};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Cause {
    /// Behind a jump or a taken branch.
    Jump,
    /// The instruction needs what the load in front of it loads.
    LoadUse,
    /// A load or store waits for its memory, or for the one in front of it.
    Memory,
    Multiply,
    Divide,
    /// The rest: instructions that had not come, or straddle words.
    Fetch,
}

impl Cause {
    pub const ALL: [Cause; 6] =
        [Cause::Jump, Cause::LoadUse, Cause::Memory, Cause::Multiply, Cause::Divide, Cause::Fetch];

    pub fn name(self) -> &'static str {
        match self {
            Cause::Jump => "jump",
            Cause::LoadUse => "load_use",
            Cause::Memory => "memory",
            Cause::Multiply => "multiply",
            Cause::Divide => "divide",
            Cause::Fetch => "fetch",
        }
    }

    /// Why `next` did not retire in the clock behind `last`.
    pub fn between(last: &Retired, next: &Retired) -> Cause {
        if last.jumps() {
            return Cause::Jump;
        }
        match next.kind() {
            _ if last.kind() == Kind::Load && next.needs(last.rd) => Cause::LoadUse,
            Kind::Multiply => Cause::Multiply,
            Kind::Divide => Cause::Divide,
            Kind::Load | Kind::Store => Cause::Memory,
            _ => Cause::Fetch,
        }
    }
}

/// Clocks without an instruction, by cause.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Stalls([u64; Cause::ALL.len()]);

impl Stalls {
    pub fn of(&self, cause: Cause) -> u64 {
        self.0[cause as usize]
    }

    pub fn add(&mut self, cause: Cause, clocks: u64) {
        self.0[cause as usize] += clocks;
    }

    pub fn sum(&self) -> u64 {
        self.0.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_has_the_cause_of_its_neighbours() {
        let load = Retired { insn: 0x0005_2503, pc: 0x100, next_pc: 0x104, rd: 10, ..Retired::default() };
        let add =
            Retired { insn: 0x00B5_0533, pc: 0x104, next_pc: 0x108, rd: 10, rs1: 10, rs2: 11, ..Retired::default() };
        let other = Retired { rs1: 12, ..add };
        let jump = Retired { next_pc: 0x80, ..add };
        assert_eq!(Cause::between(&load, &add), Cause::LoadUse);
        assert_eq!(Cause::between(&load, &other), Cause::Fetch);
        assert_eq!(Cause::between(&add, &load), Cause::Memory);
        assert_eq!(Cause::between(&jump, &load), Cause::Jump);
    }
}
