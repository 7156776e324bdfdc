//! A plain instruction-set simulator of the core: no pipeline, one instruction after the other.
//!
//! The simulator has no time of its own. With each step the caller passes all that depends on time:
//! whether an interrupt comes, the level of the interrupt line, and the number of the clock for
//! `mcycle`.

use crate::asm::csr;
use crate::insn::{Alu, Condition, CsrChange, CsrSource, Insn, Unary};
use crate::memory::Memory;
use crate::triggers::{About, Triggers};

/// Causes of traps, as in `mcause` (RISC-V privileged specification, 3.1.15).
pub mod cause {
    /// A fetch ended with a bus error.
    pub const FETCH_FAULT: u32 = 1;
    /// The encoding is no instruction, or may not execute.
    pub const ILLEGAL: u32 = 2;
    /// `ebreak`, or a trigger.
    pub const BREAKPOINT: u32 = 3;
    /// The address of a load is not aligned.
    pub const LOAD_MISALIGNED: u32 = 4;
    /// A load ended with a bus error.
    pub const LOAD_FAULT: u32 = 5;
    /// The address of a store is not aligned.
    pub const STORE_MISALIGNED: u32 = 6;
    /// A store ended with a bus error.
    pub const STORE_FAULT: u32 = 7;
    /// `ecall` in machine mode.
    pub const ECALL: u32 = 11;
    /// The external interrupt.
    pub const EXTERNAL_INTERRUPT: u32 = 0x8000_000B;
}

/// The conditions outside the core while one instruction executes.
#[derive(Clone, Copy, Default, Debug)]
pub struct Moment {
    /// Whether an interrupt is taken before the instruction.
    pub interrupted: bool,
    /// The level of the interrupt line, as `mip` shows it.
    pub mip: bool,
    /// The number of clocks since reset, when the instruction executes.
    pub clock: u64,
    /// The time at the pins, one clock before.
    pub time: u64,
    /// The event on the pins in that clock.
    pub event: Option<u8>,
    /// The value that the core reports for `rd`. It is used for counters of lost clocks, which may
    /// have any value.
    pub seen: u32,
}

/// An access to memory by whole words. The masks name its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Access {
    /// The address of the word.
    pub addr: u32,
    /// The bytes that are read, a bit for each.
    pub read_mask: u8,
    /// The bytes that are written, a bit for each.
    pub write_mask: u8,
    /// The whole word read, or the bytes written (others zero).
    pub data: u32,
}

/// The effects of one instruction.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Retired {
    /// The address of the instruction.
    pub pc: u32,
    /// The encoding; 0 if the fetch failed.
    pub bits: u32,
    /// The address of the next instruction.
    pub next_pc: u32,
    /// The register that is written; 0 if none is.
    pub rd: u8,
    /// The value that is written to `rd`.
    pub rd_value: u32,
    /// The value of the first register that is read.
    pub rs1_value: u32,
    /// The value of the second register that is read.
    pub rs2_value: u32,
    /// Its access to memory.
    pub access: Access,
    /// Whether the instruction trapped.
    pub trapped: bool,
    /// Whether an interrupt was taken before it.
    pub interrupted: bool,
    /// The word that was written to the trace port.
    pub trace: Option<u32>,
}

/// The cause and value of an exception.
struct Trap(u32, u32);

/// The state of the simulated core, and its memory.
pub struct Reference {
    /// The registers; `x[0]` is always 0.
    pub x: [u32; 32],
    /// The address of the next instruction.
    pub pc: u32,
    /// The memory.
    pub memory: Memory,
    hart_id: u32,
    mie: bool,
    mpie: bool,
    meie: bool,
    mtvec: u32,
    mscratch: u32,
    mepc: u32,
    mcause: u32,
    mtval: u32,
    inhibit_cycle: bool,
    inhibit_instret: bool,
    /// The counters of lost clocks that stand still, a bit for each.
    inhibit_causes: u32,
    instret: u64,
    event_index: u8,
    /// The handlers of events. In the core they are undefined until they are written.
    event_handlers: [u32; 32],
    triggers: Triggers,
    /// `mcycle` was `cycle.0` at clock `cycle.1`.
    cycle: (u64, u64),
}

