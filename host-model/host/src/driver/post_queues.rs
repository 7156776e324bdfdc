//! Post queues mapped on demand (facts M-52): any number of processes share those that the NIC has.
//!
//! A process whose queue's pages are not mapped takes a page fault at its first store there; the store does not reach the bus. Then, in this order:
//!
//! 1. Those who have faulted are served first come, first served: [`PostQueues::line`].
//! 2. A queue that is free is taken. If none is, one is taken from a process: its pages are unmapped, which waits for the stores that are on their way, so that what
//!    the process has rung is on the bus before the NIC is asked ([`COMMAND_ASSIGN`]), and nothing comes behind it.
//! 3. The NIC gives the queue to the new process if all posts have ended and their status is written; it says what the status of the old one is. If it does not, the queue
//!    stays with its process, unmapped, and the driver asks again later, also for the next one: nobody can post for ever, so one of them comes to its end.
//! 4. The driver clears the page: keys stood there. Then it maps it.
//!
//! Its owner keeps a queue until it has rung once, or for [`HOLD`]: otherwise two processes might take it from each other before either has posted.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use nic_layout::post::ProcessStatus;
use nic_layout::ring::COMMAND_ASSIGN;
use nic_layout::tables::{ProcessEntry, ENTRY_ASSIGNED, ENTRY_OPEN, NEXT_OWNER};
use nic_layout::{PAGE_BYTES, PROCESS_SLOTS};
use sim_pins::Ps;

use super::device::words_of;
use super::error::DriverError;
use super::{Driver, DriverPlant};
use crate::address::{BusAddr, Pid};
use crate::executor::{until, Lock, Notify};
use crate::processor::Cpu;

/// The first doorbell page, in BAR 0 (docs/interfaces.md).
const DOORBELL_PAGES: u32 = 0x1_0000;
/// A queue that its owner has not rung since it was mapped is taken from it after so long.
const HOLD: Ps = Ps::from_us(1_000);
/// Whoever found no queue looks again after so long.
const LOOK_AGAIN: Ps = Ps::from_us(10);

/// A post queue and its doorbell, where a process sees them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueuePages {
    pub slot: usize,
    pub post_queue: BusAddr,
    pub doorbell: BusAddr,
}

/// What the page table of a process says of its post queue.
#[derive(Default)]
pub struct Mapping {
    pages: Cell<Option<QueuePages>>,
    /// How often it was mapped.
    times: Cell<u64>,
    /// Stores that were translated and are not on the bus yet: unmapping waits for them, as for the answer of the processor that makes them.
    stores: Cell<u32>,
    stored: Notify,
    /// The accessed bits of the doorbell page: since it was mapped, and since the driver looked for a queue to take.
    rung: Cell<bool>,
    used: Cell<bool>,
}

/// A store that is under way.
pub struct Store {
    mapping: Rc<Mapping>,
    pub pages: QueuePages,
    /// Two stores with the same number went to the same queue, which was not taken in between.
    pub time: u64,
}

impl Mapping {
    /// Translates the address of a store. `None` is a page fault.
    pub fn translate(self: &Rc<Self>) -> Option<Store> {
        let pages = self.pages.get()?;
        self.stores.set(self.stores.get() + 1);
        Some(Store { mapping: self.clone(), pages, time: self.times.get() })
    }

    pub fn pages(&self) -> Option<QueuePages> {
        self.pages.get()
    }

    fn map(&self, pages: QueuePages) {
        self.times.set(self.times.get() + 1);
        self.rung.set(false);
        self.used.set(true);
        self.pages.set(Some(pages));
    }

    /// No store is translated from now on; waits for those that were.
    async fn unmap(&self) {
        self.pages.set(None);
        self.stored.wait_until(|| self.stores.get() == 0).await;
    }
}

impl Store {
    /// It goes to the doorbell.
    pub fn rings(&self) {
        self.mapping.rung.set(true);
        self.mapping.used.set(true);
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let stores = self.mapping.stores.get() - 1;
        self.mapping.stores.set(stores);
        if stores == 0 {
            self.mapping.stored.notify();
        }
    }
}

