//! Random operations on whole clusters: lists that stay legal when operations are taken out, a model that says what must be so, and a search that ends in the
//! shortest list that fails (docs/properties.md, "Clusters").
//!
//! * `operation`, `case`: the language. `draw`, `random`: what is likely. `model`: what must be so.
//! * `play`, `node`, `actor`: a case on RTL and firmware. `plant`: what tests break on purpose.
//! * `personality`: what differs from one firmware to another.
//! * `shorten`, `search`: from a case that fails to the one that is told. `campaign`: `nicscope soak`.
//! * `defects`: single defects of firmware and driver, and the invariant that finds each.

mod actor;
pub mod campaign;
pub mod case;
pub mod defects;
pub mod draw;
pub mod model;
mod node;
pub mod operation;
mod personality;
pub mod plant;
pub mod play;
mod random;
pub mod search;
pub mod shorten;