impl Reference {
    /// A core after reset, whose first instruction is at `boot_addr`.
    pub fn new(boot_addr: u32, hart_id: u32, memory: Memory) -> Reference {
        Reference {
            x: [0; 32],
            pc: boot_addr,
            memory,
            hart_id,
            mie: false,
            mpie: false,
            meie: false,
            mtvec: 0,
            mscratch: 0,
            mepc: 0,
            mcause: 0,
            mtval: 0,
            inhibit_cycle: false,
            inhibit_instret: false,
            inhibit_causes: 0,
            instret: 0,
            event_index: 0,
            event_handlers: [0; 32],
            triggers: Triggers::default(),
            cycle: (0, 0),
        }
    }

    /// Whether a pending interrupt would be taken before the next instruction.
    pub fn interrupts_enabled(&self) -> bool {
        self.mie && self.meie
    }

    /// Whether a pending interrupt would end `wfi`.
    pub fn can_wake(&self) -> bool {
        self.meie
    }

    /// The next instruction, if no interrupt comes; `Illegal` if the fetch fails.
    pub fn next_insn(&self) -> Insn {
        self.fetch().map_or(Insn::Illegal, Insn::decode)
    }

    /// The cause of the last trap.
    pub fn mcause(&self) -> u32 {
        self.mcause
    }

    /// Executes the next instruction, and returns its effects. Panics if an interrupt is to be
    /// taken while interrupts are off.
    pub fn step(&mut self, moment: Moment) -> Retired {
        if moment.interrupted {
            assert!(self.interrupts_enabled(), "interrupt at pc {:#x} though interrupts are off", self.pc);
            self.enter_trap(self.pc, cause::EXTERNAL_INTERRUPT, 0);
        }
        let mut retired = Retired { pc: self.pc, interrupted: moment.interrupted, ..Retired::default() };
        let fetched = self.fetch();
        retired.bits = *fetched.as_ref().unwrap_or(&0);
        let about = self.about(fetched.as_ref().ok().copied());
        let result = match fetched {
            _ if self.triggers.fire(&about) => Err(Trap(cause::BREAKPOINT, 0)),
            Ok(bits) => self.execute(bits, moment, &mut retired),
            Err(trap) => Err(trap),
        };
        match result {
            Ok(next_pc) => self.pc = next_pc,
            Err(Trap(cause, value)) => {
                retired.trapped = true;
                self.enter_trap(self.pc, cause, value);
            }
        }
        retired.next_pc = self.pc;
        retired
    }

    fn enter_trap(&mut self, pc: u32, cause: u32, value: u32) {
        self.mepc = pc;
        self.mcause = cause;
        self.mtval = value;
        self.mpie = self.mie;
        self.mie = false;
        self.triggers.trap();
        let vectored = self.mtvec & 1 == 1 && cause >> 31 == 1;
        self.pc = (self.mtvec & !3).wrapping_add(if vectored { 4 * (cause & 0x1F) } else { 0 });
    }

    /// The next instruction, as triggers compare it.
    fn about(&self, bits: Option<u32>) -> About {
        let insn = bits.map_or(Insn::Illegal, Insn::decode);
        let at = |rs1: u8, offset| self.x[usize::from(rs1)].wrapping_add_signed(offset);
        let is_word = bits.is_none_or(|bits| bits & 3 == 3);
        About {
            pc: self.pc,
            encoding: bits.filter(|_| is_word || insn != Insn::Illegal),
            len_bytes: if is_word { 4 } else { 2 },
            load: match insn {
                Insn::Load { rs1, offset, size_bytes, .. } => Some((at(rs1, offset), u32::from(size_bytes))),
                _ => None,
            },
            store: match insn {
                Insn::Store { rs2, rs1, offset, size_bytes } => {
                    Some((at(rs1, offset), u32::from(size_bytes), self.x[usize::from(rs2)]))
                }
                _ => None,
            },
        }
    }

    fn fetch(&self) -> Result<u32, Trap> {
        let half = |at: u32| match self.memory.read(at) {
            Ok(word) => Ok(word >> (8 * (at & 2)) & 0xFFFF),
            Err(_) => Err(Trap(cause::FETCH_FAULT, at)),
        };
        let low = half(self.pc)?;
        if low & 3 == 3 {
            Ok(low | half(self.pc.wrapping_add(2))? << 16)
        } else {
            Ok(low)
        }
    }

