//! Random programs: a list of operations, each of one or a few instructions, between a prologue and
//! a trap handler.
//!
//! Branches name their target by a distance in operations, so a list is still a program when
//! operations are taken out of it. Registers x2, x8 and x9 point to data; x30 and x31 belong to the
//! handler. No other register is reserved. A program may still destroy these registers by jumping
//! into the middle of an instruction.

use std::fmt::Write as _;

use proptest::prelude::*;
use proptest::sample::select;

use crate::asm::{self, csr, Code, Program, RA, S0, S1, SP, T5, T6, ZERO};
use crate::bench::Timing;
use crate::insn::Insn;
use crate::memory::Memory;

/// The address of the first instruction.
pub const BASE: u32 = 0x1000_0000;
const LEN_BYTES: u32 = 0x4000;
const FAULTY_CODE: u32 = BASE + 0x2000;
const DATA: u32 = BASE + 0x3000;
const FAULTY_DATA: u32 = DATA + 0x800;

/// One operation of a random program. A `skip` is the distance of a target in operations; 1 is the
/// next operation.
#[derive(Clone, Debug)]
pub enum Op {
    /// One instruction that needs no label.
    Code(Code),
    /// Loads a constant, in eight bytes.
    Li {
        /// The register that is written.
        rd: u32,
        /// The constant.
        value: u32,
    },
    /// A conditional branch.
    Branch {
        /// The condition, as `funct3` of the encoding.
        funct3: u32,
        /// The first register that is compared.
        rs1: u32,
        /// The second register that is compared.
        rs2: u32,
        /// The distance of the target in operations.
        skip: i32,
    },
    /// A conditional branch of two bytes.
    BranchCompressed {
        /// The condition, as `funct3` of the encoding.
        funct3: u32,
        /// The register that is compared with zero.
        rs1: u32,
        /// The distance of the target in operations.
        skip: i32,
    },
    /// `jal`.
    Jump {
        /// The register of the return address.
        rd: u32,
        /// The distance of the target in operations.
        skip: i32,
    },
    /// `c.jal` or `c.j`.
    JumpCompressed {
        /// The instruction, as `funct3` of the encoding.
        funct3: u32,
        /// The distance of the target in operations.
        skip: i32,
    },
    /// `jalr` to the address of an operation.
    JumpRegister {
        /// The register of the return address.
        rd: u32,
        /// Whether bit 0 of the address is set, which `jalr` clears.
        odd: bool,
        /// The distance of the target in operations.
        skip: i32,
    },
    /// `mret` to an operation.
    ReturnFromTrap {
        /// The distance of the target in operations.
        skip: i32,
    },
    /// Calls code whose fetch fails, in whole or in its second half.
    CallFaulty {
        /// Whether the first half of the instruction can be fetched.
        first_half_is_good: bool,
    },
    /// Enables interrupts.
    EnableInterrupts,
    /// Sets the trap handler.
    SetTrapVector {
        /// Whether `mtvec` is in vectored mode.
        vectored: bool,
    },
    /// Sets the handler of an event.
    SetEventHandler {
        /// The event, 0 to 31.
        event: u32,
        /// The distance of the handler in operations.
        skip: i32,
    },
    /// Sets a trigger that raises a breakpoint exception.
    SetTrigger {
        /// The number of the trigger.
        number: u32,
        /// `tdata1` without its type.
        fields: u32,
        /// The value of `tdata2`.
        watched: Watched,
    },
    /// Writes a new instruction over a `nop`, and executes it after a `fence.i`.
    Patch {
        /// The encoding of the new instruction.
        code: u32,
    },
}

/// The value of `tdata2` of a trigger.
#[derive(Clone, Copy, Debug)]
pub enum Watched {
    /// The address of an operation.
    Op {
        /// The distance of the operation.
        skip: i32,
    },
    /// An address in the data.
    Address {
        /// The distance from the middle of the data, in bytes.
        offset: i32,
    },
    /// A value.
    Value(u32),
}

/// A program and the conditions under which it runs.
#[derive(Clone, Debug)]
pub struct Case {
    /// The operations of the program.
    pub ops: Vec<Op>,
    /// The timing of memory, interrupts and events.
    pub timing: Timing,
    /// The seed of all that is random in the run.
    pub seed: u64,
}

