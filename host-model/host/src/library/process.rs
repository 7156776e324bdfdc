//! A process that has the NIC open: its memory, its way to the NIC, and what it knows of its posts.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::rc::Rc;

use nic_layout::post::ProcessStatus;

use super::error::WriteError;
use super::extension::Extension;
use super::rdma::Rdma;
use crate::address::{Pid, UserVirt};
use crate::driver::{Driver, DriverError, Mapping, ProcessGrant, QueuePages, WaterMarks};
use crate::events::{EventKind, EventLog, Subject};
use crate::executor::{Lock, Notify};
use crate::memory::{Memory, MemoryError};
use crate::pio::Pio;
use crate::platform::HostCosts;
use crate::processor::Cpu;

/// Refusals that the ends of posts have told of.
#[derive(Clone, Copy, Default)]
pub(super) struct Told {
    pub count: u32,
    /// The count may have been ahead of the ends.
    pub perhaps_more: bool,
}

/// A process that has the NIC open, with the operations of `X`. Clones are the same process.
pub struct Process<X = Rdma>(pub(super) Rc<Inner<X>>);

impl<X> Clone for Process<X> {
    fn clone(&self) -> Process<X> {
        Process(self.0.clone())
    }
}

pub(super) struct Inner<X> {
    pub extension: X,
    pub driver: Driver,
    pub memory: Rc<RefCell<Memory>>,
    pub cpu: Cpu,
    pub pio: Pio,
    pub log: EventLog,
    pub costs: HostCosts,
    pub grant: ProcessGrant,
    /// What the page table says of the post queue.
    pub mapping: Rc<Mapping>,
    /// Entries of the queue used so far; free-running.
    pub posted: Cell<u32>,
    /// Those of them that do not end a post.
    pub first_halves: RefCell<BTreeSet<u32>>,
    pub seen: Cell<ProcessStatus>,
    pub refusals_told: Cell<Told>,
    /// Ends of posts that the process has seen in its status page and has not been asked for.
    pub ended: RefCell<BTreeMap<u32, Result<(), WriteError>>>,
    pub posting: Lock,
    /// System calls that have not returned.
    pub calls: Cell<u32>,
    pub returned: Notify,
}

impl<X: Extension> Process<X> {
    pub(crate) async fn open(
        driver: Driver,
        memory: Rc<RefCell<Memory>>,
        pio: Pio,
        log: EventLog,
        costs: HostCosts,
    ) -> Result<Process<X>, DriverError> {
        let cpu = pio.cpu().clone();
        let extension = X::attach(&driver)?;
        let grant = driver.open(&cpu).await?;
        let mapping = driver.mapping(grant.pid)?;
        Ok(Process(Rc::new(Inner {
            extension,
            driver,
            memory,
            cpu,
            pio,
            log,
            costs,
            grant,
            mapping,
            posted: Cell::new(0),
            first_halves: RefCell::default(),
            seen: Cell::default(),
            refusals_told: Cell::default(),
            ended: RefCell::default(),
            posting: Lock::default(),
            calls: Cell::new(0),
            returned: Notify::new(),
        })))
    }

    /// Identifier of the process.
    pub fn pid(&self) -> Pid {
        self.0.grant.pid
    }

    /// What the driver has granted: identifier and status page.
    pub fn grant(&self) -> &ProcessGrant {
        &self.0.grant
    }

    /// The post queue that is mapped now.
    pub fn queue(&self) -> Option<QueuePages> {
        self.0.mapping.pages()
    }

    /// Processor time of the process.
    pub fn cpu(&self) -> &Cpu {
        &self.0.cpu
    }

    /// Ends the use of the NIC, and the process's memory with it. System calls that the process has
    /// begun return first, also when the task that made them was aborted.
    pub async fn close(&self) -> Result<(), DriverError> {
        self.0.driver.begin_end(self.pid());
        self.0.returned.wait_until(|| self.0.calls.get() == 0).await;
        self.system_call(|process| async move { process.0.driver.close(&process.0.cpu, process.pid()).await }).await
    }

    /// Sets the bounds of this process's pinned pages (facts M-26): above `high`, replacement
    /// unpins down to `low`.
    ///
    /// # Errors
    /// The marks are impossible, or pages of the personality stay pinned until their registration
    /// ends.
    pub async fn set_water_marks(&self, marks: WaterMarks) -> Result<(), DriverError> {
        self.system_call(move |process| async move {
            process.0.driver.set_water_marks(process.cpu(), process.pid(), marks).await
        })
        .await
    }

    /// The kernel's part goes on when the caller is aborted: no task ends in the middle of a system
    /// call.
    pub(super) async fn system_call<T: 'static, F: Future<Output = T> + 'static>(
        &self,
        call: impl FnOnce(Process<X>) -> F,
    ) -> T {
        self.0.calls.set(self.0.calls.get() + 1);
        let (process, work) = (self.clone(), call(self.clone()));
        let returned = self.0.cpu.sim().spawn("system call", async move {
            let value = work.await;
            process.0.calls.set(process.0.calls.get() - 1);
            process.0.returned.notify();
            value
        });
        returned.await
    }

    pub(super) fn note(&self, subject: Subject, kind: EventKind) {
        self.0.log.record(self.0.cpu.sim().now(), subject.note(kind));
    }

    // ---- Memory ---------------------------------------------------------------------------------

    /// Whole pages; physical pages come at the first touch.
    pub fn alloc(&self, bytes: u32) -> Result<UserVirt, MemoryError> {
        self.0.memory.borrow_mut().reserve(self.pid(), bytes)
    }

    /// Puts bytes in place, in no time: what a workload is about, not what it costs. See
    /// [`Process::copy`].
    pub fn store(&self, address: UserVirt, bytes: &[u8]) -> Result<(), MemoryError> {
        self.0.memory.borrow_mut().write(self.pid(), address, bytes)
    }

    /// Looks at bytes, in no time.
    pub fn load(&self, address: UserVirt, len_bytes: u32) -> Result<Vec<u8>, MemoryError> {
        let mut bytes = vec![0; len_bytes as usize];
        self.0.memory.borrow_mut().read(self.pid(), address, &mut bytes)?;
        Ok(bytes)
    }

    /// Copies bytes as a processor does, and takes its time.
    pub async fn copy(&self, from: UserVirt, to: UserVirt, len_bytes: u32) -> Result<(), MemoryError> {
        self.0.cpu.charge("copy", self.0.costs.memcpy(len_bytes)).await;
        let bytes = self.load(from, len_bytes)?;
        self.store(to, &bytes)
    }
}
