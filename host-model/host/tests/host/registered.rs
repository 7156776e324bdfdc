//! A NIC with static tables: what is registered is pinned and entered at once, what does not fit is
//! refused, and everything comes back (M-3, M-4, M-13, INV-36, INV-38).

use host_model::address::NodeId;
use host_model::driver::vmmc::Vmmc;
use host_model::driver::{DriverError, DriverOptions};
use host_model::library::{Access, Export, Process, WriteError};
use host_model::mock::Place;
use nic_layout::boot::{BootError, Kind};
use nic_layout::cbh::{cbh, cbh_id, entry, valid, STATE_EMPTY, STATE_MASK};
use nic_layout::key::KeyWidth;
use nic_layout::registers::mailbox;
use nic_layout::ring::{COMMAND_FENCE, MAILBOX_COMMAND};
use nic_layout::static_tables::{import, StaticGeometry, TABLE_ENTRIES, UNREGISTERED};
use nic_layout::tables::{MissEntry, PERMIT_READ, PERMIT_WRITE};
use sim_pins::Ps;

use crate::common::{platform, Bench, CLOCK};

const GEOMETRY: StaticGeometry =
    StaticGeometry { vmh_tables: 3, cbh_entries: 4, import_entries: 2, key: KeyWidth::Bits64 };
/// A buffer of another node.
const THEIRS: Export = Export {
    node: NodeId(0),
    buffer: cbh(9, 3),
    key: [0x1111_2222, 0x3333_4444, 0, 0],
    key_width: KeyWidth::Bits64,
    length_bytes: 5000,
    access: Access::WRITE,
};

fn ready() -> Bench {
    let mut bench = Bench::new();
    bench.nic.borrow_mut().static_tables = Some(GEOMETRY);
    bench.boot().expect("the mock NIC boots");
    bench
}

/// Runs a call of a process.
macro_rules! call {
    ($bench:expr, $process:expr, |$p:ident| $body:expr) => {{
        let $p = $process.clone();
        $bench.run(move |_| async move { $body })
    }};
}

fn word(bench: &Bench, offset: u32) -> u32 {
    let nic = bench.nic.borrow();
    nic.sram_word(nic.layout().static_tables + offset)
}

fn translation(bench: &Bench, slot: u32, page: u32) -> u32 {
    use nic_layout::static_tables::top_shift;
    match word(bench, GEOMETRY.top_offset(slot, page)) >> top_shift(page) & 0xFF {
        0 => UNREGISTERED,
        index => word(bench, GEOMETRY.table_offset(index) + page % TABLE_ENTRIES * 4),
    }
}

fn pinned(bench: &Bench) -> u64 {
    bench.host.accounting().memory.pinned_now
}

fn free(bench: &Bench) -> (usize, usize, usize) {
    bench.host.node().driver().service::<Vmmc>().expect("static tables").free()
}

#[test]
fn an_export_pins_all_its_pages_and_enters_them_the_visible_word_last() {
    let mut bench = ready();
    let process = bench.open();
    bench.forget_writes();
    let start = process.alloc(16 * 4096).expect("room");
    let export = call!(bench, process, |p| p.export_as(start + 100, 3 * 4096, Access::BOTH).await).expect("room");
    // Three pages long, on four.
    assert_eq!(pinned(&bench), 1 + 4);
    assert_eq!((export.buffer, export.access), (cbh(process.pid().0, cbh_id(export.buffer)), Access::BOTH));
    let first = start.page().0;
    let targets: Vec<u32> = (first..first + 5).map(|page| translation(&bench, 0, page)).collect();
    assert!(targets[..4].iter().all(|target| *target < 4096) && targets[4] == UNREGISTERED, "{targets:x?}");
    let at = GEOMETRY.buffer_offset(cbh_id(export.buffer));
    let words = [entry::CBH, entry::START, entry::LENGTH, entry::KEY_0, entry::KEY_1, entry::STATE];
    let expected =
        [export.buffer, start.0 + 100, 3 * 4096, export.key[0], export.key[1], valid(PERMIT_WRITE | PERMIT_READ)];
    assert_eq!(words.map(|offset| word(&bench, at + offset)), expected);

    // The table whole, then its index, then the buffer, each ascending.
    let base = bench.nic.borrow().layout().static_tables;
    let places: Vec<u32> = bench
        .writes()
        .iter()
        .map(|(place, _)| match place {
            Place::Sram(at) => at - base,
            other => panic!("{other:?}"),
        })
        .collect();
    let table = (0..TABLE_ENTRIES).map(|entry| GEOMETRY.table_offset(1) + entry * 4);
    let buffer = words.map(|offset| at + offset);
    assert!(places.into_iter().eq(table.chain([GEOMETRY.top_offset(0, first)]).chain(buffer)));
    // The driver gets no requests, and refuses a request of the NIC as impossible.
    bench.nic.borrow_mut().report_misses(&[MissEntry { key: 2, line: 0, kind: 0, cycles: 0 }]);
    bench.us(100);
    let counts = bench.host.node().driver().counts();
    assert_eq!((counts.misses, counts.rejected_entries), (0, 1));
}

