//! DMA commands that the target would keep waiting for ever: a limit of retries ends them, and so
//! does the reset of their engine.

use bench_pci::{Bench, ByteCounts, DmaStatus, Setup};
use host_pci::{RandomActs, Settings};
use proptest::prelude::*;

const MEMORY_BYTES: usize = 1 << 14;
/// More retries than any of these tests waits for.
const FOR_EVER: usize = 100_000;
/// The register RETRY_LIMIT.
const RETRY_LIMIT: u8 = 0x40;
/// The longest that a command may take to end once its engine stops, in PCI clocks: the burst on
/// the bus ends, and the words of the command that are still to come are taken and dropped.
const END_CLOCKS: u64 = 2000;

fn pattern(len: usize) -> Vec<u8> {
    (0..len as u32).map(|k| (k.wrapping_mul(2_654_435_761) >> 23) as u8).collect()
}

fn bench(setup: Setup) -> Bench {
    let mut bench = Bench::new(Setup { memory_bytes: MEMORY_BYTES, ..setup }).unwrap();
    let fill = pattern(MEMORY_BYTES);
    bench.memory.bytes_mut().copy_from_slice(&fill);
    bench
}

/// A read and a write that go well.
fn goes_on(bench: &mut Bench) {
    let bytes = [7; 100];
    assert_eq!(bench.dma_write(0x3003, &bytes).unwrap(), DmaStatus::Ok);
    let read = bench.dma_read(0x3003, 100).unwrap();
    assert_eq!((read.status, &read.bytes[..]), (DmaStatus::Ok, &bytes[..]));
    bench.judge().unwrap();
}

#[test]
fn so_many_retries_in_a_row_end_a_command() {
    for limit in [1, 2, 200] {
        let mut bench = bench(Setup::default());
        bench.config_write(RETRY_LIMIT, limit).unwrap();
        for is_write in [false, true] {
            bench.bus.misbehaviour().plan_retries(FOR_EVER);
            let before = bench.core.counts.master_retries;
            let status = match is_write {
                true => bench.dma_write(0x1003, &[1; 300]).unwrap(),
                false => bench.dma_read(0x2005, 300).unwrap().status,
            };
            assert_eq!(status, DmaStatus::RetryLimit, "write: {is_write}");
            assert_eq!(bench.core.counts.master_retries - before, u64::from(limit), "write: {is_write}");
            bench.bus.misbehaviour().forget_planned();
            goes_on(&mut bench);
        }
        assert!(bench.memory.bytes()[0x1003..][..300] == pattern(MEMORY_BYTES)[0x1003..][..300], "nothing moved");
    }
}

#[test]
fn one_retry_less_than_the_limit_is_sat_out_each_time() {
    let mut bench = bench(Setup::default());
    bench.config_write(RETRY_LIMIT, 20).unwrap();
    for _ in 0..10 {
        bench.bus.misbehaviour().plan_retries(19);
        goes_on(&mut bench);
    }
    assert_eq!(bench.core.counts.master_retries, 190);
}

#[test]
fn without_a_limit_retries_never_end_a_command() {
    let mut bench = bench(Setup::default());
    bench.bus.misbehaviour().plan_retries(20_000);
    goes_on(&mut bench);
    assert_eq!(bench.core.counts.master_retries, 20_000);
}

/// Waits until both commands have ended.
fn end_of_both(bench: &mut Bench) -> (DmaStatus, bench_pci::ReadResult) {
    let (mut write, mut read) = (None, None);
    let ended = bench.until("both ends", |bench| {
        write = write.or_else(|| bench.core.take_write());
        read = read.take().or_else(|| bench.core.take_read());
        (write.is_some() && read.is_some()).then_some(())
    });
    ended.unwrap();
    (write.unwrap(), read.unwrap())
}

#[test]
fn a_stop_ends_what_the_target_would_never_end() {
    let mut bench = bench(Setup::default());
    bench.bus.misbehaviour().plan_retries(FOR_EVER);
    bench.core.start_read(0x2000, 4000);
    bench.core.start_write(0x1000, &[1; 4000]);
    bench.run_pci_clocks(5000).unwrap();
    assert!(bench.core.take_read().is_none() && bench.core.take_write().is_none());
    bench.core.stops = [true; 2];
    let begin = bench.pci_clocks;
    let (write, read) = end_of_both(&mut bench);
    assert_eq!((write, read.status, read.bytes.len()), (DmaStatus::Stopped, DmaStatus::Stopped, 0));
    assert!(bench.pci_clocks - begin < END_CLOCKS);
    bench.core.stops = [false; 2];
    bench.until("the end of the stop", |bench| (bench.core.stops_seen == [false; 2]).then_some(())).unwrap();
    bench.bus.misbehaviour().forget_planned();
    goes_on(&mut bench);
}

