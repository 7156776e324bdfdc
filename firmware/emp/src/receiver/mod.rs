//! The receiver: places data in host memory, keeps the collections of messages, ends receives.

mod control;
mod end;
mod expected;
mod fail;
mod next;
mod open;
mod place;
mod state;
mod tag;
mod take;
mod turn;

pub use state::{Receiver, RECEIVE_LISTS};
pub use state::{Sides, ENTRIES};
