//! Host reads and writes of the master, compared with a memory that is a vector of bytes.

use bench_pci::{Bench, ByteCounts, DmaStatus, Setup, BAR0, BAR1};
use host_pci::{AgentId, BusAddr, Parking, RandomActs, Settings, TargetActs, Transaction};
use proptest::prelude::*;

const MEMORY_BYTES: usize = 1 << 14;

fn pattern(seed: u32, len: usize) -> Vec<u8> {
    (0..len as u32).map(|k| ((k + seed).wrapping_mul(2_654_435_761) >> 23) as u8).collect()
}

fn bench(setup: Setup) -> (Bench, ByteCounts) {
    let mut bench = Bench::new(Setup { memory_bytes: MEMORY_BYTES, ..setup }).unwrap();
    let fill = pattern(1, MEMORY_BYTES);
    bench.memory.bytes_mut().copy_from_slice(&fill);
    let counts = ByteCounts::new(MEMORY_BYTES);
    bench.bus.set_listener(Some(counts.listener()));
    (bench, counts)
}

/// One write and one read whose ranges do not overlap, with everything checked.
fn move_and_check(bench: &mut Bench, counts: &ByteCounts, write: (u32, usize), read: (u32, usize)) {
    let bytes = pattern(write.0 ^ 0x5A, write.1);
    let mut truth = bench.memory.bytes().to_vec();
    truth[write.0 as usize..][..write.1].copy_from_slice(&bytes);
    counts.take();

    if read.1 > 0 {
        bench.core.start_read(read.0, read.1 as u16);
    }
    if write.1 > 0 {
        bench.core.start_write(write.0, &bytes);
        let status = bench.until("a DMA write", |bench| bench.core.take_write()).unwrap();
        assert_eq!(status, DmaStatus::Ok);
        assert!(bench.memory.bytes() == truth, "memory differs after a write of {} bytes to {:#x}", write.1, write.0);
        for (at, &count) in counts.take().iter().enumerate() {
            let inside = (write.0 as usize..write.0 as usize + write.1).contains(&at);
            assert_eq!(count, u32::from(inside), "byte {at:#x} of a write of {} bytes to {:#x}", write.1, write.0);
        }
    }
    if read.1 > 0 {
        let result = bench.until("a DMA read", |bench| bench.core.take_read()).unwrap();
        assert_eq!(result.status, DmaStatus::Ok);
        assert!(result.bytes == truth[read.0 as usize..][..read.1], "a read of {} bytes from {:#x}", read.1, read.0);
    }
    bench.judge().unwrap();
}

#[test]
fn every_alignment_and_short_length_moves_its_bytes_once() {
    for bus_64_bit in [false, true] {
        for target_64_bit in [false, true] {
            let settings = Settings { bus_64_bit, target_64_bit, read_first_clock: 3, ..Settings::default() };
            let (mut bench, counts) = bench(Setup { settings, ..Setup::default() });
            for addr in 0..8 {
                for len in (1..=26).chain([64, 127]) {
                    move_and_check(&mut bench, &counts, (0x1000 + addr, len), (0x2000 + addr, len));
                }
            }
            assert_eq!(bench.model.slot_64_o.get() != 0, bus_64_bit);
        }
    }
}

/// The action of the target at data phase `beat`, for every kind of ending.
fn endings(beat: u32) -> Vec<TargetActs> {
    let with_data = TargetActs { disconnect_with_beat: Some(beat), ..TargetActs::default() };
    let narrow = TargetActs { narrow: true, ..with_data };
    let before = TargetActs { disconnect_before_beat: Some(beat), ..TargetActs::default() };
    let narrow_before = TargetActs { narrow: true, ..before };
    let waiting = TargetActs { wait_at_beat: Some((beat, 5)), ..with_data };
    let mut endings = vec![with_data, narrow, waiting];
    if beat > 0 {
        endings.extend([before, narrow_before]);
    }
    endings
}

#[test]
fn a_disconnect_at_any_beat_resumes_exactly_the_remainder() {
    for bus_64_bit in [false, true] {
        let settings = Settings { bus_64_bit, read_first_clock: 4, ..Settings::default() };
        let (mut bench, counts) = bench(Setup { settings, ..Setup::default() });
        for start in [0x1000, 0x1004, 0x1007] {
            for beat in 0..24 {
                for acts in endings(beat) {
                    // Each of the two commands meets this ending once.
                    bench.bus.misbehaviour().plan(acts);
                    move_and_check(&mut bench, &counts, (start, 77), (0, 0));
                    bench.bus.misbehaviour().plan(acts);
                    move_and_check(&mut bench, &counts, (0, 0), (start, 77));
                }
            }
        }
        assert_eq!(bench.bus.misbehaviour().planned_count(), 0);
        assert!(bench.core.counts.master_disconnects > 100);
    }
}

