//! Random operations on whole clusters, compared with a model (docs/properties.md, "Clusters").
//!
//! A case is a cluster and a list of operations. A list stays legal when operations are taken out,
//! so a failing case can be shortened.
//!
//! * `language`: the contract of a language of operations. `rdma`: the language of writes, reads
//!   and buffers, with its model. `messages`: the language of messages that come back.
//! * `case`: a cluster and a list, as text. `clusters`, `random`: random clusters.
//! * `play`: plays a case on RTL and firmware.
//! * `personality`: the differences between personalities, and the language of each.
//! * `shorten`, `search`: finds and shortens a failing case. `campaign`: many cases of one seed.
//! * `soak`: a campaign or a replay in the language of its personality.
//! * `defect`, `defects`: single defects of firmware and driver, and the invariant that finds each.

pub mod campaign;
pub mod case;
mod clusters;
pub mod defect;
pub mod defects;
mod forgery;
pub mod language;
pub mod matched;
pub mod messages;
pub mod personality;
pub mod play;
mod random;
pub mod rdma;
pub mod search;
pub mod shorten;
pub mod soak;
pub mod streams;
