//! Frames that arrive, good and bad.

use bench_engines::ethernet::{frame, symbols, with_fcs, LinkSymbol, FCS_BYTES};
use bench_engines::mac::{Clocks, Seen, RX_PORT};
use bench_engines::memory::{Grants, SRAM_BYTES};
use nic_layout::registers::mac_rx;
use nic_layout::ring::MAC_STATUS_DONE;
use proptest::prelude::*;

use crate::common::cases;
use crate::scene::{arrive, buffer, endings, received, receiver, sram, DATA, MAX_FRAME, RX_RING};

#[test]
fn good_frames_of_every_length_arrive_byte_by_byte() {
    for clocks in Clocks::PLATFORMS {
        let lengths: Vec<usize> = (60..=200).chain([511, 512, 513, 1513, 1514]).collect();
        for some in lengths.chunks(24) {
            let mut bench = receiver(clocks, some[0] as u64, 256);
            let before = bench.sram.bytes.clone();
            let data: Vec<_> = some.iter().map(|n| bench.chance.bytes(*n)).collect();
            for one in &data {
                arrive(&mut bench, &symbols(7, &frame(one)), 12);
            }
            bench.settle();
            let mut bytes = 0;
            for (i, one) in data.iter().enumerate() {
                let i = i as u32;
                assert_eq!(received(&bench, i), *one, "{} bytes", one.len());
                // Neither the FCS nor any other byte is written behind the last word.
                let (from, to) = ((buffer(i) as usize + one.len()).next_multiple_of(8), buffer(i + 1) as usize);
                assert!(to < from || bench.sram.bytes[from..to] == before[from..to], "{} bytes", one.len());
                bytes += one.len() + FCS_BYTES;
            }
            assert_eq!(endings(&mut bench), [some.len() as u32, 0, 0, 0, 0, 0, 0, 0]);
            assert_eq!(bench.read(mac_rx::BYTES.offset()), bytes as u32);
            assert_eq!(bench.read(mac_rx::CONSUMER.offset()), some.len() as u32);
        }
    }
}

#[test]
fn the_longest_frame_arrives_and_one_byte_more_does_not() {
    for clocks in Clocks::PLATFORMS {
        let mut bench = receiver(clocks, 10, 4);
        bench.write(mac_rx::BUFFER_BYTES.offset(), 9024);
        bench.write(mac_rx::MAX_FRAME.offset(), MAX_FRAME);
        for i in 0..4 {
            bench.sram.set_word32(RX_RING + 8 * i, DATA + 9024 * i);
        }
        let data = bench.chance.bytes(MAX_FRAME as usize);
        let more = bench.chance.bytes(MAX_FRAME as usize + 1);
        arrive(&mut bench, &symbols(7, &frame(&more)), 12);
        arrive(&mut bench, &symbols(7, &frame(&data)), 12);
        bench.settle();
        assert_eq!(bench.sram.word32(RX_RING + 4), MAC_STATUS_DONE | MAX_FRAME);
        assert_eq!(sram(&bench, DATA, data.len()), data);
        assert_eq!(endings(&mut bench), [1, 0, 0, 1, 0, 0, 0, 0]);
    }
}

/// The ways in which a frame can be wrong on the wire, each with its counter among [`ENDINGS`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wrong {
    Nothing,
    Fcs,
    Runt,
    Giant,
    RxError,
    Preamble,
    NoDelimiter,
}

impl Wrong {
    const ALL: [Wrong; 7] =
        [Wrong::Nothing, Wrong::Fcs, Wrong::Runt, Wrong::Giant, Wrong::RxError, Wrong::Preamble, Wrong::NoDelimiter];

    fn ending(self) -> usize {
        match self {
            Wrong::Nothing => 0,
            Wrong::Fcs => 1,
            Wrong::Runt => 2,
            Wrong::Giant => 3,
            Wrong::RxError => 4,
            Wrong::Preamble | Wrong::NoDelimiter => 5,
        }
    }

