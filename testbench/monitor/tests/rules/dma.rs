//! What the NIC may do to memory: a node that behaves is let be, and DMA beside pins, lookups and
//! checks is named (INV-17, 21, 22, 26).

use crate::bench::{after, Bench, Frame, FRAME, HOLE, KEY, LENGTH, LINE, PAGE, PID, QUEUES_AT, SRAM, WRITE};
use nic_layout::key::KeyWidth;
use nic_layout::ring::COMMAND_INVALIDATE;
use nic_layout::trace::Marker;
use nic_layout::vmh::key;

#[test]
fn a_node_that_behaves_is_let_be() {
    let mut bench = Bench::with_buffer();
    bench.hit().transfer(true, false, FRAME << 12, 0).mark(Marker::DmaReadDone, LINE);
    bench.accept(WRITE).transfer(true, true, FRAME << 12, 0).mark(Marker::DmaWriteDone, LINE);
    bench.transfer(true, true, 0x77_0000, 0);
    bench.mark(Marker::LookupBegin, HOLE).mark(Marker::LookupFault, LINE);
    let command = key(PID, PAGE, COMMAND_INVALIDATE);
    bench.command(command).answered(command).mark(Marker::Idle, 0);
    bench.monitor.unpinned(bench.at, FRAME);
    bench.monitor.finish(bench.at);
    assert_eq!(bench.monitor.violation(), None);
}

#[test]
fn dma_belongs_to_a_lookup_of_that_path_in_its_bytes() {
    let bytes = |address, is_write| {
        after(Bench::with_buffer(), |bench| {
            bench.accept(WRITE).transfer(true, is_write, address, 0);
        })
    };
    assert_eq!(bytes((FRAME << 12) + 60, true), None);
    assert_eq!(bytes((FRAME << 12) + 64, true), Some(21), "behind the frame's data");
    assert_eq!(bytes(FRAME << 12, false), Some(21), "of the other path");
    assert_eq!(bytes((FRAME + 1) << 12, true), Some(21), "another page");
    assert_eq!(bytes(0x77_0010, true), Some(21), "behind the status");
}

/// A post of 100 bytes at 40 in its page: reads take whole words, of which one byte at least is the
/// post's.
#[test]
fn reads_keep_to_the_bytes_of_the_post_and_not_to_its_page() {
    let reads = |in_page: u32| {
        after(Bench::filled(), |bench| {
            bench.write(SRAM + QUEUES_AT + 8, (PAGE << 12) + 41).hit();
            bench.transfer(true, false, (FRAME << 12) + in_page, 0);
        })
    };
    assert_eq!((reads(40), reads(136), reads(140)), (None, None, None));
    assert_eq!((reads(36), reads(144)), (Some(21), Some(21)), "beside the post's data");
}

#[test]
fn dma_stays_in_pages_that_are_pinned_for_the_process() {
    let unpinned = |bench: &mut Bench| {
        bench.hit();
        bench.host.0.clear();
        bench.transfer(true, false, FRAME << 12, 0);
    };
    assert_eq!(after(Bench::filled(), unpinned), Some(26));
    let late = |bench: &mut Bench| {
        bench.host.0.clear();
        bench.hit();
    };
    assert_eq!(after(Bench::filled(), late), Some(17));
    let of_another = |bench: &mut Bench| {
        bench.host.0.insert((PID, PAGE), FRAME + 1);
        bench.fill();
    };
    let mut reserved = Bench::new();
    reserved.mark(Marker::LookupBegin, PAGE).mark(Marker::LookupMiss, PID).mark(Marker::MissRaised, LINE);
    assert_eq!(after(reserved, of_another), Some(17));
    let while_cached = |bench: &mut Bench| bench.monitor.unpinned(bench.at, FRAME);
    assert_eq!(after(Bench::filled(), while_cached), Some(17));
}

#[test]
fn what_a_frame_may_is_asked_before_it_goes_on() {
    let goes_on = |frame: Frame| {
        after(Bench::with_buffer(), |bench| {
            bench.take(frame).mark(Marker::ReceiveLookupBegin, PAGE);
        })
    };
    assert_eq!(goes_on(WRITE), None);
    assert_eq!(goes_on(Frame { key: [KEY[0], 1], ..WRITE }), Some(21));
    assert_eq!(goes_on(Frame { width: KeyWidth::Bits128, ..WRITE }), Some(21), "the same, of a longer key");
    assert_eq!(goes_on(Frame { offset: LENGTH - 63, ..WRITE }), Some(22));
    let without_buffer = |bench: &mut Bench| {
        bench.arrive(WRITE).mark(Marker::ReceiveBegin, 1).mark(Marker::ReceiveHeader, 0).mark(Marker::Accepted, 0);
    };
    assert_eq!(after(Bench::with_buffer(), without_buffer), Some(21));
    let of_a_stranger = |bench: &mut Bench| {
        bench.take(WRITE).mark(Marker::ReceiveLookupBegin, PAGE + 1);
        bench.mark(Marker::LookupHit, LINE);
    };
    assert_eq!(after(Bench::with_buffer(), of_a_stranger), Some(21), "the page is not the frame's");
    let without_post = |bench: &mut Bench| {
        bench.write(SRAM + QUEUES_AT + 8, 0x7_0000).hit();
    };
    assert_eq!(after(Bench::filled(), without_post), Some(21), "no post names the page");
}
