//! The processes that have the NIC open: numbers, status pages, and what their page tables say of
//! their post queues.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use nic_layout::post::{ProcessStatus, NO_POST};
use nic_layout::tables::{ProcessEntry, ENTRY_OPEN, PID_MAX};
use nic_layout::PROCESS_SLOTS;

use super::error::DriverError;
use super::mapping::Mapping;
use crate::address::{BusAddr, Pid};

struct Member {
    mapping: Rc<Mapping>,
    /// Bus address of its status page, and what that said when its queue was taken.
    status_address: BusAddr,
    status: ProcessStatus,
    status_is_pinned: bool,
    /// It is being closed: it waits for no queue any more.
    ending: bool,
}

/// All processes of a node that have the NIC open.
pub struct Members {
    by_pid: RefCell<BTreeMap<Pid, Member>>,
    next_pid: Cell<u32>,
}

impl Members {
    /// No process has the NIC open. `first`: the number that the next process gets, if it is free.
    pub fn new(first: u32) -> Members {
        Members { by_pid: RefCell::default(), next_pid: Cell::new(first) }
    }

    /// The number that the next process gets, if it is free.
    pub fn next_pid(&self) -> u32 {
        self.next_pid.get()
    }

    /// All processes that have the NIC open, and whether the status page of each is pinned.
    pub fn all(&self) -> Vec<(Pid, bool)> {
        self.by_pid.borrow().iter().map(|(pid, member)| (*pid, member.status_is_pinned)).collect()
    }

    /// A number for a new process. Numbers are taken again only after all others, so that late
    /// words of the NIC name no process. With `by_slot` no two processes have the same number
    /// modulo the slots of the NIC.
    pub fn free_number(&self, processes_max: usize, by_slot: bool) -> Result<Pid, DriverError> {
        let by_pid = self.by_pid.borrow();
        let max = if by_slot { PROCESS_SLOTS.min(processes_max) } else { processes_max };
        if by_pid.len() >= max {
            return Err(DriverError::NoSlot { slots: max });
        }
        let is_taken = |slot: usize| by_pid.keys().any(|pid| slot_of(*pid) == slot);
        let slot = (0..PROCESS_SLOTS).find(|slot| by_slot && !is_taken(*slot));
        let is_of_slot = |pid: Pid| slot.is_none_or(|slot| slot_of(pid) == slot);
        let mut pid = Pid(self.next_pid.get());
        while by_pid.contains_key(&pid) || !is_of_slot(pid) {
            pid = Pid(pid.0 % PID_MAX + 1);
        }
        Ok(pid)
    }

    /// `status_address`: of a page that is pinned.
    pub fn open(&self, pid: Pid, status_address: BusAddr) {
        self.next_pid.set(pid.0 % PID_MAX + 1);
        let member = Member {
            mapping: Rc::new(Mapping::default()),
            status_address,
            status: ProcessStatus { last_error_index: NO_POST, ..ProcessStatus::default() },
            status_is_pinned: true,
            ending: false,
        };
        self.by_pid.borrow_mut().insert(pid, member);
    }

    /// Whether the process has the NIC open; a process that is ending still has.
    pub fn has(&self, pid: Pid) -> bool {
        self.by_pid.borrow().contains_key(&pid)
    }

    /// What the page table of the process says of its post queue.
    ///
    /// # Errors
    ///
    /// [`DriverError::ProcessEnded`] if the process does not have the NIC open.
    pub fn mapping(&self, pid: Pid) -> Result<Rc<Mapping>, DriverError> {
        let by_pid = self.by_pid.borrow();
        by_pid.get(&pid).map(|member| member.mapping.clone()).ok_or(DriverError::ProcessEnded(pid.0))
    }

    /// Whether the process is ending, or has ended.
    pub fn is_ending(&self, pid: Pid) -> bool {
        self.by_pid.borrow().get(&pid).is_none_or(|member| member.ending)
    }

    /// From now on the process waits for no queue.
    pub fn begin_end(&self, pid: Pid) {
        if let Some(member) = self.by_pid.borrow_mut().get_mut(&pid) {
            member.ending = true;
        }
    }

    /// The entry of the process in the process table.
    pub fn entry_of(&self, pid: Pid) -> Result<ProcessEntry, DriverError> {
        let by_pid = self.by_pid.borrow();
        let Member { status_address, status, .. } = by_pid.get(&pid).ok_or(DriverError::ProcessEnded(pid.0))?;
        let status_address = status_address.0;
        Ok(ProcessEntry { state: ENTRY_OPEN, pid: pid.0, status_address, reserved: 0, status: *status })
    }

    /// The status of a process whose queue was taken.
    pub fn keep_status(&self, pid: Pid, status: ProcessStatus) {
        if let Some(member) = self.by_pid.borrow_mut().get_mut(&pid) {
            member.status = status;
        }
    }

    /// Records that the status page of the process is not pinned any more.
    pub fn status_unpinned(&self, pid: Pid) {
        if let Some(member) = self.by_pid.borrow_mut().get_mut(&pid) {
            member.status_is_pinned = false;
        }
    }

    /// Status pages that are pinned.
    pub fn pins(&self) -> usize {
        self.by_pid.borrow().values().filter(|member| member.status_is_pinned).count()
    }

    /// Forgets a process that has ended.
    pub fn remove(&self, pid: Pid) {
        self.by_pid.borrow_mut().remove(&pid);
    }
}

/// By which a NIC with tables for each process finds them.
pub fn slot_of(pid: Pid) -> usize {
    pid.0 as usize % PROCESS_SLOTS
}
