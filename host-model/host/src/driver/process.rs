//! Process slots: a post queue, a doorbell page and a status page for each process that uses the NIC.

use nic_layout::post::{ProcessStatus, NO_POST};
use nic_layout::ring::COMMAND_CLOSE;
use nic_layout::tables::{ProcessEntry, PID_MAX};
use nic_layout::{PAGE_BYTES, PROCESS_SLOTS};
use sim_pins::Ps;

use super::cbh_table::CbhTable;
use super::device::words_of;
use super::error::DriverError;
use super::vmh_table::VmhTable;
use super::Driver;
use crate::address::{BusAddr, Pid, UserVirt, VirtPage};
use crate::processor::Cpu;

/// Where every process finds its status page.
pub const STATUS_PAGE: VirtPage = VirtPage(0xB_FFFF);
/// The first doorbell page, in BAR 0 (docs/interfaces.md).
const DOORBELL_PAGES: u32 = 0x1_0000;

/// What a process gets: the pages that the driver has mapped into its space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProcessGrant {
    pub pid: Pid,
    pub slot: usize,
    pub post_queue: BusAddr,
    pub doorbell: BusAddr,
    pub status: UserVirt,
    /// Posts name imports, and use registered memory only.
    pub has_static_tables: bool,
}

impl Driver {
    /// Opens the NIC for a new process.
    pub async fn open(&self, cpu: &Cpu) -> Result<ProcessGrant, DriverError> {
        self.check_alive()?;
        cpu.charge("system call", Ps::from_ns(self.0.platform.host.syscall_ns)).await;
        let (slot, pid) = self.take_slot()?;
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
                self.0.state.borrow_mut().slots[slot] = None;
                return Err(error.into());
            }
        };
        self.0.state.borrow_mut().tables.insert(pid, VmhTable::new(pid));
        self.0.state.borrow_mut().buffers.insert(pid, CbhTable::new(pid));
        if let Some(tables) = &mut self.0.state.borrow_mut().static_tables {
            tables.open(pid, slot);
        }
        let (device, layout) = (self.device(cpu)?, self.layout()?);
        let entry = ProcessEntry {
            state: 1,
            pid: pid.0,
            status_address: status_page.start().on_bus().0,
            reserved: 0,
            status: ProcessStatus { last_error_index: NO_POST, ..ProcessStatus::default() },
        };
        let words = words_of(&entry);
        let address = layout.process_entry(slot);
        device.write_sram(address + 4, &words[1..]).await;
        device.write_sram(address, &words[..1]).await;
        Ok(ProcessGrant {
            pid,
            slot,
            post_queue: device.resources.sram + layout.post_queue(slot).0,
            doorbell: device.resources.registers + DOORBELL_PAGES + slot as u32 * PAGE_BYTES,
            status: STATUS_PAGE.start(),
            has_static_tables: self.has_static_tables(),
        })
    }

    fn take_slot(&self) -> Result<(usize, Pid), DriverError> {
        let mut state = self.0.state.borrow_mut();
        let slot = state.slots.iter().position(Option::is_none);
        let slot = slot.ok_or(DriverError::NoSlot { slots: PROCESS_SLOTS })?;
        // Numbers are taken again only after all others: late words of the NIC name nobody.
        let mut pid = Pid(state.next_pid);
        // Static tables are found by the low bits of the process's number.
        let is_of_slot = |pid: Pid| state.static_tables.is_none() || pid.0 as usize % PROCESS_SLOTS == slot;
        while state.slots.contains(&Some(pid)) || !is_of_slot(pid) {
            pid = Pid(pid.0 % PID_MAX + 1);
        }
        state.next_pid = pid.0 % PID_MAX + 1;
        state.slots[slot] = Some(pid);
        Ok((slot, pid))
    }

    /// Ends what the process has with the NIC: afterwards no pin, key, line, slot or DMA of it is left (INV-36).
    pub async fn close(&self, cpu: &Cpu, grant: &ProcessGrant) -> Result<(), DriverError> {
        self.check_alive()?;
        let pid = grant.pid;
        if self.0.state.borrow().slots[grant.slot] != Some(pid) {
            return Err(DriverError::ProcessEnded(pid.0));
        }
        let (device, layout) = (self.device(cpu)?, self.layout()?);
        let costs = &self.0.platform.host;
        cpu.charge("system call", Ps::from_ns(costs.syscall_ns)).await;
        device.write_sram(layout.process_entry(grant.slot), &[0]).await;
        let buffers = match self.has_static_tables() {
            true => self.hide_buffers_of(cpu, pid).await?,
            false => {
                self.forget_buffers_of(cpu, pid).await?;
                Vec::new()
            }
        };
        // Waits for every DMA that was begun before: those of the buffers too.
        self.command(cpu, COMMAND_CLOSE | (grant.slot as u32) << 4).await?;

        if self.has_static_tables() {
            self.close_tables_of(cpu, pid, &buffers).await?;
        }
        // Misses that are read from now on find no process, and their lines are released.
        let table = {
            let _lines = self.0.lines.acquire().await;
            self.0.state.borrow_mut().tables.remove(&pid)
        };
        let lines = self.0.state.borrow().shadow.as_ref().map_or_else(Vec::new, |shadow| shadow.lines_of(pid));
        for first in lines {
            self.invalidate_line(cpu, pid, first).await?;
        }
        let mut unpinned = 1;
        {
            let mut memory = self.0.memory.borrow_mut();
            if let Some(mut table) = table {
                unpinned += table.clear(&mut memory);
            }
            let status_page = memory.touch(pid, STATUS_PAGE)?;
            memory.unpin(status_page);
            memory.destroy_space(pid)?;
        }
        let span = costs.unpin_call_ns + u64::from(unpinned) * costs.unpin_page_ns;
        cpu.charge("unpin", Ps::from_ns(span)).await;
        self.0.state.borrow_mut().slots[grant.slot] = None;
        Ok(())
    }
}
