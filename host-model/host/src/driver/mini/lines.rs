//! Lines of translations as a whole: taken away one by one, or with their process.

use std::rc::Rc;

use super::nic_caches::NicCaches;
use crate::address::{Pid, UserVirt};
use crate::driver::core::error::DriverError;
use crate::driver::core::pins::WaterMarks;
use crate::driver::core::registration::Registration;
use crate::driver::core::service::Core;
use crate::processor::Cpu;

/// The lines of one NIC, and the policy by which their pages are pinned.
pub struct Lines {
    core: Core,
    nic: Rc<NicCaches>,
    registration: Rc<dyn Registration>,
}

impl Lines {
    /// The lines of the caches `nic`.
    pub fn new(core: &Core, nic: &Rc<NicCaches>, registration: &Rc<dyn Registration>) -> Lines {
        Lines { core: core.clone(), nic: nic.clone(), registration: registration.clone() }
    }

    /// Takes the line that holds this address from the NIC's cache, if it is there, and waits until
    /// no DMA uses it. The pages stay pinned: the next use misses on the NIC and hits in the host's
    /// table.
    pub async fn invalidate(&self, cpu: &Cpu, pid: Pid, address: UserVirt) -> Result<(), DriverError> {
        self.core.context.check_alive()?;
        self.nic.invalidate(cpu, pid, self.nic.line_of(address.page())).await
    }

    /// The process has ended, and nothing new begins: takes all its lines away.
    pub async fn close(&self, cpu: &Cpu, pid: Pid) -> Result<(), DriverError> {
        // Misses that are read from now on find no process, and their lines are released.
        let taken = {
            let _lock = self.nic.lock.acquire().await;
            let taken = self.registration.lines_taken(pid);
            self.core.pins.hide(pid);
            taken
        };
        let mut lines = self.nic.lines.borrow().lines_of(pid);
        // The next process of the slot begins without entries: a task that pinned pages meanwhile
        // may have added some.
        self.registration.hide(cpu, pid).await?;
        lines.extend(taken);
        lines.sort_unstable();
        lines.dedup();
        for first in lines {
            self.nic.invalidate(cpu, pid, first).await?;
        }
        self.registration.close(pid);
        Ok(())
    }

    /// Gives a process water marks of its own (facts M-26), and unpins down to them.
    pub async fn set_water_marks(&self, cpu: &Cpu, pid: Pid, marks: WaterMarks) -> Result<(), DriverError> {
        let Core { context, pins, .. } = &self.core;
        context.system_call(cpu).await;
        let _lock = self.nic.lock.acquire().await;
        pins.set_marks(pid, marks)?;
        let unpinned = self.registration.room(cpu, pid, &[], 0).await?;
        if unpinned > 0 {
            pins.charge_unpin(cpu, unpinned).await;
        }
        Ok(())
    }
}
