//! Draws random programs, within the rules of [`Op`](crate::op::Op).

use bench_core::asm::{self, csr, Code, S0, S1, SP};
use bench_core::bench::Timing;
use proptest::prelude::*;
use proptest::sample::select;

use crate::bitmanip;
use crate::image::{DATA, EDGE};
use crate::isa::Isa;
use crate::op::{Back, Case, Op, NOWHERE};

// ---- Registers and values ---------------------------------------------------------------

/// A register that may be written: all but the pointers. A few registers are drawn often, so that
/// results are used at once.
fn rd() -> impl Strategy<Value = u32> + Clone {
    let others: Vec<u32> = (0..32).filter(|n| ![SP, S0, S1].contains(n)).collect();
    prop_oneof![1 => 10..14u32, 1 => select(others)]
}

fn rd_not_zero() -> impl Strategy<Value = u32> + Clone {
    rd().prop_map(|n| if n == 0 { 10 } else { n })
}

fn rs() -> impl Strategy<Value = u32> + Clone {
    prop_oneof![2 => 10..14u32, 1 => 0..32u32]
}

/// A register that compressed instructions can name, and that may be written.
fn rd_compressed() -> impl Strategy<Value = u32> + Clone {
    10..16u32
}

fn pointer() -> impl Strategy<Value = u32> + Clone {
    select(vec![SP, S0, S1])
}

fn value() -> impl Strategy<Value = u32> + Clone {
    let edges =
        vec![0, 1, 2, 3, 0x7FFF_FFFF, 0x8000_0000, 0x8000_0001, u32::MAX, u32::MAX - 1, 0xFFFF, 0x1_0000, 0x80, 0x8000];
    prop_oneof![2 => select(edges), 1 => any::<u32>(), 1 => 0..64u32, 1 => (0..32u32).prop_map(|bit| 1 << bit)]
}

fn skip() -> impl Strategy<Value = u32> + Clone {
    1..6u32
}

fn imm() -> impl Strategy<Value = i32> + Clone {
    prop_oneof![-4..5i32, -2048..2048i32]
}

// ---- Instructions -------------------------------------------------------------------------

fn arithmetic() -> impl Strategy<Value = Code> {
    prop_oneof![
        2 => (select(vec![0, 2, 3, 4, 6, 7]), rd(), rs(), imm()).prop_map(|(f, rd, rs1, imm)| asm::op_imm(f, rd, rs1, imm)),
        1 => (0..3, rd(), rs(), 0..32u32).prop_map(|(f, rd, rs1, shift)| match f {
            0 => asm::slli(rd, rs1, shift),
            1 => asm::srli(rd, rs1, shift),
            _ => asm::srai(rd, rs1, shift),
        }),
        3 => (0..8u32, rd(), rs(), rs()).prop_map(|(f, rd, rs1, rs2)| asm::op(0, f, rd, rs1, rs2)),
        1 => (select(vec![0, 5]), rd(), rs(), rs()).prop_map(|(f, rd, rs1, rs2)| asm::op(0x20, f, rd, rs1, rs2)),
        1 => (rd(), 0..1u32 << 20).prop_map(|(rd, upper)| asm::lui(rd, upper)),
        1 => (rd(), 0..1u32 << 20).prop_map(|(rd, upper)| asm::auipc(rd, upper)),
    ]
}

fn bit_manipulation() -> impl Strategy<Value = Code> {
    prop_oneof![
        3 => (select(bitmanip::TWO_SOURCES.to_vec()), rd(), rs(), rs())
            .prop_map(|((funct7, funct3), rd, rs1, rs2)| asm::op(funct7, funct3, rd, rs1, rs2)),
        2 => (select(bitmanip::ONE_SOURCE.to_vec()), rd(), rs()).prop_map(|(which, rd, rs1)| bitmanip::one_source(which, rd, rs1)),
        2 => (select(bitmanip::WITH_SHIFT.to_vec()), rd(), rs(), 0..32u32)
            .prop_map(|(which, rd, rs1, shift)| bitmanip::with_shift(which, rd, rs1, shift)),
        1 => (rd(), rs()).prop_map(|(rd, rs1)| bitmanip::zext_h(rd, rs1)),
    ]
}