// ---- Strategies ---------------------------------------------------------------------

/// A register that may be written.
fn rd() -> impl Strategy<Value = u32> {
    (0..26u32).prop_map(|n| [0, 1, 3, 4, 5, 6, 7].get(n as usize).copied().unwrap_or(n + 3))
}

fn rs() -> impl Strategy<Value = u32> {
    prop_oneof![3 => rd(), 1 => 0..32u32]
}

/// x10 to x15: registers of compressed instructions that may be written.
fn rd_compressed() -> impl Strategy<Value = u32> {
    10..16u32
}

fn value() -> impl Strategy<Value = u32> {
    let edges = vec![0, 1, 2, 3, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, u32::MAX, u32::MAX - 1, 0xFFFF, 0x1_0000];
    prop_oneof![2 => select(edges), 1 => any::<u32>(), 1 => 0..64u32]
}

fn skip() -> impl Strategy<Value = i32> {
    prop_oneof![6 => 1..8i32, 1 => -6..1i32]
}

fn skip_short() -> impl Strategy<Value = i32> {
    prop_oneof![6 => 1..6i32, 1 => -4..1i32]
}

fn imm() -> impl Strategy<Value = i32> {
    prop_oneof![-4..5i32, -2048..2048i32]
}

fn arithmetic() -> impl Strategy<Value = Code> {
    prop_oneof![
        Just(asm::nop()),
        (select(vec![0, 2, 3, 4, 6, 7]), rd(), rs(), imm()).prop_map(|(f, rd, rs1, imm)| asm::op_imm(f, rd, rs1, imm)),
        (0..3, rd(), rs(), 0..32u32).prop_map(|(f, rd, rs1, shift)| match f {
            0 => asm::slli(rd, rs1, shift),
            1 => asm::srli(rd, rs1, shift),
            _ => asm::srai(rd, rs1, shift),
        }),
        (0..8u32, rd(), rs(), rs()).prop_map(|(f, rd, rs1, rs2)| asm::op(0, f, rd, rs1, rs2)),
        (select(vec![0, 5]), rd(), rs(), rs()).prop_map(|(f, rd, rs1, rs2)| asm::op(0x20, f, rd, rs1, rs2)),
        (rd(), 0..1u32 << 20).prop_map(|(rd, upper)| asm::lui(rd, upper)),
        (rd(), 0..1u32 << 20).prop_map(|(rd, upper)| asm::auipc(rd, upper)),
    ]
}

/// Zba, Zbb, Zbs.
fn bits() -> impl Strategy<Value = Code> {
    let pairs: Vec<(u32, u32)> = vec![
        (0x10, 2),
        (0x10, 4),
        (0x10, 6),
        (0x20, 7),
        (0x20, 6),
        (0x20, 4),
        (5, 4),
        (5, 5),
        (5, 6),
        (5, 7),
        (0x30, 1),
        (0x30, 5),
        (0x14, 1),
        (0x24, 1),
        (0x34, 1),
        (0x24, 5),
    ];
    prop_oneof![
        3 => (select(pairs), rd(), rs(), rs()).prop_map(|((f7, f3), rd, rs1, rs2)| asm::op(f7, f3, rd, rs1, rs2)),
        1 => (0..5, rd(), rs(), 0..32u32).prop_map(|(f, rd, rs1, bit)| match f {
            0 => asm::rori(rd, rs1, bit),
            1 => asm::bseti(rd, rs1, bit),
            2 => asm::bclri(rd, rs1, bit),
            3 => asm::binvi(rd, rs1, bit),
            _ => asm::bexti(rd, rs1, bit),
        }),
        2 => (0..8u32, rd(), rs()).prop_map(|(f, rd, rs1)| match f {
            3 => asm::zext_h(rd, rs1),
            6 => asm::orc_b(rd, rs1),
            7 => asm::rev8(rd, rs1),
            which => asm::unary(which, rd, rs1),
        }),
    ]
}

