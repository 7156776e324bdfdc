//! Aborts and parity errors in both directions: reported, and survived (INV-4, INV-6).

use bench_pci::{Bench, DmaStatus, Setup, BAR1};
use host_pci::{BusError, Incident, ReadKind, Settings, TargetActs, Transaction, Word};

const RECEIVED_MASTER_ABORT: u32 = 1 << 29;
const RECEIVED_TARGET_ABORT: u32 = 1 << 28;
const MASTER_DATA_PARITY: u32 = 1 << 24;
const DETECTED_PARITY: u32 = 1 << 31;
const SIGNALLED_SYSTEM_ERROR: u32 = 1 << 30;
const ERRORS: u32 = 0xF100_0000;

/// An address that no target claims.
const NOWHERE: u32 = 0x4000_0000;

fn bench() -> Bench {
    Bench::new(Setup::default()).unwrap()
}

fn errors(bench: &mut Bench) -> u32 {
    bench.config_read(0x04).unwrap() & ERRORS
}

/// Both engines still work, and the status register can be cleared.
fn still_usable(bench: &mut Bench) {
    let bytes: Vec<u8> = (0..200).collect();
    assert_eq!(bench.dma_write(0x3001, &bytes).unwrap(), DmaStatus::Ok);
    let read = bench.dma_read(0x3001, 200).unwrap();
    assert_eq!((read.status, read.bytes), (DmaStatus::Ok, bytes));
    let status = bench.config_read(0x04).unwrap();
    bench.config_write(0x04, status).unwrap();
    assert_eq!(errors(bench), 0, "writing ones clears");
    bench.settle().unwrap();
    bench.judge().unwrap();
}

#[test]
fn an_address_without_a_target_is_a_master_abort() {
    for bus_64_bit in [false, true] {
        for len in [1u16, 4, 8, 64, 1500] {
            let settings = Settings { bus_64_bit, ..Settings::default() };
            let mut bench = Bench::new(Setup { settings, ..Setup::default() }).unwrap();
            assert_eq!(bench.dma_read(NOWHERE, len).unwrap().status, DmaStatus::MasterAbort);
            assert_eq!(errors(&mut bench), RECEIVED_MASTER_ABORT);
            assert_eq!(bench.dma_write(NOWHERE + 5, &vec![7; len as usize]).unwrap(), DmaStatus::MasterAbort);
            assert_eq!(bench.core.counts.master_aborts, 2);
            still_usable(&mut bench);
        }
    }
}

#[test]
fn a_target_abort_at_any_beat_ends_the_command() {
    for bus_64_bit in [false, true] {
        let settings = Settings { bus_64_bit, ..Settings::default() };
        let mut bench = Bench::new(Setup { settings, ..Setup::default() }).unwrap();
        for beat in 0..12 {
            let acts = TargetActs { abort_at_beat: Some(beat), ..TargetActs::default() };
            bench.bus.misbehaviour().plan(acts);
            let read = bench.dma_read(0x1004, 120).unwrap();
            assert_eq!(read.status, DmaStatus::TargetAbort, "beat {beat}");
            bench.bus.misbehaviour().plan(acts);
            assert_eq!(bench.dma_write(0x1004, &[1; 120]).unwrap(), DmaStatus::TargetAbort, "beat {beat}");
            assert_eq!(errors(&mut bench), RECEIVED_TARGET_ABORT);
            assert_eq!(bench.core.counts.target_aborts, 2 * u64::from(beat + 1));
            still_usable(&mut bench);
        }
    }
}

#[test]
fn a_fault_of_host_memory_is_a_target_abort() {
    let mut bench = bench();
    bench.memory.poison(0x2000..0x3000);
    assert_eq!(bench.dma_write(0x1F80, &[1; 256]).unwrap(), DmaStatus::TargetAbort);
    assert_eq!(&bench.memory.bytes()[0x1F80..0x2000], [1; 128]);
    still_usable(&mut bench);
}

#[test]
fn bad_parity_of_a_dma_read_is_reported_on_perr() {
    for bus_64_bit in [false, true] {
        let settings = Settings { bus_64_bit, ..Settings::default() };
        let mut bench = Bench::new(Setup { settings, ..Setup::default() }).unwrap();
        for beat in 0..10 {
            bench.bus.misbehaviour().plan(TargetActs { bad_parity_at_beat: Some(beat), ..TargetActs::default() });
            let read = bench.dma_read(0x1000, 80).unwrap();
            assert_eq!(read.status, DmaStatus::ParityError, "beat {beat}");
            assert_eq!(errors(&mut bench), DETECTED_PARITY | MASTER_DATA_PARITY);
            assert_eq!(bench.core.counts.parity_errors, u64::from(beat + 1));
            still_usable(&mut bench);
        }
    }
}

#[test]
fn bad_parity_of_the_last_beat_is_not_missed() {
    let mut bench = bench();
    bench.bus.misbehaviour().plan(TargetActs { bad_parity_at_beat: Some(0), ..TargetActs::default() });
    assert_eq!(bench.dma_read(0x1001, 2).unwrap().status, DmaStatus::ParityError);
    still_usable(&mut bench);
}

#[test]
fn without_parity_response_bad_parity_is_only_remembered() {
    let mut bench = Bench::new(Setup { command: 0x0006, ..Setup::default() }).unwrap();
    bench.bus.misbehaviour().plan(TargetActs { bad_parity_at_beat: Some(1), ..TargetActs::default() });
    assert_eq!(bench.dma_read(0x1000, 80).unwrap().status, DmaStatus::Ok);
    assert_eq!(errors(&mut bench), DETECTED_PARITY);
    bench.bus.master_habits().bad_parity_at_word = Some(0);
    bench.write_words(BAR1, &[Word::full(5)]).unwrap();
    bench.settle().unwrap();
    assert_eq!(bench.core.counts.parity_errors, 2);
    assert_eq!(bench.read_dwords(BAR1, 1, ReadKind::Plain).unwrap(), [5]);
}

