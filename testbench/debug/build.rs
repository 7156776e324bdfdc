//! Builds the debug module with two cores.

use verilated_build::{Model, Trace, Unknown};

fn main() {
    Model::new("bench_debug")
        .prefix("BenchDebug")
        .file_list("../../rtl/debug/debug.f")
        .file_list("../../rtl/core/core.f")
        .file("rtl/bench_debug_place.sv")
        .file("rtl/bench_debug.sv")
        .clock("clk_i")
        .trace(Trace::Fst)
        .unknown(Unknown::Unique)
        .build();
}
