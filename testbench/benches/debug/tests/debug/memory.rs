//! Memory through programs and through the system bus.

use bench_core::asm::{self, Program, A0, A1, ZERO};
use bench_debug::bench::{debugged_program, halted_program, Bench, Timing, BASE};
use bench_debug::debugger::Debugger;
use nic_layout::registers::debug::{Sbcs, SBADDRESS0, SBCS, SBDATA0};

const DATA: u32 = BASE + 0x800;
const WORD: u32 = 0x89AB_CDEF;

fn looping() -> Program {
    let mut program = Program::at(BASE);
    program.label("here").to("here", |d| asm::jal(ZERO, d));
    program
}

/// The result of a load of this size from this place of [`WORD`], zero-extended.
fn part(offset: u32, size_log2: u32) -> u32 {
    WORD >> (8 * offset) & (u32::MAX >> (32 - (8 << size_log2)))
}

/// Every aligned access within a word: offset, base-2 logarithm of the size.
fn accesses() -> impl Iterator<Item = (u32, u32)> {
    (0..3).flat_map(|size_log2| (0..4).step_by(1 << size_log2).map(move |offset| (offset, size_log2)))
}

fn bus() -> Debugger<Bench> {
    debugged_program(&looping(), Timing::IDEAL)
}

#[test]
fn programs_load_and_store_all_sizes() {
    let mut debugger = halted_program(&looping(), Timing::SLOW);
    for (offset, size_log2) in accesses() {
        debugger.dmi.memory.poke(DATA, WORD);
        debugger.write_gpr(A0, DATA + offset).unwrap();
        let funct3 = [4, 5, 2][size_log2 as usize];
        assert_eq!(debugger.execute([asm::load(funct3, A1, 0, A0).bits(), asm::nop().bits()]).unwrap(), None);
        assert_eq!(debugger.read_gpr(A1).unwrap(), part(offset, size_log2), "{offset} {size_log2}");

        debugger.dmi.memory.poke(DATA, 0);
        debugger.write_gpr(A1, part(offset, size_log2)).unwrap();
        assert_eq!(debugger.execute([asm::store(size_log2, A1, 0, A0).bits(), asm::nop().bits()]).unwrap(), None);
        assert_eq!(debugger.dmi.memory.peek(DATA), part(offset, size_log2) << (8 * offset), "{offset} {size_log2}");
    }
}

#[test]
fn the_bus_reads_and_writes_all_sizes_while_the_hart_runs() {
    for timing in [Timing::IDEAL, Timing::SLOW] {
        let mut debugger = bus();
        debugger.dmi.timing = timing;
        for (offset, size_log2) in accesses() {
            debugger.dmi.memory.poke(DATA, WORD);
            assert_eq!(debugger.bus_read(DATA + offset, size_log2).unwrap(), part(offset, size_log2));
            debugger.dmi.memory.poke(DATA, 0);
            debugger.bus_write(DATA + offset, size_log2, part(offset, size_log2)).unwrap();
            assert_eq!(debugger.dmi.memory.peek(DATA), part(offset, size_log2) << (8 * offset));
        }
        assert!(debugger.status().unwrap().allrunning());
    }
}

#[test]
fn what_the_bus_can_do_is_what_sbcs_says() {
    let state = bus().get(SBCS).unwrap();
    assert_eq!((state.sbversion(), state.sbasize(), state.sbaccess()), (1, 32, 2));
    assert!(state.sbaccess8() && state.sbaccess16() && state.sbaccess32());
    assert_eq!(state.0 & 0x18, 0, "nothing wider");
}

