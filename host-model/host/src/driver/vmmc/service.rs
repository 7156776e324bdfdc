//! The service of a NIC with static tables: everything is there before it is used, or is refused.
//!
//! What the NIC looks up is written by PIO, the word that makes it visible last. What is taken away
//! is free again when the DMA that was begun with it has ended.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use async_trait::async_trait;
use nic_layout::boot::static_tables::{self, StaticTablesRequest};
use nic_layout::cbh::{cbh_id, Descriptor};
use nic_layout::registers::mailbox;
use nic_layout::ring::{COMMAND_FENCE, MAILBOX_FILLED, MAILBOX_MISS, MAILBOX_NOTIFY};
use nic_layout::static_tables::{import, StaticGeometry};
use nic_layout::tables::MISS_RING_ENTRIES;

use super::layout::StaticLayout;
use super::nic_tables::NicTables;
use super::static_registration::StaticRegistration;
use crate::address::{pages_of, Pid, UserVirt, VirtPage};
use crate::driver::core::device::Device;
use crate::driver::core::error::DriverError;
use crate::driver::core::layout::Reply;
use crate::driver::core::members::slot_of;
use crate::driver::core::registration::{Registration, Use};
use crate::driver::core::service::{Core, Interrupt, Places, Service, ServiceEntry};
use crate::driver::rdma::access::{Access, Export};
use crate::driver::rdma::buffers::Buffers;
use crate::driver::rdma::notify::{Notifications, Notifier};
use crate::driver::rdma::service::{PostTerms, RdmaService};
use crate::executor::Lock;
use crate::processor::Cpu;

/// What a process has registered without exporting it.
type Ranges = Vec<(UserVirt, u32)>;

/// The service of one NIC with static tables.
pub struct Vmmc {
    core: Core,
    tables: Rc<NicTables>,
    buffers: Buffers,
    notifier: Notifier,
    registration: StaticRegistration,
    /// Held while what the NIC looks up changes.
    lock: Lock,
    registered: RefCell<BTreeMap<Pid, Ranges>>,
    /// Places of buffers of processes that end, free after the next fence.
    hidden: RefCell<BTreeMap<Pid, Vec<u32>>>,
    /// Free-running index of the miss ring.
    misses: Cell<u32>,
}

impl Vmmc {
    /// The service's entry in the list of services.
    pub const ENTRY: ServiceEntry = ServiceEntry {
        personality: static_tables::PERSONALITY,
        counters: static_tables::COUNTERS,
        request: Some(|_, options, request| {
            let StaticGeometry { vmh_tables, cbh_entries, import_entries, .. } = options.static_tables;
            request.offer(&StaticTablesRequest {
                vmh_tables_max: vmh_tables,
                cbh_entries_max: cbh_entries,
                import_entries_max: import_entries,
            });
        }),
        make: Vmmc::make,
    };

    fn make(core: &Core, reply: &Reply) -> Result<Rc<dyn Service>, DriverError> {
        let layout = StaticLayout::check(reply, core.context.layout()?.posts()?.key_width)?;
        let tables = Rc::new(NicTables::new(core, layout));
        Ok(Rc::new(Vmmc {
            core: core.clone(),
            tables: tables.clone(),
            buffers: Buffers::new(core.context.clone()),
            notifier: Notifier::new(core.context.clone()),
            registration: StaticRegistration::new(core, tables),
            lock: Lock::default(),
            registered: RefCell::default(),
            hidden: RefCell::default(),
            misses: Cell::new(0),
        }))
    }

    /// Where the tables are.
    pub fn tables(&self) -> &StaticLayout {
        &self.tables.layout
    }

    /// Second-level tables, buffers and imports that are free.
    pub fn free(&self) -> (usize, usize, usize) {
        self.tables.change(|tables| tables.free())
    }

    /// A NIC that looks nothing up at the host does not miss: entries of its miss ring make no
    /// sense. Their places are given back.
    async fn reject_misses(&self, device: &Device) -> Result<(), DriverError> {
        let producer = device.read(mailbox::TO_HOST.at(MAILBOX_MISS)).await?;
        let new = producer.wrapping_sub(self.misses.get()) & 0xFFFF;
        if new > MISS_RING_ENTRIES {
            self.core.context.count(|counts| counts.rejected_producers += 1);
            return Ok(());
        }
        self.core.context.count(|counts| counts.rejected_entries += u64::from(new));
        self.misses.set(self.misses.get().wrapping_add(new));
        device.write(mailbox::TO_NIC.at(MAILBOX_FILLED), self.misses.get()).await;
        Ok(())
    }

