//! Registered buffers: remote nodes may write into them with the right key (facts M-3, M-44, M-48).

use nic_layout::ring::COMMAND_FENCE;
use nic_layout::tables::{BufferEntry, BUFFER_TABLE_ENTRIES, PERMIT_WRITE};
use sim_pins::Ps;

use super::device::{words_of, Device};
use super::error::DriverError;
use super::Driver;
use crate::address::{pages_of, Pid, SramAddr, UserVirt, VirtPage};
use crate::library::Export;
use crate::processor::Cpu;

impl Driver {
    /// Registers `length_bytes` from `start` for writes by whoever knows the key.
    pub async fn export(&self, cpu: &Cpu, pid: Pid, start: UserVirt, length_bytes: u32) -> Result<Export, DriverError> {
        self.check_alive()?;
        cpu.charge("system call", Ps::from_ns(self.0.platform.host.syscall_ns)).await;
        if length_bytes == 0 || u64::from(start.0) + u64::from(length_bytes) > 1 << 32 {
            return Err(DriverError::BadBuffer);
        }
        let pages: Vec<VirtPage> = pages_of(start, length_bytes).collect();
        {
            let memory = self.0.memory.borrow();
            if !pages.iter().all(|page| memory.is_mapped(pid, *page)) {
                return Err(DriverError::BadBuffer);
            }
        }
        let (buffer, key) = self.take_buffer(pid)?;
        if self.0.options.pin_at_export {
            self.pin_for(cpu, pid, &pages, None).await;
        }
        let entry = BufferEntry {
            state: 1,
            pid: pid.0,
            start_address: start.0,
            length_bytes,
            key,
            permissions: PERMIT_WRITE,
            reserved: 0,
        };
        let words = words_of(&entry);
        let (device, address) = (self.device(cpu)?, self.layout()?.buffer_entry(buffer));
        device.write_sram(address + 4, &words[1..]).await;
        device.write_sram(address, &words[..1]).await;
        Ok(Export { node: self.0.options.node, buffer, key, length_bytes })
    }

    /// Ends a registration: when this returns, no DMA into the buffer is under way and its key opens nothing. Translations
    /// and pins stay, and age out by themselves (facts M-44).
    pub async fn withdraw(&self, cpu: &Cpu, pid: Pid, export: &Export) -> Result<(), DriverError> {
        self.check_alive()?;
        let buffer = export.buffer;
        let owner = self.0.state.borrow().buffers.get(buffer as usize).copied().flatten();
        if owner != Some(pid) {
            return Err(DriverError::NoSuchBuffer { buffer });
        }
        cpu.charge("system call", Ps::from_ns(self.0.platform.host.syscall_ns)).await;
        let device = self.device(cpu)?;
        self.clear_entry(&device, self.layout()?.buffer_entry(buffer)).await;
        self.command(cpu, COMMAND_FENCE).await?;
        self.0.state.borrow_mut().buffers[buffer as usize] = None;
        Ok(())
    }

    fn take_buffer(&self, pid: Pid) -> Result<(u32, [u32; 2]), DriverError> {
        let mut state = self.0.state.borrow_mut();
        let free = state.buffers.iter().position(Option::is_none);
        let free = free.ok_or(DriverError::NoBufferEntry { entries: BUFFER_TABLE_ENTRIES })?;
        state.buffers[free] = Some(pid);
        Ok((free as u32, state.keys.next_key()))
    }

    /// The state goes first, then the rest: the key is no longer in the NIC.
    pub(super) async fn clear_entry(&self, device: &Device, address: SramAddr) {
        device.write_sram(address, &[0]).await;
        device.write_sram(address + 4, &[0; size_of::<BufferEntry>() / 4 - 1]).await;
    }

    pub(super) fn buffers_of(&self, pid: Pid) -> Vec<u32> {
        let state = self.0.state.borrow();
        let owned = state.buffers.iter().enumerate().filter(|(_, owner)| **owner == Some(pid));
        owned.map(|(buffer, _)| buffer as u32).collect()
    }

    pub(super) fn forget_buffers_of(&self, pid: Pid) {
        for owner in &mut self.0.state.borrow_mut().buffers {
            if *owner == Some(pid) {
                *owner = None;
            }
        }
    }
}
