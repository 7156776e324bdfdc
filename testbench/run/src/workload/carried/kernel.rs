//! Streams of the kernel.

use std::fmt::Display;

use host_model::address::UserVirt;
use host_model::driver::kernel::Peer;
use host_model::library::kernel::KernelStreams;
use host_model::library::Process;
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::failed;

use super::carrier::Carrier;
use crate::meeting::Meeting;
use crate::node::Handle;
use crate::workload::{Note, Work};

/// The port of both ends.
const PORT: u16 = 80;

/// A stream to the peer.
pub struct KernelPath {
    process: Process<KernelStreams>,
    peer: Peer,
}

fn wrong(error: impl Display) -> Error {
    failed!("kernel: {error}")
}

impl Carrier for KernelPath {
    async fn open(work: &Work, handle: &Handle, meeting: &Meeting<Note>) -> Result<KernelPath> {
        let process = handle.open_with::<KernelStreams>("application").await.map_err(wrong)?;
        let peer = Peer { node: work.scenario.peer(work.node) as u16, port: PORT };
        process.open_stream(peer).await;
        meeting.exchange("opened", Note::Here).await;
        Ok(KernelPath { process, peer })
    }

    async fn expect(&mut self, _room: UserVirt, _bytes: u32) -> Result<()> {
        Ok(())
    }

    async fn receive(&mut self, room: UserVirt, bytes: u32) -> Result<()> {
        let mut done = 0;
        while done < bytes {
            match self.process.receive_stream(self.peer, room + done, bytes - done).await.map_err(wrong)? {
                0 => return Err(wrong(format_args!("the stream ended after {done} bytes of {bytes}"))),
                part => done += part,
            }
        }
        Ok(())
    }

    async fn begin_send(&mut self, data: UserVirt, bytes: u32) -> Result<()> {
        self.process.send_stream(self.peer, data, bytes).await.map_err(wrong)
    }

    /// A system call has copied its data.
    async fn end_send(&mut self) -> Result<()> {
        Ok(())
    }

    async fn alloc(&self, bytes: u32) -> Result<UserVirt> {
        self.process.alloc(bytes).map_err(wrong)
    }

    fn store(&self, at: UserVirt, bytes: &[u8]) -> Result<()> {
        self.process.store(at, bytes).map_err(wrong)
    }

    fn load(&self, at: UserVirt, bytes: u32) -> Result<Vec<u8>> {
        self.process.load(at, bytes).map_err(wrong)
    }

    async fn close(self) -> Result<()> {
        self.process.end_stream(self.peer).await.map_err(wrong)?;
        self.process.close().await.map_err(wrong)
    }
}
