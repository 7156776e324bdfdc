//! `CONTROL.reset`: an engine comes to rest whatever it waits for, and keeps nothing of the time
//! before.

use bench_engines::dma::{Descriptor, DmaBench, Engine, Fault, Pace, Seen, STOPPED, STOP_CLOCKS_MAX};
use bench_engines::memory::HostMemory;
use nic_layout::registers::dma_read as reg;
use proptest::prelude::*;

use crate::common::cases;
use crate::scene::{copy, moves_exactly, one, read_ahead, started, DATA, DONE, RING_BASE, RING_LOG2};

/// The registers of the ring have their reset values, and the engine is at rest.
fn is_as_new(bench: &mut DmaBench, engine: Engine) {
    for register in [reg::CONTROL.offset(), reg::STATUS.offset(), reg::RING_BASE.offset()] {
        assert_eq!(bench.read(engine, register), 0, "{register:?}");
    }
    for register in [reg::PRODUCER.offset(), reg::CONSUMER.offset(), reg::AHEAD.offset()] {
        assert_eq!(bench.read(engine, register), 0, "{register:?}");
    }
    assert_eq!(bench.read(engine, reg::RING_LOG2.offset()), reg::RING_LOG2_RESET);
    assert!(!bench.requests_sram() && !bench.commands());
}

/// A command has read bytes for descriptors that will never be written. They belong to the owner of
/// the old ring.
#[test]
fn what_was_read_ahead_goes_to_no_descriptor_of_the_ring_that_follows() {
    let engine = Engine::HostRead;
    let mut bench = started(engine, 40);
    let first = Descriptor { ahead_bytes: 1024, ..one(0, DATA, 64) };
    bench.put_descriptor(RING_BASE, RING_LOG2, 0, first);
    bench.write(engine, reg::PRODUCER.offset(), 1);
    bench.until("the first piece", |b| b.consumer(engine) == 1);
    assert_eq!(bench.read(engine, reg::AHEAD.offset()), 1024);

    bench.reset_engine(engine);
    is_as_new(&mut bench, engine);
    bench.start_ring(engine, RING_BASE, RING_LOG2, 0);
    moves_exactly(&mut bench, engine, &[one(8192, DATA + 0x1000, 200)]);
}

#[test]
fn a_transfer_that_would_never_end_ends_with_status_6() {
    for engine in Engine::BOTH {
        let mut bench = started(engine, 41);
        // As if the target answered with retries only.
        bench.pace = Pace { beat: 0, data: 0, done: 0, ..Pace::FULL };
        let at = bench.put_descriptor(RING_BASE, RING_LOG2, 0, one(0, DATA, 500));
        bench.write(engine, reg::PRODUCER.offset(), 1);
        for _ in 0..1000 {
            bench.clock();
        }
        assert_eq!(bench.consumer(engine), 0);
        bench.reset_engine(engine);
        is_as_new(&mut bench, engine);
        assert_eq!(bench.sram.word32(at + 12), DONE | u32::from(STOPPED));
        bench.pace = Pace::FULL;
        bench.start_ring(engine, RING_BASE, RING_LOG2, 0);
        moves_exactly(&mut bench, engine, &[one(3, DATA + 1, 90)]);
    }
}

#[test]
fn a_halted_engine_is_not_halted_after_it() {
    for engine in Engine::BOTH {
        let mut bench = started(engine, 42);
        bench.faults[engine as usize].push_back(Some(Fault { status: 2, after_words: 0 }));
        for i in 0..3 {
            bench.put_descriptor(RING_BASE, RING_LOG2, i, one(0, DATA, 100));
        }
        bench.write(engine, reg::PRODUCER.offset(), 3);
        bench.until("the error", |b| b.count(|s| *s == Seen::EventError(engine)) == 1);
        bench.reset_engine(engine);
        is_as_new(&mut bench, engine);
        bench.start_ring(engine, RING_BASE, RING_LOG2, 0);
        moves_exactly(&mut bench, engine, &[one(3, DATA + 1, 90), one(512, DATA + 512, 8)]);
    }
}

#[test]
fn counters_stay_and_the_other_engine_goes_on() {
    for engine in Engine::BOTH {
        let other = Engine::BOTH[1 - engine as usize];
        let mut bench = started(engine, 43);
        moves_exactly(&mut bench, engine, &[one(3, DATA + 1, 90)]);
        bench.start_ring(other, 0x1100, RING_LOG2, 0);
        let at = bench.put_descriptor(0x1100, RING_LOG2, 0, one(4096, DATA + 0x2000, 4000));
        bench.write(other, reg::PRODUCER.offset(), 1);
        bench.reset_engine(engine);
        bench.until("the end", |b| b.consumer(other) == 1);
        assert_eq!(bench.sram.word32(at + 12), DONE);
        assert_eq!(bench.read(engine, reg::DESCRIPTORS.offset()), 1);
        assert_eq!(bench.read(engine, reg::BYTES.offset()), 90);
    }
}

