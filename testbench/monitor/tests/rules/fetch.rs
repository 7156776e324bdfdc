//! Lines that the NIC fetches itself: from pinned tables of the process, filled with what came, and
//! once (INV-10, 15 to 21, 26).

use crate::bench::{after, Bench, DIRECTORIES_AT, FRAME, HOLE, LINE, PAGE, PID, SRAM};
use nic_layout::fetch::{directory_offset, directory_word, table_offset, table_slot};
use nic_layout::ring::COMMAND_INVALIDATE;
use nic_layout::trace::Marker;
use nic_layout::vmh::{key, NO_TRANSLATION};
use sim_pins::Ps;

/// The physical page of the process's first table.
const TABLE: u32 = 0x555;
/// Its page in the driver's own space, and its word among the directories.
const TABLE_AT_HOST: u32 = directory_offset(table_slot(PID), PAGE) / 4;

/// The process has a table, and its line is being fetched.
fn fetching() -> Bench {
    let mut bench = with_table();
    bench.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupMiss, PID).mark(Marker::FetchBegun, LINE);
    bench
}

fn with_table() -> Bench {
    let mut bench = Bench::new();
    bench.host.0.insert((0, TABLE_AT_HOST), TABLE);
    bench.write(SRAM + DIRECTORIES_AT + 4 * TABLE_AT_HOST, directory_word(TABLE));
    bench
}

/// The first entries of the line come over the bus.
fn come(bench: &mut Bench, entries: &[u32]) {
    for (n, entry) in (0..).zip(entries) {
        bench.transfer(true, false, (TABLE << 12) + table_offset(PAGE) + 4 * n, *entry);
    }
}

/// The line of the page: it alone has a translation.
const ENTRIES: [u32; 8] = {
    let mut entries = [NO_TRANSLATION; 8];
    entries[0] = FRAME;
    entries
};

fn fetched() -> Bench {
    let mut bench = fetching();
    come(&mut bench, &ENTRIES);
    bench.mark(Marker::DmaReadDone, LINE).mark(Marker::FetchFilled, LINE);
    bench
}

#[test]
fn a_line_may_be_fetched_lost_and_left_to_the_driver() {
    let mut bench = fetched();
    bench.hit().transfer(true, false, FRAME << 12, 0).mark(Marker::DmaReadDone, LINE);
    bench.mark(Marker::LookupBegin, HOLE).mark(Marker::LookupFault, LINE);
    assert_eq!(bench.monitor.seen().fetches_filled, 1);

    let mut lost = fetching();
    lost.command(key(PID, PAGE, COMMAND_INVALIDATE));
    come(&mut lost, &ENTRIES);
    lost.mark(Marker::DmaReadDone, LINE).mark(Marker::FetchLost, LINE).answered(key(PID, PAGE, COMMAND_INVALIDATE));

    let mut unfilled = fetching();
    come(&mut unfilled, &[NO_TRANSLATION; 8]);
    unfilled.mark(Marker::DmaReadDone, LINE).mark(Marker::FetchUnfilled, LINE).mark(Marker::MissRaised, LINE);
    unfilled.fill().hit();

    let mut stalled = with_table();
    stalled.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupMiss, PID).mark(Marker::FetchStalled, PID);
    stalled.mark(Marker::PostBlocked, 0);
    for mut bench in [bench, lost, unfilled, stalled] {
        bench.monitor.finish(bench.at);
        assert_eq!(bench.monitor.violation(), None);
    }
}

