//! Kernels like those of public benchmarks for small processors, of our own writing.

mod filter;
mod hash;
mod matrix;
mod search;
mod sort;

pub use filter::{Filter, Samples};
pub use hash::{Hash, Message};
pub use matrix::{Matrices, Matrix};
pub use search::{Haystack, Search};
pub use sort::{Numbers, Sort};
