//! Links and switches between NICs, their faults, and the threads that nodes run on.
//!
//! A [`link`] is a cable with a latency: two [`Port`]s, each a [`Transmitter`] and a [`Receiver`].
//! What is sent at edge k of a node's transmit clock arrives at edge k of the peer's receive clock,
//! which is the transmit clock delayed by the latency.
//!
//! Nodes are built and run on threads by [`run`], in windows no longer than the shortest latency:
//! nothing that is sent in a window can arrive in it, so nodes need to meet only between windows,
//! and the result does not depend on the number of threads.
//!
//! A [`Topology`] says which nodes and switches a cluster has and which cables join them; a
//! [`Fabric`] builds and runs it. A switch runs in the same windows as the nodes, see
//! [`SwitchParameters`] and [`Hop`].
//!
//! A [`Fault`] decides what happens to a frame at its first symbol, from the seed and the number of
//! the frame alone.

#![deny(missing_docs)]

mod address;
mod barrier;
mod capture;
mod fabric;
mod fault;
mod frame;
mod line;
mod link;
mod link_faults;
mod receiver;
mod runner;
mod setting;
mod switch;
mod topology;
mod transmitter;
mod wire;

pub use address::MacAddress;
pub use capture::CapturedFrame;
pub use fabric::{Channel, Fabric, FabricConfig, FabricRun};
pub use fault::{Corruption, Delay, Duplication, Fate, Fault, Loss, LossOfFrames, Outcome};
pub use frame::FrameCounts;
pub use link::{link, Direction, LinkConfig, Port};
pub use link_faults::LinkFaults;
pub use receiver::Receiver;
pub use runner::{run, Activity, Ending, Node, Run, RunOptions};
pub use setting::SettingError;
pub use switch::{
    Hop, PortCounts, SwitchCounts, SwitchMode, SwitchModel, SwitchOutput, SwitchParameters, SwitchSettings,
    UnknownDestination,
};
pub use topology::{End, Topology, NODES_MAX};
pub use transmitter::Transmitter;