#[test]
fn bad_parity_of_a_host_write_is_reported_on_perr() {
    let settings = Settings { posted_write_lines: 0, ..Settings::default() };
    let mut bench = Bench::new(Setup { settings, ..Setup::default() }).unwrap();
    for word in 0..4 {
        bench.bus.master_habits().bad_parity_at_word = Some(word);
        let answer = bench.cpu(Transaction::write_dwords(host_pci::BusAddr(BAR1), &[1, 2, 3, 4])).unwrap();
        bench.bus.master_habits().bad_parity_at_word = None;
        assert_eq!(answer, Err(BusError::Parity), "word {word}");
        assert_eq!(errors(&mut bench), DETECTED_PARITY);
        still_usable(&mut bench);
    }
    assert_eq!(bench.core.counts.parity_errors, 4);
}

#[test]
fn bad_parity_of_an_address_is_a_system_error_and_is_not_claimed() {
    let mut bench = bench();
    bench.bus.master_habits().bad_address_parity = true;
    let answer = bench.cpu(Transaction::read_dword(host_pci::BusAddr(BAR1))).unwrap();
    bench.bus.master_habits().bad_address_parity = false;
    assert_eq!(answer, Err(BusError::MasterAbort));
    assert!(bench.bus.take_incidents().iter().any(|incident| matches!(incident, Incident::SystemError { .. })));
    assert_eq!(errors(&mut bench), DETECTED_PARITY | SIGNALLED_SYSTEM_ERROR);
    still_usable(&mut bench);
}

#[test]
fn without_serr_enable_a_bad_address_is_only_refused() {
    let mut bench = Bench::new(Setup { command: 0x0046, ..Setup::default() }).unwrap();
    bench.bus.master_habits().bad_address_parity = true;
    let answer = bench.cpu(Transaction::read_dword(host_pci::BusAddr(BAR1))).unwrap();
    bench.bus.master_habits().bad_address_parity = false;
    assert_eq!(answer, Err(BusError::MasterAbort));
    assert_eq!(bench.bus.take_incidents(), []);
    assert_eq!(errors(&mut bench), DETECTED_PARITY);
}

#[test]
fn perr_against_a_dma_write_ends_it() {
    for len in [1usize, 8, 100, 1000] {
        for flipped_clock in 0..6 {
            let mut bench = bench();
            bench.core.start_write(0x1000, &vec![0x5A; len]);
            let mut first_data = None;
            // Spoils PAR of one data phase, as the target sees it.
            let status = bench
                .until("done", |bench| {
                    let drive = bench.drive();
                    let irdy =
                        drive.enables.get(sim_pins::PciPin::Irdy) && !drive.levels.control.get(sim_pins::PciPin::Irdy);
                    if irdy && first_data.is_none() {
                        first_data = Some(bench.pci_clocks);
                    }
                    bench.flip_par = first_data.is_some_and(|first| bench.pci_clocks == first + 3 + flipped_clock);
                    bench.core.take_write()
                })
                .unwrap();
            bench.flip_par = false;
            let spoilt =
                bench.bus.take_incidents().iter().any(|incident| matches!(incident, Incident::BadWriteParity { .. }));
            assert_eq!(status, if spoilt { DmaStatus::ParityError } else { DmaStatus::Ok }, "{len} {flipped_clock}");
            assert_eq!(errors(&mut bench), if spoilt { MASTER_DATA_PARITY } else { 0 });
            bench.bus.take_violations(); // PAR was wrong on purpose
            still_usable(&mut bench);
            if len == 1000 {
                assert!(spoilt, "the flip hits a data phase");
            }
        }
    }
}

#[test]
fn without_bus_master_enable_commands_end_as_disabled() {
    let mut bench = bench();
    bench.config_write(0x04, 0x0142).unwrap();
    assert_eq!(bench.dma_read(0x1000, 100).unwrap().status, DmaStatus::Disabled);
    assert_eq!(bench.dma_write(0x1000, &[1; 1000]).unwrap(), DmaStatus::Disabled);
    assert_eq!(bench.core.counts.master_transactions, 0);
    bench.config_write(0x04, 0x0146).unwrap();
    still_usable(&mut bench);
}

#[test]
fn switching_bus_mastering_off_in_mid_command_ends_it() {
    let mut bench = bench();
    bench.core.start_read(0x1000, 60_000);
    bench.core.start_write(0x2_0000, &[9; 60_000]);
    bench.run_pci_clocks(300).unwrap();
    bench.config_write(0x04, 0x0142).unwrap();
    let read = bench.until("read", |bench| bench.core.take_read()).unwrap();
    let write = bench.until("write", |bench| bench.core.take_write()).unwrap();
    assert_eq!((read.status, write), (DmaStatus::Disabled, DmaStatus::Disabled));
    bench.config_write(0x04, 0x0146).unwrap();
    still_usable(&mut bench);
}

#[test]
fn the_nic_does_not_answer_itself() {
    let mut bench = bench();
    assert_eq!(bench.dma_read(BAR1, 64).unwrap().status, DmaStatus::MasterAbort);
    assert_eq!(bench.dma_write(BAR1, &[1; 64]).unwrap(), DmaStatus::MasterAbort);
    still_usable(&mut bench);
}
