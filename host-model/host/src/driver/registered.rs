//! Registering and importing on a NIC with static tables (facts M-3, M-4, M-13): everything is there before it is used, or is refused.
//!
//! Pages are pinned when they are registered and stay so until they are registered no more. What the NIC looks up is written by PIO, the word that
//! makes it visible last. What is taken away is free again when the DMA that was begun with it has ended.

use nic_layout::cbh::{cbh_id, cbh_pid, Descriptor};
use nic_layout::ring::COMMAND_FENCE;
use nic_layout::static_tables::import;
use sim_pins::Ps;

use super::error::DriverError;
use super::static_tables::{StaticTables, Write};
use super::Driver;
use crate::address::{pages_of, Pid, UserVirt, VirtPage};
use crate::library::{Access, Export};
use crate::processor::Cpu;

impl Driver {
    /// Lets a process send from this memory, and read into it. With caches there is nothing to be done: misses do it (facts M-24).
    pub async fn register_memory(
        &self,
        cpu: &Cpu,
        pid: Pid,
        start: UserVirt,
        length_bytes: u32,
    ) -> Result<(), DriverError> {
        self.check_alive()?;
        cpu.charge("system call", Ps::from_ns(self.0.platform.host.syscall_ns)).await;
        let pages = self.check_range(pid, start, length_bytes)?;
        let _lines = self.0.lines.acquire().await;
        self.add_pages(cpu, pid, &pages).await?;
        self.0.state.borrow_mut().registered.entry(pid).or_default().push((start, length_bytes));
        Ok(())
    }

    /// Ends [`Self::register_memory`] with the same range.
    pub async fn release_memory(
        &self,
        cpu: &Cpu,
        pid: Pid,
        start: UserVirt,
        length_bytes: u32,
    ) -> Result<(), DriverError> {
        self.check_alive()?;
        cpu.charge("system call", Ps::from_ns(self.0.platform.host.syscall_ns)).await;
        let _lines = self.0.lines.acquire().await;
        {
            let mut state = self.0.state.borrow_mut();
            let ranges = state.registered.entry(pid).or_default();
            let at = ranges.iter().position(|range| *range == (start, length_bytes));
            ranges.swap_remove(at.ok_or(DriverError::NotRegistered { start })?);
        }
        let pages: Vec<VirtPage> = pages_of(start, length_bytes).collect();
        self.remove_pages(cpu, pid, &pages).await
    }

    /// Lets a process name a buffer of another node in its posts (facts M-4). Gives the index that they name.
    ///
    /// The record says what the exporter has told; the library asks its NIC (`Process::connect`).
    pub async fn import(&self, cpu: &Cpu, pid: Pid, export: &Export) -> Result<u32, DriverError> {
        self.check_alive()?;
        cpu.charge("system call", Ps::from_ns(self.0.platform.host.syscall_ns)).await;
        self.check_key_width(export)?;
        let who = import::who(export.node.0.into(), export.buffer, export.access.permissions());
        let who = who.ok_or(DriverError::BadImport { node: export.node.0, buffer: export.buffer })?;
        let _lines = self.0.lines.acquire().await;
        let (index, writes) = self.with_tables(|tables| {
            let index = tables.take_import(pid)?;
            Ok((index, tables.import_words(pid, index, export.length_bytes, export.key, who)?))
        })?;
        self.write_tables(cpu, &writes).await?;
        Ok(index)
    }

    /// Keys of another width name nothing here, nor do frames with them.
    fn check_key_width(&self, export: &Export) -> Result<(), DriverError> {
        let own = self.layout()?.key_width;
        match export.key_width == own {
            true => Ok(()),
            false => Err(DriverError::OtherKeyWidth {
                node: export.node.0,
                theirs: export.key_width.bits(),
                own: own.bits(),
            }),
        }
    }

    /// Posts that are fetched when this has returned find the import no more.
    pub async fn release_import(&self, cpu: &Cpu, pid: Pid, index: u32) -> Result<(), DriverError> {
        self.check_alive()?;
        cpu.charge("system call", Ps::from_ns(self.0.platform.host.syscall_ns)).await;
        let _lines = self.0.lines.acquire().await;
        let write = self.with_tables(|tables| tables.no_import_words(pid, index))?;
        self.write_tables(cpu, &[write]).await?;
        self.command(cpu, COMMAND_FENCE).await?;
        self.with_tables(|tables| {
            tables.free_import(pid, index);
            Ok(())
        })
    }