#[test]
fn a_narrow_target_that_disconnects_every_beat_still_gets_everything() {
    // The first phase at an odd dword moves no data if the target answers with 32 bits. It must not
    // be repeated for ever.
    let (mut bench, counts) = bench(Setup::default());
    let acts = TargetActs { narrow: true, disconnect_with_beat: Some(0), ..TargetActs::default() };
    for start in [0x1000, 0x1004, 0x1006] {
        for (write_len, read_len) in [(50, 0), (0, 50)] {
            for _ in 0..40 {
                bench.bus.misbehaviour().plan(acts);
            }
            let before = bench.bus.counters().master(AgentId::Nic).started;
            move_and_check(&mut bench, &counts, (start, write_len), (start, read_len));
            let transactions = bench.bus.counters().master(AgentId::Nic).started - before;
            // 13 or 14 dwords, and at most one phase without data.
            assert!(transactions <= 15, "{transactions} from {start:#x}");
            while bench.bus.misbehaviour().planned_count() > 0 {
                move_and_check(&mut bench, &counts, (start, 1), (0, 0));
            }
        }
    }
}

#[test]
fn slow_engines_end_bursts_and_lose_nothing() {
    let settings = Settings { devsel_clock: 1, read_first_clock: 2, boundary_bytes: 0, ..Settings::default() };
    let (mut bench, counts) = bench(Setup { settings, latency_timer: 255, ..Setup::default() });
    bench.core.stall = 240;
    // The FIFO of reads fills up, and the FIFO of writes runs dry.
    move_and_check(&mut bench, &counts, (0, 0), (0x2000, 4000));
    let reads = bench.bus.counters().master(AgentId::Nic).started;
    move_and_check(&mut bench, &counts, (0x1000, 4000), (0, 0));
    let writes = bench.bus.counters().master(AgentId::Nic).started - reads;
    assert!(reads > 4 && writes > 4, "{reads} reads, {writes} writes");
}

#[test]
fn a_retry_storm_is_sat_out_and_counted() {
    let (mut bench, counts) = bench(Setup::default());
    bench.bus.misbehaviour().plan_retries(200);
    move_and_check(&mut bench, &counts, (0x1003, 300), (0x2005, 300));
    assert_eq!(bench.core.counts.master_retries, 200);
    assert_eq!(bench.core.counts.master_disconnects, 0);
}

#[test]
fn losing_the_grant_with_latency_timer_zero_loses_no_byte() {
    for remove_after_clocks in 0..12 {
        for bus_64_bit in [false, true] {
            for target_64_bit in [false, true] {
                let settings = Settings { bus_64_bit, target_64_bit, read_first_clock: 3, ..Settings::default() };
                let (mut bench, counts) = bench(Setup { settings, latency_timer: 0, ..Setup::default() });
                bench.bus.grant_faults().remove_after_clocks = Some(remove_after_clocks);
                move_and_check(&mut bench, &counts, (0x1005, 150), (0x2004, 150));
                assert!(bench.core.counts.master_timeouts > 0);
            }
        }
    }
}

#[test]
fn a_latency_timer_that_runs_out_is_nothing_while_the_grant_stays() {
    let settings = Settings { parking: Parking::LastUser, ..Settings::default() };
    let (mut bench, counts) = bench(Setup { settings, latency_timer: 0, ..Setup::default() });
    move_and_check(&mut bench, &counts, (0x1000, 256), (0, 0));
    assert_eq!(bench.core.counts.master_timeouts, 0);
    assert_eq!(bench.core.counts.master_transactions, 1);
}

#[test]
fn the_longest_command_moves() {
    let settings = Settings { read_first_clock: 4, ..Settings::default() };
    let mut bench = Bench::new(Setup { settings, ..Setup::default() }).unwrap();
    let bytes = pattern(9, 65_535);
    assert_eq!(bench.dma_write(0x1_0001, &bytes).unwrap(), DmaStatus::Ok);
    assert!(bench.memory.bytes()[0x1_0001..][..65_535] == bytes);
    assert!(bench.dma_read(0x1_0001, 65_535).unwrap().bytes == bytes);
    bench.judge().unwrap();
}

#[test]
fn the_read_command_follows_length_and_cache_line() {
    use host_pci::{Command, Listener, Start};
    use sim_pins::Ps;
    use std::sync::{Arc, Mutex};
    #[derive(Clone, Default)]
    struct Commands(Arc<Mutex<Vec<Command>>>);
    impl Listener for Commands {
        fn start(&mut self, _at: Ps, start: &Start) {
            if start.master == AgentId::Nic {
                self.0.lock().unwrap().push(start.command.unwrap());
            }
        }
    }
    let command_of = |cache_line_dwords, len_bytes| {
        let mut bench = Bench::new(Setup { cache_line_dwords, ..Setup::default() }).unwrap();
        let commands = Commands::default();
        bench.bus.set_listener(Some(Box::new(commands.clone())));
        bench.dma_read(0x1000, len_bytes).unwrap();
        let first = commands.0.lock().unwrap()[0];
        first
    };
    assert_eq!(command_of(8, 16), Command::MemoryRead);
    assert_eq!(command_of(8, 17), Command::MemoryReadLine);
    assert_eq!(command_of(8, 32), Command::MemoryReadLine);
    assert_eq!(command_of(8, 33), Command::MemoryReadMultiple);
    assert_eq!(command_of(4, 17), Command::MemoryReadMultiple);
    // Without a cache line size the master cannot read by lines; 12 is no valid size.
    assert_eq!(command_of(0, 1000), Command::MemoryRead);
    assert_eq!(command_of(12, 1000), Command::MemoryRead);
}

