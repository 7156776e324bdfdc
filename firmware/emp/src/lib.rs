//! EMP: messages that the NIC matches with posted receives (docs/emp.md).
//!
//! The firmware is four parts: [`Sender`], [`Transmitter`], [`Sorter`], [`Receiver`]. Each has a
//! state that no other part touches. They pass work to each other by queues, so that each may run on
//! either core of a NIC.
#![cfg_attr(not(test), no_std)]

mod command;
mod header;
mod lists;
mod messages;
mod parts;
mod places;
pub mod receiver;
pub mod sender;
pub mod sorter;
pub mod transmitter;

pub use lists::LIST_BUFFER_BYTES;
pub use messages::*;
pub use parts::{Parts, QUEUES_BYTES};
pub use places::{receive_record, send_record, Places, Settings};
pub use receiver::Receiver;
pub use sender::Sender;
pub use sorter::Sorter;
pub use transmitter::Transmitter;
