//! Work passes between the parts of a firmware, which run on one core or on two (docs/emp.md, Four
//! parts).
//!
//! A [`Queue`] lies in SRAM and has one [`Writer`] and one [`Reader`]. A [`Bell`] is the software
//! event that wakes the core of the reader. [`Claims`] says which part each core runs, where any
//! core may run any part.
//!
//! The hardware has no locked access to memory. Everything here stands on three facts
//! (docs/memory.md, Order; docs/events.md, Two cores): the accesses of a core to SRAM and registers
//! are made in program order, a read sees every write that was made before it, and one core at a
//! time owns the semaphore. Under these facts, tests run small cases in every interleaving of two
//! cores, and larger cases in every interleaving with few preemptions.
//!
//! # No entry is slept through
//!
//! - The writer pushes, then [tells](tell) the core of the reader.
//! - The reader's core clears its bell, then empties the queue, then sleeps unless the bell rings.
//!
//! A bell that is found ringing has not been cleared yet. So the reader looks into the queue after
//! the writer's push, and the writer need not ring again.
//!
//! The same holds in the other direction for a writer that waits for room: the reader pops, then
//! tells the core of the writer if [`Reader::made_room`] says that the writer may wait.
//!
//! # No part is slept through
//!
//! With [`Claims`], each core repeats these steps:
//!
//! 1. It clears its bell.
//! 2. It looks which parts have work ([`Queue::is_empty`]) and can do it ([`Queue::has_room`]).
//! 3. It [claims](Claims::claim) one of them, runs one event of it, [releases](Claims::release) it,
//!    and goes on with step 2, even if its bell does not ring.
//! 4. If it could claim no part, it sleeps until its bell rings, and goes on with step 1.
//!
//! A part that pushes tells the other core, so that both cores work. Its own core looks again after
//! the release, so the entry would not be lost without that. An event of the hardware need be
//! enabled on one core only.
//!
//! A core may find work for a part that the other core runs, and sleep. The work is not lost: the
//! other core looks at all parts after it has released this one, and finds the same work. A look
//! before the release is not enough, since the work may come between the look and the release.
#![cfg_attr(not(test), no_std)]

mod bell;
mod claims;
mod dispatch;
mod layout;
mod queue;
mod reader;
mod writer;

pub use bell::{tell, Bell};
pub use claims::{Claims, Core, Semaphore};
pub use dispatch::{Dispatcher, Events, Next};
pub use queue::Queue;
pub use reader::Reader;
pub use writer::Writer;
