use verilated_build::{Model, Unknown};

fn main() {
    bench("bench_memory", "BenchMemory").build();
    bench("bench_core_memory", "BenchCoreMemory").build();
    bench("bench_registers", "BenchRegisters")
        .file("rtl/bench_registers_bind.sv")
        .build();
    bench("bench_checkers", "BenchCheckers").build();
}

/// A wrapper of some blocks, which start with random contents where reset sets none.
fn bench(top: &str, prefix: &str) -> Model {
    Model::new(top)
        .prefix(prefix)
        .file_list("../../rtl/memory/memory.f")
        .file_list("../../rtl/nic/registers.f")
        .file_list("../../rtl/checkers/checkers.f")
        .file(format!("rtl/{top}.sv"))
        .clock("clk_i")
        .unknown(Unknown::Unique)
}
