//! The kernel driver of one NIC, as the host and the library see it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use nic_layout::boot::CrashRecord;
use nic_layout::counter::{area_words, Counter, Set};
use nic_layout::registers::ident;
use nic_layout::ring::restart_peer;

use super::core::context::Machine;
use super::core::core_b::Kept;
use super::core::counts::DriverCounts;
use super::core::device::{Device, Resources};
use super::core::error::DriverError;
use super::core::interrupt::InterruptInput;
use super::core::layout::NicLayout;
use super::core::mapping::Mapping;
use super::core::options::DriverOptions;
use super::core::pins::WaterMarks;
use super::core::processes::ProcessGrant;
use super::core::service::{Service, ServiceEntry};
use super::incarnation::{Images, Incarnation};
use super::rdma::RdmaService;
use crate::address::{NodeId, Pid};
use crate::bus::Request;
use crate::executor::Lock;
use crate::processor::{Cpu, Priority};

/// The driver of one NIC. Clones are the same driver.
#[derive(Clone)]
pub struct Driver(Rc<Inner>);

struct Inner {
    machine: Rc<Machine>,
    services: &'static [ServiceEntry],
    interrupt: InterruptInput,
    /// What the NIC runs, for the next boot.
    images: RefCell<Option<Images>>,
    /// From the last boot on.
    incarnation: RefCell<Rc<Incarnation>>,
    /// By node: the session of the incarnation that the NIC takes frames of, or shall take.
    sessions: RefCell<Vec<u32>>,
    /// Processes that had the NIC open when it was reset, and have not closed it.
    orphans: RefCell<BTreeSet<Pid>>,
    resets: Cell<u32>,
    /// What did not add up when the NIC was reset.
    unbalanced: RefCell<Vec<String>>,
    /// Held during a reset.
    resetting: Lock,
}

impl Driver {
    /// `services`: the personalities that it can serve.
    pub fn new(machine: Machine, options: DriverOptions, services: &'static [ServiceEntry]) -> Driver {
        let machine = Rc::new(machine);
        let sessions = vec![options.session; options.node_count as usize];
        let first = Incarnation::new(machine.clone(), options, 1);
        Driver(Rc::new(Inner {
            machine,
            services,
            interrupt: InterruptInput::default(),
            images: RefCell::default(),
            incarnation: RefCell::new(Rc::new(first)),
            sessions: RefCell::new(sessions),
            orphans: RefCell::default(),
            resets: Cell::new(0),
            unbalanced: RefCell::default(),
            resetting: Lock::default(),
        }))
    }

    fn incarnation(&self) -> Rc<Incarnation> {
        self.0.incarnation.borrow().clone()
    }

    // ---- Start and stop -------------------------------------------------------------------------

    /// Brings the NIC up with the firmware in `file`, an ELF image. Call it once.
    pub async fn start(&self, file: &[u8]) -> Result<(), DriverError> {
        self.start_cores(Images { core_a: file.to_vec(), core_b: None }).await
    }

    /// The same for a NIC with two cores: `second` is the image of core B, which starts when core A
    /// is ready.
    pub async fn start_pair(&self, file: &[u8], second: &[u8]) -> Result<(), DriverError> {
        self.start_cores(Images { core_a: file.to_vec(), core_b: Some(second.to_vec()) }).await
    }

    async fn start_cores(&self, images: Images) -> Result<(), DriverError> {
        *self.0.images.borrow_mut() = Some(images.clone());
        let incarnation = self.incarnation();
        incarnation.start(&images, &self.0.interrupt, self.0.services).await?;
        incarnation.finish_start();
        Ok(())
    }

    /// Holds every core in reset. What they were doing is lost; the engines go on.
    pub async fn stop(&self) -> Result<(), DriverError> {
        let context = &self.incarnation().core.context;
        let cpu = context.cpu("driver", Priority::KernelThread);
        context.device(&cpu)?.write(ident::CORE_CONTROL, ident::CoreControl(0)).await;
        context.set_ready(false);
        Ok(())
    }

    // ---- Incarnations ---------------------------------------------------------------------------

