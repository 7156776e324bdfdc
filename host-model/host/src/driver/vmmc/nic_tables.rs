//! The static tables on the NIC: changes of what the driver keeps, and the words that follow from
//! them.

use std::cell::RefCell;

use super::layout::StaticLayout;
use super::tables::{StaticTables, Write};
use crate::driver::core::error::DriverError;
use crate::driver::core::service::Core;
use crate::processor::Cpu;

/// The tables of one NIC.
pub struct NicTables {
    core: Core,
    pub layout: StaticLayout,
    tables: RefCell<StaticTables>,
}

impl NicTables {
    pub fn new(core: &Core, layout: StaticLayout) -> NicTables {
        NicTables { core: core.clone(), layout, tables: RefCell::new(StaticTables::new(layout.geometry)) }
    }

    /// Changes what the driver keeps. What the change gives must be written before the next.
    pub fn change<T>(&self, change: impl FnOnce(&mut StaticTables) -> T) -> T {
        change(&mut self.tables.borrow_mut())
    }

    /// One after the other: the NIC sees them in this order.
    pub async fn write(&self, cpu: &Cpu, writes: &[Write]) -> Result<(), DriverError> {
        let device = self.core.context.device(cpu)?;
        for (offset, words) in writes {
            device.write_sram(self.layout.at + *offset, words).await;
        }
        Ok(())
    }
}
