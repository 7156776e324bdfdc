//! How the core of the sender divides its turns between sending and receiving.

use nic_device::rarely;

/// The share of a core that sending has.
///
/// A core that sends as much as it receives falls behind with receiving, since acknowledgements
/// come on top of the frames. Then frames wait for longer than the time-outs of their collections.
/// So while more than a few wait, only one turn in eight sends.
#[derive(Clone, Copy, Debug)]
pub struct Share(u32);

impl Share {
    pub const START: Share = Share(0);

    /// More frames than this are many.
    const FEW: u16 = 4;
    /// One turn of so many sends.
    const TURNS: u32 = 8;

    /// Whether a frame may be sent. `waiting`: frames that have arrived.
    #[inline(always)]
    pub fn has_turn(&mut self, waiting: u16) -> bool {
        if waiting <= Share::FEW {
            return true;
        }
        rarely();
        self.0 = self.0.wrapping_add(1);
        self.0 % Share::TURNS == 0
    }
}
