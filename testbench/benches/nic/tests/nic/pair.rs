//! The NIC with two cores at its pins, watched by the checkers of the bus and of the design.

use bench_nic::assembler::*;
use bench_nic::models::{WatchedNic, WatchedPair};
use bench_nic::nic::{Nic, NicError, NicPins};
use host_pci::Settings;
use nic_layout::boot::FIRMWARE_ADDRESS;
use nic_layout::registers::{event_a, event_b, ident, semaphore, sram, timer_b, Offset};
use nic_layout::CORE_SRAM_BASE;

const PROGRAM_B: u32 = 0x2000;
const EVENT: i32 = 1 << 7;

fn run<M: NicPins>(body: impl FnOnce(&mut Nic<M>) -> Result<(), NicError>) {
    let mut nic = Nic::<M>::new(Settings::default(), 1).unwrap();
    nic.configure().unwrap();
    body(&mut nic).unwrap();
    nic.check_bus().unwrap();
}

fn start<M: NicPins>(nic: &mut Nic<M>, a: &[u32], b: &[u32]) -> Result<(), NicError> {
    nic.sram_write(FIRMWARE_ADDRESS, a)?;
    nic.sram_write(PROGRAM_B, b)?;
    nic.write(ident::BOOT_ADDRESS_B, CORE_SRAM_BASE + PROGRAM_B)?;
    nic.write(ident::CORE_CONTROL, ident::CoreControl::default().with_run_a(true).with_run_b(true))
}

fn at(offset: Offset) -> i32 {
    offset.0 as i32
}

/// Waits for its own event, writes the number of its events to the trace port, and sets the event
/// of the other core. The core with `first` begins.
fn ball(first: bool) -> Vec<u32> {
    let mut program = vec![
        lui(S0, 0x40000),
        addi(T0, ZERO, 1),
        slli(T0, T0, 11),
        csrw(CSR_MIE, T0),
        addi(S1, ZERO, EVENT),
        addi(T2, ZERO, 0),
        sw(S1, at(event_a::ENABLE.offset()), S0),
    ];
    if first {
        program.push(sw(S1, at(event_b::SET.offset()), S0));
    }
    program.extend([
        WFI,
        lw(T1, at(event_a::PENDING.offset()), S0),
        bne(T1, S1, -8),
        sw(S1, at(event_a::CLEAR.offset()), S0),
        addi(T2, T2, 1),
        csrw(CSR_TRACE, T2),
        sw(S1, at(event_b::SET.offset()), S0),
        j(-28),
    ]);
    program
}

#[test]
fn two_cores_play_ball_with_events() {
    run::<WatchedPair>(|nic| {
        start(nic, &ball(true), &ball(false))?;
        nic.until("a hundred turns", |nic| (nic.trace.len() >= 100).then_some(()))?;
        assert_eq!(nic.trace[..100], nic.trace_b[..100]);
        assert_eq!(nic.trace[..100], (1..=100).collect::<Vec<u32>>());
        Ok(())
    });
}

#[test]
fn each_core_is_started_and_stopped_alone() {
    run::<WatchedPair>(|nic| {
        let says = |value| vec![addi(T0, ZERO, value), csrw(CSR_TRACE, T0), j(0)];
        start(nic, &says(1), &says(2))?;
        nic.run_core_cycles(400)?;
        assert_eq!((nic.trace.as_slice(), nic.trace_b.as_slice()), (&[1][..], &[2][..]));
        nic.write(ident::CORE_CONTROL, ident::CoreControl::default().with_run_a(true))?;
        nic.run_core_cycles(400)?;
        nic.write(ident::CORE_CONTROL, ident::CoreControl::default().with_run_a(true).with_run_b(true))?;
        nic.run_core_cycles(400)?;
        assert_eq!((nic.trace.as_slice(), nic.trace_b.as_slice()), (&[1][..], &[2, 2][..]));
        // Both cores have fetched through their own ports.
        assert!(nic.read(sram::GRANTS.at(5))? >= 4 && nic.read(sram::GRANTS.at(8))? >= 8);
        Ok(())
    });
}

