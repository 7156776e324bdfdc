//! Prints what one instant costs the scheduler:
//! `cargo run --release -p sim-time --example instant_cost`.

use std::fs;
use std::hint::black_box;

use sim_pins::Ps;
use sim_time::{Clock, Scheduler};

/// Processor time of this thread, which a busy machine disturbs less than the clock on the wall
/// (Linux).
fn cpu_ns() -> u64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").expect("Linux tells");
    text.split(' ').next().and_then(|ns| ns.parse().ok()).expect("its first field is nanoseconds")
}

fn main() {
    let clocks = [(133_000_000, 0), (66_000_000, 1_000), (125_000_000, 2_000), (125_000_000, 4_500)];
    let mut scheduler = Scheduler::new(clocks.map(|(hz, phase)| Clock::new(hz, Ps(phase))));
    let instants = 50_000_000;
    let start = cpu_ns();
    for _ in 0..instants {
        black_box(scheduler.advance());
    }
    let ns = (cpu_ns() - start) as f64 / f64::from(instants);
    println!("{ns:.2} ns per instant of four clocks");
}
