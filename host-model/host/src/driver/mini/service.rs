//! The service of a NIC whose caches miss to the host (facts M-15): misses, buffers, notifications.

use std::rc::Rc;

use async_trait::async_trait;
use nic_layout::boot::caches::{self, CachesRequest};
use nic_layout::ring::{MAILBOX_MISS, MAILBOX_NOTIFY};

use super::fill::Filler;
use super::layout::Caches;
use super::lines::Lines;
use super::miss::Misses;
use super::nic_caches::NicCaches;
use super::pin_at_export::PinAtExport;
use super::pin_at_miss::PinAtMiss;
use super::pin_for_fetch::PinForFetch;
use crate::address::{pages_of, Pid, UserVirt, VirtPage};
use crate::driver::core::error::DriverError;
use crate::driver::core::layout::Reply;
use crate::driver::core::options::MissService;
use crate::driver::core::pins::WaterMarks;
use crate::driver::core::registration::{Registration, Use};
use crate::driver::core::service::{Core, Interrupt, Places, Service, ServiceEntry};
use crate::driver::rdma::access::{Access, Export};
use crate::driver::rdma::buffers::Buffers;
use crate::driver::rdma::notify::{Notifications, Notifier};
use crate::driver::rdma::service::{PostTerms, RdmaService};
use crate::processor::Cpu;

/// The service of one NIC with caches.
pub struct Mini {
    core: Core,
    nic: Rc<NicCaches>,
    buffers: Rc<Buffers>,
    notifier: Notifier,
    misses: Rc<Misses>,
    registration: Rc<dyn Registration>,
    lines: Lines,
    /// The NIC reads translations by itself (facts M-58).
    nic_fetches: bool,
}

impl Mini {
    /// The service's entry in the list of services.
    pub const ENTRY: ServiceEntry = ServiceEntry {
        personality: caches::PERSONALITY,
        counters: caches::COUNTERS,
        request: Some(|_, options, request| {
            request.offer(&CachesRequest {
                receive_miss: options.receive_miss as u32,
                held_frames_max: options.held_frames_max,
                fetches_translations: u32::from(options.miss_service == MissService::Nic),
            });
        }),
        make: Mini::make,
    };

    fn make(core: &Core, reply: &Reply) -> Result<Rc<dyn Service>, DriverError> {
        let options = core.context.options();
        let fetches = options.miss_service == MissService::Nic;
        let caches = Caches::check(reply, core.context.layout()?.posts()?.key_width, fetches)?;
        let nic = Rc::new(NicCaches::new(core, caches));
        let at_miss = PinAtMiss::new(core, nic.clone());
        let registration: Rc<dyn Registration> = match caches.directories {
            Some(directories) => Rc::new(PinForFetch::new(core, nic.clone(), directories)),
            None if options.pin_at_export => Rc::new(PinAtExport(at_miss)),
            None => Rc::new(at_miss),
        };
        let buffers = Rc::new(Buffers::new(core.context.clone()));
        let filler = Filler::new(core, nic.clone(), registration.clone());
        Ok(Rc::new(Mini {
            core: core.clone(),
            nic: nic.clone(),
            buffers: buffers.clone(),
            notifier: Notifier::new(core.context.clone()),
            misses: Rc::new(Misses::new(core, nic.clone(), buffers, filler)),
            lines: Lines::new(core, &nic, &registration),
            registration,
            nic_fetches: caches.directories.is_some(),
        }))
    }

    /// Where the caches are.
    pub fn caches(&self) -> &Caches {
        &self.nic.layout
    }

    /// Takes the line that holds this address from the NIC's cache, if it is there, and waits until
    /// no DMA uses it. The pages stay pinned: the next use misses on the NIC and hits in the host's
    /// table.
    pub async fn invalidate(&self, cpu: &Cpu, pid: Pid, address: UserVirt) -> Result<(), DriverError> {
        self.lines.invalidate(cpu, pid, address).await
    }
}

#[async_trait(?Send)]
impl Service for Mini {
    fn places(&self) -> Places {
        match self.nic_fetches {
            true => Places::TablesBySlot,
            false => Places::Shared,
        }
    }

    fn causes(&self) -> u32 {
        1 << MAILBOX_MISS | 1 << MAILBOX_NOTIFY
    }

