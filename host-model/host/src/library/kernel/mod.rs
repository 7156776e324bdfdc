//! Streams of the kernel: the system calls of a process.

use std::rc::Rc;

use crate::address::UserVirt;
use crate::driver::kernel::{Kernel, Peer, StreamError};
use crate::driver::{Driver, DriverError};
use crate::library::extension::Extension;
use crate::library::process::Process;

/// The operations on streams of the kernel.
pub struct KernelStreams {
    service: Rc<Kernel>,
}

impl Extension for KernelStreams {
    fn attach(driver: &Driver) -> Result<KernelStreams, DriverError> {
        Ok(KernelStreams { service: driver.service::<Kernel>()? })
    }
}

impl Process<KernelStreams> {
    /// Opens an end of a stream to a node. The process there opens the other end with the same
    /// port.
    pub async fn open_stream(&self, peer: Peer) {
        self.system_call(move |process| async move {
            process.0.extension.service.clone().open_stream(process.cpu(), peer).await;
        })
        .await;
    }

    /// Writes all bytes to a stream. They are in buffers of the kernel when it returns.
    ///
    /// # Errors
    /// The stream is not open, or the peer is lost.
    pub async fn send_stream(&self, peer: Peer, data: UserVirt, bytes: u32) -> Result<(), StreamError> {
        self.system_call(move |process| async move {
            process.0.extension.service.send(process.cpu(), process.pid(), peer, data, bytes).await
        })
        .await
    }

    /// Waits for bytes of a stream, and reads up to `bytes` of them. 0: the peer has ended.
    ///
    /// # Errors
    /// The stream is not open, or the peer is lost.
    pub async fn receive_stream(&self, peer: Peer, room: UserVirt, bytes: u32) -> Result<u32, StreamError> {
        self.system_call(move |process| async move {
            process.0.extension.service.receive(process.cpu(), process.pid(), peer, room, bytes).await
        })
        .await
    }

    /// Ends a stream, and waits until the peer has all of it. The stream from the peer goes on.
    ///
    /// # Errors
    /// The stream is not open, or the peer is lost.
    pub async fn end_stream(&self, peer: Peer) -> Result<(), StreamError> {
        self.system_call(
            move |process| async move { process.0.extension.service.end_stream(process.cpu(), peer).await },
        )
        .await
    }
}
