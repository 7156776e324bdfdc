//! Single instructions and CSRs, with their expected results.

use bench_core::asm::*;
use bench_core::bench::Timing;
use bench_core::directed::*;
use bench_core::reference::cause;

/// Runs instructions with given T0 and T1, and returns A0.
fn a0_of(t0: u32, t1: u32, codes: &[Code]) -> u32 {
    let mut p = program();
    p.li(T0, t0).li(T1, t1).put_all(codes.iter().copied());
    park(&mut p);
    run(&p).x[A0 as usize]
}

#[test]
fn division_by_zero_gives_minus_one_and_the_dividend() {
    for (a, expected_rem) in [(7, 7), (0x8000_0000, 0x8000_0000), (0, 0), (u32::MAX, u32::MAX)] {
        assert_eq!(a0_of(a, 0, &[div(A0, T0, T1)]), u32::MAX);
        assert_eq!(a0_of(a, 0, &[divu(A0, T0, T1)]), u32::MAX);
        assert_eq!(a0_of(a, 0, &[rem(A0, T0, T1)]), expected_rem);
        assert_eq!(a0_of(a, 0, &[remu(A0, T0, T1)]), expected_rem);
    }
}

#[test]
fn division_overflow_gives_the_dividend_and_zero() {
    assert_eq!(a0_of(0x8000_0000, u32::MAX, &[div(A0, T0, T1)]), 0x8000_0000);
    assert_eq!(a0_of(0x8000_0000, u32::MAX, &[rem(A0, T0, T1)]), 0);
}

#[test]
fn remainders_have_the_sign_of_the_dividend() {
    assert_eq!(a0_of(-7i32 as u32, 2, &[div(A0, T0, T1)]) as i32, -3);
    assert_eq!(a0_of(-7i32 as u32, 2, &[rem(A0, T0, T1)]) as i32, -1);
    assert_eq!(a0_of(7, -2i32 as u32, &[rem(A0, T0, T1)]) as i32, 1);
}

#[test]
fn high_products_mix_signs_as_named() {
    let (a, b) = (0x8000_0000, u32::MAX);
    assert_eq!(a0_of(a, b, &[mul(A0, T0, T1)]), 0x8000_0000);
    assert_eq!(a0_of(a, b, &[mulh(A0, T0, T1)]), 0);
    assert_eq!(a0_of(a, b, &[mulhu(A0, T0, T1)]), 0x7FFF_FFFF);
    assert_eq!(a0_of(a, b, &[mulhsu(A0, T0, T1)]), 0x8000_0000);
}

/// One line for each instruction of Zba, Zbb and Zbs: the operands, and the result by the
/// specification.
#[test]
fn bits_are_moved_as_named() {
    let (a, b) = (0x8000_F0A5, 0x0000_0064);
    type Encode = fn(u32, u32, u32) -> Code;
    let pairs: [(Encode, u32); 16] = [
        (sh1add, 0x0001_E1AE),
        (sh2add, 0x0003_C2F8),
        (sh3add, 0x0007_858C),
        (andn, 0x8000_F081),
        (orn, 0xFFFF_FFBF),
        (xnor, 0x7FFF_0F3E),
        (min, 0x8000_F0A5),
        (minu, 0x0000_0064),
        (max, 0x0000_0064),
        (maxu, 0x8000_F0A5),
        (rol, 0x000F_0A58),
        (ror, 0x5800_0F0A),
        (bset, 0x8000_F0B5),
        (bclr, 0x8000_F0A5),
        (binv, 0x8000_F0B5),
        (bext, 0),
    ];
    for (index, (code, expected)) in pairs.into_iter().enumerate() {
        assert_eq!(a0_of(a, b, &[code(A0, T0, T1)]), expected, "number {index}");
    }
    let singles = [
        (unary(0, A0, T0), 0),
        (unary(1, A0, T0), 0),
        (unary(2, A0, T0), 9),
        (unary(4, A0, T0), 0xFFFF_FFA5),
        (unary(5, A0, T0), 0xFFFF_F0A5),
        (zext_h(A0, T0), 0x0000_F0A5),
        (orc_b(A0, T0), 0xFF00_FFFF),
        (rev8(A0, T0), 0xA5F0_0080),
        (rori(A0, T0, 4), 0x5800_0F0A),
        (bseti(A0, T0, 1), 0x8000_F0A7),
        (bclri(A0, T0, 31), 0x0000_F0A5),
        (binvi(A0, T0, 0), 0x8000_F0A4),
        (bexti(A0, T0, 31), 1),
        (unary(0, A0, ZERO), 32),
        (unary(1, A0, ZERO), 32),
    ];
    for (code, expected) in singles {
        assert_eq!(a0_of(a, b, &[code]), expected, "{code:x?}");
    }
}

