//! Static tables: the firmware uses what the host has written, for the process that it wrote it
//! for, and not after it was taken away (INV-17 to 22, 36).

use crate::bench::{
    after, tables_at, turned_symbols, Bench, Frame, BUFFER, FRAME, IMPORT, KEY, LENGTH, PAGE, PEER_BUFFER, PID,
    QUEUES_AT, SRAM, TABLES, TABLE_AT, WRITE,
};
use nic_layout::cbh::{cbh_id, entry, STATE_EMPTY};
use nic_layout::frame::link::FrameKind;
use nic_layout::post::OP_READ;
use nic_layout::ring::COMMAND_FENCE;
use nic_layout::static_tables::{import, UNREGISTERED};
use nic_layout::tables::PERMIT_WRITE;
use nic_layout::trace::Marker;
use sim_pins::Ps;

/// The entry of the buffer.
const ENTRY: u32 = cbh_id(BUFFER);
/// All lookups tell of this line.
const LINE: u32 = 0;
/// Where the translation of the page stands.
const TRANSLATION: u32 = TABLES.table_offset(1) + 4 * PAGE;
const DESCRIPTOR: u32 = TABLES.buffer_offset(ENTRY);
const RECORD: u32 = TABLES.import_offset(PID % 8, IMPORT);

fn hit(bench: &mut Bench) -> &mut Bench {
    bench.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupHit, LINE)
}

/// Words of the host are in the SRAM.
fn settle(bench: &mut Bench) -> &mut Bench {
    bench.at = Ps(bench.at.0 + Ps::from_us(6).0);
    bench
}

fn table(bench: &mut Bench, offset: u32, value: u32) -> &mut Bench {
    bench.write(tables_at(offset), value)
}

fn accept(bench: &mut Bench, frame: Frame) -> &mut Bench {
    bench.take(frame).mark(Marker::ReceiveLookupBegin, PAGE).mark(Marker::LookupHit, LINE);
    bench.mark(Marker::Accepted, frame.sequence)
}

#[test]
fn a_node_that_behaves_is_let_be() {
    let mut bench = Bench::with_static_tables();
    bench.mark(Marker::PostRead, 0);
    hit(&mut bench).transfer(true, false, FRAME << 12, 0).mark(Marker::DmaReadDone, LINE);
    for symbol in turned_symbols(Frame { buffer: PEER_BUFFER, ..WRITE }, 0) {
        bench.monitor.sent(bench.at, symbol);
    }
    accept(&mut bench, WRITE).transfer(true, true, FRAME << 12, 0).mark(Marker::DmaWriteDone, LINE);
    bench.mark(Marker::LookupBegin, PAGE + 1).mark(Marker::LookupFault, LINE);
    bench.arrive(Frame { sequence: 1, buffer: BUFFER + 1, ..WRITE });
    bench.mark(Marker::ReceiveBegin, 2).mark(Marker::ReceiveHeader, 1).mark(Marker::BufferMiss, BUFFER + 1);
    bench.mark(Marker::Refused, 0);
    for (offset, value) in
        [(DESCRIPTOR + entry::STATE, STATE_EMPTY), (TRANSLATION, UNREGISTERED), (RECORD + import::WHO, 0)]
    {
        table(&mut bench, offset, value);
    }
    table(&mut bench, TABLES.top_offset(PID % 8, PAGE), 0);
    bench.command(COMMAND_FENCE).answered(COMMAND_FENCE).mark(Marker::Idle, 0);
    bench.host.0.clear();
    bench.monitor.unpinned(bench.at, FRAME);
    bench.write(SRAM + TABLE_AT + 32 * (PID % 8) + 4, PID + 8);
    bench.monitor.finish(bench.at);
    assert_eq!(bench.monitor.violation(), None);
    assert_eq!((bench.monitor.seen().hits, bench.monitor.seen().faults), ([1, 1], [1, 0]));
}

