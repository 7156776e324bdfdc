//! Putting levels on lines, and parity.

use sim_pins::{PciControl, PciDrive, PciLines, PciPin};

/// A [`PciDrive`] under construction: what is not mentioned floats.
#[derive(Clone, Copy)]
pub(crate) struct Pins {
    levels: u16,
    enables: u16,
    ad: u64,
    cbe_n: u8,
    ad_enable: u8,
    cbe_enable: u8,
}

impl Pins {
    pub const FLOAT: Pins = Pins {
        levels: PciLines::IDLE.control.bits(),
        enables: 0,
        ad: u64::MAX,
        cbe_n: 0xFF,
        ad_enable: 0,
        cbe_enable: 0,
    };

    pub fn drive(&mut self, pin: PciPin, high: bool) {
        self.enables |= pin.mask();
        if high {
            self.levels |= pin.mask();
        } else {
            self.levels &= !pin.mask();
        }
    }

    /// Open drain: pulls low or lets go.
    pub fn pull_low(&mut self, pin: PciPin, low: bool) {
        if low {
            self.drive(pin, false);
        }
    }

    pub fn drive_ad(&mut self, ad: u64, wide: bool) {
        self.ad = ad;
        self.ad_enable = if wide { 3 } else { 1 };
    }

    pub fn drive_cbe(&mut self, cbe_n: u8, wide: bool) {
        self.cbe_n = cbe_n;
        self.cbe_enable = if wide { 3 } else { 1 };
    }

    pub fn finish(self) -> PciDrive {
        PciDrive {
            levels: PciLines { control: PciControl::from_bits(self.levels), ad: self.ad, cbe_n: self.cbe_n },
            enables: PciControl::from_bits(self.enables),
            ad_enable: self.ad_enable,
            cbe_enable: self.cbe_enable,
        }
    }
}

/// PAR that makes the number of ones on AD[31:0], C/BE[3:0]# and PAR even (PCI 2.3, section 3.7.1).
pub(crate) fn par(lines: &PciLines) -> bool {
    ((lines.ad as u32).count_ones() + (lines.cbe_n & 0x0F).count_ones()) & 1 == 1
}

/// PAR64, over AD[63:32] and C/BE[7:4]#.
pub(crate) fn par64(lines: &PciLines) -> bool {
    (((lines.ad >> 32) as u32).count_ones() + (lines.cbe_n & 0xF0).count_ones()) & 1 == 1
}

/// Equality of lines, on whole words: comparing bit arrays goes bit by bit.
pub(crate) fn same_lines(a: &PciLines, b: &PciLines) -> bool {
    a.ad == b.ad && a.control.bits() == b.control.bits() && a.cbe_n == b.cbe_n
}

/// Equality of drives, likewise.
pub(crate) fn same_drive(a: &PciDrive, b: &PciDrive) -> bool {
    same_lines(&a.levels, &b.levels)
        && a.enables.bits() == b.enables.bits()
        && a.ad_enable == b.ad_enable
        && a.cbe_enable == b.cbe_enable
}

/// Both FRAME# and IRDY# high: the bus is idle.
pub(crate) fn bus_idle(lines: &PciLines) -> bool {
    lines.high(PciPin::Frame) && lines.high(PciPin::Irdy)
}
