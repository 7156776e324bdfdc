//! The debug module as a host uses it: in the register page, over PCI.

use bench_debug::debugger::{csr, dcsr, Cause, Debugger, Dmi};
use bench_nic::assembler::*;
use bench_nic::models::{FastNic, WatchedNic, WatchedPair};
use bench_nic::nic::{Nic, NicError, NicPins, BAR0};
use host_pci::{BusAddr, Settings, Transaction};
use nic_layout::boot::FIRMWARE_ADDRESS;
use nic_layout::registers::debug::{Dmcontrol, Dmstatus, Sbcs, DMCONTROL, DMSTATUS, SBADDRESS0, SBCS, SBDATA0};
use nic_layout::registers::{doorbell, event_a, ident, mailbox, Bits, Offset};
use nic_layout::ring::Event;

/// The address of the SRAM in the core's view.
const SRAM: u32 = 0x1000_0000;
const SCRATCHPAD: u32 = 0x2000_0000;
const REGISTERS: u32 = 0x4000_0000;
const DOORBELL_PAGE_3: u32 = BAR0 + 0x1_3000;

/// A host that debugs the cores of its NIC.
struct OverPci<M = WatchedNic>(Nic<M>);

impl<M: NicPins> Dmi for OverPci<M> {
    type Error = NicError;

    fn read(&mut self, at: Offset) -> Result<u32, NicError> {
        Ok(self.0.access(Transaction::read_dword(BusAddr(BAR0 + at.0)))?[0])
    }

    fn write(&mut self, at: Offset, value: u32) -> Result<(), NicError> {
        self.0.access(Transaction::write_dword(BusAddr(BAR0 + at.0), value)).map(drop)
    }
}

/// Firmware that takes a value from doorbell 3, sends the value plus one to mailbox 0, and stores
/// the value at SRAM byte 0x100.
fn echo_program() -> Vec<u32> {
    let at = |register: Offset| register.0 as i32;
    vec![
        lui(S0, REGISTERS >> 12),
        lui(S1, SRAM >> 12),
        addi(T0, ZERO, 1 << Event::Doorbell as i32),
        sw(T0, at(event_a::ENABLE.offset()), S0),
        lw(T1, at(event_a::NEXT.offset()), S0), // offset 16
        addi(T2, ZERO, 4 * Event::Doorbell as i32),
        bne(T1, T2, -8),
        sw(T0, at(event_a::CLEAR.offset()), S0),
        lw(T1, at(doorbell::PENDING.offset()), S0),
        sw(T1, at(doorbell::CLEAR.offset()), S0),
        lw(T1, at(doorbell::VALUE.at(3).offset()), S0),
        sw(T1, 0x100, S1),
        addi(T1, T1, 1),
        sw(T1, at(mailbox::TO_HOST.at(0).offset()), S0),
        j(-40),
    ]
}

fn running() -> OverPci {
    OverPci(running_nic())
}

fn running_nic<M: NicPins>() -> Nic<M> {
    let mut nic = Nic::new(Settings::default(), 1).unwrap();
    nic.configure().unwrap();
    nic.sram_write(FIRMWARE_ADDRESS, &echo_program()).unwrap();
    nic.write(ident::CORE_CONTROL, ident::CoreControl::default().with_run_a(true)).unwrap();
    nic.run_core_cycles(400).unwrap();
    nic
}

/// Sends a message by the doorbell, and returns the answer.
fn echo<M: NicPins>(nic: &mut Nic<M>, value: u32) {
    nic.submit(Transaction::write_dword(BusAddr(DOORBELL_PAGE_3), value));
    let before = nic.probes[10];
    nic.until("the answer", |nic| {
        nic.bus.next_completion();
        (nic.probes[10] > before).then_some(())
    })
    .unwrap();
    assert_eq!(nic.read(mailbox::TO_HOST.at(0)).unwrap(), value.wrapping_add(1));
}

