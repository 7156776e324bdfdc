//! Verilates the PCI block with scalar pins, and some of its parts.

use verilated_build::{Model, Unknown};

fn main() {
    model("bench_pci", "BenchPci").clock("clk_pci_i").clock("clk_core_i").build();
    model("bench_pci_parts", "BenchPciParts").clock("clk_i").build();
}

/// A wrapper. Storage that reset does not set starts with random contents.
fn model(top: &str, prefix: &str) -> Model {
    Model::new(top)
        .prefix(prefix)
        .file_list("../../../rtl/pci/pci.f")
        .file(format!("rtl/{top}.sv"))
        .unknown(Unknown::Unique)
        .quick_to_build()
}
