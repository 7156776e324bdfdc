//! Builds the debug module with two cores.

use std::env;

use verilated_build::{Model, Trace, Unknown};

fn main() {
    // Another RTL of the core, with planted defects, or coverage: for the tools that measure how
    // good the tests are.
    println!("cargo::rerun-if-env-changed=NICSCOPE_CORE_RTL");
    println!("cargo::rerun-if-env-changed=NICSCOPE_CORE_COVERAGE");
    let rtl = env::var("NICSCOPE_CORE_RTL").unwrap_or_else(|_| "../../../rtl".into());

    Model::new("bench_debug")
        .prefix("BenchDebug")
        .file_list("../../../rtl/debug/debug.f")
        .file_list(format!("{rtl}/core/core.f"))
        .file("rtl/bench_debug_place.sv")
        .file("rtl/bench_debug.sv")
        .clock("clk_i")
        .trace(Trace::Fst)
        .unknown(Unknown::Unique)
        .coverage(env::var_os("NICSCOPE_CORE_COVERAGE").is_some())
        .quick_to_build()
        .build();
}
