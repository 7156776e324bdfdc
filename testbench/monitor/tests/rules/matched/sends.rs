//! The watch of sends.

use nic_layout::personality::emp::descriptor::{stat, Descriptor};
use nic_layout::personality::emp::frame::{ACK, REFUSED};
use nic_layout::trace::Marker;

use super::bench::{Bench, Frame, LONG, POSTED, SEND, SHORT};

/// A send of [`LONG`] that the firmware has taken.
fn taken() -> Bench {
    let mut bench = Bench::new();
    bench.post_of(SEND, Descriptor { length_bytes: LONG.length, page_bytes: 4000, ..POSTED }, &[]);
    bench.mark(Marker::PostRead, SEND);
    bench
}

/// All frames have left.
fn sent() -> Bench {
    let mut bench = taken();
    bench.leave(LONG).leave(LONG.data(1)).leave(LONG.data(2)).leave(LONG.data(3));
    assert_eq!(bench.monitor.violation(), None);
    bench
}

fn ack(number: u16) -> Frame {
    LONG.data(number).answer(ACK)
}

#[test]
fn a_send_ends_when_every_collection_is_acknowledged() {
    let done = |bench: &mut Bench| bench.mark(Marker::MessageSent, SEND).sees(SEND, stat::DONE).broken();
    assert_eq!(done(sent().come(ack(1)).come(ack(3))), None);
    assert_eq!(done(sent().come(ack(3)).come(ack(2))), None, "in any order");
    assert_eq!(done(&mut sent()), Some(28));
    assert_eq!(done(sent().come(ack(1)).come(ack(2))), Some(28), "one collection twice");
    assert_eq!(done(sent().come(ack(1)).come(LONG.data(3).answer(REFUSED))), Some(28), "a refusal accepts nothing");
    let other = Frame { message: 7, ..ack(3) };
    assert_eq!(done(sent().come(ack(1)).come(other)), Some(28), "of another message");
    let old = Frame { session: 1, ..ack(3) };
    assert_eq!(done(sent().come(ack(1)).come(old)), Some(28), "of another incarnation");
    assert_eq!(sent().sees(SEND, stat::FAILED).broken(), None, "a failure needs none");
    let mut bench = Bench::new();
    bench.post_of(SEND, POSTED, &[]);
    assert_eq!(done(&mut bench), Some(28), "the firmware has not taken it");
}

/// The host looks at a send when its peer has started again, and a younger message has its number.
#[test]
fn a_send_is_judged_by_its_own_message_when_its_number_belongs_to_another() {
    let seen_late = |bench: &mut Bench, younger: &dyn Fn(&mut Bench)| {
        bench.mark(Marker::MessageSent, SEND).restarts(1, 1).mark(Marker::NumbersForgotten, 1);
        bench.post_of(SEND + 1, Descriptor { length_bytes: LONG.length, page_bytes: 4000, ..POSTED }, &[]);
        bench.mark(Marker::PostRead, SEND + 1);
        younger(bench);
        bench.sees(SEND, stat::DONE).broken()
    };
    let leaves = |bench: &mut Bench| _ = bench.leave(Frame { session: 1, ..LONG });
    assert_eq!(seen_late(sent().come(ack(1)).come(ack(3)), &|_| {}), None);
    assert_eq!(seen_late(sent().come(ack(1)).come(ack(3)), &leaves), None, "the younger one is on its way");
    assert_eq!(seen_late(&mut sent(), &|_| {}), Some(28), "the older one was not acknowledged");
}

#[test]
fn frames_that_leave_are_of_posted_messages() {
    assert_eq!(taken().leave(LONG).broken(), None);
    assert_eq!(taken().leave(Frame { tag: 1, ..LONG }).broken(), Some(27), "another tag");
    assert_eq!(taken().leave(SHORT).broken(), Some(27), "another length");
    assert_eq!(taken().leave(Frame { message: 1, ..LONG }).broken(), Some(27), "another number");
}

#[test]
fn a_message_that_is_not_accepted_does_not_rest() {
    let late = 2 * 64 * super::bench::RESEND_US + 100_000;
    let rests = |bench: &mut Bench, us| bench.wait_us(us).mark(Marker::Idle, 0).broken();
    assert_eq!(rests(&mut sent(), late - 100), None);
    assert_eq!(rests(&mut sent(), late + 100), Some(32));
    assert_eq!(rests(sent().wait_us(late / 2).leave(LONG), late / 2 + 100), None, "it was sent again");
    assert_eq!(rests(sent().mark(Marker::SendGivenUp, SEND), late + 100), None, "it was given up");
    assert_eq!(rests(sent().come(ack(1)).come(ack(3)).mark(Marker::MessageSent, SEND), late + 100), None);
}

#[test]
fn a_message_may_rest_while_an_earlier_one_is_accepted_in_parts() {
    let late = 2 * 64 * super::bench::RESEND_US + 100_000;
    // Half of the time later, after `step`, the other half passes.
    let rests = |step: &dyn Fn(&mut Bench)| {
        let mut bench = sent();
        bench.post_of(SEND + 1, Descriptor { length_bytes: LONG.length, page_bytes: 4000, ..POSTED }, &[]);
        bench.mark(Marker::PostRead, SEND + 1).come(ack(2)).wait_us(late / 2);
        step(&mut bench);
        bench.wait_us(late / 2 + 100).mark(Marker::Idle, 0).broken()
    };
    assert_eq!(rests(&|bench| _ = bench.leave(LONG).come(ack(3))), None);
    assert_eq!(rests(&|bench| _ = bench.leave(LONG)), Some(32), "the earlier one is only sent again");
    assert_eq!(rests(&|bench| _ = bench.leave(LONG).come(ack(1))), Some(32), "its collection was accepted before");
    let second = Frame { message: 1, ..LONG };
    let accepted = |bench: &mut Bench| _ = bench.leave(second).come(Frame { message: 1, ..ack(3) });
    assert_eq!(rests(&accepted), Some(32), "the earlier one rests, and the later one is accepted");
}
