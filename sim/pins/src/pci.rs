//! The shared and the point-to-point lines of one PCI slot (PCI Local Bus Specification 2.3,
//! chapter 2).

use bitvec::array::BitArray;
use bitvec::order::Lsb0;

/// The single-bit lines. All but `Par` and `Par64` are active low; levels are electrical (true is
/// high).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum PciPin {
    /// FRAME#: a transaction is under way, and more data phases follow.
    Frame,
    /// IRDY#: the initiator is ready for a data phase.
    Irdy,
    /// TRDY#: the target is ready for a data phase.
    Trdy,
    /// STOP#: the target asks the initiator to end the transaction.
    Stop,
    /// DEVSEL#: a target has claimed the address.
    Devsel,
    /// PAR: even parity of AD[31:0] and C/BE[3:0]#, one clock later.
    Par,
    /// PERR#: data with wrong parity were seen.
    Perr,
    /// SERR#: an address with wrong parity, or another error of the system. Open drain.
    Serr,
    /// REQ64#: the initiator asks for a 64-bit transfer.
    Req64,
    /// ACK64#: the target agrees to a 64-bit transfer.
    Ack64,
    /// PAR64: even parity of AD[63:32] and C/BE[7:4]#, one clock later.
    Par64,
    /// Request of the NIC to the arbiter, point to point.
    Req,
    /// Grant of the arbiter to the NIC, point to point.
    Gnt,
    /// Initialisation select of the NIC's slot. Active high.
    Idsel,
    /// Interrupt A of the NIC, open drain.
    Inta,
    /// RST#.
    Rst,
}

impl PciPin {
    /// All lines, in the order of their bits in [`PciControl`].
    pub const ALL: [PciPin; 16] = [
        PciPin::Frame,
        PciPin::Irdy,
        PciPin::Trdy,
        PciPin::Stop,
        PciPin::Devsel,
        PciPin::Par,
        PciPin::Perr,
        PciPin::Serr,
        PciPin::Req64,
        PciPin::Ack64,
        PciPin::Par64,
        PciPin::Req,
        PciPin::Gnt,
        PciPin::Idsel,
        PciPin::Inta,
        PciPin::Rst,
    ];

    /// The bit of this line in [`PciControl`].
    pub const fn mask(self) -> u16 {
        1 << self as u8
    }

    /// The name of the line in the standard.
    pub const fn name(self) -> &'static str {
        match self {
            PciPin::Frame => "FRAME#",
            PciPin::Irdy => "IRDY#",
            PciPin::Trdy => "TRDY#",
            PciPin::Stop => "STOP#",
            PciPin::Devsel => "DEVSEL#",
            PciPin::Par => "PAR",
            PciPin::Perr => "PERR#",
            PciPin::Serr => "SERR#",
            PciPin::Req64 => "REQ64#",
            PciPin::Ack64 => "ACK64#",
            PciPin::Par64 => "PAR64",
            PciPin::Req => "REQ#",
            PciPin::Gnt => "GNT#",
            PciPin::Idsel => "IDSEL",
            PciPin::Inta => "INTA#",
            PciPin::Rst => "RST#",
        }
    }
}

/// One bit for each [`PciPin`]: levels, or output enables.
#[derive(Clone, Copy, Eq, Debug, Default)]
pub struct PciControl(pub BitArray<u16, Lsb0>);

/// By the whole word: lines are compared at each clock of the bus, and bit by bit is forty times
/// slower.
impl PartialEq for PciControl {
    fn eq(&self, other: &PciControl) -> bool {
        self.bits() == other.bits()
    }
}

impl PciControl {
    /// The levels from a word, bit `PciPin as u8` for each line.
    pub const fn from_bits(bits: u16) -> PciControl {
        PciControl(BitArray { _ord: std::marker::PhantomData, data: bits })
    }

    /// The levels as a word, bit `PciPin as u8` for each line.
    pub const fn bits(self) -> u16 {
        self.0.data
    }

    /// The level of a line; true is high.
    pub const fn get(self, pin: PciPin) -> bool {
        self.bits() & pin.mask() != 0
    }

    /// Sets the level of a line; true is high.
    pub fn set(&mut self, pin: PciPin, level: bool) {
        self.0.set(pin as usize, level);
    }
}

/// The levels that all agents see at a rising clock edge. An undriven line reads its pull-up
/// (high); undriven AD, C/BE# and PAR read high too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PciLines {
    /// The single-bit lines.
    pub control: PciControl,
    /// AD[63:0]; a 32-bit bus leaves the upper half undriven.
    pub ad: u64,
    /// C/BE[7:0]#.
    pub cbe_n: u8,
}

impl PciLines {
    /// An idle bus: every line is high but IDSEL, which is low.
    pub const IDLE: PciLines =
        PciLines { control: PciControl::from_bits(!PciPin::Idsel.mask()), ad: u64::MAX, cbe_n: 0xFF };

