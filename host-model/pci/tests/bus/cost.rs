//! What a clock costs. Measured on request:
//! `cargo test --release -p host-pci --test bus -- --ignored --nocapture`.

use crate::common::*;
use host_pci::mock::MockNicSettings;
use host_pci::{BusAddr, Settings, Transaction, Word};
use sim_pins::{PciDrive, Ps};
use std::time::SystemTime;

const CLOCKS: u64 = 4_000_000;

/// Time spent on the processor by this thread, so that other work on the machine does not count;
/// elsewhere than on Linux, time.
fn processor_ns() -> f64 {
    let schedstat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let on_processor = schedstat.and_then(|text| text.split(' ').next()?.parse().ok());
    on_processor.unwrap_or_else(|| {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        since.expect("the clock is past 1970").as_nanos() as f64
    })
}

fn measure(name: &str, mut clock: impl FnMut()) -> f64 {
    let start = processor_ns();
    for _ in 0..CLOCKS {
        clock();
    }
    let ns = (processor_ns() - start) / CLOCKS as f64;
    if !name.is_empty() {
        println!("{name:<44} {ns:6.1} ns a clock");
    }
    ns
}

/// Replays what a NIC drives, so that only the bus is measured.
fn replay(name: &str, checks: bool, mut keep_busy: impl FnMut(&mut Bench)) -> f64 {
    const RECORDED: usize = 4096;
    let settings = Settings { checks, ..Settings::default() };
    let mut bench = Bench::running(settings.clone(), MockNicSettings::default());
    let both = measure("", || {
        keep_busy(&mut bench);
        bench.clock();
    });
    // The mock alone, on the lines it would see.
    let mut bench = Bench::running(settings, MockNicSettings::default());
    let mut lines = Vec::with_capacity(RECORDED);
    for _ in 0..RECORDED {
        keep_busy(&mut bench);
        bench.clock();
        lines.push(bench.lines);
    }
    let mut k = 0;
    let mock = measure("", || {
        bench.nic.rising_edge(Ps::ZERO, &lines[k % RECORDED]);
        while bench.nic.next_dma_completion().is_some() {}
        k += 1;
    });
    println!("{name:<44} {:6.1} ns a clock (with the mock {both:.1})", both - mock);
    both - mock
}

#[test]
#[ignore = "a measurement"]
fn cost_of_a_clock() {
    let mut bench = Bench::running(Settings::default(), MockNicSettings::default());
    bench.clocks(200);
    let nic: PciDrive = *bench.nic.drive();
    let mut at = bench.at;
    measure("idle bus", || {
        at += PERIOD;
        std::hint::black_box(bench.bus.rising_edge(at, std::hint::black_box(&nic), &mut bench.memory));
    });
    for checks in [true, false] {
        let with = if checks { "checked" } else { "not checked" };
        let dma = |bench: &mut Bench| {
            while bench.nic.next_dma_completion().is_some() {}
            if bench.nic.is_idle() {
                bench.nic.dma_write(BusAddr(0x1000), vec![Word::full(7); 64]);
                bench.nic.dma_read(BusAddr(0x1000), 64);
            }
        };
        replay(&format!("DMA of 64 dwords, both ways, {with}"), checks, dma);
        let cpu = |bench: &mut Bench| {
            while bench.bus.next_completion().is_some() {}
            if bench.bus.is_idle() {
                bench.bus.submit(Transaction::write_dwords(BAR_1, &[1; 32]));
                bench.bus.submit(Transaction::read_dword(BAR_1));
            }
        };
        replay(&format!("CPU writes and reads, {with}"), checks, cpu);
    }
}