fn arithmetic_compressed() -> impl Strategy<Value = Code> {
    prop_oneof![
        1 => Just(asm::c_nop()),
        2 => (rd(), -32..32i32).prop_map(|(rd, imm)| asm::c_addi(rd, imm)),
        2 => (rd(), -32..32i32).prop_map(|(rd, imm)| asm::c_li(rd, imm)),
        // c.lui; a zero immediate is reserved.
        1 => (rd(), 1..32i32, any::<bool>()).prop_map(|(rd, imm, minus)| asm::c_imm(3, rd, if minus { -imm } else { imm })),
        2 => (rd(), 1..32u32).prop_map(|(rd, rs2)| asm::c_mv(rd, rs2)),
        2 => (rd(), 1..32u32).prop_map(|(rd, rs2)| if rd == 0 { asm::c_nop() } else { asm::c_add(rd, rs2) }),
        // c.srli, c.srai, c.andi
        2 => (0..3u16, rd_compressed(), 0..32u16, any::<bool>())
            .prop_map(|(f, rd, low, high)| c_middle(f, rd, low, high && f == 2)),
        // c.sub, c.xor, c.or, c.and
        2 => (0..4u16, rd_compressed(), 0..8u16)
            .prop_map(|(f, rd, rs2)| Code::Half(0x8C01 | f << 5 | (rd as u16 - 8) << 7 | rs2 << 2)),
        // c.slli
        1 => (rd(), 0..32u16).prop_map(|(rd, shift)| Code::Half(0x0002 | (rd as u16) << 7 | shift << 2)),
        // c.addi4spn
        1 => (rd_compressed(), 1..256u16).prop_map(|(rd, imm)| Code::Half(imm << 5 | (rd as u16 - 8) << 2)),
    ]
}

/// `c.srli` (0), `c.srai` (1), `c.andi` (2); `high` is bit 5 of the immediate.
fn c_middle(funct2: u16, rd: u32, low: u16, high: bool) -> Code {
    Code::Half(0x8001 | u16::from(high) << 12 | funct2 << 10 | (rd as u16 - 8) << 7 | low << 2)
}

fn multiply_divide() -> impl Strategy<Value = Code> {
    (prop_oneof![2 => 0..4u32, 1 => 4..8u32], rd(), rs(), rs())
        .prop_map(|(f, rd, rs1, rs2)| asm::op(1, f, rd, rs1, rs2))
}

/// An offset that keeps an access of `1 << size_log2` bytes aligned, from an aligned word.
fn aligned(size_log2: u32) -> impl Strategy<Value = i32> + Clone {
    (-16..16i32, 0..4i32).prop_map(move |(word, byte)| 4 * word + (byte >> size_log2 << size_log2))
}

fn access_through_pointer() -> impl Strategy<Value = Code> {
    prop_oneof![
        3 => (rd(), aligned(2), pointer()).prop_map(|(rd, o, b)| asm::lw(rd, o, b)),
        2 => (select(vec![1, 5]), rd(), aligned(1), pointer()).prop_map(|(f, rd, o, b)| asm::load(f, rd, o, b)),
        2 => (select(vec![0, 4]), rd(), aligned(0), pointer()).prop_map(|(f, rd, o, b)| asm::load(f, rd, o, b)),
        2 => (rs(), aligned(2), pointer()).prop_map(|(rs2, o, b)| asm::sw(rs2, o, b)),
        2 => (rs(), aligned(1), pointer()).prop_map(|(rs2, o, b)| asm::sh(rs2, o, b)),
        2 => (rs(), aligned(0), pointer()).prop_map(|(rs2, o, b)| asm::sb(rs2, o, b)),
        1 => (rd_compressed(), 0..32u32, select(vec![S0, S1])).prop_map(|(rd, word, b)| asm::c_lw(rd, 4 * word, b)),
        1 => (8..16u32, 0..32u32, select(vec![S0, S1])).prop_map(|(rs2, word, b)| asm::c_sw(rs2, 4 * word, b)),
        // c.lwsp, c.swsp
        1 => (rd_not_zero(), 0..32u16).prop_map(|(rd, bits)| Code::Half(0x4002 | (rd as u16) << 7 | bits << 2)),
        1 => (0..64u16, 0..32u16).prop_map(|(bits, rs2)| Code::Half(0xC002 | bits << 7 | rs2 << 2)),
    ]
}

