//! Accesses of the host to the BARs, compared with two vectors of bytes.

use bench_pci::{Bench, Setup, BAR0, BAR0_BYTES, BAR1, SRAM_BYTES};
use host_pci::{BusAddr, ReadKind, Settings, Transaction, Word};
use proptest::prelude::*;

fn bench() -> Bench {
    Bench::new(Setup::default()).unwrap()
}

#[test]
fn every_combination_of_byte_enables_writes_those_bytes() {
    let mut bench = bench();
    for byte_enables in 0..16u8 {
        for base in [BAR0 + 0x1800, BAR1 + 0x40] {
            bench.write_words(base, &[Word::full(0)]).unwrap();
            bench.write_words(base, &[Word { data: 0xDDCC_BBAA, byte_enables }]).unwrap();
            let mask = (0..4).filter(|k| byte_enables >> k & 1 != 0).fold(0, |mask, k| mask | 0xFFu32 << (8 * k));
            assert_eq!(bench.read_dwords(base, 1, ReadKind::Plain).unwrap(), [0xDDCC_BBAA & mask]);
        }
    }
    bench.judge().unwrap();
}

#[test]
fn a_posted_burst_longer_than_the_queue_arrives_whole() {
    let mut bench = bench();
    let data: Vec<u32> = (0..400u32).map(|k| k.wrapping_mul(0x0101_0101)).collect();
    bench.core.stall = 250;
    bench.bus.submit(Transaction::write_dwords(BusAddr(BAR1 + 0x100), &data));
    bench.settle().unwrap();
    bench.core.stall = 0;
    bench.settle().unwrap();
    assert_eq!(bench.read_dwords(BAR1 + 0x100, data.len(), ReadKind::Multiple).unwrap(), data);
    assert_eq!(bench.core.counts.target_writes, 400);
    bench.judge().unwrap();
}

#[test]
fn a_full_queue_retries_writes_and_loses_none() {
    let mut bench = bench();
    bench.core.hold_requests = true;
    let data: Vec<u32> = (1..=100).collect();
    bench.bus.submit(Transaction::write_dwords(BusAddr(BAR1), &data));
    bench.run_pci_clocks(500).unwrap();
    assert!(bench.core.counts.target_retries > 10, "{:?}", bench.core.counts);
    assert!(!bench.bus.is_idle());
    // Configuration space does not depend on the core.
    bench.core.hold_requests = false;
    bench.settle().unwrap();
    assert_eq!(bench.read_dwords(BAR1, 100, ReadKind::Line).unwrap(), data);
    bench.judge().unwrap();
}

#[test]
fn a_read_sees_every_write_before_it() {
    let mut bench = bench();
    bench.core.stall = 200;
    for k in 0..50u32 {
        bench.bus.submit(Transaction::write_dwords(BusAddr(BAR1 + 0x200), &[k, k, k, k, k, k, k, !k]));
        assert_eq!(bench.read_dwords(BAR1 + 0x21C, 1, ReadKind::Plain).unwrap(), [!k]);
    }
    bench.judge().unwrap();
}

#[test]
fn writes_are_accepted_while_a_delayed_read_waits() {
    let settings = Settings { posted_write_lines: 16, ..Settings::default() };
    let mut bench = Bench::new(Setup { settings, ..Setup::default() }).unwrap();
    bench.core.answer_clocks = 3000;
    let read = bench.bus.submit(Transaction::read_dword(BusAddr(BAR1)));
    bench.run_pci_clocks(50).unwrap();
    for k in 0..8 {
        bench.bus.submit(Transaction::write_dword(BusAddr(BAR1 + 0x1000 * k), 5 + k));
    }
    bench.run_pci_clocks(1000).unwrap();
    assert_eq!(bench.core.counts.target_writes, 8, "the bridge got its writes through");
    // The read was queued before the write to the same address. Its answer was dropped.
    assert_eq!(bench.complete(read).unwrap(), Ok(host_pci::Answer::Read(vec![5])));
    bench.judge().unwrap();
}

#[test]
fn prefetched_data_serve_one_transaction_only() {
    let mut bench = bench();
    bench.write_words(BAR1, &[Word::full(1), Word::full(2)]).unwrap();
    // Fetches the line, and takes one dword of it.
    assert_eq!(bench.read_dwords(BAR1, 1, ReadKind::Line).unwrap(), [1]);
    bench.write_words(BAR1 + 4, &[Word::full(3)]).unwrap();
    assert_eq!(bench.read_dwords(BAR1 + 4, 1, ReadKind::Line).unwrap(), [3]);
    bench.write_words(BAR1, &[Word::full(4)]).unwrap();
    assert_eq!(bench.read_dwords(BAR1, 2, ReadKind::Line).unwrap(), [4, 3]);
    bench.judge().unwrap();
}

#[test]
fn line_reads_prefetch_to_the_end_of_32_bytes_and_plain_reads_of_8() {
    let transactions = |kind, dwords| {
        let mut bench = bench();
        bench.read_dwords(BAR1 + 0x80, dwords, kind).unwrap();
        bench.judge().unwrap();
        let counters = bench.bus.counters().master(host_pci::AgentId::Bridge);
        counters.ended() - counters.outcome(host_pci::Outcome::Retry) - 4 // configuration writes
    };
    assert_eq!(transactions(ReadKind::Plain, 8), 4);
    assert_eq!(transactions(ReadKind::Line, 8), 1);
    assert_eq!(transactions(ReadKind::Multiple, 16), 2);
}