/// The PCI master learns late that the reset is over.
#[test]
fn a_command_right_behind_a_reset_is_not_ended_by_it() {
    for engine in Engine::BOTH {
        let mut bench = started(engine, 45);
        bench.set_stop_clocks(STOP_CLOCKS_MAX);
        let at = bench.put_descriptor(RING_BASE, RING_LOG2, 0, one(3, DATA + 1, 90));
        bench.reset_engine(engine);
        bench.write(engine, reg::RING_BASE.offset(), RING_BASE);
        bench.write(engine, reg::PRODUCER.offset(), 1);
        bench.write(engine, reg::CONTROL.offset(), 1);
        bench.until("the end", |b| b.consumer(engine) == 1);
        assert_eq!(bench.sram.word32(at + 12), DONE);
    }
}

/// Work for an engine: the places and bytes of descriptors in SRAM. A host read has one command for
/// all.
fn work(engine: Engine, pieces: &[(u16, u32)]) -> Vec<Descriptor> {
    let places: Vec<_> =
        pieces.iter().zip(0..).map(|(&(words, lane), i)| (DATA + 0x400 * i + lane, 8 * words)).collect();
    match engine {
        Engine::HostRead => read_ahead(4096, &places),
        Engine::HostWrite => places.iter().zip(0..).map(|(&(at, bytes), i)| one(4096 + 512 * i, at, bytes)).collect(),
    }
}

/// Begins the work, resets the engine after some clocks, and judges: descriptors have ended in
/// order, each well, with the error, or stopped, with no byte outside what they describe; and the
/// ring that follows is served as after a reset of the whole NIC.
fn is_reset_after(bench: &mut DmaBench, engine: Engine, work: &[Descriptor], after: u32) {
    let before = (bench.sram.bytes.clone(), bench.host.bytes.clone());
    let (mut sram, mut host) = before.clone();
    work.iter().for_each(|d| copy(bench, engine, *d, &mut sram, &mut host));
    let places: Vec<u32> =
        work.iter().zip(0..).map(|(d, i)| bench.put_descriptor(RING_BASE, RING_LOG2, i, *d)).collect();
    bench.write(engine, reg::PRODUCER.offset(), work.len() as u32);
    for _ in 0..after {
        bench.clock();
    }
    bench.reset_engine(engine);
    is_as_new(bench, engine);
    for _ in 0..50 {
        bench.clock();
        assert!(!bench.requests_sram() && !bench.commands());
    }

    let ended = bench.read(engine, reg::DESCRIPTORS.offset()) as usize;
    for (i, (d, at)) in work.iter().zip(&places).enumerate() {
        let word = bench.sram.word32(at + 12);
        assert_eq!(word & DONE != 0, i < ended, "descriptor {i} of {ended}, reset after {after} clocks: {word:#x}");
        let status = word & !DONE;
        assert!(i >= ended || [0, 3, u32::from(STOPPED)].contains(&status), "{status}");
        let (s, h, n) = (d.sram_address as usize, HostMemory::index(d.host_address), d.length_bytes as usize);
        if i < ended && status == 0 {
            assert!(bench.sram.bytes[s..s + n] == bench.host.bytes[h..h + n], "descriptor {i}, after {after} clocks");
        }
    }
    let is_either = |now: &[u8], before: &[u8], then: &[u8]| {
        now.iter().zip(before).zip(then).all(|((now, before), then)| now == before || now == then)
    };
    let mut now = bench.sram.bytes.clone();
    let ring = RING_BASE as usize..RING_BASE as usize + 16 * work.len();
    now[ring.clone()].copy_from_slice(&before.0[ring]);
    assert!(is_either(&now, &before.0, &sram) && is_either(&bench.host.bytes, &before.1, &host));

    bench.pace = Pace::RAGGED;
    bench.faults[engine as usize].clear();
    bench.start_ring(engine, RING_BASE, RING_LOG2, 0);
    moves_exactly(bench, engine, &[one(8192, DATA + 6, 77), one(8200 + 77, DATA + 0x1000, 300)]);
}

#[test]
fn a_reset_in_each_clock_of_some_work_leaves_nothing_behind() {
    let work = Engine::BOTH.map(|engine| work(engine, &[(3, 0), (5, 3), (1, 0), (4, 7)]));
    for engine in Engine::BOTH {
        for after in 0..120 {
            // The engine begins the next move while beats of the same command wait.
            let mut bench = started(engine, 44 + u64::from(after));
            is_reset_after(&mut bench, engine, &work[engine as usize], after);
        }
    }
}

proptest! {
    #![proptest_config(cases(120))]

    #[test]
    fn a_reset_in_any_clock_leaves_nothing_behind(
        is_read in any::<bool>(),
        pieces in prop::collection::vec((1u16..40, 0u32..8), 1..6),
        after in 0u32..400,
        fault in prop::option::weighted(0.2, 0u32..20),
        pace in (20u32..=100, 20u32..=100, 0u32..=100, 0u32..=100, 0u32..=100),
        seed in any::<u64>(),
    ) {
        let engine = if is_read { Engine::HostRead } else { Engine::HostWrite };
        let mut bench = started(engine, seed);
        bench.pace = Pace { grant: pace.0, command: pace.1, beat: pace.2, data: pace.3, done: pace.4 };
        bench.faults[engine as usize].push_back(fault.map(|after_words| Fault { status: 3, after_words }));
        is_reset_after(&mut bench, engine, &work(engine, &pieces), after);
    }
}