/// A process that has the NIC open.
pub(super) struct Member {
    pub mapping: Rc<Mapping>,
    /// Bus address of its status page, and what that said when its queue was taken.
    pub status_address: BusAddr,
    pub status: ProcessStatus,
    /// It is being closed: it waits for no queue any more.
    pub ending: bool,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    owner: Option<Pid>,
    /// Its owner is being closed, and takes the queue along.
    leaving: bool,
    /// When it was mapped last, and which mapping of all that was.
    mapped_at: Ps,
    order: u64,
}

#[derive(Default)]
pub(super) struct PostQueues {
    slots: RefCell<Vec<Slot>>,
    /// Tickets of those who have faulted, in their order.
    line: RefCell<VecDeque<u64>>,
    next_ticket: Cell<u64>,
    mappings: Cell<u64>,
    /// Held while a queue gets another owner.
    changing: Lock,
    /// A queue is free, a process ends, or the line has moved.
    changed: Notify,
}

/// How a page fault ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    Free,
    Taken,
    /// Nobody had taken the process's own.
    Own,
    GivenUp,
}

/// A place in the line.
struct Waiting<'a> {
    queues: &'a PostQueues,
    ticket: u64,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.queues.line.borrow_mut().retain(|ticket| *ticket != self.ticket);
        self.queues.changed.notify();
    }
}

impl PostQueues {
    /// The firmware says how many there are.
    pub fn start(&self, count: usize) {
        *self.slots.borrow_mut() = vec![Slot::default(); count];
    }

    pub fn waiting(&self) -> usize {
        self.line.borrow().len()
    }

    pub fn free(&self) -> usize {
        self.slots.borrow().iter().filter(|slot| slot.owner.is_none()).count()
    }

    /// Queues that belong to somebody.
    pub fn owners(&self) -> impl Iterator<Item = (usize, Pid)> {
        let owners: Vec<_> = self.slots.borrow().iter().map(|slot| slot.owner).collect();
        owners.into_iter().enumerate().filter_map(|(slot, owner)| Some((slot, owner?)))
    }

    fn slot_of(&self, pid: Pid) -> Option<usize> {
        self.slots.borrow().iter().position(|slot| slot.owner == Some(pid))
    }

    fn join(&self) -> Waiting<'_> {
        let ticket = self.next_ticket.get();
        self.next_ticket.set(ticket + 1);
        self.line.borrow_mut().push_back(ticket);
        Waiting { queues: self, ticket }
    }
}

impl Driver {
    /// How many post queues belong to nobody.
    pub fn free_post_queues(&self) -> usize {
        self.0.queues.free()
    }

    pub(crate) fn mapping(&self, pid: Pid) -> Result<Rc<Mapping>, DriverError> {
        let state = self.0.state.borrow();
        let member = state.members.get(&pid);
        member.map(|member| member.mapping.clone()).ok_or(DriverError::ProcessEnded(pid.0))
    }

    fn is_ending(&self, pid: Pid) -> bool {
        self.0.state.borrow().members.get(&pid).is_none_or(|member| member.ending)
    }

    /// A new process gets a queue that is free, before it asks for one.
    pub(super) async fn give_free_queue(&self, cpu: &Cpu, pid: Pid) -> Result<(), DriverError> {
        let queues = &self.0.queues;
        let _changing = queues.changing.acquire().await;
        let slot = match self.has_static_tables() {
            // The slot by which the NIC finds its tables.
            true => Some(pid.0 as usize % PROCESS_SLOTS),
            // Those who wait come first.
            false if queues.waiting() != 0 => None,
            false => queues.slots.borrow().iter().position(|slot| slot.owner.is_none()),
        };
        let Some(slot) = slot else { return Ok(()) };
        let (device, layout) = (self.device(cpu)?, self.layout()?);
        // The firmware has nothing of a slot that is closed: no command is needed.
        let words = words_of(&self.entry_of(pid)?);
        let address = layout.process_entry(slot);
        device.write_sram(address + 4, &words[1..]).await;
        device.write_sram(address, &words[..1]).await;
        self.hand_over(slot, pid)
    }

