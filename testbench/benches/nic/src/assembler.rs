//! The few RISC-V instructions that tests of the NIC assemble by hand (RISC-V unprivileged
//! specification, chapter 2).

/// An integer register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reg(pub u32);

/// x0, which always reads 0.
pub const ZERO: Reg = Reg(0);
/// x5, a temporary register.
pub const T0: Reg = Reg(5);
/// x6, a temporary register.
pub const T1: Reg = Reg(6);
/// x7, a temporary register.
pub const T2: Reg = Reg(7);
/// x8, a saved register.
pub const S0: Reg = Reg(8);
/// x9, a saved register.
pub const S1: Reg = Reg(9);

/// The interrupts that are enabled.
pub const CSR_MIE: u32 = 0x304;
/// The trace port (docs/core.md).
pub const CSR_TRACE: u32 = 0x7C0;
/// The event whose handler `mevhandler` shows (docs/core.md).
pub const CSR_MEVINDEX: u32 = 0x7C1;
/// The address of the handler of an event (docs/core.md).
pub const CSR_MEVHANDLER: u32 = 0x7C2;
/// The counter of clocks, lower half.
pub const CSR_MCYCLE: u32 = 0xB00;
/// `mcountinhibit`: bit 0 stops `mcycle`.
pub const CSR_MCOUNTINHIBIT: u32 = 0x320;
/// `time`: core clocks since reset.
pub const CSR_TIME: u32 = 0xC01;
/// The counter of retired instructions, lower half.
pub const CSR_MINSTRET: u32 = 0xB02;
/// The counter of clocks in which the core sleeps, lower half.
pub const CSR_MHPMCOUNTER10: u32 = 0xB0A;

/// `rd = upper << 12`.
pub const fn lui(rd: Reg, upper: u32) -> u32 {
    upper << 12 | rd.0 << 7 | 0x37
}

/// `rd = rs1 + immediate`.
pub const fn addi(rd: Reg, rs1: Reg, immediate: i32) -> u32 {
    i_type(immediate, rs1, 0, rd, 0x13)
}

/// `rd = rs1 << shift`.
pub const fn slli(rd: Reg, rs1: Reg, shift: u32) -> u32 {
    i_type(shift as i32, rs1, 1, rd, 0x13)
}

/// Loads the word at `base + offset`.
pub const fn lw(rd: Reg, offset: i32, base: Reg) -> u32 {
    i_type(offset, base, 2, rd, 0x03)
}

/// Stores `rs2` at `base + offset`.
pub const fn sw(rs2: Reg, offset: i32, base: Reg) -> u32 {
    let offset = offset as u32;
    (offset >> 5 & 0x7F) << 25 | rs2.0 << 20 | base.0 << 15 | 2 << 12 | (offset & 0x1F) << 7 | 0x23
}

/// Branches by `offset` bytes from itself.
pub const fn bne(rs1: Reg, rs2: Reg, offset: i32) -> u32 {
    let offset = offset as u32;
    (offset >> 12 & 1) << 31
        | (offset >> 5 & 0x3F) << 25
        | rs2.0 << 20
        | rs1.0 << 15
        | 1 << 12
        | (offset >> 1 & 0xF) << 8
        | (offset >> 11 & 1) << 7
        | 0x63
}

/// Jumps by `offset` bytes from itself.
pub const fn j(offset: i32) -> u32 {
    let offset = offset as u32;
    (offset >> 20 & 1) << 31
        | (offset >> 1 & 0x3FF) << 21
        | (offset >> 11 & 1) << 20
        | (offset >> 12 & 0xFF) << 12
        | 0x6F
}

/// Writes a CSR.
pub const fn csrw(csr: u32, rs1: Reg) -> u32 {
    i_type(csr as i32, rs1, 1, ZERO, 0x73)
}

/// Reads a CSR.
pub const fn csrr(rd: Reg, csr: u32) -> u32 {
    i_type(csr as i32, ZERO, 2, rd, 0x73)
}

/// `nic.dispatch` (docs/core.md).
pub const fn dispatch(rd: Reg) -> u32 {
    rd.0 << 7 | 0x0B
}

/// `wfi`: waits for an interrupt.
pub const WFI: u32 = 0x1050_0073;

const fn i_type(immediate: i32, rs1: Reg, function: u32, rd: Reg, opcode: u32) -> u32 {
    (immediate as u32) << 20 | rs1.0 << 15 | function << 12 | rd.0 << 7 | opcode
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The encodings are those of the GNU assembler.
    #[test]
    fn instructions_are_encoded_as_assemblers_do() {
        assert_eq!(lui(S0, 0x40000), 0x4000_0437);
        assert_eq!(addi(T0, T0, -1), 0xFFF2_8293);
        assert_eq!(slli(T0, T0, 11), 0x00B2_9293);
        assert_eq!(lw(T1, 0x110, S0), 0x1104_2303);
        assert_eq!(sw(T0, 0x10C, S0), 0x1054_2623);
        assert_eq!(bne(T1, T2, -8), 0xFE73_1CE3);
        assert_eq!(j(-4), 0xFFDF_F06F);
        assert_eq!(csrw(CSR_MIE, T0), 0x3042_9073);
        assert_eq!(csrr(T2, CSR_MCYCLE), 0xB000_23F3);
    }
}
