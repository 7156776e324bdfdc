//! Descriptors move their bytes and no other.

use bench_engines::dma::{Descriptor, DmaBench, Engine, Fault, Pace, Seen};
use bench_engines::memory::{HostMemory, HOST_BASE, SRAM_BYTES};
use nic_layout::registers::dma_read as reg;
use proptest::prelude::*;

use crate::common::cases;
use crate::scene::{copy, moves_exactly, one, started, DATA, DONE, REFUSED, RING_BASE};

#[test]
fn every_alignment_and_length_to_200_moves_its_bytes_and_no_other() {
    for engine in Engine::BOTH {
        let mut bench = started(engine, 1);
        for pair in 0..64 {
            bench.pace = if pair % 2 == 0 { Pace::FULL } else { Pace::RAGGED };
            let (from, to) = (pair / 8, pair % 8);
            let all: Vec<_> = (0..=200u32).map(|n| one(256 * n + from, DATA + 224 * n + to, n as u16)).collect();
            bench.seen.clear();
            moves_exactly(&mut bench, engine, &all);
        }
    }
}

#[test]
fn the_longest_transfer_fills_its_range_and_no_more() {
    for engine in Engine::BOTH {
        for (from, to) in [(0, 0), (3, 5), (7, 1)] {
            let mut bench = started(engine, 2);
            // The ring itself lies at lower addresses.
            let length_bytes = (SRAM_BYTES as u32 - DATA - 8) as u16;
            moves_exactly(&mut bench, engine, &[one(from, DATA + to, length_bytes)]);
        }
    }
}

#[derive(Clone, Debug)]
enum Fate {
    Good,
    Refused,
    Fails { status: u8, after_words: u32 },
}

fn any_descriptor() -> impl Strategy<Value = (Descriptor, Fate)> {
    let length = prop_oneof![4 => 0u16..64, 2 => 0u16..2048, 1 => 0u16..20000];
    let fate = prop_oneof![
        8 => Just(Fate::Good),
        1 => Just(Fate::Refused),
        1 => (1u8..=4, 0u32..40).prop_map(|(status, after_words)| Fate::Fails { status, after_words }),
    ];
    (length, 0u32..200_000, 0u32..1 << 16, any::<bool>(), any::<bool>(), fate).prop_map(
        |(length_bytes, host, place, event, assist, fate)| {
            let room = SRAM_BYTES as u32 - DATA - length_bytes as u32;
            let inside = DATA + place % (room + 1);
            let beyond = SRAM_BYTES as u32 - length_bytes as u32 + 1 + place * 65_521;
            let sram_address = if matches!(fate, Fate::Refused) { beyond } else { inside };
            (
                Descriptor {
                    host_address: HOST_BASE + host,
                    sram_address,
                    length_bytes,
                    event,
                    assist,
                    ahead_bytes: 0,
                },
                fate,
            )
        },
    )
}

