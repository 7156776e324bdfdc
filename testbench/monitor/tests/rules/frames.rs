//! Frames of the link: taken whole and in order, acknowledged, and told of (INV-11, 27 to 29), of
//! and for the present incarnations (INV-31); no DMA after a reset (INV-12).

use crate::bench::{after, symbols, symbols_for_session, turned_symbols, Bench, Frame, LINE, SRAM, WRITE};
use nic_layout::frame::link::{FrameKind, FLAG_LAST};
use nic_layout::frame::rdma::FLAG_NOTIFY;
use nic_layout::ring::restart_peer;
use nic_layout::trace::Marker;

#[test]
fn frames_come_whole_in_order_and_are_acknowledged_when_taken() {
    let never_came = |bench: &mut Bench| {
        bench.mark(Marker::ReceiveBegin, 0).mark(Marker::ReceiveHeader, 7);
    };
    assert_eq!(after(Bench::new(), never_came), Some(11));
    let twice = |bench: &mut Bench| {
        bench.accept(WRITE).accept(WRITE);
    };
    assert_eq!(after(Bench::with_buffer(), twice), Some(27));
    let acknowledge = |number: u32| {
        move |bench: &mut Bench| {
            // This frame goes from node 0 to node 1. The swapped addresses matter only for the sum
            // of the number.
            for symbol in symbols(WRITE, number) {
                bench.monitor.sent(bench.at, symbol);
            }
        }
    };
    assert_eq!(after(Bench::with_buffer(), acknowledge(0)), None);
    assert_eq!(after(Bench::with_buffer(), acknowledge(1)), Some(29));
}

#[test]
fn a_frame_that_the_mac_dropped_is_not_taken_for_another_with_its_number() {
    // Frame 0 of node 2 finds no room; frame 0 of node 1 does, then frame 1 of node 1.
    let begin = |bench: &mut Bench| {
        bench.arrive_from(2, WRITE, false).accept(WRITE);
    };
    let go_on = |bench: &mut Bench| {
        begin(bench);
        bench.accept(Frame { sequence: 1, ..WRITE });
    };
    assert_eq!(after(Bench::with_buffer(), go_on), None);
    let again = |bench: &mut Bench| {
        begin(bench);
        bench.accept(WRITE);
    };
    assert_eq!(after(Bench::with_buffer(), again), Some(27), "the frame of node 1 was taken before");
    let dropped = |bench: &mut Bench| {
        bench.arrive_from(1, WRITE, false).mark(Marker::ReceiveBegin, 0).mark(Marker::ReceiveHeader, 0);
    };
    assert_eq!(after(Bench::with_buffer(), dropped), Some(11), "a dropped frame is not in the ring");
}

#[test]
fn frames_of_a_dead_incarnation_are_not_taken() {
    // Node 1 sends frames of session 0.
    let twice = |session: Option<u8>| {
        move |bench: &mut Bench| {
            bench.accept(WRITE);
            if let Some(session) = session {
                bench.command(restart_peer(1, session));
            }
            bench.accept(WRITE);
        }
    };
    assert_eq!(after(Bench::with_buffer(), twice(None)), Some(27));
    assert_eq!(after(Bench::with_buffer(), twice(Some(0))), None, "numbers begin anew");
    assert_eq!(after(Bench::with_buffer(), twice(Some(1))), Some(31), "the frame is of the session before");
}

#[test]
fn a_nic_that_was_reset_is_no_master_of_the_bus() {
    let after_reset = |is_reset: bool| {
        move |bench: &mut Bench| {
            if is_reset {
                bench.monitor.reset();
            }
            bench.write(SRAM, 0).transfer(is_reset, true, 0x1000, 0);
        }
    };
    assert_eq!(after(Bench::new(), after_reset(false)), None);
    assert_eq!(after(Bench::new(), after_reset(true)), Some(12));
}

#[test]
fn acknowledgements_keep_to_what_was_sent_and_take_nothing_back() {
    // All are frames of one pair of nodes, whatever the addresses say: both directions are of nodes
    // 0 and 1.
    const ACK: Frame = Frame { kind: FrameKind::ACKNOWLEDGE, flags: 0, bytes: 0, ..WRITE };
    let sent = |bench: &mut Bench, frame: Frame, acknowledge: u32, turned: bool| {
        for symbol in if turned { turned_symbols(frame, acknowledge) } else { symbols(frame, acknowledge) } {
            bench.monitor.sent(bench.at, symbol);
        }
    };
    let answered_to = |bench: &mut Bench, session: u8, acknowledge: u32| {
        for symbol in symbols_for_session(session, ACK, acknowledge) {
            bench.monitor.received(bench.at, symbol);
        }
    };
    let answered = |bench: &mut Bench, acknowledge: u32| answered_to(bench, 0, acknowledge);
    // Frames 0 and 1 were sent to node 1.
    let answer = |acknowledge: u32| {
        move |bench: &mut Bench| {
            sent(bench, WRITE, 0, true);
            sent(bench, Frame { sequence: 1, ..WRITE }, 0, true);
            sent(bench, WRITE, 0, true);
            answered(bench, acknowledge);
        }
    };
    for acknowledge in 0..=2 {
        assert_eq!(after(Bench::with_buffer(), answer(acknowledge)), None);
    }
    assert_eq!(after(Bench::with_buffer(), answer(3)), Some(29));
    assert_eq!(after(Bench::with_buffer(), |bench| answered(bench, 3)), None, "of a session that it knows nothing of");
    let to_the_dead = |bench: &mut Bench| {
        sent(bench, WRITE, 0, true);
        answered_to(bench, 255, 499);
    };
    assert_eq!(after(Bench::with_buffer(), to_the_dead), None, "for the incarnation before: the firmware drops it");

    let told = |kind: FrameKind| {
        move |bench: &mut Bench| {
            bench.accept(WRITE);
            sent(bench, ACK, 1, true);
            sent(bench, Frame { kind, ..ACK }, 0, true);
        }
    };
    assert_eq!(after(Bench::with_buffer(), told(FrameKind::ACKNOWLEDGE)), Some(29));
    assert_eq!(
        after(Bench::with_buffer(), told(FrameKind::PROBE)),
        None,
        "a frame with a number does not cover what was refused"
    );
}

#[test]
fn a_write_is_told_when_its_bytes_are_in_memory() {
    let notify = Frame { flags: FLAG_LAST | FLAG_NOTIFY, ..WRITE };
    let told = |is_done: bool| {
        move |bench: &mut Bench| {
            bench.accept(notify);
            if is_done {
                bench.mark(Marker::DmaWriteDone, LINE);
            }
            bench.mark(Marker::NotifyRaised, 1);
        }
    };
    assert_eq!(after(Bench::with_buffer(), told(true)), None);
    assert_eq!(after(Bench::with_buffer(), told(false)), Some(28));
    let of_nothing = |bench: &mut Bench| {
        bench.mark(Marker::NotifyRaised, 1);
    };
    assert_eq!(after(Bench::new(), of_nothing), Some(28));
}
