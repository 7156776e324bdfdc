//! The user library: what a process does with the NIC without the kernel (facts M-1, M-5 to M-7).
//!
//! A post is a descriptor, stored into the process's own queue page in SRAM, and its doorbell. Its end shows in the status
//! page, in the process's own memory; arrival shows in the bytes themselves. Neither costs an access to the NIC.
//!
//! * `export`, `import`: own buffers for others and for posts, and buffers of others.
//! * `rdma`: writes and reads. `post`: their descriptors, in the queue.
//! * `status`: how posts ended. `poll`: waiting for what devices write. `error`: why a post failed.

mod error;
mod export;
mod import;
mod poll;
mod post;
mod rdma;
mod status;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::rc::Rc;

use nic_layout::post::{inline_bytes_max, ProcessStatus};

pub use error::WriteError;
pub use export::{Access, Export};
pub use import::ConnectError;
pub use post::WriteHandle;

use crate::address::{Pid, UserVirt};
use crate::driver::{Driver, DriverError, Mapping, ProcessGrant, QueuePages};
use crate::events::{EventKind, EventLog, Subject};
use crate::executor::{Lock, Notify};
use crate::memory::{Memory, MemoryError};
use crate::pio::Pio;
use crate::platform::HostCosts;
use crate::processor::Cpu;
use import::Named;
use status::Told;

/// A process that has the NIC open. Clones are the same process.
#[derive(Clone)]
pub struct Process(Rc<Inner>);

struct Inner {
    driver: Driver,
    memory: Rc<RefCell<Memory>>,
    cpu: Cpu,
    pio: Pio,
    log: EventLog,
    costs: HostCosts,
    grant: ProcessGrant,
    /// Of the post queue.
    mapping: Rc<Mapping>,
    /// Entries of the queue used so far; free-running.
    posted: Cell<u32>,
    /// Those of them that do not end a post.
    first_halves: RefCell<BTreeSet<u32>>,
    /// Writes of so many bytes carry their data in the queue.
    pio_bytes_max: Cell<u32>,
    seen: Cell<ProcessStatus>,
    refusals_told: Cell<Told>,
    /// Ends that were seen and that nobody has asked for.
    ended: RefCell<BTreeMap<u32, Result<(), WriteError>>>,
    posting: Lock,
    /// Indices of imported buffers.
    imports: RefCell<BTreeMap<Named, u32>>,
    /// System calls that have not returned.
    calls: Cell<u32>,
    returned: Notify,
}

impl Process {
    pub(crate) async fn open(
        driver: Driver,
        memory: Rc<RefCell<Memory>>,
        pio: Pio,
        log: EventLog,
        costs: HostCosts,
    ) -> Result<Process, DriverError> {
        let cpu = pio.cpu().clone();
        let grant = driver.open(&cpu).await?;
        let mapping = driver.mapping(grant.pid)?;
        Ok(Process(Rc::new(Inner {
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
            pio_bytes_max: Cell::new(inline_bytes_max(grant.key_width, grant.has_static_tables)),
            seen: Cell::default(),
            refusals_told: Cell::default(),
            ended: RefCell::default(),
            posting: Lock::default(),
            imports: RefCell::default(),
            calls: Cell::new(0),
            returned: Notify::new(),
        })))
    }

    pub fn pid(&self) -> Pid {
        self.0.grant.pid
    }

    pub fn grant(&self) -> &ProcessGrant {
        &self.0.grant
    }

    /// The post queue that is mapped now.
    pub fn queue(&self) -> Option<QueuePages> {
        self.0.mapping.pages()
    }

    pub fn cpu(&self) -> &Cpu {
        &self.0.cpu
    }

    /// Ends the use of the NIC, and the process's memory with it. System calls that the process has begun return first, also
    /// when the task that made them was aborted.
    pub async fn close(&self) -> Result<(), DriverError> {
        self.0.driver.begin_end(self.pid());
        self.0.returned.wait_until(|| self.0.calls.get() == 0).await;
        self.system_call(|process| async move { process.0.driver.close(&process.0.cpu, &process.0.grant).await }).await
    }

    /// The kernel's part goes on when the caller is aborted: nobody is killed in the middle of a system call.
    async fn system_call<T: 'static, F: Future<Output = T> + 'static>(&self, call: impl FnOnce(Process) -> F) -> T {
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

    fn note(&self, subject: Subject, kind: EventKind) {
        self.0.log.record(self.0.cpu.sim().now(), subject.note(kind));
    }

    // ---- Memory --------------------------------------------------------------------------------------------------

    /// Whole pages; physical pages come at the first touch.
    pub fn alloc(&self, bytes: u32) -> Result<UserVirt, MemoryError> {
        self.0.memory.borrow_mut().reserve(self.pid(), bytes)
    }

    /// Puts bytes in place, in no time: what a workload is about, not what it costs. See [`Process::copy`].
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
