use nic_reliable::{ReceiveState, SendWindow};

use crate::WINDOW_MAX;

/// What is known of one peer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer {
    pub window: SendWindow,
    pub receive: ReceiveState,
    /// The low half of the word of node and session in the frames of the peer; [`Peer::NOBODY`]
    /// where there is no peer, or the peer is lost.
    pub identity: u32,
    /// The next frame to be sent again, while the peer is among those whose frames are sent again.
    pub resend_next: u32,
    /// The header word with the peer's address.
    pub address_word: u32,
    /// The transmit buffer of each sequence number in flight.
    pub in_flight: [u8; WINDOW_MAX as usize],
}

// Finding one takes a shift.
const _: () = assert!(size_of::<Peer>() == 64);

impl Peer {
    /// The identity of no frame.
    pub const NOBODY: u32 = u32::MAX;

    pub const EMPTY: Peer = Peer {
        window: SendWindow::new(0),
        receive: ReceiveState::new(0),
        identity: 0,
        resend_next: 0,
        address_word: 0,
        in_flight: [0; WINDOW_MAX as usize],
    };
}