    /// Pins all pages of a buffer, and gives it a place. The caller holds the lock.
    async fn enter(
        &self,
        cpu: &Cpu,
        pid: Pid,
        id: u32,
        range: (UserVirt, u32),
        access: Access,
    ) -> Result<Export, DriverError> {
        let pages: Vec<VirtPage> = pages_of(range.0, range.1).collect();
        self.registration.acquire(cpu, pid, &pages, Use::Register).await?;
        self.buffers.insert(pid, Some(id), range, access)
    }

    /// Keys of another width name nothing here, nor do frames with them.
    fn check_key_width(&self, export: &Export) -> Result<(), DriverError> {
        let (theirs, own) = (export.key_width, self.terms().key_width);
        match theirs == own {
            true => Ok(()),
            false => Err(DriverError::OtherKeyWidth { node: export.node.0, theirs: theirs.bits(), own: own.bits() }),
        }
    }
}

#[async_trait(?Send)]
impl Service for Vmmc {
    fn places(&self) -> Places {
        Places::AllBySlot
    }

    fn causes(&self) -> u32 {
        1 << MAILBOX_MISS | 1 << MAILBOX_NOTIFY
    }

    async fn interrupt(&self, interrupt: &Interrupt<'_>) -> Result<(), DriverError> {
        match interrupt.cause {
            MAILBOX_MISS => self.reject_misses(interrupt.device).await,
            _ => self.notifier.take(interrupt.device).await,
        }
    }

    fn open(&self, pid: Pid) {
        self.buffers.open(pid);
        self.tables.change(|tables| tables.open(pid, slot_of(pid)));
    }

    /// The NIC takes no more frames for the buffers of the process.
    async fn hide(&self, cpu: &Cpu, pid: Pid) -> Result<(), DriverError> {
        let _lock = self.lock.acquire().await;
        self.notifier.forget_all_of(pid);
        let ids = self.buffers.close(pid);
        for id in &ids {
            let writes = self.tables.change(|tables| tables.no_buffer_words(*id));
            self.tables.write(cpu, &writes).await?;
        }
        self.hidden.borrow_mut().insert(pid, ids);
        Ok(())
    }

    async fn close(&self, cpu: &Cpu, pid: Pid) -> Result<(), DriverError> {
        let _lock = self.lock.acquire().await;
        let removed = self.tables.change(|tables| tables.close(pid));
        self.tables.write(cpu, &removed.writes).await?;
        // The writes are posted: the answer says that they are in the SRAM, and the pages may be
        // unpinned (INV-17).
        self.core.commands.send(cpu, COMMAND_FENCE).await?;
        self.registered.borrow_mut().remove(&pid);
        let buffers = self.hidden.borrow_mut().remove(&pid).unwrap_or_default();
        self.tables.change(|tables| {
            tables.free_tables(&removed.tables);
            buffers.iter().for_each(|id| tables.free_buffer(*id));
        });
        self.core.pins.hide(pid);
        Ok(())
    }

    fn unbalanced(&self) -> Vec<String> {
        self.notifier.unbalanced().into_iter().collect()
    }

    fn rdma(self: Rc<Self>) -> Option<Rc<dyn RdmaService>> {
        Some(self)
    }
}

#[async_trait(?Send)]
impl RdmaService for Vmmc {
    fn terms(&self) -> PostTerms {
        PostTerms {
            names_imports: true,
            registers_memory: true,
            pins_before_use: false,
            key_width: self.tables.layout.geometry.key,
        }
    }

    /// Pins all pages of the buffer at once (facts M-3), and enters it.
    async fn export(
        &self,
        cpu: &Cpu,
        pid: Pid,
        id: Option<u32>,
        range: (UserVirt, u32),
        access: Access,
    ) -> Result<Export, DriverError> {
        self.core.context.check_alive()?;
        self.core.context.system_call(cpu).await;
        self.buffers.check_range(pid, range)?;
        let _lock = self.lock.acquire().await;
        let id = self.tables.change(|tables| tables.take_buffer(id))?;
        let export = match self.enter(cpu, pid, id, range, access).await {
            Ok(export) => export,
            Err(error) => {
                // The registration has undone what it did, and a process that ended has nothing.
                self.tables.change(|tables| tables.free_buffer(id));
                return Err(error);
            }
        };
        let descriptor = Descriptor {
            start_address: range.0 .0,
            length_bytes: range.1,
            key: export.key,
            permissions: access.permissions(),
        };
        let writes = self.tables.change(|tables| tables.buffer_words(id, export.buffer, &descriptor));
        self.tables.write(cpu, &writes).await?;
        Ok(export)
    }

