//! Verilates the PCI block with scalar pins, and some of its parts alone.

use verilated_build::{Model, Unknown};

fn main() {
    model("bench_pci", "BenchPci").clock("clk_pci_i").clock("clk_core_i").build();
    model("bench_pci_parts", "BenchPciParts").clock("clk_i").build();
}

/// A wrapper, which starts with random contents where reset sets none.
fn model(top: &str, prefix: &str) -> Model {
    Model::new(top)
        .prefix(prefix)
        .file_list("../../../rtl/pci/pci.f")
        .file(format!("rtl/{top}.sv"))
        .unknown(Unknown::Unique)
}
