//! Buffers that daemons hand to the importers of the exporter's choice (facts M-3, M-4).

use host_model::address::UserVirt;
use host_model::driver::DriverError;
use host_model::library::{Access, ConnectError, Export, Process};
use nic_layout::cbh::cbh_id;

use crate::daemon::{Daemon, ManagementError};
use crate::importers::Importers;
use crate::message::Message;

/// Why a buffer was not exported.
pub type ExportError = DriverError;

/// Why a buffer was not imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The daemon of the exporter refused, or does not exist.
    #[error(transparent)]
    Management(#[from] ManagementError),
    /// The driver or the owner of the buffer refused the import.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// What is published under the name is no buffer.
    #[error("host {node} publishes no buffer under {name}")]
    NoBuffer {
        /// The host that was asked.
        node: usize,
        /// The name that was looked up.
        name: String,
    },
}

/// Node, buffer, length, access with the key's width, and the key.
impl Message for Export {
    fn wire_bytes(&self) -> u32 {
        16 + self.key_width.bits() / 8
    }
}

impl<T: Message + From<Export>> Daemon<T> {
    /// Registers `length_bytes` from `start` of the process, and publishes the buffer under `name`
    /// for `importers` only (facts M-3).
    ///
    /// # Errors
    /// The driver refused the registration.
    pub async fn export(
        &self,
        process: &Process,
        name: &str,
        (start, length_bytes): (UserVirt, u32),
        access: Access,
        importers: Importers,
    ) -> Result<Export, ExportError> {
        let export = process.export_as(start, length_bytes, access).await?;
        self.publish_to(name, export.into(), importers).await;
        Ok(export)
    }

    /// Changes the importers of a buffer that begins at `start` and was published under `name`. The
    /// buffer keeps its identifier and gets another key. Requests with the old key are refused,
    /// also those of importers that are still permitted. These import the buffer again.
    ///
    /// Notifications of the buffer end; the process may listen again.
    ///
    /// # Errors
    /// The process has no such buffer, or the driver refused the new registration. Then nothing is
    /// registered, and the old value stays published.
    pub async fn restrict(
        &self,
        process: &Process,
        name: &str,
        start: UserVirt,
        export: &Export,
        importers: Importers,
    ) -> Result<Export, ExportError> {
        process.withdraw(export).await?;
        let id = cbh_id(export.buffer);
        let export = process.export_under(id, start, export.length_bytes, export.access).await?;
        self.publish_to(name, export.into(), importers).await;
        Ok(export)
    }
}

impl<T: Message + TryInto<Export>> Daemon<T> {
    /// Imports the buffer that host `node` publishes under `name` for the process. Waits until it
    /// is published.
    ///
    /// # Errors
    /// The exporter does not permit this process or host, there is no host `node`, no buffer is
    /// published under the name, or driver or owner refused the import.
    pub async fn import(&self, process: &Process, node: usize, name: &str) -> Result<Export, ImportError> {
        let value = self.lookup_as(Some(process.pid().0), node, name).await?;
        let no_buffer = |_| ImportError::NoBuffer { node, name: name.to_owned() };
        let export = value.try_into().map_err(no_buffer)?;
        process.connect(&export).await?;
        Ok(export)
    }
}
