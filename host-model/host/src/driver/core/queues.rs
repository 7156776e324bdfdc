//! Post queues mapped on demand (facts M-52): any number of processes share those that the NIC has.
//!
//! A process whose queue's pages are not mapped takes a page fault at its first store there; the
//! store does not reach the bus. Then, in this order:
//!
//! 1. Processes that have faulted are served first come, first served: [`PostQueues::line`].
//! 2. A queue that is free is taken. If none is, one is taken from a process: its pages are
//!    unmapped, which waits for the stores that are on their way, so that what the process has rung
//!    is on the bus before the NIC is asked ([`COMMAND_ASSIGN`]), and nothing comes behind it.
//! 3. The NIC gives the queue to the new process if all posts have ended and their status is
//!    written; it says what the status of the old one is. If it does not, the queue stays with its
//!    process, unmapped, and the driver asks again later, then also for the next queue. Unmapped
//!    queues get no new posts, so the posts of one of them come to their end.
//! 4. The driver clears the page: keys stood there. Then it maps it.
//!
//! Its owner keeps a queue until it has rung once, or for `queue_hold_ns`: otherwise two processes
//! might take it from each other before either has posted.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use nic_layout::ring::COMMAND_ASSIGN;
use nic_layout::tables::{ProcessEntry, ENTRY_ASSIGNED, ENTRY_OPEN, NEXT_OWNER};
use nic_layout::PAGE_BYTES;
use sim_pins::Ps;

use super::commands::Commands;
use super::context::Context;
use super::device::words_of;
use super::error::DriverError;
use super::mapping::QueuePages;
use super::members::Members;
use super::options::DriverPlant;
use crate::address::Pid;
use crate::executor::{until, Lock, Notify};
use crate::processor::Cpu;

/// The first doorbell page, in BAR 0 (docs/interfaces.md).
const DOORBELL_PAGES: u32 = 0x1_0000;

#[derive(Clone, Copy, Default)]
struct Slot {
    owner: Option<Pid>,
    /// Its owner is being closed, and takes the queue along.
    leaving: bool,
    /// When it was mapped last, and which mapping of all that was.
    mapped_at: Ps,
    order: u64,
}

/// The post queues of one NIC, and the processes that wait for one.
pub struct PostQueues {
    context: Rc<Context>,
    commands: Rc<Commands>,
    members: Rc<Members>,
    slots: RefCell<Vec<Slot>>,
    /// Tickets of the processes that have faulted, in the order of their faults.
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
    /// The process's own queue: no other process had taken it.
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
    /// All queues of the NIC are free, and no process waits.
    pub fn new(context: Rc<Context>, commands: Rc<Commands>, members: Rc<Members>) -> PostQueues {
        PostQueues {
            context,
            commands,
            members,
            slots: RefCell::default(),
            line: RefCell::default(),
            next_ticket: Cell::new(0),
            mappings: Cell::new(0),
            changing: Lock::default(),
            changed: Notify::new(),
        }
    }

    /// The firmware says how many there are.
    pub fn start(&self, count: usize) {
        *self.slots.borrow_mut() = vec![Slot::default(); count];
    }

    /// Processes that wait for a queue.
    pub fn waiting(&self) -> usize {
        self.line.borrow().len()
    }