    /// Pins all pages of a buffer at once (facts M-3), and enters it. The range is checked, and the caller holds the lock.
    pub(super) async fn export_at_once(
        &self,
        cpu: &Cpu,
        pid: Pid,
        id: Option<u32>,
        (start, length_bytes): (UserVirt, u32),
        access: Access,
    ) -> Result<Export, DriverError> {
        let pages: Vec<VirtPage> = pages_of(start, length_bytes).collect();
        let id = self.with_tables(|tables| tables.take_buffer(id))?;
        let entered = match self.add_pages(cpu, pid, &pages).await {
            Ok(()) => self.insert(pid, Some(id), start, length_bytes, access),
            Err(error) => Err(error),
        };
        let (buffer, key) = match entered {
            Ok(entered) => entered,
            Err(error) => {
                // `add_pages` has undone what it did, and a process that ended has nothing.
                self.with_tables(|tables| {
                    tables.free_buffer(id);
                    Ok(())
                })?;
                return Err(error);
            }
        };
        let permissions = access.permissions();
        let descriptor = Descriptor { start_address: start.0, length_bytes, key, permissions };
        let writes = self.with_tables(|tables| Ok(tables.buffer_words(id, buffer, &descriptor)))?;
        self.write_tables(cpu, &writes).await?;
        Ok(Export { node: self.0.options.node, buffer, key, key_width: self.layout()?.key_width, length_bytes, access })
    }

    /// Takes a buffer, which was registered with this range, from the NIC. The caller holds the lock.
    pub(super) async fn withdraw_at_once(
        &self,
        cpu: &Cpu,
        buffer: u32,
        descriptor: &Descriptor,
    ) -> Result<(), DriverError> {
        let (pid, id) = (Pid(cbh_pid(buffer)), cbh_id(buffer));
        let writes = self.with_tables(|tables| Ok(tables.no_buffer_words(id)))?;
        self.write_tables(cpu, &writes).await?;
        let pages: Vec<VirtPage> = pages_of(UserVirt(descriptor.start_address), descriptor.length_bytes).collect();
        // It waits for the DMA into the buffer too.
        self.remove_pages(cpu, pid, &pages).await?;
        self.with_tables(|tables| {
            tables.free_buffer(id);
            Ok(())
        })
    }

    /// The NIC takes no more frames for the buffers of a process that ends. Gives their places, which are free after the next fence.
    pub(super) async fn hide_buffers_of(&self, cpu: &Cpu, pid: Pid) -> Result<Vec<u32>, DriverError> {
        let _lines = self.0.lines.acquire().await;
        let ids = {
            let mut state = self.0.state.borrow_mut();
            state.listeners.retain(|buffer, _| cbh_pid(*buffer) != pid.0);
            state.buffers.remove(&pid).map_or_else(Vec::new, |table| table.ids())
        };
        for id in &ids {
            let writes = self.with_tables(|tables| Ok(tables.no_buffer_words(*id)))?;
            self.write_tables(cpu, &writes).await?;
        }
        Ok(ids)
    }

    /// The NIC has closed the slot of a process: takes back what it had, but its pins.
    pub(super) async fn close_tables_of(&self, cpu: &Cpu, pid: Pid, buffers: &[u32]) -> Result<(), DriverError> {
        let _lines = self.0.lines.acquire().await;
        let removed = self.with_tables(|tables| Ok(tables.close(pid)))?;
        self.write_tables(cpu, &removed.writes).await?;
        self.0.state.borrow_mut().registered.remove(&pid);
        self.with_tables(|tables| {
            tables.free_tables(&removed.tables);
            buffers.iter().for_each(|id| tables.free_buffer(*id));
            Ok(())
        })
    }