    /// A store of a process found no page. When this has returned, there is one, or the process is at its end.
    pub(crate) async fn page_fault(&self, cpu: &Cpu, pid: Pid) -> Result<(), DriverError> {
        self.check_alive()?;
        self.count(|counts| counts.page_faults += 1);
        let begin = self.0.sim.now();
        let waiting = self.0.queues.join();
        cpu.charge("page fault", Ps::from_ns(self.0.platform.host.page_fault_ns)).await;
        let found = self.find_queue(cpu, pid, &waiting).await;
        drop(waiting);
        let waited = self.0.sim.now() - begin;
        self.count(|counts| {
            counts.queue_wait_ps += waited.0;
            match found {
                Ok(Found::Free) => counts.queues_found_free += 1,
                Ok(Found::Taken) => counts.queues_taken += 1,
                Ok(Found::Own) => counts.queues_kept += 1,
                Ok(Found::GivenUp) | Err(_) => counts.page_faults_given_up += 1,
            }
        });
        match found {
            Ok(Found::GivenUp) => Err(DriverError::ProcessEnded(pid.0)),
            Ok(_) => Ok(()),
            Err(error) => {
                self.fail(error.clone());
                Err(error)
            }
        }
    }

    async fn find_queue(&self, cpu: &Cpu, pid: Pid, waiting: &Waiting<'_>) -> Result<Found, DriverError> {
        let queues = &self.0.queues;
        let is_first = || queues.line.borrow().front() == Some(&waiting.ticket);
        queues.changed.wait_until(|| is_first() || self.is_ending(pid)).await;
        // How many processes have to do without their queue until one is drained.
        for unmapped in 1.. {
            if let Some(found) = self.try_queues(cpu, pid, unmapped).await? {
                return Ok(found);
            }
            until(&self.0.sim, self.0.sim.now() + LOOK_AGAIN, queues.changed.notified()).await;
        }
        unreachable!("the loop has no end")
    }

    /// Looks once: `None` if no queue can be had now.
    async fn try_queues(&self, cpu: &Cpu, pid: Pid, unmapped: usize) -> Result<Option<Found>, DriverError> {
        let queues = &self.0.queues;
        let _changing = queues.changing.acquire().await;
        if self.is_ending(pid) {
            return Ok(Some(Found::GivenUp));
        }
        self.check_alive()?;
        if let Some(slot) = queues.slot_of(pid) {
            self.hand_over(slot, pid)?;
            return Ok(Some(Found::Own));
        }
        let free = queues.slots.borrow().iter().position(|slot| slot.owner.is_none());
        if let Some(slot) = free {
            if !self.assign(cpu, slot, pid).await? {
                return Err(DriverError::BadAssignment { slot, state: ENTRY_OPEN });
            }
            self.hand_over(slot, pid)?;
            return Ok(Some(Found::Free));
        }
        for slot in self.takeable().into_iter().take(unmapped) {
            let owner = queues.slots.borrow()[slot].owner.expect("it can be taken from somebody");
            let mapping = self.mapping(owner)?;
            if mapping.pages().is_some() {
                mapping.unmap().await;
                cpu.charge("unmap", Ps::from_ns(self.0.platform.host.unmap_page_ns)).await;
            }
            if self.assign(cpu, slot, pid).await? {
                if self.0.options.plant != Some(DriverPlant::KeepQueue) {
                    self.clear_queue(cpu, slot).await?;
                }
                self.hand_over(slot, pid)?;
                return Ok(Some(Found::Taken));
            }
        }
        Ok(None)
    }

    /// Queues that may be taken from their processes: first those that were not rung since the last look, and of them the one that was mapped first.
    fn takeable(&self) -> Vec<usize> {
        let (slots, state) = (self.0.queues.slots.borrow(), self.0.state.borrow());
        let mut found = Vec::new();
        for (number, slot) in slots.iter().enumerate() {
            let member = slot.owner.and_then(|owner| state.members.get(&owner));
            let Some(Member { mapping, .. }) = member.filter(|_| !slot.leaving) else { continue };
            let held = mapping.pages().is_some() && !mapping.rung.get();
            if held && self.0.sim.now() - slot.mapped_at < HOLD {
                continue;
            }
            found.push((mapping.used.replace(false), slot.order, number));
        }
        found.sort_unstable();
        found.into_iter().map(|(_, _, number)| number).collect()
    }

