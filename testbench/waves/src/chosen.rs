//! The signals of the NIC's model that a picture of a message needs, with the names that a reader
//! sees.

use super::import::{Choice, Take};

/// A signal of the combined file, below the scope of its node.
pub struct Chosen {
    /// The scope and the name in the combined file, joined by dots.
    pub name: &'static str,
    /// The path in the file that the model wrote, joined by dots.
    pub model: &'static str,
    /// The part of the model's signal that is taken.
    pub take: Take,
}

const fn whole(name: &'static str, model: &'static str) -> Chosen {
    Chosen { name, model, take: Take::Whole }
}

const fn bit(name: &'static str, model: &'static str, bit: u32) -> Chosen {
    Chosen { name, model, take: Take::Bit(bit) }
}

const GRANTS: &str = "TOP.nic_top.sram_gnt";

/// The signals of every NIC. The name of an active-low signal ends in `_n`, as at the card's edge
/// connector.
pub const CHOSEN: &[Chosen] = &[
    whole("pci.clk", "TOP.clk_pci_i"),
    whole("pci.ad", "TOP.pci_ad_i"),
    whole("pci.cbe_n", "TOP.pci_cbe_ni"),
    whole("pci.frame_n", "TOP.pci_frame_ni"),
    whole("pci.irdy_n", "TOP.pci_irdy_ni"),
    whole("pci.trdy_n", "TOP.pci_trdy_ni"),
    whole("pci.stop_n", "TOP.pci_stop_ni"),
    whole("pci.devsel_n", "TOP.pci_devsel_ni"),
    whole("pci.req_n", "TOP.pci_req_no"),
    whole("pci.gnt_n", "TOP.pci_gnt_ni"),
    // The pad is open drain: an enabled output pulls the pin low.
    Chosen { name: "pci.inta_n", model: "TOP.pci_inta_oe_o", take: Take::Inverse },
    whole("core.clk", "TOP.clk_core_i"),
    Chosen { name: "core.pc", model: "TOP.nic_top.gen_core[0].u_core.u_core.w_pc", take: Take::HalfwordAddress },
    bit("core.sleep", "TOP.nic_top.sleep", 0),
    bit("core.irq", "TOP.nic_top.irq", 0),
    whole("core.events", "TOP.nic_top.u_registers.u_events_a.pending_q"),
    // The order of nic_pkg::sram_port_e.
    bit("sram.link_rx", GRANTS, 0),
    bit("sram.link_tx", GRANTS, 1),
    bit("sram.dma_read", GRANTS, 2),
    bit("sram.dma_write", GRANTS, 3),
    bit("sram.core_data", GRANTS, 4),
    bit("sram.core_insn", GRANTS, 5),
    bit("sram.host", GRANTS, 6),
    Chosen { name: "dma.read_busy", model: "TOP.nic_top.u_dma_read.u_ring.state_q", take: Take::AnyBit },
    Chosen { name: "dma.write_busy", model: "TOP.nic_top.u_dma_write.u_ring.state_q", take: Take::AnyBit },
    whole("link.tx_clk", "TOP.clk_gmii_tx_i"),
    whole("link.tx_en", "TOP.gmii_tx_en_o"),
    whole("link.txd", "TOP.gmii_txd_o"),
    whole("link.rx_clk", "TOP.clk_gmii_rx_i"),
    whole("link.rx_dv", "TOP.gmii_rx_dv_i"),
    whole("link.rxd", "TOP.gmii_rxd_i"),
];

/// The further signals of a NIC with two cores.
const CHOSEN_B: &[Chosen] = &[
    Chosen { name: "core_b.pc", model: "TOP.nic_top.gen_core[1].u_core.u_core.w_pc", take: Take::HalfwordAddress },
    whole("core_b.sleep", "TOP.nic_top.gen_core[1].u_core.sleep_o"),
    whole("core_b.irq", "TOP.nic_top.gen_core[1].u_core.irq_i"),
    whole("core_b.events", "TOP.nic_top.u_registers.gen_core_b.u_events_b.pending_q"),
];

/// The signals of the combined file that are made from one signal of the model of node `node`.
pub fn choose(node: usize, model_path: &str) -> Vec<Choice> {
    CHOSEN
        .iter()
        .chain(CHOSEN_B)
        .filter(|chosen| chosen.model == model_path)
        .map(|chosen| {
            let scope = format!("node{node}");
            let path = std::iter::once(scope).chain(chosen.name.split('.').map(str::to_string)).collect();
            Choice { path, take: chosen.take }
        })
        .collect()
}