#[test]
fn small_stores_change_only_their_bytes() {
    let mut p = program();
    p.li(T0, DATA).li(T1, 0x1122_3344).li(T2, 0xAABB_CCDD);
    p.put_all([sw(T1, 0, T0), sb(T2, 1, T0), sh(T2, 2, T0), sw(T1, 4, T0), sb(T2, 7, T0), sh(T2, 4, T0)]);
    park(&mut p);
    let run = run(&p);
    assert_eq!(run.bench.memory.peek(DATA), 0xCCDD_DD44);
    assert_eq!(run.bench.memory.peek(DATA + 4), 0xDD22_CCDD);
}

#[test]
fn small_loads_extend_as_named() {
    let mut p = program();
    p.li(T0, DATA).li(T1, 0x80FF_7F81).put(sw(T1, 0, T0));
    p.put_all([
        lb(10, 0, T0),
        lbu(11, 0, T0),
        lb(12, 1, T0),
        lh(13, 2, T0),
        lhu(14, 2, T0),
        lh(15, 0, T0),
        lbu(16, 3, T0),
    ]);
    park(&mut p);
    assert_eq!(run(&p).x[10..17], [0xFFFF_FF81, 0x81, 0x7F, 0xFFFF_80FF, 0x80FF, 0x7F81, 0x80]);
}

#[test]
fn x0_stays_zero() {
    let mut p = program();
    p.li(T0, DATA).put_all([addi(ZERO, T0, 1), lw(ZERO, 0, T0), add(A0, ZERO, ZERO), csrr(ZERO, csr::MISA)]);
    p.put(add(A1, ZERO, ZERO));
    park(&mut p);
    let run = run(&p);
    assert_eq!((run.x[A0 as usize], run.x[A1 as usize]), (0, 0));
}

#[test]
fn jalr_clears_the_lowest_bit_and_may_overwrite_its_base() {
    let mut p = program();
    p.la(T0, "target").put(jalr(T0, T0, 1)).label("behind").put(ebreak()).label("target").put(mv(A0, T0));
    park(&mut p);
    assert_eq!(run(&p).x[A0 as usize], p.address_of("behind"));
}

#[test]
fn fence_i_shows_code_that_was_just_written() {
    let mut p = program();
    p.li(T1, addi(A0, ZERO, 2).bits()).la(T0, "patched").put(sw(T1, 0, T0)).put(fence_i());
    p.align(4).label("patched").put(addi(A0, ZERO, 1));
    park(&mut p);
    assert_eq!(run(&p).x[A0 as usize], 2);
}

#[test]
fn without_fence_i_the_code_fetched_ahead_runs() {
    // The reason for the flush: without `fence.i` the same program executes the old instruction.
    let mut p = program();
    p.li(T1, addi(A0, ZERO, 2).bits()).la(T0, "patched").put(sw(T1, 0, T0));
    p.align(4).label("patched").put(addi(A0, ZERO, 1));
    park(&mut p);
    let mut core = start(&p, Timing::IDEAL);
    let last =
        (0..100).filter_map(|_| core.bench.clock().expect("no assertion fails").rvfi).find(|r| r.rd.0 == A0 as u8);
    assert_eq!(last.map(|rvfi| rvfi.rd.1), Some(1));
}

/// Writes all ones, then zero, to a CSR and returns what it read after each.
fn written(number: u32) -> (u32, u32) {
    let mut p = program();
    p.li(T0, u32::MAX).put_all([csrw(number, T0), csrr(A0, number), csrw(number, ZERO), csrr(A1, number)]);
    park(&mut p);
    let run = run(&p);
    (run.x[A0 as usize], run.x[A1 as usize])
}

#[test]
fn csr_fields_hold_what_the_table_says() {
    for (number, ones, zeros) in [
        (csr::MSTATUS, 0x1888, 0x1800),
        (csr::MISA, 0x4000_1106, 0x4000_1106),
        (csr::MIE, 0x800, 0),
        (csr::MTVEC, 0xFFFF_FFFD, 0),
        (csr::MCOUNTINHIBIT, 0xFFD, 0),
        (csr::MSCRATCH, u32::MAX, 0),
        (csr::MEPC, 0xFFFF_FFFE, 0),
        (csr::MCAUSE, 0x8000_001F, 0),
        (csr::MTVAL, u32::MAX, 0),
        (csr::MIP, 0, 0),
        (csr::TRACE, 0, 0),
    ] {
        assert_eq!(written(number), (ones, zeros), "{number:#x}");
    }
}