    /// Executes one instruction and returns the address of the next.
    fn execute(&mut self, bits: u32, moment: Moment, retired: &mut Retired) -> Result<u32, Trap> {
        let insn = Insn::decode(bits);
        let pc = self.pc;
        let next = pc.wrapping_add(if bits & 3 == 3 { 4 } else { 2 });
        let mut next_pc = next;
        let mut result = None;
        let mut counted = true;

        match insn {
            Insn::Lui { rd, value } => result = Some((rd, value)),
            Insn::Auipc { rd, value } => result = Some((rd, pc.wrapping_add(value))),
            Insn::Jal { rd, offset } => {
                result = Some((rd, next));
                next_pc = pc.wrapping_add_signed(offset);
            }
            Insn::Jalr { rd, rs1, offset } => {
                let base = self.rs1(rs1, retired);
                result = Some((rd, next));
                next_pc = base.wrapping_add_signed(offset) & !1;
            }
            Insn::Branch { condition, rs1, rs2, offset } => {
                let (a, b) = (self.rs1(rs1, retired), self.rs2(rs2, retired));
                if holds(condition, a, b) {
                    next_pc = pc.wrapping_add_signed(offset);
                }
            }
            Insn::Load { rd, rs1, offset, size_bytes, signed } => {
                let addr = self.rs1(rs1, retired).wrapping_add_signed(offset);
                if addr % u32::from(size_bytes) != 0 {
                    return Err(Trap(cause::LOAD_MISALIGNED, addr));
                }
                let word = self.memory.read(addr).map_err(|_| Trap(cause::LOAD_FAULT, addr))?;
                retired.access =
                    Access { addr: addr & !3, read_mask: lanes(addr, size_bytes), write_mask: 0, data: word };
                let unused_bits = 32 - 8 * u32::from(size_bytes);
                let raw = word >> (8 * (addr & 3)) << unused_bits;
                let value = if signed { (raw as i32 >> unused_bits) as u32 } else { raw >> unused_bits };
                self.triggers.loaded(raw >> unused_bits, u32::from(size_bytes));
                result = Some((rd, value));
            }
            Insn::Store { rs2, rs1, offset, size_bytes } => {
                let addr = self.rs1(rs1, retired).wrapping_add_signed(offset);
                let value = self.rs2(rs2, retired);
                if addr % u32::from(size_bytes) != 0 {
                    return Err(Trap(cause::STORE_MISALIGNED, addr));
                }
                let mask = lanes(addr, size_bytes);
                let data = value << (8 * (addr & 3));
                self.memory.write(addr, mask, data).map_err(|_| Trap(cause::STORE_FAULT, addr))?;
                let data = data & (u32::MAX >> (32 - 8 * u32::from(size_bytes))) << (8 * (addr & 3));
                retired.access = Access { addr: addr & !3, read_mask: 0, write_mask: mask, data };
            }
            Insn::OpImm { op, rd, rs1, imm } => result = Some((rd, compute(op, self.rs1(rs1, retired), imm as u32))),
            Insn::Op { op, rd, rs1, rs2 } => {
                let (a, b) = (self.rs1(rs1, retired), self.rs2(rs2, retired));
                result = Some((rd, compute(op, a, b)));
            }
            Insn::Unary { op, rd, rs1 } => result = Some((rd, compute_unary(op, self.rs1(rs1, retired)))),
            Insn::Csr { change, rd, csr, source } => {
                let operand = match source {
                    CsrSource::Register(rs1) => self.rs1(rs1, retired),
                    CsrSource::Immediate(imm) => u32::from(imm),
                };
                let writes =
                    change == CsrChange::Write || !matches!(source, CsrSource::Register(0) | CsrSource::Immediate(0));
                let csr = u32::from(csr);
                let old = self.read_csr(csr, moment).ok_or(Trap(cause::ILLEGAL, bits))?;
                if writes {
                    if csr >> 10 == 3 {
                        return Err(Trap(cause::ILLEGAL, bits));
                    }
                    let new = match change {
                        CsrChange::Write => operand,
                        CsrChange::Set => old | operand,
                        CsrChange::Clear => old & !operand,
                    };
                    self.write_csr(csr, new, moment);
                    counted = csr != csr::MINSTRET && csr != csr::MINSTRETH;
                    if csr == csr::TRACE {
                        retired.trace = Some(new);
                    }
                }
                result = Some((rd, old));
            }
            Insn::Fence | Insn::FenceI | Insn::Wfi => {}
            Insn::Ecall => return Err(Trap(cause::ECALL, 0)),
            Insn::Ebreak => return Err(Trap(cause::BREAKPOINT, pc)),
            Insn::Mret => {
                self.mie = self.mpie;
                self.mpie = true;
                self.triggers.mret();
                next_pc = self.mepc;
            }
            Insn::Dispatch { rd } => {
                // An event must be on the pins: the caller sees to that.
                let event = moment.event.unwrap_or(0);
                result = Some((rd, next));
                next_pc = self.event_handlers[usize::from(event)];
            }
            Insn::Illegal => return Err(Trap(cause::ILLEGAL, bits)),
        }

        if let Some((rd, value)) = result {
            if rd != 0 {
                self.x[usize::from(rd)] = value;
                retired.rd = rd;
                retired.rd_value = value;
            }
        }
        if counted && !self.inhibit_instret {
            self.instret = self.instret.wrapping_add(1);
        }
        Ok(next_pc)
    }

