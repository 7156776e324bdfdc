//! Builds the models of the core that the tests drive.

use verilated_build::{Model, Trace, Unknown};

fn main() {
    let core = |prefix: &str| Model::new("nic_core").prefix(prefix).file_list("../../rtl/core/core.f").clock("clk_i");

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