fn system() -> impl Strategy<Value = Code> {
    prop_oneof![
        2 => select(vec![asm::fence(), asm::fence_i()]),
        2 => select(vec![asm::ecall(), asm::ebreak(), asm::c_ebreak()]),
        // Interrupts are switched on and off at random; MPIE stays set.
        2 => select(vec![6, 7]).prop_map(|f| asm::csr_op(f, 0, csr::MSTATUS, 8)),
        1 => (rd(), select(vec![csr::MIE, csr::MTVEC, csr::MSCRATCH, csr::MVENDORID, csr::MARCHID, csr::MIMPID]))
            .prop_map(|(rd, number)| asm::csrr(rd, number)),
        2 => (select(vec![1, 2, 3, 5, 6, 7]), rd(), rs()).prop_map(|(f, rd, source)| asm::csr_op(f, rd, csr::MSCRATCH, source)),
    ]
}

// ---- Illegal instructions -----------------------------------------------------------------

/// Encodings that are reserved, or belong to extensions that the core never has. Some of them are
/// legal with other registers, so they only name registers that may be written. Custom opcodes are
/// left out: the core may use them.
fn illegal() -> impl Strategy<Value = Code> {
    let fields = || (rd(), 0..8u32, 0..32u32, 0..32u32, 0..128u32);
    let word = |opcode: u32, (rd, funct3, rs1, rs2, funct7): (u32, u32, u32, u32, u32)| {
        Code::Word(funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode)
    };
    let opcodes = vec![0x07, 0x27, 0x2F, 0x43, 0x47, 0x4B, 0x4F, 0x53, 0x57, 0x1B, 0x3B, 0x6B, 0x77];
    prop_oneof![
        2 => (select(opcodes), fields()).prop_map(move |(opcode, fields)| word(opcode, fields)),
        // Arithmetic with any `funct7`: the extensions decide which are legal.
        2 => (select(vec![0x33, 0x13]), fields())
            .prop_map(move |(opcode, (rd, f3, rs1, rs2, f7))| {
                word(opcode, (rd, if opcode == 0x13 { f3 / 4 * 4 + 1 } else { f3 }, rs1, rs2, f7))
            }),
        // Unused values of `funct3`: loads, stores, branches, jalr, fences, system.
        2 => (select(vec![(0x03, 3), (0x03, 6), (0x03, 7), (0x23, 3), (0x23, 4), (0x23, 7), (0x63, 2), (0x63, 3), (0x67, 1),
                          (0x67, 7), (0x0F, 3), (0x0F, 7), (0x73, 4)]), fields())
            .prop_map(move |((opcode, f3), (rd, _, rs1, rs2, f7))| word(opcode, (rd, f3, rs1, rs2, f7))),
        // sret, uret, ecall with registers, an unknown one.
        1 => select(vec![0x1020_0073, 0x0020_0073, 0x0000_00F3, 0x0000_8073, 0x0030_0073]).prop_map(Code::Word),
        // CSRs of other modes, CSRs that do not exist, and writes of CSRs that can only be read.
        // QEMU 7.2 permits an instruction that sets or clears bits by a register that holds zero.
        // So these instructions use a register that does not.
        1 => (select(vec![1, 2, 3, 5, 6, 7]), rd(), 1..32u32, select(vec![0x001, 0x003, 0x100, 0x180, 0x200, 0x5C0, 0x6C0, 0x9C0,
                                                                        0xC00, 0xF11, 0xF14, 0xFFF]))
            .prop_map(|(f, rd, source, number)| asm::csr_op(f, rd, number, if f == 2 || f == 3 { S0 } else { source })),
        3 => illegal_compressed(),
    ]
}

