//! Pinning at the export (facts M-3): all pages of a buffer are pinned when it is registered. The
//! rest goes as with [`PinAtMiss`], replacement too.

use async_trait::async_trait;

use super::pin_at_miss::PinAtMiss;
use crate::address::{Pid, VirtPage};
use crate::driver::core::error::DriverError;
use crate::driver::core::registration::{Registration, Use};
use crate::processor::Cpu;

pub struct PinAtExport(pub PinAtMiss);

#[async_trait(?Send)]
impl Registration for PinAtExport {
    async fn acquire(&self, cpu: &Cpu, pid: Pid, pages: &[VirtPage], reason: Use) -> Result<bool, DriverError> {
        match reason {
            Use::Export(lock) => {
                // The NIC learns of these pages by misses only.
                drop(lock);
                self.0.pin(cpu, pid, pages, None).await
            }
            other => self.0.acquire(cpu, pid, pages, other).await,
        }
    }

    async fn room(&self, cpu: &Cpu, pid: Pid, pages: &[VirtPage], missing: usize) -> Result<u32, DriverError> {
        self.0.room(cpu, pid, pages, missing).await
    }

    fn pages_that_may_go(&self, pid: Pid, pages: &[VirtPage]) -> usize {
        self.0.pages_that_may_go(pid, pages)
    }
}
