//! Facts about the MAC.

use bench_engines::ethernet::{bursts, frame, symbols, with_fcs, LinkSymbol, FCS_BYTES, LINK_IDLE, MIN_BYTES};
use bench_engines::mac::{Clocks, MacBench, Seen, RX_PORT, TX_PORT};
use bench_engines::memory::{Grants, SRAM_BYTES};
use nic_layout::registers::{mac_rx, mac_tx, Offset};
use nic_layout::ring::{MAC_FLAG_EVENT, MAC_FLAG_SKIP, MAC_STATUS_DONE};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const TX_RING: u32 = 0x100;
const RX_RING: u32 = 0x900;
const DATA: u32 = 0x1100;
const MAX_FRAME: u32 = 9018;

/// How late a link port of the SRAM may be (docs/memory.md).
const LATE: Grants = Grants::After(3);

// ---- Transmit --------------------------------------------------------------------------------

fn transmitter(clocks: Clocks, seed: u64) -> MacBench {
    let mut bench = MacBench::new(clocks, seed);
    bench.write(mac_rx::MAX_FRAME.offset(), MAX_FRAME);
    bench.write(mac_tx::RING_BASE.offset(), TX_RING);
    bench.write(mac_tx::CONTROL.offset(), 1);
    bench
}

fn put_tx(bench: &mut MacBench, index: u32, address: u32, word1: u32) {
    let at = TX_RING + index % 256 * 8;
    bench.sram.set_word32(at, address);
    bench.sram.set_word32(at + 4, word1);
}

/// The bytes on the wire of a frame with these data, from the preamble on.
fn wire(data: &[u8]) -> Vec<u8> {
    symbols(7, &frame(data)).iter().map(|symbol| symbol.data).collect()
}

fn sram(bench: &MacBench, address: u32, bytes: usize) -> Vec<u8> {
    bench.sram.bytes[address as usize..][..bytes].to_vec()
}

fn tx_consumer(bench: &mut MacBench) -> u32 {
    bench.read(mac_tx::CONSUMER.offset())
}

/// Sends until so many frames have ended on the wire, and a little longer.
fn send(bench: &mut MacBench, producer: u32, ended: usize) -> Vec<bench_engines::ethernet::Burst> {
    bench.write(mac_tx::PRODUCER.offset(), producer);
    bench.until("the frames", |b| b.count(Seen::TxEnable(false)) == ended);
    bench.clocks(40);
    bursts(&bench.sent)
}

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

/// The same cases in every run, unless PROPTEST_RNG_SEED says otherwise. A failure prints its shrunk input, seed included.
fn cases(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let rng_seed = match default.rng_seed {
        RngSeed::Random => RngSeed::Fixed(1),
        chosen => chosen,
    };
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..default }
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

// ---- Receive -----------------------------------------------------------------------------------

const BUFFER_BYTES: u32 = 2048;

fn receiver(clocks: Clocks, seed: u64, buffers: u32) -> MacBench {
    let mut bench = MacBench::new(clocks, seed);
    bench.write(mac_rx::RING_BASE.offset(), RX_RING);
    bench.write(mac_rx::BUFFER_BYTES.offset(), BUFFER_BYTES);
    for i in 0..256 {
        let at = RX_RING + i * 8;
        bench.sram.set_word32(at, buffer(i));
        bench.sram.set_word32(at + 4, 0x1BAD_F00D);
    }
    bench.write(mac_rx::PRODUCER.offset(), buffers);
    bench.write(mac_rx::CONTROL.offset(), 1);
    bench.clocks(10);
    bench
}

/// Where buffer `index` is: 24 places, so that up to 24 frames can be looked at together.
fn buffer(index: u32) -> u32 {
    DATA + index % 24 * BUFFER_BYTES
}

fn arrive(bench: &mut MacBench, frame: &[LinkSymbol], gap: usize) {
    bench.incoming.extend(frame);
    bench.incoming.extend(vec![LINK_IDLE; gap]);
}

const ENDINGS: [Offset; 8] = [
    mac_rx::FRAMES.offset(),
    mac_rx::BAD_FCS.offset(),
    mac_rx::RUNTS.offset(),
    mac_rx::GIANTS.offset(),
    mac_rx::RX_ERRORS.offset(),
    mac_rx::BAD_PREAMBLES.offset(),
    mac_rx::NO_BUFFER.offset(),
    mac_rx::OVERFLOWS.offset(),
];

/// All endings as [`ENDINGS`] orders them, after checking that they add up (INV-38).
fn endings(bench: &mut MacBench) -> [u32; 8] {
    let counts = ENDINGS.map(|offset| bench.read(offset));
    assert_eq!(bench.read(mac_rx::STARTED.offset()), counts.iter().sum::<u32>(), "{counts:?}");
    let drops = counts[1..].iter().sum::<u32>();
    assert_eq!((bench.count(Seen::ProbeRxDone), bench.count(Seen::ProbeRxDrop)), (counts[0] as usize, drops as usize));
    assert_eq!(bench.count(Seen::EventRx), counts[0] as usize);
    assert_eq!(bench.count(Seen::EventError), counts[7] as usize);
    counts
}

/// The data of the good frame with this index, as the ring tells them.
fn received(bench: &MacBench, index: u32) -> Vec<u8> {
    let status = bench.sram.word32(RX_RING + index % 256 * 8 + 4);
    assert_eq!(status & !0xFFFF, MAC_STATUS_DONE, "entry {index}");
    sram(bench, buffer(index), (status & 0xFFFF) as usize)
}

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
                // Neither the FCS nor anything else behind the last word.
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

/// Ways in which a frame can be wrong on the wire, each with its counter among [`ENDINGS`].
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

    /// INV-11 and INV-38: whatever comes, the ring holds good frames only, in order and whole, and every frame is counted once.
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