fn arithmetic_compressed() -> impl Strategy<Value = Code> {
    prop_oneof![
        Just(asm::c_nop()),
        (rd(), -32..32i32).prop_map(|(rd, imm)| asm::c_addi(rd, imm)),
        (rd(), -32..32i32).prop_map(|(rd, imm)| asm::c_li(rd, imm)),
        // c.lui; with rd 2 or a zero immediate it would be something else.
        (rd(), 1..32i32).prop_map(|(rd, imm)| asm::c_imm(3, rd, imm)),
        (rd(), 1..32u32).prop_map(|(rd, rs2)| asm::c_mv(rd, rs2)),
        (rd(), 1..32u32).prop_map(|(rd, rs2)| asm::c_add(rd, rs2)),
        // c.srli, c.srai, c.andi, c.sub, c.xor, c.or, c.and
        (0..3u16, rd_compressed(), 0..32u16)
            .prop_map(|(f, rd, low)| { Code::Half(0x8001 | f << 10 | (rd as u16 - 8) << 7 | low << 2) }),
        (0..4u16, rd_compressed(), 0..8u16)
            .prop_map(|(f, rd, rs2)| { Code::Half(0x8C01 | f << 5 | (rd as u16 - 8) << 7 | rs2 << 2) }),
        // c.slli, c.addi4spn
        (rd(), 0..32u16).prop_map(|(rd, shift)| Code::Half(0x0002 | (rd as u16) << 7 | shift << 2)),
        (rd_compressed(), 1..256u16).prop_map(|(rd, imm)| Code::Half(imm << 5 | (rd as u16 - 8) << 2)),
    ]
}

fn multiply_divide() -> impl Strategy<Value = Code> {
    (prop_oneof![2 => 0..4u32, 1 => 4..8u32], rd(), rs(), rs())
        .prop_map(|(f, rd, rs1, rs2)| asm::op(1, f, rd, rs1, rs2))
}

fn memory_access() -> impl Strategy<Value = Code> {
    let base = || select(vec![S0, S1, SP]);
    // Mostly aligned offsets; -64 to 63 around S1 reaches the faulty range.
    let offset = || prop_oneof![4 => (-16..16i32).prop_map(|words| 4 * words), 1 => -64..64i32];
    prop_oneof![
        (select(vec![2, 0, 1, 4, 5]), rd(), offset(), base()).prop_map(|(f, rd, o, b)| asm::load(f, rd, o, b)),
        (select(vec![2, 0, 1]), rs(), offset(), base()).prop_map(|(f, rs2, o, b)| asm::store(f, rs2, o, b)),
        (rd_compressed(), 0..32u32, select(vec![S0, S1])).prop_map(|(rd, word, b)| asm::c_lw(rd, 4 * word, b)),
        (8..16u32, 0..32u32, select(vec![S0, S1])).prop_map(|(rs2, word, b)| asm::c_sw(rs2, 4 * word, b)),
        // c.lwsp, c.swsp
        (rd().prop_filter("c.lwsp writes a register", |rd| *rd != 0), 0..32u16)
            .prop_map(|(rd, bits)| Code::Half(0x4002 | (rd as u16) << 7 | bits << 2)),
        (0..64u16, 0..32u16).prop_map(|(bits, rs2)| Code::Half(0xC002 | bits << 7 | rs2 << 2)),
    ]
}

fn csr_access() -> impl Strategy<Value = Code> {
    // A random trap vector or handler would end most programs; SetTrapVector and SetEventHandler
    // write good ones.
    let readable = prop_oneof![8 => select(csr::ALL.to_vec()), 1 => 0..0x1000u32];
    let writable: Vec<u32> =
        csr::ALL.into_iter().filter(|number| ![csr::MTVEC, csr::MEVHANDLER].contains(number)).collect();
    prop_oneof![
        (rd(), readable).prop_map(|(rd, number)| asm::csrr(rd, number)),
        (select(vec![1, 2, 3, 5, 6, 7]), rd(), select(writable), rs())
            .prop_map(|(f, rd, number, source)| asm::csr_op(f, rd, number, source)),
    ]
}

fn system() -> impl Strategy<Value = Code> {
    select(vec![
        asm::fence(),
        asm::fence_i(),
        asm::ecall(),
        asm::ebreak(),
        asm::c_ebreak(),
        asm::wfi(),
        Code::Half(0),
        Code::Word(u32::MAX),
    ])
}

