//! Prints how fast the NIC runs when it has nothing to do:
//! `cargo run --release -p sim-nic --example idle_cost`.

use std::fs;

use sim_nic::{clock, Nic, NicConfig, ParameterSet};
use sim_pins::{PciDrive, PciLines, PciPin, Ps, LINK_IDLE};
use sim_time::{Clock, Scheduler};
use verilated::Context;

/// Processor time of this thread, which a busy machine disturbs less than the clock on the wall
/// (Linux).
fn cpu_ns() -> u64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").expect("Linux tells");
    text.split(' ').next().and_then(|ns| ns.parse().ok()).expect("its first field is nanoseconds")
}

fn main() {
    let hz = |parameters| match parameters {
        ParameterSet::Tigon2 | ParameterSet::Tigon2Pair => [88_000_000, 66_000_000, 125_000_000, 125_000_000],
        ParameterSet::Lanai9 => [133_000_000, 33_000_000, 160_000_000, 160_000_000],
    };
    for parameters in ParameterSet::ALL {
        for (waves, assertions) in [(false, true), (false, false), (true, true)] {
            let context = Context::new().assertions(assertions);
            let mut nic = Nic::new(NicConfig { waves, context, ..NicConfig::new(parameters) }).expect("it builds");
            let mut phase = 0;
            let clocks = hz(parameters).map(|hz| {
                phase += 1_100;
                Clock::new(hz, Ps(phase))
            });
            let mut scheduler = Scheduler::new(clocks);
            let mut in_reset = PciDrive::NONE;
            in_reset.enables.set(PciPin::Rst, true);
            in_reset.levels = PciLines { control: sim_pins::PciControl::from_bits(0), ..PciLines::IDLE };

            let (mut instants, mut end) = (0u64, Ps::from_us(2));
            let mut start = cpu_ns();
            loop {
                while let Some(instant) = scheduler.advance_before(end) {
                    if instant.rising.contains(clock::PCI) {
                        let host = if end == Ps::from_us(2) { &in_reset } else { &PciDrive::NONE };
                        let (lines, _) = nic.drive().resolve(host);
                        nic.sense_pci(&lines);
                    }
                    if instant.rising.contains(clock::GMII_RX) {
                        nic.receive(LINK_IDLE);
                    }
                    nic.tick(instant).expect("no assertion fails");
                    instants += 1;
                }
                if end > Ps::from_us(2) {
                    break;
                }
                (instants, start, end) = (0, cpu_ns(), Ps::from_us(10_000));
            }
            let ns = (cpu_ns() - start) as f64;
            println!(
                "{} waves {waves:5} assertions {assertions:5}: {:6.3} million core clocks per second, {:.0} ns per instant",
                parameters.name(),
                nic.core_cycles() as f64 / ns * 1e3,
                ns / instants as f64
            );
        }
    }
}