#[derive(Clone, Debug)]
struct Weather {
    settings: Settings,
    pci_period_ps: u64,
    core_period_ps: u64,
    latency_timer: u8,
    acts: RandomActs,
    remove_after_clocks: Option<u32>,
    stall: u8,
    moves: Vec<((u32, usize), (u32, usize))>,
}

prop_compose! {
    fn settings()(
        bus_64_bit: bool, target_64_bit: bool, last_user: bool, devsel_clock in 1..=3u32, read_first_clock in 1..=12u32,
        write_first_clock in 1..=12u32, beat_wait_clocks in 0..=1u32, line_wait_clocks in 0..=2u32,
        boundary_bytes in prop::sample::select(vec![0, 16, 64, 4096]),
    ) -> Settings {
        let parking = if last_user { Parking::LastUser } else { Parking::Bridge };
        Settings { bus_64_bit, target_64_bit, parking, devsel_clock, read_first_clock, write_first_clock, beat_wait_clocks,
                   line_wait_clocks, boundary_bytes, ..Settings::default() }
    }
}

/// Half of memory for writes and half for reads, so that both may run at once.
fn range(base: u32) -> impl Strategy<Value = (u32, usize)> {
    (0..1024u32, prop_oneof![1..40usize, 1..1500usize]).prop_map(move |(addr, len)| (base + addr, len))
}

prop_compose! {
    fn weather()(
        settings in settings(),
        pci_period_ps in prop::sample::select(vec![15_152, 30_303]),
        core_period_ps in prop::sample::select(vec![7_519, 11_364, 30_303]),
        latency_timer in prop::sample::select(vec![0u8, 1, 5, 16, 64, 255]),
        seed: u64, retry_ratio in 0.0..0.5f64, disconnect_ratio in 0.0..0.6f64, wait_ratio in 0.0..0.6f64,
        narrow_ratio in 0.0..0.5f64, last_beat in 0..40u32,
        remove_after_clocks in prop::option::of(0..20u32), stall in prop::sample::select(vec![0u8, 0, 60, 200]),
        moves in prop::collection::vec((range(0x400), range(0x2400)), 1..6),
    ) -> Weather {
        let acts = RandomActs { seed, retry_ratio, disconnect_ratio, wait_ratio, narrow_ratio, last_beat };
        Weather { settings, pci_period_ps, core_period_ps, latency_timer, acts, remove_after_clocks, stall, moves }
    }
}

proptest! {
    // INV-1 to INV-5, INV-7 and INV-8, under any conditions.
    #[test]
    fn each_byte_moves_exactly_once(weather in weather()) {
        let (mut bench, counts) = bench(Setup {
            settings: weather.settings,
            pci_period_ps: weather.pci_period_ps,
            core_period_ps: weather.core_period_ps,
            latency_timer: weather.latency_timer,
            seed: weather.acts.seed,
            ..Setup::default()
        });
        bench.bus.misbehaviour().randomise(Some(weather.acts));
        bench.bus.grant_faults().remove_after_clocks = weather.remove_after_clocks;
        bench.core.stall = weather.stall;
        for (k, (write, read)) in weather.moves.into_iter().enumerate() {
            // The CPU also uses the bus meanwhile.
            let at = 16 * k as u32;
            bench.bus.submit(Transaction::write_dwords(BusAddr(BAR1 + at), &[at, !at, 3]));
            let poll = bench.bus.submit(Transaction::read_dword(BusAddr(BAR1 + at + 4)));
            bench.bus.submit(Transaction::write_dword(BusAddr(BAR0 + at), at));
            move_and_check(&mut bench, &counts, write, read);
            let polled = bench.complete(poll).unwrap();
            prop_assert_eq!(polled, Ok(host_pci::Answer::Read(vec![!at])));
        }
        bench.settle().unwrap();
        let counts = bench.core.counts;
        let bus = bench.bus.counters().master(host_pci::AgentId::Nic);
        prop_assert_eq!(counts.master_transactions, bus.started);
        prop_assert_eq!(counts.master_retries, bus.outcome(host_pci::Outcome::Retry));
        prop_assert_eq!(counts.parity_errors, 0);
        bench.judge().unwrap();
    }
}
