//! What every protocol of the NIC shares: the order of service, and the layers below a protocol.
//!
//! * [`Layers`]: link, DMA queues, post queues, and what waits. A protocol calls them.
//! * [`Protocol`]: what a protocol does with a frame, a post, the end of a transfer, a mailbox.
//! * [`Boot`]: what an image needs to start a protocol.
//! * [`Engine`]: both, and the turn, which serves events in the order of [`IN_ORDER`].
//!
//! The path of a frame goes down only: engine, protocol, layers. Nothing here knows what frames
//! carry or what posts ask for. `nic_echo` is the shortest protocol.
#![cfg_attr(not(test), no_std)]

mod boot;
mod engine;
mod events;
mod frame;
mod layers;
mod protocol;
mod receive;
mod tags;
mod timers;
mod transfers;
mod types;

pub use boot::Boot;
pub use engine::Engine;
pub use events::{EVENTS, IN_ORDER, PATIENT};
pub use frame::{Arrived, Buffer, Frame};
pub use layers::{Frames, Layers, LayersConfig};
pub use protocol::Protocol;
pub use receive::retake;
pub use tags::{ReadTag, WriteEnd, WriteTag};
pub use types::{Note, ProtocolTypes};
