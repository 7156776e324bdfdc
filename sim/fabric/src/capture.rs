use sim_pins::Ps;

use crate::fault::Outcome;

/// The byte after which a frame's contents begin (IEEE 802.3, 3.2.2).
const START_OF_FRAME: u8 = 0xD5;

/// A frame as its sender put it on the link, and what became of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CapturedFrame {
    /// Counts the frames of this direction from 0; a copy has the number of its original.
    pub frame_idx: u64,
    /// True for the second delivery of a duplicated frame.
    pub is_copy: bool,
    /// Edges of the transmit clock with the first and the last byte, preamble included.
    pub start: Ps,
    /// Edge of the transmit clock with the last byte.
    pub end: Ps,
    /// Everything sent while TX_EN was high, from the preamble on.
    pub bytes: Vec<u8>,
    /// TX_ER was seen.
    pub error: bool,
    /// What the faults of the link did to the frame.
    pub outcome: Outcome,
    /// When the first byte reaches the peer's pins, if it does.
    pub arrival: Option<Ps>,
}

impl CapturedFrame {
    /// The frame from its destination address to its FCS. Empty without a start-of-frame byte.
    pub fn contents(&self) -> &[u8] {
        match self.bytes.iter().position(|&byte| byte == START_OF_FRAME) {
            Some(delimiter) => &self.bytes[delimiter + 1..],
            None => &[],
        }
    }
}
