//! Verilates the benches: the engines alone, with scalar pins.

use verilated_build::{Model, Trace, Unknown};

fn main() {
    Model::new("bench_dma")
        .prefix("BenchDma")
        .file_list("rtl/bench_dma.f")
        .clock("clk_i")
        .unknown(Unknown::Unique)
        .trace(Trace::Fst)
        .build();
    Model::new("bench_mac")
        .prefix("BenchMac")
        .file_list("rtl/bench_mac.f")
        .clock("clk_i")
        .clock("clk_tx_i")
        .clock("clk_rx_i")
        .unknown(Unknown::Unique)
        .trace(Trace::Fst)
        .build();
}
