//! The comparison is broken on purpose, and must report it.

use bench_core::asm::{self, Code};
use bench_core::bench::Timing;
use bench_lockstep::batch;
use bench_lockstep::image::Image;
use bench_lockstep::isa::Isa;
use bench_lockstep::op::{Case, Op};

const TIMING: Timing = Timing { irq_rises_percent: 5, irq_falls_percent: 30, halts_permille: 50, ..Timing::SLOW };

fn ops() -> Vec<Op> {
    let mut ops = vec![Op::Li { rd: 10, value: 0x1234 }];
    ops.extend((0..20).map(|_| Op::Code(asm::addi(11, 11, 1))));
    ops.push(Op::Code(asm::addi(12, 10, 1)));
    ops.push(Op::Code(asm::beq(12, 0, 8)));
    ops.push(Op::Code(asm::ecall()));
    ops.push(Op::Code(asm::sw(12, 0, asm::S0)));
    ops
}

/// The report when QEMU finds `instead` in the place of the first `code`.
fn verdict(code: Code, instead: Code) -> String {
    let mut image = Image::of([&Case { ops: ops(), rounds: 1, timing: TIMING, seed: 1 }]);
    let bytes = |code: Code| code.bits().to_le_bytes();
    let at = image.qemu.windows(4).skip(image.slots[0].body as usize).position(|window| window == bytes(code));
    let at = at.expect("it is in the program") + image.slots[0].body as usize;
    image.qemu[at..at + 4].copy_from_slice(&bytes(instead));
    let isa = Isa::of_core().expect("the model works");
    batch::run_image(&image, isa, None, &[]).expect_err("the images differ").what
}

/// The report when the debugger executes `spoil` in each halt.
fn verdict_of_debugger(spoil: &[Code]) -> String {
    let timing = Timing { irq_rises_percent: 0, ..TIMING };
    let image = Image::of([&Case { ops: ops(), rounds: 3, timing, seed: 1 }]);
    let isa = Isa::of_core().expect("the model works");
    batch::run_image(&image, isa, None, spoil).expect_err("something was changed").what
}

#[test]
fn programs_that_are_alike_pass() {
    let isa = Isa::of_core().expect("the model works");
    let case = Case { ops: ops(), rounds: 3, timing: TIMING, seed: 1 };
    let totals = batch::run(&[case], isa, None).expect("no difference");
    assert!(totals.interrupts > 0 && totals.traps == 3, "{totals:?}");
    assert!(totals.halts > 0 && totals.steps > 0, "{totals:?}");
}

#[test]
fn another_result_shows() {
    let said = verdict(asm::addi(12, 10, 1), asm::addi(12, 10, 2));
    assert!(said.contains("x12: core 0x1235, right 0x1236"), "{said}");
    assert!(said.contains("addi x12, x10, 1"), "{said}");
}

#[test]
fn another_register_shows() {
    let said = verdict(asm::addi(12, 10, 1), asm::addi(13, 10, 1));
    assert!(said.contains("x12: core 0x1235") && said.contains("x13: "), "{said}");
}

#[test]
fn a_branch_that_goes_elsewhere_shows() {
    let said = verdict(asm::beq(12, 0, 8), asm::bne(12, 0, 8));
    assert!(said.contains("next pc: "), "{said}");
}

#[test]
fn a_trap_that_qemu_does_not_take_shows() {
    let said = verdict(asm::ecall(), asm::nop());
    assert!(said.contains("QEMU's mepc after a trap"), "{said}");
}

#[test]
fn another_store_shows_when_it_is_loaded() {
    let said = verdict(asm::sw(12, 0, asm::S0), asm::sw(11, 0, asm::S0));
    assert!(said.contains("core 0x1235"), "{said}");
}

#[test]
fn a_register_that_a_debugger_keeps_shows() {
    let said = verdict_of_debugger(&[asm::addi(11, 11, 1)]);
    assert!(said.contains("rs1: core"), "{said}");
}

#[test]
fn a_resume_at_another_address_shows() {
    let dpc = 0x7B1;
    // Overwrites an instruction of the program, by a register that is restored.
    let save = [asm::csrw(0x7B2, 5), asm::csrr(5, dpc), asm::addi(5, 5, 4), asm::csrw(dpc, 5), asm::csrr(5, 0x7B2)];
    let said = verdict_of_debugger(&save);
    assert!(said.contains("pc: core"), "{said}");
}

#[test]
fn a_step_that_nobody_wanted_shows() {
    let said = verdict_of_debugger(&[asm::csrrsi(0, 0x7B0, 4)]);
    assert!(said.contains("debug mode without a reason"), "{said}");
}

#[test]
fn a_step_that_does_not_happen_shows() {
    let said = verdict_of_debugger(&[asm::csrrci(0, 0x7B0, 4)]);
    assert!(said.contains("does not halt when it should"), "{said}");
}

#[test]
fn an_exception_in_debug_mode_shows() {
    let said = verdict_of_debugger(&[asm::ecall()]);
    assert!(said.contains("exceptions in debug mode"), "{said}");
}
