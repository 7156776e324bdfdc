//! Errors, stops and resets.

use bench_engines::dma::{Descriptor, Engine, Fault, Seen};
use bench_engines::memory::HOST_BASE;
use nic_layout::registers::dma_read as reg;

use crate::scene::{moves_exactly, one, started, DATA, DONE, RING_BASE, RING_LOG2};

#[test]
fn an_error_halts_until_resume_and_gives_no_assist() {
    for engine in Engine::BOTH {
        for status in 1..=4u8 {
            let mut bench = started(engine, 10 + status as u64);
            bench.faults[engine as usize].push_back(Some(Fault { status, after_words: 3 }));
            let bad = Descriptor { assist: true, ..one(0, DATA + 3, 100) };
            let at = bench.put_descriptor(RING_BASE, RING_LOG2, 0, bad);
            bench.put_descriptor(RING_BASE, RING_LOG2, 1, Descriptor { assist: true, ..one(512, DATA + 512, 40) });
            bench.write(engine, reg::PRODUCER.offset(), 2);
            bench.until("the error", |b| b.count(|s| *s == Seen::EventError(engine)) == 1);
            for _ in 0..100 {
                bench.clock();
            }
            assert_eq!(bench.sram.word32(at + 12), DONE | status as u32);
            assert_eq!(bench.consumer(engine), 1, "halted before the next");
            assert_eq!(bench.count(|s| *s == Seen::Assist), 0);
            assert_eq!(bench.count(|s| *s == Seen::EventDone(engine)), 1, "flag EVENT is honoured all the same");

            bench.write(engine, reg::RESUME.offset(), 0);
            bench.until("the next", |b| b.consumer(engine) == 2);
            assert_eq!(bench.count(|s| *s == Seen::Assist), (engine == Engine::HostRead) as usize);
            assert_eq!(bench.read(engine, reg::ERRORS.offset()), 1);
            assert_eq!(bench.read(engine, reg::STATUS.offset()), (status as u32) << 4);
        }
    }
}

#[test]
fn a_descriptor_changed_during_a_halt_is_done_as_changed() {
    for engine in Engine::BOTH {
        for grant in [100, 15] {
            let mut bench = started(engine, 20);
            bench.pace.grant = grant;
            bench.faults[engine as usize].push_back(Some(Fault { status: 1, after_words: 0 }));
            bench.put_descriptor(RING_BASE, RING_LOG2, 0, one(0, DATA, 500));
            bench.put_descriptor(RING_BASE, RING_LOG2, 1, one(512, DATA + 512, 40));
            bench.put_descriptor(RING_BASE, RING_LOG2, 2, one(768, DATA + 768, 48));
            bench.write(engine, reg::PRODUCER.offset(), 3);
            bench.until("the error", |b| b.count(|s| *s == Seen::EventError(engine)) == 1);
            // The next host write may have begun already.
            if engine == Engine::HostRead {
                bench.put_descriptor(RING_BASE, RING_LOG2, 1, one(1024, DATA + 1024, 16));
            }
            bench.put_descriptor(RING_BASE, RING_LOG2, 2, one(1024, DATA + 1024, 24));
            bench.write(engine, reg::RESUME.offset(), 1);
            bench.until("the next", |b| b.consumer(engine) == 3);
            if engine == Engine::HostRead {
                let next = Seen::Command { engine, address: HOST_BASE + 1024, length_bytes: 16 };
                assert_eq!(bench.count(|s| *s == next), 1);
            }
            let last = bench.seen.iter().rfind(|(_, s)| matches!(s, Seen::Command { .. })).expect("a command").1;
            assert_eq!(last, Seen::Command { engine, address: HOST_BASE + 1024, length_bytes: 24 });
        }
    }
}

#[test]
fn a_fetch_that_began_before_a_stop_is_not_used_after_it() {
    for engine in Engine::BOTH {
        let mut bench = started(engine, 23);
        bench.pace.grant = 0;
        bench.put_descriptor(RING_BASE, RING_LOG2, 0, one(0, DATA, 40));
        bench.write(engine, reg::PRODUCER.offset(), 1);
        bench.clock();
        // The first half arrives, the second waits.
        bench.pace.grant = 100;
        bench.clock();
        bench.pace.grant = 0;
        bench.clock();
        bench.write(engine, reg::CONTROL.offset(), 0);
        bench.put_descriptor(RING_BASE, RING_LOG2, 0, one(1024, DATA + 1024, 24));
        bench.write(engine, reg::CONTROL.offset(), 1);
        bench.pace.grant = 100;
        bench.until("the end", |b| b.consumer(engine) == 1);
        let wanted = Seen::Command { engine, address: HOST_BASE + 1024, length_bytes: 24 };
        assert_eq!(bench.count(|s| matches!(s, Seen::Command { .. })), 1);
        assert_eq!(bench.count(|s| *s == wanted), 1);
    }
}

#[test]
fn disable_stops_before_the_next_descriptor() {
    for engine in Engine::BOTH {
        let mut bench = started(engine, 21);
        for i in 0..3 {
            bench.put_descriptor(RING_BASE, RING_LOG2, i, one(1024 * i as u32, DATA + 1024 * i as u32, 1000));
        }
        bench.write(engine, reg::PRODUCER.offset(), 3);
        bench.until("a command", |b| b.count(|s| matches!(s, Seen::Command { .. })) == 1);
        bench.write(engine, reg::CONTROL.offset(), 0);
        bench.until("idle", |b| b.read(engine, reg::STATUS.offset()) == 0);
        assert_eq!(bench.consumer(engine), 1);
        assert!(!bench.requests_sram() && !bench.commands());
        // Descriptors that were fetched ahead are fetched again.
        bench.put_descriptor(RING_BASE, RING_LOG2, 1, one(8192, DATA + 8192, 16));
        bench.write(engine, reg::CONTROL.offset(), 1);
        bench.until("the end", |b| b.consumer(engine) == 3);
        assert_eq!(bench.count(|s| matches!(s, Seen::Command { length_bytes: 16, .. })), 1);
    }
}

#[test]
fn a_reset_in_any_clock_leaves_no_transfer_behind() {
    for engine in Engine::BOTH {
        for after in 0..60 {
            let mut bench = started(engine, 22);
            for i in 0..4 {
                bench.put_descriptor(RING_BASE, RING_LOG2, i, one(3, DATA + 100, 90));
            }
            bench.write(engine, reg::PRODUCER.offset(), 4);
            for _ in 0..after {
                bench.clock();
            }
            bench.reset();
            for _ in 0..50 {
                bench.clock();
                assert!(!bench.requests_sram() && !bench.commands(), "reset after {after} clocks");
            }
            assert!(bench.seen.is_empty());
            bench.start_ring(engine, RING_BASE, RING_LOG2, 0);
            moves_exactly(&mut bench, engine, &[one(1, DATA + 6, 77)]);
        }
    }
}
