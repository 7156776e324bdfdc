//! Program buffer, automatic commands, and every way in which a command can fail.

use bench_core::asm::{self, Program, A0, A1, S0, ZERO};
use bench_debug::bench::{debugged_program, halted_program, Bench, Timing, BASE};
use bench_debug::debugger::{csr, transfer, CommandError, Debugger};
use nic_layout::registers::debug::{
    Abstractauto, Abstractcs, Command, ABSTRACTAUTO, ABSTRACTCS, COMMAND, DATA, PROGBUF,
};

fn looping() -> Program {
    let mut program = Program::at(BASE);
    program.label("here").to("here", |d| asm::jal(ZERO, d));
    program
}

fn halted() -> Debugger<Bench> {
    halted_program(&looping(), Timing::IDEAL)
}

/// A command that never ends.
fn endless(debugger: &mut Debugger<Bench>) {
    debugger.set(PROGBUF.at(0), asm::jal(ZERO, 0).bits()).unwrap();
    debugger.set(COMMAND, Command::default().with_postexec(true)).unwrap();
    debugger.dmi.clocks(50).unwrap();
    assert!(debugger.abstractcs().unwrap().busy());
}

#[test]
fn sizes_are_those_that_are_there() {
    let mut debugger = halted();
    let state = debugger.abstractcs().unwrap();
    assert_eq!((state.progbufsize(), state.datacount(), state.busy(), state.cmderr()), (2, 2, false, 0));
}

#[test]
fn a_program_runs_after_the_transfer() {
    let mut debugger = halted();
    debugger.write_gpr(A0, 30).unwrap();
    debugger.set(PROGBUF.at(0), asm::add(A0, A0, A1).bits()).unwrap();
    debugger.set(PROGBUF.at(1), asm::ebreak().bits()).unwrap();
    debugger.set(DATA.at(0), 12).unwrap();
    assert_eq!(debugger.try_command(transfer(0x1000 + A1).with_write(true).with_postexec(true)).unwrap(), None);
    assert_eq!(debugger.read_gpr(A0).unwrap(), 42);
    // Compressed code, and the `ebreak` behind the program buffer.
    let pair = u32::from(asm::c_addi(A0, 1).bits() as u16) * 0x1_0001;
    assert_eq!(debugger.execute([pair, pair]).unwrap(), None);
    assert_eq!(debugger.read_gpr(A0).unwrap(), 46);
}

#[test]
fn programs_reach_data_and_scratch() {
    let mut debugger = halted();
    debugger.set(DATA.at(1), 0x1111_2222).unwrap();
    let load = asm::lw(A0, -2048 + 0x14, ZERO);
    let store = asm::sb(A0, -2048 + 0x13, ZERO);
    assert_eq!(debugger.execute([load.bits(), store.bits()]).unwrap(), None);
    assert_eq!(debugger.get(DATA.at(0)).unwrap() >> 24, 0x22);
    assert_eq!(
        debugger.execute([asm::csrw(csr::DSCRATCH1, A0).bits(), asm::csrr(A1, csr::DSCRATCH1).bits()]).unwrap(),
        None
    );
    assert_eq!(debugger.read_gpr(A1).unwrap(), 0x1111_2222);
}

#[test]
fn an_access_that_is_marked_repeats_the_command() {
    let mut debugger = halted();
    debugger.set(ABSTRACTAUTO, Abstractauto(u32::MAX)).unwrap();
    assert_eq!(debugger.get(ABSTRACTAUTO).unwrap(), Abstractauto(0x0003_0003));
    debugger.set(ABSTRACTAUTO, Abstractauto(0)).unwrap();
    debugger.write_gpr(A0, 0).unwrap();
    debugger.set(PROGBUF.at(0), asm::addi(A0, A0, 3).bits()).unwrap();
    debugger.set(PROGBUF.at(1), asm::ebreak().bits()).unwrap();
    assert_eq!(debugger.try_command(transfer(0x1000 + A0).with_postexec(true)).unwrap(), None);
    debugger.set(ABSTRACTAUTO, Abstractauto::default().with_autoexecdata(1)).unwrap();
    for expected in [0, 3, 6] {
        assert_eq!(debugger.get(DATA.at(0)).unwrap(), expected, "read before the command");
        assert_eq!(debugger.finish().unwrap(), None);
    }
    debugger.get(DATA.at(1)).unwrap();
    debugger.set(ABSTRACTAUTO, Abstractauto::default().with_autoexecprogbuf(2)).unwrap();
    assert_eq!(debugger.get(DATA.at(0)).unwrap(), 9);
    debugger.set(PROGBUF.at(1), asm::ebreak().bits()).unwrap();
    assert_eq!(debugger.finish().unwrap(), None);
    assert_eq!(debugger.get(DATA.at(0)).unwrap(), 12);
}