#[test]
fn a_host_halts_the_firmware_looks_and_lets_it_go_on() {
    let mut debugger = Debugger::new(running()).unwrap();
    echo(&mut debugger.dmi.0, 41);
    debugger.halt().unwrap();
    assert_eq!(debugger.cause().unwrap(), Cause::HaltRequest);
    let loop_start = SRAM + FIRMWARE_ADDRESS + 16;
    let pc = debugger.pc().unwrap();
    assert!((loop_start..loop_start + 12).contains(&pc), "{pc:#x}");
    assert_eq!(debugger.read_gpr(S0.0).unwrap(), REGISTERS);

    // A word of the SRAM: through the bus, and through the core.
    assert_eq!(debugger.bus_read(SRAM + 0x100, 2).unwrap(), 41);
    debugger.write_gpr(T1.0, SRAM).unwrap();
    assert_eq!(debugger.execute([lw(T1, 0x100, T1), addi(ZERO, ZERO, 0)]).unwrap(), None);
    assert_eq!(debugger.read_gpr(T1.0).unwrap(), 41);

    // A message that comes while the firmware is halted is answered after the resume.
    debugger.dmi.0.access(Transaction::write_dword(BusAddr(DOORBELL_PAGE_3), 6)).unwrap();
    debugger.dmi.0.run_core_cycles(200).unwrap();
    assert_eq!(debugger.dmi.0.read(mailbox::TO_HOST.at(0)).unwrap(), 42, "nobody answers");
    // A jump to the start of the loop sets the changed registers again.
    debugger.write_csr(csr::DPC, loop_start).unwrap();
    debugger.resume().unwrap();
    debugger.dmi.0.run_core_cycles(200).unwrap();
    assert_eq!(debugger.dmi.0.read(mailbox::TO_HOST.at(0)).unwrap(), 7);
    for value in 100..110 {
        echo(&mut debugger.dmi.0, value);
    }
    debugger.dmi.0.check_bus().unwrap();
    assert_eq!(debugger.dmi.0.read(ident::HOST_REFUSED).unwrap(), 0);
}

#[test]
fn firmware_is_stepped_from_its_first_instruction() {
    let mut debugger = Debugger::new(running()).unwrap();
    debugger.control(|control| control.with_setresethaltreq(true)).unwrap();
    let nic = &mut debugger.dmi.0;
    nic.write(ident::CORE_CONTROL, ident::CoreControl::default()).unwrap();
    assert!(debugger.status().unwrap().allunavail());
    debugger.dmi.0.write(ident::CORE_CONTROL, ident::CoreControl::default().with_run_a(true)).unwrap();
    debugger.until_halted().unwrap();
    for word in 0..6 {
        assert_eq!(debugger.pc().unwrap(), SRAM + FIRMWARE_ADDRESS + 4 * word);
        debugger.step().unwrap();
    }
    assert_eq!(debugger.read_gpr(T0.0).unwrap(), 1 << Event::Doorbell as u32);
    debugger.resume().unwrap();
    echo(&mut debugger.dmi.0, 3);
    debugger.dmi.0.check_bus().unwrap();
}

#[test]
fn code_in_the_scratchpad_breaks_on_ebreak() {
    let mut debugger = Debugger::new(running()).unwrap();
    debugger.halt().unwrap();
    // The scratchpad belongs to its core: the bus does not reach it, programs do.
    for (offset, insn) in [(0, addi(T0, ZERO, 99)), (4, 0x0010_0073)] {
        debugger.write_gpr(T1.0, SCRATCHPAD + offset).unwrap();
        debugger.write_gpr(T2.0, insn).unwrap();
        assert_eq!(debugger.execute([sw(T2, 0, T1), addi(ZERO, ZERO, 0)]).unwrap(), None);
    }
    debugger.write_csr(csr::DPC, SCRATCHPAD).unwrap();
    debugger.write_csr(csr::DCSR, dcsr::EBREAKM).unwrap();
    debugger.resume().unwrap();
    debugger.until_halted().unwrap();
    assert_eq!((debugger.cause().unwrap(), debugger.pc().unwrap()), (Cause::Ebreak, SCRATCHPAD + 4));
    assert_eq!(debugger.read_gpr(T0.0).unwrap(), 99);
}

