//! The kernel driver of the NIC.
//!
//! * `enumerate`: finds the NIC and gives it addresses. `boot`: loads the firmware and waits until it is ready.
//! * `interrupt` and `miss`: the two stages of serving a miss (facts M-18). `vmh_table`, `cbh_table`: the host's translations and buffers.
//! * `process`, `buffer`, `command`: processes, registered buffers, and talking to the firmware. `notify`: telling processes of writes.
//! * `post_queues`: which process has which post queue of the NIC.
//! * `pinned`, `fetch_tables`: what the NIC fetches by itself (facts M-58).
//! * `registered`, `static_tables`: the same for a firmware that looks nothing up at the host: everything is entered when it is registered.
//!
//! Every word that comes from the NIC is hostile (INV-35): each is read once, indices are masked, counts are clamped,
//! identifiers are matched with what the driver knows. [`DriverCounts`] tells what was refused.

mod boot;
mod buffer;
mod cbh_table;
mod command;
mod device;
mod enumerate;
mod error;
mod fetch_tables;
mod interrupt;
mod keys;
mod layout;
mod miss;
mod notify;
mod pinned;
mod post_queues;
mod process;
mod registered;
mod static_tables;
mod vmh_table;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use nic_layout::boot::{CrashRecord, ReceiveMiss};
use nic_layout::counter::Counter;
use nic_layout::keeper::{self, KeeperReply};
use nic_layout::static_tables::StaticGeometry;
use sim_pins::Ps;

pub use boot::{boot_request, Verify};
pub use cbh_table::{CbhShadow, CbhTable};
pub use device::{Device, Resources};
pub use error::DriverError;
pub use fetch_tables::{table_of, FetchTables, KERNEL};
pub use interrupt::InterruptInput;
pub use layout::{Caches, LookupLayout, NicLayout, StaticLayout};
pub use notify::{Notification, Notifications};
pub use post_queues::{Mapping, QueuePages, Store};
pub use process::{ProcessGrant, STATUS_PAGE};
pub use vmh_table::{Pinned, Shadow, VmhTable};

use crate::address::{NodeId, Pid, SramAddr, UserVirt};
use crate::bus::BusPort;
use crate::events::{EventKind, EventLog, Subject};
use crate::executor::{Channel, Lock, Sim};
use crate::load::Load;
use crate::memory::Memory;
use crate::pio::Pio;
use crate::platform::Platform;
use crate::processor::{Cpu, Priority, Processors};

use command::Commands;
use keys::KeySource;
use miss::{Cache, MissEvent, Suspect};
use notify::Listener;
use post_queues::{Member, PostQueues};
use static_tables::StaticTables;

/// A defect that a test plants in the driver, to see that it is found (docs/properties.md).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DriverPlant {
    /// Replacement unpins what the NIC may hold.
    UnpinCached,
    /// A miss of an unknown buffer is counted as served, and its entry stays reserved.
    ReserveLeak,
    /// A post queue that is taken from a process keeps its posts, with their keys.
    KeepQueue,
    /// The post queue of a process that ends stays its own.
    QueueStays,
}

/// What a run decides about its driver.
#[derive(Clone, Debug)]
pub struct DriverOptions {
    pub node: NodeId,
    pub node_count: u32,
    /// Incarnation of the cluster, 0 to 255.
    pub session: u32,
    pub seed: u64,
    /// Registering a buffer pins all its pages at once (facts M-3), instead of at the first miss.
    pub pin_at_export: bool,
    /// What the firmware does with a frame whose destination has no translation yet, and how many it may hold.
    pub receive_miss: ReceiveMiss,
    pub held_frames_max: u32,
    /// What a firmware with static tables shall hold, where the SRAM does.
    pub static_tables: StaticGeometry,
    /// Post queues of the NIC; as many as the firmware has by itself, if nothing is said.
    pub post_queues: Option<u32>,
    /// Processes that may have the NIC open. With static tables at most one for each slot of the NIC.
    pub processes_max: usize,
    pub verify: Verify,
    pub miss_service: MissService,
    /// Other work of the host; an idle host without.
    pub load: Option<Load>,
    /// How long the firmware may take to start.
    pub boot_timeout: Ps,
    /// How long the firmware may take to obey a command.
    pub command_timeout: Ps,
    /// Of tests.
    pub plant: Option<DriverPlant>,
}

/// Processes of a node, if nothing else is said.
pub const PROCESSES_MAX: usize = 64;

/// Who serves a miss.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum MissService {
    /// Always the kernel thread, which the interrupt handler wakes (facts M-18).
    #[default]
    KernelThread,
    /// The handler itself where nothing has to be pinned, which is all that it must not do, and nobody else is at it (facts M-19). The thread otherwise.
    Interrupt,
    /// The NIC reads translations from tables of the driver by DMA; pages are pinned before they are used (facts M-58). The kernel thread serves what the
    /// tables do not have, and buffers.
    Nic,
}

