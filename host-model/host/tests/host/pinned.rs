//! Pinning for a NIC that fetches translations by itself (facts M-58): before use, and unpinned
//! only when the NIC has answered.

use host_model::address::{BusAddr, Pid, UserVirt, VirtPage};
use host_model::driver::{DriverCounts, DriverError, DriverOptions, MissService};
use host_model::library::{Access, Export, Process};
use host_model::mock::Place;
use nic_layout::fetch::{directory_offset, table_offset, table_page, table_slot, DIRECTORY_BYTES};
use nic_layout::key::KeyWidth;
use nic_layout::registers::mailbox;
use nic_layout::ring::{COMMAND_INVALIDATE, COMMAND_MASK, MAILBOX_COMMAND, MAILBOX_COMMAND_DONE};
use nic_layout::tables::MissEntry;
use nic_layout::vmh::{key, key_line_page, KEY_RESERVED, KEY_VALID, NO_TRANSLATION};

use crate::common::{options, platform, Bench};

/// Pages in a line of the mock NIC's cache.
const LINE: u32 = 8;
const LINE_BYTES: u32 = LINE * 4096;

fn bench_with(high: u32, low: u32, most: u32) -> Bench {
    let mut platform = platform();
    platform.host.pinned_pages_high = high;
    platform.host.pinned_pages_low = low;
    platform.host.pinned_pages_max = most;
    let mut bench = Bench::with(platform, DriverOptions { miss_service: MissService::Nic, ..options() });
    bench.boot().expect("boots");
    bench
}

fn bench() -> Bench {
    bench_with(1024, 512, 2048)
}

/// A process with so many pages, from the start of a line.
fn process(bench: &mut Bench, pages: u32) -> (Process, UserVirt) {
    let process = bench.open();
    let start = process.alloc(pages * 4096).expect("room");
    assert_eq!(start.page().0 % LINE, 0);
    (process, start)
}

const REMOTE: Export = Export {
    node: host_model::address::NodeId(0),
    buffer: 0x10_0001,
    key: [1, 2, 0, 0],
    key_width: KeyWidth::Bits64,
    length_bytes: 1 << 20,
    access: Access::BOTH,
};

fn write(bench: &mut Bench, process: &Process, from: UserVirt, bytes: u32) {
    let process = process.clone();
    bench.run(|_| async move { process.write(from, bytes, &REMOTE, 0, 1).await.map(|_| ()).expect("posted") });
}

fn counts(bench: &Bench) -> DriverCounts {
    bench.host.node().driver().counts()
}

/// What the NIC reads of a page, by way of its directory.
fn fetched(bench: &Bench, process: &Process, page: VirtPage) -> Option<u32> {
    let nic = bench.nic.borrow();
    let word = nic.sram_word(nic.layout().directories + directory_offset(table_slot(process.pid().0), page.0));
    let table = table_page(word)?;
    let mut bytes = [0; 4];
    let at = BusAddr((table << 12) + table_offset(page.0));
    bench.host.node().memory().borrow_mut().dma_read(bench.now, at, &mut bytes);
    Some(u32::from_le_bytes(bytes))
}

fn pinned(bench: &Bench, pid: Pid, page: VirtPage) -> Option<u32> {
    bench.host.node().memory().borrow().pinned(pid, page).map(|page| page.0)
}

/// Lines that the driver took away, in order.
fn taken(bench: &Bench) -> Vec<u32> {
    let command = Place::Register(mailbox::TO_NIC.at(MAILBOX_COMMAND).offset().0);
    let commands = bench.writes().into_iter().filter(|(place, _)| *place == command).map(|(_, word)| word);
    commands.filter(|word| word & COMMAND_MASK == COMMAND_INVALIDATE).map(key_line_page).collect()
}