    /// Resets the NIC under whatever it does, and boots the same firmware again, with the next
    /// session (INV-12, INV-31). Gives that session, of which each peer has to be told
    /// ([`Self::restart_peer`]).
    ///
    /// In this order:
    /// 1. No task reaches the NIC any more: calls that are under way end with
    ///    [`DriverError::NicReset`], post queues are unmapped.
    /// 2. RST# of the bus. When it has ended, no DMA is under way.
    /// 3. Every page that was pinned for the NIC is unpinned. Posts that have not ended end with
    ///    `WriteError::NicReset`. The memory of the processes stays; each has to open the NIC
    ///    again, under another number, and to close the process that it was.
    /// 4. The NIC boots as at first, with an empty table of processes and new keys, and learns the
    ///    sessions of its peers.
    ///
    /// # Errors
    /// [`DriverError::NotReady`] if the driver was not started; otherwise those of a start.
    pub async fn reset(&self) -> Result<u32, DriverError> {
        let _turn = self.0.resetting.acquire().await;
        let images = self.0.images.borrow().clone().ok_or(DriverError::NotReady)?;
        let old = self.incarnation();
        let context = &old.core.context;
        if !context.is_over() {
            context.check_alive()?;
            let found = old.unbalanced();
            self.0.unbalanced.borrow_mut().extend(found);
            old.end();
        }
        old.processes.unmap_all().await?;
        self.0.resets.set(self.0.resets.get() + 1);
        self.0.machine.port.transact(Request::Reset).await?;

        let cpu = context.cpu("driver", Priority::KernelThread);
        let (pids, unpinned) = old.unpin_all()?;
        self.0.orphans.borrow_mut().extend(pids);
        old.core.pins.charge_unpin(&cpu, unpinned).await;

        let options = context.options();
        let session = (options.session + 1) & 0xFF;
        let options = DriverOptions { session, ..options.clone() };
        let next = Rc::new(Incarnation::new(self.0.machine.clone(), options, old.processes.next_pid()));
        *self.0.incarnation.borrow_mut() = next.clone();
        next.start(&images, &self.0.interrupt, self.0.services).await?;
        self.tell_sessions(&next, &cpu).await?;
        next.finish_start();
        Ok(session)
    }

    /// A firmware that starts takes all peers to have its own session.
    async fn tell_sessions(&self, incarnation: &Incarnation, cpu: &Cpu) -> Result<(), DriverError> {
        let options = incarnation.core.context.options();
        let count = self.0.sessions.borrow().len();
        let mut told = vec![options.session; count];
        let own = usize::from(options.node.0);
        loop {
            let news = {
                let sessions = self.0.sessions.borrow();
                (0..count).filter(|node| *node != own).map(|node| (node, sessions[node])).find(|(n, s)| told[*n] != *s)
            };
            let Some((node, session)) = news else { return Ok(()) };
            incarnation.core.commands.send(cpu, restart_peer(node as u8, session as u8)).await?;
            told[node] = session;
        }
    }

    /// A peer has started again with another session, as the machine's management knows (INV-31).
    /// When this returns, the NIC has ended all that was under way to or from the earlier
    /// incarnation, posts with `PostError::PeerUnreachable`, and sequence numbers begin at 0 in
    /// both directions. Frames of or for the earlier incarnation that come later are dropped and
    /// counted.
    ///
    /// While the NIC is being reset the session is noted, and the firmware learns it at its start.
    ///
    /// # Errors
    /// [`DriverError::NoSuchPeer`], or those of a command.
    pub async fn restart_peer(&self, cpu: &Cpu, node: NodeId, session: u32) -> Result<(), DriverError> {
        let incarnation = self.incarnation();
        let context = &incarnation.core.context;
        let own = context.options().node;
        let is_peer = node != own && usize::from(node.0) < self.0.sessions.borrow().len();
        if !is_peer {
            return Err(DriverError::NoSuchPeer { node: node.0, own: own.0 });
        }
        context.system_call(cpu).await;
        self.0.sessions.borrow_mut()[usize::from(node.0)] = session & 0xFF;
        if !context.is_ready() {
            return Ok(());
        }
        context.check_alive()?;
        match incarnation.core.commands.send(cpu, restart_peer(node.0 as u8, session as u8)).await {
            Err(DriverError::NicReset) => Ok(()),
            end => end,
        }
    }

    /// The session of the NIC: the number of its incarnation.
    pub fn session(&self) -> u32 {
        self.incarnation().core.context.options().session
    }

    /// How often the NIC was reset: counted when RST# falls.
    pub fn resets(&self) -> u32 {
        self.0.resets.get()
    }

    // ---- Processes ------------------------------------------------------------------------------

    /// Opens the NIC for a new process.
    pub async fn open(&self, cpu: &Cpu) -> Result<ProcessGrant, DriverError> {
        let incarnation = self.incarnation();
        incarnation.core.context.check_alive()?;
        incarnation.processes.open(cpu, &**incarnation.service()?).await
    }

    /// Ends what the process has with the NIC: afterwards no pin, key, line, slot or DMA of it is
    /// left (INV-36).
    pub async fn close(&self, cpu: &Cpu, pid: Pid) -> Result<(), DriverError> {
        let incarnation = self.incarnation();
        if self.0.orphans.borrow_mut().remove(&pid) {
            let context = &incarnation.core.context;
            context.system_call(cpu).await;
            // The NIC has nothing of it since the reset.
            return Ok(context.memory().borrow_mut().destroy_space(pid)?);
        }
        incarnation.core.context.check_alive()?;
        incarnation.processes.close(cpu, &**incarnation.service()?, pid).await
    }

    /// Gives a process water marks of its own while it runs (facts M-26). Above the high mark,
    /// pages that the NIC cannot hold are unpinned down to the low one, now and before each later
    /// pin.
    ///
    /// # Errors
    /// The marks are impossible, the process has ended, or the personality has no replacement.
    pub async fn set_water_marks(&self, cpu: &Cpu, pid: Pid, marks: WaterMarks) -> Result<(), DriverError> {
        let incarnation = self.incarnation();
        incarnation.core.context.check_alive()?;
        incarnation.service()?.set_water_marks(cpu, pid, marks).await
    }

