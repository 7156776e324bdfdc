//! The PCI pins of `nic_top` as [`PciLines`] and [`PciDrive`].

use sim_pins::{PciControl, PciDrive, PciLines, PciPin};

use crate::models::Top;

/// Puts the levels of the bus on the input pins.
#[inline]
pub(crate) fn sense(top: &Top, lines: &PciLines) {
    let bits = lines.control.bits();
    let level = |pin: PciPin| (bits >> pin as u8 & 1) as u8;
    top.pci_ad_i.set(lines.ad);
    top.pci_cbe_ni.set(lines.cbe_n);
    top.pci_frame_ni.set(level(PciPin::Frame));
    top.pci_irdy_ni.set(level(PciPin::Irdy));
    top.pci_trdy_ni.set(level(PciPin::Trdy));
    top.pci_stop_ni.set(level(PciPin::Stop));
    top.pci_devsel_ni.set(level(PciPin::Devsel));
    top.pci_par_i.set(level(PciPin::Par));
    top.pci_perr_ni.set(level(PciPin::Perr));
    top.pci_serr_ni.set(level(PciPin::Serr));
    top.pci_req64_ni.set(level(PciPin::Req64));
    top.pci_ack64_ni.set(level(PciPin::Ack64));
    top.pci_par64_i.set(level(PciPin::Par64));
    top.pci_gnt_ni.set(level(PciPin::Gnt));
    top.pci_idsel_i.set(level(PciPin::Idsel));
    top.pci_rst_ni.set(level(PciPin::Rst));
}

/// Gathers what the output pins drive.
#[inline]
pub(crate) fn drive(top: &Top) -> PciDrive {
    let at = |pin: PciPin, bit: u8| u16::from(bit) << pin as u8;
    let levels = at(PciPin::Frame, top.pci_frame_no.get())
        | at(PciPin::Irdy, top.pci_irdy_no.get())
        | at(PciPin::Trdy, top.pci_trdy_no.get())
        | at(PciPin::Stop, top.pci_stop_no.get())
        | at(PciPin::Devsel, top.pci_devsel_no.get())
        | at(PciPin::Par, top.pci_par_o.get())
        | at(PciPin::Perr, top.pci_perr_no.get())
        | at(PciPin::Req64, top.pci_req64_no.get())
        | at(PciPin::Ack64, top.pci_ack64_no.get())
        | at(PciPin::Par64, top.pci_par64_o.get())
        | at(PciPin::Req, top.pci_req_no.get());
    // SERR# and INTA# are open drain: enabled only to pull low, so their level is always low.
    let enables = at(PciPin::Frame, top.pci_frame_oe_o.get())
        | at(PciPin::Irdy, top.pci_irdy_oe_o.get())
        | at(PciPin::Trdy, top.pci_trdy_oe_o.get())
        | at(PciPin::Stop, top.pci_stop_oe_o.get())
        | at(PciPin::Devsel, top.pci_devsel_oe_o.get())
        | at(PciPin::Par, top.pci_par_oe_o.get())
        | at(PciPin::Perr, top.pci_perr_oe_o.get())
        | at(PciPin::Serr, top.pci_serr_oe_o.get())
        | at(PciPin::Req64, top.pci_req64_oe_o.get())
        | at(PciPin::Ack64, top.pci_ack64_oe_o.get())
        | at(PciPin::Par64, top.pci_par64_oe_o.get())
        | at(PciPin::Req, top.pci_req_oe_o.get())
        | at(PciPin::Inta, top.pci_inta_oe_o.get());
    PciDrive {
        levels: PciLines {
            control: PciControl::from_bits(levels),
            ad: top.pci_ad_o.get(),
            cbe_n: top.pci_cbe_no.get(),
        },
        enables: PciControl::from_bits(enables),
        ad_enable: top.pci_ad_oe_o.get(),
        cbe_enable: top.pci_cbe_oe_o.get(),
    }
}
