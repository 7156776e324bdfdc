//! Buffers and the NIC's cache of them: misses that are served, negative entries, and what clears
//! them (M-39 to M-45).

use host_model::address::Pid;
use host_model::driver::{DriverCounts, DriverError};
use host_model::events::{spans, subjects, EventKind, Subject};
use host_model::library::{Access, Export, Process};
use host_model::mock::Place;
use nic_layout::cbh::{cbh, cbh_id, valid, BUFFER_ID_MAX, STATE_INVALID, STATE_MASK, STATE_RESERVED};
use nic_layout::key::KeyWidth;
use nic_layout::registers::mailbox;
use nic_layout::ring::{COMMAND_FORGET_BUFFER, MAILBOX_ARGUMENT, MAILBOX_COMMAND};
use nic_layout::tables::{MissEntry, MISS_BUFFER, PERMIT_WRITE};

use crate::common::Bench;

/// A miss as an honest NIC reports it, in a way of the right set.
fn miss(bench: &Bench, cbh: u32, way: u32) -> MissEntry {
    let geometry = bench.nic.borrow().cbh_geometry;
    MissEntry { key: cbh, line: geometry.set_of(cbh) * geometry.ways + way, kind: MISS_BUFFER, cycles: 0 }
}

/// The NIC reserves and reports, and the driver has time to serve.
fn report(bench: &mut Bench, entry: MissEntry) {
    bench.nic.borrow_mut().reserve_buffer(entry.line, entry.key);
    bench.nic.borrow_mut().report_misses(&[entry]);
    bench.us(100);
}

fn counts(bench: &Bench) -> DriverCounts {
    bench.host.node().driver().counts()
}

/// Registers a page under an identifier.
fn export(bench: &mut Bench, process: &Process, id: u32) -> Result<Export, DriverError> {
    let process = process.clone();
    bench.run(move |_| async move {
        let start = process.alloc(4096).expect("room");
        process.export_under(id, start + 16, 100, Access::WRITE).await
    })
}

fn withdraw(bench: &mut Bench, process: &Process, export: Export) {
    let process = process.clone();
    bench.run(move |_| async move { process.withdraw(&export).await.expect("registered") });
}

/// The buffers that the driver has told the firmware to forget, in order.
fn forgotten(bench: &Bench) -> Vec<u32> {
    let writes = bench.writes();
    let is = |place: Place, index| place == Place::Register(mailbox::TO_NIC.at(index).offset().0);
    let told = writes.windows(2).filter(|pair| {
        is(pair[0].0, MAILBOX_ARGUMENT) && is(pair[1].0, MAILBOX_COMMAND) && pair[1].1 == COMMAND_FORGET_BUFFER
    });
    told.map(|pair| pair[0].1).collect()
}

#[test]
fn a_registration_alone_writes_nothing_to_the_nic() {
    let mut bench = Bench::ready();
    let process = bench.open();
    bench.forget_writes();
    let export = export(&mut bench, &process, 7).expect("free");
    assert_eq!(export.buffer, cbh(process.pid().0, 7));
    assert_eq!(bench.writes(), []);
}