fn trigger() -> impl Strategy<Value = Op> {
    let range = || select(vec![0, 1 << 7]);
    let size = || select(vec![0, 0, 0, 1 << 16, 2 << 16, 3 << 16]);
    let watched = prop_oneof![
        3 => (1..8i32).prop_map(|skip| (1 << 2, Watched::Op { skip })),
        3 => (1..4u32, -64..64i32).prop_map(|(accesses, offset)| (accesses, Watched::Address { offset })),
        1 => (1..8u32, value()).prop_map(|(accesses, value)| (1 << 21 | accesses, Watched::Value(value))),
    ];
    (0..4u32, range(), size(), watched).prop_map(|(number, range, size, (what, watched))| Op::SetTrigger {
        number,
        fields: 1 << 6 | range | size | what,
        watched,
    })
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => arithmetic().prop_map(Op::Code),
        6 => arithmetic_compressed().prop_map(Op::Code),
        6 => memory_access().prop_map(Op::Code),
        3 => bits().prop_map(Op::Code),
        3 => multiply_divide().prop_map(Op::Code),
        2 => csr_access().prop_map(Op::Code),
        1 => system().prop_map(Op::Code),
        1 => any::<u16>().prop_map(|bits| Op::Code(Code::from_bits(u32::from((bits & !3) | (bits % 3))))),
        1 => any::<u32>().prop_map(|bits| Op::Code(Code::Word(bits | 3))),
        2 => (rd(), value()).prop_map(|(rd, value)| Op::Li { rd, value }),
        3 => (select(vec![0, 1, 4, 5, 6, 7]), rs(), rs(), skip())
            .prop_map(|(funct3, rs1, rs2, skip)| Op::Branch { funct3, rs1, rs2, skip }),
        3 => (6..8u32, 8..16u32, skip_short())
            .prop_map(|(funct3, rs1, skip)| Op::BranchCompressed { funct3, rs1, skip }),
        1 => (rd(), skip()).prop_map(|(rd, skip)| Op::Jump { rd, skip }),
        1 => (select(vec![5, 1]), skip()).prop_map(|(funct3, skip)| Op::JumpCompressed { funct3, skip }),
        1 => (rd(), any::<bool>(), skip()).prop_map(|(rd, odd, skip)| Op::JumpRegister { rd, odd, skip }),
        1 => (1..4i32).prop_map(|skip| Op::ReturnFromTrap { skip }),
        1 => any::<bool>().prop_map(|first_half_is_good| Op::CallFaulty { first_half_is_good }),
        1 => Just(Op::EnableInterrupts),
        1 => trigger(),
        1 => any::<bool>().prop_map(|vectored| Op::SetTrapVector { vectored }),
        1 => (0..32u32, skip()).prop_map(|(event, skip)| Op::SetEventHandler { event, skip }),
        1 => rd().prop_map(|rd| Op::Code(asm::dispatch(rd))),
        1 => arithmetic().prop_map(|code| Op::Patch { code: code.bits() }),
    ]
}

fn timing() -> impl Strategy<Value = Timing> {
    let percent = || select(vec![100, 100, 70, 30, 10]);
    let rises = || select(vec![0, 1, 5, 30]);
    let falls = || select(vec![50, 10, 3]);
    let look = select(vec![100, 100, 50, 0]);
    let memory = (percent(), percent(), look, percent(), percent());
    (memory, rises(), falls(), select(vec![1, 5, 30, 100]), falls()).prop_map(
        |((instr_gnt, instr_rvalid, look, data_gnt, data_rvalid), irq_rises, irq_falls, event_rises, event_falls)| {
            Timing {
                instr_gnt_percent: instr_gnt,
                instr_rvalid_percent: instr_rvalid,
                look_percent: look,
                data_gnt_percent: data_gnt,
                data_rvalid_percent: data_rvalid,
                irq_rises_percent: irq_rises,
                irq_falls_percent: irq_falls,
                halts_permille: 0,
                event_rises_percent: event_rises,
                event_falls_percent: event_falls,
            }
        },
    )
}

/// A random program with random conditions.
pub fn case() -> impl Strategy<Value = Case> {
    (prop::collection::vec(op(), 1..150), timing(), any::<u64>()).prop_map(|(ops, timing, seed)| Case {
        ops,
        timing,
        seed,
    })
}

