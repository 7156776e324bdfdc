//! The language of streams: processes of different nodes write to streams of the kernel, and read
//! what the others have written.
//!
//! * `operation`: the operations, and random lists of them. `node`: plays a list on a node.

mod node;
pub mod operation;
