//! The places where core and QEMU rightly differ. Each rule gives the value that the core must
//! have. All other values are compared.

use bench_core::asm::csr;

use crate::isa::Isa;

/// The trap of the core where QEMU takes none or another: `mcause` and `mtval`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The value of `mcause`.
    pub cause: u32,
    /// The value of `mtval`.
    pub value: u32,
}

/// The value that a CSR must have when it is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Read {
    /// The value in QEMU.
    Same,
    /// This value.
    Is(u32),
    /// The value in QEMU, with these bits set.
    With(u32),
    /// These bits must be zero. The others depend on clocks.
    Zero(u32),
}

/// The CSR that an instruction reads into a register. `None` if it reads none.
pub fn csr_read(insn: u32) -> Option<u32> {
    let is_csr = insn & 0x7F == 0x73 && insn >> 12 & 3 != 0;
    (is_csr && insn >> 7 & 31 != 0).then_some(insn >> 20)
}

/// The value that a CSR must have when it is read. `answer` belongs to the last trap, if QEMU takes
/// that trap differently. `breakpoint` is the address of the `ebreak`, if the last trap was one.
pub fn read(number: u32, isa: &Isa, hart_id: u32, answer: Option<Answer>, breakpoint: Option<u32>) -> Read {
    match number {
        // MPP has one value in the core; QEMU clears it with each `mret`.
        csr::MSTATUS => Read::With(3 << 11),
        // QEMU has no letter B.
        csr::MISA => Read::Is(isa.misa),
        csr::MHARTID => Read::Is(hart_id),
        // This bit shows the level of a pin that QEMU does not have.
        csr::MIP => Read::Zero(!(1 << 11)),
        csr::MCYCLE | csr::MCYCLEH | csr::CYCLE | csr::CYCLEH => Read::Zero(0),
        csr::MINSTRET | csr::MINSTRETH | csr::INSTRET | csr::INSTRETH => Read::Zero(0),
        csr::MCAUSE => answer.map_or(Read::Same, |answer| Read::Is(answer.cause)),
        // The specification allows zero, which QEMU has, or the address, which the core has.
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
