//! Facts about the MAC.
//!
//! * `transmit`, `receive`, `together`: what each direction does, and both at once. `time`: the clocks that docs/link.md quotes.
//! * `assertions`: rules of the models that fire. `scene`: what all begin with.

#[path = "../common/mod.rs"]
mod common;

mod assertions;
mod receive;
mod scene;
mod time;
mod together;
mod transmit;
