//! The reliability of EMP (docs/emp.md, Numbers and Reliability).
//!
//! [`Arrivals`] says which frames of a message have come. [`Window`] says which frames of a message
//! may be sent, and which collections were accepted. [`Numbers`] says what is known of the last 256
//! messages of a peer. All three stay in the SRAM, in the records of their messages and peers.
#![cfg_attr(not(test), no_std)]

mod arrivals;
mod numbers;
mod shape;
mod window;

pub use arrivals::{Arrival, Arrivals, InOrder};
pub use numbers::{Numbers, State};
pub use window::{Acknowledged, Next, Window};