    /// The symbols of a frame with these data, spoilt. `place` chooses where.
    fn apply(self, data: &[u8], preamble_bytes: usize, place: usize) -> Vec<LinkSymbol> {
        let mut good = symbols(preamble_bytes, &frame(data));
        match self {
            Wrong::Nothing => good,
            Wrong::Fcs => {
                let at = preamble_bytes + 1 + place % (good.len() - preamble_bytes - 1);
                good[at].data ^= 1 << (place % 8);
                good
            }
            // With and without an FCS that fits.
            Wrong::Runt if place % 2 == 0 => symbols(preamble_bytes, &with_fcs(data[..place % 60].to_vec())),
            Wrong::Runt => symbols(preamble_bytes, &data[..place % 60]),
            Wrong::Giant => symbols(preamble_bytes, &frame(&data.repeat(1515 / data.len() + 1))),
            Wrong::RxError => {
                let at = place % good.len();
                good[at].error = true;
                good
            }
            Wrong::Preamble => {
                good.insert(place % (preamble_bytes + 1), LinkSymbol { data: 0xD4, enable: true, error: false });
                good
            }
            Wrong::NoDelimiter => {
                good[..1 + place % preamble_bytes.max(1)].iter().map(|s| LinkSymbol { data: 0x55, ..*s }).collect()
            }
        }
    }
}

#[test]
fn each_wrong_frame_has_its_counter_and_leaves_the_buffer_to_the_next() {
    for clocks in Clocks::PLATFORMS {
        for wrong in Wrong::ALL.into_iter().skip(1) {
            for place in [0, 1, 2, 3, 4, 5, 6, 7, 8, 20, 59, 63, 70] {
                let mut bench = receiver(clocks, 11, 1);
                let data = bench.chance.bytes(100);
                arrive(&mut bench, &wrong.apply(&data, 7, place), 12);
                bench.settle();
                assert_eq!(bench.read(mac_rx::CONSUMER.offset()), 0, "{wrong:?} at {place}");
                arrive(&mut bench, &symbols(7, &frame(&data[..77])), 12);
                bench.settle();
                let mut wanted = [1, 0, 0, 0, 0, 0, 0, 0];
                wanted[wrong.ending()] = 1;
                assert_eq!(endings(&mut bench), wanted, "{wrong:?} at {place}");
                assert_eq!(received(&bench, 0), data[..77]);
            }
        }
    }
}

#[test]
fn a_short_preamble_and_even_none_is_enough() {
    let mut bench = receiver(Clocks::TIGON2, 12, 24);
    let data = bench.chance.bytes(64);
    for preamble_bytes in [0, 1, 6, 7, 30] {
        arrive(&mut bench, &symbols(preamble_bytes, &frame(&data)), 12);
    }
    bench.settle();
    assert_eq!(endings(&mut bench)[0], 5);
}

#[test]
fn one_idle_clock_between_frames_is_enough() {
    for clocks in Clocks::PLATFORMS {
        let mut bench = receiver(clocks, 13, 24);
        let data: Vec<_> = (60..76).map(|n| bench.chance.bytes(n)).collect();
        for (i, one) in data.iter().enumerate() {
            arrive(&mut bench, &Wrong::ALL[[0, 1][i % 2]].apply(one, 0, i), 1);
            arrive(&mut bench, &Wrong::NoDelimiter.apply(one, 1, 0), 1);
        }
        bench.settle();
        assert_eq!(endings(&mut bench), [8, 8, 0, 0, 0, 16, 0, 0]);
        for i in 0..8 {
            assert_eq!(received(&bench, i), data[2 * i as usize]);
        }
    }
}

#[test]
fn frames_without_a_buffer_are_dropped_whole() {
    let mut bench = receiver(Clocks::LANAI9, 14, 2);
    let data: Vec<_> = (0..5).map(|n| bench.chance.bytes(200 + n)).collect();
    for one in &data[..4] {
        arrive(&mut bench, &symbols(7, &frame(one)), 12);
    }
    bench.settle();
    assert_eq!(endings(&mut bench), [2, 0, 0, 0, 0, 0, 2, 0]);
    bench.write(mac_rx::PRODUCER.offset(), 3);
    arrive(&mut bench, &symbols(7, &frame(&data[4])), 12);
    bench.settle();
    assert_eq!(received(&bench, 2), data[4]);
}

#[test]
fn a_buffer_that_comes_in_mid_frame_serves_the_next_frame() {
    let mut bench = receiver(Clocks::TIGON2, 15, 0);
    let data = bench.chance.bytes(1000);
    arrive(&mut bench, &symbols(7, &frame(&data)), 12);
    bench.clocks(300);
    bench.write(mac_rx::PRODUCER.offset(), 1);
    bench.settle();
    assert_eq!(endings(&mut bench), [0, 0, 0, 0, 0, 0, 1, 0]);
}

