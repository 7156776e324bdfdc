//! Builds the models of the core that the tests drive, and the image of the kernels that they run.

use std::env;
use std::path::Path;
use std::process::Command;

use verilated_build::{Model, Trace, Unknown};

fn main() {
    // Another RTL, with planted defects, or coverage: for the tools that measure how good the tests
    // are.
    println!("cargo::rerun-if-env-changed=NICSCOPE_CORE_RTL");
    println!("cargo::rerun-if-env-changed=NICSCOPE_CORE_COVERAGE");
    let rtl = env::var("NICSCOPE_CORE_RTL").unwrap_or_else(|_| "../../../rtl".into());
    let coverage = env::var_os("NICSCOPE_CORE_COVERAGE").is_some();

    let core = |prefix: &str| {
        let list = format!("{rtl}/core/core.f");
        Model::new("nic_core").prefix(prefix).file_list(list).clock("clk_free_i").clock("clk_i").coverage(coverage)
    };

    // Checks everything, and starts with random registers.
    core("BenchCore").parameter("Rvfi", 1).trace(Trace::Fst).unknown(Unknown::Unique).build();
    // Without RVFI and debugging: for speed, and to show that neither changes anything.
    core("BenchCorePlain").parameter("Rvfi", 0).parameter("Debug", 0).assertions(false).build();
    // Only the rules of a port, so that a test can break each.
    Model::new("nic_core_obi_checker")
        .prefix("BenchObiChecker")
        .file("../../../rtl/core/nic_core_obi_checker.sv")
        .clock("clk_i")
        .build();
    // Only the gate of the core's clock.
    Model::new("nic_core_sleep")
        .prefix("BenchSleep")
        .file("../../../rtl/core/nic_core_sleep.sv")
        .clock("clk_free_i")
        .clock("clk_i")
        .build();
    kernels();
}

/// Compiles kernels/kernels.rs for the core, to an image without headers.
fn kernels() {
    let out = Path::new(&env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("kernels.bin");
    println!("cargo:rerun-if-changed=kernels");
    let done = Command::new(env::var_os("RUSTC").expect("cargo sets RUSTC"))
        .args([
            "--edition=2021",
            "--crate-type=bin",
            "--target=riscv32imc-unknown-none-elf",
            "-Copt-level=3",
            "-Cpanic=abort",
        ])
        .args(["-Ctarget-feature=+zba,+zbb,+zbs", "-Clink-arg=-Tkernels/kernels.ld", "-Clink-arg=--oformat=binary"])
        .args(["kernels/kernels.rs", "-o"])
        .arg(&out)
        .status()
        .expect("rustc runs");
    assert!(done.success(), "kernels/kernels.rs does not compile");
}
