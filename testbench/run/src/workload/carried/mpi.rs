//! Messages of the library that is like MPI.

use std::collections::VecDeque;
use std::fmt::Display;

use host_model::address::UserVirt;
use host_model::library::emp::Messages;
use host_model::library::mpi::{Communicator, Request};
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::failed;

use super::carrier::Carrier;
use crate::meeting::Meeting;
use crate::node::Handle;
use crate::workload::{Note, Work};

/// The tag of all messages.
const TAG: u16 = 7;

/// A communicator, with the requests that were started.
pub struct Mpi {
    ranks: Communicator,
    peer: u32,
    sends: VecDeque<Request>,
    receives: VecDeque<Request>,
}

fn wrong(error: impl Display) -> Error {
    failed!("MPI: {error}")
}

impl Carrier for Mpi {
    async fn open(work: &Work, handle: &Handle, meeting: &Meeting<Note>) -> Result<Mpi> {
        let process = handle.open_with::<Messages>("application").await.map_err(wrong)?;
        process.set_translate(work.scenario.emp.translate.of_library());
        let ranks = Communicator::new(process, work.node as u32, work.scenario.nodes as u32);
        meeting.exchange("opened", Note::Here).await;
        let peer = work.scenario.peer(work.node) as u32;
        Ok(Mpi { ranks, peer, sends: VecDeque::new(), receives: VecDeque::new() })
    }

    async fn expect(&mut self, room: UserVirt, bytes: u32) -> Result<()> {
        let request = self.ranks.irecv(Some(self.peer), Some(TAG), room, bytes).await.map_err(wrong)?;
        self.receives.push_back(request);
        Ok(())
    }

    async fn receive(&mut self, _room: UserVirt, bytes: u32) -> Result<()> {
        let Some(request) = self.receives.pop_front() else { return Err(wrong("no receive was started")) };
        let status = self.ranks.wait(request).await.map_err(wrong)?;
        match status.bytes == bytes {
            true => Ok(()),
            false => Err(wrong(format_args!("{} bytes in place of {bytes}", status.bytes))),
        }
    }

    async fn begin_send(&mut self, data: UserVirt, bytes: u32) -> Result<()> {
        self.sends.push_back(self.ranks.isend(self.peer, TAG, data, bytes).await.map_err(wrong)?);
        Ok(())
    }

    async fn end_send(&mut self) -> Result<()> {
        match self.sends.pop_front() {
            Some(request) => self.ranks.wait(request).await.map(|_| ()).map_err(wrong),
            None => Ok(()),
        }
    }

    async fn alloc(&self, bytes: u32) -> Result<UserVirt> {
        self.ranks.alloc(bytes).await.map_err(wrong)
    }

    fn store(&self, at: UserVirt, bytes: &[u8]) -> Result<()> {
        self.ranks.process().store(at, bytes).map_err(wrong)
    }

    fn load(&self, at: UserVirt, bytes: u32) -> Result<Vec<u8>> {
        self.ranks.process().load(at, bytes).map_err(wrong)
    }

    async fn close(self) -> Result<()> {
        self.ranks.barrier().await.map_err(wrong)?;
        self.ranks.process().close().await.map_err(wrong)
    }
}
