//! EMP: messages that the NIC matches with posted receives (docs/emp.md).
//!
//! The firmware is four parts: [`Sender`], [`Transmitter`], [`Sorter`], [`Receiver`]. Each has a
//! state that no other part touches. They pass work to each other by the queues of [`Handoffs`], so
//! that each may run on either core of a NIC ([`Scheme`]).
#![cfg_attr(not(test), no_std)]

mod frames;
mod lists;
mod messages;
mod places;
mod transmitter;

pub use messages::{FromReceiver, FromSender, ToReceiver, ToSender};
pub use places::{Places, Settings};
pub use transmitter::Transmitter;
