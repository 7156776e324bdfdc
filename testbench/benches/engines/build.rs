//! Verilates the benches: the engines alone, with scalar pins.

use verilated_build::{Model, Trace, Unknown};

fn main() {
    Model::new("bench_dma")
        .prefix("BenchDma")
        .file_list("rtl/bench_dma.f")
        .clock("clk_i")
        .unknown(Unknown::Unique)
        .trace(Trace::Fst)
        .quick_to_build()
        .build();
    Model::new("bench_mac")
        .prefix("BenchMac")
        .file_list("rtl/bench_mac.f")
        .clock("clk_i")
        .clock("clk_tx_i")
        .clock("clk_rx_i")
        .unknown(Unknown::Unique)
        .trace(Trace::Fst)
        .quick_to_build()
        .build();

    // Parts with scalar ports, for the assertions that no neighbour of a whole engine can break.
    let part = |module: &str, prefix: &str, list: &str| {
        Model::new(module).prefix(prefix).file_list(list).clock("clk_i").quick_to_build().build();
    };
    part("nic_dma_align", "PartAlign", "../../../rtl/dma/dma.f");
    part("nic_word_queue", "PartQueue", "../../../rtl/dma/dma.f");
    part("nic_sram_share", "PartShare", "../../../rtl/dma/dma.f");
    part("nic_ring", "PartRing", "../../../rtl/dma/dma.f");
    part("nic_mac_tx", "PartTx", "../../../rtl/link/link.f");
}