#[test]
fn a_fetch_reads_the_table_of_its_process_and_nothing_else() {
    let begin = |bench: &mut Bench| {
        bench.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupMiss, PID).mark(Marker::FetchBegun, LINE);
    };
    assert_eq!(after(with_table(), begin), None);
    assert_eq!(after(Bench::new(), begin), Some(21), "there is no table");
    let mut unpinned = with_table();
    unpinned.host.0.remove(&(0, TABLE_AT_HOST));
    assert_eq!(after(unpinned, begin), Some(26));
    // The process ends: its table is taken from the NIC, behind the look into the directory or
    // before it.
    let word = SRAM + DIRECTORIES_AT + 4 * TABLE_AT_HOST;
    let meanwhile = |bench: &mut Bench| {
        bench
            .mark(Marker::LookupBegin, PAGE)
            .mark(Marker::LookupMiss, PID)
            .write(word, 0)
            .mark(Marker::FetchBegun, LINE);
    };
    assert_eq!(after(with_table(), meanwhile), None);
    let before = |bench: &mut Bench| {
        bench
            .mark(Marker::LookupBegin, PAGE)
            .write(word, 0)
            .mark(Marker::LookupMiss, PID)
            .mark(Marker::FetchBegun, LINE);
    };
    assert_eq!(after(with_table(), before), Some(21), "there is no table any more");
    let elsewhere = |bench: &mut Bench| {
        bench.transfer(true, false, (TABLE + 1) << 12, 0);
    };
    assert_eq!(after(fetching(), elsewhere), Some(21));
    let again = |bench: &mut Bench| {
        bench.mark(Marker::LookupBegin, HOLE).mark(Marker::LookupMiss, PID).mark(Marker::FetchBegun, 0);
    };
    assert_eq!(after(fetching(), again), Some(18), "it is being fetched");
    let for_nobody = |bench: &mut Bench| {
        bench.mark(Marker::FetchBegun, LINE);
    };
    assert_eq!(after(with_table(), for_nobody), Some(18));
    let unlooked = |bench: &mut Bench| {
        bench.monitor.unpinned(bench.at, TABLE);
    };
    assert_eq!(after(fetching(), unlooked), Some(17), "the table is let go");
}

#[test]
fn what_was_fetched_is_what_came_and_pages_of_the_process() {
    let fill = |entries: &[u32]| {
        let entries = entries.to_vec();
        after(fetching(), move |bench| {
            come(bench, &entries);
            bench.mark(Marker::DmaReadDone, LINE).mark(Marker::FetchFilled, LINE);
        })
    };
    assert_eq!(fill(&ENTRIES), None);
    assert_eq!(fill(&ENTRIES[..7]), Some(20), "one is missing");
    assert_eq!(fill(&[NO_TRANSLATION; 8]), Some(20), "the page has none");
    let mut stranger = ENTRIES;
    stranger[3] = FRAME + 1;
    assert_eq!(fill(&stranger), Some(17), "a page that is not pinned for the process");
    let unpinned = |bench: &mut Bench| {
        bench.monitor.unpinned(bench.at, FRAME);
    };
    assert_eq!(after(fetched(), unpinned), Some(17), "the NIC holds it");
}

#[test]
fn a_fetch_ends_once_and_fills_nothing_that_was_taken_away() {
    let taken = || {
        let mut bench = fetching();
        bench.command(key(PID, PAGE, COMMAND_INVALIDATE));
        come(&mut bench, &ENTRIES);
        bench
    };
    for (marker, number) in
        [(Marker::FetchFilled, Some(19)), (Marker::FetchUnfilled, Some(19)), (Marker::FetchLost, None)]
    {
        let end = |bench: &mut Bench| {
            bench.mark(Marker::DmaReadDone, LINE).mark(marker, LINE);
        };
        assert_eq!(after(taken(), end), number, "{marker:?}");
    }
    let answered_early = |bench: &mut Bench| {
        bench.answered(key(PID, PAGE, COMMAND_INVALIDATE));
    };
    assert_eq!(after(taken(), answered_early), Some(19));
    let given_up = |bench: &mut Bench| {
        bench.mark(Marker::DmaReadDone, LINE).mark(Marker::FetchLost, LINE);
    };
    assert_eq!(after(fetching(), given_up), Some(16));
    let twice = |bench: &mut Bench| {
        bench.mark(Marker::FetchFilled, LINE);
    };
    assert_eq!(after(fetched(), twice), Some(16));
    let by_the_driver = |bench: &mut Bench| {
        bench.fill();
    };
    assert_eq!(after(fetching(), by_the_driver), Some(16), "the driver owes it nothing");
    let never = |bench: &mut Bench| bench.monitor.finish(Ps::from_us(100_000));
    assert_eq!(after(fetching(), never), Some(16));
    let victim = |bench: &mut Bench| {
        bench.command(key(PID, PAGE, COMMAND_INVALIDATE));
        bench.mark(Marker::LookupBegin, PAGE + 64).mark(Marker::LookupMiss, PID).mark(Marker::FetchBegun, LINE);
    };
    assert_eq!(after(fetching(), victim), Some(15), "the transfer goes there");
    let asleep = |bench: &mut Bench| {
        bench.mark(Marker::PostParked, 0);
        come(bench, &ENTRIES);
        bench.mark(Marker::DmaReadDone, LINE).mark(Marker::FetchFilled, LINE).mark(Marker::Idle, 0);
    };
    assert_eq!(after(fetching(), asleep), Some(10), "a post waited for it");
}
