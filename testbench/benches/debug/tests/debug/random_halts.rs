//! Halting and resuming at random clocks does not change the effects of a random program.
//!
//! Each retired instruction is compared with the reference, and with it `mcycle`, `minstret` and
//! `mip`: the program may not see the time in debug mode. `DEBUG_SEED` chooses the programs,
//! `DEBUG_CASES` their number.

use std::env;

use bench_core::asm::csr as machine;
use bench_core::random::{case, Case};
use bench_core::reference::{Moment, Reference};
use bench_debug::bench::{debugged, Bench, Retired, Timing};
use bench_debug::debugger::{csr, dcsr, Cause, CommandError, Debugger};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

const FENCE_I: u32 = 0x0000_100F;

fn from_env(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number")))
}

/// The action of the debugger while the hart is halted. Every action leaves the program as it was.
fn look_around(debugger: &mut Debugger<Bench>) -> Result<(), verilated::Error> {
    match debugger.dmi.random(8) {
        0 | 1 => {
            // The program may not notice that its registers are used and restored.
            let number = 1 + debugger.dmi.random(31);
            let value = debugger.read_gpr(number)?;
            debugger.write_gpr(number, !value)?;
            assert_eq!(debugger.read_gpr(number)?, !value);
            debugger.write_gpr(number, value)?;
        }
        2 => {
            let value = debugger.read_csr(machine::MSCRATCH)?;
            debugger.write_csr(machine::MSCRATCH, value)?;
        }
        3 => assert_eq!(debugger.try_command(bench_debug::debugger::transfer(0))?, Some(CommandError::Exception)),
        4 => assert_eq!(debugger.execute([0, 0])?, Some(CommandError::Exception)),
        5 => {
            let pc = debugger.pc()?;
            debugger.write_csr(csr::DPC, pc)?;
        }
        6 => {
            let steps = debugger.dmi.random(5);
            debugger.write_csr(csr::DCSR, dcsr::STEPIE)?;
            for _ in 0..steps {
                debugger.step()?;
                assert_eq!(debugger.cause()?, Cause::Step);
            }
        }
        _ => {}
    }
    Ok(())
}

/// The reference, and the words that were written since the last `fence.i`.
struct Program {
    reference: Reference,
    written: Vec<u32>,
}

/// Compares the instructions that retired since the last call. Returns false when the program
/// reaches code that it changed without a `fence.i`: the effect then depends on what was fetched
/// before.
fn compare(program: &mut Program, retired: &[Retired]) -> Result<bool, String> {
    let Program { reference, written } = program;
    for Retired { rvfi, clock, mip } in retired {
        if written.contains(&(rvfi.pc & !3)) || written.contains(&(rvfi.pc.wrapping_add(2) & !3)) {
            return Ok(false);
        }
        if rvfi.insn == FENCE_I {
            written.clear();
        } else if rvfi.mem_wmask != 0 {
            written.push(rvfi.mem_addr);
        }
        if rvfi.intr && !reference.interrupts_enabled() {
            return Err(format!("interrupt at {:#x} though disabled", rvfi.pc));
        }
        let expected = reference.step(Moment {
            interrupted: rvfi.intr,
            mip: *mip,
            clock: *clock,
            event: Some(0),
            // It goes on while the core is halted.
            time: u64::from(rvfi.rd.1) << 32 | u64::from(rvfi.rd.1),
            seen: rvfi.rd.1,
        });
        let access = (rvfi.mem_rmask, rvfi.mem_wmask, rvfi.mem_addr);
        let same = (rvfi.pc, rvfi.insn, rvfi.next_pc, rvfi.trap, rvfi.rd, access)
            == (
                expected.pc,
                expected.bits,
                expected.next_pc,
                expected.trapped,
                (expected.rd, expected.rd_value),
                (expected.access.read_mask, expected.access.write_mask, expected.access.addr),
            );
        if !same {
            return Err(format!("core {rvfi:x?}\nreference {expected:x?}"));
        }
    }
    Ok(true)
}

/// Runs a program with halts, and returns their number.
fn run(case: &Case) -> Result<u32, String> {
    let failed = |error: verilated::Error| error.to_string();
    let timing = Timing {
        gnt: case.timing.data_gnt_percent,
        rvalid: case.timing.data_rvalid_percent,
        irq_rises: case.timing.irq_rises_percent,
        irq_falls: case.timing.irq_falls_percent,
    };
    let mut debugger = debugged(case.memory(), timing, case.seed);
    let mut program =
        Program { reference: Reference::new(bench_core::random::BASE, 0, case.memory()), written: Vec::new() };
    let (mut compared, mut halts) = (0, 0);
    let mut quiet = 0;
    while (compared as u64) < case.budget() {
        // A halt may come in the clock after a resume.
        let clocks = if debugger.dmi.random(4) == 0 { 0 } else { debugger.dmi.random(60) };
        debugger.dmi.clocks(clocks).map_err(failed)?;
        if debugger.dmi.random(3) != 0 {
            debugger.halt().map_err(failed)?;
            halts += 1;
            look_around(&mut debugger).map_err(failed)?;
            debugger.resume().map_err(failed)?;
        }
        let retired = &debugger.dmi.retired(0)[compared..];
        quiet = if retired.is_empty() { quiet + 1 } else { 0 };
        let go_on = compare(&mut program, retired)?;
        compared = debugger.dmi.retired(0).len();
        let ended =
            debugger.dmi.retired(0).last().is_some_and(|last| last.rvfi.next_pc == last.rvfi.pc && !last.rvfi.trap);
        if ended || quiet > 100 || !go_on {
            break;
        }
    }
    Ok(halts)
}

#[test]
fn halts_change_nothing() {
    let (seed, cases) = (from_env("DEBUG_SEED", 1), from_env("DEBUG_CASES", 150));
    let config = Config { cases: cases as u32, failure_persistence: None, max_shrink_iters: 500, ..Config::default() };
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let halts = std::cell::Cell::new(0);
    let result = runner.run(&case(), |case| {
        let count = run(&case).map_err(TestCaseError::fail)?;
        halts.set(halts.get() + count);
        Ok(())
    });
    if let Err(TestError::Fail(reason, case)) = result {
        panic!(
            "{reason}\nshortest program:\n{}\n{:?}, seed {}\n\nreplay: DEBUG_SEED={seed} DEBUG_CASES={cases} \
             cargo test -p bench-debug --test debug random_halts",
            case.listing(),
            case.timing,
            case.seed,
        );
    }
    result.expect("nothing is rejected");
    println!("seed {seed}: {cases} programs, {} halts", halts.get());
    assert!(halts.get() as u64 > cases, "halts are rare");
}
