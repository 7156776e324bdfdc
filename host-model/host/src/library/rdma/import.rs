//! Buffers of other processes: made known to the NIC where it has import tables (facts M-4), and
//! named in posts.

use super::extension::{named, Named, Rdma};
use crate::driver::rdma::access::Export;
use crate::driver::DriverError;
use crate::library::error::WriteError;
use crate::library::process::Process;

impl Process<Rdma> {
    /// Before the first post to a buffer of another process (facts M-4). A NIC without import
    /// tables needs none, and takes no time for it. A buffer of a node whose keys are of another
    /// width is refused: the two would not understand each other's frames.
    pub async fn import(&self, export: &Export) -> Result<(), DriverError> {
        let export = *export;
        if let Some((theirs, own)) = self.other_width(&export) {
            return Err(DriverError::OtherKeyWidth { node: export.node.0, theirs, own });
        }
        if !self.terms().names_imports || self.imports().borrow().contains_key(&named(&export)) {
            return Ok(());
        }
        self.system_call(move |process| async move {
            let index = process.service().import(process.cpu(), process.pid(), &export).await?;
            process.imports().borrow_mut().insert(named(&export), index);
            Ok(())
        })
        .await
    }

    /// Bits of the owner's keys and of this node's, where they differ.
    fn other_width(&self, export: &Export) -> Option<(u32, u32)> {
        let (theirs, own) = (export.key_width, self.key_width());
        (theirs != own).then(|| (theirs.bits(), own.bits()))
    }

    /// Ends [`Self::import`]. Posts to the buffer have ended.
    pub async fn release_import(&self, export: &Export) -> Result<(), DriverError> {
        let Some(index) = self.imports().borrow_mut().remove(&named(export)) else {
            return Ok(());
        };
        self.system_call(move |process| async move {
            process.service().release_import(process.cpu(), process.pid(), index).await
        })
        .await
    }

    /// What a post to a buffer says: with static tables the import is in the buffer's place, and
    /// the others nothing.
    pub(super) fn target(&self, export: &Export) -> Result<Named, WriteError> {
        if let Some((theirs, own)) = self.other_width(export) {
            return Err(WriteError::OtherKeyWidth { node: export.node.0, theirs, own });
        }
        if !self.terms().names_imports {
            return Ok(named(export));
        }
        let index = self.imports().borrow().get(&named(export)).copied();
        let index = index.ok_or(WriteError::NotImported { node: export.node.0, buffer: export.buffer })?;
        Ok((0, index, [0; 4]))
    }
}
