//! Assertions that fire.

use bench_engines::dma::{Descriptor, DmaBench, Engine, Seen};
use bench_engines::memory::SRAM_BYTES;
use nic_layout::registers::dma_read as reg;

use crate::scene::{one, started, DATA, RING_BASE, RING_LOG2};

fn fires(mut bench: DmaBench, rule: &str) {
    for _ in 0..300 {
        if let Err(error) = bench.try_clock() {
            assert!(error.to_string().contains(rule), "{error}");
            return;
        }
    }
    panic!("{rule} did not fire");
}

#[test]
fn a_report_that_nobody_asked_for_is_noticed() {
    let mut bench = DmaBench::new(40);
    bench.stray_done = true;
    fires(bench, "MoverAnswersOnlyWhenAsked");
}

#[test]
fn a_report_before_the_last_word_is_noticed() {
    let mut bench = started(Engine::HostWrite, 41);
    bench.put_descriptor(RING_BASE, RING_LOG2, 0, one(0, DATA, 4000));
    bench.write(Engine::HostWrite, reg::PRODUCER.offset(), 1);
    bench.until("data", |b| b.count(|s| matches!(s, Seen::FirstData(_))) == 1);
    bench.stray_done = true;
    fires(bench, "AllWordsWereTaken");
}

#[test]
fn a_report_before_the_command_was_taken_is_noticed() {
    let mut bench = started(Engine::HostWrite, 44);
    bench.pace.command = 0;
    bench.put_descriptor(RING_BASE, RING_LOG2, 0, one(0, DATA, 8));
    bench.write(Engine::HostWrite, reg::PRODUCER.offset(), 1);
    bench.until("data", |b| b.count(|s| matches!(s, Seen::FirstData(_))) == 1);
    bench.clock();
    bench.stray_done = true;
    fires(bench, "CommandTakenBeforeTheEnd");
}

/// The first of two descriptors reads ahead; the second is wrong in some way.
fn reads_ahead(seed: u64, second: Descriptor) -> DmaBench {
    let mut bench = started(Engine::HostRead, seed);
    bench.put_descriptor(RING_BASE, RING_LOG2, 0, Descriptor { ahead_bytes: 64, ..one(0, DATA, 64) });
    bench.put_descriptor(RING_BASE, RING_LOG2, 1, second);
    bench.write(Engine::HostRead, reg::PRODUCER.offset(), 2);
    bench
}

#[test]
fn a_descriptor_beside_what_was_read_ahead_is_noticed() {
    fires(reads_ahead(45, one(72, DATA + 0x100, 56)), "ContinuesWhereItEnded");
}

#[test]
fn a_descriptor_that_takes_more_than_was_read_ahead_is_noticed() {
    fires(reads_ahead(46, one(64, DATA + 0x100, 72)), "TakesNoMoreThanAsked");
}

#[test]
fn a_refused_descriptor_behind_one_that_read_ahead_is_noticed() {
    fires(reads_ahead(47, one(64, SRAM_BYTES as u32, 64)), "NoneRefusedReadAhead");
}

#[test]
fn more_entries_than_the_ring_holds_are_noticed() {
    let mut bench = DmaBench::new(42);
    bench.start_ring(Engine::HostRead, RING_BASE, 1, 0);
    bench.put_descriptor(RING_BASE, 1, 0, Descriptor::default());
    bench.write(Engine::HostRead, reg::PRODUCER.offset(), 3);
    fires(bench, "OwnedNeverExceedsRing");
}

#[test]
fn a_missing_answer_of_the_sram_is_noticed() {
    let mut bench = started(Engine::HostRead, 43);
    bench.put_descriptor(RING_BASE, RING_LOG2, 0, one(0, DATA, 8));
    bench.write(Engine::HostRead, reg::PRODUCER.offset(), 1);
    bench.mute_sram = true;
    fires(bench, "Answer");
}
