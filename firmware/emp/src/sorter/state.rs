//! The state of the sorter.

use nic_collections::Numbers;
use nic_layout::nodes::IMAGE_NODES;
use nic_matching::Posted;

use crate::messages::{FromReceiverForSorter, ToReceiverOfSorter, ToSenderOfSorter};
use crate::places::{Places, Settings};

/// The part that sorts. `P`: how it finds posted receives.
pub struct Sorter<P> {
    pub(crate) from_receiver: FromReceiverForSorter,
    pub(crate) to_receiver: ToReceiverOfSorter,
    pub(crate) to_sender: ToSenderOfSorter,
    /// The frame of the receive ring that is looked at next, counted without end.
    pub(super) next: u32,
    /// Messages that were matched.
    pub(super) matched: u32,
    /// The second word of the addresses of frames for this node.
    pub(super) own_address: u32,
    pub(super) settings: Settings,
    pub(super) places: Places,
    pub(super) posted: P,
    /// Node and session that frames of each peer must have; [`NO_PEER`] of none.
    pub(super) identities: [u32; IMAGE_NODES],
    pub(super) numbers: [Numbers; IMAGE_NODES],
    /// A command of the driver, until all parts have obeyed it, and whether the sender has it.
    pub(super) command: Option<u32>,
    pub(super) is_passed: bool,
}

/// The sides of the queues that the sorter has.
pub struct Sides {
    /// From the receiver.
    pub from_receiver: FromReceiverForSorter,
    /// To the receiver.
    pub to_receiver: ToReceiverOfSorter,
    /// To the sender.
    pub to_sender: ToSenderOfSorter,
}

/// No identity has this value.
pub(super) const NO_PEER: u32 = u32::MAX;

impl<P: Posted> Sorter<P> {
    /// Before [`Self::start`]. `posted`: nothing is posted.
    pub const fn nowhere(posted: P) -> Sorter<P> {
        Sorter {
            from_receiver: FromReceiverForSorter::NOWHERE,
            to_receiver: ToReceiverOfSorter::NOWHERE,
            to_sender: ToSenderOfSorter::NOWHERE,
            next: 0,
            matched: 0,
            own_address: 0,
            settings: Settings::NONE,
            places: Places::NOWHERE,
            posted,
            identities: [NO_PEER; IMAGE_NODES],
            numbers: [Numbers::NOWHERE; IMAGE_NODES],
            command: None,
            is_passed: false,
        }
    }
}
