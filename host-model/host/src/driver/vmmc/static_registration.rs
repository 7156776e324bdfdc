//! Static registration (facts M-3, M-13): pages are pinned and entered when they are registered,
//! all of them or none, and stay so until they are registered no more. Water marks do not apply.

use std::rc::Rc;

use async_trait::async_trait;
use nic_layout::ring::COMMAND_FENCE;

use super::nic_tables::NicTables;
use crate::address::{Pid, VirtPage};
use crate::driver::core::error::DriverError;
use crate::driver::core::registration::{Registration, Use};
use crate::driver::core::service::Core;
use crate::processor::Cpu;

pub struct StaticRegistration {
    core: Core,
    tables: Rc<NicTables>,
}

impl StaticRegistration {
    pub fn new(core: &Core, tables: Rc<NicTables>) -> StaticRegistration {
        StaticRegistration { core: core.clone(), tables }
    }
}

/// Callers hold the lock of the tables.
#[async_trait(?Send)]
impl Registration for StaticRegistration {
    async fn acquire(&self, cpu: &Cpu, pid: Pid, pages: &[VirtPage], reason: Use) -> Result<bool, DriverError> {
        if !matches!(reason, Use::Register) {
            return Ok(false);
        }
        let Core { context, pins, .. } = &self.core;
        let room_for = pages.len();
        self.room(cpu, pid, pages, room_for).await?;
        if !pins.has(pid) {
            return Err(DriverError::ProcessEnded(pid.0));
        }
        let missing = pins.missing(pid, pages).pages;
        if !missing.is_empty() {
            pins.charge_pin_of(cpu, missing.len()).await;
        }
        pins.pin(pid, &missing);
        let targets = match pins.all(pid, pages) {
            Ok(targets) => targets,
            Err(error) => {
                let pinned: Vec<VirtPage> =
                    missing.iter().copied().filter(|page| pins.get(pid, *page).is_some()).collect();
                pins.unpin(pid, &pinned);
                context.count(|counts| counts.pin_failures += (missing.len() - pinned.len()) as u64);
                return Err(error);
            }
        };
        let writes = self.tables.change(|tables| tables.add(pid, &targets))?;
        self.tables.write(cpu, &writes).await?;
        Ok(!missing.is_empty())
    }

    /// Unpins the pages that have no other registration, when the DMA that was begun with them has
    /// ended.
    async fn release(&self, cpu: &Cpu, pid: Pid, pages: &[VirtPage]) -> Result<(), DriverError> {
        let removed = self.tables.change(|tables| tables.remove(pid, pages))?;
        self.tables.write(cpu, &removed.writes).await?;
        self.core.commands.send(cpu, COMMAND_FENCE).await?;
        self.tables.change(|tables| tables.free_tables(&removed.tables));
        if removed.pages.is_empty() {
            return Ok(());
        }
        self.core.pins.charge_unpin(cpu, removed.pages.len() as u32).await;
        self.core.pins.unpin(pid, &removed.pages);
        Ok(())
    }

    /// Nothing is pushed out: a table that is full refuses.
    async fn room(&self, _cpu: &Cpu, pid: Pid, pages: &[VirtPage], _missing: usize) -> Result<u32, DriverError> {
        self.tables.change(|tables| tables.check_room(pid, pages))?;
        Ok(0)
    }
}