    /// What the page table of a process says of its post queue.
    pub(crate) fn mapping(&self, pid: Pid) -> Result<Rc<Mapping>, DriverError> {
        self.incarnation().processes.mapping(pid)
    }

    /// A store of a process found no page. When this has returned, there is one, or the process is
    /// at its end.
    pub(crate) async fn page_fault(&self, cpu: &Cpu, pid: Pid) -> Result<(), DriverError> {
        self.incarnation().processes.queues().page_fault(cpu, pid).await
    }

    /// From now on the process waits for no queue.
    pub(crate) fn begin_end(&self, pid: Pid) {
        self.incarnation().processes.queues().begin_end(pid);
    }

    /// How many post queues belong to no process.
    pub fn free_post_queues(&self) -> usize {
        self.incarnation().processes.queues().free_count()
    }

    // ---- The personality ------------------------------------------------------------------------

    /// The service of a personality that the caller knows.
    pub fn service<S: Service>(&self) -> Result<Rc<S>, DriverError> {
        self.incarnation().service()?.clone().as_any().downcast().map_err(|_| DriverError::OtherPersonality)
    }

    /// The service as far as it has remote memory access.
    pub fn rdma(&self) -> Result<Rc<dyn RdmaService>, DriverError> {
        self.incarnation().service()?.clone().rdma().ok_or(DriverError::NoRemoteMemory)
    }

    /// What the NIC has asked for and the driver has not served: misses read from their ring.
    pub fn misses_outstanding(&self) -> u32 {
        self.incarnation().service().map_or(0, |service| service.outstanding())
    }

    // ---- What is known and counted --------------------------------------------------------------

    /// INTA# of the NIC, to be set at each clock edge of the bus.
    pub fn interrupt_input(&self) -> &InterruptInput {
        &self.0.interrupt
    }

    /// What the driver has counted since the NIC booted last.
    pub fn counts(&self) -> DriverCounts {
        self.incarnation().core.context.counts()
    }

    /// The crash record of core A; `None` while it has not crashed.
    pub fn crash(&self) -> Option<CrashRecord> {
        self.incarnation().core.context.crash()
    }

    /// What made the driver give up, if anything did. A reset of the NIC is no failure.
    pub fn failure(&self) -> Option<DriverError> {
        self.incarnation().core.context.failure().filter(|error| *error != DriverError::NicReset)
    }

    /// Whether the driver has started and serves calls.
    pub fn is_ready(&self) -> bool {
        self.incarnation().core.context.is_ready()
    }

    /// Core B was started.
    pub fn has_core_b(&self) -> bool {
        self.incarnation().core_b.runs()
    }

    /// Pages of a process that are pinned, without its status page.
    pub fn pinned_pages(&self, pid: Pid) -> usize {
        self.incarnation().core.pins.count(pid)
    }

    /// Where the firmware has its structures in the SRAM.
    ///
    /// # Errors
    ///
    /// [`DriverError::NotReady`] before the boot reply was checked.
    pub fn layout(&self) -> Result<NicLayout, DriverError> {
        self.incarnation().core.context.layout()
    }

    /// Where the NIC is on the bus, once it is enumerated.
    pub fn resources(&self) -> Option<Resources> {
        self.incarnation().core.context.resources()
    }

    /// The NIC, reached with this task's processor time. Also for tests and reports that read
    /// registers.
    pub fn device(&self, cpu: &Cpu) -> Result<Device, DriverError> {
        self.incarnation().core.context.device(cpu)
    }

    /// The sets of counters that the firmware has; none before the boot.
    pub fn counter_sets(&self) -> &'static [&'static Set] {
        self.incarnation().counter_sets()
    }

    /// The counters of the firmware, in the order of `nic_layout::counter::Counter`, read by PIO.
    /// If core B has counters of its own, each value is the sum of both.
    pub async fn read_counters(&self, cpu: &Cpu) -> Result<Vec<u32>, DriverError> {
        let (device, layout) = (self.device(cpu)?, self.layout()?);
        let words = area_words(self.counter_sets());
        let mut values = Vec::with_capacity(words);
        for counter in &Counter::ALL[..words] {
            values.push(device.read_sram(layout.counters + counter.offset()).await?);
        }
        if let Some(second) = self.incarnation().core_b.counters() {
            for (counter, value) in Counter::ALL[..words].iter().zip(&mut values) {
                *value = value.wrapping_add(device.read_sram(second + counter.offset()).await?);
            }
        }
        Ok(values)
    }

    /// What core B keeps, read by PIO between two of its rounds; `None` for a NIC without a core B
    /// that keeps totals.
    pub async fn read_keeper(&self, cpu: &Cpu) -> Result<Option<Kept>, DriverError> {
        self.incarnation().core_b.read(cpu).await
    }

    /// Counts that do not add up (INV-38), in words: now, and when the NIC was reset.
    pub fn unbalanced(&self) -> Vec<String> {
        let mut found = self.0.unbalanced.borrow().clone();
        found.extend(self.incarnation().unbalanced());
        found
    }
}