#[test]
fn core_b_has_its_number_and_eight_kilobytes_of_scratchpad() {
    run::<WatchedPair>(|nic| {
        let capabilities = nic.read(ident::CAPABILITIES)?;
        assert_eq!((capabilities.cores(), capabilities.scratchpad_kib(), capabilities.scratchpad_b_kib()), (2, 16, 8));
        // `mhartid`, then a word at the end of the smaller scratchpad, then a word behind it: a
        // trap to address 0 of `mtvec`.
        const CSRR_T0_MHARTID: u32 = 0xF140_22F3;
        let program = vec![
            CSRR_T0_MHARTID,
            csrw(CSR_TRACE, T0),
            lui(S1, 0x20002),
            sw(S1, -4, S1),
            lw(T1, -4, S1),
            csrw(CSR_TRACE, T1),
            lw(T1, 0, S1),
            addi(T1, ZERO, 5),
            csrw(CSR_TRACE, T1),
            j(0),
        ];
        start(nic, &program, &program)?;
        nic.run_core_cycles(600)?;
        assert_eq!(nic.trace_b, [1, 0x2000_2000], "behind its end is nothing");
        assert_eq!(nic.trace, [0, 0x2000_2000, 5]);
        Ok(())
    });
}

/// A core that is reset while it owns the semaphore would leave the other one waiting for ever.
#[test]
fn a_core_that_is_reset_gives_the_semaphore_back() {
    run::<WatchedPair>(|nic| {
        let mine = at(semaphore::CORE_A.offset());
        let take = |pause: usize| {
            let mut program = vec![lui(S0, 0x40000)];
            program.extend(vec![addi(ZERO, ZERO, 0); pause]);
            program.extend([sw(ZERO, mine, S0), lw(T1, mine, S0), bne(T1, ZERO, 8), j(-8), csrw(CSR_TRACE, T1), j(0)]);
            program
        };
        start(nic, &take(100), &take(0))?;
        nic.run_core_cycles(2000)?;
        assert_eq!((&nic.trace[..], &nic.trace_b[..]), (&[][..], &[1][..]), "core B owns it, core A waits");
        nic.write(ident::CORE_CONTROL, ident::CoreControl::default().with_run_a(true))?;
        nic.run_core_cycles(400)?;
        assert_eq!(nic.trace, [1], "core A owns it");
        nic.write(ident::CORE_CONTROL, ident::CoreControl::default())?;
        assert!(!nic.read(semaphore::CORE_A)?.owned() && !nic.read(semaphore::CORE_B)?.owned());
        Ok(())
    });
}

#[test]
fn a_nic_with_one_core_has_nothing_of_core_b() {
    run::<WatchedNic>(|nic| {
        let capabilities = nic.read(ident::CAPABILITIES)?;
        assert_eq!((capabilities.cores(), capabilities.scratchpad_b_kib()), (1, 0));
        start(nic, &[j(0)], &[addi(T0, ZERO, 1), csrw(CSR_TRACE, T0), j(0)])?;
        nic.run_core_cycles(400)?;
        assert_eq!(nic.read(ident::CORE_CONTROL)?, ident::CoreControl::default().with_run_a(true));
        assert_eq!(nic.read(ident::BOOT_ADDRESS_B)?, 0);
        nic.write(event_b::ENABLE, u32::MAX)?;
        nic.write(event_b::SET, u32::MAX)?;
        nic.write(timer_b::COMPARE.at(0), 1)?;
        assert_eq!((nic.read(event_b::PENDING)?, nic.read(event_b::ENABLE)?), (0, 0));
        assert_eq!((nic.read(timer_b::ARM)?, nic.read(timer_b::COUNT)?), (0, 0));
        assert_eq!((nic.read(sram::GRANTS.at(7))?, nic.read(sram::WAITS.at(8))?), (0, 0));
        assert_eq!(nic.read(ident::HOST_REFUSED)?, 0, "they exist in the map");
        assert!(nic.trace_b.is_empty());
        assert!(!nic.read(semaphore::CORE_A)?.owned());
        Ok(())
    });
}
