//! The language of messages that the NIC matches: what processes do on NICs with EMP.
//!
//! * `operation`: the operations, and random lists of them. `node`: plays a list on a node.
//! * `plant`: defects that tests plant.

mod node;
pub mod operation;
pub mod plant;
