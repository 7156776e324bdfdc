//! Verilates the PCI block with scalar pins, with and without waves.

use verilated_build::{Model, Unknown};

fn main() {
    Model::new("bench_pci")
        .prefix("BenchPci")
        .file_list("../../rtl/pci/pci.f")
        .file("rtl/bench_pci.sv")
        .clock("clk_pci_i")
        .clock("clk_core_i")
        .unknown(Unknown::Unique)
        .build();
}
