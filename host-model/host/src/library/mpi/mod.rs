//! A thin library like MPI over messages that the NIC matches (docs/libraries.md).
//!
//! A rank is a node: one process has a NIC open. The NIC matches, so the library keeps requests and
//! no queue of messages.
//!
//! EMP differs from MPI in three points, and the library covers them:
//!
//! * EMP has no queue of unexpected messages. A message without a posted receive is refused and
//!   comes again, so every send behaves as MPI's synchronous send.
//! * EMP sends nothing to its own node. A rank's messages to itself are copied.
//! * EMP has no contexts. Messages of collective operations have tags of their own. A receive of
//!   any tag may take such a message; the library then posts the receive again.
//!
//! * `state`: ranks and requests. `progress`: requests on their way to their end. `communicator`:
//!   the calls on requests. `collective`: barrier and broadcast. `error`: why a request failed.

mod collective;
mod communicator;
mod error;
mod progress;
mod state;

pub use error::MpiError;
pub use state::{Communicator, Request, Status, ANY_SOURCE, ANY_TAG, TAG_MAX};
