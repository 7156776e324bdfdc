//! Facts about the MAC.
//!
//! * `transmit`, `receive`, `together`: each direction alone, and both at once. `time`: the clocks
//!   that docs/link.md quotes.
//! * `assertions`: rules of the models that fire. `scene`: the common beginning of all tests.

#[path = "../common/mod.rs"]
mod common;

mod assertions;
mod receive;
mod scene;
mod time;
mod together;
mod transmit;