    /// Asks the NIC to give a queue to a process. False if posts of another one are under way.
    async fn assign(&self, cpu: &Cpu, slot: usize, pid: Pid) -> Result<bool, DriverError> {
        let (device, next) = (self.device(cpu)?, self.layout()?.process_entry(NEXT_OWNER));
        device.write_struct(next, &self.entry_of(pid)?).await;
        self.command(cpu, COMMAND_ASSIGN | (slot as u32) << 4).await?;
        // The words of the NIC go no further than to the process that they are about, and back to the NIC.
        let entry: ProcessEntry = device.read_struct(next).await?;
        match entry.state {
            ENTRY_OPEN => Ok(false),
            ENTRY_ASSIGNED => {
                let old = self.0.queues.slots.borrow()[slot].owner;
                let mut state = self.0.state.borrow_mut();
                if let Some(member) = old.and_then(|old| state.members.get_mut(&old)) {
                    member.status = entry.status;
                }
                Ok(true)
            }
            state => Err(DriverError::BadAssignment { slot, state }),
        }
    }

    fn entry_of(&self, pid: Pid) -> Result<ProcessEntry, DriverError> {
        let state = self.0.state.borrow();
        let member = state.members.get(&pid).ok_or(DriverError::ProcessEnded(pid.0))?;
        let Member { status_address, status, .. } = *member;
        Ok(ProcessEntry { state: ENTRY_OPEN, pid: pid.0, status_address: status_address.0, reserved: 0, status })
    }

    /// What stood in a queue is nobody's business.
    pub(super) async fn clear_queue(&self, cpu: &Cpu, slot: usize) -> Result<(), DriverError> {
        let queue = self.layout()?.post_queue(slot);
        self.device(cpu)?.write_sram(queue, &[0; PAGE_BYTES as usize / 4]).await;
        Ok(())
    }

    /// Maps a queue to the process that now has it.
    fn hand_over(&self, slot: usize, pid: Pid) -> Result<(), DriverError> {
        let (resources, layout) = (self.resources().ok_or(DriverError::NotReady)?, self.layout()?);
        let queues = &self.0.queues;
        queues.mappings.set(queues.mappings.get() + 1);
        queues.slots.borrow_mut()[slot] =
            Slot { owner: Some(pid), leaving: false, mapped_at: self.0.sim.now(), order: queues.mappings.get() };
        self.mapping(pid)?.map(QueuePages {
            slot,
            post_queue: resources.sram + layout.post_queue(slot).0,
            doorbell: resources.registers + DOORBELL_PAGES + slot as u32 * PAGE_BYTES,
        });
        Ok(())
    }

    /// From now on the process waits for no queue.
    pub(crate) fn begin_end(&self, pid: Pid) {
        if let Some(member) = self.0.state.borrow_mut().members.get_mut(&pid) {
            member.ending = true;
        }
        self.0.queues.changed.notify();
    }

    /// The queue of a process that ends: nobody takes it any more, and no store reaches it.
    pub(super) async fn leave_queue(&self, pid: Pid) -> Result<Option<usize>, DriverError> {
        let queues = &self.0.queues;
        let _changing = queues.changing.acquire().await;
        let slot = queues.slot_of(pid);
        if let Some(slot) = slot {
            queues.slots.borrow_mut()[slot].leaving = true;
            self.mapping(pid)?.unmap().await;
        }
        Ok(slot)
    }

    /// The firmware has forgotten the slot, and its queue is clear.
    pub(super) fn free_queue(&self, slot: usize) {
        if self.0.options.plant == Some(DriverPlant::QueueStays) {
            return;
        }
        self.0.queues.slots.borrow_mut()[slot] = Slot::default();
        self.0.queues.changed.notify();
    }
}
