//! Facts about the host DMA engines.

use bench_engines::dma::{Descriptor, DmaBench, Engine, Fault, Pace, Seen};
use bench_engines::memory::{HostMemory, HOST_BASE, SRAM_BYTES};
use nic_layout::registers::dma_read as reg;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const RING_BASE: u32 = 0x100;
const RING_LOG2: u32 = 8;
const DATA: u32 = 0x2000;
const DONE: u32 = 1 << 31;
const REFUSED: u32 = 7;

/// What memory should be, by the dullest of copies.
fn copy(bench: &DmaBench, engine: Engine, d: Descriptor, sram: &mut [u8], host: &mut [u8]) {
    for k in 0..d.length_bytes as usize {
        let (s, h) = (d.sram_address as usize + k, HostMemory::index(d.host_address) + k);
        match engine {
            Engine::HostRead => sram[s] = bench.host.bytes[h],
            Engine::HostWrite => host[h] = bench.sram.bytes[s],
        }
    }
}

/// Runs descriptors that end well, and compares all memory, byte for byte.
fn moves_exactly(bench: &mut DmaBench, engine: Engine, descriptors: &[Descriptor]) {
    let first = bench.consumer(engine);
    let mut places = Vec::new();
    for (i, d) in descriptors.iter().enumerate() {
        places.push(bench.put_descriptor(RING_BASE, RING_LOG2, first.wrapping_add(i as u16), *d));
    }
    let (mut sram, mut host) = (bench.sram.bytes.clone(), bench.host.bytes.clone());
    for d in descriptors {
        copy(bench, engine, *d, &mut sram, &mut host);
    }
    for at in places {
        sram[at as usize + 12..][..4].copy_from_slice(&DONE.to_le_bytes());
    }
    let end = first.wrapping_add(descriptors.len() as u16);
    bench.write(engine, reg::PRODUCER.offset(), end as u32);
    bench.until("the end of the ring", |b| b.consumer(engine) == end);
    assert_first_difference("SRAM", &bench.sram.bytes, &sram, descriptors);
    assert_first_difference("host memory", &bench.host.bytes, &host, descriptors);
}

fn assert_first_difference(what: &str, got: &[u8], wanted: &[u8], descriptors: &[Descriptor]) {
    if let Some(at) = (0..got.len()).find(|&at| got[at] != wanted[at]) {
        panic!("{what} differs first at {at:#x}: {:#04x}, should be {:#04x}; {descriptors:x?}", got[at], wanted[at]);
    }
}

fn started(engine: Engine, seed: u64) -> DmaBench {
    let mut bench = DmaBench::new(seed);
    bench.start_ring(engine, RING_BASE, RING_LOG2, 0);
    bench
}

fn one(host_offset: u32, sram_address: u32, length_bytes: u16) -> Descriptor {
    Descriptor {
        host_address: HOST_BASE + host_offset,
        sram_address,
        length_bytes,
        event: true,
        ..Descriptor::default()
    }
}

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
            // The ring itself lies below.
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
    #![proptest_config(cases(120))]

    /// The whole contract of a ring against a few lines of Rust, with both engines at work.
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
                // How much of the range has moved is not said; outside nothing has.
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

    /// Both engines at once, many descriptors queued: the prefetch and the shared SRAM disturb nothing.
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

/// A run of host memory as one command reads it, for several places in SRAM, with empty descriptors between.
fn read_ahead(host_offset: u32, pieces: &[(u32, u16)]) -> Vec<Descriptor> {
    let all: u16 = pieces.iter().map(|(_, bytes)| bytes).sum();
    let mut at = host_offset;
    let mut descriptors = Vec::new();
    for (number, &(sram_address, length_bytes)) in pieces.iter().enumerate() {
        let ahead_bytes = if number == 0 { all - length_bytes } else { 0 };
        descriptors.push(Descriptor { ahead_bytes, assist: number % 2 == 0, ..one(at, sram_address, length_bytes) });
        descriptors.push(Descriptor { assist: true, ..one(7, 11, 0) });
        at += length_bytes as u32;
    }
    descriptors
}

proptest! {
    #![proptest_config(cases(60))]

    /// Bytes go where the descriptors say, whoever asked for them; an error ends the command, and the next descriptor has its own.
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

    /// A host write begins before the one in front of it is reported: still each has its own end, and each error its own halt.
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
    // The report takes its time.
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
            // Of host writes the next may have begun.
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
        // What was fetched ahead is fetched again.
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

// ---- Time. docs/dma.md quotes these numbers. ---------------------------------------------

/// Clocks from the register write of PRODUCER to the command, from the last beat (or the master's report) to the event.
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
    // One more where the end of the run spills into one more word of SRAM.
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

// ---- Assertions that fire ------------------------------------------------------------------

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
