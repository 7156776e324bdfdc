//! The language of messages that come back: what processes do on NICs whose posts carry their data.
//!
//! A personality gives its [`Messages`](nicscope_run::workload::messages::Messages).
//!
//! * `operation`: the operations, and random lists of them. `node`: plays a list on a node.
//! * `plant`: defects that tests plant.

mod node;
pub mod operation;
pub mod plant;
