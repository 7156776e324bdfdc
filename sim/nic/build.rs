//! Verilates the NIC: each parameter set, with and without waves. Traces that are compiled in cost
//! speed even when closed.

use verilated_build::{Model, Trace};

/// Name, bytes of SRAM, cores.
const TIGON2: (&str, u32, u32) = ("Tigon2", 524_288, 1);
const TIGON2_PAIR: (&str, u32, u32) = ("Tigon2Pair", 524_288, 2);
const LANAI9: (&str, u32, u32) = ("Lanai9", 2_097_152, 1);

fn main() {
    let mut builds = vec![
        (TIGON2, "", Trace::None),
        (TIGON2, "Waves", Trace::Fst),
        (TIGON2_PAIR, "", Trace::None),
        (TIGON2_PAIR, "Waves", Trace::Fst),
        (LANAI9, "", Trace::None),
        (LANAI9, "Waves", Trace::Fst),
    ];
    if cfg!(feature = "vcd") {
        builds.push((TIGON2, "Vcd", Trace::Vcd));
    }
    for ((name, sram_bytes, cores), suffix, trace) in builds {
        let prefix = format!("Nic{name}{suffix}");
        let mut model = Model::new("nic_top")
            .prefix(&prefix)
            .file_list("../../rtl/nic/nic.f")
            .parameter("SramBytes", sram_bytes)
            .parameter("Cores", cores)
            // No run has a debugger yet; testbench/benches/nic and testbench/benches/debug do.
            .parameter("Debug", 0)
            // The order of sim_nic::clock, then those of the cores.
            .clock("clk_core_i")
            .clock("clk_pci_i")
            .clock("clk_gmii_tx_i")
            .clock("clk_gmii_rx_i")
            .clock("clk_core_a_i")
            .clock("clk_core_b_i")
            .trace(trace);
        if trace != Trace::None {
            model = model.arg("--trace-structs");
        }
        model = match prefix.as_str() {
            "NicTigon2" => model.source("cpp/play.cpp"),
            _ => model.pins_of("NicTigon2"),
        };
        model.build();
    }
}