#[test]
fn commands_that_nobody_supports_are_refused() {
    let mut debugger = halted();
    let refused = [
        Command::default().with_cmdtype(1),
        Command::default().with_cmdtype(2),
        transfer(0x1000).with_aarsize(3),
        transfer(0x1000).with_aarsize(1),
        transfer(0x1000).with_aarpostincrement(true),
        transfer(0x1020),
        transfer(0xC000),
    ];
    for command in refused {
        assert_eq!(debugger.try_command(command).unwrap(), Some(CommandError::NotSupported), "{command:x?}");
    }
    assert_eq!(
        debugger.try_command(Command::default().with_aarsize(7).with_regno(0xFFFF)).unwrap(),
        None,
        "no transfer"
    );
}

#[test]
fn a_running_hart_takes_no_command() {
    let mut debugger = debugged_program(&looping(), Timing::IDEAL);
    debugger.dmi.clocks(20).unwrap();
    assert_eq!(debugger.try_command(transfer(0x1000)).unwrap(), Some(CommandError::HaltResume));
}

#[test]
fn an_exception_ends_the_program() {
    let mut debugger = halted();
    debugger.write_gpr(A0, 0x1003).unwrap();
    debugger.write_gpr(A1, 0).unwrap();
    let count = asm::addi(A1, A1, 1).bits();
    // Bus error, misaligned access, `ecall`; a jump to an address that cannot be fetched; `mret`,
    // which debug mode does not permit.
    for code in [
        asm::lw(A0, 1, A0),
        asm::sw(A0, 0, A0),
        asm::lh(A0, 0, A0),
        asm::ecall(),
        asm::jalr(ZERO, ZERO, 0),
        asm::mret(),
    ] {
        assert_eq!(debugger.execute([code.bits(), count]).unwrap(), Some(CommandError::Exception), "{code:x?}");
    }
    assert_eq!(debugger.execute([0, count]).unwrap(), Some(CommandError::Exception), "illegal");
    assert_eq!(debugger.read_gpr(A1).unwrap(), 0, "nothing behind it ran");
    assert_eq!(debugger.execute([count, count]).unwrap(), None);
    assert_eq!(debugger.read_gpr(A1).unwrap(), 2);
    assert_eq!(debugger.execute([asm::wfi().bits(), count]).unwrap(), None, "does not wait");
}

#[test]
fn an_error_keeps_commands_off_until_it_is_cleared() {
    let mut debugger = halted();
    debugger.write_gpr(A0, 1).unwrap();
    debugger.set(COMMAND, transfer(0x1020)).unwrap();
    debugger.set(DATA.at(0), 99).unwrap();
    debugger.set(COMMAND, transfer(0x1000 + A0).with_write(true)).unwrap();
    debugger.dmi.clocks(50).unwrap();
    debugger.set(ABSTRACTCS, Abstractcs::default()).unwrap();
    assert_eq!(debugger.abstractcs().unwrap().cmderr(), 2, "writing zeros clears nothing");
    assert_eq!(debugger.finish().unwrap(), Some(CommandError::NotSupported));
    assert_eq!(debugger.read_gpr(A0).unwrap(), 1);
}

#[test]
fn touching_a_busy_module_is_an_error_and_changes_nothing() {
    type Touch = fn(&mut Debugger<Bench>);
    let touches: [(&str, Touch); 6] = [
        ("command", |d| d.set(COMMAND, transfer(0x1000 + A1).with_write(true)).unwrap()),
        ("abstractcs", |d| d.set(ABSTRACTCS, Abstractcs::default()).unwrap()),
        ("abstractauto", |d| d.set(ABSTRACTAUTO, Abstractauto(3)).unwrap()),
        ("write of data", |d| d.set(DATA.at(1), 3).unwrap()),
        ("read of data", |d| assert!(d.get(DATA.at(0)).is_ok())),
        ("write of progbuf", |d| d.set(PROGBUF.at(1), 3).unwrap()),
    ];
    for (name, touch) in touches {
        let mut debugger = halted();
        debugger.set(DATA.at(1), 1).unwrap();
        endless(&mut debugger);
        touch(&mut debugger);
        let state = debugger.abstractcs().unwrap();
        assert!(state.busy() && state.cmderr() == 1, "{name}");
        // The selected hart stays the hart of the command. Only a reset of that hart ends the
        // command.
        debugger.select(1).unwrap();
        debugger.select(0).unwrap();
        debugger.control(|control| control.with_hartreset(true)).unwrap();
        assert_eq!(debugger.finish().unwrap(), Some(CommandError::Busy), "the first error stays: {name}");
        assert_eq!(debugger.get(DATA.at(1)).unwrap(), 1, "{name}");
        assert_eq!(debugger.get(ABSTRACTAUTO).unwrap(), Abstractauto(0), "{name}");
    }
}

#[test]
fn a_reset_of_the_hart_ends_its_command() {
    let mut debugger = halted();
    endless(&mut debugger);
    debugger.dmi.run[0] = false;
    debugger.dmi.clocks(5).unwrap();
    assert_eq!(debugger.finish().unwrap(), Some(CommandError::Other));
    debugger.dmi.run[0] = true;
    debugger.halt().unwrap();
    debugger.write_gpr(S0, 3).unwrap();
    assert_eq!(debugger.read_gpr(S0).unwrap(), 3);
}