impl DriverOptions {
    pub fn new(node: NodeId, node_count: u32, seed: u64) -> DriverOptions {
        DriverOptions {
            node,
            node_count,
            session: 0,
            seed,
            pin_at_export: false,
            receive_miss: ReceiveMiss::TimeOut,
            held_frames_max: 0,
            static_tables: StaticGeometry::OF_THE_THESIS,
            post_queues: None,
            processes_max: PROCESSES_MAX,
            verify: Verify::Sample,
            miss_service: MissService::KernelThread,
            load: None,
            boot_timeout: Ps::from_us(5_000),
            command_timeout: Ps::from_us(5_000),
            plant: None,
        }
    }
}

/// What the driver has counted. At rest `misses = fills + buffer_fills + denials + releases + stale`, and `page_faults` are those of each end; at any time
/// `notifications` are those heard and those unheard (INV-38).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct DriverCounts {
    pub interrupts: u64,
    /// INTA# was released before anyone came, or no cause was set.
    pub spurious_interrupts: u64,
    /// Causes that the driver did not ask for.
    pub unknown_causes: u64,
    /// Entries of the miss ring that make sense.
    pub misses: u64,
    /// Lines of the VMH cache.
    pub fills: u64,
    /// Entries of the CBH cache that got a descriptor, and those that got none: negative entries.
    pub buffer_fills: u64,
    pub denials: u64,
    /// Lines given back because their process has ended.
    pub releases: u64,
    /// Entries whose line had been taken from them by an invalidation.
    pub stale: u64,
    /// Of all that were served: by the interrupt handler.
    pub served_in_interrupt: u64,
    /// Entries that make no sense.
    pub rejected_entries: u64,
    /// Producer indices of either ring that are impossible.
    pub rejected_producers: u64,
    /// Fills that found everything pinned in the host's table.
    pub table_hits: u64,
    /// Pages that could not be pinned.
    pub pin_failures: u64,
    /// Pages that replacement has unpinned (facts M-26).
    pub replaced_pages: u64,
    /// Looks of libraries into their bitmaps, and calls for what these did not have (facts M-58).
    pub bitmap_checks: u64,
    pub pin_calls: u64,
    /// Entries of the notification ring.
    pub notifications: u64,
    /// Handed to a handler.
    pub notifications_heard: u64,
    /// Of buffers that have no handler, or are not registered any more.
    pub notifications_unheard: u64,
    /// Stores to a post queue that was not mapped (facts M-52), and how they ended: with a queue that nobody had, with that of another process, with the process's own,
    /// which nobody had taken after all, or with the process. What they took, from the fault to the page, in all.
    pub page_faults: u64,
    pub queues_found_free: u64,
    pub queues_taken: u64,
    pub queues_kept: u64,
    pub page_faults_given_up: u64,
    pub queue_wait_ps: u64,
    pub commands: u64,
    /// Answers that match no command.
    pub wild_answers: u64,
}

/// A NIC that is at work makes new totals every 100 us, and one whose core B has crashed may never finish them.
const KEEPER_TRIES: u32 = 100;

/// What core B of a NIC with two cores keeps (`nic_layout::keeper`).
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Kept {
    /// In the order of `Counter::ALL`.
    pub totals: Vec<u64>,
    pub rounds: u32,
    /// Equations of INV-38 that did not hold.
    pub violations: u32,
}

/// The driver of one NIC. Clones are the same driver.
#[derive(Clone)]
pub struct Driver(Rc<Inner>);

struct Inner {
    sim: Sim,
    processors: Processors,
    port: BusPort,
    memory: Rc<RefCell<Memory>>,
    log: EventLog,
    platform: Platform,
    options: DriverOptions,
    interrupt: InterruptInput,
    /// Known since the boot.
    resources: OnceCell<Resources>,
    layout: OnceCell<NicLayout>,
    ready: Cell<bool>,
    state: RefCell<State>,
    counts: RefCell<DriverCounts>,
    crashed: Cell<Option<CrashRecord>>,
    /// Core B runs, and its crash.
    has_core_b: Cell<bool>,
    crashed_b: Cell<Option<CrashRecord>>,
    /// A bus error in a task that has nobody to tell.
    failure: RefCell<Option<DriverError>>,
    commands: Commands,
    queues: PostQueues,
    /// Held while what the NIC looks up is filled, or taken away, and while buffers come and go.
    lines: Lock,
    miss_queue: Channel<MissEvent>,
    /// Free-running index of the notification ring.
    notified: Cell<u32>,
    /// Free-running indices of the miss ring: read by the handler, and served by the thread.
    taken: Cell<u32>,
    served: Cell<u32>,
}