    fn rs1(&self, rs1: u8, retired: &mut Retired) -> u32 {
        retired.rs1_value = self.x[usize::from(rs1)];
        retired.rs1_value
    }

    fn rs2(&self, rs2: u8, retired: &mut Retired) -> u32 {
        retired.rs2_value = self.x[usize::from(rs2)];
        retired.rs2_value
    }

    fn cycle_at(&self, clock: u64) -> u64 {
        if self.inhibit_cycle {
            self.cycle.0
        } else {
            self.cycle.0.wrapping_add(clock - self.cycle.1)
        }
    }

    /// The value of a CSR. `None` if there is none of this number.
    fn read_csr(&self, csr: u32, moment: Moment) -> Option<u32> {
        // The counter was read one clock before the instruction left execute.
        let cycle = self.cycle_at(moment.clock.saturating_sub(1));
        let bit = |level: bool, position: u32| u32::from(level) << position;
        Some(match csr {
            csr::MSTATUS => 3 << 11 | bit(self.mpie, 7) | bit(self.mie, 3),
            csr::MISA => 1 << 30 | "BCIM".bytes().fold(0, |bits, letter| bits | 1 << (letter - b'A')),
            csr::MIE => bit(self.meie, 11),
            csr::MIP => bit(moment.mip, 11),
            csr::MTVEC => self.mtvec,
            csr::MCOUNTINHIBIT => self.inhibit_causes | bit(self.inhibit_instret, 2) | bit(self.inhibit_cycle, 0),
            csr::MSCRATCH => self.mscratch,
            csr::MEPC => self.mepc,
            csr::MCAUSE => self.mcause,
            csr::MTVAL => self.mtval,
            csr::MCYCLE | csr::CYCLE => cycle as u32,
            csr::MCYCLEH | csr::CYCLEH => (cycle >> 32) as u32,
            csr::TIME => moment.time as u32,
            csr::TIMEH => (moment.time >> 32) as u32,
            csr::MINSTRET | csr::INSTRET => self.instret as u32,
            csr::MINSTRETH | csr::INSTRETH => (self.instret >> 32) as u32,
            csr::MVENDORID | csr::MARCHID | csr::MCONFIGPTR | csr::MSTATUSH | csr::TRACE => 0,
            // `mhpmcounter`, their upper halves, and `mhpmevent`: 3 to 31. Nine of them count.
            0xB03..=0xB0B => moment.seen,
            0x323..=0x32B => csr - 0x322,
            0xB03..=0xB1F | 0xB83..=0xB9F | 0x323..=0x33F => 0,
            csr::MEVINDEX => u32::from(self.event_index),
            csr::MEVHANDLER => self.event_handlers[usize::from(self.event_index)],
            csr::MIMPID => 2,
            csr::MHARTID => self.hart_id,
            _ => return self.triggers.read(csr),
        })
    }

    fn write_csr(&mut self, csr: u32, value: u32, moment: Moment) {
        let bit = |position: u32| value >> position & 1 == 1;
        let with_low = |old: u64| old >> 32 << 32 | u64::from(value);
        let with_high = |old: u64| old & 0xFFFF_FFFF | u64::from(value) << 32;
        let cycle = self.cycle_at(moment.clock);
        let next_clock = moment.clock + 1;
        match csr {
            csr::MSTATUS => {
                self.mie = bit(3);
                self.mpie = bit(7);
            }
            csr::MIE => self.meie = bit(11),
            csr::MTVEC => self.mtvec = value & !2,
            csr::MCOUNTINHIBIT => {
                // This clock is still counted by the former setting.
                self.cycle = (self.cycle_at(next_clock), next_clock);
                self.inhibit_cycle = bit(0);
                self.inhibit_instret = bit(2);
                self.inhibit_causes = value & 0xFF8;
            }
            csr::MSCRATCH => self.mscratch = value,
            csr::MEPC => self.mepc = value & !1,
            csr::MCAUSE => self.mcause = value & 0x8000_001F,
            csr::MTVAL => self.mtval = value,
            csr::MCYCLE => self.cycle = (with_low(cycle), next_clock),
            csr::MCYCLEH => self.cycle = (with_high(cycle), next_clock),
            csr::MINSTRET => self.instret = with_low(self.instret),
            csr::MINSTRETH => self.instret = with_high(self.instret),
            csr::MEVINDEX => self.event_index = (value & 31) as u8,
            csr::MEVHANDLER => self.event_handlers[usize::from(self.event_index)] = value & !1,
            _ => self.triggers.write(csr, value),
        }
    }
}

