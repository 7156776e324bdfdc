//! Links between NICs, their faults, and the threads that nodes run on.
//!
//! A [`link`] is a cable with a latency: two [`Port`]s, each a [`Transmitter`] and a [`Receiver`]. What is sent at edge k of a
//! node's transmit clock arrives at edge k of the peer's receive clock, which is the transmit clock delayed by the latency.
//!
//! Nodes are built and run on threads by [`run`], in windows no longer than the shortest latency: nothing that is sent in a
//! window can arrive in it, so nodes need to meet only between windows, and the result does not depend on the number of
//! threads.
//!
//! A [`Fault`] decides what happens to a frame at its first symbol, from the seed and the number of the frame alone.

mod barrier;
mod capture;
mod fault;
mod frame;
mod line;
mod link;
mod receiver;
mod runner;
mod transmitter;
mod wire;

pub use capture::CapturedFrame;
pub use fault::{Corruption, Delay, Duplication, Fate, Fault, Loss, LossOfFrames, Outcome};
pub use frame::FrameCounts;
pub use link::{link, Direction, LinkConfig, Port};
pub use receiver::Receiver;
pub use runner::{run, Activity, Ending, Node, Run, RunOptions};
pub use transmitter::Transmitter;
