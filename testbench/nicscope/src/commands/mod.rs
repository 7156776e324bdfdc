//! What each command does: it asks the crates behind it, and prints what they found.

pub mod compare;
pub mod explain;
pub mod keys;
pub mod list;
pub mod measure;
pub mod memory_map;
pub mod reproduce;
pub mod run;
pub mod soak;
