//! A retired instruction as RVFI reports it, and its kind by its encoding (RISC-V unprivileged
//! specification, chapters 2, 12 and 26).

/// One retired instruction.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Retired {
    /// The number of the instruction in the order of retirement (`rvfi_order`).
    pub order: u64,
    /// The encoding; 16 bits if it is compressed.
    pub insn: u32,
    /// Whether the instruction trapped.
    pub trap: bool,
    /// The address of the instruction.
    pub pc: u32,
    /// The address of the next instruction.
    pub next_pc: u32,
    /// The register that is written; 0 if none is.
    pub rd: u8,
    /// The value that is written to `rd`.
    pub rd_value: u32,
    /// The first register that is read; 0 if none is.
    pub rs1: u8,
    /// The second register that is read; 0 if none is.
    pub rs2: u8,
}

/// The kind of an instruction, by the unit of the core that does its work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A load.
    Load,
    /// A store.
    Store,
    /// A multiplication.
    Multiply,
    /// A division or remainder.
    Divide,
    /// A jump or branch, taken or not.
    Jump,
    /// An access to the CSR with this number.
    Csr(u16),
    /// Any other instruction.
    Other,
}

impl Retired {
    /// The kind of the instruction, from its encoding.
    pub fn kind(&self) -> Kind {
        let insn = self.insn;
        let funct3 = insn >> 13 & 7;
        match insn & 3 {
            // c.lw, c.sw; those of Zcb would be 4.
            0 if funct3 == 2 => Kind::Load,
            0 if funct3 == 6 => Kind::Store,
            // c.jal, c.j, c.beqz, c.bnez
            1 if matches!(funct3, 1 | 5 | 6 | 7) => Kind::Jump,
            // c.jr, c.jalr
            2 if funct3 == 4 && insn & 0x7C == 0 && insn & 0xF80 != 0 => Kind::Jump,
            // c.lwsp, c.swsp
            2 if funct3 == 2 => Kind::Load,
            2 if funct3 == 6 => Kind::Store,
            3 => match insn & 0x7F {
                0x03 => Kind::Load,
                0x23 => Kind::Store,
                0x33 if insn >> 25 == 1 && insn >> 14 & 1 == 0 => Kind::Multiply,
                0x33 if insn >> 25 == 1 => Kind::Divide,
                0x63 | 0x67 | 0x6F => Kind::Jump,
                0x73 if insn >> 12 & 3 != 0 => Kind::Csr((insn >> 20) as u16),
                _ => Kind::Other,
            },
            _ => Kind::Other,
        }
    }

    /// Whether the instruction reads this register. Register 0 counts as never read.
    pub fn needs(&self, register: u8) -> bool {
        register != 0 && (self.rs1 == register || self.rs2 == register)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_have_their_kinds() {
        let kind = |insn| Retired { insn, ..Retired::default() }.kind();
        assert_eq!(kind(0x0005_2503), Kind::Load, "lw a0, 0(a0)");
        assert_eq!(kind(0x4108), Kind::Load, "c.lw a0, 0(a0)");
        assert_eq!(kind(0x4502), Kind::Load, "c.lwsp a0, 0(sp)");
        assert_eq!(kind(0x00A5_2023), Kind::Store, "sw a0, 0(a0)");
        assert_eq!(kind(0xC108), Kind::Store, "c.sw a0, 0(a0)");
        assert_eq!(kind(0x02B5_0533), Kind::Multiply, "mul a0, a0, a1");
        assert_eq!(kind(0x02B5_5533), Kind::Divide, "divu a0, a0, a1");
        assert_eq!(kind(0xB000_2573), Kind::Csr(0xB00), "csrr a0, mcycle");
        assert_eq!(kind(0x00B5_0463), Kind::Jump, "beq a0, a1, 8");
        assert_eq!(kind(0x0000_8067), Kind::Jump, "ret");
        assert_eq!(kind(0x8082), Kind::Jump, "c.jr ra");
        assert_eq!(kind(0x852E), Kind::Other, "c.mv a0, a1");
        assert_eq!(kind(0xC119), Kind::Jump, "c.beqz a0, 6");
        assert_eq!(kind(0xA001), Kind::Jump, "c.j 0");
        assert_eq!(kind(0x1050_0073), Kind::Other, "wfi");
        assert_eq!(kind(0x00B5_0533), Kind::Other, "add a0, a0, a1");
    }
}
