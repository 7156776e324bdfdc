//! Lookup caches of the NIC, searched and replaced by firmware.
//!
//! The caches live in SRAM words that the driver writes too (layout: `nic_layout::vmh`, `cbh`).
//! Nothing here knows where that memory is: it comes as [`nic_device::Words`].
#![cfg_attr(not(any(test, feature = "host")), no_std)]

mod cbh;
#[cfg(any(test, feature = "host"))]
pub mod check;
#[cfg(any(test, feature = "host"))]
pub mod host;
mod recency;
mod vmh;

pub use cbh::{cbh_deny_word, cbh_fill_words, cbh_release_word, Cbh, Find};
pub use recency::Recency;
pub use vmh::{fill_words, release_words, Fetched, Lookup, Path, Reserve, Vmh};