#[test]
fn a_translation_is_a_pinned_page_of_its_process_and_is_taken_away_before_the_pin() {
    let writes = |offset: u32, value: u32| {
        after(Bench::with_static_tables(), move |bench| {
            table(bench, offset, value);
        })
    };
    assert_eq!(writes(TRANSLATION, FRAME + 1), Some(17), "another page");
    assert_eq!(writes(TRANSLATION + 4, FRAME), Some(17), "a page that is not pinned");
    assert_eq!(writes(TABLES.top_offset(PID % 8 + 1, PAGE), 1), Some(17), "the table of another process");
    assert_eq!(writes(TABLES.top_offset(PID % 8, PAGE), 9), Some(17), "no such table");
    let unpinned = |bench: &mut Bench| bench.monitor.unpinned(bench.at, FRAME);
    assert_eq!(after(Bench::with_static_tables(), unpinned), Some(17));
    let late = |bench: &mut Bench| {
        bench.host.0.clear();
        hit(bench);
    };
    assert_eq!(after(Bench::with_static_tables(), late), Some(17));
    let of_another = |bench: &mut Bench| {
        bench.write(SRAM + TABLE_AT + 32 * (PID % 8) + 4, PID + 8);
    };
    assert_eq!(after(Bench::with_static_tables(), of_another), Some(36), "the process before has left it");
}

#[test]
fn what_was_taken_away_is_found_until_it_has_settled_and_not_after() {
    let hits = |is_settled: bool| {
        move |bench: &mut Bench| {
            table(bench, TRANSLATION, UNREGISTERED);
            hit(if is_settled { settle(bench) } else { bench });
        }
    };
    assert_eq!(after(Bench::with_static_tables(), hits(false)), None);
    assert_eq!(after(Bench::with_static_tables(), hits(true)), Some(19));
    let buffer = |is_settled: bool| {
        move |bench: &mut Bench| {
            table(bench, DESCRIPTOR + entry::STATE, STATE_EMPTY);
            if is_settled { settle(bench) } else { bench }.take(WRITE);
        }
    };
    assert_eq!(after(Bench::with_static_tables(), buffer(false)), None);
    assert_eq!(after(Bench::with_static_tables(), buffer(true)), Some(19));
    let posts = |is_settled: bool| {
        move |bench: &mut Bench| {
            table(bench, RECORD + import::WHO, 0);
            let bench = if is_settled { settle(bench) } else { bench };
            bench.mark(Marker::PostRead, 0);
        }
    };
    assert_eq!(after(Bench::with_static_tables(), posts(false)), None);
    assert_eq!(after(Bench::with_static_tables(), posts(true)), Some(19));
    let answered = |bench: &mut Bench| {
        hit(bench).command(COMMAND_FENCE).answered(COMMAND_FENCE);
    };
    assert_eq!(after(Bench::with_static_tables(), answered), Some(19), "DMA from before is under way");
}

#[test]
fn what_is_there_is_found_and_nothing_else() {
    let marks = |marker: Marker, argument: u32, page: u32| {
        after(Bench::with_static_tables(), move |bench| {
            settle(bench).mark(Marker::LookupBegin, page).mark(marker, argument);
        })
    };
    assert_eq!(marks(Marker::LookupFault, LINE, PAGE), Some(20), "it has a translation");
    assert_eq!(marks(Marker::LookupHit, 1, PAGE), Some(20), "there are no lines");
    assert_eq!(marks(Marker::LookupHit, LINE, PAGE + 1), Some(21), "no post names it");
    assert_eq!(marks(Marker::LookupMiss, PID, PAGE), Some(18), "nothing is fetched");
    let never_there = |bench: &mut Bench| {
        bench.write(SRAM + QUEUES_AT + (PID % 8) * 4096 + 8, (PAGE + 1) << 12);
        bench.mark(Marker::LookupBegin, PAGE + 1).mark(Marker::LookupHit, LINE);
    };
    assert_eq!(after(Bench::with_static_tables(), never_there), Some(20));
    let unseen = |bench: &mut Bench| {
        settle(bench).arrive(WRITE).mark(Marker::ReceiveBegin, 1).mark(Marker::ReceiveHeader, 0);
        bench.mark(Marker::BufferMiss, BUFFER);
    };
    assert_eq!(after(Bench::with_static_tables(), unseen), Some(20));
    let empty = |bench: &mut Bench| {
        bench.arrive(WRITE).mark(Marker::ReceiveBegin, 1).mark(Marker::ReceiveHeader, 0);
        bench.mark(Marker::BufferHit, ENTRY + 1);
    };
    assert_eq!(after(Bench::with_static_tables(), empty), Some(20), "nothing was ever there");
    let without_pages = |bench: &mut Bench| {
        table(bench, DESCRIPTOR + entry::LENGTH, 4097);
        table(bench, DESCRIPTOR + entry::STATE, nic_layout::cbh::valid(PERMIT_WRITE));
    };
    assert_eq!(after(Bench::with_static_tables(), without_pages), Some(17), "its second page is not registered");
}

