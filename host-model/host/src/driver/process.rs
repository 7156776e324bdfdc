//! Processes that use the NIC: a number and a status page for each, and a post queue if one is free.

use std::rc::Rc;

use nic_layout::fetch::table_slot;
use nic_layout::key::KeyWidth;
use nic_layout::post::{ProcessStatus, NO_POST};
use nic_layout::ring::{COMMAND_CLOSE, COMMAND_FENCE};
use nic_layout::tables::PID_MAX;
use nic_layout::PROCESS_SLOTS;
use sim_pins::Ps;

use super::cbh_table::CbhTable;
use super::error::DriverError;
use super::post_queues::{Mapping, Member};
use super::vmh_table::VmhTable;
use super::Driver;
use crate::address::{Pid, UserVirt, VirtPage};
use crate::processor::Cpu;

/// Where every process finds its status page.
pub const STATUS_PAGE: VirtPage = VirtPage(0xB_FFFF);

/// What a process gets for its life. Its post queue comes and goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProcessGrant {
    pub pid: Pid,
    pub status: UserVirt,
    /// Posts name imports, and use registered memory only.
    pub has_static_tables: bool,
    /// Of keys.
    pub key_width: KeyWidth,
    /// The library looks into its bitmap before it posts, and has what is missing pinned (facts M-58).
    pub pins_before_use: bool,
}

impl Driver {
    /// Opens the NIC for a new process.
    pub async fn open(&self, cpu: &Cpu) -> Result<ProcessGrant, DriverError> {
        self.check_alive()?;
        cpu.charge("system call", Ps::from_ns(self.0.platform.host.syscall_ns)).await;
        let pid = self.free_number()?;
        let status_page = {
            let mut memory = self.0.memory.borrow_mut();
            memory.create_space(pid);
            memory.add_page(pid, STATUS_PAGE)?;
            memory.pin(pid, STATUS_PAGE)
        };
        let status_page = match status_page {
            Ok(page) => page,
            Err(error) => {
                self.0.memory.borrow_mut().destroy_space(pid)?;
                return Err(error.into());
            }
        };
        {
            let mut state = self.0.state.borrow_mut();
            state.next_pid = pid.0 % PID_MAX + 1;
            let member = Member {
                mapping: Rc::new(Mapping::default()),
                status_address: status_page.start().on_bus(),
                status: ProcessStatus { last_error_index: NO_POST, ..ProcessStatus::default() },
                ending: false,
            };
            state.members.insert(pid, member);
            state.tables.insert(pid, VmhTable::new(pid));
            state.buffers.insert(pid, CbhTable::new(pid));
            if let Some(tables) = &mut state.static_tables {
                tables.open(pid, pid.0 as usize % PROCESS_SLOTS);
            }
        }
        self.give_free_queue(cpu, pid).await?;
        Ok(ProcessGrant {
            pid,
            status: STATUS_PAGE.start(),
            has_static_tables: self.has_static_tables(),
            key_width: self.layout()?.key_width,
            pins_before_use: self.nic_fetches(),
        })
    }

    /// Numbers are taken again only after all others: late words of the NIC name nobody.
    fn free_number(&self) -> Result<Pid, DriverError> {
        let state = self.0.state.borrow();
        // Tables that the NIC finds by the low bits of the process's number.
        let has_tables = state.static_tables.is_some() || self.nic_fetches();
        let max = match has_tables {
            true => PROCESS_SLOTS.min(self.0.options.processes_max),
            false => self.0.options.processes_max,
        };
        if state.members.len() >= max {
            return Err(DriverError::NoSlot { slots: max });
        }
        let is_taken = |slot: usize| state.members.keys().any(|pid| pid.0 as usize % PROCESS_SLOTS == slot);
        let slot = (0..PROCESS_SLOTS).find(|slot| has_tables && !is_taken(*slot));
        let is_of_slot = |pid: Pid| slot.is_none_or(|slot| pid.0 as usize % PROCESS_SLOTS == slot);
        let mut pid = Pid(state.next_pid);
        while state.members.contains_key(&pid) || !is_of_slot(pid) {
            pid = Pid(pid.0 % PID_MAX + 1);
        }
        Ok(pid)
    }

    /// Ends what the process has with the NIC: afterwards no pin, key, line, slot or DMA of it is left (INV-36).
    pub async fn close(&self, cpu: &Cpu, grant: &ProcessGrant) -> Result<(), DriverError> {
        self.check_alive()?;
        let pid = grant.pid;
        if !self.0.state.borrow().members.contains_key(&pid) {
            return Err(DriverError::ProcessEnded(pid.0));
        }
        self.begin_end(pid);
        let (device, layout) = (self.device(cpu)?, self.layout()?);
        let costs = &self.0.platform.host;
        cpu.charge("system call", Ps::from_ns(costs.syscall_ns)).await;
        let queue = self.leave_queue(pid).await?;
        if let Some(slot) = queue {
            device.write_sram(layout.process_entry(slot), &[0]).await;
        }
        let buffers = match self.has_static_tables() {
            true => self.hide_buffers_of(cpu, pid).await?,
            false => {
                self.forget_buffers_of(cpu, pid).await?;
                Vec::new()
            }
        };
        // What the NIC does not find there it asks the driver for.
        self.hide_tables_of(cpu, pid).await?;
        // Waits for every DMA that was begun before: those of the buffers and of its tables too.
        match queue {
            Some(slot) => {
                self.command(cpu, COMMAND_CLOSE | (slot as u32) << 4).await?;
                self.clear_queue(cpu, slot).await?;
                self.free_queue(slot);
            }
            None => self.command(cpu, COMMAND_FENCE).await?,
        }
        if self.has_static_tables() {
            self.close_tables_of(cpu, pid, &buffers).await?;
        }
        // Misses that are read from now on find no process, and their lines are released.
        let (table, fetched) = {
            let _lines = self.0.lines.acquire().await;
            let fetched = if self.nic_fetches() { self.lines_pinned(pid) } else { Vec::new() };
            (self.0.state.borrow_mut().tables.remove(&pid), fetched)
        };
        let mut lines = self.0.state.borrow().shadow.as_ref().map_or_else(Vec::new, |shadow| shadow.lines_of(pid));
        // The next one begins with none: whoever pinned meanwhile may have entered more.
        self.hide_tables_of(cpu, pid).await?;
        lines.extend(fetched);
        lines.sort_unstable();
        lines.dedup();
        for first in lines {
            self.invalidate_line(cpu, pid, first).await?;
        }
        let mut unpinned = 1;
        {
            let mut memory = self.0.memory.borrow_mut();
            self.0.state.borrow_mut().fetch_tables.close(&mut memory, table_slot(pid.0));
            if let Some(mut table) = table {
                unpinned += table.clear(&mut memory);
            }
            let status_page = memory.touch(pid, STATUS_PAGE)?;
            memory.unpin(status_page);
            memory.destroy_space(pid)?;
        }
        let span = costs.unpin_call_ns + u64::from(unpinned) * costs.unpin_page_ns;
        cpu.charge("unpin", Ps::from_ns(span)).await;
        self.0.state.borrow_mut().members.remove(&pid);
        Ok(())
    }
}