/// The bytes of a word that an access touches, a bit for each.
fn lanes(addr: u32, size_bytes: u8) -> u8 {
    ((1u8 << size_bytes) - 1) << (addr & 3)
}

fn holds(condition: Condition, a: u32, b: u32) -> bool {
    match condition {
        Condition::Eq => a == b,
        Condition::Ne => a != b,
        Condition::Lt => (a as i32) < b as i32,
        Condition::Ge => a as i32 >= b as i32,
        Condition::Ltu => a < b,
        Condition::Geu => a >= b,
    }
}

fn compute(op: Alu, a: u32, b: u32) -> u32 {
    let (sa, sb) = (a as i32, b as i32);
    let (wide_a, wide_b) = (i64::from(sa), i64::from(sb));
    match op {
        Alu::Add => a.wrapping_add(b),
        Alu::Sub => a.wrapping_sub(b),
        Alu::Sll => a << (b & 31),
        Alu::Slt => u32::from(sa < sb),
        Alu::Sltu => u32::from(a < b),
        Alu::Xor => a ^ b,
        Alu::Srl => a >> (b & 31),
        Alu::Sra => (sa >> (b & 31)) as u32,
        Alu::Or => a | b,
        Alu::And => a & b,
        Alu::Mul => a.wrapping_mul(b),
        Alu::Mulh => ((wide_a * wide_b) >> 32) as u32,
        Alu::Mulhsu => ((wide_a * i64::from(b)) >> 32) as u32,
        Alu::Mulhu => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        Alu::Div if b == 0 => u32::MAX,
        Alu::Div => sa.wrapping_div(sb) as u32,
        Alu::Divu => a.checked_div(b).unwrap_or(u32::MAX),
        Alu::Rem if b == 0 => a,
        Alu::Rem => sa.wrapping_rem(sb) as u32,
        Alu::Remu => a.checked_rem(b).unwrap_or(a),
        Alu::Sh1add => (a << 1).wrapping_add(b),
        Alu::Sh2add => (a << 2).wrapping_add(b),
        Alu::Sh3add => (a << 3).wrapping_add(b),
        Alu::Andn => a & !b,
        Alu::Orn => a | !b,
        Alu::Xnor => !(a ^ b),
        Alu::Min => sa.min(sb) as u32,
        Alu::Minu => a.min(b),
        Alu::Max => sa.max(sb) as u32,
        Alu::Maxu => a.max(b),
        Alu::Rol => a.rotate_left(b & 31),
        Alu::Ror => a.rotate_right(b & 31),
        Alu::Bset => a | 1 << (b & 31),
        Alu::Bclr => a & !(1 << (b & 31)),
        Alu::Binv => a ^ 1 << (b & 31),
        Alu::Bext => a >> (b & 31) & 1,
    }
}

fn compute_unary(op: Unary, a: u32) -> u32 {
    match op {
        Unary::Clz => a.leading_zeros(),
        Unary::Ctz => a.trailing_zeros(),
        Unary::Cpop => a.count_ones(),
        Unary::SextB => a as i8 as u32,
        Unary::SextH => a as i16 as u32,
        Unary::ZextH => a & 0xFFFF,
        Unary::OrcB => u32::from_le_bytes(a.to_le_bytes().map(|byte| if byte == 0 { 0 } else { 0xFF })),
        Unary::Rev8 => a.swap_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The table of the unprivileged specification, "Semantics for division by zero and division
    // overflow".
    #[test]
    fn division_by_zero_and_overflow_have_the_results_of_the_specification() {
        let most_negative = 0x8000_0000;
        for (op, a, b, result) in [
            (Alu::Divu, 7, 0, u32::MAX),
            (Alu::Remu, 7, 0, 7),
            (Alu::Div, 7, 0, u32::MAX),
            (Alu::Rem, 7, 0, 7),
            (Alu::Div, most_negative, u32::MAX, most_negative),
            (Alu::Rem, most_negative, u32::MAX, 0),
        ] {
            assert_eq!(compute(op, a, b), result, "{op:?}");
        }
    }
}