#[test]
fn a_frame_larger_than_its_buffer_never_leaves_it() {
    let mut bench = receiver(Clocks::TIGON2, 16, 24);
    bench.write(mac_rx::BUFFER_BYTES.offset(), 104);
    let before = bench.sram.bytes.clone();
    let data = bench.chance.bytes(1514);
    for n in [105, 1514, 104] {
        arrive(&mut bench, &symbols(7, &frame(&data[..n])), 12);
    }
    bench.settle();
    assert_eq!(endings(&mut bench), [1, 0, 0, 0, 0, 0, 0, 2]);
    assert_eq!(received(&bench, 0), data[..104]);
    assert!(bench.sram.bytes[buffer(0) as usize + 104..] == before[buffer(0) as usize + 104..]);
}

#[test]
fn a_buffer_outside_the_sram_takes_nothing() {
    for address in [SRAM_BYTES as u32, 0xFFFF_FFF8, SRAM_BYTES as u32 - 64] {
        let mut bench = receiver(Clocks::TIGON2, 17, 24);
        bench.sram.set_word32(RX_RING, address);
        let data = bench.chance.bytes(80);
        arrive(&mut bench, &symbols(7, &frame(&data)), 12);
        bench.settle();
        assert_eq!(endings(&mut bench), [0, 0, 0, 0, 0, 0, 0, 1]);
    }
}

#[test]
fn late_sram_drops_whole_frames_each_counted_once() {
    for clocks in Clocks::PLATFORMS {
        for stop in [0, 20, 100, 400] {
            let mut bench = receiver(clocks, 18, 24);
            let data: Vec<_> = (0..8).map(|n| bench.chance.bytes(300 + n)).collect();
            for one in &data {
                arrive(&mut bench, &symbols(7, &frame(one)), 12);
            }
            bench.clocks(stop);
            bench.sram.set_grants(RX_PORT, Grants::Never);
            bench.clocks(900);
            bench.sram.set_grants(RX_PORT, Grants::Always);
            bench.settle();
            let counts = endings(&mut bench);
            assert!(counts[7] >= 2 && counts[0] >= 1 && counts[0] + counts[7] == 8, "{counts:?}");
            let mut rest = data.iter();
            for i in 0..counts[0] {
                let got = received(&bench, i);
                assert!(rest.any(|one| *one == got), "a frame of no sender");
            }
        }
    }
}

#[test]
fn reception_is_switched_between_frames() {
    let mut bench = receiver(Clocks::TIGON2, 19, 24);
    let data = bench.chance.bytes(400);
    bench.write(mac_rx::CONTROL.offset(), 0);
    bench.clocks(10);
    arrive(&mut bench, &symbols(7, &frame(&data)), 12);
    bench.clocks(100);
    bench.write(mac_rx::CONTROL.offset(), 1);
    bench.settle();
    assert_eq!(endings(&mut bench), [0; 8], "a frame whose begin was missed is not counted");
    arrive(&mut bench, &symbols(7, &frame(&data)), 12);
    bench.clocks(100);
    bench.write(mac_rx::CONTROL.offset(), 0);
    arrive(&mut bench, &symbols(7, &frame(&data)), 12);
    bench.settle();
    assert_eq!(endings(&mut bench), [1, 0, 0, 0, 0, 0, 0, 0], "a frame that has begun is received to its end");
}

#[test]
fn consumer_is_writable_only_while_disabled_and_idle() {
    let mut bench = receiver(Clocks::TIGON2, 20, 24);
    let consumer = mac_rx::CONSUMER.offset();
    bench.write(consumer, 7);
    assert_eq!(bench.read(consumer), 0, "while enabled");
    let data = bench.chance.bytes(400);
    arrive(&mut bench, &symbols(7, &frame(&data)), 12);
    bench.clocks(50);
    bench.write(mac_rx::CONTROL.offset(), 0);
    bench.clocks(50);
    bench.write(consumer, 7);
    assert_eq!(bench.read(consumer), 0, "while a frame arrives");
    bench.settle();
    assert_eq!(bench.read(consumer), 1);
    bench.write(consumer, 7);
    assert_eq!(bench.read(consumer), 7);
}