fn illegal_compressed() -> impl Strategy<Value = Code> {
    prop_oneof![
        // c.addi4spn of zero, and all zeros
        (0..8u16).prop_map(|rd| Code::Half(rd << 2)),
        // quadrant 0: floating point, and the hole between loads and stores
        (select(vec![1u16, 3, 4, 5, 7]), 0..0x800u16).prop_map(|(f, bits)| Code::Half(f << 13 | bits << 2)),
        // c.lui and c.addi16sp of zero
        (1..32u16).prop_map(|rd| Code::Half(0x6001 | rd << 7)),
        // shifts of 32 and more
        (0..2u16, 0..8u16, 0..32u16).prop_map(|(f, rd, shift)| Code::Half(0x9001 | f << 10 | rd << 7 | shift << 2)),
        (1..32u16, 0..32u16).prop_map(|(rd, shift)| Code::Half(0x1002 | rd << 7 | shift << 2)),
        // c.subw and its neighbours
        (0..4u16, 0..64u16).prop_map(|(f, bits)| Code::Half(0x9C01 | f << 5 | (bits & 7) << 2 | (bits >> 3) << 7)),
        // quadrant 2: floating point, c.lwsp into x0, c.jr of x0
        (select(vec![1u16, 3, 5, 7]), 0..0x800u16).prop_map(|(f, bits)| Code::Half(f << 13 | bits << 2 | 2)),
        (0..32u16).prop_map(|bits| Code::Half(0x4002 | bits << 2)),
        Just(Code::Half(0x8002)),
    ]
}

// ---- Operations -------------------------------------------------------------------------------

fn access() -> impl Strategy<Value = Op> {
    let size = (any::<bool>(), 0..5u32, 0..64u32, 0..4u32);
    (size, rd(), rd_not_zero(), -2048..2048i32).prop_map(|((store, kind, word, byte), reg, base, offset)| {
        let funct3 = if store { kind % 3 } else { [0, 1, 2, 4, 5][kind as usize] };
        let size_log2 = funct3 & 3;
        Op::Access { store, funct3, reg, base, addr: DATA + 4 * word + (byte >> size_log2 << size_log2), offset }
    })
}

fn access_nowhere() -> impl Strategy<Value = Op> {
    (any::<bool>(), 0..3u32, rd(), rd_not_zero(), select(NOWHERE.to_vec()), -2048..2048i32)
        .prop_map(|(store, funct3, reg, base, addr, offset)| Op::Access { store, funct3, reg, base, addr, offset })
}

fn misaligned() -> impl Strategy<Value = Op> {
    let addr = || (0..64u32, 1..4u32).prop_map(|(word, byte)| DATA + 4 * word + byte);
    prop_oneof![
        (any::<bool>(), any::<bool>(), rd(), rd_not_zero(), addr()).prop_map(|(store, half, reg, base, addr)| {
            let funct3 = if half { 1 } else { 2 };
            Op::Misaligned { store, funct3, reg, base, addr: if half { addr | 1 } else { addr } }
        }),
        (any::<bool>(), rd_compressed(), rd_compressed(), addr())
            .prop_map(|(store, reg, base, addr)| Op::MisalignedCompressed { store, reg, base, addr }),
    ]
}