    /// True when a line is high: for an active-low line, when it is deasserted.
    pub const fn high(&self, pin: PciPin) -> bool {
        self.control.get(pin)
    }

    /// True when an active-low line is asserted.
    pub const fn low(&self, pin: PciPin) -> bool {
        !self.control.get(pin)
    }
}

/// What one agent drives between two edges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PciDrive {
    /// The levels that are driven; they count only where an output is enabled.
    pub levels: PciLines,
    /// Output enable for each single-bit line. Open-drain lines (INTA#, SERR#) are enabled only to
    /// pull low.
    pub enables: PciControl,
    /// Bit 0: AD[31:0] driven; bit 1: AD[63:32].
    pub ad_enable: u8,
    /// Bit 0: C/BE[3:0]# driven; bit 1: C/BE[7:4]#.
    pub cbe_enable: u8,
}

/// Two agents that drove the same line in the same clock (INV-1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The single-bit lines that both agents drove.
    pub control: PciControl,
    /// Both agents drove a half of AD.
    pub ad: bool,
    /// Both agents drove a half of C/BE#.
    pub cbe: bool,
}

impl PciDrive {
    /// Drives nothing.
    pub const NONE: PciDrive =
        PciDrive { levels: PciLines::IDLE, enables: PciControl::from_bits(0), ad_enable: 0, cbe_enable: 0 };

    /// Resolves what two agents drive into the levels on the lines, and names the lines that both
    /// drove. A shared line is either driven by one, or open drain with the same level.
    pub fn resolve(&self, other: &PciDrive) -> (PciLines, Option<Conflict>) {
        let (a, b) = (self.enables.bits(), other.enables.bits());
        let control = (self.levels.control.bits() & a)
            | (other.levels.control.bits() & b)
            | (PciLines::IDLE.control.bits() & !(a | b));
        let ad_a = half_mask_64(self.ad_enable);
        let ad_b = half_mask_64(other.ad_enable);
        let cbe_a = half_mask_8(self.cbe_enable);
        let cbe_b = half_mask_8(other.cbe_enable);
        let lines = PciLines {
            control: PciControl::from_bits(control),
            ad: (self.levels.ad & ad_a) | (other.levels.ad & ad_b) | !(ad_a | ad_b),
            cbe_n: (self.levels.cbe_n & cbe_a) | (other.levels.cbe_n & cbe_b) | !(cbe_a | cbe_b),
        };
        let open_drain = PciPin::Inta.mask() | PciPin::Serr.mask();
        let both = a & b & !open_drain;
        let conflict = (both | ((self.ad_enable & other.ad_enable) | (self.cbe_enable & other.cbe_enable)) as u16 != 0)
            .then(|| Conflict {
                control: PciControl::from_bits(both),
                ad: self.ad_enable & other.ad_enable != 0,
                cbe: self.cbe_enable & other.cbe_enable != 0,
            });
        (lines, conflict)
    }
}

const fn half_mask_64(enable: u8) -> u64 {
    [0, 0xFFFF_FFFF, 0xFFFF_FFFF_0000_0000, u64::MAX][(enable & 3) as usize]
}

const fn half_mask_8(enable: u8) -> u8 {
    [0, 0x0F, 0xF0, 0xFF][(enable & 3) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undriven_lines_read_their_pull_ups() {
        let (lines, conflict) = PciDrive::NONE.resolve(&PciDrive::NONE);
        assert_eq!(lines, PciLines::IDLE);
        assert_eq!(conflict, None);
        assert!(lines.high(PciPin::Frame) && lines.low(PciPin::Idsel));
    }

    #[test]
    fn the_enabled_half_of_ad_is_driven_and_the_other_pulled_up() {
        let drive = PciDrive { levels: PciLines { ad: 0x1234_5678, ..PciLines::IDLE }, ad_enable: 1, ..PciDrive::NONE };
        let (lines, _) = drive.resolve(&PciDrive::NONE);
        assert_eq!(lines.ad, 0xFFFF_FFFF_1234_5678);
    }

    #[test]
    fn two_drivers_of_one_line_are_named() {
        let drive = PciDrive { enables: PciControl::from_bits(PciPin::Frame.mask()), ..PciDrive::NONE };
        let (_, conflict) = drive.resolve(&drive);
        let conflict = conflict.expect("both drive FRAME#");
        assert!(conflict.control.get(PciPin::Frame) && !conflict.ad && !conflict.cbe);
    }

    #[test]
    fn open_drain_lines_may_be_shared() {
        let mut drive = PciDrive { enables: PciControl::from_bits(PciPin::Inta.mask()), ..PciDrive::NONE };
        drive.levels.control.set(PciPin::Inta, false);
        let (lines, conflict) = drive.resolve(&drive);
        assert!(lines.low(PciPin::Inta) && conflict.is_none());
    }
}
