//! Prints what a window costs beside the work of its nodes:
//! `cargo run --release -p sim-fabric --example window_cost`.

use std::convert::Infallible;
use std::time::Instant;

use sim_fabric::{run, Activity, Node, RunOptions};
use sim_pins::Ps;

/// Works for some time in each window.
struct Worker {
    now: Ps,
    spins: u64,
    value: u64,
}

impl Node for Worker {
    type Error = Infallible;
    type Output = u64;

    fn run_until(&mut self, end: Ps) -> Result<Activity, Infallible> {
        self.now = end;
        for _ in 0..self.spins {
            self.value = std::hint::black_box(self.value.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ self.value >> 31);
        }
        Ok(Activity::Busy)
    }

    fn now(&self) -> Ps {
        self.now
    }

    fn finish(self) -> u64 {
        self.value
    }
}

fn ns_per_window(nodes: usize, threads: usize, spins: u64, windows: u64) -> f64 {
    let build = move || Ok::<_, Infallible>(Worker { now: Ps::ZERO, spins, value: 1 });
    let options = RunOptions { window: Ps(1), end: Ps(windows), threads, between_windows: None };
    let start = Instant::now();
    run(vec![build; nodes], options);
    start.elapsed().as_nanos() as f64 / windows as f64
}

fn main() {
    for spins in [0, 1_000, 20_000] {
        let windows = if spins == 0 { 200_000 } else { 20_000 };
        let alone = ns_per_window(1, 1, spins, windows);
        let one = ns_per_window(2, 1, spins, windows);
        let two = ns_per_window(2, 2, spins, windows);
        println!("node of {alone:8.0} ns: two on one thread {one:8.0} ns, on two {two:8.0} ns per window");
    }
}