    fn start(self: Rc<Self>) {
        self.misses.clone().spawn_thread();
    }

    async fn interrupt(&self, interrupt: &Interrupt<'_>) -> Result<(), DriverError> {
        match interrupt.cause {
            MAILBOX_MISS => self.misses.take(interrupt).await,
            _ => self.notifier.take(interrupt.device).await,
        }
    }

    fn open(&self, pid: Pid) {
        self.buffers.open(pid);
    }

    /// Takes from the NIC what it knows of the buffers of the process. What it does not find there
    /// it asks the driver for.
    async fn hide(&self, cpu: &Cpu, pid: Pid) -> Result<(), DriverError> {
        {
            let _lock = self.nic.lock.acquire().await;
            self.buffers.close(pid);
            self.notifier.forget_all_of(pid);
            let known = self.nic.buffers.borrow().of(pid);
            for buffer in known {
                self.nic.forget_buffer(cpu, buffer).await?;
            }
        }
        self.registration.hide(cpu, pid).await
    }

    async fn close(&self, cpu: &Cpu, pid: Pid) -> Result<(), DriverError> {
        self.lines.close(cpu, pid).await
    }

    fn end(&self, pid: Pid) {
        self.registration.close(pid);
    }

    async fn set_water_marks(&self, cpu: &Cpu, pid: Pid, marks: WaterMarks) -> Result<(), DriverError> {
        self.lines.set_water_marks(cpu, pid, marks).await
    }

    fn outstanding(&self) -> u32 {
        self.nic.ledger.unserved()
    }

    fn own_pins(&self) -> usize {
        self.registration.own_pins()
    }

    fn unbalanced(&self) -> Vec<String> {
        self.misses.unbalanced().into_iter().chain(self.notifier.unbalanced()).collect()
    }

    fn rdma(self: Rc<Self>) -> Option<Rc<dyn RdmaService>> {
        Some(self)
    }
}

#[async_trait(?Send)]
impl RdmaService for Mini {
    fn terms(&self) -> PostTerms {
        PostTerms {
            names_imports: false,
            registers_memory: false,
            pins_before_use: self.nic_fetches,
            key_width: self.nic.layout.cbh_geometry.key,
        }
    }

    /// The NIC learns of the buffer at its first use (facts M-43).
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
        let pages = self.buffers.check_range(pid, range)?;
        let lock = self.nic.lock.acquire().await;
        let export = self.buffers.insert(pid, id, range, access)?;
        // A frame that used the identifier before the buffer was registered has left a negative
        // entry (facts M-45).
        let may_know = self.nic.buffers.borrow().may_know(export.buffer);
        if may_know {
            self.nic.forget_buffer(cpu, export.buffer).await?;
        }
        self.registration.acquire(cpu, pid, &pages, Use::Export(lock)).await?;
        Ok(export)
    }

    /// Translations and pins stay, and age out by themselves (facts M-44).
    async fn withdraw(&self, cpu: &Cpu, pid: Pid, export: &Export) -> Result<(), DriverError> {
        self.core.context.check_alive()?;
        self.core.context.system_call(cpu).await;
        let _lock = self.nic.lock.acquire().await;
        self.buffers.remove(pid, export.buffer)?;
        self.nic.forget_buffer(cpu, export.buffer).await?;
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

    fn is_ready(&self, pid: Pid, start: UserVirt, length_bytes: u32) -> bool {
        self.core.context.count(|counts| counts.bitmap_checks += 1);
        let pages: Vec<VirtPage> = pages_of(start, length_bytes).collect();
        self.registration.is_ready(pid, &pages)
    }

    async fn prepare(&self, cpu: &Cpu, pid: Pid, start: UserVirt, length_bytes: u32) -> Result<(), DriverError> {
        self.core.context.check_alive()?;
        self.core.context.system_call(cpu).await;
        self.core.context.count(|counts| counts.pin_calls += 1);
        let lock = self.nic.lock.acquire().await;
        let pages: Vec<VirtPage> = pages_of(start, length_bytes).collect();
        self.registration.acquire(cpu, pid, &pages, Use::Post(lock)).await?;
        Ok(())
    }
}
