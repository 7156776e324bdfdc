//! The transmitter: reads the data of frames, gives frames to the MAC, sends answers.

mod buffers;
mod frame;
mod open;
mod reads;
mod state;
mod tag;
mod turn;

pub use buffers::{ANSWERS, ANSWERS_APART, ANSWER_BYTES, TRANSMIT_BUFFERS};
pub use state::Sides;
pub use state::{Transmitter, SEND_LISTS};
