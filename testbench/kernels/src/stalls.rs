//! The causes of clocks in which no instruction retires. Each such clock has one cause, which
//! follows from the instructions that retire before and after it. So the sum of all causes and all
//! instructions is the number of clocks.

use crate::retired::{Kind, Retired};

/// The cause of a clock in which no instruction retires.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Cause {
    /// The clock follows a jump or branch, taken or not.
    Jump,
    /// The next instruction needs the result of one of the last few loads.
    LoadUse,
    /// The next instruction multiplies, or needs the product of one of the last few instructions.
    Multiply,
    /// The next instruction divides, or needs the quotient of one of the last few instructions.
    Divide,
    /// The next instruction is a load or store, or follows a store.
    Memory,
    /// All other clocks: the next instruction had not been fetched yet, or straddles two words.
    Fetch,
}

impl Cause {
    /// All causes, in the order of their values.
    pub const ALL: [Cause; 6] =
        [Cause::Jump, Cause::LoadUse, Cause::Multiply, Cause::Divide, Cause::Memory, Cause::Fetch];

    /// The name in reports.
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
    /// The clocks of one cause.
    pub fn of(&self, cause: Cause) -> u64 {
        self.0[cause as usize]
    }

    /// Adds clocks to a cause.
    pub fn add(&mut self, cause: Cause, clocks: u64) {
        self.0[cause as usize] += clocks;
    }

    /// The clocks of all causes.
    pub fn sum(&self) -> u64 {
        self.0.iter().sum()
    }
}

/// The last few retired instructions: as many as the pipeline can hold with a result that comes
/// late.
#[derive(Clone, Copy, Default, Debug)]
pub struct History([Option<Retired>; 3]);

impl History {
    /// Adds an instruction that has retired.
    pub fn push(&mut self, retired: Retired) {
        self.0.rotate_right(1);
        self.0[0] = Some(retired);
    }

    /// The cause of the clocks between the last retired instruction and `next`.
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
    /// An instruction that neither writes a register of the others nor reads one.
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
