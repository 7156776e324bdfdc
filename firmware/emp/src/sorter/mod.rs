//! The sorter: takes frames from the MAC, finds their messages, and matches new messages with
//! posted receives.

mod posts;
mod sort;
mod state;
mod turn;

pub use state::Sides;
pub use state::Sorter;
