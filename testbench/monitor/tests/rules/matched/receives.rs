//! The watch of receives.

use nic_layout::counter::Counter;
use nic_layout::personality::emp::descriptor::{stat, ANY_SOURCE, ANY_TAG, RESERVED_TAG_MIN};
use nic_layout::personality::emp::frame::{ABORT, ACK};
use nic_layout::trace::Marker;

use super::bench::{Bench, Frame, LONG, PAGE, SHORT};

/// The rule that a step breaks behind others that break none.
fn after(steps: impl FnOnce(&mut Bench), step: impl FnOnce(&mut Bench)) -> Option<u8> {
    let mut bench = Bench::new();
    steps(&mut bench);
    assert_eq!(bench.monitor.violation(), None);
    step(&mut bench);
    bench.broken()
}

fn of(message: u16, tag: u16) -> Frame {
    Frame { message, tag, ..SHORT }
}

/// The data of a message of [`SHORT`] reach the receive.
fn written(bench: &mut Bench, record: u32) -> &mut Bench {
    for at in (0..20).step_by(4) {
        bench.dma_write(PAGE + 4096 * record + at);
    }
    bench
}

#[test]
fn a_message_takes_the_oldest_receive_that_it_matches() {
    let posted = |bench: &mut Bench| {
        bench.receive(0, 0, 5).receive(1, ANY_TAG, 0).receive(2, ANY_SOURCE, 7).receive(3, 0, 7);
    };
    assert_eq!(after(posted, |bench| _ = bench.matches(of(0, 7), 1).matches(of(1, 7), 2).matches(of(2, 7), 3)), None);
    assert_eq!(after(posted, |bench| _ = bench.matches(of(0, 7), 2)), Some(27), "a younger one");
    assert_eq!(after(posted, |bench| _ = bench.matches(of(0, 7), 0)), Some(27), "another tag");
    assert_eq!(after(posted, |bench| _ = bench.matches(of(0, 5), 4)), Some(27), "not posted");
    assert_eq!(after(posted, |bench| _ = bench.matches(of(0, 5), 0).matches(of(0, 5), 1)), Some(27), "twice");
    let given_up = |bench: &mut Bench| _ = bench.mark(Marker::ReceiveGivenUp, 1).matches(of(0, 7), 2);
    assert_eq!(after(posted, given_up), None, "what was given up takes nothing");
    assert_eq!(after(posted, |bench| _ = bench.mark(Marker::ReceivePosted, 2)), Some(9), "posted twice");
    let reserved = |bench: &mut Bench| _ = bench.matches(of(0, RESERVED_TAG_MIN), 1);
    assert_eq!(after(posted, reserved), Some(27), "a reserved tag, and a receive of any tag");
}

#[test]
fn a_message_is_neither_refused_nor_made_to_wait_without_reason() {
    let posted = |bench: &mut Bench| _ = bench.receive(0, 0, 5);
    assert_eq!(after(posted, |bench| _ = bench.come(of(0, 6)).come(of(1, 6))), None, "nothing is posted");
    assert_eq!(after(posted, |bench| _ = bench.come(of(0, 5)).come(of(1, 6))), Some(34));
    let early = Counter::FirstsEarly.offset() / 4;
    let waits = |distances, message| {
        after(posted, |bench| {
            bench.come(Frame { distances, ..of(message, 5) }).mark(Marker::Dropped, early);
        })
    };
    assert_eq!(waits((0, 0), 1), Some(34));
    assert_eq!(waits((1, 1), 1), None);
}

#[test]
fn messages_of_a_node_keep_their_order() {
    let posted = |bench: &mut Bench| _ = bench.receive(0, 0, 5).receive(1, ANY_TAG, 0).receive(2, 0, 5);
    let second = Frame { distances: (1, 1), ..of(1, 5) };
    assert_eq!(after(posted, |bench| _ = bench.matches(second, 0)), Some(27), "the one before it is open");
    let other_tag = Frame { distances: (0, 1), ..of(1, 9) };
    assert_eq!(after(posted, |bench| _ = bench.matches(other_tag, 1)), Some(27), "any tag waits for all");
    // A sender that does not say that message 0 is open.
    let overtakes = |bench: &mut Bench| _ = bench.matches(of(1, 5), 0).matches(of(0, 5), 1);
    assert_eq!(after(posted, overtakes), Some(27));
    // Messages that were given up take no turn.
    let given_up = |bench: &mut Bench| _ = bench.come(of(0, 5).answer(ABORT)).matches(second, 0);
    assert_eq!(after(posted, given_up), None);
}

#[test]
fn what_a_frame_says_of_earlier_messages_counts_when_its_receive_is_looked_for() {
    let posted = |bench: &mut Bench| _ = bench.receive(0, ANY_TAG, 0);
    let reserved = |message| of(message, RESERVED_TAG_MIN);
    let early = Counter::FirstsEarly.offset() / 4;
    // Message 1 says that message 0 is open.
    let waits =
        |bench: &mut Bench| _ = bench.come(Frame { distances: (0, 1), ..of(1, 5) }).mark(Marker::Dropped, early);
    let good = |bench: &mut Bench| {
        posted(bench);
        bench.come(reserved(1)).mark(Marker::MatchBegun, 0).mark(Marker::MessageRefused, 1);
    };
    assert_eq!(after(good, waits), Some(34), "message 1 said that message 0 is not open");
    // The same frame, for the incarnation of this node before.
    let dropped = |bench: &mut Bench| {
        posted(bench);
        bench.come(reserved(1)).mark(Marker::Dropped, Counter::FramesMalformed.offset() / 4);
    };
    assert_eq!(after(dropped, waits), None);
    let matched = |bench: &mut Bench| _ = bench.matches(Frame { distances: (0, 1), ..of(1, 5) }, 0);
    assert_eq!(after(dropped, matched), Some(27), "message 0 is open");
}

