//! Registered memory: buffers that others may use (facts M-3), and memory that only own posts use.

use super::extension::Rdma;
use crate::address::UserVirt;
use crate::driver::rdma::access::{Access, Export};
use crate::driver::{DriverError, Notifications};
use crate::library::process::Process;

impl Process<Rdma> {
    /// Lets others write there.
    pub async fn export(&self, start: UserVirt, length_bytes: u32) -> Result<Export, DriverError> {
        self.export_as(start, length_bytes, Access::WRITE).await
    }

    /// Registers `length_bytes` from `start`, for holders of the key to do what `access` says. The
    /// driver chooses the identifier.
    pub async fn export_as(&self, start: UserVirt, length_bytes: u32, access: Access) -> Result<Export, DriverError> {
        self.system_call(move |process| async move {
            process.service().export(process.cpu(), process.pid(), None, (start, length_bytes), access).await
        })
        .await
    }

    /// Lets others write there, and tells of each write that asks for it.
    pub async fn export_with_notifications(
        &self,
        start: UserVirt,
        length_bytes: u32,
        access: Access,
    ) -> Result<(Export, Notifications), DriverError> {
        self.system_call(move |process| async move {
            let export =
                process.service().export(process.cpu(), process.pid(), None, (start, length_bytes), access).await?;
            Ok((export, process.service().listen(process.pid(), &export)?))
        })
        .await
    }

    /// Under an identifier of the process's choice, of 20 bits.
    pub async fn export_under(
        &self,
        id: u32,
        start: UserVirt,
        length_bytes: u32,
        access: Access,
    ) -> Result<Export, DriverError> {
        self.system_call(move |process| async move {
            process.service().export(process.cpu(), process.pid(), Some(id), (start, length_bytes), access).await
        })
        .await
    }

    /// Ends a registration: when this returns, no DMA into the buffer is under way and its key
    /// opens nothing.
    pub async fn withdraw(&self, export: &Export) -> Result<(), DriverError> {
        let export = *export;
        self.system_call(move |process| async move {
            process.service().withdraw(process.cpu(), process.pid(), &export).await
        })
        .await
    }

    /// Lets posts send from this memory and read into it. Buffers that the process exports need no
    /// more than that. Where posts use any memory, this does nothing and takes no time.
    pub async fn register(&self, start: UserVirt, length_bytes: u32) -> Result<(), DriverError> {
        if !self.terms().registers_memory {
            return Ok(());
        }
        self.system_call(move |process| async move {
            process.service().register(process.cpu(), process.pid(), start, length_bytes).await
        })
        .await
    }

    /// Ends [`Self::register`] of the same range. Posts that use it have ended.
    pub async fn unregister(&self, start: UserVirt, length_bytes: u32) -> Result<(), DriverError> {
        if !self.terms().registers_memory {
            return Ok(());
        }
        self.system_call(move |process| async move {
            process.service().unregister(process.cpu(), process.pid(), start, length_bytes).await
        })
        .await
    }
}
