//! The language of messages that the NIC matches: what processes do on NICs with EMP.
//!
//! * `operation`: the operations. `draw`: random lists of them.
//! * `board`: the model: what was sent, what may still come, and which failures have a cause.
//! * `side`: a process and its messages. `bursts`: operations that post many. `hostile`: what a
//!   hostile process does. `node`: plays a list on a node, with kills, resets and comparisons.
//! * `number`: which message.
//! * `settings`: how the NICs cut and match messages. `plant`: defects that tests plant.

mod board;
mod bursts;
mod draw;
mod hostile;
mod node;
mod number;
pub mod operation;
pub mod plant;
pub mod settings;
mod side;
