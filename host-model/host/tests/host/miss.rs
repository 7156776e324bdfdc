//! Serving misses: the right words in the right order, the spans, and a NIC that lies.

use std::collections::BTreeSet;
use std::ops::Range;

use host_model::address::{Pid, UserVirt, VirtPage};
use host_model::driver::mini::Mini;
use host_model::driver::{DriverCounts, DriverError, DriverOptions, DriverPlant, MissService, WaterMarks};
use host_model::events::{spans, subjects, EventKind, Subject};
use host_model::library::Process;
use host_model::mock::Place;
use host_model::platform::Platform;
use nic_layout::cbh::{entry, entry_bytes};
use nic_layout::key::KeyWidth;
use nic_layout::registers::mailbox;
use nic_layout::ring::{COMMAND_INVALIDATE, MAILBOX_FILLED};
use nic_layout::tables::MissEntry;
use nic_layout::vmh::{key, KEY_EMPTY, KEY_RESERVED, KEY_VALID, NO_TRANSLATION};
use proptest::prelude::*;
use sim_pins::Ps;

use crate::common::{options, platform, Bench};

/// A miss as an honest NIC reports it: the first way of the right set.
fn miss(bench: &Bench, pid: Pid, address: UserVirt) -> MissEntry {
    let nic = bench.nic.borrow();
    let page = nic.geometry.line_page(address.page().0);
    let line = nic.geometry.set_of(page) * nic.geometry.ways;
    MissEntry { key: key(pid.0, page, KEY_RESERVED), line, kind: 1, cycles: 0 }
}

/// Reports a miss, with its line reserved, and waits until it is served.
fn report(bench: &mut Bench, entry: MissEntry) {
    let layout = bench.nic.borrow().layout();
    let place = layout.vmh_cache + bench.nic.borrow().geometry.key_offset(entry.line);
    bench.nic.borrow_mut().set_sram_word(place, entry.key);
    bench.nic.borrow_mut().report_misses(&[entry]);
    bench.us(200);
}

fn counts(bench: &Bench) -> DriverCounts {
    bench.host.node().driver().counts()
}

fn process_with_pages(bench: &mut Bench, pages: u32) -> (Process, UserVirt) {
    let process = bench.open();
    let start = process.alloc(pages * 4096).expect("room");
    (process, start)
}

