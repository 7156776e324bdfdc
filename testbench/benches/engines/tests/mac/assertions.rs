//! Assertions that fire.

use bench_engines::ethernet::{frame, symbols};
use bench_engines::mac::{Clocks, MacBench};
use nic_layout::registers::mac_tx;

use crate::scene::{arrive, put_tx, receiver, transmitter, DATA};

fn fires(mut bench: MacBench, rule: &str) {
    for _ in 0..2000 {
        if let Err(error) = bench.try_clock() {
            assert!(error.to_string().contains(rule), "{error}");
            return;
        }
    }
    panic!("{rule} did not fire");
}

#[test]
fn a_missing_answer_of_the_sram_is_noticed() {
    let mut bench = transmitter(Clocks::TIGON2, 40);
    put_tx(&mut bench, 0, DATA, 100);
    bench.mute_sram = true;
    bench.write(mac_tx::PRODUCER.offset(), 1);
    fires(bench, "Answer");

    let mut bench = receiver(Clocks::TIGON2, 41, 24);
    bench.mute_sram = true;
    let data = bench.chance.bytes(100);
    arrive(&mut bench, &symbols(7, &frame(&data)), 12);
    fires(bench, "Answer");
}

#[test]
fn more_frames_than_the_ring_holds_are_noticed() {
    let mut bench = transmitter(Clocks::TIGON2, 42);
    put_tx(&mut bench, 0, DATA, 100);
    bench.write(mac_tx::PRODUCER.offset(), 257);
    fires(bench, "OwnedNeverExceedsRing");
}
