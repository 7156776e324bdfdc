//! Work passes between the parts of a firmware, which run on one core or on two (docs/emp.md, Four
//! parts).
//!
//! A [`Queue`] lies in SRAM and has one [`Writer`] and one [`Reader`]. A [`Bell`] is the software
//! event that wakes the core of the reader. A [`Lender`] is a core that runs two parts, and lends
//! one to the other core, a [`Borrower`], while both parts have work.
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
//! A word of SRAM says which core has the part that is lent. The core that has the part changes the
//! word, then sets an event of the other core. That core serves all events of the part, whether
//! they are pending or not, so causes that are older than the change are found. Events that are set
//! later in the core without the part are passed on, and that core does not sleep before.
#![cfg_attr(not(test), no_std)]

mod bell;
mod layout;
mod lend;
mod queue;
mod reader;
mod writer;

pub use bell::{tell, Bell};
pub use lend::{Borrower, Events, Lender, Next};
pub use queue::Queue;
pub use reader::Reader;
pub use writer::Writer;
