//! Where the clocks go that retire no instruction. Each is laid to one cause, by what retires before and after it, so that the sum of
//! all causes and all instructions is the number of clocks.

use crate::retired::{Kind, Retired};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Cause {
    /// Behind a jump or branch, taken or not.
    Jump,
    /// The instruction needs what one of the last few loads.
    LoadUse,
    /// It multiplies, or needs a product of one of the last few; so for quotients.
    Multiply,
    Divide,
    /// It is a load or store, or stands behind a store.
    Memory,
    /// The rest: instructions that had not come, or straddle words.
    Fetch,
}

impl Cause {
    pub const ALL: [Cause; 6] =
        [Cause::Jump, Cause::LoadUse, Cause::Multiply, Cause::Divide, Cause::Memory, Cause::Fetch];

    pub fn name(self) -> &'static str {
        match self {
            Cause::Jump => "jump",
            Cause::LoadUse => "load_use",
            Cause::Multiply => "multiply",
            Cause::Divide => "divide",
            Cause::Memory => "memory",
            Cause::Fetch => "fetch",
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

/// The last few instructions: as many as may be in a pipeline with a result that comes late.
#[derive(Clone, Copy, Default, Debug)]
pub struct History([Option<Retired>; 3]);

impl History {
    pub fn push(&mut self, retired: Retired) {
        self.0.rotate_right(1);
        self.0[0] = Some(retired);
    }

    /// Why `next` did not retire in the clock behind the last.
    pub fn cause_before(&self, next: &Retired) -> Cause {
        let last = self.0[0].map(|last| last.kind());
        let needs = |kind| self.0.iter().flatten().any(|earlier| earlier.kind() == kind && next.needs(earlier.rd));
        match next.kind() {
            _ if last == Some(Kind::Jump) => Cause::Jump,
            _ if needs(Kind::Load) => Cause::LoadUse,
            Kind::Multiply => Cause::Multiply,
            _ if needs(Kind::Multiply) => Cause::Multiply,
            Kind::Divide => Cause::Divide,
            _ if needs(Kind::Divide) => Cause::Divide,
            Kind::Load | Kind::Store => Cause::Memory,
            _ if last == Some(Kind::Store) => Cause::Memory,
            _ => Cause::Fetch,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOAD: Retired =
        Retired { insn: 0x0005_2503, rd: 10, order: 0, trap: false, pc: 0, next_pc: 4, rd_value: 0, rs1: 10, rs2: 0 };
    const ADD: Retired = Retired { insn: 0x00B5_0533, rs2: 11, ..LOAD };
    const BRANCH: Retired = Retired { insn: 0x00B5_0463, rd: 0, rs2: 11, ..LOAD };
    const MULTIPLY: Retired = Retired { insn: 0x02B5_0533, ..LOAD };
    const STORE: Retired = Retired { insn: 0x00A5_2023, rd: 0, rs1: 12, ..LOAD };
    /// Neither makes nor needs what the others do.
    const ELSEWHERE: Retired = Retired { rd: 13, rs1: 14, rs2: 15, ..ADD };

    fn cause(before: &[Retired], next: Retired) -> Cause {
        let mut history = History::default();
        before.iter().for_each(|retired| history.push(*retired));
        history.cause_before(&next)
    }

    #[test]
    fn a_gap_has_the_cause_of_its_neighbours() {
        assert_eq!(cause(&[LOAD], ADD), Cause::LoadUse);
        assert_eq!(cause(&[LOAD, ELSEWHERE, ELSEWHERE], ADD), Cause::LoadUse);
        assert_eq!(cause(&[LOAD, ELSEWHERE, ELSEWHERE, ELSEWHERE], ADD), Cause::Fetch);
        assert_eq!(cause(&[LOAD], ELSEWHERE), Cause::Fetch);
        assert_eq!(cause(&[MULTIPLY], ADD), Cause::Multiply);
        assert_eq!(cause(&[ADD], MULTIPLY), Cause::Multiply);
        assert_eq!(cause(&[ELSEWHERE], LOAD), Cause::Memory);
        assert_eq!(cause(&[STORE], ELSEWHERE), Cause::Memory);
        assert_eq!(cause(&[LOAD, BRANCH], ADD), Cause::Jump);
    }
}
