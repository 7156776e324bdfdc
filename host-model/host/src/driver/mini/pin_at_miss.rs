//! Pinning at the miss: the pages of a line are pinned when the NIC has missed on it, and unpinned
//! by replacement (facts M-25 to M-27).

use std::rc::Rc;

use async_trait::async_trait;

use super::nic_caches::NicCaches;
use crate::address::{Pid, VirtPage};
use crate::driver::core::error::DriverError;
use crate::driver::core::options::DriverPlant;
use crate::driver::core::registration::{pin_missing, Registration, Use};
use crate::driver::core::service::Core;
use crate::events::Subject;
use crate::processor::Cpu;

pub struct PinAtMiss {
    core: Core,
    nic: Rc<NicCaches>,
}

impl PinAtMiss {
    pub fn new(core: &Core, nic: Rc<NicCaches>) -> PinAtMiss {
        PinAtMiss { core: core.clone(), nic }
    }

    /// Pins those of `pages` that exist and are not pinned, after making room below the high water
    /// mark. Gives whether there were any. `subject`: the miss of their line.
    pub async fn pin(
        &self,
        cpu: &Cpu,
        pid: Pid,
        pages: &[VirtPage],
        subject: Option<Subject>,
    ) -> Result<bool, DriverError> {
        let pinned = pin_missing(&self.core, self, cpu, pid, pages, subject).await?;
        Ok(!pinned.is_empty())
    }
}

#[async_trait(?Send)]
impl Registration for PinAtMiss {
    async fn acquire(&self, cpu: &Cpu, pid: Pid, pages: &[VirtPage], reason: Use) -> Result<bool, DriverError> {
        match reason {
            Use::Miss(subject) => self.pin(cpu, pid, pages, Some(subject)).await,
            Use::Export(_) | Use::Post(_) | Use::Register => Ok(false),
        }
    }

    /// Unpins the oldest pages that the NIC cannot hold.
    async fn room(&self, _cpu: &Cpu, pid: Pid, pages: &[VirtPage], missing: usize) -> Result<u32, DriverError> {
        let Core { context, pins, .. } = &self.core;
        if context.options().plant == Some(DriverPlant::KeepPinned) {
            return Ok(0);
        }
        let keeps_cached = context.options().plant != Some(DriverPlant::UnpinCached);
        let lines = self.nic.lines.borrow();
        let is_kept = |page| pages.contains(&page) || (keeps_cached && lines.may_hold(pid, page));
        let unpinned = pins.replace(pid, missing, is_kept);
        context.count(|counts| counts.replaced_pages += u64::from(unpinned));
        Ok(unpinned)
    }

    fn pages_that_may_go(&self, pid: Pid, pages: &[VirtPage]) -> usize {
        let lines = self.nic.lines.borrow();
        self.core.pins.pages_that_may_go(pid, |page| page, |page| pages.contains(&page) || lines.may_hold(pid, page))
    }
}
