//! The reliable link between NICs (docs/protocol.md, Sequence, Retransmission).
//!
//! [`Link`] keeps one sequence of frames for each ordered pair of nodes: windows, acknowledgements,
//! retransmission, and what is known of each peer. Frames stay in transmit buffers until their peer
//! has acknowledged them. The rules of the numbers themselves are those of `nic_reliable`.
//!
//! Nothing here knows what a frame carries. The protocol builds the body of a frame and gives the
//! link an *owner* with it; when frames end, the link says which ([`Ended`]), and the protocol
//! takes the owners back one by one.
#![cfg_attr(not(test), no_std)]

mod buffers;
mod config;
mod link;
mod peer;
mod types;

pub use config::{LinkConfig, ACK_BUFFER_BYTES, LOST_RESTART_LOG2, WINDOW_MAX};
pub use link::{Link, NODE_MASK};
pub use types::{Barrier, Ended, Framing, Overdue, ACK_TIMER, RETRANSMIT_TIMER};
