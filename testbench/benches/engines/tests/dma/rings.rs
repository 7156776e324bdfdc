//! Indices, registers, and refused accesses.

use bench_engines::dma::{Descriptor, DmaBench, Engine, Pace, Seen};
use bench_engines::memory::SRAM_BYTES;
use nic_layout::registers::dma_read as reg;

use crate::scene::{moves_exactly, one, started, DATA, DONE, RING_BASE, RING_LOG2};

#[test]
fn data_then_status_then_consumer_then_event() {
    for engine in Engine::BOTH {
        let mut bench = started(engine, 3);
        bench.pace = Pace::RAGGED;
        let at = bench.put_descriptor(RING_BASE, RING_LOG2, 0, one(5, DATA + 2, 100));
        bench.write(engine, reg::PRODUCER.offset(), 1);
        bench.until("the event", |b| b.count(|s| *s == Seen::EventDone(engine)) == 1);
        let status = bench.first(|s| matches!(s, Seen::SramWrite { word, .. } if *word == (at + 8) / 8));
        let last_data = match engine {
            Engine::HostWrite => bench.first(|s| *s == Seen::LastBeat(engine)),
            Engine::HostRead => {
                let is_data = |s: &Seen| matches!(s, Seen::SramWrite { word, .. } if *word >= DATA / 8);
                let last = bench.seen.iter().rfind(|(_, s)| is_data(s));
                last.expect("data were written").0
            }
        };
        assert!(last_data < status);
        // The status was granted in clock n; CONSUMER and the event stand in clock n + 1.
        assert_eq!(bench.first(|s| *s == Seen::EventDone(engine)), status + 1);
        assert_eq!(bench.consumer(engine), 1);
    }
}

#[test]
fn consumer_moves_no_earlier_than_the_event_and_no_later() {
    for engine in Engine::BOTH {
        let mut bench = started(engine, 4);
        bench.put_descriptor(RING_BASE, RING_LOG2, 0, one(0, DATA, 64));
        bench.write(engine, reg::PRODUCER.offset(), 1);
        // Reading CONSUMER in every clock: the answer to a read in clock n is its value in clock n.
        let mut moved = None;
        for _ in 0..200 {
            let clock = bench.cycle;
            if bench.consumer(engine) == 1 && moved.is_none() {
                moved = Some(clock);
            }
        }
        assert_eq!(moved, Some(bench.first(|s| *s == Seen::EventDone(engine))));
    }
}

#[test]
fn indices_wrap_at_two_to_the_sixteen() {
    for engine in Engine::BOTH {
        let mut bench = DmaBench::new(5);
        bench.start_ring(engine, RING_BASE, RING_LOG2, 0xFFF0);
        let all: Vec<_> = (0..40).map(|n| one(64 * n, DATA + 64 * n, 33)).collect();
        moves_exactly(&mut bench, engine, &all);
        assert_eq!(bench.consumer(engine), 0x18);
    }
}

#[test]
fn consumer_is_writable_only_while_disabled_and_idle() {
    for engine in Engine::BOTH {
        let mut bench = started(engine, 6);
        bench.write(engine, reg::CONSUMER.offset(), 9);
        assert_eq!(bench.consumer(engine), 0, "while enabled");
        bench.pace.command = 0;
        bench.put_descriptor(RING_BASE, RING_LOG2, 0, one(0, DATA, 8));
        bench.write(engine, reg::PRODUCER.offset(), 1);
        for _ in 0..20 {
            bench.clock();
        }
        bench.write(engine, reg::CONTROL.offset(), 0);
        bench.write(engine, reg::CONSUMER.offset(), 9);
        assert_eq!(bench.consumer(engine), 0, "while busy");
        assert_eq!(bench.read(engine, reg::STATUS.offset()), 1);
        bench.pace = Pace::FULL;
        bench.until("idle", |b| b.read(engine, reg::STATUS.offset()) == 0);
        bench.write(engine, reg::CONSUMER.offset(), 9);
        assert_eq!(bench.consumer(engine), 9);
    }
}

#[test]
fn registers_read_back_and_take_only_whole_words_and_legal_sizes() {
    for engine in Engine::BOTH {
        let mut bench = DmaBench::new(7);
        assert_eq!(bench.read(engine, reg::RING_LOG2.offset()), reg::RING_LOG2_RESET);
        bench.write(engine, reg::RING_BASE.offset(), 0x0000_1238);
        assert_eq!(bench.read(engine, reg::RING_BASE.offset()), 0x1230, "a multiple of 16");
        for illegal in [0, 9, 15, 16, 0x102] {
            bench.write(engine, reg::RING_LOG2.offset(), illegal);
        }
        assert_eq!(bench.read(engine, reg::RING_LOG2.offset()), reg::RING_LOG2_RESET);
        bench.write(engine, reg::RING_LOG2.offset(), 8);
        assert_eq!(bench.read(engine, reg::RING_LOG2.offset()), 8);
        bench.write_some_bytes(engine, reg::PRODUCER.offset(), 0x1234, 0x3);
        assert_eq!(bench.read(engine, reg::PRODUCER.offset()), 0);
        bench.write(engine, reg::DESCRIPTORS.offset(), 77);
        assert_eq!(bench.read(engine, reg::DESCRIPTORS.offset()), 0, "read-only");
    }
}

#[test]
fn a_range_may_end_with_the_sram_but_not_behind_it() {
    let end = SRAM_BYTES as u32;
    for engine in Engine::BOTH {
        let mut bench = started(engine, 8);
        let cases =
            [(end - 8, 8, 0), (end - 1, 1, 0), (end - 8, 9, 7), (end, 1, 7), (u32::MAX, 1, 7), (u32::MAX - 3, 8, 7)];
        for (i, (sram_address, length_bytes, status)) in cases.into_iter().enumerate() {
            let at = bench.put_descriptor(RING_BASE, RING_LOG2, i as u16, one(16, sram_address, length_bytes));
            bench.write(engine, reg::PRODUCER.offset(), i as u32 + 1);
            bench.until("CONSUMER", |b| b.consumer(engine) == i as u16 + 1);
            assert_eq!(bench.sram.word32(at + 12), DONE | status, "{length_bytes} bytes at {sram_address:#x}");
        }
        assert_eq!(bench.read(engine, reg::REFUSED.offset()), 4);
        assert_eq!(bench.read(engine, reg::STATUS.offset()), 0, "a refusal does not halt");
        assert_eq!(bench.count(|s| matches!(s, Seen::Command { .. })), 2);
    }
}

#[test]
fn length_zero_completes_without_touching_memory_wherever_it_points() {
    for engine in Engine::BOTH {
        let mut bench = started(engine, 9);
        let nowhere = Descriptor { sram_address: u32::MAX, event: true, assist: true, ..Descriptor::default() };
        moves_exactly_nothing(&mut bench, engine, nowhere);
        assert_eq!(bench.count(|s| *s == Seen::Assist), (engine == Engine::HostRead) as usize);
    }
}

fn moves_exactly_nothing(bench: &mut DmaBench, engine: Engine, d: Descriptor) {
    let at = bench.put_descriptor(RING_BASE, RING_LOG2, 0, d);
    bench.write(engine, reg::PRODUCER.offset(), 1);
    bench.until("the event", |b| b.count(|s| *s == Seen::EventDone(engine)) == 1);
    assert_eq!(bench.sram.word32(at + 12), DONE);
    assert_eq!(bench.count(|s| matches!(s, Seen::Command { .. })), 0);
    assert_eq!(bench.count(|s| matches!(s, Seen::SramWrite { .. })), 1);
}
