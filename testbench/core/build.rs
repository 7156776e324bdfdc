//! Builds the models of the core that the tests drive.

use std::env;

use verilated_build::{Model, Trace, Unknown};

fn main() {
    // Another RTL, with planted defects, or coverage: for the tools that look how good the tests are.
    println!("cargo::rerun-if-env-changed=NICSCOPE_CORE_RTL");
    println!("cargo::rerun-if-env-changed=NICSCOPE_CORE_COVERAGE");
    let rtl = env::var("NICSCOPE_CORE_RTL").unwrap_or_else(|_| "../../rtl".into());
    let coverage = env::var_os("NICSCOPE_CORE_COVERAGE").is_some();

    let core = |prefix: &str| {
        let list = format!("{rtl}/core/core.f");
        Model::new("nic_core").prefix(prefix).file_list(list).clock("clk_i").coverage(coverage)
    };

    // Checks everything, and starts with random registers.
    core("BenchCore").parameter("Rvfi", 1).trace(Trace::Fst).unknown(Unknown::Unique).build();
    // As in the NIC: for speed, and to see that RVFI changes nothing.
    core("BenchCorePlain").parameter("Rvfi", 0).assertions(false).build();
    // The rules of a port alone, so that a test can break each.
    Model::new("nic_core_obi_checker")
        .prefix("BenchObiChecker")
        .file("../../rtl/core/nic_core_obi_checker.sv")
        .clock("clk_i")
        .build();
}
