//! What the library asks of a personality with remote memory access.

use async_trait::async_trait;
use nic_layout::key::KeyWidth;

use super::access::{Access, Export};
use super::notify::Notifications;
use crate::address::{Pid, UserVirt};
use crate::driver::core::error::DriverError;
use crate::processor::Cpu;

/// What a process has to do before it posts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PostTerms {
    /// Posts name imports (facts M-4), so each buffer is imported first. Otherwise posts name node,
    /// buffer and key themselves.
    pub names_imports: bool,
    /// Posts use registered memory only.
    pub registers_memory: bool,
    /// The library looks into its bitmap before it posts, and has what is missing pinned (facts
    /// M-58).
    pub pins_before_use: bool,
    /// The width of keys.
    pub key_width: KeyWidth,
}

/// System calls of a personality with remote memory access. Each is charged to the `cpu` of the
/// process.
#[async_trait(?Send)]
pub trait RdmaService {
    /// What a process has to do before it posts, with this firmware.
    fn terms(&self) -> PostTerms;

    /// Registers `length_bytes` from `start`, for processes that know the key to do what `access`
    /// says; under this identifier, or any.
    async fn export(
        &self,
        cpu: &Cpu,
        pid: Pid,
        id: Option<u32>,
        range: (UserVirt, u32),
        access: Access,
    ) -> Result<Export, DriverError>;

    /// Ends a registration: when this returns, no DMA into the buffer is under way and its key
    /// opens nothing.
    async fn withdraw(&self, cpu: &Cpu, pid: Pid, export: &Export) -> Result<(), DriverError>;

    /// The notifications of a buffer of the process, from now on.
    fn listen(&self, pid: Pid, export: &Export) -> Result<Notifications, DriverError>;

    /// Buffers that a process has registered.
    fn buffers(&self, pid: Pid) -> usize;

    /// Lets a process send from this memory, and read into it; with
    /// [`PostTerms::registers_memory`].
    async fn register(&self, _cpu: &Cpu, _pid: Pid, _start: UserVirt, _length_bytes: u32) -> Result<(), DriverError> {
        Ok(())
    }

    /// Ends [`Self::register`] with the same range.
    async fn unregister(&self, _cpu: &Cpu, _pid: Pid, _start: UserVirt, _length_bytes: u32) -> Result<(), DriverError> {
        Ok(())
    }

    /// Lets a process name a buffer of another node in its posts (facts M-4), by the index that
    /// this gives; with [`PostTerms::names_imports`].
    async fn import(&self, _cpu: &Cpu, _pid: Pid, _export: &Export) -> Result<u32, DriverError> {
        Err(DriverError::NoImports)
    }

    /// Posts that are fetched when this has returned find the import no more.
    async fn release_import(&self, _cpu: &Cpu, _pid: Pid, _index: u32) -> Result<(), DriverError> {
        Err(DriverError::NoImports)
    }

    /// What the library's bitmap says: whether the NIC will find these pages. The driver keeps it,
    /// in memory that the process can read.
    fn is_ready(&self, _pid: Pid, _start: UserVirt, _length_bytes: u32) -> bool {
        true
    }

    /// Pins what the bitmap does not have; with [`PostTerms::pins_before_use`]. Pages that do not
    /// exist stay away, and the NIC refuses their use.
    async fn prepare(&self, _cpu: &Cpu, _pid: Pid, _start: UserVirt, _length_bytes: u32) -> Result<(), DriverError> {
        Ok(())
    }
}