#[test]
fn receive_indices_wrap_at_two_to_the_sixteen() {
    let mut bench = receiver(Clocks::LANAI9, 21, 0);
    bench.write(mac_rx::CONTROL.offset(), 0);
    bench.clocks(20);
    bench.write(mac_rx::CONSUMER.offset(), 0xFFFE);
    bench.write(mac_rx::PRODUCER.offset(), 3);
    bench.write(mac_rx::CONTROL.offset(), 1);
    bench.clocks(20);
    let data: Vec<_> = (0..6).map(|n| bench.chance.bytes(90 + n)).collect();
    for one in &data {
        arrive(&mut bench, &symbols(7, &frame(one)), 12);
    }
    bench.settle();
    assert_eq!(endings(&mut bench), [5, 0, 0, 0, 0, 0, 1, 0]);
    assert_eq!(bench.read(mac_rx::CONSUMER.offset()), 3);
    for (i, one) in data[..5].iter().enumerate() {
        assert_eq!(received(&bench, (0xFFFE + i as u32) & 0xFFFF), *one);
    }
}

#[test]
fn data_then_status_then_consumer_and_event() {
    let mut bench = receiver(Clocks::TIGON2, 22, 24);
    let data = bench.chance.bytes(333);
    arrive(&mut bench, &symbols(7, &frame(&data)), 12);
    bench.until("the event", |b| b.count(Seen::EventRx) == 1);
    let writes: Vec<_> = bench.seen.iter().filter(|(_, s)| matches!(s, Seen::SramWrite { .. })).collect();
    let (status_ps, status) = writes[writes.len() - 1];
    assert_eq!(writes.len(), 333usize.div_ceil(8) + 1);
    let Seen::SramWrite { word, enables, data } = *status else { unreachable!() };
    assert_eq!((word, enables, (data >> 32) as u32), (RX_RING / 8, 0xF0, MAC_STATUS_DONE | 333));
    assert_eq!(bench.core_cycles(*status_ps, bench.first(Seen::EventRx)), 1);
    assert_eq!(bench.read(mac_rx::CONSUMER.offset()), 1);
}

proptest! {
    #![proptest_config(cases(150))]

    /// INV-11 and INV-38: whatever arrives, the ring holds good frames only, in order and whole,
    /// and every frame is counted once.
    #[test]
    fn every_frame_ends_in_exactly_one_way(
        work in prop::collection::vec((0usize..7, 60usize..300, any::<usize>(), 1usize..40, 0usize..9), 1..30),
        buffers in 0u32..24,
        grant in prop_oneof![3 => 60u32..=100, 1 => 2u32..12],
        ratio in (5_000u64..30_000, 5_000u64..9_000),
        seed in any::<u64>(),
    ) {
        let clocks = Clocks { core_ps: ratio.0, tx_ps: 8_000, rx_ps: ratio.1 };
        let mut bench = receiver(clocks, seed, buffers);
        bench.sram.set_grants(RX_PORT, Grants::Percent(grant));
        let mut good = Vec::new();
        let mut wanted = [0; 8];
        for (wrong, n, place, gap, preamble_bytes) in &work {
            let wrong = Wrong::ALL[*wrong];
            let data = bench.chance.bytes(*n);
            arrive(&mut bench, &wrong.apply(&data, *preamble_bytes, *place), *gap);
            wanted[wrong.ending()] += 1;
            if wrong == Wrong::Nothing {
                good.push(data);
            }
        }
        bench.settle();
        bench.sram.set_grants(RX_PORT, Grants::Always);
        bench.clocks(200);
        let counts = endings(&mut bench);
        prop_assert_eq!(counts.iter().sum::<u32>(), work.len() as u32);
        prop_assert_eq!(bench.read(mac_rx::CONSUMER.offset()), counts[0]);
        if counts[7] == 0 {
            prop_assert_eq!(&counts[1..6], &wanted[1..6]);
            prop_assert_eq!(counts[0], buffers.min(wanted[0]));
        }
        let mut rest = good.iter();
        for i in 0..counts[0] {
            let got = received(&bench, i);
            prop_assert!(rest.any(|one| *one == got), "frame {i} was not sent, or not in this order");
        }
    }
}