#[test]
fn a_miss_fills_the_whole_line_and_marks_it_valid_last() {
    let mut bench = Bench::ready();
    let (process, start) = process_with_pages(&mut bench, 16);
    let entry = miss(&bench, process.pid(), start + 3 * 4096);
    bench.forget_writes();
    report(&mut bench, entry);

    let nic = bench.nic.borrow();
    let (cache, geometry) = (nic.layout().vmh_cache, nic.geometry);
    let first = geometry.line_page(start.page().0);
    let mut expected: Vec<(Place, u32)> = (0..geometry.line_entries)
        .map(|index| {
            let memory = bench.host.node().memory();
            let target = memory.borrow_mut().touch(process.pid(), VirtPage(first + index)).expect("mapped");
            assert!(memory.borrow().is_pinned(target));
            (Place::Sram(cache + geometry.entry_offset(entry.line, index)), target.0)
        })
        .collect();
    let valid = key(process.pid().0, first, KEY_VALID);
    expected.push((Place::Sram(cache + geometry.key_offset(entry.line)), valid));
    expected.push((Place::Register(mailbox::TO_NIC.at(MAILBOX_FILLED).offset().0), 1));
    let fill: Vec<(Place, u32)> = bench.writes().into_iter().skip(1).collect();
    assert_eq!(fill, expected, "behind the write that clears the interrupt cause: entries, key, index");
    let bursts: BTreeSet<u64> = nic.writes[1..9].iter().map(|written| written.burst).collect();
    assert!(bursts.len() <= 2, "32 bytes leave in write-combined bursts: {bursts:?}");
    drop(nic);
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

#[test]
fn the_spans_of_a_miss_are_the_constants_of_the_platform_and_add_up() {
    let as_it_is = platform();
    check_spans(as_it_is.clone());
    // Other constants, no two alike: each span follows its own.
    let mut other = as_it_is;
    other.host.interrupt_delay_ns = 7_000;
    other.host.irq_to_thread_ns = 21_000;
    other.host.miss_service_ns = 12_300;
    other.host.pin_call_ns = 1_900;
    other.host.pin_page_ns = 450;
    check_spans(other);
}

/// A miss of a line of eight pages whose pages are not pinned, on a host with these constants.
fn check_spans(platform: Platform) {
    let ns = platform.host;
    let mut bench = Bench::with(platform, options());
    bench.boot().expect("the mock NIC boots");
    let (process, start) = process_with_pages(&mut bench, 8);
    let entry = miss(&bench, process.pid(), start);
    report(&mut bench, entry);
    let events = bench.host.node().log().events();
    let [subject] = subjects(&events, |subject| matches!(subject, Subject::Miss { .. }))[..] else {
        panic!("one miss");
    };
    let spans = spans(&events, subject);
    let kinds: Vec<EventKind> = spans.iter().map(|span| span.from).collect();
    use EventKind::*;
    assert_eq!(
        kinds,
        [
            InterruptAsserted,
            HandlerStart,
            MissRead,
            ThreadStart,
            ServiceStart,
            PinStart,
            PinEnd,
            FillStart,
            FillIssued,
            LineValid,
        ]
    );
    let length = |from| spans.iter().find(|span| span.from == from).expect("there").length;
    assert_eq!(length(InterruptAsserted), Ps::from_ns(ns.interrupt_delay_ns), "interrupt delay");
    assert_eq!(length(MissRead), Ps::from_ns(ns.irq_to_thread_ns), "until the thread runs");
    assert_eq!(length(ServiceStart), Ps::from_ns(ns.miss_service_ns), "miss service");
    assert_eq!(length(PinStart), Ps::from_ns(ns.pin_call_ns + 8 * ns.pin_page_ns), "one call, eight pages");
    assert!(length(HandlerStart) > Ps::from_ns(ns.interrupt_handler_ns), "the handler and its loads");
    let sum: u64 = spans.iter().map(|span| span.length.0).sum();
    let own: Vec<Ps> = events.iter().filter(|event| event.subject == subject).map(|event| event.at).collect();
    let whole = *own.iter().max().expect("some") - *own.iter().min().expect("some");
    assert_eq!(Ps(sum), whole);
}

#[test]
fn a_second_miss_on_pinned_pages_is_a_table_hit_and_pins_nothing() {
    let mut bench = Bench::ready();
    let (process, start) = process_with_pages(&mut bench, 8);
    let entry = miss(&bench, process.pid(), start);
    report(&mut bench, entry);
    let before = bench.host.accounting().memory;
    report(&mut bench, entry);
    assert_eq!(bench.host.accounting().memory, before);
    let counts = counts(&bench);
    assert_eq!((counts.misses, counts.fills, counts.table_hits), (2, 2, 1));
}

fn with_service_in_interrupts() -> Bench {
    let mut bench = Bench::with(platform(), DriverOptions { miss_service: MissService::Interrupt, ..options() });
    bench.boot().expect("the mock NIC boots");
    bench
}

/// Misses in the order in which the driver read them, and whether each was served by the thread.
fn by_thread(bench: &Bench) -> Vec<bool> {
    let events = bench.host.node().log().events();
    let misses = subjects(&events, |subject| matches!(subject, Subject::Miss { .. }));
    let has = |subject, kind| events.iter().any(|event| event.subject == subject && event.kind == kind);
    misses
        .into_iter()
        .map(|subject| {
            assert!(has(subject, EventKind::ServedWritten), "{subject:?}");
            has(subject, EventKind::ThreadStart)
        })
        .collect()
}

#[test]
fn the_handler_serves_what_needs_no_pin() {
    let mut bench = with_service_in_interrupts();
    let (process, start) = process_with_pages(&mut bench, 8);
    let entry = miss(&bench, process.pid(), start);
    report(&mut bench, entry);
    bench.forget_writes();
    report(&mut bench, entry);
    assert_eq!(by_thread(&bench), [true, false]);
    let counts = counts(&bench);
    assert_eq!((counts.fills, counts.table_hits, counts.served_in_interrupt), (2, 1, 1));
    // The same words in the same order as from the thread.
    let filled = bench.writes();
    let mut other = Bench::ready();
    let (process, start) = process_with_pages(&mut other, 8);
    let entry = miss(&other, process.pid(), start);
    report(&mut other, entry);
    other.forget_writes();
    report(&mut other, entry);
    assert_eq!(filled, other.writes());
}

#[test]
fn what_the_handler_cannot_serve_keeps_its_turn_before_what_it_could() {
    let mut bench = with_service_in_interrupts();
    let (process, start) = process_with_pages(&mut bench, 256);
    let pinned = miss(&bench, process.pid(), start);
    report(&mut bench, pinned);
    let fresh = miss(&bench, process.pid(), start + 64 * 4096);
    let place = |entry: MissEntry, bench: &Bench| {
        let nic = bench.nic.borrow();
        nic.layout().vmh_cache + nic.geometry.key_offset(entry.line)
    };
    for entry in [fresh, pinned] {
        let at = place(entry, &bench);
        bench.nic.borrow_mut().set_sram_word(at, entry.key);
    }
    bench.nic.borrow_mut().report_misses(&[fresh, pinned]);
    bench.us(400);
    let mailbox = Place::Register(mailbox::TO_NIC.at(MAILBOX_FILLED).offset().0);
    let served: Vec<u32> =
        bench.writes().into_iter().filter(|(at, _)| *at == mailbox).map(|(_, index)| index).collect();
    assert_eq!(served, [1, 2, 3]);
    assert_eq!(counts(&bench).served_in_interrupt, 0);
}

#[test]
fn holes_and_pages_that_cannot_be_pinned_are_filled_as_no_translation() {
    let mut few = platform();
    few.host.pinned_pages_max = 3;
    let mut bench = Bench::with(few, options());
    bench.boot().expect("boots");
    let process = bench.open();
    // Far below the heap: three pages in a line of eight, and room for two pins beside the status
    // page.
    for page in [0x100, 0x101, 0x103] {
        let memory = bench.host.node().memory();
        memory.borrow_mut().add_page(process.pid(), VirtPage(page)).expect("open");
    }
    let entry = miss(&bench, process.pid(), UserVirt(0x100_000));
    report(&mut bench, entry);
    let nic = bench.nic.borrow();
    let word = |index| nic.vmh_word(nic.geometry.entry_offset(entry.line, index));
    let holes: Vec<u32> = (0..8).filter(|index| word(*index) == NO_TRANSLATION).collect();
    assert_eq!(holes, [2, 3, 4, 5, 6, 7]);
    drop(nic);
    assert_eq!(counts(&bench).pin_failures, 1);
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

#[test]
fn several_misses_in_one_interrupt_are_served_in_ring_order_with_one_thread_start() {
    let mut bench = Bench::ready();
    let (process, start) = process_with_pages(&mut bench, 64);
    let entries: Vec<MissEntry> = (0..4).map(|n| miss(&bench, process.pid(), start + n * 8 * 4096)).collect();
    bench.nic.borrow_mut().report_misses(&entries);
    bench.us(400);
    let counts = counts(&bench);
    assert_eq!((counts.interrupts, counts.misses, counts.fills), (1, 4, 4));
    let served = Place::Register(mailbox::TO_NIC.at(MAILBOX_FILLED).offset().0);
    let served: Vec<u32> =
        bench.writes().iter().filter(|(place, _)| *place == served).map(|(_, value)| *value).collect();
    assert_eq!(served, [1, 2, 3, 4]);
    let events = bench.host.node().log().events();
    let starts = events.iter().filter(|event| event.kind == EventKind::ThreadStart).count();
    assert_eq!(starts, 1);
}

#[test]
fn the_ring_wraps() {
    let mut bench = Bench::ready();
    let (process, start) = process_with_pages(&mut bench, 8);
    let entry = miss(&bench, process.pid(), start);
    for _ in 0..70 {
        bench.nic.borrow_mut().report_misses(&[entry]);
        bench.us(60);
    }
    bench.us(200);
    assert_eq!(counts(&bench).fills, 70);
    assert_eq!(bench.host.node().driver().misses_outstanding(), 0);
}

#[test]
fn a_miss_of_a_process_that_has_ended_is_released() {
    let mut bench = Bench::ready();
    let (process, start) = process_with_pages(&mut bench, 8);
    let entry = miss(&bench, process.pid(), start);
    bench.run(|_| async move { process.close().await.expect("open") });
    report(&mut bench, entry);
    let nic = bench.nic.borrow();
    assert_eq!(nic.vmh_word(nic.geometry.key_offset(entry.line)), KEY_EMPTY);
    drop(nic);
    let counts = counts(&bench);
    assert_eq!((counts.misses, counts.releases, counts.fills), (1, 1, 0));
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

#[test]
fn closing_a_process_takes_its_lines_from_the_nic_before_it_unpins() {
    let mut bench = Bench::ready();
    let (process, start) = process_with_pages(&mut bench, 8);
    let entry = miss(&bench, process.pid(), start);
    report(&mut bench, entry);
    assert_eq!(bench.host.accounting().memory.pinned_now, 9);
    bench.forget_writes();
    bench.run(|_| async move { process.close().await.expect("open") });
    let invalidate = (entry.key & !7) | COMMAND_INVALIDATE;
    assert!(bench.writes().iter().any(|(_, value)| *value == invalidate));
    assert_eq!(bench.host.accounting().memory.pinned_now, 0);
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

#[test]
fn an_entry_whose_line_was_taken_by_an_invalidation_is_stale() {
    let mut bench = Bench::ready();
    let (process, start) = process_with_pages(&mut bench, 8);
    let entry = miss(&bench, process.pid(), start);
    let place = bench.nic.borrow().layout().vmh_cache + bench.nic.borrow().geometry.key_offset(entry.line);
    bench.nic.borrow_mut().set_sram_word(place, entry.key);
    bench.nic.borrow_mut().report_misses(&[entry]);
    let nic = bench.nic.clone();
    bench.run(|node| async move {
        let cpu = process.cpu().clone();
        // The firmware frees the line when it obeys, and reserves it for another page at once.
        nic.borrow_mut().set_sram_word(place, key(9, 0x40, KEY_RESERVED));
        node.driver()
            .service::<Mini>()
            .expect("caches")
            .invalidate(&cpu, process.pid(), start)
            .await
            .expect("answered");
    });
    bench.us(200);
    let counts = counts(&bench);
    assert_eq!((counts.misses, counts.fills, counts.stale), (1, 0, 1));
    assert_eq!(bench.nic.borrow().sram_word(place), key(9, 0x40, KEY_RESERVED), "untouched");
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

/// A line is invalidated while it is reserved, and reserved again for the same page before the
/// first miss is served. `second_us` after the invalidation the NIC tells of that. Gives when the
/// line was filled, and the counts.
fn reserved_again(second_us: Option<u64>) -> (u64, DriverCounts) {
    let mut bench = Bench::ready();
    let (process, start) = process_with_pages(&mut bench, 8);
    let entry = miss(&bench, process.pid(), start);
    let place = bench.nic.borrow().layout().vmh_cache + bench.nic.borrow().geometry.key_offset(entry.line);
    bench.nic.borrow_mut().set_sram_word(place, entry.key);
    bench.nic.borrow_mut().report_misses(&[entry]);
    bench.run(|node| async move {
        let cpu = process.cpu().clone();
        node.driver()
            .service::<Mini>()
            .expect("caches")
            .invalidate(&cpu, process.pid(), start)
            .await
            .expect("answered");
    });
    let mut filled_us = None;
    for us in 0..400 {
        if second_us == Some(us) {
            bench.nic.borrow_mut().report_misses(&[entry]);
        }
        bench.us(1);
        if bench.nic.borrow().sram_word(place) != entry.key {
            filled_us = filled_us.or(Some(us));
        }
    }
    assert_eq!(bench.host.faults(), Vec::<String>::new());
    (filled_us.expect("served"), counts(&bench))
}

#[test]
fn a_line_that_is_reserved_again_for_the_same_page_is_filled_once() {
    let (filled_us, counts) = reserved_again(None);
    assert_eq!((counts.misses, counts.fills, counts.stale), (1, 1, 0));
    // The handler reads the second entry 10 us later: when the first is served and forgotten.
    let (_, counts) = reserved_again(Some(filled_us - 4));
    assert_eq!((counts.misses, counts.fills, counts.stale), (2, 1, 1));
}

#[test]
fn an_invalidated_line_misses_again_and_hits_the_hosts_table() {
    let mut bench = Bench::ready();
    let (process, start) = process_with_pages(&mut bench, 8);
    let entry = miss(&bench, process.pid(), start);
    report(&mut bench, entry);
    let forced = process.clone();
    bench.run(|node| async move {
        let cpu = forced.cpu().clone();
        node.driver().service::<Mini>().expect("caches").invalidate(&cpu, forced.pid(), start).await.expect("answered");
    });
    bench.forget_writes();
    report(&mut bench, entry);
    let counts = counts(&bench);
    assert_eq!((counts.fills, counts.table_hits, counts.stale), (2, 1, 0));
}

#[test]
fn replacement_keeps_to_the_water_marks() {
    let mut small = platform();
    small.host.pinned_pages_high = 32;
    small.host.pinned_pages_low = 16;
    let mut bench = Bench::with(small, options());
    bench.boot().expect("boots");
    let (process, start) = process_with_pages(&mut bench, 256);
    for n in 0..32 {
        let mut entry = miss(&bench, process.pid(), start + n * 8 * 4096);
        // One set of the NIC's cache after the other, always the same line in it: old translations
        // are overwritten.
        entry.line = bench.nic.borrow().geometry.set_of(entry.key & 0xF_FFF8) * 2;
        report(&mut bench, entry);
        // A cache of 16 sets: at most 16 lines of 8 pages may be held by the NIC and must stay
        // pinned (facts M-27).
        assert!(bench.host.node().driver().pinned_pages(process.pid()) <= 16 * 8 + 8);
    }
    assert!(counts(&bench).replaced_pages > 0);
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

/// Pages from a line of the mock NIC's cache to the next of the same set.
const SET_APART: u32 = 16 * 8;

/// Misses on lines of one set, each in the place of the line before it in the NIC's cache. Gives
/// the pages that are pinned then.
fn pinned_after_misses(bench: &mut Bench, process: &Process, start: UserVirt, lines: Range<u32>) -> usize {
    for n in lines {
        let entry = miss(bench, process.pid(), start + n * SET_APART * 4096);
        report(bench, entry);
    }
    bench.host.node().driver().pinned_pages(process.pid())
}

#[test]
fn water_marks_that_a_process_sets_while_it_runs_decide_what_stays_pinned() {
    let mut bench = Bench::ready();
    let (process, start) = process_with_pages(&mut bench, 30 * SET_APART);
    let (other, elsewhere) = process_with_pages(&mut bench, 12 * SET_APART);
    assert_eq!(pinned_after_misses(&mut bench, &process, start, 0..12), 96, "far below the marks of the platform");
    let set = |bench: &mut Bench, high, low| {
        let process = process.clone();
        bench.run(move |_| async move { process.set_water_marks(WaterMarks { high, low }).await })
    };
    assert_eq!(set(&mut bench, 64, 24), Ok(()));
    let driver = bench.host.node().driver().clone();
    assert_eq!(driver.pinned_pages(process.pid()), 24, "down to the low mark at once");
    assert_eq!(pinned_after_misses(&mut bench, &process, start, 12..17), 64, "up to the high mark");
    assert_eq!(pinned_after_misses(&mut bench, &process, start, 17..18), 24, "and beyond it down to the low one");
    assert_eq!(pinned_after_misses(&mut bench, &other, elsewhere, 0..12), 96, "marks are those of one process");
    assert_eq!(set(&mut bench, 200, 100), Ok(()));
    assert_eq!(pinned_after_misses(&mut bench, &process, start, 18..30), 24 + 96, "higher marks leave more");
    for (high, low) in [(0, 0), (16, 17), (2049, 1)] {
        assert_eq!(set(&mut bench, high, low), Err(DriverError::BadWaterMarks { high, low, max: 2048 }));
    }
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

#[test]
fn pins_beyond_the_high_water_mark_are_found_where_others_might_go() {
    let mut small = platform();
    (small.host.pinned_pages_high, small.host.pinned_pages_low) = (32, 16);
    let mut bench = Bench::with(small, DriverOptions { plant: Some(DriverPlant::KeepPinned), ..options() });
    bench.boot().expect("boots");
    let (process, start) = process_with_pages(&mut bench, 30 * SET_APART);
    assert_eq!(pinned_after_misses(&mut bench, &process, start, 0..4), 32);
    assert_eq!(bench.host.faults(), Vec::<String>::new());
    assert_eq!(pinned_after_misses(&mut bench, &process, start, 4..6), 48);
    // The NIC may still hold the last of the four lines, so its pages stay.
    let found = "INV-17: 40 pages of process 1 pinned, the high water mark is 32, and 24 might go";
    assert_eq!(bench.host.faults(), [found]);
}

#[test]
fn an_impossible_producer_index_is_refused() {
    let mut bench = Bench::ready();
    let (process, start) = process_with_pages(&mut bench, 8);
    for producer in [65, 0xFFFF, 1 << 15] {
        bench.nic.borrow_mut().announce(producer);
        bench.us(50);
    }
    assert_eq!(counts(&bench).rejected_producers, 3);
    assert_eq!(counts(&bench).misses, 0);
    let entry = miss(&bench, process.pid(), start);
    report(&mut bench, entry);
    assert_eq!(counts(&bench).fills, 1, "it still works");
}

fn any_entry() -> impl Strategy<Value = MissEntry> {
    let key = prop_oneof![
        any::<u32>(),
        (0_u32..4, 0x1_0000_u32..0x1_0010, 0_u32..4).prop_map(|(pid, page, state)| key(pid, page, 0) | state),
    ];
    let line = prop_oneof![1 => any::<u32>(), 3 => 0_u32..40];
    (key, line, 0_u32..4, any::<u32>()).prop_map(|(key, line, kind, cycles)| MissEntry { key, line, kind, cycles })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// INV-35, INV-38: whatever the ring and the index say, the driver writes nothing but lines of
    /// the caches, pins nothing but pages of the process, and every entry is counted once.
    #[test]
    fn a_hostile_ring_cannot_lead_the_driver_astray(
        entries in prop::collection::vec(any_entry(), 1..24),
        jump in prop_oneof![Just(0_u32), any::<u32>()],
    ) {
        let mut bench = Bench::ready();
        let (_process, _start) = process_with_pages(&mut bench, 32);
        bench.forget_writes();
        bench.nic.borrow_mut().report_misses(&entries);
        if jump != 0 {
            bench.nic.borrow_mut().announce(jump);
        }
        bench.us(60 * entries.len() as u64 + 300);
        let counts = counts(&bench);
        let ended = counts.fills + counts.buffer_fills + counts.denials + counts.releases + counts.stale;
        prop_assert_eq!(counts.misses, ended);
        if jump == 0 {
            prop_assert_eq!(counts.misses + counts.rejected_entries, entries.len() as u64);
        }
        prop_assert_eq!(bench.host.faults(), Vec::<String>::new());
        let nic = bench.nic.borrow();
        let (cache, buffers) = (nic.layout().vmh_cache, nic.layout().cbh_cache);
        for written in &nic.writes {
            if let Place::Sram(address) = written.place {
                if address >= buffers {
                    let offset = address - buffers;
                    prop_assert!(offset < nic.cbh_geometry.bytes(), "a store to SRAM {address:#x}");
                    // Descriptors and states; CBH and replacement words belong to the firmware.
                    let in_entries = offset.checked_sub(nic.cbh_geometry.entry_offset(0));
                    prop_assert!(in_entries.is_some_and(|offset| offset % entry_bytes(KeyWidth::Bits64) != entry::CBH));
                    continue;
                }
                let offset = address.wrapping_sub(cache);
                prop_assert!(offset < nic.geometry.bytes(), "a store to SRAM {address:#x}");
                let (lines, sets) = (nic.geometry.lines(), nic.geometry.sets());
                // Keys and entries; states and replacement words belong to the firmware.
                prop_assert!(offset < lines * 4 || offset >= lines * 8 + sets * 4);
            }
        }
    }
}
