//! Time: docs/dma.md quotes these numbers.

use bench_engines::dma::{Engine, Seen};
use nic_layout::registers::dma_read as reg;

use crate::scene::{one, read_ahead, started, DATA, RING_BASE, RING_LOG2};

/// The clocks from the register write of PRODUCER to the command, and from the last word (or the
/// master's report) to the event.
fn latency_cycles(engine: Engine, host_offset: u32, sram_address: u32, length_bytes: u16) -> (u64, u64) {
    let mut bench = started(engine, 30);
    bench.put_descriptor(RING_BASE, RING_LOG2, 0, one(host_offset, sram_address, length_bytes));
    bench.write(engine, reg::PRODUCER.offset(), 1);
    bench.until("the event", |b| b.count(|s| *s == Seen::EventDone(engine)) == 1);
    let write = bench.first(|s| *s == Seen::ProducerWritten);
    let command = bench.first(|s| matches!(s, Seen::Command { .. }));
    let last = bench.first(|s| *s == Seen::LastBeat(engine));
    let event = bench.first(|s| *s == Seen::EventDone(engine));
    (command - write, event - last)
}

#[test]
fn the_command_stands_five_clocks_after_the_producer_write() {
    for engine in Engine::BOTH {
        assert_eq!(latency_cycles(engine, 0, DATA, 1000).0, 5);
    }
}

#[test]
fn the_event_comes_three_or_four_clocks_after_the_last_beat_of_a_host_read() {
    assert_eq!(latency_cycles(Engine::HostRead, 0, DATA, 1000).1, 3);
    // One more clock if the end of the range needs one more word of SRAM.
    assert_eq!(latency_cycles(Engine::HostRead, 0, DATA + 1, 1000).1, 4);
}

#[test]
fn the_event_comes_two_clocks_after_the_end_of_a_host_write() {
    assert_eq!(latency_cycles(Engine::HostWrite, 0, DATA, 1000).1, 2);
}

#[test]
fn the_first_word_of_a_host_write_stands_four_clocks_after_the_command() {
    let mut bench = started(Engine::HostWrite, 31);
    bench.put_descriptor(RING_BASE, RING_LOG2, 0, one(0, DATA, 64));
    bench.write(Engine::HostWrite, reg::PRODUCER.offset(), 1);
    bench.until("data", |b| b.count(|s| matches!(s, Seen::FirstData(_))) == 1);
    let command = bench.first(|s| matches!(s, Seen::Command { .. }));
    assert_eq!(bench.first(|s| matches!(s, Seen::FirstData(_))) - command, 4);
}

#[test]
fn one_word_moves_per_clock() {
    for engine in Engine::BOTH {
        for (from, to) in [(0, 0), (3, 6), (6, 3)] {
            let mut bench = started(engine, 32);
            bench.put_descriptor(RING_BASE, RING_LOG2, 0, one(from, DATA + to, 32768));
            bench.write(engine, reg::PRODUCER.offset(), 1);
            bench.until("the event", |b| b.count(|s| *s == Seen::EventDone(engine)) == 1);
            let first = bench.first(|s| matches!(s, Seen::FirstData(_)));
            let last = bench.first(|s| *s == Seen::LastBeat(engine));
            assert!(last - first <= 4096 + 2, "{} clocks for 4096 words", last - first);
        }
    }
}

#[test]
fn descriptors_follow_each_other_closely() {
    for engine in Engine::BOTH {
        let mut bench = started(engine, 33);
        for i in 0..16 {
            bench.put_descriptor(RING_BASE, RING_LOG2, i, one(64 * i as u32, DATA + 64 * i as u32, 64));
        }
        bench.write(engine, reg::PRODUCER.offset(), 16);
        bench.until("the end", |b| b.count(|s| *s == Seen::EventDone(engine)) == 16);
        let starts: Vec<_> =
            bench.seen.iter().filter(|(_, s)| *s == Seen::ProbeDone(engine)).map(|(at, _)| *at).collect();
        let period = (starts[15] - starts[3]) / 12;
        println!("{engine:?}: {period} clocks for each descriptor of 64 bytes");
        assert!(period <= 18, "{period} clocks for each descriptor of 64 bytes");
    }
}

#[test]
fn pieces_of_one_command_follow_each_other_closely() {
    let mut bench = started(Engine::HostRead, 34);
    let pieces: Vec<_> = (0..8).map(|i| (DATA + 0x800 * i, 512)).collect();
    let work = read_ahead(0, &pieces);
    for (i, d) in work.iter().enumerate() {
        bench.put_descriptor(RING_BASE, RING_LOG2, i as u16, *d);
    }
    bench.write(Engine::HostRead, reg::PRODUCER.offset(), 16);
    bench.until("the end", |b| b.consumer(Engine::HostRead) == 16);
    let first = bench.first(|s| matches!(s, Seen::FirstData(_)));
    let last = bench.first(|s| matches!(s, Seen::LastBeat(_)));
    let pause = (last - first - 511) / 7;
    println!("{pause} clocks between two pieces, one empty descriptor among them");
    assert!(pause <= 16, "{pause} clocks between two pieces");
}
