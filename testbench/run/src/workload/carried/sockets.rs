//! Streams of bytes over EMP.

use std::fmt::Display;

use host_model::address::UserVirt;
use host_model::library::emp::Messages;
use host_model::library::sockets::{Connection, Sockets};
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::failed;

use super::carrier::Carrier;
use crate::meeting::Meeting;
use crate::node::Handle;
use crate::workload::{Note, Work};

/// The port of the upper node of a pair.
const PORT: u16 = 80;

/// A connection to the peer.
pub struct Streams {
    sockets: Sockets,
    connection: Connection,
}

fn wrong(error: impl Display) -> Error {
    failed!("sockets: {error}")
}

impl Carrier for Streams {
    async fn open(work: &Work, handle: &Handle, meeting: &Meeting<Note>) -> Result<Streams> {
        let process = handle.open_with::<Messages>("application").await.map_err(wrong)?;
        process.set_translate(work.scenario.emp.translate.of_library());
        let sockets = Sockets::new(process);
        let peer = work.scenario.peer(work.node);
        let connection = if work.node < peer {
            meeting.exchange("listening", Note::Here).await;
            sockets.connect(peer as u16, PORT).await.map_err(wrong)?
        } else {
            let listener = sockets.listen(PORT, 1).await.map_err(wrong)?;
            meeting.exchange("listening", Note::Here).await;
            let connection = listener.accept().await.map_err(wrong)?;
            listener.close().await;
            connection
        };
        Ok(Streams { sockets, connection })
    }

    async fn expect(&mut self, _room: UserVirt, _bytes: u32) -> Result<()> {
        Ok(())
    }

    async fn receive(&mut self, room: UserVirt, bytes: u32) -> Result<()> {
        match self.connection.read_all(room, bytes).await.map_err(wrong)? {
            all if all == bytes => Ok(()),
            part => Err(wrong(format_args!("the stream ended after {part} bytes of {bytes}"))),
        }
    }

    async fn begin_send(&mut self, data: UserVirt, bytes: u32) -> Result<()> {
        self.connection.write(data, bytes).await.map_err(wrong)
    }

    /// A write has copied its data.
    async fn end_send(&mut self) -> Result<()> {
        Ok(())
    }

    async fn alloc(&self, bytes: u32) -> Result<UserVirt> {
        self.sockets.process().alloc(bytes).map_err(wrong)
    }

    fn store(&self, at: UserVirt, bytes: &[u8]) -> Result<()> {
        self.sockets.process().store(at, bytes).map_err(wrong)
    }

    fn load(&self, at: UserVirt, bytes: u32) -> Result<Vec<u8>> {
        self.sockets.process().load(at, bytes).map_err(wrong)
    }

    async fn close(self) -> Result<()> {
        self.connection.close().await.map_err(wrong)?;
        self.sockets.process().close().await.map_err(wrong)
    }
}