#[test]
fn a_miss_of_a_registered_buffer_is_filled_in_one_burst_with_its_state_last() {
    let mut bench = Bench::ready();
    let process = bench.open();
    let export = export(&mut bench, &process, BUFFER_ID_MAX).expect("free");
    let entry = miss(&bench, export.buffer, 1);
    bench.forget_writes();
    report(&mut bench, entry);
    let nic = bench.nic.borrow();
    let [word, start, length, key_0, key_1, state] = nic.cbh_entry(entry.line);
    assert_eq!((word, start % 4096, length), (export.buffer, 16, 100));
    assert_eq!(([key_0, key_1, 0, 0], state), (export.key, valid(PERMIT_WRITE)));
    let at = nic.layout().cbh_cache + nic.cbh_geometry.entry_offset(entry.line);
    let fill: Vec<Place> =
        nic.writes.iter().map(|written| written.place).filter(|place| matches!(place, Place::Sram(_))).collect();
    assert_eq!(fill, [4, 8, 12, 16, 20].map(|offset| Place::Sram(at + offset)));
    drop(nic);
    assert_eq!((counts(&bench).buffer_fills, counts(&bench).denials), (1, 0));
    assert_eq!(bench.host.accounting().memory.pinned_now, 1, "the status page: a descriptor pins nothing");
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

#[test]
fn a_key_of_128_bits_is_there_before_its_state() {
    let mut bench = Bench::new();
    bench.nic.borrow_mut().cbh_geometry.key = KeyWidth::Bits128;
    bench.boot().expect("the mock NIC boots");
    let process = bench.open();
    let export = export(&mut bench, &process, 5).expect("free");
    assert!(export.key_width == KeyWidth::Bits128 && export.key.iter().all(|word| *word != 0), "{export:?}");
    let entry = miss(&bench, export.buffer, 1);
    bench.forget_writes();
    report(&mut bench, entry);
    let nic = bench.nic.borrow();
    let at = nic.layout().cbh_cache + nic.cbh_geometry.entry_offset(entry.line);
    assert_eq!([12, 16, 24, 28].map(|offset| nic.sram_word(at + offset)), export.key);
    let fill: Vec<Place> =
        nic.writes.iter().map(|written| written.place).filter(|place| matches!(place, Place::Sram(_))).collect();
    assert_eq!(fill, [24, 28, 4, 8, 12, 16, 20].map(|offset| Place::Sram(at + offset)));
}

#[test]
fn the_service_of_a_buffer_takes_a_look_at_the_table_and_no_pin() {
    let mut bench = Bench::ready();
    let process = bench.open();
    let export = export(&mut bench, &process, 3).expect("free");
    for (cbh, end) in [(export.buffer, EventKind::LineValid), (export.buffer + 1, EventKind::BufferDenied)] {
        let entry = miss(&bench, cbh, 0);
        report(&mut bench, entry);
        let events = bench.host.node().log().events();
        let is_it = |subject: &Subject| matches!(subject, Subject::Miss { key, .. } if *key == cbh);
        let kinds: Vec<EventKind> = spans(&events, subjects(&events, is_it)[0]).iter().map(|span| span.from).collect();
        assert!(kinds.contains(&EventKind::ServiceStart) && kinds.contains(&end), "{kinds:?}");
        assert!(!kinds.contains(&EventKind::PinStart), "{kinds:?}");
    }
}

#[test]
fn a_miss_of_no_buffer_or_no_process_leaves_a_negative_entry() {
    let mut bench = Bench::ready();
    let process = bench.open();
    let taken = export(&mut bench, &process, 3).expect("free");
    let others = [taken.buffer + 1, cbh(process.pid().0 + 1, 3), cbh(0, 0), u32::MAX];
    for (number, cbh) in others.into_iter().enumerate() {
        let entry = miss(&bench, cbh, 0);
        report(&mut bench, entry);
        assert_eq!(bench.nic.borrow().cbh_entry(entry.line)[5] & STATE_MASK, STATE_INVALID, "{cbh:#x}");
        assert_eq!(counts(&bench).denials, number as u64 + 1);
    }
    assert_eq!(counts(&bench).rejected_entries, 0);
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

/// M-45.
#[test]
fn a_registration_clears_the_negative_entry_of_its_identifier_and_no_other() {
    let mut bench = Bench::ready();
    let process = bench.open();
    let pid = process.pid().0;
    for id in [5, 6] {
        let entry = miss(&bench, cbh(pid, id), 0);
        report(&mut bench, entry);
    }
    bench.forget_writes();
    export(&mut bench, &process, 5).expect("free");
    assert_eq!(forgotten(&bench), [cbh(pid, 5)]);
    export(&mut bench, &process, 7).expect("free");
    assert_eq!(forgotten(&bench), [cbh(pid, 5)], "nobody has asked for this one");
}

/// M-44.
#[test]
fn a_withdrawn_buffer_is_forgotten_by_the_nic_and_its_identifier_has_a_new_key() {
    let mut bench = Bench::ready();
    let process = bench.open();
    let old = export(&mut bench, &process, 9).expect("free");
    bench.forget_writes();
    withdraw(&mut bench, &process, old);
    assert_eq!(forgotten(&bench), [old.buffer]);
    let (again, other) = (process.clone(), bench.open());
    bench.run(move |_| async move {
        let missing = Err(DriverError::NoSuchBuffer { buffer: old.buffer });
        assert_eq!(again.withdraw(&old).await, missing);
    });
    let new = export(&mut bench, &process, 9).expect("free again");
    assert_eq!(new.buffer, old.buffer);
    assert_ne!(new.key, old.key);
    bench.run(move |_| async move {
        assert!(other.withdraw(&new).await.is_err(), "the buffer of another process");
    });
}

/// A miss that was read before its entry was taken away fills nothing (INV-16, INV-19).
#[test]
fn a_miss_whose_entry_was_forgotten_is_stale() {
    let mut bench = Bench::ready();
    let process = bench.open();
    let export = export(&mut bench, &process, 9).expect("free");
    let entry = miss(&bench, export.buffer, 0);
    bench.nic.borrow_mut().reserve_buffer(entry.line, entry.key);
    bench.nic.borrow_mut().report_misses(&[entry]);
    // While the thread is waking up; the firmware obeys, and reserves the entry for another.
    let withdrawing = process.clone();
    let task = bench.host.spawn("withdraw", move |_| async move { withdrawing.withdraw(&export).await });
    bench.us(8);
    let other = cbh(process.pid().0, cbh_id(export.buffer) + 8);
    bench.nic.borrow_mut().reserve_buffer(entry.line, other);
    bench.us(200);
    assert_eq!(task.take(), Some(Ok(())));
    let counts = counts(&bench);
    assert_eq!((counts.misses, counts.stale, counts.buffer_fills, counts.denials), (1, 1, 0, 0));
    assert_eq!(bench.nic.borrow().cbh_entry(entry.line)[5], STATE_RESERVED, "as the firmware left it");
}

#[test]
fn a_process_that_ends_takes_its_buffers_from_the_nic() {
    let mut bench = Bench::ready();
    let (process, other) = (bench.open(), bench.open());
    let mine = export(&mut bench, &process, 1).expect("free");
    let theirs = export(&mut bench, &other, 2).expect("free");
    for cbh in [mine.buffer, theirs.buffer, cbh(process.pid().0, 3)] {
        let entry = miss(&bench, cbh, 0);
        report(&mut bench, entry);
    }
    bench.forget_writes();
    let (pid, closing) = (process.pid(), process.clone());
    bench.run(move |_| async move { closing.close().await.expect("open") });
    assert_eq!(forgotten(&bench), [mine.buffer, cbh(pid.0, 3)]);
    let driver = bench.host.node().driver();
    let buffers = driver.rdma().expect("buffers");
    assert_eq!((buffers.buffers(pid), buffers.buffers(Pid(other.pid().0))), (0, 1));
    // What is asked for later is denied.
    let late = miss(&bench, mine.buffer, 1);
    report(&mut bench, late);
    assert_eq!(bench.nic.borrow().cbh_entry(late.line)[5] & STATE_MASK, STATE_INVALID);
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}