#[test]
fn the_last_dword_of_each_bar_is_reached_and_nothing_beyond() {
    let mut bench = bench();
    for (base, size) in [(BAR0, BAR0_BYTES as u32), (BAR1, SRAM_BYTES as u32)] {
        bench.write_words(base + size - 8, &[Word::full(0x11), Word::full(0x22)]).unwrap();
        bench.settle().unwrap();
        for kind in [ReadKind::Plain, ReadKind::Line, ReadKind::Multiple] {
            assert_eq!(bench.read_dwords(base + size - 8, 2, kind).unwrap(), [0x11, 0x22]);
            assert_eq!(bench.read_dwords(base + size - 4, 1, kind).unwrap(), [0x22]);
        }
        // A burst beyond the end is disconnected at the end. No target claims the rest.
        bench.bus.submit(Transaction::write_dwords(BusAddr(base + size - 4), &[0x33, 0x44]));
        bench.settle().unwrap();
        assert_eq!(bench.read_dwords(base + size - 4, 1, ReadKind::Plain).unwrap(), [0x33]);
        assert_eq!(bench.read_dwords(base, 1, ReadKind::Plain).unwrap(), [0], "no wrap");
    }
    bench.judge().unwrap();
}

#[test]
fn counters_agree_with_the_bus() {
    let mut bench = bench();
    bench.write_words(BAR1, &[Word::full(1); 24]).unwrap();
    bench.read_dwords(BAR1, 24, ReadKind::Multiple).unwrap();
    bench.read_dwords(BAR0, 3, ReadKind::Plain).unwrap();
    bench.settle().unwrap();
    let counts = bench.core.counts;
    assert_eq!((counts.target_writes, counts.target_reads), (24, 27));
    let bridge = bench.bus.counters().master(host_pci::AgentId::Bridge);
    assert_eq!(counts.target_retries, bridge.outcome(host_pci::Outcome::Retry));
    assert_eq!(counts.target_discards, 0);
}

#[derive(Clone, Debug)]
enum Access {
    Write { space: bool, dword: u32, words: Vec<(u32, u8)> },
    Read { space: bool, dword: u32, dwords: usize, kind: ReadKind },
}

fn access() -> impl Strategy<Value = Access> {
    // Few addresses, so that accesses meet; some at the end of the BAR.
    let dword = prop_oneof![0..32u32, Just(0x7FE0u32)];
    let kind = prop::sample::select(vec![ReadKind::Plain, ReadKind::Line, ReadKind::Multiple]);
    prop_oneof![
        (any::<bool>(), dword.clone(), prop::collection::vec((any::<u32>(), 0..16u8), 1..32))
            .prop_map(|(space, dword, words)| Access::Write { space, dword, words }),
        (any::<bool>(), dword, 1..32usize, kind)
            .prop_map(|(space, dword, dwords, kind)| { Access::Read { space, dword, dwords, kind } }),
    ]
}

proptest! {
    #[test]
    fn the_bars_are_plain_memory(
        accesses in prop::collection::vec(access(), 1..30),
        stall in prop::sample::select(vec![0u8, 100, 240]),
        answer_clocks in 1..40u64,
        irdy_wait_clocks in 0..=7u32,
        latency_timer_clocks in prop::sample::select(vec![0u32, 3, 32]),
        posted_write_lines in 0..=4usize,
        write_combining: bool,
        core_period_ps in prop::sample::select(vec![5_000, 11_364, 30_303]),
    ) {
        let settings = Settings { posted_write_lines, write_combining, latency_timer_clocks, ..Settings::default() };
        let mut bench = Bench::new(Setup { settings, core_period_ps, ..Setup::default() }).unwrap();
        bench.core.stall = stall;
        bench.core.answer_clocks = answer_clocks;
        bench.bus.master_habits().irdy_wait_clocks = irdy_wait_clocks;
        let mut truth = [vec![0u8; BAR0_BYTES], vec![0u8; SRAM_BYTES]];
        for access in accesses {
            match access {
                Access::Write { space, dword, words } => {
                    let words: Vec<Word> = words.into_iter().map(|(data, byte_enables)| Word { data, byte_enables }).collect();
                    for (k, word) in words.iter().enumerate() {
                        for byte in (0..4).filter(|byte| word.byte_enables >> byte & 1 != 0) {
                            truth[space as usize][4 * (dword as usize + k) + byte] = word.data.to_le_bytes()[byte];
                        }
                    }
                    bench.write_words([BAR0, BAR1][space as usize] + 4 * dword, &words).unwrap();
                }
                Access::Read { space, dword, dwords, kind } => {
                    let read = bench.read_dwords([BAR0, BAR1][space as usize] + 4 * dword, dwords, kind).unwrap();
                    let bytes: Vec<u8> = read.iter().flat_map(|dword| dword.to_le_bytes()).collect();
                    prop_assert_eq!(&bytes[..], &truth[space as usize][4 * dword as usize..][..4 * dwords]);
                }
            }
        }
        bench.core.stall = 0;
        bench.settle().unwrap();
        bench.settle().unwrap();
        prop_assert!(bench.core.registers == truth[0] && bench.core.sram == truth[1]);
        bench.judge().unwrap();
    }
}