struct State {
    members: BTreeMap<Pid, Member>,
    next_pid: u32,
    tables: BTreeMap<Pid, VmhTable>,
    shadow: Option<Shadow>,
    buffers: BTreeMap<Pid, CbhTable>,
    cbh_shadow: Option<CbhShadow>,
    /// Of a firmware with static tables, and the memory that is registered without being a buffer.
    static_tables: Option<StaticTables>,
    registered: BTreeMap<Pid, Vec<(UserVirt, u32)>>,
    /// Of a NIC that fetches translations.
    fetch_tables: FetchTables,
    /// Handlers, by the CBH word of the buffer.
    listeners: BTreeMap<u32, Listener>,
    keys: KeySource,
    suspects: Vec<Suspect>,
    /// How many entries of the miss ring for each line or entry are read and not served.
    outstanding: BTreeMap<(Cache, u32), u32>,
}

impl Driver {
    pub fn new(
        sim: Sim,
        processors: Processors,
        port: BusPort,
        memory: Rc<RefCell<Memory>>,
        log: EventLog,
        platform: Platform,
        options: DriverOptions,
    ) -> Driver {
        let keys = KeySource::new(options.seed, options.node, options.session);
        Driver(Rc::new(Inner {
            sim,
            processors,
            port,
            memory,
            log,
            platform,
            options,
            interrupt: InterruptInput::default(),
            resources: OnceCell::new(),
            layout: OnceCell::new(),
            ready: Cell::new(false),
            state: RefCell::new(State {
                members: BTreeMap::new(),
                next_pid: 1,
                tables: BTreeMap::new(),
                shadow: None,
                buffers: BTreeMap::new(),
                cbh_shadow: None,
                static_tables: None,
                registered: BTreeMap::new(),
                fetch_tables: FetchTables::default(),
                listeners: BTreeMap::new(),
                keys,
                suspects: Vec::new(),
                outstanding: BTreeMap::new(),
            }),
            counts: RefCell::default(),
            crashed: Cell::new(None),
            has_core_b: Cell::new(false),
            crashed_b: Cell::new(None),
            failure: RefCell::default(),
            commands: Commands::default(),
            queues: PostQueues::default(),
            lines: Lock::default(),
            miss_queue: Channel::default(),
            notified: Cell::new(0),
            taken: Cell::new(0),
            served: Cell::new(0),
        }))
    }

    pub fn interrupt_input(&self) -> &InterruptInput {
        &self.0.interrupt
    }

    pub fn counts(&self) -> DriverCounts {
        *self.0.counts.borrow()
    }

    pub fn crash(&self) -> Option<CrashRecord> {
        self.0.crashed.get()
    }

    /// What made the driver give up, if anything did.
    pub fn failure(&self) -> Option<DriverError> {
        let crash = self.crash().map(DriverError::Crashed);
        let crash = crash.or_else(|| self.0.crashed_b.get().map(DriverError::CrashedB));
        crash.or_else(|| self.0.failure.borrow().clone())
    }

    pub fn is_ready(&self) -> bool {
        self.0.ready.get()
    }

    /// Misses read from the ring and not served.
    pub fn misses_outstanding(&self) -> u32 {
        self.0.taken.get().wrapping_sub(self.0.served.get())
    }

    /// Buffers that a process has registered.
    pub fn buffers(&self, pid: Pid) -> usize {
        self.0.state.borrow().buffers.get(&pid).map_or(0, CbhTable::len)
    }

    /// Second-level tables, buffers and imports that are free, of a firmware with static tables.
    pub fn static_tables_free(&self) -> Option<(usize, usize, usize)> {
        self.0.state.borrow().static_tables.as_ref().map(StaticTables::free)
    }

    /// Pinned pages of a process's translations.
    pub fn pinned_pages(&self, pid: Pid) -> usize {
        self.0.state.borrow().tables.get(&pid).map_or(0, VmhTable::len)
    }

    pub fn layout(&self) -> Result<NicLayout, DriverError> {
        self.0.layout.get().copied().ok_or(DriverError::NotReady)
    }

    /// Where the NIC is on the bus, once it is enumerated.
    pub fn resources(&self) -> Option<Resources> {
        self.0.resources.get().copied()
    }

    /// The counters of the firmware, in the order of `nic_layout::counter::Counter`, read by PIO.
    pub async fn read_counters(&self, cpu: &Cpu) -> Result<Vec<u32>, DriverError> {
        let (device, layout) = (self.device(cpu)?, self.layout()?);
        let mut values = Vec::with_capacity(nic_layout::counter::Counter::COUNT);
        for counter in nic_layout::counter::Counter::ALL {
            values.push(device.read_sram(layout.counters + counter.offset()).await?);
        }
        Ok(values)
    }