#[test]
fn the_first_use_of_a_line_pins_it_and_enters_it_and_the_next_only_looks() {
    let mut bench = bench();
    let (process, start) = process(&mut bench, 16);
    assert_eq!(fetched(&bench, &process, start.page()), None, "no table before the first pin");
    write(&mut bench, &process, start + 3 * 4096, 100);
    let first = counts(&bench);
    assert_eq!((first.bitmap_checks, first.pin_calls), (1, 1));
    for page in (0..LINE).map(|n| VirtPage(start.page().0 + n)) {
        let target = pinned(&bench, process.pid(), page).expect("the whole line is pinned");
        assert_eq!(fetched(&bench, &process, page), Some(target));
    }
    assert_eq!(fetched(&bench, &process, VirtPage(start.page().0 + LINE)), Some(NO_TRANSLATION));
    // Any page of it; but one of the next line is another call.
    write(&mut bench, &process, start + 7 * 4096, 4000);
    write(&mut bench, &process, start + 7 * 4096, 5000);
    let all = counts(&bench);
    assert_eq!((all.bitmap_checks, all.pin_calls), (3, 2));
    assert_eq!(all.misses, 0, "the NIC was not asked to do anything");
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

#[test]
fn reads_are_looked_up_where_their_data_go_and_data_in_the_post_are_not() {
    let mut bench = bench();
    let (process, start) = process(&mut bench, 16);
    write(&mut bench, &process, start, 32);
    assert_eq!(counts(&bench).bitmap_checks, 0);
    let reader = process.clone();
    bench.run(|_| async move { reader.read(&REMOTE, 0, 64, start, 1).await.map(|_| ()).expect("posted") });
    assert_eq!((counts(&bench).bitmap_checks, counts(&bench).pin_calls), (1, 1));
    assert!(pinned(&bench, process.pid(), start.page()).is_some());
}

#[test]
fn a_buffer_is_pinned_and_entered_when_it_is_registered() {
    let mut bench = bench();
    let (process, start) = process(&mut bench, 32);
    let exporter = process.clone();
    bench.run(|_| async move { exporter.export(start + 100, 2 * LINE_BYTES).await.map(|_| ()).expect("exported") });
    for page in (0..3 * LINE).map(|n| VirtPage(start.page().0 + n)) {
        assert_eq!(fetched(&bench, &process, page), pinned(&bench, process.pid(), page), "{page:?}");
    }
    assert_eq!(counts(&bench).pin_calls, 0);
    write(&mut bench, &process, start, 100);
    assert_eq!(counts(&bench).pin_calls, 0, "its pages may be sent from too");
}

/// Entry, line, answer, pin: a page stays pinned until the NIC has answered (INV-17, INV-19).
#[test]
fn a_page_is_unpinned_when_its_entry_is_cleared_and_its_line_taken_away() {
    let mut bench = bench_with(16, 8, 2048);
    let (process, start) = process(&mut bench, 64);
    write(&mut bench, &process, start, 100);
    write(&mut bench, &process, start + LINE_BYTES, 100);
    bench.forget_writes();
    bench.nic.borrow_mut().command_answer = None;
    let poster = process.clone();
    let third = bench.host.spawn("third line", |_| async move {
        poster.write(start + 2 * LINE_BYTES, 100, &REMOTE, 0, 1).await.map(|_| ()).expect("posted");
    });
    bench.us(100);
    let old = start.page();
    assert_eq!(taken(&bench), [old.0]);
    assert_eq!(fetched(&bench, &process, old), Some(NO_TRANSLATION));
    assert!(pinned(&bench, process.pid(), old).is_some(), "not answered");
    assert!(third.take().is_none());
    {
        let mut nic = bench.nic.borrow_mut();
        nic.command_answer = Some(|command| command);
        nic.set_register(mailbox::TO_HOST.at(MAILBOX_COMMAND_DONE), key(process.pid().0, old.0, COMMAND_INVALIDATE));
        nic.raise(MAILBOX_COMMAND_DONE as u32);
    }
    bench.us(200);
    assert!(third.take().is_some());
    assert_eq!(pinned(&bench, process.pid(), old), None);
    let driver = bench.host.node().driver();
    assert_eq!((driver.pinned_pages(process.pid()), counts(&bench).replaced_pages), (8, 16));
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

#[test]
fn pinned_pages_keep_to_the_water_marks_whatever_is_registered_or_sent() {
    let mut bench = bench_with(32, 16, 2048);
    let (process, start) = process(&mut bench, 256);
    let exporter = process.clone();
    bench.run(|_| async move { exporter.export(start, 100 * 4096).await.map(|_| ()).expect("exported") });
    for n in 0..24 {
        assert!(bench.host.node().driver().pinned_pages(process.pid()) <= 32);
        write(&mut bench, &process, start + n * LINE_BYTES, if n % 5 == 0 { 12 * 4096 } else { 100 });
    }
    assert!(counts(&bench).replaced_pages > 100);
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

/// A library that does not look, or a page that went again before the NIC came to it.
#[test]
fn a_miss_of_what_is_not_entered_is_served_and_entered() {
    let mut bench = bench();
    let (process, start) = process(&mut bench, 16);
    let line = {
        let nic = bench.nic.borrow();
        nic.geometry.set_of(start.page().0) * nic.geometry.ways
    };
    let reserved = key(process.pid().0, start.page().0, KEY_RESERVED);
    let key_at = bench.nic.borrow().layout().vmh_cache + bench.nic.borrow().geometry.key_offset(line);
    bench.nic.borrow_mut().set_sram_word(key_at, reserved);
    bench.forget_writes();
    bench.nic.borrow_mut().report_misses(&[MissEntry { key: reserved, line, kind: 0, cycles: 0 }]);
    bench.us(300);
    assert_eq!(bench.nic.borrow().sram_word(key_at), key(process.pid().0, start.page().0, KEY_VALID));
    assert_eq!(fetched(&bench, &process, start.page()), pinned(&bench, process.pid(), start.page()));
    assert_eq!(taken(&bench), [0; 0], "the line is reserved for this: it is not taken away");
    assert_eq!((counts(&bench).fills, counts(&bench).pin_calls), (1, 0));
}

/// The NIC may hold the line without them, as a line with holes.
#[test]
fn a_line_that_gets_more_entries_is_taken_from_the_nic() {
    // Two status pages, two tables, and of three lines all but five pages.
    let mut bench = bench_with(1024, 512, 4 + 2 * LINE + 3);
    let (other, elsewhere) = process(&mut bench, LINE);
    let (process, start) = process(&mut bench, 2 * LINE);
    write(&mut bench, &other, elsewhere, 100);
    write(&mut bench, &process, start, 100);
    write(&mut bench, &process, start + LINE_BYTES, 100);
    let line = start.page().0 + LINE;
    let last = VirtPage(line + 7);
    assert_eq!((fetched(&bench, &process, last), counts(&bench).pin_failures), (Some(NO_TRANSLATION), 5));
    bench.run(|_| async move { other.close().await.expect("closed") });
    bench.forget_writes();
    write(&mut bench, &process, start + LINE_BYTES + 7 * 4096, 100);
    assert_eq!(taken(&bench), [line]);
    assert_eq!(fetched(&bench, &process, last), pinned(&bench, process.pid(), last));
    assert!(pinned(&bench, process.pid(), last).is_some());
}

/// Without memory for a table the NIC asks, and is answered.
#[test]
fn pages_without_a_table_are_pinned_all_the_same() {
    let mut bench = bench_with(1024, 512, 1 + LINE);
    let (process, start) = process(&mut bench, LINE);
    write(&mut bench, &process, start, 100);
    assert_eq!(fetched(&bench, &process, start.page()), None);
    assert!(pinned(&bench, process.pid(), start.page()).is_some());
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

#[test]
fn a_process_that_ends_leaves_no_table_no_pin_and_no_line() {
    let mut bench = bench();
    let (process, start) = process(&mut bench, 32);
    write(&mut bench, &process, start, 3 * LINE_BYTES);
    bench.forget_writes();
    let slot = table_slot(process.pid().0);
    bench.run(|_| async move { process.close().await.expect("closed") });
    let lines: Vec<u32> = (0..3).map(|n| start.page().0 + n * LINE).collect();
    assert_eq!(taken(&bench), lines);
    let memory = bench.host.node().memory().borrow().counts();
    assert_eq!((memory.pins - memory.unpins, memory.pinned_now), (0, 0));
    let nic = bench.nic.borrow();
    let directory = nic.layout().directories + slot as u32 * DIRECTORY_BYTES;
    assert!((0..DIRECTORY_BYTES / 4).all(|n| nic.sram_word(directory + 4 * n) == 0));
    drop(nic);
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

#[test]
fn a_nic_that_fetches_says_where_its_directories_are() {
    let mut bench = Bench::with(platform(), DriverOptions { miss_service: MissService::Nic, ..options() });
    bench.nic.borrow_mut().spoil_reply = Some(|reply| reply.directories = 0);
    assert_eq!(bench.boot(), Err(DriverError::BadLayout { what: "directories", value: 0 }));
    let mut bench = Bench::with(platform(), DriverOptions { miss_service: MissService::Nic, ..options() });
    bench.nic.borrow_mut().spoil_reply = Some(|reply| reply.directories = 0x7_F000);
    assert_eq!(bench.boot(), Err(DriverError::BadLayout { what: "directories", value: 0x7_F000 }));
}
