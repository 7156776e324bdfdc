#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod direct;
mod file_list;
mod generated;
mod input_logic;
mod model;
mod objects;
mod runtime;
mod shim;
mod toolchain;
mod units;
mod workspace;

pub use model::{Model, Trace, Unknown};
#[doc(hidden)]
pub use runtime::Runtime;