// ---- Both directions ---------------------------------------------------------------------------

/// Back-to-back frames in both directions, every SRAM access as late as the budget allows.
fn line_rate(clocks: Clocks, data_bytes: usize, frames: u32) {
    let mut bench = receiver(clocks, 30, 0);
    for port in [RX_PORT, TX_PORT] {
        bench.sram.set_grants(port, LATE);
    }
    bench.write(mac_tx::RING_BASE.offset(), TX_RING);
    let tx_data = sram(&bench, DATA, data_bytes);
    for i in 0..256 {
        put_tx(&mut bench, i, DATA, data_bytes as u32);
        // Receive beside what is sent.
        bench.sram.set_word32(RX_RING + 8 * i, DATA + 2048 * (1 + i % 20));
    }
    let rx_data = bench.chance.bytes(data_bytes);
    bench.write(mac_rx::PRODUCER.offset(), frames);
    bench.write(mac_tx::PRODUCER.offset(), frames);
    bench.write(mac_tx::CONTROL.offset(), 1);
    for _ in 0..frames {
        arrive(&mut bench, &symbols(7, &frame(&rx_data)), 12);
    }
    bench.until("all frames sent", |b| b.count(Seen::TxEnable(false)) == frames as usize);
    bench.settle();

    assert_eq!(endings(&mut bench)[0], frames, "received");
    assert_eq!(bench.sram.bytes[DATA as usize + 2048..][..data_bytes], rx_data);
    assert_eq!(bench.read(mac_tx::UNDERRUNS.offset()), 0);
    let sent = bursts(&bench.sent);
    assert_eq!(sent.len(), frames as usize);
    for (i, one) in sent.iter().enumerate() {
        assert_eq!(one.bytes, wire(&tx_data));
        assert!(i == 0 || one.gap == 12, "a gap of {} before frame {i}", one.gap);
    }
}

#[test]
fn full_frames_run_at_line_rate_both_ways_on_both_platforms() {
    for clocks in Clocks::PLATFORMS {
        line_rate(clocks, 1514, 120);
    }
}

#[test]
fn least_frames_run_at_line_rate_both_ways_on_both_platforms() {
    for clocks in Clocks::PLATFORMS {
        line_rate(clocks, 60, 250);
    }
}

/// Runs one frame, with one stretch of clocks in which a port gets nothing, and returns the frames that were lost.
fn lost_in_an_outage(clocks: Clocks, port: usize, from: usize, outage: usize) -> u32 {
    let mut bench = receiver(clocks, 32, 24);
    bench.write(mac_tx::RING_BASE.offset(), TX_RING);
    put_tx(&mut bench, 0, DATA, 600);
    bench.write(mac_tx::CONTROL.offset(), 1);
    let data = bench.chance.bytes(600);
    if port == RX_PORT {
        arrive(&mut bench, &symbols(7, &frame(&data)), 12);
    } else {
        bench.write(mac_tx::PRODUCER.offset(), 1);
    }
    bench.sram.set_grants(port, LATE);
    bench.clocks(from);
    bench.sram.set_grants(port, Grants::Never);
    bench.clocks(outage);
    bench.sram.set_grants(port, LATE);
    bench.clocks(1200);
    bench.read(mac_tx::UNDERRUNS.offset()) + bench.read(mac_rx::OVERFLOWS.offset())
}

#[test]
fn an_outage_of_20_clocks_for_transmit_and_60_for_receive_costs_no_frame_at_any_time() {
    for clocks in Clocks::PLATFORMS {
        for from in 0..150 {
            assert_eq!(lost_in_an_outage(clocks, TX_PORT, from, 20), 0, "transmit, from clock {from}");
            assert_eq!(lost_in_an_outage(clocks, RX_PORT, from, 60), 0, "receive, from clock {from}");
        }
    }
}

#[test]
fn a_reset_at_any_time_silences_the_link_and_the_sram_port() {
    for after in (0..400).step_by(7) {
        let mut bench = receiver(Clocks::TIGON2, 31, 24);
        bench.write(mac_tx::RING_BASE.offset(), TX_RING);
        // Beside the receive buffers.
        let tx_buffer = SRAM_BYTES as u32 - 512;
        put_tx(&mut bench, 0, tx_buffer, 300);
        bench.write(mac_tx::CONTROL.offset(), 1);
        bench.write(mac_tx::PRODUCER.offset(), 1);
        let data = bench.chance.bytes(300);
        arrive(&mut bench, &symbols(7, &frame(&data)), 12);
        bench.clocks(after);
        bench.reset();
        for _ in 0..400 {
            bench.clock();
            assert!(!bench.requests_sram() && !bench.sends(), "reset after {after} clocks");
        }
        assert_eq!(endings(&mut bench), [0; 8]);
        // And everything works again.
        bench.write(mac_rx::RING_BASE.offset(), RX_RING);
        bench.write(mac_rx::PRODUCER.offset(), 1);
        bench.write(mac_rx::CONTROL.offset(), 1);
        bench.write(mac_tx::RING_BASE.offset(), TX_RING);
        bench.write(mac_tx::CONTROL.offset(), 1);
        bench.clocks(10);
        bench.sent.clear();
        arrive(&mut bench, &symbols(7, &frame(&data)), 12);
        let sent = send(&mut bench, 1, 1);
        bench.settle();
        assert_eq!(sent[0].bytes, wire(&sram(&bench, tx_buffer, 300)));
        assert_eq!(received(&bench, 0), data);
    }
}

// ---- Time. docs/link.md quotes these numbers. ------------------------------------------------------

/// The shortest outage of a port that costs a frame.
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

// ---- Assertions that fire ------------------------------------------------------------------

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
