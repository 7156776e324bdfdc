use verilated_build::{Model, Unknown};

fn main() {
    bench("bench_memory", "BenchMemory").build();
    bench("bench_memory", "BenchMemoryPair").parameter("Cores", 2).pins_of("BenchMemory").build();
    bench("bench_core_memory", "BenchCoreMemory").build();
    bench("bench_registers", "BenchRegisters").file("rtl/bench_registers_bind.sv").build();
    bench("bench_checkers", "BenchCheckers").build();
    // The whole NIC with every checker, with one core and with two; and the fastest NIC, which has
    // no debugging.
    nic("WatchedNic")
        .file_list("../../../rtl/checkers/checkers.f")
        .file("../../../rtl/checkers/nic_top_bind.sv")
        .unknown(Unknown::Unique)
        .quick_to_build()
        .build();
    nic("WatchedPair")
        .parameter("Cores", 2)
        .file_list("../../../rtl/checkers/checkers.f")
        .file("../../../rtl/checkers/nic_top_bind.sv")
        .unknown(Unknown::Unique)
        .quick_to_build()
        .build();
    nic("FastNic").parameter("Debug", 0).build();
}

/// The NIC, with its clocks in the order of `nic::CLOCK_*`, followed by the clocks of its cores.
fn nic(prefix: &str) -> Model {
    Model::new("nic_top")
        .prefix(prefix)
        .file_list("../../../rtl/nic/nic.f")
        .clock("clk_core_i")
        .clock("clk_pci_i")
        .clock("clk_gmii_tx_i")
        .clock("clk_gmii_rx_i")
        .clock("clk_core_a_i")
        .clock("clk_core_b_i")
}

/// A wrapper of some blocks. Storage that reset does not set starts with random contents.
fn bench(top: &str, prefix: &str) -> Model {
    Model::new(top)
        .prefix(prefix)
        .file_list("../../../rtl/memory/memory.f")
        .file_list("../../../rtl/nic/registers.f")
        .file_list("../../../rtl/checkers/checkers.f")
        .file(format!("rtl/{top}.sv"))
        .clock("clk_i")
        .unknown(Unknown::Unique)
        .quick_to_build()
}