    /// Core B was started.
    pub fn has_core_b(&self) -> bool {
        self.0.has_core_b.get()
    }

    /// What core B keeps, read by PIO between two of its rounds; `None` for a NIC with one core.
    pub async fn read_keeper(&self, cpu: &Cpu) -> Result<Option<Kept>, DriverError> {
        if !self.0.has_core_b.get() {
            return Ok(None);
        }
        let device = self.device(cpu)?;
        let area = SramAddr(keeper::AREA_ADDRESS);
        for _ in 0..KEEPER_TRIES {
            let before: KeeperReply = device.read_struct(area + keeper::REPLY).await?;
            let mut totals = Vec::with_capacity(Counter::COUNT);
            for counter in Counter::ALL {
                let at = area + keeper::TOTALS + 2 * counter.offset();
                let (low, high) = (device.read_sram(at).await?, device.read_sram(at + 4).await?);
                totals.push(u64::from(low) | u64::from(high) << 32);
            }
            let after: KeeperReply = device.read_struct(area + keeper::REPLY).await?;
            if before.folds == after.folds && before.folds % 2 == 0 {
                return Ok(Some(Kept { totals, rounds: after.folds / 2, violations: after.violations }));
            }
        }
        Err(DriverError::KeeperBusy { tries: KEEPER_TRIES })
    }

    /// The NIC, reached with this task's processor time. Also for tests and reports that read registers.
    pub fn device(&self, cpu: &Cpu) -> Result<Device, DriverError> {
        let resources = *self.0.resources.get().ok_or(DriverError::NotReady)?;
        Ok(Device { pio: self.pio(cpu), resources })
    }

    /// Counts that do not add up (INV-38), in words.
    pub fn unbalanced(&self) -> Vec<String> {
        let (counts, state) = (self.counts(), self.0.state.borrow());
        let mut found = Vec::new();
        let ended = counts.fills + counts.buffer_fills + counts.denials + counts.releases + counts.stale;
        let under_way: u64 = state.outstanding.values().map(|&count| u64::from(count)).sum();
        if counts.misses != ended + under_way {
            let misses = counts.misses;
            found.push(format!("INV-38: {misses} misses, {ended} ended, {under_way} under way"));
        }
        if counts.notifications != counts.notifications_heard + counts.notifications_unheard {
            found.push(format!("INV-38: {} notifications", counts.notifications));
        }
        let ended = counts.queues_found_free + counts.queues_taken + counts.queues_kept + counts.page_faults_given_up;
        let waiting = self.0.queues.waiting() as u64;
        if counts.page_faults != ended + waiting {
            let faults = counts.page_faults;
            found.push(format!("INV-38: {faults} page faults, {ended} ended, {waiting} wait"));
        }
        for (slot, pid) in self.0.queues.owners().filter(|(_, pid)| !state.members.contains_key(pid)) {
            found.push(format!("INV-36: post queue {slot} belongs to process {}, which has ended", pid.0));
        }
        let memory = self.0.memory.borrow().counts();
        // Translations, the status page of each process, and what the NIC reads.
        let tables: usize = state.tables.values().map(|table| table.len() + 1).sum();
        let tables = tables + state.fetch_tables.len();
        if memory.pins - memory.unpins != tables as u64 && !self.closing() {
            let held = memory.pins - memory.unpins;
            found.push(format!("INV-38: {held} pins held, {tables} accounted for"));
        }
        found
    }

    /// A process is being closed: it is known, and its table gone.
    fn closing(&self) -> bool {
        let state = self.0.state.borrow();
        state.members.keys().any(|pid| !state.tables.contains_key(pid))
    }

    fn pio(&self, cpu: &Cpu) -> Pio {
        Pio::new(cpu.clone(), self.0.port.clone(), &self.0.platform.host)
    }

    fn cpu(&self, task: &'static str, priority: Priority) -> Cpu {
        self.0.processors.cpu(task, priority)
    }

    fn count(&self, change: impl FnOnce(&mut DriverCounts)) {
        change(&mut self.0.counts.borrow_mut());
    }

    fn note(&self, subject: Subject, kind: EventKind) {
        self.0.log.record(self.0.sim.now(), subject.note(kind));
    }

    /// Gives up: later calls and the run end with this error.
    fn fail(&self, error: DriverError) {
        self.0.failure.borrow_mut().get_or_insert(error);
    }

    fn check_alive(&self) -> Result<(), DriverError> {
        match self.failure() {
            Some(error) => Err(error),
            None if !self.is_ready() => Err(DriverError::NotReady),
            None => Ok(()),
        }
    }
}
