//! The watches of messages that the NIC matches (docs/emp.md).
//!
//! * `pages`: DMA, and which bytes of a message are in host memory.
//! * `receives`: matching, frames that come, acknowledgements that leave. `order`: the rule of
//!   matching, and the numbers of a peer. `arrival`: the frames of one message.
//! * `sends`: numbers, acknowledgements that come, ends of sends, time-outs.
//! * `frame`: frames of EMP.

mod arrival;
mod frame;
mod order;
mod pages;
mod receives;
mod sends;

pub use pages::Messages;
pub use receives::Receives;
pub use sends::Sends;