    async fn withdraw(&self, cpu: &Cpu, pid: Pid, export: &Export) -> Result<(), DriverError> {
        self.core.context.check_alive()?;
        self.core.context.system_call(cpu).await;
        let _lock = self.lock.acquire().await;
        let descriptor = self.buffers.remove(pid, export.buffer)?;
        let id = cbh_id(export.buffer);
        let writes = self.tables.change(|tables| tables.no_buffer_words(id));
        self.tables.write(cpu, &writes).await?;
        let pages: Vec<VirtPage> = pages_of(UserVirt(descriptor.start_address), descriptor.length_bytes).collect();
        // It waits for the DMA into the buffer too.
        self.registration.release(cpu, pid, &pages).await?;
        self.tables.change(|tables| tables.free_buffer(id));
        self.notifier.forget(export.buffer);
        Ok(())
    }

    fn listen(&self, pid: Pid, export: &Export) -> Result<Notifications, DriverError> {
        self.core.context.check_alive()?;
        match self.buffers.owns(pid, export.buffer) {
            true => Ok(self.notifier.listen(export)),
            false => Err(DriverError::NoSuchBuffer { buffer: export.buffer }),
        }
    }

    fn buffers(&self, pid: Pid) -> usize {
        self.buffers.count(pid)
    }

    async fn register(&self, cpu: &Cpu, pid: Pid, start: UserVirt, length_bytes: u32) -> Result<(), DriverError> {
        self.core.context.check_alive()?;
        self.core.context.system_call(cpu).await;
        let pages = self.buffers.check_range(pid, (start, length_bytes))?;
        let _lock = self.lock.acquire().await;
        self.registration.acquire(cpu, pid, &pages, Use::Register).await?;
        self.registered.borrow_mut().entry(pid).or_default().push((start, length_bytes));
        Ok(())
    }

    async fn unregister(&self, cpu: &Cpu, pid: Pid, start: UserVirt, length_bytes: u32) -> Result<(), DriverError> {
        self.core.context.check_alive()?;
        self.core.context.system_call(cpu).await;
        let _lock = self.lock.acquire().await;
        {
            let mut registered = self.registered.borrow_mut();
            let ranges = registered.entry(pid).or_default();
            let at = ranges.iter().position(|range| *range == (start, length_bytes));
            ranges.swap_remove(at.ok_or(DriverError::NotRegistered { start })?);
        }
        let pages: Vec<VirtPage> = pages_of(start, length_bytes).collect();
        self.registration.release(cpu, pid, &pages).await
    }

    /// The record says what the exporter has told; the library asks its NIC (`Process::connect`).
    async fn import(&self, cpu: &Cpu, pid: Pid, export: &Export) -> Result<u32, DriverError> {
        self.core.context.check_alive()?;
        self.core.context.system_call(cpu).await;
        self.check_key_width(export)?;
        let who = import::who(export.node.0.into(), export.buffer, export.access.permissions());
        let who = who.ok_or(DriverError::BadImport { node: export.node.0, buffer: export.buffer })?;
        let _lock = self.lock.acquire().await;
        let index = self.tables.change(|tables| tables.take_import(pid))?;
        let words = |tables: &mut super::tables::StaticTables| {
            tables.import_words(pid, index, export.length_bytes, export.key, who)
        };
        let writes = self.tables.change(words)?;
        self.tables.write(cpu, &writes).await?;
        Ok(index)
    }

    async fn release_import(&self, cpu: &Cpu, pid: Pid, index: u32) -> Result<(), DriverError> {
        self.core.context.check_alive()?;
        self.core.context.system_call(cpu).await;
        let _lock = self.lock.acquire().await;
        let write = self.tables.change(|tables| tables.no_import_words(pid, index))?;
        self.tables.write(cpu, &[write]).await?;
        self.core.commands.send(cpu, COMMAND_FENCE).await?;
        self.tables.change(|tables| tables.free_import(pid, index));
        Ok(())
    }
}
