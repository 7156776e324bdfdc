//! Connects the ports of the model with the lines of the slot.

use crate::BenchPci;
use sim_pins::{PciControl, PciDrive, PciLines, PciPin};

/// The levels and enables that the NIC has driven since its last clock edge.
pub(crate) fn drive_of(model: &BenchPci) -> PciDrive {
    let mut levels = PciControl::from_bits(PciLines::IDLE.control.bits());
    let mut enables = PciControl::from_bits(0);
    let mut pin = |pin: PciPin, level: u8, enable: u8| {
        levels.set(pin, level != 0);
        enables.set(pin, enable != 0);
    };
    let m = model;
    pin(PciPin::Frame, m.pci_frame_no.get(), m.pci_frame_oe_o.get());
    pin(PciPin::Irdy, m.pci_irdy_no.get(), m.pci_irdy_oe_o.get());
    pin(PciPin::Trdy, m.pci_trdy_no.get(), m.pci_trdy_oe_o.get());
    pin(PciPin::Stop, m.pci_stop_no.get(), m.pci_stop_oe_o.get());
    pin(PciPin::Devsel, m.pci_devsel_no.get(), m.pci_devsel_oe_o.get());
    pin(PciPin::Perr, m.pci_perr_no.get(), m.pci_perr_oe_o.get());
    pin(PciPin::Req64, m.pci_req64_no.get(), m.pci_req64_oe_o.get());
    pin(PciPin::Ack64, m.pci_ack64_no.get(), m.pci_ack64_oe_o.get());
    pin(PciPin::Par, m.pci_par_o.get(), m.pci_par_oe_o.get());
    pin(PciPin::Par64, m.pci_par64_o.get(), m.pci_par64_oe_o.get());
    pin(PciPin::Serr, 0, m.pci_serr_oe_o.get());
    pin(PciPin::Inta, 0, m.pci_inta_oe_o.get());
    pin(PciPin::Req, m.pci_req_no.get(), m.pci_req_oe_o.get());
    PciDrive {
        levels: PciLines { control: levels, ad: m.pci_ad_o.get(), cbe_n: m.pci_cbe_no.get() },
        enables,
        ad_enable: m.pci_ad_oe_o.get(),
        cbe_enable: m.pci_cbe_oe_o.get(),
    }
}

/// Puts the levels of the lines on the inputs of the NIC.
pub(crate) fn apply(lines: &PciLines, model: &BenchPci) {
    let m = model;
    m.pci_ad_i.set(lines.ad);
    m.pci_cbe_ni.set(lines.cbe_n);
    m.pci_frame_ni.set_bool(lines.high(PciPin::Frame));
    m.pci_irdy_ni.set_bool(lines.high(PciPin::Irdy));
    m.pci_trdy_ni.set_bool(lines.high(PciPin::Trdy));
    m.pci_stop_ni.set_bool(lines.high(PciPin::Stop));
    m.pci_devsel_ni.set_bool(lines.high(PciPin::Devsel));
    m.pci_perr_ni.set_bool(lines.high(PciPin::Perr));
    m.pci_serr_ni.set_bool(lines.high(PciPin::Serr));
    m.pci_req64_ni.set_bool(lines.high(PciPin::Req64));
    m.pci_ack64_ni.set_bool(lines.high(PciPin::Ack64));
    m.pci_par_i.set_bool(lines.high(PciPin::Par));
    m.pci_par64_i.set_bool(lines.high(PciPin::Par64));
    m.pci_gnt_ni.set_bool(lines.high(PciPin::Gnt));
    m.pci_idsel_i.set_bool(lines.high(PciPin::Idsel));
    m.pci_rst_ni.set_bool(lines.high(PciPin::Rst));
}
