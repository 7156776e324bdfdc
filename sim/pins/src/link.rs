/// What one clock of a GMII direction carries (IEEE 802.3 clause 35).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkSymbol {
    /// TXD[7:0] of the sender, RXD[7:0] of the receiver.
    pub data: u8,
    /// TX_EN of the sender, RX_DV of the receiver.
    pub enable: bool,
    /// TX_ER of the sender, RX_ER of the receiver.
    pub error: bool,
}

/// The symbol between frames.
pub const LINK_IDLE: LinkSymbol = LinkSymbol { data: 0, enable: false, error: false };