#[test]
fn read_only_csrs_have_their_constants() {
    for (number, value) in
        [(csr::MVENDORID, 0), (csr::MARCHID, 0), (csr::MIMPID, 2), (csr::MHARTID, 7), (csr::MCONFIGPTR, 0)]
    {
        assert_eq!(a0_of(0, 0, &[csrr(A0, number)]), value, "{number:#x}");
    }
}

#[test]
fn set_and_clear_change_only_named_bits_and_return_the_old_value() {
    let codes =
        [csrw(csr::MSCRATCH, T0), csrrs(A1, csr::MSCRATCH, T1), csrrc(A2, csr::MSCRATCH, T0), csrr(A0, csr::MSCRATCH)];
    let mut p = program();
    p.li(T0, 0b0011).li(T1, 0b0110).put_all(codes);
    park(&mut p);
    let run = run(&p);
    assert_eq!(run.x[10..13], [0b0100, 0b0011, 0b0111]);
}

#[test]
fn instructions_are_counted_when_they_retire() {
    let mut p = program();
    p.put_all([csrw(csr::MINSTRET, ZERO), nop(), nop(), csrr(A0, csr::MINSTRET), csrr(A1, csr::INSTRET)]);
    p.put_all([csrwi_inhibit(4), nop(), nop(), csrr(A2, csr::MINSTRET)]);
    park(&mut p);
    let run = run(&p);
    assert_eq!(run.x[10..13], [2, 3, 4], "the writing instruction is not counted, nor is one that stops the count");
}

fn csrwi_inhibit(bits: u32) -> Code {
    csrrwi(ZERO, csr::MCOUNTINHIBIT, bits)
}

#[test]
fn both_halves_of_the_counters_can_be_written_and_carry() {
    let mut p = program();
    p.li(T0, u32::MAX).put_all([csrwi_inhibit(5), csrw(csr::MCYCLE, T0), csrw(csr::MCYCLEH, ZERO)]);
    p.put_all([csrwi_inhibit(0), nop(), csrr(A0, csr::CYCLEH), csrw(csr::MINSTRET, T0)]);
    p.put_all([csrrwi(ZERO, csr::MINSTRETH, 8), nop(), csrr(A1, csr::INSTRETH)]);
    park(&mut p);
    let run = run_to_end(start(&p, Timing::IDEAL));
    assert_eq!(run.x[10..12], [1, 9]);
}

#[test]
fn mcycle_counts_every_clock() {
    let mut p = program();
    p.put_all([csrr(A0, csr::MCYCLE), nop(), nop(), nop(), csrr(A1, csr::MCYCLE)]);
    park(&mut p);
    let run = run_to_end(start(&p, Timing::IDEAL));
    assert_eq!(run.x[A1 as usize] - run.x[A0 as usize], 3 + 3, "three instructions, and the second reading");
}

#[test]
fn the_trace_port_shows_each_write_in_the_clock_of_its_retirement() {
    let mut p = program();
    p.li(T0, 0x0102_0304).put_all([csrw(csr::TRACE, T0), csrrwi(ZERO, csr::TRACE, 9), csrrs(A0, csr::TRACE, T0)]);
    p.put(csrr(A1, csr::TRACE));
    park(&mut p);
    let run = run(&p);
    assert_eq!(run.traces.iter().map(|(_, value)| *value).collect::<Vec<_>>(), [0x0102_0304, 9, 0x0102_0304]);
    let clocks: Vec<u64> = run.traces.iter().map(|(clock, _)| *clock).collect();
    assert_eq!([clocks[1] - clocks[0], clocks[2] - clocks[1]], [3, 3], "three clocks each");
    assert_eq!(run.x[A0 as usize] | run.x[A1 as usize], 0, "it reads zero");
}

#[test]
fn fetching_starts_at_the_boot_address_even_in_the_middle_of_a_word() {
    for offset in [0, 2] {
        let mut p = Program::at(BASE + offset);
        p.put(addi(A0, ZERO, 5));
        park(&mut p);
        assert_eq!(run(&p).steps[0].rvfi.pc, BASE + offset);
    }
}

#[test]
fn traps_before_a_vector_is_set_go_to_address_zero() {
    let mut p = program();
    p.put(ecall());
    let mut core = start(&p, Timing::IDEAL);
    core.run(2).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(core.steps[1].rvfi.pc, 0);
    assert_eq!(core.reference.mcause(), cause::FETCH_FAULT);
}