#[test]
fn a_frame_does_what_its_buffer_allows_to_the_page_of_its_process() {
    let goes_on = |frame: Frame| {
        after(Bench::with_static_tables(), move |bench| {
            accept(bench, frame);
        })
    };
    assert_eq!(goes_on(WRITE), None);
    assert_eq!(goes_on(Frame { key: [KEY[0], 1], ..WRITE }), Some(21));
    assert_eq!(goes_on(Frame { offset: LENGTH - 63, ..WRITE }), Some(22));
    let beside = |bench: &mut Bench| {
        accept(bench, WRITE).transfer(true, true, (FRAME << 12) + 64, 0);
    };
    assert_eq!(after(Bench::with_static_tables(), beside), Some(21), "behind the frame's data");
    // Another process has the same page elsewhere: the frame is not for it.
    let elsewhere = |bench: &mut Bench| {
        accept(bench, WRITE).transfer(true, true, (FRAME + 1) << 12, 0);
    };
    assert_eq!(after(Bench::with_static_tables(), elsewhere), Some(21));
}

#[test]
fn posts_and_frames_keep_to_imports() {
    let posts = |words: &[(u32, u32)]| {
        let words = words.to_vec();
        after(Bench::with_static_tables(), move |bench| {
            for (offset, value) in words {
                bench.write(SRAM + QUEUES_AT + (PID % 8) * 4096 + offset, value);
            }
            bench.mark(Marker::PostRead, 0);
        })
    };
    const NAMED: u32 = 12;
    const OFFSET: u32 = 16;
    assert_eq!(posts(&[]), None);
    assert_eq!(posts(&[(OFFSET, LENGTH - 100)]), None);
    assert_eq!(posts(&[(OFFSET, LENGTH - 99)]), Some(22), "beyond the import");
    assert_eq!(posts(&[(0, u32::from(OP_READ))]), Some(21), "it may only be written");
    assert_eq!(posts(&[(NAMED, IMPORT + 1)]), Some(21), "an empty record");
    assert_eq!(posts(&[(NAMED, TABLES.import_entries)]), Some(21), "no such record");

    let sends = |frame: Frame| {
        after(Bench::with_static_tables(), move |bench| {
            for symbol in turned_symbols(frame, 0) {
                bench.monitor.sent(bench.at, symbol);
            }
        })
    };
    let frame = Frame { buffer: PEER_BUFFER, ..WRITE };
    assert_eq!(sends(frame), None);
    assert_eq!(sends(Frame { buffer: PEER_BUFFER + 1, ..frame }), Some(21));
    assert_eq!(sends(Frame { key: [1, 2], ..frame }), Some(21));
    assert_eq!(sends(Frame { offset: LENGTH - 63, ..frame }), Some(22));
    assert_eq!(sends(Frame { kind: FrameKind::PROBE, bytes: 0, key: [1, 2], ..frame }), None, "it names nothing");
}
