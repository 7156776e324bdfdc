//! What a library has to offer, so that the programs can be played over it.

use host_model::address::UserVirt;
use nicscope_scenario::error::Result;

use crate::meeting::Meeting;
use crate::node::Handle;
use crate::workload::{Note, Work};

/// A process with a way to its peer.
pub(crate) trait Carrier: Sized {
    /// Opens the NIC, and the way to the peer.
    async fn open(work: &Work, handle: &Handle, meeting: &Meeting<Note>) -> Result<Self>;

    /// Names the place of a message that will come. A stream does without.
    async fn expect(&mut self, room: UserVirt, bytes: u32) -> Result<()>;

    /// Waits for the next message, whose place was named in this order.
    async fn receive(&mut self, room: UserVirt, bytes: u32) -> Result<()>;

    /// Begins to send a message.
    async fn begin_send(&mut self, data: UserVirt, bytes: u32) -> Result<()>;

    /// Waits for the end of the oldest send: its data may change.
    async fn end_send(&mut self) -> Result<()>;

    /// Memory of the process for messages.
    async fn alloc(&self, bytes: u32) -> Result<UserVirt>;

    /// Puts bytes in place, in no time.
    fn store(&self, at: UserVirt, bytes: &[u8]) -> Result<()>;

    /// Looks at bytes, in no time.
    fn load(&self, at: UserVirt, bytes: u32) -> Result<Vec<u8>>;

    /// Ends the way to the peer, and the process.
    async fn close(self) -> Result<()>;
}
