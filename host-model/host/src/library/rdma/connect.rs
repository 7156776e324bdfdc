//! An import that its owner confirms (facts M-4).

use super::extension::Rdma;
use crate::address::UserVirt;
use crate::driver::rdma::access::Export;
use crate::driver::DriverError;
use crate::library::error::WriteError;
use crate::library::process::Process;

/// Why [`Process::connect`] failed.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The driver refused the import.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// The owner of the buffer refused the post, or did not answer.
    #[error(transparent)]
    Owner(#[from] WriteError),
}

/// The message number of a post that carries nothing.
const NO_MESSAGE: u32 = 0;

impl Process<Rdma> {
    /// Imports a buffer and has its owner confirm the import (facts M-4).
    ///
    /// A write or a read of no bytes goes through the import record. So a wrong key, a buffer that
    /// is gone and a node that does not answer show here, and leave no record. A NIC without import
    /// tables has nothing to confirm: the owner checks each post.
    ///
    /// # Errors
    /// The driver or the owner refused the import, or the owner did not answer.
    pub async fn connect(&self, export: &Export) -> Result<(), ConnectError> {
        self.import(export).await?;
        if !self.terms().names_imports {
            return Ok(());
        }
        let confirmed = self.ask_owner(export).await;
        if confirmed.is_err() {
            self.release_import(export).await?;
        }
        Ok(confirmed?)
    }

    /// A post that moves nothing, of a kind that the buffer permits.
    async fn ask_owner(&self, export: &Export) -> Result<(), WriteError> {
        let own = UserVirt(self.grant().status.0);
        let handle = match export.access.write {
            true => self.write(own, 0, export, 0, NO_MESSAGE).await?,
            false => self.read(export, 0, 0, own, NO_MESSAGE).await?,
        };
        self.wait(handle).await
    }
}
