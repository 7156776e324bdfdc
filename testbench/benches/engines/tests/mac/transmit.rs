//! Frames that leave.

use bench_engines::ethernet::{bursts, FCS_BYTES, MIN_BYTES};
use bench_engines::mac::{Clocks, MacBench, Seen, TX_PORT};
use bench_engines::memory::{Grants, SRAM_BYTES};
use nic_layout::registers::{mac_rx, mac_tx};
use nic_layout::ring::{MAC_FLAG_EVENT, MAC_FLAG_SKIP};
use proptest::prelude::*;

use crate::common::cases;
use crate::scene::{put_tx, send, sram, transmitter, tx_consumer, wire, DATA, MAX_FRAME, TX_RING};

#[test]
fn frames_of_every_length_leave_bit_exact_with_zero_padding_and_fcs() {
    for clocks in Clocks::PLATFORMS {
        let mut bench = transmitter(clocks, 1);
        let lengths: Vec<usize> = (1..=200).chain([1513, 1514, 4096, 9018]).collect();
        for (i, n) in lengths.iter().enumerate() {
            put_tx(&mut bench, i as u32, DATA + 24 * i as u32, *n as u32);
        }
        let sent = send(&mut bench, lengths.len() as u32, lengths.len());
        assert_eq!(sent.len(), lengths.len());
        let mut bytes = 0;
        for (i, n) in lengths.iter().enumerate() {
            assert_eq!(sent[i].bytes, wire(&sram(&bench, DATA + 24 * i as u32, *n)), "{n} bytes");
            assert_eq!(sent[i].errors, 0);
            bytes += n.max(&MIN_BYTES) + FCS_BYTES;
        }
        assert_eq!(bench.read(mac_tx::FRAMES.offset()), lengths.len() as u32);
        assert_eq!(bench.read(mac_tx::BYTES.offset()), bytes as u32);
        assert_eq!(bench.read(mac_tx::UNDERRUNS.offset()), 0);
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn every_frame_of_a_ring_leaves_once_and_in_order(
        lengths in prop::collection::vec(prop_oneof![3 => 1usize..130, 1 => 130usize..3000], 1..20),
        first in any::<u16>(),
        grant in 45u32..=100,
        tigon in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let mut bench = MacBench::new(if tigon { Clocks::TIGON2 } else { Clocks::LANAI9 }, seed);
        bench.sram.set_grants(TX_PORT, Grants::Percent(grant));
        bench.write(mac_rx::MAX_FRAME.offset(), MAX_FRAME);
        bench.write(mac_tx::RING_BASE.offset(), TX_RING);
        bench.write(mac_tx::CONSUMER.offset(), first as u32);
        bench.write(mac_tx::PRODUCER.offset(), first as u32);
        bench.write(mac_tx::CONTROL.offset(), 1);
        for (i, n) in lengths.iter().enumerate() {
            put_tx(&mut bench, first as u32 + i as u32, DATA + 2048 * i as u32, *n as u32 | MAC_FLAG_EVENT);
        }
        let end = first.wrapping_add(lengths.len() as u16) as u32;
        let sent = send(&mut bench, end, lengths.len());
        for (i, n) in lengths.iter().enumerate() {
            prop_assert_eq!(&sent[i].bytes, &wire(&sram(&bench, DATA + 2048 * i as u32, *n)));
            prop_assert!(i == 0 || sent[i].gap >= 12);
        }
        prop_assert_eq!(tx_consumer(&mut bench), end);
        prop_assert_eq!(bench.count(Seen::EventTx), lengths.len());
        prop_assert_eq!(bench.read(mac_tx::FRAMES.offset()), lengths.len() as u32);
    }
}

#[test]
fn skipped_and_refused_descriptors_are_consumed_counted_and_not_sent() {
    let mut bench = transmitter(Clocks::TIGON2, 2);
    let end = SRAM_BYTES as u32;
    let descriptors = [
        (DATA, 100),
        (DATA, 100 | MAC_FLAG_SKIP),
        (DATA, 0),
        (DATA, MAX_FRAME + 1),
        (end - 64, 65),
        (0xFFFF_FFF8, 64),
        (DATA, MAC_FLAG_SKIP | MAC_FLAG_EVENT),
        (end - 64, 64),
    ];
    for (i, (address, word1)) in descriptors.into_iter().enumerate() {
        put_tx(&mut bench, i as u32, address, word1);
    }
    let sent = send(&mut bench, 8, 2);
    assert_eq!(sent.len(), 2);
    assert_eq!(sent[1].bytes, wire(&sram(&bench, end - 64, 64)));
    assert_eq!(tx_consumer(&mut bench), 8);
    assert_eq!(bench.read(mac_tx::REFUSED.offset()), 4);
    assert_eq!(bench.read(mac_tx::SKIPPED.offset()), 2);
    assert_eq!(bench.read(mac_tx::FRAMES.offset()), 2);
    assert_eq!(bench.count(Seen::EventTx), 1);
    assert_eq!((bench.count(Seen::ProbeTxStart), bench.count(Seen::ProbeTxDone)), (8, 8));
}

#[test]
fn producer_counts_writes_advances_and_assists_of_one_clock() {
    let mut bench = MacBench::new(Clocks::LANAI9, 3);
    let producer = mac_tx::PRODUCER.offset();
    bench.write(producer, 0xFFF0);
    bench.write(mac_tx::ADVANCE.offset(), 5);
    assert_eq!(bench.read(producer), 0xFFF5);
    bench.assist();
    bench.assist();
    assert_eq!(bench.read(producer), 0xFFF7);
    bench.write_with_assist(mac_tx::ADVANCE.offset(), 255);
    assert_eq!(bench.read(producer), 0x00F7);
    bench.write_with_assist(producer, 10);
    assert_eq!(bench.read(producer), 11);
    bench.write_with_assist(mac_tx::RING_BASE.offset(), 0);
    assert_eq!(bench.read(producer), 12);
    assert_eq!(bench.read(mac_tx::ADVANCE.offset()), 0);
}

#[test]
fn the_buffer_is_free_when_consumer_has_passed() {
    let mut bench = transmitter(Clocks::LANAI9, 4);
    let data = sram(&bench, DATA, 700);
    put_tx(&mut bench, 0, DATA, 700 | MAC_FLAG_EVENT);
    bench.write(mac_tx::PRODUCER.offset(), 1);
    bench.until("the event", |b| b.count(Seen::EventTx) == 1);
    assert_eq!(tx_consumer(&mut bench), 1);
    assert!(bench.sends(), "the last bytes are still on their way");
    bench.sram.bytes[DATA as usize..][..700].fill(0xEE);
    bench.until("the frame", |b| b.count(Seen::TxEnable(false)) == 1);
    assert_eq!(bursts(&bench.sent)[0].bytes, wire(&data));
}

#[test]
fn late_sram_spoils_the_frame_on_purpose_and_only_that_one() {
    for clocks in Clocks::PLATFORMS {
        for stop in [30, 60, 200] {
            let mut bench = transmitter(clocks, 5);
            put_tx(&mut bench, 0, DATA, 1000);
            put_tx(&mut bench, 1, DATA, 300);
            bench.write(mac_tx::PRODUCER.offset(), 2);
            bench.until("the frame", |b| b.sends());
            bench.clocks(stop);
            bench.sram.set_grants(TX_PORT, Grants::Never);
            bench.until("the underrun", |b| b.count(Seen::EventError) == 1);
            bench.clocks(50);
            bench.sram.set_grants(TX_PORT, Grants::Always);
            bench.until("the second frame", |b| b.count(Seen::TxEnable(false)) == 2);
            bench.clocks(40);
            let sent = bursts(&bench.sent);
            assert_eq!((sent[0].errors, sent[1].errors), (1, 0));
            assert!(sent[0].bytes.len() < 1000);
            assert_eq!(sent[1].bytes, wire(&sram(&bench, DATA, 300)));
            assert_eq!(bench.read(mac_tx::UNDERRUNS.offset()), 1);
            assert_eq!(bench.read(mac_tx::FRAMES.offset()), 1);
            assert_eq!(bench.read(mac_tx::BYTES.offset()), 304);
        }
    }
}

#[test]
fn disabling_transmission_ends_after_the_current_frame() {
    let mut bench = transmitter(Clocks::TIGON2, 6);
    for i in 0..3 {
        put_tx(&mut bench, i, DATA, 500);
    }
    bench.write(mac_tx::PRODUCER.offset(), 3);
    bench.until("the frame", |b| b.sends());
    bench.write(mac_tx::CONTROL.offset(), 0);
    bench.clocks(2000);
    assert_eq!(bursts(&bench.sent).len(), 1);
    assert_eq!(tx_consumer(&mut bench), 1);
    bench.write(mac_tx::CONTROL.offset(), 1);
    bench.until("the rest", |b| b.count(Seen::TxEnable(false)) == 3);
}
