//! Where core and QEMU rightly differ. Each rule says what the core must answer instead; all else is compared.

use bench_core::asm::csr;

use crate::isa::Isa;

/// How the core traps where QEMU does not: `mcause` and `mtval`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    pub cause: u32,
    pub value: u32,
}

/// What a CSR that is read must answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Read {
    /// What QEMU answers.
    Same,
    Is(u32),
    /// What QEMU answers, and these bits.
    With(u32),
    /// These bits are zero; the others depend on clocks.
    Zero(u32),
}

/// The CSR of an instruction that reads one into a register.
pub fn csr_read(insn: u32) -> Option<u32> {
    let is_csr = insn & 0x7F == 0x73 && insn >> 12 & 3 != 0;
    (is_csr && insn >> 7 & 31 != 0).then_some(insn >> 20)
}

/// What reads of a CSR answer; `answer` is that of the last trap, if it was one that QEMU takes differently, and
/// `breakpoint` the address of an `ebreak` if that was the last trap.
pub fn read(number: u32, isa: &Isa, hart_id: u32, answer: Option<Answer>, breakpoint: Option<u32>) -> Read {
    match number {
        // MPP has one value in the core; QEMU clears it with each `mret`.
        csr::MSTATUS => Read::With(3 << 11),
        // QEMU has no letter B.
        csr::MISA => Read::Is(isa.misa),
        csr::MHARTID => Read::Is(hart_id),
        // The level of a pin that QEMU does not have.
        csr::MIP => Read::Zero(!(1 << 11)),
        csr::MCYCLE | csr::MCYCLEH | csr::CYCLE | csr::CYCLEH => Read::Zero(0),
        csr::MINSTRET | csr::MINSTRETH | csr::INSTRET | csr::INSTRETH => Read::Zero(0),
        csr::MCAUSE => answer.map_or(Read::Same, |answer| Read::Is(answer.cause)),
        // The specification allows zero, as QEMU has it, or the address, as the core has it.
        csr::MTVAL => match (answer, breakpoint) {
            (Some(answer), _) => Read::Is(answer.value),
            (None, Some(pc)) => Read::Is(pc),
            (None, None) => Read::Same,
        },
        _ => Read::Same,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bench_core::asm;

    #[test]
    fn only_reads_of_csrs_into_registers_are_recognized() {
        assert_eq!(csr_read(asm::csrr(5, csr::MTVAL).bits()), Some(csr::MTVAL));
        assert_eq!(csr_read(asm::csrrwi(5, csr::MTVAL, 3).bits()), Some(csr::MTVAL));
        assert_eq!(csr_read(asm::csrw(csr::MTVAL, 5).bits()), None);
        assert_eq!(csr_read(asm::ecall().bits()), None);
        assert_eq!(csr_read(asm::addi(5, 0, 0x343).bits()), None);
    }
}
