//! Prints the simulated core clocks per second of the whole NIC.
//!
//! `cargo run --release -p bench-nic --example speed [THOUSANDS_OF_CYCLES]`

use std::time::{Duration, Instant};

use bench_nic::assembler::*;
use bench_nic::models::FastNic;
use bench_nic::nic::{Nic, NicError};
use host_pci::Settings;
use nic_layout::boot::FIRMWARE_ADDRESS;
use nic_layout::registers::{dma_read, dma_write, event_a, ident, mac_rx, mac_tx};

/// A loop of arithmetic, loads and stores in SRAM, loads of a register, and a branch.
fn busy_program() -> Vec<u32> {
    vec![
        lui(S0, 0x40000),
        lui(S1, 0x10008),
        addi(T0, ZERO, 0),
        addi(T0, T0, 1), // offset 12
        sw(T0, 0, S1),
        lw(T1, 0, S1),
        addi(T2, T1, 3),
        slli(T2, T2, 2),
        sw(T2, 4, S1),
        lw(T1, event_a::NEXT.offset().0 as i32, S0),
        bne(T0, ZERO, -28),
    ]
}

fn sleeping_program() -> Vec<u32> {
    vec![WFI, j(-4)]
}

fn start(nic: &mut Nic<FastNic>, program: &[u32]) -> Result<(), NicError> {
    nic.write(ident::CORE_CONTROL, ident::CoreControl::default())?;
    nic.sram_write(FIRMWARE_ADDRESS, program)?;
    nic.write(ident::CORE_CONTROL, ident::CoreControl::default().with_run_a(true))
}

/// Both DMA engines and the link are at work: the rings are refilled as descriptors are used.
fn load_engines(nic: &mut Nic<FastNic>) -> Result<(), NicError> {
    for entry in 0..64 {
        nic.sram_write(0x1000 + 16 * entry, &[0x1_0000, 0x1_0000, 1500, 0])?;
        nic.sram_write(0x1800 + 16 * entry, &[0x2_0000, 0x1_0000, 1500, 0])?;
        nic.sram_write(0x2000 + 8 * entry, &[0x1_0000, 1500])?;
        nic.sram_write(0x2800 + 8 * entry, &[0x2_0000 + 2048 * entry, 0])?;
    }
    nic.write(dma_read::RING_BASE, 0x1000)?;
    nic.write(dma_write::RING_BASE, 0x1800)?;
    nic.write(mac_tx::RING_BASE, 0x2000)?;
    nic.write(mac_rx::RING_BASE, 0x2800)?;
    nic.write(mac_tx::RING_LOG2, 6)?;
    nic.write(mac_rx::RING_LOG2, 6)?;
    nic.write(dma_read::CONTROL, dma_read::Control::default().with_enable(true))?;
    nic.write(dma_write::CONTROL, dma_write::Control::default().with_enable(true))?;
    nic.write(mac_tx::CONTROL, mac_tx::Control::default().with_enable(true))?;
    nic.write(mac_rx::CONTROL, mac_rx::Control::default().with_enable(true))
}

fn refill(nic: &mut Nic<FastNic>) -> Result<(), NicError> {
    for (producer, consumer) in [
        (dma_read::PRODUCER, dma_read::CONSUMER),
        (dma_write::PRODUCER, dma_write::CONSUMER),
        (mac_tx::PRODUCER, mac_tx::CONSUMER),
        (mac_rx::PRODUCER, mac_rx::CONSUMER),
    ] {
        let consumed = nic.read(consumer)?;
        nic.write(producer, consumed.wrapping_add(60) & 0xFFFF)?;
    }
    Ok(())
}

/// The time that this thread spent on a processor; if the system does not tell it, the time that
/// passed.
struct Stopwatch {
    start: Instant,
    start_on_cpu: Option<Duration>,
}

impl Stopwatch {
    fn start() -> Stopwatch {
        Stopwatch { start: Instant::now(), start_on_cpu: on_cpu() }
    }

    fn elapsed(&self) -> Duration {
        match (self.start_on_cpu, on_cpu()) {
            (Some(start), Some(end)) => end - start,
            _ => self.start.elapsed(),
        }
    }
}

/// Linux: the first number of `schedstat` is the nanoseconds that the thread has run.
fn on_cpu() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let ns = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(ns))
}

fn report(what: &str, cycles: u64, watch: &Stopwatch) {
    let rate = cycles as f64 / watch.elapsed().as_secs_f64() / 1e6;
    println!("{what:<48} {rate:>6.2} million core clocks per second of processor time");
}

fn measure(nic: &mut Nic<FastNic>, what: &str, cycles: u64) -> Result<(), NicError> {
    nic.run_core_cycles(cycles / 20)?;
    let watch = Stopwatch::start();
    nic.run_core_cycles(cycles)?;
    report(what, cycles, &watch);
    Ok(())
}

fn main() -> Result<(), NicError> {
    let thousands: u64 = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(3_000);
    let cycles = thousands * 1_000;
    let settings = Settings { checks: false, ..Settings::default() };
    let mut nic = Nic::<FastNic>::new(settings, 1)?;
    nic.configure()?;

    measure(&mut nic, "idle, core in reset", cycles)?;
    start(&mut nic, &sleeping_program())?;
    measure(&mut nic, "idle, core in wfi", cycles)?;
    start(&mut nic, &busy_program())?;
    measure(&mut nic, "core running", cycles)?;
    nic.model_assertions(false);
    measure(&mut nic, "core running, assertions off", cycles)?;
    nic.model_assertions(true);

    load_engines(&mut nic)?;
    let watch = Stopwatch::start();
    let from = nic.core_cycles();
    while nic.core_cycles() < from + cycles {
        refill(&mut nic)?;
        nic.run_core_cycles(50_000)?;
    }
    report("core, DMA both ways and link running", nic.core_cycles() - from, &watch);
    Ok(())
}
