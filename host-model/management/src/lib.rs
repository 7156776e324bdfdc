//! The management network: a daemon on each host, and an Ethernet of its own that joins the
//! daemons.
//!
//! Before processes on two hosts can use their NICs, they must know of each other: which buffers
//! are exported, under which handles and keys. A key is sent to the peer during connection set-up
//! (facts M-48), and an import names the handle and the key of the remote side (facts M-4). The
//! papers do not say how they travel. Here a daemon carries them, over TCP on a second network,
//! never over the measured link.
//!
//! [`network`] makes the [`Interface`] of each host. [`Daemon::start`] runs the daemon on a host's
//! processors. Tasks of the host call the daemon: [`publish`](Daemon::publish) and
//! [`lookup`](Daemon::lookup) of named values, [`send`](Daemon::send) and
//! [`receive`](Daemon::receive), [`exchange`](Daemon::exchange) and [`barrier`](Daemon::barrier) of
//! all hosts.
//!
//! An exporter says which hosts and processes may import a buffer ([`Importers`], facts M-3). The
//! daemon of the exporter decides: it hands the key only to them. The NIC decides by the key. So a
//! change that excludes an importer gives the buffer another key ([`restrict`](Daemon::restrict)).
//!
//! # Time
//! Every step is charged from the platform ([`Management`](host_model::platform::Management)):
//!
//! 1. the caller hands its request to the daemon: `local_ns` on a processor;
//! 2. the daemon sends a message: `send_ns` on a processor;
//! 3. the message leaves when the host's earlier messages have left, at `bits_per_s`, with
//!    `overhead_bytes` of headers and gap beside its own bytes; it arrives `latency_ns` after its
//!    last bit has left;
//! 4. the daemon of the other host takes messages one at a time, in the order of their arrival:
//!    `receive_ns` on a processor;
//! 5. the daemon hands the value to the task that waits: `local_ns` on a processor.
//!
//! Messages between two hosts keep their order, and none is lost.
//!
//! # Windows
//! Hosts run ahead of each other in windows, so a message must not arrive in the window in which it
//! is sent. Each host calls [`Daemon::begin_window`] before each of its windows. The call takes
//! what other hosts sent in earlier windows, and only that. So results do not depend on the number
//! of threads. A window must not be longer than the latency; a message that arrives too
//! late is a panic.

#![warn(missing_docs)]

mod buffers;
mod daemon;
mod importers;
mod message;
mod network;
mod packet;

pub use buffers::{ExportError, ImportError};
pub use daemon::{Counts, Daemon, ManagementError};
pub use importers::{Importer, Importers};
pub use message::Message;
pub use network::{network, Interface};