#[test]
fn a_block_is_read_and_written_with_one_access_for_each_word() {
    let mut debugger = bus();
    debugger.set(SBCS, Sbcs::default().with_sbaccess(2).with_sbautoincrement(true)).unwrap();
    debugger.set(SBADDRESS0, DATA).unwrap();
    for word in 0..8u32 {
        debugger.set(SBDATA0, WORD.wrapping_mul(word)).unwrap();
        debugger.bus_finish().unwrap();
    }
    assert_eq!(debugger.get(SBADDRESS0).unwrap(), DATA + 32);
    for word in 0..8u32 {
        assert_eq!(debugger.dmi.memory.peek(DATA + 4 * word), WORD.wrapping_mul(word));
    }

    let sbcs =
        Sbcs::default().with_sbaccess(1).with_sbautoincrement(true).with_sbreadonaddr(true).with_sbreadondata(true);
    debugger.set(SBCS, sbcs).unwrap();
    debugger.set(SBADDRESS0, DATA).unwrap();
    for half in 0..16u32 {
        debugger.bus_finish().unwrap();
        let expected = WORD.wrapping_mul(half / 2) >> (16 * (half % 2)) & 0xFFFF;
        assert_eq!(debugger.get(SBDATA0).unwrap() & 0xFFFF, expected);
    }
    assert_eq!(debugger.bus_finish().unwrap().sberror(), 0);
    assert_eq!(debugger.get(SBADDRESS0).unwrap(), DATA + 34);
}

#[test]
fn wrong_accesses_are_named_and_stop_the_bus_until_they_are_cleared() {
    let bad_address = (2, 0x3000_0000, 2);
    let cases = [bad_address, (2, DATA + 2, 3), (1, DATA + 1, 3), (2, DATA + 1, 3), (3, DATA, 4), (7, DATA, 4)];
    for (access, address, error) in cases {
        for write in [false, true] {
            let mut debugger = bus();
            debugger.dmi.memory.poke(DATA, WORD);
            debugger
                .set(SBCS, Sbcs::default().with_sbaccess(access).with_sbreadonaddr(!write).with_sbautoincrement(true))
                .unwrap();
            debugger.set(SBADDRESS0, address).unwrap();
            if write {
                debugger.set(SBDATA0, 1).unwrap();
            }
            assert_eq!(debugger.bus_finish().unwrap().sberror(), error, "{access} {address:#x} {write}");
            assert_eq!(debugger.get(SBADDRESS0).unwrap(), address);
            assert_eq!(debugger.dmi.memory.peek(DATA), WORD);
            // No access starts while the error is set.
            debugger.set(SBCS, Sbcs::default().with_sbaccess(2)).unwrap();
            debugger.set(SBADDRESS0, DATA).unwrap();
            debugger.set(SBDATA0, 1).unwrap();
            debugger.dmi.clocks(20).unwrap();
            assert_eq!(debugger.dmi.memory.peek(DATA), WORD);
            debugger.set(SBCS, Sbcs::default().with_sberror(7).with_sbaccess(2)).unwrap();
            debugger.set(SBDATA0, 1).unwrap();
            assert_eq!(debugger.bus_finish().unwrap().sberror(), 0);
            assert_eq!(debugger.dmi.memory.peek(DATA), 1);
        }
    }
}

#[test]
fn an_access_while_one_is_under_way_is_an_error() {
    type Touch = fn(&mut Debugger<Bench>);
    let touches: [(&str, Touch); 3] = [
        ("address", |d| d.set(SBADDRESS0, DATA + 4).unwrap()),
        ("write of data", |d| d.set(SBDATA0, 2).unwrap()),
        ("read of data", |d| assert!(d.get(SBDATA0).is_ok())),
    ];
    for (name, touch) in touches {
        let mut debugger = bus();
        debugger.set(SBCS, Sbcs::default().with_sbaccess(2)).unwrap();
        debugger.set(SBADDRESS0, DATA).unwrap();
        debugger.dmi.timing.gnt = 0;
        debugger.set(SBDATA0, 1).unwrap();
        assert!(debugger.get(SBCS).unwrap().sbbusy());
        touch(&mut debugger);
        debugger.dmi.timing.gnt = 100;
        let state = debugger.bus_finish().unwrap();
        assert!(state.sbbusyerror(), "{name}");
        assert_eq!((debugger.dmi.memory.peek(DATA), debugger.dmi.memory.peek(DATA + 4)), (1, 0), "{name}");
        debugger.set(SBDATA0, 3).unwrap();
        debugger.dmi.clocks(20).unwrap();
        assert_eq!(debugger.dmi.memory.peek(DATA), 1, "{name}: nothing starts");
        debugger.set(SBCS, state).unwrap();
        assert!(!debugger.get(SBCS).unwrap().sbbusyerror());
        debugger.set(SBDATA0, 3).unwrap();
        debugger.bus_finish().unwrap();
        assert_eq!(debugger.dmi.memory.peek(DATA), 3, "{name}");
    }
}