    /// All of these pages, pinned and translated, or none. The caller holds the lock.
    async fn add_pages(&self, cpu: &Cpu, pid: Pid, pages: &[VirtPage]) -> Result<(), DriverError> {
        self.with_tables(|tables| tables.check_room(pid, pages))?;
        let missing = {
            let (state, memory) = (self.0.state.borrow(), self.0.memory.borrow());
            let table = state.tables.get(&pid).ok_or(DriverError::ProcessEnded(pid.0))?;
            table.missing(&memory, pages.iter().copied())
        };
        if !missing.is_empty() {
            let costs = &self.0.platform.host;
            let span = costs.pin_call_ns + missing.len() as u64 * costs.pin_page_ns;
            cpu.charge("pin", Ps::from_ns(span)).await;
        }
        let writes = {
            let mut state = self.0.state.borrow_mut();
            let state = &mut *state;
            let table = state.tables.get_mut(&pid).ok_or(DriverError::ProcessEnded(pid.0))?;
            let memory = &mut self.0.memory.borrow_mut();
            table.pin(memory, &missing);
            let targets: Option<Vec<_>> =
                pages.iter().map(|page| table.get(*page).map(|target| (*page, target))).collect();
            let Some(targets) = targets else {
                let pinned: Vec<VirtPage> = missing.iter().copied().filter(|page| table.get(*page).is_some()).collect();
                table.unpin(memory, &pinned);
                self.count(|counts| counts.pin_failures += (missing.len() - pinned.len()) as u64);
                return Err(DriverError::CannotPin { pages: pages.len() });
            };
            let tables = state.static_tables.as_mut().ok_or(DriverError::NotReady)?;
            tables.add(pid, &targets)?
        };
        self.write_tables(cpu, &writes).await
    }

    /// Ends one registration of these pages, and unpins those that have no other. The caller holds the lock.
    async fn remove_pages(&self, cpu: &Cpu, pid: Pid, pages: &[VirtPage]) -> Result<(), DriverError> {
        let removed = self.with_tables(|tables| tables.remove(pid, pages))?;
        self.write_tables(cpu, &removed.writes).await?;
        self.command(cpu, COMMAND_FENCE).await?;
        self.with_tables(|tables| {
            tables.free_tables(&removed.tables);
            Ok(())
        })?;
        if removed.pages.is_empty() {
            return Ok(());
        }
        let costs = &self.0.platform.host;
        let span = costs.unpin_call_ns + removed.pages.len() as u64 * costs.unpin_page_ns;
        cpu.charge("unpin", Ps::from_ns(span)).await;
        let mut state = self.0.state.borrow_mut();
        if let Some(table) = state.tables.get_mut(&pid) {
            table.unpin(&mut self.0.memory.borrow_mut(), &removed.pages);
        }
        Ok(())
    }

    pub(super) fn has_static_tables(&self) -> bool {
        self.0.state.borrow().static_tables.is_some()
    }

    fn with_tables<T>(
        &self,
        change: impl FnOnce(&mut StaticTables) -> Result<T, DriverError>,
    ) -> Result<T, DriverError> {
        change(self.0.state.borrow_mut().static_tables.as_mut().ok_or(DriverError::NoImports)?)
    }

    /// One after the other: the NIC sees them in this order.
    async fn write_tables(&self, cpu: &Cpu, writes: &[Write]) -> Result<(), DriverError> {
        let (device, at) = (self.device(cpu)?, self.layout()?.static_tables().ok_or(DriverError::NoImports)?.at);
        for (offset, words) in writes {
            device.write_sram(at + *offset, words).await;
        }
        Ok(())
    }

    /// The pages of a range that a process has.
    pub(super) fn check_range(
        &self,
        pid: Pid,
        start: UserVirt,
        length_bytes: u32,
    ) -> Result<Vec<VirtPage>, DriverError> {
        if length_bytes == 0 || u64::from(start.0) + u64::from(length_bytes) > 1 << 32 {
            return Err(DriverError::BadBuffer);
        }
        let pages: Vec<VirtPage> = pages_of(start, length_bytes).collect();
        let memory = self.0.memory.borrow();
        match pages.iter().all(|page| memory.is_mapped(pid, *page)) {
            true => Ok(pages),
            false => Err(DriverError::BadBuffer),
        }
    }
}
