//! Prints what driving a model costs beside its own logic:
//! `cargo run -p verilated-check --example drive_cost`.

use std::fs;
use std::hint::black_box;

use verilated::{Context, Model};
use verilated_check::TwoClocks;

/// Processor time of this thread, which a busy machine disturbs less than the clock on the wall
/// (Linux).
fn cpu_ns() -> u64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").expect("Linux tells");
    text.split(' ').next().and_then(|ns| ns.parse().ok()).expect("its first field is nanoseconds")
}

fn measure(what: &str, mut work: impl FnMut(u64)) {
    const TIMES: u64 = 10_000_000;
    let start = cpu_ns();
    (0..TIMES).for_each(&mut work);
    println!("{what}: {:.1} ns", (cpu_ns() - start) as f64 / TIMES as f64);
}

fn main() {
    let mut top = TwoClocks::new(Context::new()).expect("it builds");
    measure("tick without an edge, the call and an empty evaluation", |i| top.tick(i, 0).unwrap());
    measure("tick of clocks in turn, one evaluation each", |i| top.tick(i, 1 << (i & 1)).unwrap());
    measure("tick of one clock, with its falling edge", |i| top.tick(i, 1).unwrap());
    measure("two edges by hand, two evaluations", |_| {
        top.clk_a_i.set(1);
        top.eval().unwrap();
        top.clk_a_i.set(0);
        top.eval().unwrap();
    });
    measure("write and read a pin", |i| {
        top.add_i.set(i as u32);
        black_box(top.a_o.get());
    });
}
