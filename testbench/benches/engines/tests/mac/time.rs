//! Time: docs/link.md quotes these numbers.

use bench_engines::ethernet::{frame, symbols};
use bench_engines::mac::{Clocks, Seen, RX_PORT, TX_PORT};
use nic_layout::registers::mac_tx;

use crate::scene::{arrive, lost_in_an_outage, put_tx, receiver, transmitter, DATA};

/// The shortest interruption of a port's grants that costs a frame.
fn tolerance_cycles(clocks: Clocks, port: usize) -> usize {
    let costs_a_frame =
        |outage: &usize| (0..120).step_by(5).any(|from| lost_in_an_outage(clocks, port, from, *outage) > 0);
    (20..200).step_by(2).find(costs_a_frame).expect("an outage that is too long")
}

#[test]
fn the_crossings_bridge_the_documented_outages() {
    let measured = Clocks::PLATFORMS.map(|clocks| [TX_PORT, RX_PORT].map(|port| tolerance_cycles(clocks, port)));
    println!("outages that cost a frame, transmit and receive, tigon2 and lanai9: {measured:?} core clocks");
    for [transmit, receive] in measured {
        assert!(transmit >= 26 && receive >= 76, "{measured:?}");
    }
}

#[test]
fn a_frame_starts_and_arrives_within_the_documented_clocks() {
    for (clocks, name) in [(Clocks::TIGON2, "tigon2"), (Clocks::LANAI9, "lanai9")] {
        let (mut start, mut arrival) = (vec![], vec![]);
        for seed in 0..40 {
            let mut bench = transmitter(clocks, seed);
            put_tx(&mut bench, 0, DATA, 1000);
            bench.write(mac_tx::PRODUCER.offset(), 1);
            bench.until("the frame", |b| b.sends());
            let written = bench.first(Seen::ProducerWritten);
            start.push(bench.core_cycles(written, bench.first(Seen::TxEnable(true))));

            let mut bench = receiver(clocks, seed, 24);
            let data = bench.chance.bytes(1000);
            arrive(&mut bench, &symbols(7, &frame(&data)), 12);
            bench.until("the event", |b| b.count(Seen::EventRx) == 1);
            arrival.push(bench.core_cycles(bench.first(Seen::RxEnd), bench.first(Seen::EventRx)));
        }
        let range = |all: &[u64]| (*all.iter().min().unwrap(), *all.iter().max().unwrap());
        println!("{name}: PRODUCER to TX_EN {:?}, RX_DV low to event {:?} core clocks", range(&start), range(&arrival));
        assert!(range(&start).1 <= 15, "{start:?}");
        assert!(range(&arrival).1 <= 12, "{arrival:?}");
    }
}
