//! Prints what one instant costs the scheduler: `cargo run --release -p sim-time --example cost`.

use std::hint::black_box;
use std::time::Instant;

use sim_pins::Ps;
use sim_time::{Clock, Scheduler};

fn main() {
    let clocks = [(133_000_000, 0), (66_000_000, 1_000), (125_000_000, 2_000), (125_000_000, 4_500)];
    let mut scheduler = Scheduler::new(clocks.map(|(hz, phase)| Clock::new(hz, Ps(phase))));
    let instants = 50_000_000;
    let start = Instant::now();
    for _ in 0..instants {
        black_box(scheduler.advance());
    }
    let ns = start.elapsed().as_nanos() as f64 / f64::from(instants);
    println!("{ns:.2} ns per instant of four clocks");
}