/// Writes all CSRs that a trap writes, then changes and reads them.
fn quiet() -> impl Strategy<Value = Op> {
    let legal_causes = vec![0u32, 1, 2, 7, 11, 31, 0x8000_000B, 0x8000_0003];
    let change = (select(vec![2, 3, 6, 7]), rd(), select(vec![csr::MCAUSE, csr::MTVAL]), 0..32u32).prop_map(
        |(f, rd, number, n)| {
            // Bits of `mcause` may only change as the immediate says. So a register form takes x0
            // there, and only reads: another register may have any bits.
            asm::csr_op(f, rd, number, if f < 4 && number == csr::MCAUSE { 0 } else { n })
        },
    );
    let read = (rd(), select(vec![csr::MEPC, csr::MCAUSE, csr::MTVAL])).prop_map(|(rd, number)| asm::csrr(rd, number));
    let swap = (rd(), rs()).prop_map(|(rd, rs1)| asm::csrrw(rd, csr::MTVAL, rs1));
    let later = prop::collection::vec(prop_oneof![change, read, swap], 0..5);
    (select(legal_causes), value(), rs(), later).prop_map(|(cause, mepc, mtval, later)| {
        let mut accesses = vec![asm::csrw(csr::MTVAL, mtval)];
        accesses.extend(li(31, cause));
        accesses.push(asm::csrw(csr::MCAUSE, 31));
        accesses.extend(li(31, mepc & !1));
        accesses.push(asm::csrw(csr::MEPC, 31));
        accesses.extend(later);
        Op::Quiet { accesses }
    })
}

fn li(rd: u32, value: u32) -> [Code; 2] {
    let low = (value as i32) << 20 >> 20;
    [asm::lui(rd, value.wrapping_sub(low as u32) >> 12), asm::addi(rd, rd, low)]
}

fn counter() -> impl Strategy<Value = Op> {
    let numbers = vec![
        csr::MCYCLE,
        csr::MCYCLEH,
        csr::MINSTRET,
        csr::MINSTRETH,
        csr::CYCLE,
        csr::CYCLEH,
        csr::INSTRET,
        csr::INSTRETH,
        csr::MIP,
        csr::MISA,
        csr::MHARTID,
        csr::MSTATUS,
    ];
    let writable = vec![csr::MCYCLE, csr::MCYCLEH, csr::MINSTRET, csr::MINSTRETH, csr::MISA];
    prop_oneof![
        3 => (rd(), select(numbers), value())
            .prop_map(|(rd, number, then)| Op::Counter { access: asm::csrr(rd, number), rd, then }),
        2 => (rd(), select(writable), rs(), value())
            .prop_map(|(rd, number, source, then)| Op::Counter { access: asm::csrrw(rd, number, source), rd, then }),
        1 => (select(vec![6, 7]), rd(), value())
            .prop_map(|(f, rd, then)| Op::Counter { access: asm::csr_op(f, rd, csr::MSTATUS, 8), rd, then }),
        1 => (rd(), select(vec![0, 1, 4, 5]), value())
            .prop_map(|(rd, bits, then)| Op::Counter { access: asm::csrrwi(rd, csr::MCOUNTINHIBIT, bits), rd, then }),
    ]
}

fn jump() -> impl Strategy<Value = Op> {
    let forms = vec![Back::Branch, Back::Jump, Back::JumpCompressed, Back::JumpRegister];
    prop_oneof![
        6 => (select(vec![0, 1, 4, 5, 6, 7]), rs(), rs(), skip())
            .prop_map(|(funct3, rs1, rs2, skip)| Op::Branch { funct3, rs1, rs2, skip }),
        4 => (6..8u32, 8..16u32, 1..5u32).prop_map(|(funct3, rs1, skip)| Op::BranchCompressed { funct3, rs1, skip }),
        2 => (rd(), skip()).prop_map(|(rd, skip)| Op::Jump { rd, skip }),
        2 => (select(vec![5, 1]), skip()).prop_map(|(funct3, skip)| Op::JumpCompressed { funct3, skip }),
        2 => (rd(), rd_not_zero(), any::<bool>(), skip())
            .prop_map(|(rd, base, odd, skip)| Op::JumpRegister { rd, base, odd, skip }),
        1 => (any::<bool>(), rd_not_zero(), skip())
            .prop_map(|(link, base, skip)| Op::JumpRegisterCompressed { link, base, skip }),
        2 => (select(forms), 1..6u32).prop_map(|(form, skip)| Op::Back { form, skip }),
    ]
}