#[test]
fn the_bus_of_the_debugger_takes_turns_with_the_host() {
    let mut debugger = Debugger::new(running()).unwrap();
    debugger.dmi.0.sram_write(0x200, &[0, 0]).unwrap();
    for (at, size_log2, value) in [(0x200, 2, 0x1234_5678), (0x204, 1, 0xABCD), (0x207, 0, 0x5A)] {
        debugger.bus_write(SRAM + at, size_log2, value).unwrap();
        assert_eq!(debugger.bus_read(SRAM + at, size_log2).unwrap(), value, "{at:#x}");
    }
    assert_eq!(debugger.dmi.0.sram_read(0x200, 2).unwrap(), [0x1234_5678, 0x5A00_ABCD]);
    // Registers, as the host.
    debugger.bus_write(REGISTERS + ident::SCRATCH.offset().0, 2, 77).unwrap();
    assert_eq!(debugger.dmi.0.read(ident::SCRATCH).unwrap(), 77);
    assert_eq!(debugger.bus_read(REGISTERS + ident::ID.offset().0, 2).unwrap(), ident::ID_RESET);
    // Bursts of the host between accesses of the debugger.
    let data: Vec<u32> = (0..64).map(|i: u32| i.wrapping_mul(0x9E37_79B9)).collect();
    debugger.dmi.0.sram_write(0x1000, &data).unwrap();
    debugger
        .set(
            SBCS,
            Sbcs::default().with_sbaccess(2).with_sbautoincrement(true).with_sbreadonaddr(true).with_sbreadondata(true),
        )
        .unwrap();
    debugger.set(SBADDRESS0, SRAM + 0x1000).unwrap();
    for block in 0..8 {
        assert_eq!(debugger.get(SBDATA0).unwrap(), data[block]);
        assert_eq!(debugger.dmi.0.sram_read(0x1000 + 32 * block as u32, 8).unwrap(), data[8 * block..][..8]);
    }
    for wrong in [SRAM + 512 * 1024, SCRATCHPAD, REGISTERS + 0xF04, REGISTERS + 0x1000, 0] {
        debugger.set(SBCS, Sbcs::from_bits(0x0040_7000).with_sbaccess(2).with_sbreadonaddr(true)).unwrap();
        debugger.set(SBADDRESS0, wrong).unwrap();
        assert_eq!(debugger.bus_finish().unwrap().sberror(), 2, "{wrong:#x}");
    }
    assert_eq!(debugger.dmi.0.read(ident::HOST_REFUSED).unwrap(), 0);
    debugger.dmi.0.check_bus().unwrap();
}

#[test]
fn the_second_core_is_halted_and_looked_into_while_the_first_goes_on() {
    const MHARTID: u32 = 0xF14;
    const PROGRAM_B: u32 = 0x2000;
    let mut nic = Nic::<WatchedPair>::new(Settings::default(), 1).unwrap();
    nic.configure().unwrap();
    // Both cores count in a register and in the SRAM.
    let counts = |at: i32| vec![lui(S1, SRAM >> 12), addi(T0, ZERO, 0), addi(T0, T0, 1), sw(T0, at, S1), j(-8)];
    nic.sram_write(FIRMWARE_ADDRESS, &counts(0x100)).unwrap();
    nic.sram_write(PROGRAM_B, &counts(0x104)).unwrap();
    nic.write(ident::BOOT_ADDRESS_B, SRAM + PROGRAM_B).unwrap();
    nic.write(ident::CORE_CONTROL, ident::CoreControl::default().with_run_a(true).with_run_b(true)).unwrap();
    // After start-up, in which the caches are empty.
    nic.run_core_cycles(400).unwrap();
    let mut debugger = Debugger::new(OverPci(nic)).unwrap();
    debugger.select(1).unwrap();
    debugger.halt().unwrap();
    assert_eq!(debugger.read_csr(MHARTID).unwrap(), 1);
    assert_eq!(debugger.pc().unwrap() & !0x1F, SRAM + PROGRAM_B);
    let before = debugger.dmi.0.sram_read(0x100, 2).unwrap();
    debugger.dmi.0.run_core_cycles(200).unwrap();
    let after = debugger.dmi.0.sram_read(0x100, 2).unwrap();
    assert!(after[0] > before[0] && after[1] == before[1], "{before:?} {after:?}");
    // The debugger changes the counter of core B, which then counts on from there.
    debugger.write_gpr(5, 1_000_000).unwrap();
    debugger.resume().unwrap();
    debugger.dmi.0.run_core_cycles(200).unwrap();
    assert!(debugger.dmi.0.sram_read(0x104, 1).unwrap()[0] > 1_000_000);

    debugger.select(0).unwrap();
    debugger.halt().unwrap();
    assert_eq!(debugger.read_csr(MHARTID).unwrap(), 0);
    debugger.resume().unwrap();
    debugger.dmi.0.check_bus().unwrap();
}

#[test]
fn a_nic_without_debugging_says_so_and_runs() {
    let mut nic = running_nic::<FastNic>();
    nic.write(DMCONTROL, Dmcontrol::default().with_dmactive(true)).unwrap();
    nic.write(DMCONTROL, Dmcontrol::default().with_dmactive(true).with_haltreq(true)).unwrap();
    assert_eq!(nic.read(DMCONTROL).unwrap(), Dmcontrol::default());
    assert_eq!(nic.read(DMSTATUS).unwrap(), Dmstatus::default(), "version 0: there is no debug module");
    echo(&mut nic, 41);
    nic.check_bus().unwrap();
}