/// The target takes and gives a word in each clock, so one burst would be as long as the command.
#[test]
fn a_stop_ends_the_burst_that_is_on_the_bus() {
    const CLOCKS: u64 = 300;
    for is_write in [false, true] {
        let settings = Settings { boundary_bytes: 0, ..Settings::default() };
        let mut bench = Bench::new(Setup { settings, latency_timer: 255, ..Setup::default() }).unwrap();
        if is_write {
            bench.core.start_write(0x1000, &[1; 60_000]);
        } else {
            bench.core.start_read(0x1000, 60_000);
        }
        bench.run_pci_clocks(CLOCKS).unwrap();
        bench.core.stops = [true; 2];
        let moved = if is_write {
            let end = bench.until("the end", |bench| bench.core.take_write()).unwrap();
            assert_eq!(end, DmaStatus::Stopped);
            bench.memory.bytes().iter().filter(|byte| **byte == 1).count()
        } else {
            let end = bench.until("the end", |bench| bench.core.take_read()).unwrap();
            assert_eq!(end.status, DmaStatus::Stopped);
            end.bytes.len()
        };
        // 8 bytes in each clock, and 20 clocks for the stop to cross and the last phases to pass.
        assert!(moved > 100 && moved < 8 * (CLOCKS as usize + 20), "write: {is_write}, {moved} bytes");
        bench.judge().unwrap();
    }
}

/// A command that comes while its engine is stopped has no burst.
#[test]
fn a_command_that_comes_while_its_engine_is_stopped_moves_nothing() {
    let mut bench = bench(Setup::default());
    bench.core.stops = [true; 2];
    bench.until("the stop", |bench| (bench.core.stops_seen == [true; 2]).then_some(())).unwrap();
    bench.core.start_read(0x2000, 100);
    bench.core.start_write(0x1000, &[1; 100]);
    let (write, read) = end_of_both(&mut bench);
    assert_eq!((write, read.status), (DmaStatus::Stopped, DmaStatus::Stopped));
    assert_eq!(bench.core.counts.master_transactions, 0);
}

proptest! {
    /// In whatever clock the stop of either engine comes: its command ends soon, well or stopped;
    /// what has moved is right, and each byte was written at most once; the other engine's command
    /// ends well.
    #[test]
    fn a_stop_in_any_clock_ends_a_command_and_harms_nothing(
        seed: u64, retry_ratio in 0.0..0.9f64, disconnect_ratio in 0.0..0.6f64, wait_ratio in 0.0..0.6f64,
        narrow_ratio in 0.0..0.5f64, last_beat in 0..40u32,
        core_period_ps in prop::sample::select(vec![7_519, 11_364, 30_303]),
        pci_period_ps in prop::sample::select(vec![15_152, 30_303]),
        stall in prop::sample::select(vec![0u8, 0, 60, 200]),
        len in 1..1500usize, lane in 0..8u32, is_write: bool, after_clocks in 0..1500u64,
    ) {
        let mut bench = bench(Setup { core_period_ps, pci_period_ps, seed, settings: Settings::default(), ..Setup::default() });
        let acts = RandomActs { seed, retry_ratio, disconnect_ratio, wait_ratio, narrow_ratio, last_beat };
        bench.bus.misbehaviour().randomise(Some(acts));
        bench.core.stall = stall;
        let counts = ByteCounts::new(MEMORY_BYTES);
        bench.bus.set_listener(Some(counts.listener()));
        let (truth, bytes) = (pattern(MEMORY_BYTES), vec![0xC3; len]);
        let (to, from) = (0x1000 + lane, 0x2000 + (lane * 3) % 8);
        bench.core.start_read(from, len as u16);
        bench.core.start_write(to, &bytes);
        bench.run_pci_clocks(after_clocks).unwrap();
        bench.core.stops[usize::from(is_write)] = true;
        let (write, read) = end_of_both(&mut bench);
        let (stopped, other) = if is_write { (write, read.status) } else { (read.status, write) };
        prop_assert_eq!(other, DmaStatus::Ok);
        prop_assert!([DmaStatus::Ok, DmaStatus::Stopped].contains(&stopped), "{:?}", stopped);
        let (from, to) = (from as usize, to as usize);
        prop_assert!(read.bytes[..] == truth[from..][..read.bytes.len()]);
        prop_assert!(read.status != DmaStatus::Ok || read.bytes.len() == len);
        for (at, (now, count)) in bench.memory.bytes().iter().zip(counts.take()).enumerate() {
            let is_in = (to..to + len).contains(&at);
            let wanted = if count > 0 { 0xC3 } else { truth[at] };
            prop_assert!(*now == wanted && count <= u32::from(is_in), "byte {:#x}: {:#x}, written {} times", at, now, count);
            prop_assert!(!is_in || write != DmaStatus::Ok || count == 1, "byte {:#x}", at);
        }
        bench.core.stops = [false; 2];
        bench.until("the end of the stop", |bench| (bench.core.stops_seen == [false; 2]).then_some(())).unwrap();
        bench.bus.misbehaviour().randomise(None);
        bench.core.stall = 0;
        goes_on(&mut bench);
    }
}