fn rare() -> impl Strategy<Value = Op> {
    prop_oneof![
        Just(Op::Wfi),
        (1..4u32).prop_map(|skip| Op::ReturnFromTrap { skip }),
        (prop_oneof![2 => Just(EDGE), 1 => select(NOWHERE.to_vec())], rd_not_zero(), rd())
            .prop_map(|(target, base, link)| Op::CallFaulty { target, base, link }),
        any::<bool>().prop_map(|vectored| Op::SetTrapVector { vectored }),
        quiet(),
        counter(),
        (-31..32i32).prop_map(|sixteens| Op::AdjustStack { sixteens: if sixteens == 0 { 32 - 1 } else { sixteens } }),
        arithmetic().prop_map(|code| Op::Patch { code: code.bits() }),
        access_nowhere(),
        misaligned(),
        illegal().prop_map(Op::Code),
        illegal().prop_map(Op::Code),
    ]
}

fn op(isa: &Isa) -> BoxedStrategy<Op> {
    // Without the extension, its share goes to instructions that every core has.
    let extended = if isa.bitmanip { bit_manipulation().boxed() } else { arithmetic().boxed() };
    prop_oneof![
        6 => arithmetic().prop_map(Op::Code),
        5 => extended.prop_map(Op::Code),
        6 => arithmetic_compressed().prop_map(Op::Code),
        8 => access_through_pointer().prop_map(Op::Code),
        3 => multiply_divide().prop_map(Op::Code),
        1 => system().prop_map(Op::Code),
        2 => (rd(), value()).prop_map(|(rd, value)| Op::Li { rd, value }),
        1 => (pointer(), 16..40u32).prop_map(|(reg, word)| Op::Pointer { reg, word }),
        2 => access(),
        8 => jump(),
        3 => rare(),
    ]
    .boxed()
}

fn timing() -> impl Strategy<Value = Timing> {
    let percent = || select(vec![100, 100, 70, 30, 10]);
    let look = select(vec![100, 100, 50, 0]);
    let memory = (percent(), percent(), look, percent(), percent());
    (memory, select(vec![0, 1, 1, 5]), select(vec![50, 10]), select(vec![0, 0, 1, 5])).prop_map(
        |((instr_gnt, instr_rvalid, look, data_gnt, data_rvalid), irq_rises, irq_falls, halts)| Timing {
            instr_gnt_percent: instr_gnt,
            instr_rvalid_percent: instr_rvalid,
            look_percent: look,
            data_gnt_percent: data_gnt,
            data_rvalid_percent: data_rvalid,
            irq_rises_percent: irq_rises,
            irq_falls_percent: irq_falls,
            halts_permille: halts,
            event_rises_percent: 0,
            event_falls_percent: 0,
        },
    )
}

/// A random program with random conditions.
pub fn case(isa: &Isa) -> BoxedStrategy<Case> {
    (prop::collection::vec(op(isa), 1..120), 1..9u32, timing(), any::<u64>())
        .prop_map(|(ops, rounds, timing, seed)| Case { ops, rounds, timing: wakes(timing), seed })
        .boxed()
}

/// An interrupt must end `wfi`: the timing has at least some.
fn wakes(timing: Timing) -> Timing {
    Timing { irq_rises_percent: timing.irq_rises_percent.max(1), ..timing }
}