#[test]
fn what_is_withdrawn_is_taken_from_the_nic_before_the_fence_and_unpinned_behind_it() {
    let mut bench = ready();
    let process = bench.open();
    let start = process.alloc(16 * 4096).expect("room");
    // They share the second page; one is registered without being a buffer.
    let export = call!(bench, process, |p| p.export(start, 2 * 4096).await).expect("room");
    call!(bench, process, |p| p.register(start + 4096, 2 * 4096).await).expect("room");
    assert_eq!(pinned(&bench), 1 + 3);
    bench.forget_writes();
    call!(bench, process, |p| p.withdraw(&export).await).expect("registered");
    assert_eq!(pinned(&bench), 1 + 2);
    let first = start.page().0;
    let there = [first, first + 1, first + 2].map(|page| translation(&bench, 0, page) != UNREGISTERED);
    assert_eq!(there, [false, true, true]);
    let writes = bench.writes();
    let fence = (Place::Register(mailbox::TO_NIC.at(MAILBOX_COMMAND).offset().0), COMMAND_FENCE);
    let at = writes.iter().position(|write| *write == fence).expect("a fence");
    assert!(writes[at..].iter().all(|(place, _)| !matches!(place, Place::Sram(_))), "{writes:x?}");
    assert_eq!(writes[0].1, STATE_EMPTY);
    let again = call!(bench, process, |p| p.withdraw(&export).await);
    assert_eq!(again, Err(DriverError::NoSuchBuffer { buffer: export.buffer }));

    call!(bench, process, |p| p.unregister(start + 4096, 2 * 4096).await).expect("registered");
    let again = call!(bench, process, |p| p.unregister(start + 4096, 2 * 4096).await);
    assert_eq!(again, Err(DriverError::NotRegistered { start: start + 4096 }));
    assert_eq!((pinned(&bench), free(&bench)), (1, (3, 4, 2)));
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

#[test]
fn a_table_that_is_full_refuses_and_undoes_what_was_begun() {
    let mut bench = ready();
    let process = bench.open();
    // A page in each of more second-level tables than there are; each page 4 MB from the next.
    let start = process.alloc(5 * 1024 * 4096).expect("room");
    let pages = [0, 1, 2, 3].map(|n| start + n * 1024 * 4096);
    for &page in &pages[..3] {
        call!(bench, process, |p| p.register(page, 4096).await).expect("a table");
    }
    let before = (pinned(&bench), free(&bench));
    let full = call!(bench, process, |p| p.export(pages[3], 4096).await);
    assert!(matches!(full, Err(DriverError::TableFull { entries: 3, .. })), "{full:?}");
    assert!(full.unwrap_err().to_string().contains("full"));
    assert_eq!((pinned(&bench), free(&bench)), before);
    call!(bench, process, |p| p.unregister(pages[1], 4096).await).expect("registered");
    let exports: Vec<Export> =
        (0..4).map(|_| call!(bench, process, |p| p.export(pages[3], 4096).await).expect("room")).collect();

    let before = (pinned(&bench), free(&bench));
    let full = call!(bench, process, |p| p.export(pages[3], 4096).await);
    assert_eq!(full, Err(DriverError::TableFull { what: "buffers", entries: 4 }));
    assert_eq!((pinned(&bench), free(&bench)), before);
    let taken =
        call!(bench, process, |p| p.export_under(cbh_id(exports[0].buffer), pages[3], 4096, Access::WRITE).await);
    assert!(matches!(taken, Err(DriverError::BufferIdTaken { .. })));
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

#[test]
fn pages_that_cannot_all_be_pinned_are_not_registered() {
    let mut platform = platform();
    platform.host.pinned_pages_max = 8;
    let mut bench = Bench::with(platform, DriverOptions::new(NodeId(1), 2, 42));
    bench.nic.borrow_mut().static_tables = Some(GEOMETRY);
    bench.boot().expect("the mock NIC boots");
    let process = bench.open();
    let start = process.alloc(16 * 4096).expect("room");
    let export = call!(bench, process, |p| p.export(start, 3 * 4096).await).expect("room");
    let refused = call!(bench, process, |p| p.export(start + 4096, 8 * 4096).await);
    assert_eq!(refused, Err(DriverError::CannotPin { pages: 8 }));
    assert_eq!((pinned(&bench), free(&bench)), (1 + 3, (2, 3, 2)));
    let first = start.page().0;
    assert_eq!(translation(&bench, 0, first + 3), UNREGISTERED);
    call!(bench, process, |p| p.withdraw(&export).await).expect("registered");
    assert_eq!(pinned(&bench), 1);
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

#[test]
fn a_post_names_the_import_and_nothing_else() {
    let mut bench = ready();
    let process = bench.open();
    let memory = process.alloc(4096).expect("room");
    let early = call!(bench, process, |p| p.write(memory, 100, &THEIRS, 0, 7).await);
    assert_eq!(early, Err(WriteError::NotImported { node: 0, buffer: THEIRS.buffer }));
    bench.forget_writes();
    call!(bench, process, |p| p.import(&THEIRS).await).expect("room");
    let who = import::who(0, THEIRS.buffer, PERMIT_WRITE).expect("it fits");
    let values: Vec<u32> = bench.writes().iter().map(|(_, value)| *value).collect();
    assert_eq!(values, [5000, THEIRS.key[0], THEIRS.key[1], who]);
    let handle = call!(bench, process, |p| p.write(memory, 100, &THEIRS, 60, 7).await).expect("imported");
    call!(bench, process, |p| p.wait(handle).await).expect("the mock completes it");
    let (_, post) = *bench.nic.borrow().posts.last().expect("posted");
    assert_eq!((post.buffer, post.buffer_offset, post.destination_node, post.key), (0, 60, 0, [0, 0]));

    // The same again is the same; others until the table is full.
    call!(bench, process, |p| p.import(&THEIRS).await).expect("it is there");
    call!(bench, process, |p| p.import(&Export { key: [1, 2, 0, 0], ..THEIRS }).await).expect("room");
    let third = Export { key: [3, 4, 0, 0], ..THEIRS };
    let full = call!(bench, process, |p| p.import(&third).await);
    assert!(matches!(full, Err(DriverError::TableFull { entries: 2, .. })), "{full:?}");
    call!(bench, process, |p| p.release_import(&THEIRS).await).expect("imported");
    assert_eq!(word(&bench, GEOMETRY.import_offset(0, 0) + import::WHO), 0);
    call!(bench, process, |p| p.import(&third).await).expect("room again");
    let far = Export { buffer: cbh(1, 1 << 13), ..THEIRS };
    call!(bench, process, |p| p.release_import(&third).await).expect("imported");
    let refused = call!(bench, process, |p| p.import(&far).await);
    assert_eq!(refused, Err(DriverError::BadImport { node: 0, buffer: far.buffer }));
}

#[test]
fn the_slot_of_a_process_is_in_its_number() {
    let mut bench = ready();
    let processes: Vec<Process> = (0..8).map(|_| bench.open()).collect();
    for (slot, process) in processes.iter().enumerate() {
        assert_eq!((process.queue().expect("mapped").slot, process.pid().0 as usize % 8), (slot, slot));
    }
    let old = processes[3].pid();
    call!(bench, processes[3], |p| p.close().await).expect("it is open");
    let new = bench.open();
    assert_eq!((new.queue().expect("mapped").slot, new.pid().0 as usize % 8), (3, 3));
    assert_ne!(new.pid(), old);
}

/// What the process does when it is ended: registers, imports, writes, waits, and gives back.
async fn life(process: Process) {
    let memory = process.alloc(16 * 4096).expect("room");
    for message in 0..3 {
        let export = process.export(memory, 8 * 4096).await.expect("room");
        process.register(memory + 8 * 4096, 3 * 4096).await.expect("room");
        process.import(&THEIRS).await.expect("room");
        let handle = process.write(memory, 64, &THEIRS, 0, message).await.expect("room");
        process.wait(handle).await.expect("completed");
        process.withdraw(&export).await.expect("registered");
        process.release_import(&THEIRS).await.expect("imported");
        process.unregister(memory + 8 * 4096, 3 * 4096).await.expect("registered");
    }
}

/// Ends the process after `span`; gives whether it had come to its own end.
fn end_after(span: Ps) -> bool {
    let mut bench = ready();
    let process = bench.open();
    let living = process.clone();
    let task = bench.host.spawn("life", move |_| life(living));
    bench.clocks(span.0 / CLOCK.0);
    let lived = task.is_ended();
    task.abort();
    bench.run(|_| async move { process.close().await.expect("it is open") });
    assert_eq!(bench.host.faults(), Vec::<String>::new(), "ended after {span}");
    assert_eq!(pinned(&bench), 0, "ended after {span}");
    assert_eq!(free(&bench), (3, 4, 0), "ended after {span}");
    for top in (0..1024).step_by(4) {
        assert_eq!(word(&bench, top), 0, "ended after {span}: top level word {top:#x}");
    }
    for id in 0..GEOMETRY.cbh_entries {
        let state = word(&bench, GEOMETRY.buffer_offset(id) + entry::STATE);
        assert_eq!(state & STATE_MASK, STATE_EMPTY, "ended after {span}: buffer {id}");
    }
    for index in 0..GEOMETRY.import_entries {
        let who = word(&bench, GEOMETRY.import_offset(0, index) + import::WHO);
        assert_eq!(who, 0, "ended after {span}: import {index}");
    }
    // The slot can be used again, and its tables are as they were.
    assert_eq!((bench.open().queue().expect("mapped").slot, free(&bench)), (0, (3, 4, 2)));
    lived
}

#[test]
fn a_process_may_end_at_any_step_and_everything_comes_back() {
    let mut lived = 0;
    // A step that shares no factor with the clock or the constants.
    for step in 0..320 {
        lived += usize::from(end_after(Ps(step * 3_237_001)));
    }
    assert!((1..300).contains(&lived), "the sweep covers the life and more: {lived}");
}

#[test]
fn a_reply_without_tables_is_refused_with_the_name_of_the_section() {
    let mut bench = Bench::new();
    bench.nic.borrow_mut().static_tables = Some(GEOMETRY);
    bench.nic.borrow_mut().spoil_reply = Some(|reply| reply.lacks_tables = true);
    let error = bench.boot().expect_err("there is no section");
    assert_eq!(error, DriverError::BootReply(BootError::MissingSection(Kind::STATIC_TABLES)));
    assert!(error.to_string().contains("section `static tables` is missing"), "{error}");
}

#[test]
fn a_reply_with_impossible_tables_is_refused() {
    type Spoiler = fn(&mut host_model::mock::MockReply);
    let spoilers: [(&str, Spoiler); 5] = [
        ("personality", |reply| reply.personality = 99),
        ("vmh_tables", |reply| reply.static_vmh_tables = 256),
        ("cbh_entries", |reply| reply.static_cbh_entries = u32::MAX),
        ("tables", |reply| reply.static_tables = 524_284),
        ("tables", |reply| reply.static_tables += 1),
    ];
    for (what, spoil) in spoilers {
        let mut bench = Bench::new();
        bench.nic.borrow_mut().static_tables = Some(GEOMETRY);
        bench.nic.borrow_mut().spoil_reply = Some(spoil);
        let error = bench.boot().expect_err("it is impossible");
        assert!(matches!(error, DriverError::BadLayout { what: named, .. } if named.contains(what)), "{error}");
    }
}

#[test]
fn a_nic_with_caches_needs_neither_registration_nor_imports() {
    let mut bench = Bench::ready();
    let process = bench.open();
    let memory = process.alloc(4096).expect("room");
    bench.forget_writes();
    let before = bench.now;
    call!(bench, process, |p| p.register(memory, 4096).await).expect("nothing to do");
    call!(bench, process, |p| p.import(&THEIRS).await).expect("nothing to do");
    call!(bench, process, |p| p.release_import(&THEIRS).await).expect("nothing to do");
    call!(bench, process, |p| p.unregister(memory, 4096).await).expect("nothing to do");
    assert_eq!(bench.writes(), []);
    assert!(bench.now - before < Ps::from_us(1), "{}", bench.now - before);
    assert!(bench.host.node().driver().service::<Vmmc>().is_err());
}