#[test]
fn what_came_before_a_message_was_given_up_may_be_acknowledged_behind_that() {
    let begun = |bench: &mut Bench| _ = bench.receive(0, 0, 0).matches(LONG, 0).come(LONG.data(1));
    let ack = LONG.data(2).answer(ACK);
    let fail = |bench: &mut Bench| _ = bench.mark(Marker::ReceiveFailed, 0);
    let came_before = |bench: &mut Bench| {
        bench.come(LONG.data(2));
        fail(bench);
        bench.leave(ack);
    };
    assert_eq!(after(begun, came_before), None);
    let came_behind = |bench: &mut Bench| {
        fail(bench);
        bench.come(LONG.data(2)).leave(ack);
    };
    assert_eq!(after(begun, came_behind), Some(29));
    let never_came = |bench: &mut Bench| {
        fail(bench);
        bench.leave(ack);
    };
    assert_eq!(after(begun, never_came), Some(29));
}

#[test]
fn an_acknowledgement_covers_what_has_come() {
    let begun = |bench: &mut Bench| {
        bench.receive(0, 0, 0).matches(LONG, 0).come(LONG.data(1));
    };
    let whole = |bench: &mut Bench| {
        begun(bench);
        bench.come(LONG.data(2)).come(LONG.data(3));
    };
    let ack = |number| LONG.data(number).answer(ACK);
    assert_eq!(after(begun, |bench| _ = bench.leave(ack(1))), Some(29), "two of three frames");
    assert_eq!(after(begun, |bench| _ = bench.come(LONG.data(2)).leave(ack(2))), None);
    let twice = |bench: &mut Bench| _ = bench.come(LONG.data(1)).leave(ack(1));
    assert_eq!(after(begun, twice), Some(29), "a copy is no new frame");
    let inexact = |bench: &mut Bench| _ = bench.come(Frame { bytes: 100, ..LONG.data(2) }).leave(ack(2));
    assert_eq!(after(begun, inexact), Some(29), "a frame that is not cut so");
    let damaged = |bench: &mut Bench| _ = bench.come(LONG.data(2)).mark(Marker::Dropped, 0).leave(ack(2));
    assert_eq!(after(begun, damaged), Some(29), "a frame that was dropped");
    assert_eq!(after(whole, |bench| _ = bench.leave(ack(3))), Some(29), "before the data are in memory");
    assert_eq!(after(whole, |bench| _ = bench.leave(ack(2))), None, "of the first collection");
    let unknown = |bench: &mut Bench| _ = bench.leave(Frame { message: 1, ..ack(1) });
    assert_eq!(after(begun, unknown), Some(29), "a message that never came");
}

#[test]
fn a_collection_is_acknowledged_in_bounded_time() {
    let begun = |bench: &mut Bench| {
        bench.receive(0, 0, 0).matches(LONG, 0).come(LONG.data(1)).come(LONG.data(2)).come(of(1, 9));
    };
    assert_eq!(after(begun, |bench| _ = bench.wait_us(21_000).mark(Marker::Idle, 0)), Some(30));
    let answered = |bench: &mut Bench| {
        bench.leave(LONG.data(2).answer(ACK)).wait_us(21_000).mark(Marker::Idle, 0);
    };
    assert_eq!(after(begun, answered), None);
    let failed = |bench: &mut Bench| _ = bench.mark(Marker::ReceiveFailed, 0).wait_us(21_000).mark(Marker::Idle, 0);
    assert_eq!(after(begun, failed), None, "it was given up");
}

#[test]
fn a_receive_ends_when_its_message_is_whole_and_in_memory() {
    let begun = |bench: &mut Bench| _ = bench.receive(0, 0, 0).matches(SHORT, 0);
    let received = |bench: &mut Bench| _ = bench.mark(Marker::MessageReceived, 0);
    let good = |bench: &mut Bench| {
        written(bench, 0);
        received(bench);
        bench.sees(200, stat::DONE);
    };
    assert_eq!(after(begun, good), None);
    assert_eq!(after(begun, received), Some(28), "the data are not in memory");
    let partly = |bench: &mut Bench| {
        bench.dma_write(PAGE).dma_write(PAGE + 4).dma_write(PAGE + 8).dma_write(PAGE + 12);
        received(bench);
    };
    assert_eq!(after(begun, partly), Some(28), "the last bytes are missing");
    let unseen = |bench: &mut Bench| {
        written(bench, 0);
        bench.sees(200, stat::DONE);
    };
    assert_eq!(after(begun, unseen), Some(28), "the host sees it before");
    let never = |bench: &mut Bench| _ = bench.receive(0, 0, 0);
    assert_eq!(after(never, received), Some(28), "no message has come");
    assert_eq!(after(never, |bench| _ = bench.sees(200, stat::DONE)), Some(28));
    let long = |bench: &mut Bench| _ = bench.receive(0, 0, 0).matches(LONG, 0).come(LONG.data(1));
    assert_eq!(after(long, received), Some(28), "frames are missing");
}

#[test]
fn nothing_of_another_incarnation_is_matched() {
    let posted = |bench: &mut Bench| _ = bench.receive(0, 0, 5).receive(1, 0, 5).matches(of(0, 5), 0);
    let old = |bench: &mut Bench| _ = bench.matches(Frame { session: 1, ..of(1, 5) }, 1);
    assert_eq!(after(posted, old), Some(31));
    let restarted = |bench: &mut Bench| {
        bench.restarts(1, 1).matches(Frame { session: 1, ..of(0, 5) }, 1);
    };
    assert_eq!(after(posted, restarted), None);
}