// ---- From operations to memory --------------------------------------------------------

impl Case {
    /// The number of instructions after which a run may stop: enough for every operation, and for
    /// some loops and traps.
    pub fn budget(&self) -> u64 {
        328 + 8 * self.ops.len() as u64
    }

    /// The whole program: prologue, operations, and the end.
    pub fn program(&self) -> Program {
        let mut program = Program::at(BASE);
        prologue(&mut program);
        for (index, op) in self.ops.iter().enumerate() {
            program.label(format!("op {index}"));
            self.put(&mut program, index, op);
        }
        program.label(format!("op {}", self.ops.len()));
        program.to("end", |d| asm::jal(ZERO, d)).label("end").to("end", |d| asm::jal(ZERO, d));
        assert!(program.here() < FAULTY_CODE - 2);
        program
    }

    /// The memory with the program in it, and the faulty ranges.
    pub fn memory(&self) -> Memory {
        let mut memory = Memory::new(BASE, LEN_BYTES);
        memory.load(&self.program());
        let mut edge = Program::at(FAULTY_CODE - 2);
        edge.put(asm::addi(1, 1, 1));
        memory.load(&edge);
        memory.add_faulty(FAULTY_CODE..FAULTY_CODE + 0x40);
        memory.add_faulty(FAULTY_DATA..FAULTY_DATA + 0x40);
        for word in 0..0x400 {
            memory.poke(DATA + 4 * word, word.wrapping_mul(0x9E37_79B9));
        }
        memory
    }

    /// The operations as instructions.
    pub fn listing(&self) -> String {
        let program = self.program();
        let first = program.address_of("op 0");
        let mut text = String::new();
        for (at, code) in program.codes().into_iter().filter(|(at, _)| *at >= first) {
            let digits = 2 * code.len_bytes() as usize;
            let encoding = format!("{:0digits$x}", code.bits());
            writeln!(text, "{at:08x}: {encoding:8} {}", Insn::decode(code.bits())).expect("writes to a string");
        }
        text
    }

    fn target(&self, index: usize, skip: i32) -> String {
        format!("op {}", (index as i32 + skip).clamp(0, self.ops.len() as i32))
    }

    fn put(&self, program: &mut Program, index: usize, op: &Op) {
        match *op {
            Op::Code(code) => {
                program.put(code);
            }
            Op::Li { rd, value } => {
                program.li(rd, value);
            }
            Op::Branch { funct3, rs1, rs2, skip } => {
                program.to(self.target(index, skip), move |d| asm::branch(funct3, rs1, rs2, d));
            }
            Op::BranchCompressed { funct3, rs1, skip } => {
                program.to_compressed(self.target(index, skip), move |d| asm::c_branch(funct3, rs1, d));
            }
            Op::Jump { rd, skip } => {
                program.to(self.target(index, skip), move |d| asm::jal(rd, d));
            }
            Op::JumpCompressed { funct3, skip } => {
                program.to_compressed(self.target(index, skip), move |d| asm::c_jump(funct3, d));
            }
            Op::JumpRegister { rd, odd, skip } => {
                program.la(T5, self.target(index, skip)).put(asm::jalr(rd, T5, i32::from(odd)));
            }
            Op::ReturnFromTrap { skip } => {
                program.la(T5, self.target(index, skip)).put(asm::csrw(csr::MEPC, T5)).put(asm::mret());
            }
            Op::CallFaulty { first_half_is_good } => {
                let target = if first_half_is_good { FAULTY_CODE - 2 } else { FAULTY_CODE + 2 };
                program.li(T5, target).put(asm::jalr(RA, T5, 0));
            }
            Op::EnableInterrupts => {
                program.li(T5, 1 << 11).put(asm::csrrs(ZERO, csr::MIE, T5)).put(asm::csrrsi(ZERO, csr::MSTATUS, 8));
            }
            Op::SetTrapVector { vectored } => set_trap_vector(program, vectored),
            Op::SetEventHandler { event, skip } => {
                program.la(T5, self.target(index, skip)).put(asm::csrrwi(ZERO, csr::MEVINDEX, event & 31));
                program.put(asm::csrw(csr::MEVHANDLER, T5));
            }
            Op::SetTrigger { number, fields, watched } => {
                match watched {
                    Watched::Op { skip } => program.la(T5, self.target(index, skip)),
                    Watched::Address { offset } => program.li(T5, (DATA + 0x400).wrapping_add_signed(offset)),
                    Watched::Value(value) => program.li(T5, value),
                };
                program.put(asm::csrrwi(ZERO, csr::TSELECT, number)).put(asm::csrw(csr::TDATA2, T5));
                program.li(T5, 6 << 28 | fields).put(asm::csrw(csr::TDATA1, T5)).put(asm::csrrwi(
                    ZERO,
                    csr::TCONTROL,
                    8,
                ));
            }
            Op::Patch { code } => {
                let here = format!("patch {index}");
                program.la(T5, here.clone()).li(T6, code).put(asm::sh(T6, 0, T5)).put(asm::srli(T6, T6, 16));
                program.put(asm::sh(T6, 2, T5)).put(asm::fence_i()).label(here).put(asm::nop());
            }
        }
    }
}

