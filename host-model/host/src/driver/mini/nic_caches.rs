//! The NIC's caches as the driver knows them, and taking lines and buffers from them.

use std::cell::RefCell;

use nic_layout::registers::mailbox;
use nic_layout::ring::{COMMAND_FORGET_BUFFER, COMMAND_INVALIDATE, MAILBOX_MISS};
use nic_layout::vmh::{key, KEY_RESERVED};

use super::layout::Caches;
use super::ledger::Ledger;
use super::miss_event::Cache;
use super::shadows::{BufferShadow, LineShadow};
use crate::address::{Pid, VirtPage};
use crate::driver::core::error::DriverError;
use crate::driver::core::service::Core;
use crate::executor::Lock;
use crate::processor::Cpu;

/// The caches of one NIC.
pub struct NicCaches {
    core: Core,
    pub layout: Caches,
    pub ledger: Ledger,
    /// Held while what the NIC looks up is filled, or taken away, and while buffers come and go.
    pub lock: Lock,
    pub lines: RefCell<LineShadow>,
    pub buffers: RefCell<BufferShadow>,
}

impl NicCaches {
    pub fn new(core: &Core, layout: Caches) -> NicCaches {
        NicCaches {
            core: core.clone(),
            layout,
            ledger: Ledger::default(),
            lock: Lock::default(),
            lines: RefCell::new(LineShadow::new(layout.geometry)),
            buffers: RefCell::new(BufferShadow::new(layout.cbh_geometry)),
        }
    }

    /// The first page of the line that holds a page.
    pub fn line_of(&self, page: VirtPage) -> VirtPage {
        VirtPage(self.layout.geometry.line_page(page.0))
    }

    /// Takes a line from the cache, if it is there, and waits until no DMA uses it. The pages stay
    /// pinned.
    pub async fn invalidate(&self, cpu: &Cpu, pid: Pid, first: VirtPage) -> Result<(), DriverError> {
        let _lock = self.lock.acquire().await;
        self.take_line_away(cpu, pid, first).await
    }

    /// The same; the caller holds the lock.
    pub async fn take_line_away(&self, cpu: &Cpu, pid: Pid, first: VirtPage) -> Result<(), DriverError> {
        self.core.commands.send(cpu, key(pid.0, first.0, COMMAND_INVALIDATE)).await?;
        self.suspect(cpu, Cache::Vmh, key(pid.0, first.0, KEY_RESERVED)).await?;
        self.lines.borrow_mut().forget(pid, first);
        Ok(())
    }

    /// Has the NIC forget what it knows of a buffer, and waits for the DMA that it has begun there.
    /// The caller holds the lock.
    pub async fn forget_buffer(&self, cpu: &Cpu, buffer: u32) -> Result<(), DriverError> {
        self.core.commands.send_about(cpu, COMMAND_FORGET_BUFFER, Some(buffer)).await?;
        self.suspect(cpu, Cache::Cbh, buffer).await?;
        self.buffers.borrow_mut().forget(buffer);
        Ok(())
    }

    /// What the NIC has just forgotten may have been reserved: then entries in the miss ring have
    /// lost their line.
    pub async fn suspect(&self, cpu: &Cpu, cache: Cache, key: u32) -> Result<(), DriverError> {
        let producer = self.core.context.device(cpu)?.read(mailbox::TO_HOST.at(MAILBOX_MISS)).await?;
        self.ledger.suspect(cache, key, producer);
        Ok(())
    }
}
