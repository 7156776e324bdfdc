//! Registered memory: buffers that others may use (facts M-3), and memory that only own posts use.

use nic_layout::key::{Key, KeyWidth};
use nic_layout::tables::{PERMIT_READ, PERMIT_WRITE};

use super::{Inner, Process};
use crate::address::{NodeId, UserVirt};
use crate::driver::{DriverError, Notifications};

/// What others may do with a buffer (facts M-3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    pub write: bool,
    pub read: bool,
}

impl Access {
    pub const WRITE: Access = Access { write: true, read: false };
    pub const READ: Access = Access { write: false, read: true };
    pub const BOTH: Access = Access { write: true, read: true };

    pub(crate) fn permissions(self) -> u32 {
        let permit = |is_set, permission| if is_set { permission } else { 0 };
        permit(self.write, PERMIT_WRITE) | permit(self.read, PERMIT_READ)
    }
}

/// A registered buffer, as its owner tells others: whoever has this may use it (facts M-46).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Export {
    pub node: NodeId,
    /// The CBH word: process and buffer (`nic_layout::cbh`).
    pub buffer: u32,
    pub key: Key,
    pub key_width: KeyWidth,
    pub length_bytes: u32,
    pub access: Access,
}

impl Process {
    /// Lets others write there.
    pub async fn export(&self, start: UserVirt, length_bytes: u32) -> Result<Export, DriverError> {
        self.export_as(start, length_bytes, Access::WRITE).await
    }

    pub async fn export_as(&self, start: UserVirt, length_bytes: u32, access: Access) -> Result<Export, DriverError> {
        self.system_call(move |process| async move {
            let Inner { driver, cpu, .. } = &*process.0;
            driver.export(cpu, process.pid(), start, length_bytes, access).await
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
            let Inner { driver, cpu, .. } = &*process.0;
            let export = driver.export(cpu, process.pid(), start, length_bytes, access).await?;
            Ok((export, driver.listen(process.pid(), &export)?))
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
            let Inner { driver, cpu, .. } = &*process.0;
            driver.export_under(cpu, process.pid(), id, start, length_bytes, access).await
        })
        .await
    }

    pub async fn withdraw(&self, export: &Export) -> Result<(), DriverError> {
        let export = *export;
        self.system_call(move |process| async move {
            let Inner { driver, cpu, .. } = &*process.0;
            driver.withdraw(cpu, process.pid(), &export).await
        })
        .await
    }

    /// Lets posts send from this memory and read into it. Buffers that the process exports need no more than that; a NIC with caches not even
    /// this, and takes no time for it.
    pub async fn register(&self, start: UserVirt, length_bytes: u32) -> Result<(), DriverError> {
        if !self.0.grant.has_static_tables {
            return Ok(());
        }
        self.system_call(move |process| async move {
            let Inner { driver, cpu, .. } = &*process.0;
            driver.register_memory(cpu, process.pid(), start, length_bytes).await
        })
        .await
    }

    /// Ends [`Self::register`] of the same range. Posts that use it have ended.
    pub async fn unregister(&self, start: UserVirt, length_bytes: u32) -> Result<(), DriverError> {
        if !self.0.grant.has_static_tables {
            return Ok(());
        }
        self.system_call(move |process| async move {
            let Inner { driver, cpu, .. } = &*process.0;
            driver.release_memory(cpu, process.pid(), start, length_bytes).await
        })
        .await
    }
}
