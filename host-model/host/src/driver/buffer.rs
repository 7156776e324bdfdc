//! Registered buffers: remote nodes may write into them, or read them, with the right key (facts M-3, M-40, M-44, M-48).

use nic_layout::cbh::{cbh, cbh_id, cbh_pid, Descriptor};
use nic_layout::key::Key;
use nic_layout::ring::COMMAND_FORGET_BUFFER;
use sim_pins::Ps;

use super::error::DriverError;
use super::miss::Cache;
use super::Driver;
use crate::address::{Pid, UserVirt};
use crate::library::{Access, Export};
use crate::processor::Cpu;

impl Driver {
    /// Registers `length_bytes` from `start` for whoever knows the key, to do what `access` says. A NIC with caches learns of it at the first use
    /// (facts M-43), one with static tables now, and all pages are pinned (facts M-3).
    pub async fn export(
        &self,
        cpu: &Cpu,
        pid: Pid,
        start: UserVirt,
        length_bytes: u32,
        access: Access,
    ) -> Result<Export, DriverError> {
        self.register(cpu, pid, None, start, length_bytes, access).await
    }

    /// The same, under an identifier that the process chooses (facts M-39).
    pub async fn export_under(
        &self,
        cpu: &Cpu,
        pid: Pid,
        id: u32,
        start: UserVirt,
        length_bytes: u32,
        access: Access,
    ) -> Result<Export, DriverError> {
        self.register(cpu, pid, Some(id), start, length_bytes, access).await
    }

    async fn register(
        &self,
        cpu: &Cpu,
        pid: Pid,
        id: Option<u32>,
        start: UserVirt,
        length_bytes: u32,
        access: Access,
    ) -> Result<Export, DriverError> {
        self.check_alive()?;
        cpu.charge("system call", Ps::from_ns(self.0.platform.host.syscall_ns)).await;
        let pages = self.check_range(pid, start, length_bytes)?;
        let lines = self.0.lines.acquire().await;
        if self.has_static_tables() {
            return self.export_at_once(cpu, pid, id, (start, length_bytes), access).await;
        }
        let (buffer, key) = self.insert(pid, id, start, length_bytes, access)?;
        // Who used the identifier before it was there has left a negative entry (facts M-45).
        let may_know = self.0.state.borrow().cbh_shadow.as_ref().is_some_and(|shadow| shadow.may_know(buffer));
        if may_know {
            self.forget_buffer(cpu, buffer).await?;
        }
        if self.nic_fetches() {
            self.pin_lines_of(&lines, cpu, pid, &pages).await?;
        }
        drop(lines);
        if self.0.options.pin_at_export && !self.nic_fetches() {
            self.pin_for(cpu, pid, &pages, None).await?;
        }
        Ok(Export { node: self.0.options.node, buffer, key, key_width: self.layout()?.key_width, length_bytes, access })
    }

    /// Ends a registration: when this returns, no DMA into the buffer is under way and its key opens nothing. With caches, translations and pins stay,
    /// and age out by themselves (facts M-44).
    pub async fn withdraw(&self, cpu: &Cpu, pid: Pid, export: &Export) -> Result<(), DriverError> {
        self.check_alive()?;
        let buffer = export.buffer;
        cpu.charge("system call", Ps::from_ns(self.0.platform.host.syscall_ns)).await;
        let _lines = self.0.lines.acquire().await;
        let removed = match self.0.state.borrow_mut().buffers.get_mut(&pid) {
            Some(table) if cbh_pid(buffer) == pid.0 => table.remove(cbh_id(buffer)),
            _ => None,
        };
        let descriptor = removed.ok_or(DriverError::NoSuchBuffer { buffer })?;
        match self.has_static_tables() {
            true => self.withdraw_at_once(cpu, buffer, &descriptor).await?,
            false => self.forget_buffer(cpu, buffer).await?,
        }
        self.forget_listener(buffer);
        Ok(())
    }

    /// Whether the process has registered this buffer.
    pub(super) fn owns(&self, pid: Pid, buffer: u32) -> bool {
        let state = self.0.state.borrow();
        let table = state.buffers.get(&pid).filter(|_| cbh_pid(buffer) == pid.0);
        table.is_some_and(|table| table.get(cbh_id(buffer)).is_some())
    }

    /// CBH word and key of a new buffer.
    pub(super) fn insert(
        &self,
        pid: Pid,
        id: Option<u32>,
        start: UserVirt,
        length_bytes: u32,
        access: Access,
    ) -> Result<(u32, Key), DriverError> {
        let width = self.layout()?.key_width;
        let mut state = self.0.state.borrow_mut();
        let state = &mut *state;
        let table = state.buffers.get_mut(&pid).ok_or(DriverError::ProcessEnded(pid.0))?;
        let id = id.or_else(|| table.free_id()).ok_or(DriverError::NoBufferId)?;
        let key = state.keys.next_key(width);
        let descriptor = Descriptor { start_address: start.0, length_bytes, key, permissions: access.permissions() };
        if !table.insert(id, descriptor) {
            return Err(DriverError::BufferIdTaken { id });
        }
        Ok((cbh(pid.0, id), key))
    }

    /// Has the NIC forget what it knows of a buffer, and waits for the DMA that it has begun there. The caller holds the lock of the caches.
    async fn forget_buffer(&self, cpu: &Cpu, buffer: u32) -> Result<(), DriverError> {
        self.command_about(cpu, COMMAND_FORGET_BUFFER, Some(buffer)).await?;
        self.suspect(cpu, Cache::Cbh, buffer).await?;
        if let Some(shadow) = &mut self.0.state.borrow_mut().cbh_shadow {
            shadow.forget(buffer);
        }
        Ok(())
    }

    /// Ends all registrations of a process, and takes from the NIC what it knows of them.
    pub(super) async fn forget_buffers_of(&self, cpu: &Cpu, pid: Pid) -> Result<(), DriverError> {
        let _lines = self.0.lines.acquire().await;
        {
            let mut state = self.0.state.borrow_mut();
            state.buffers.remove(&pid);
            state.listeners.retain(|buffer, _| cbh_pid(*buffer) != pid.0);
        }
        let known = self.0.state.borrow().cbh_shadow.as_ref().map_or_else(Vec::new, |shadow| shadow.of(pid));
        for buffer in known {
            self.forget_buffer(cpu, buffer).await?;
        }
        Ok(())
    }
}