fn set_trap_vector(program: &mut Program, vectored: bool) {
    program.la(T5, "vectors").put(asm::addi(T5, T5, i32::from(vectored))).put(asm::csrw(csr::MTVEC, T5));
}

/// The trap vectors and the handler, then the start-up code, which gives every register and CSR a
/// value.
fn prologue(program: &mut Program) {
    program.to("start", |d| asm::jal(ZERO, d));
    program.label("vectors");
    for cause in 0..12 {
        // In direct mode the first entry serves all traps. In vectored mode interrupts enter at the
        // last.
        let label = if cause == 11 { "interrupt" } else { "trap" };
        program.to(label, |d| asm::jal(ZERO, d));
    }

    // Reads all CSRs that a trap writes, so that they are compared, and continues after the
    // instruction that trapped.
    program
        .label("trap")
        .put(asm::csrr(T6, csr::MSTATUS))
        .put(asm::csrr(T6, csr::MTVAL))
        .put(asm::csrr(T6, csr::MCAUSE))
        .put(asm::csrr(T5, csr::MEPC))
        .to("interrupt", |d| asm::blt(T6, ZERO, d))
        .put(asm::addi(T6, T6, -1))
        .to("unfetchable", |d| asm::beq(T6, ZERO, d))
        .put(asm::lhu(T6, 0, T5))
        .put(asm::andi(T6, T6, 3))
        .put(asm::addi(T6, T6, -3))
        .put(asm::addi(T5, T5, 2))
        .to("skipped", |d| asm::bne(T6, ZERO, d))
        .put(asm::addi(T5, T5, 2))
        .label("skipped")
        .put(asm::csrw(csr::MEPC, T5))
        .put(asm::mret());
    program.label("unfetchable").put(asm::csrw(csr::MEPC, RA)).put(asm::mret());
    program.label("interrupt").put(asm::csrr(T6, csr::MEPC)).put(asm::mret());

    program.label("start");
    for register in 1..32 {
        program.li(register, register.wrapping_mul(0x0101_0101));
    }
    program.li(S0, DATA + 0x400).li(S1, FAULTY_DATA - 0x20).li(SP, DATA + 0x100).la(RA, "op 0");
    set_trap_vector(program, false);
    for number in [csr::MSCRATCH, csr::MEPC, csr::MCAUSE, csr::MTVAL] {
        program.put(asm::csrw(number, RA));
    }
    program.put(asm::addi(T5, ZERO, 31)).label("handlers").put(asm::csrw(csr::MEVINDEX, T5));
    program.put(asm::csrw(csr::MEVHANDLER, RA)).put(asm::addi(T5, T5, -1));
    program.to("handlers", |d| asm::bge(T5, ZERO, d));
    for trigger in 0..4 {
        program.put(asm::csrrwi(ZERO, csr::TSELECT, trigger)).put(asm::csrw(csr::TDATA2, ZERO));
    }
    program.li(T5, 1 << 11).put(asm::csrw(csr::MIE, T5)).put(asm::csrrsi(ZERO, csr::MSTATUS, 8));
}