proptest! {
    #![proptest_config(cases(120))]

    /// The whole contract of a ring, compared with a few lines of Rust, with both engines at work.
    #[test]
    fn rings_do_what_their_descriptors_say(
        engine in prop_oneof![Just(Engine::HostRead), Just(Engine::HostWrite)],
        work in prop::collection::vec(any_descriptor(), 1..24),
        first in any::<u16>(),
        log2 in 1u32..=4,
        pace in (30u32..=100, 20u32..=100, 30u32..=100, 30u32..=100, 20u32..=100),
        seed in any::<u64>(),
    ) {
        let mut bench = DmaBench::new(seed);
        let number = engine as usize;
        bench.start_ring(engine, RING_BASE, log2, first);
        let (grant, command, beat, data, done) = pace;
        bench.pace = Pace { grant, command, beat, data, done };

        let (mut bytes, mut errors, mut refused, mut events, mut assists) = (0u32, 0, 0, 0, 0);
        for (i, (d, fate)) in work.iter().enumerate() {
            let index = first.wrapping_add(i as u16);
            let at = bench.put_descriptor(RING_BASE, log2, index, *d);
            let (mut sram, mut host) = (bench.sram.bytes.clone(), bench.host.bytes.clone());
            let mut status = 0;
            match fate {
                _ if d.length_bytes == 0 => {}
                Fate::Good => copy(&bench, engine, *d, &mut sram, &mut host),
                Fate::Refused => {
                    status = REFUSED;
                    refused += 1;
                }
                Fate::Fails { status: failed, after_words } => {
                    bench.faults[number].push_back(Some(Fault { status: *failed, after_words: *after_words }));
                    status = *failed as u32;
                    errors += 1;
                }
            }
            if status == 0 {
                bytes += d.length_bytes as u32;
            }
            events += d.event as usize;
            assists += (d.assist && status == 0 && engine == Engine::HostRead) as usize;
            sram[at as usize + 12..][..4].copy_from_slice(&(DONE | status).to_le_bytes());

            let next = index.wrapping_add(1);
            bench.write(engine, reg::PRODUCER.offset(), next as u32);
            bench.until("CONSUMER", |b| b.consumer(engine) == next);
            if matches!(fate, Fate::Fails { .. }) && status != 0 {
                // The contract does not tell how much of the range has moved. Outside the range no
                // byte has.
                let (s, h) = (d.sram_address as usize, HostMemory::index(d.host_address));
                let n = d.length_bytes as usize;
                match engine {
                    Engine::HostRead => sram[s..s + n].copy_from_slice(&bench.sram.bytes[s..s + n]),
                    Engine::HostWrite => host[h..h + n].copy_from_slice(&bench.host.bytes[h..h + n]),
                }
                let halted = bench.read(engine, reg::STATUS.offset());
                prop_assert_eq!(halted, 2 | status << 4, "STATUS of a halted engine");
                bench.write(engine, reg::RESUME.offset(), 1);
            }
            prop_assert!(bench.sram.bytes == sram, "SRAM after {d:x?} {fate:?}");
            prop_assert!(bench.host.bytes == host, "host memory after {d:x?} {fate:?}");
        }
        prop_assert_eq!(bench.read(engine, reg::DESCRIPTORS.offset()), work.len() as u32);
        prop_assert_eq!(bench.read(engine, reg::BYTES.offset()), bytes);
        prop_assert_eq!(bench.read(engine, reg::ERRORS.offset()), errors);
        prop_assert_eq!(bench.read(engine, reg::REFUSED.offset()), refused);
        prop_assert_eq!(bench.count(|s| *s == Seen::EventDone(engine)), events);
        prop_assert_eq!(bench.count(|s| *s == Seen::EventError(engine)), errors as usize);
        prop_assert_eq!(bench.count(|s| *s == Seen::Assist), assists);
        prop_assert_eq!(bench.count(|s| *s == Seen::ProbeStart(engine)), work.len());
        prop_assert_eq!(bench.count(|s| *s == Seen::ProbeDone(engine)), work.len());
    }

    /// Both engines at once, many descriptors queued: the prefetch and the shared SRAM disturb
    /// nothing.
    #[test]
    fn engines_side_by_side_move_what_they_move_alone(
        lengths in prop::collection::vec((0u16..200, 0u32..8, 0u32..8), 20),
        grant in 20u32..=100,
        seed in any::<u64>(),
    ) {
        let mut bench = DmaBench::new(seed);
        bench.pace = Pace { grant, ..Pace::RAGGED };
        // Each engine has a ring, and a half of both memories.
        let rings = [0x100u32, 0x1100];
        let mut wanted = Vec::new();
        for (number, engine) in Engine::BOTH.into_iter().enumerate() {
            bench.start_ring(engine, rings[number], 8, 0);
            for (i, (n, from, to)) in lengths.iter().enumerate() {
                let slot = 512 * i as u32 + 0x4000 * number as u32;
                let d = one(slot + from, DATA + slot + to, *n);
                bench.put_descriptor(rings[number], 8, i as u16, d);
                wanted.push((engine, d));
            }
        }
        let (mut sram, mut host) = (bench.sram.bytes.clone(), bench.host.bytes.clone());
        for (engine, d) in &wanted {
            copy(&bench, *engine, *d, &mut sram, &mut host);
        }
        // Entries come while others are worked on, at any moment.
        for produced in 1..=lengths.len() as u32 {
            for engine in Engine::BOTH {
                for _ in 0..bench.chance.below(40) {
                    bench.clock();
                }
                bench.write(engine, reg::PRODUCER.offset(), produced);
            }
        }
        for engine in Engine::BOTH {
            bench.until("the end", |b| b.consumer(engine) == lengths.len() as u16);
        }
        prop_assert!(bench.sram.bytes[DATA as usize..] == sram[DATA as usize..]);
        prop_assert!(bench.host.bytes == host);
    }
}
