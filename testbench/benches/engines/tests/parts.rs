//! The assertions inside the engines that no neighbour can break: each fires when a part is
//! misused.

use bench_engines::{PartAlign, PartQueue, PartRing, PartShare, PartTx};
use verilated::{Context, Model};

/// Advances until an assertion fires, and checks its name.
fn fires(mut model: impl Model, rule: &str) {
    for clock in 0..20 {
        if let Err(error) = model.tick(clock * 10_000, 1) {
            assert!(error.to_string().contains(rule), "{error}");
            return;
        }
    }
    panic!("{rule} did not fire");
}

/// Two clocks of reset, after which all inputs are still zero.
macro_rules! fresh {
    ($part:ident) => {{
        let mut part = $part::new(Context::new()).expect("the model builds");
        part.rst_ni.set(0);
        part.tick(0, 1).expect("reset is quiet");
        part.tick(10_000, 1).expect("reset is quiet");
        part.rst_ni.set(1);
        part
    }};
}

#[test]
fn the_alignment_notices_a_start_of_no_bytes() {
    let align = fresh!(PartAlign);
    align.start_i.set(1);
    fires(align, "LengthIsNotZero");
}

#[test]
fn the_alignment_notices_a_start_before_it_is_empty() {
    let mut align = fresh!(PartAlign);
    align.start_i.set(1);
    align.len_bytes_i.set(64);
    align.tick(20_000, 1).expect("a legal start");
    align.start_i.set(0);
    align.in_valid_i.set(1);
    align.tick(30_000, 1).expect("a word");
    align.in_valid_i.set(0);
    align.start_i.set(1);
    fires(align, "StartsEmpty");
}

#[test]
fn the_alignment_notices_a_word_too_many() {
    let mut align = fresh!(PartAlign);
    align.start_i.set(1);
    align.len_bytes_i.set(8);
    align.tick(20_000, 1).expect("a legal start");
    align.start_i.set(0);
    align.in_valid_i.set(1);
    align.out_ready_i.set(1);
    fires(align, "NoWordTooMany");
}

#[test]
fn the_queue_notices_a_word_without_room() {
    let queue = fresh!(PartQueue);
    queue.put_i.set(1);
    fires(queue, "NeverOverfilled");
}

#[test]
fn the_shared_port_notices_a_withdrawn_request() {
    let mut share = fresh!(PartShare);
    share.b_req_i.set(1);
    share.tick(20_000, 1).expect("a request that waits");
    share.b_req_i.set(0);
    fires(share, "WaitingRequestIsNotWithdrawn");
}

#[test]
fn the_ring_notices_that_an_entry_is_consumed_that_is_not_there() {
    let ring = fresh!(PartRing);
    ring.consume_i.set(1);
    fires(ring, "ConsumesOnlyWhatItOwns");
}

#[test]
fn the_transmitter_notices_a_feed_that_promised_too_much() {
    let mut tx = fresh!(PartTx);
    tx.feed_valid_i.set(1);
    tx.feed_data_i.set(64);
    tx.feed_used_i.set(8);
    tx.tick(20_000, 1).expect("a header");
    tx.feed_valid_i.set(0);
    fires(tx, "FirstWordWaits");
}
