//! One command for several descriptors, and host writes that begin before the end of the previous
//! one is reported.

use bench_engines::dma::{Descriptor, Engine, Fault, Pace, Seen};
use bench_engines::memory::{HostMemory, HOST_BASE};
use nic_layout::registers::dma_read as reg;
use proptest::prelude::*;

use crate::common::cases;
use crate::scene::{copy, one, read_ahead, started, DATA, DONE, REFUSED, RING_BASE, RING_LOG2};

proptest! {
    #![proptest_config(cases(60))]

    /// Bytes go to the places in the descriptors, whichever command reads them. An error ends the
    /// command, and the next descriptor has a command of its own.
    #[test]
    fn one_command_reads_for_several_descriptors(
        first in (1u32..9, 0u16..40),
        middle in prop::collection::vec((0u16..40, 0u32..8), 0..5),
        last in 1u16..300,
        fault in prop::option::of(0u32..60),
        pace in (30u32..=100, 20u32..=100, 30u32..=100),
        seed in any::<u64>(),
    ) {
        let engine = Engine::HostRead;
        let mut bench = started(engine, seed);
        bench.pace = Pace { grant: pace.0, command: pace.1, beat: pace.2, ..Pace::FULL };
        // Only the first may begin inside a word of the bus.
        let (lack, words) = first;
        let mut pieces = vec![(DATA + lack, 8 * words + lack as u16)];
        pieces.extend(middle.iter().zip(1..).map(|(&(words, offset), i)| (DATA + 0x1000 * i + offset, 8 * words + 8)));
        pieces.push((DATA + 0x8003, last));
        let work = read_ahead(4096 + 8 - lack, &pieces);
        let all = pieces.iter().map(|(_, bytes)| u32::from(*bytes)).sum::<u32>();

        let (mut sram, host) = (bench.sram.bytes.clone(), &mut bench.host.bytes.clone());
        let mut places = Vec::new();
        for (i, d) in work.iter().enumerate() {
            places.push(bench.put_descriptor(RING_BASE, RING_LOG2, i as u16, *d));
        }
        if let Some(after_words) = fault {
            bench.faults[0].push_back(Some(Fault { status: 3, after_words }));
        }
        for d in &work {
            copy(&bench, engine, *d, &mut sram, host);
        }
        bench.write(engine, reg::PRODUCER.offset(), work.len() as u32);
        let mut failed = None;
        bench.until("the end or a halt", |b| {
            if b.read(engine, reg::STATUS.offset()) & 2 != 0 && failed.is_none() {
                failed = Some(b.consumer(engine) as usize - 1);
                b.write(engine, reg::RESUME.offset(), 1);
            }
            b.consumer(engine) as usize == work.len()
        });
        prop_assert_eq!(failed.is_some(), fault.is_some());
        let commands = bench.count(|s| matches!(s, Seen::Command { .. }));
        match failed {
            None => {
                prop_assert_eq!(commands, 1);
                let asked = Seen::Command { engine, address: HOST_BASE + 4096 + 8 - lack, length_bytes: all as u16 };
                prop_assert!(bench.count(|s| *s == asked) == 1);
            }
            // Each of the others has a command of its own, if it has bytes.
            Some(failed) => prop_assert_eq!(commands, 1 + work[failed + 1..].iter().filter(|d| d.length_bytes != 0).count()),
        }
        for (i, (d, at)) in work.iter().zip(&places).enumerate() {
            let (place, n) = (d.sram_address as usize, d.length_bytes as usize);
            let status = bench.sram.word32(at + 12);
            if failed == Some(i) {
                prop_assert_eq!(status, DONE | 3);
            } else {
                prop_assert_eq!(status, DONE);
                prop_assert_eq!(&bench.sram.bytes[place..place + n], &sram[place..place + n], "piece {}", i);
            }
        }
        let assists = work.iter().enumerate().filter(|(i, d)| d.assist && failed != Some(*i)).count();
        prop_assert_eq!(bench.count(|s| *s == Seen::Assist), assists);
        prop_assert_eq!(bench.count(|s| *s == Seen::EventDone(engine)), work.len());
    }
}