    /// Queues without an owner.
    pub fn free_count(&self) -> usize {
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

    /// A new process gets a queue that is free, before it asks for one; or its own, which no other
    /// process has.
    pub async fn give_free(&self, cpu: &Cpu, pid: Pid, own: Option<usize>) -> Result<(), DriverError> {
        let _changing = self.changing.acquire().await;
        let slot = match own {
            Some(slot) => Some(slot),
            // Processes that already wait come first.
            None if self.waiting() != 0 => None,
            None => self.slots.borrow().iter().position(|slot| slot.owner.is_none()),
        };
        let Some(slot) = slot else { return Ok(()) };
        let (device, layout) = (self.context.device(cpu)?, self.context.layout()?);
        // The firmware has nothing of a slot that is closed: no command is needed.
        let words = words_of(&self.members.entry_of(pid)?);
        let address = layout.posts()?.process_entry(slot);
        device.write_sram(address + 4, &words[1..]).await;
        device.write_sram(address, &words[..1]).await;
        self.hand_over(slot, pid)
    }

    /// A store of a process found no page. When this has returned, there is one, or the process is
    /// at its end.
    pub async fn page_fault(&self, cpu: &Cpu, pid: Pid) -> Result<(), DriverError> {
        self.context.check_alive()?;
        self.context.count(|counts| counts.page_faults += 1);
        let begin = self.context.sim().now();
        let waiting = self.join();
        cpu.charge("page fault", Ps::from_ns(self.context.costs().page_fault_ns)).await;
        let found = self.find_queue(cpu, pid, &waiting).await;
        drop(waiting);
        let waited = self.context.sim().now() - begin;
        self.context.count(|counts| {
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
                self.context.fail(error.clone());
                Err(error)
            }
        }
    }

    async fn find_queue(&self, cpu: &Cpu, pid: Pid, waiting: &Waiting<'_>) -> Result<Found, DriverError> {
        let is_first = || self.line.borrow().front() == Some(&waiting.ticket);
        self.changed.wait_until(|| is_first() || self.members.is_ending(pid)).await;
        let look_again = Ps::from_ns(self.context.costs().queue_look_again_ns);
        // How many processes have to do without their queue until one is drained.
        for unmapped in 1.. {
            if let Some(found) = self.try_queues(cpu, pid, unmapped).await? {
                return Ok(found);
            }
            until(self.context.sim(), self.context.sim().now() + look_again, self.changed.notified()).await;
        }
        unreachable!("the loop has no end")
    }

    /// Looks once: `None` if no queue can be had now.
    async fn try_queues(&self, cpu: &Cpu, pid: Pid, unmapped: usize) -> Result<Option<Found>, DriverError> {
        let _changing = self.changing.acquire().await;
        if self.members.is_ending(pid) {
            return Ok(Some(Found::GivenUp));
        }
        self.context.check_alive()?;
        if let Some(slot) = self.slot_of(pid) {
            self.hand_over(slot, pid)?;
            return Ok(Some(Found::Own));
        }
        let free = self.slots.borrow().iter().position(|slot| slot.owner.is_none());
        if let Some(slot) = free {
            if !self.assign(cpu, slot, pid).await? {
                return Err(DriverError::BadAssignment { slot, state: ENTRY_OPEN });
            }
            self.hand_over(slot, pid)?;
            return Ok(Some(Found::Free));
        }
        for slot in self.takeable().into_iter().take(unmapped) {
            let owner = self.slots.borrow()[slot].owner.expect("it can be taken from somebody");
            let mapping = self.members.mapping(owner)?;
            if mapping.pages().is_some() {
                mapping.unmap().await;
                cpu.charge("unmap", Ps::from_ns(self.context.costs().unmap_page_ns)).await;
            }
            if self.assign(cpu, slot, pid).await? {
                if self.context.options().plant != Some(DriverPlant::KeepQueue) {
                    self.clear(cpu, slot).await?;
                }
                self.hand_over(slot, pid)?;
                return Ok(Some(Found::Taken));
            }
        }
        Ok(None)
    }

    /// Queues that may be taken from their processes: first those that were not rung since the last
    /// look, and among these first the queue that was mapped earliest.
    fn takeable(&self) -> Vec<usize> {
        let mut found = Vec::new();
        for (number, slot) in self.slots.borrow().iter().enumerate() {
            let mapping = slot.owner.and_then(|owner| self.members.mapping(owner).ok());
            let Some(mapping) = mapping.filter(|_| !slot.leaving) else { continue };
            let held = mapping.pages().is_some() && !mapping.was_rung();
            if held && self.context.sim().now() - slot.mapped_at < Ps::from_ns(self.context.costs().queue_hold_ns) {
                continue;
            }
            found.push((mapping.take_used(), slot.order, number));
        }
        found.sort_unstable();
        found.into_iter().map(|(_, _, number)| number).collect()
    }

    /// Asks the NIC to give a queue to a process. False if posts of another one are under way.
    async fn assign(&self, cpu: &Cpu, slot: usize, pid: Pid) -> Result<bool, DriverError> {
        let (device, next) = (self.context.device(cpu)?, self.context.layout()?.posts()?.process_entry(NEXT_OWNER));
        device.write_struct(next, &self.members.entry_of(pid)?).await;
        self.commands.send(cpu, COMMAND_ASSIGN | (slot as u32) << 4).await?;
        // The NIC's words about a process are kept for that process, and go nowhere else but back
        // to the NIC.
        let entry: ProcessEntry = device.read_struct(next).await?;
        match entry.state {
            ENTRY_OPEN => Ok(false),
            ENTRY_ASSIGNED => {
                let old = self.slots.borrow()[slot].owner;
                old.into_iter().for_each(|old| self.members.keep_status(old, entry.status));
                Ok(true)
            }
            state => Err(DriverError::BadAssignment { slot, state }),
        }
    }

    /// Clears the page of a queue: what the old owner wrote must not be seen by the next.
    pub async fn clear(&self, cpu: &Cpu, slot: usize) -> Result<(), DriverError> {
        let queue = self.context.layout()?.posts()?.queue(slot);
        self.context.device(cpu)?.write_sram(queue, &[0; PAGE_BYTES as usize / 4]).await;
        Ok(())
    }

    /// Maps a queue to the process that now has it.
    fn hand_over(&self, slot: usize, pid: Pid) -> Result<(), DriverError> {
        let (resources, layout) = (self.context.resources().ok_or(DriverError::NotReady)?, self.context.layout()?);
        self.mappings.set(self.mappings.get() + 1);
        self.slots.borrow_mut()[slot] =
            Slot { owner: Some(pid), leaving: false, mapped_at: self.context.sim().now(), order: self.mappings.get() };
        self.members.mapping(pid)?.map(QueuePages {
            slot,
            post_queue: resources.sram + layout.posts()?.queue(slot).0,
            doorbell: resources.registers + DOORBELL_PAGES + slot as u32 * PAGE_BYTES,
        });
        Ok(())
    }

    /// From now on the process waits for no queue.
    pub fn begin_end(&self, pid: Pid) {
        self.members.begin_end(pid);
        self.changed.notify();
    }

    /// The queue of a process that ends: it cannot be taken any more, and no store reaches it.
    pub async fn leave(&self, pid: Pid) -> Result<Option<usize>, DriverError> {
        let _changing = self.changing.acquire().await;
        let slot = self.slot_of(pid);
        if let Some(slot) = slot {
            self.slots.borrow_mut()[slot].leaving = true;
            self.members.mapping(pid)?.unmap().await;
        }
        Ok(slot)
    }

    /// The firmware has forgotten the slot, and its queue is clear.
    pub fn give_back(&self, slot: usize) {
        if self.context.options().plant == Some(DriverPlant::QueueStays) {
            return;
        }
        self.slots.borrow_mut()[slot] = Slot::default();
        self.changed.notify();
    }
}
