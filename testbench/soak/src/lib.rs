//! Random operations on whole clusters, compared with a model (docs/properties.md, "Clusters").
//!
//! A case is a cluster and a list of operations. A list stays legal when operations are taken out,
//! so a failing case can be shortened.
//!
//! * `operation`, `case`: the language of cases. `draw`, `random`: random cases. `model`: the right
//!   results.
//! * `play`, `node`, `actor`: plays a case on RTL and firmware. `plant`: defects that tests plant.
//! * `personality`: the differences between personalities.
//! * `shorten`, `search`: finds and shortens a failing case. `campaign`: `nicscope soak`.
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