proptest! {
    #![proptest_config(cases(80))]

    /// A host write begins before the end of the previous one is reported. Each still has its own
    /// end, and each error halts the engine.
    #[test]
    fn errors_among_many_writes_halt_one_by_one(
        work in prop::collection::vec((0u16..200, 0u32..8, prop::option::weighted(0.3, (1u8..=4, 0u32..20))), 2..20),
        pace in (20u32..=100, 20u32..=100, 20u32..=100, 10u32..=100),
        seed in any::<u64>(),
    ) {
        let engine = Engine::HostWrite;
        let mut bench = started(engine, seed);
        bench.pace = Pace { grant: pace.0, command: pace.1, data: pace.2, done: pace.3, ..Pace::FULL };
        let mut statuses = Vec::new();
        for (i, &(length, offset, fault)) in work.iter().enumerate() {
            let d = one(256 * i as u32 + offset, DATA + 256 * i as u32, length);
            let at = bench.put_descriptor(RING_BASE, RING_LOG2, i as u16, d);
            let fault = fault.filter(|_| length != 0);
            if length != 0 {
                bench.faults[1].push_back(fault.map(|(status, after_words)| Fault { status, after_words }));
            }
            statuses.push((d, at, fault.map_or(0, |(status, _)| status as u32)));
        }
        bench.write(engine, reg::PRODUCER.offset(), work.len() as u32);
        let mut halts = Vec::new();
        bench.until("the end", |b| {
            let status = b.read(engine, reg::STATUS.offset());
            if status & 2 != 0 {
                let consumer = b.consumer(engine);
                for _ in 0..b.chance.below(60) {
                    b.clock();
                }
                assert_eq!(b.consumer(engine), consumer, "nothing ends while the engine is halted");
                halts.push((consumer as usize - 1, status >> 4));
                b.write(engine, reg::RESUME.offset(), 1);
            }
            b.consumer(engine) as usize == work.len() && b.read(engine, reg::STATUS.offset()) & 3 == 0
        });
        let wanted: Vec<_> =
            statuses.iter().enumerate().filter(|(_, (.., status))| *status != 0).map(|(i, (.., status))| (i, *status)).collect();
        prop_assert_eq!(halts, wanted);
        let mut bytes = 0;
        for (d, at, status) in &statuses {
            prop_assert_eq!(bench.sram.word32(at + 12), DONE | status);
            if *status == 0 {
                let (s, h, n) = (d.sram_address as usize, HostMemory::index(d.host_address), d.length_bytes as usize);
                prop_assert_eq!(&bench.host.bytes[h..h + n], &bench.sram.bytes[s..s + n]);
                bytes += n as u32;
            }
        }
        prop_assert_eq!(bench.read(engine, reg::BYTES.offset()), bytes);
        prop_assert_eq!(bench.count(|s| *s == Seen::EventDone(engine)), work.len());
        prop_assert_eq!(bench.count(|s| *s == Seen::ProbeStart(engine)), work.len());
        prop_assert_eq!(bench.count(|s| *s == Seen::ProbeDone(engine)), work.len());
    }
}

#[test]
fn a_host_write_begins_before_the_one_in_front_of_it_is_reported() {
    let engine = Engine::HostWrite;
    let mut bench = started(engine, 35);
    // The report comes late.
    bench.pace.done = 1;
    for i in 0..2 {
        bench.put_descriptor(RING_BASE, RING_LOG2, i, one(64 * i as u32, DATA + 64 * i as u32, 64));
    }
    bench.write(engine, reg::PRODUCER.offset(), 2);
    bench.until("the second", |b| b.count(|s| *s == Seen::ProbeStart(engine)) == 2);
    assert_eq!(bench.count(|s| *s == Seen::LastBeat(engine)), 0);
    bench.until("the end", |b| b.consumer(engine) == 2);
}

#[test]
fn a_command_that_asks_for_more_than_65535_bytes_is_refused() {
    let mut bench = started(Engine::HostRead, 17);
    let long = Descriptor { ahead_bytes: 16_383, ..one(0, DATA, 49_153) };
    let at = bench.put_descriptor(RING_BASE, RING_LOG2, 0, long);
    bench.write(Engine::HostRead, reg::PRODUCER.offset(), 1);
    bench.until("the end", |b| b.consumer(Engine::HostRead) == 1);
    assert_eq!(bench.sram.word32(at + 12), DONE | REFUSED);
    assert_eq!(bench.count(|s| matches!(s, Seen::Command { .. })), 0);
}
