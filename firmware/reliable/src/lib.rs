//! Sequence numbers, acknowledgement and retransmission between two nodes (M-10): go-back-N with
//! cumulative acknowledgements.
//!
//! Pure bookkeeping. The caller owns the frames and the clock, and moves the bytes: [`SendWindow`]
//! says what may be sent and what must be repeated, [`ReceiveState`] what may be accepted and when
//! to acknowledge, [`Refusals`] which of those frames were refused, [`Alarms`] keeps one deadline
//! per node on one timer.
//!
//! Sequence numbers are `u32`, compared by distance, so they wrap. A frame is accepted only if its
//! number is exactly the expected one; nothing of the lap before can be (INV-31).
#![cfg_attr(not(test), no_std)]

mod alarms;
mod receive;
mod refusals;
mod send;

pub use alarms::Alarms;
pub use receive::{AckDue, Arrival, ReceiveState};
pub use refusals::{is_refused, Refusals, REFUSALS_WINDOW};
pub use send::{Acknowledged, Expired, SendWindow};
