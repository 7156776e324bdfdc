//! Builds two models: one core with its memories and registers, and two such cores.

fn main() {
    verilated_build::Model::new("bench_kernels")
        .prefix("BenchKernels")
        .file_list("../../rtl/memory/memory.f")
        .file_list("../../rtl/nic/registers.f")
        .file_list("../../rtl/core/core.f")
        .file("../../rtl/nic/nic_core_complex.sv")
        .file("rtl/bench_kernels.sv")
        .clock("clk_i")
        .quick_to_build()
        .build();
    verilated_build::Model::new("bench_pair")
        .prefix("BenchPair")
        .file_list("../../rtl/memory/memory.f")
        .file_list("../../rtl/nic/registers.f")
        .file_list("../../rtl/core/core.f")
        .file_list("../../rtl/checkers/checkers.f")
        .file("../../rtl/nic/nic_core_complex.sv")
        .file("rtl/bench_pair.sv")
        .clock("clk_i")
        .quick_to_build()
        .build();
}
