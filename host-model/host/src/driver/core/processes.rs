//! Processes that use the NIC: a number and a status page for each, and a post queue if one is
//! free.

use std::rc::Rc;

use nic_layout::post::{ProcessStatus, NIC_WAS_RESET};
use nic_layout::ring::{COMMAND_CLOSE, COMMAND_FENCE};

use super::error::DriverError;
use super::mapping::Mapping;
use super::members::{slot_of, Members};
use super::queues::PostQueues;
use super::service::{Core, Places, Service};
use crate::address::{Pid, UserVirt, VirtPage};
use crate::processor::Cpu;

/// Where every process finds its status page.
pub const STATUS_PAGE: VirtPage = VirtPage(0xB_FFFF);

/// What a process gets for its life. Its post queue comes and goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProcessGrant {
    /// Identifier of the process.
    pub pid: Pid,
    /// Address of the status page, in the space of the process.
    pub status: UserVirt,
}

/// The processes of one node.
pub struct Processes {
    core: Core,
    members: Rc<Members>,
    queues: Rc<PostQueues>,
}

impl Processes {
    /// No process has the NIC open. `first_pid`: the number of the next.
    pub fn new(core: Core, first_pid: u32) -> Processes {
        let members = Rc::new(Members::new(first_pid));
        let queues = PostQueues::new(core.context.clone(), core.commands.clone(), members.clone());
        Processes { core, members, queues: Rc::new(queues) }
    }

    /// The post queues that the processes share.
    pub fn queues(&self) -> &PostQueues {
        &self.queues
    }

    /// What the page table of the process says of its post queue.
    ///
    /// # Errors
    ///
    /// [`DriverError::ProcessEnded`] if the process does not have the NIC open.
    pub fn mapping(&self, pid: Pid) -> Result<Rc<Mapping>, DriverError> {
        self.members.mapping(pid)
    }

    /// Opens the NIC for a new process.
    pub async fn open(&self, cpu: &Cpu, service: &dyn Service) -> Result<ProcessGrant, DriverError> {
        let context = &self.core.context;
        context.system_call(cpu).await;
        let places = service.places();
        let processes_max = context.options().processes_max.min(service.processes_max());
        let pid = self.members.free_number(processes_max, places != Places::Shared)?;
        let status_page = {
            let mut memory = context.memory().borrow_mut();
            memory.create_space(pid);
            memory.add_page(pid, STATUS_PAGE)?;
            memory.pin(pid, STATUS_PAGE)
        };
        let status_page = match status_page {
            Ok(page) => page,
            Err(error) => {
                context.memory().borrow_mut().destroy_space(pid)?;
                return Err(error.into());
            }
        };
        self.members.open(pid, status_page.start().on_bus());
        self.core.pins.open(pid);
        service.open(pid);
        service.admit(cpu, pid).await?;
        // The slot by which the NIC finds its tables.
        let own = (places == Places::AllBySlot).then(|| slot_of(pid));
        self.queues.give_free(cpu, pid, own).await?;
        Ok(ProcessGrant { pid, status: STATUS_PAGE.start() })
    }

    /// Ends what the process has with the NIC: afterwards no pin, key, line, slot or DMA of it is
    /// left (INV-36).
    pub async fn close(&self, cpu: &Cpu, service: &dyn Service, pid: Pid) -> Result<(), DriverError> {
        if !self.members.has(pid) {
            return Err(DriverError::ProcessEnded(pid.0));
        }
        let Core { context, commands, pins } = &self.core;
        self.queues.begin_end(pid);
        let (device, layout) = (context.device(cpu)?, context.layout()?);
        context.system_call(cpu).await;
        let queue = self.queues.leave(pid).await?;
        if let Some(slot) = queue {
            device.write_sram(layout.posts()?.process_entry(slot), &[0]).await;
        }
        service.hide(cpu, pid).await?;
        // Waits for every DMA that was begun before: those of the buffers and of its tables too.
        match queue {
            Some(slot) => {
                commands.send(cpu, COMMAND_CLOSE | (slot as u32) << 4).await?;
                self.queues.clear(cpu, slot).await?;
                self.queues.give_back(slot);
            }
            None => commands.send(cpu, COMMAND_FENCE).await?,
        }
        service.close(cpu, pid).await?;
        // After a reset the driver has unpinned them, or is about to.
        context.check_current()?;
        let unpinned = 1 + pins.close(pid);
        {
            let mut memory = context.memory().borrow_mut();
            let status_page = memory.touch(pid, STATUS_PAGE)?;
            memory.unpin(status_page);
            self.members.status_unpinned(pid);
            memory.destroy_space(pid)?;
        }
        pins.charge_unpin(cpu, unpinned).await;
        self.members.remove(pid);
        Ok(())
    }

    /// The number that the next process gets, if it is free.
    pub fn next_pid(&self) -> u32 {
        self.members.next_pid()
    }

    /// Before the NIC is reset: no process waits for a queue any more, and no store goes to one.
    pub async fn unmap_all(&self) -> Result<(), DriverError> {
        for (pid, _) in self.members.all() {
            self.queues.begin_end(pid);
            self.members.mapping(pid)?.unmap().await;
        }
        Ok(())
    }

    /// The NIC was reset: no DMA is under way. Unpins what was pinned for any process, and says in
    /// each status page that no further post ends ([`NIC_WAS_RESET`]). Gives the processes, whose
    /// memory stays, and the number of pages.
    pub fn end_all(&self, service: &dyn Service) -> Result<(Vec<Pid>, u32), DriverError> {
        let (mut pids, mut unpinned) = (Vec::new(), 0);
        for (pid, has_status) in self.members.all() {
            service.end(pid);
            unpinned += self.core.pins.close(pid);
            let mut memory = self.core.context.memory().borrow_mut();
            let status_page = memory.touch(pid, STATUS_PAGE)?;
            let word = STATUS_PAGE.start() + std::mem::offset_of!(ProcessStatus, last_error) as u32;
            memory.write(pid, word, &NIC_WAS_RESET.to_le_bytes())?;
            memory.wake_watches(status_page);
            if has_status {
                memory.unpin(status_page);
                unpinned += 1;
            }
            self.members.remove(pid);
            pids.push(pid);
        }
        Ok((pids, unpinned))
    }

    /// Counts of processes and queues that do not add up (INV-36, INV-38), in words.
    pub fn unbalanced(&self) -> Vec<String> {
        let counts = self.core.context.counts();
        let mut found = Vec::new();
        let ended = counts.queues_found_free + counts.queues_taken + counts.queues_kept + counts.page_faults_given_up;
        let waiting = self.queues.waiting() as u64;
        if counts.page_faults != ended + waiting {
            let faults = counts.page_faults;
            found.push(format!("INV-38: {faults} page faults, {ended} ended, {waiting} wait"));
        }
        for (slot, pid) in self.queues.owners().filter(|(_, pid)| !self.members.has(*pid)) {
            found.push(format!("INV-36: post queue {slot} belongs to process {}, which has ended", pid.0));
        }
        found
    }

    /// Status pages that are pinned.
    pub fn pins(&self) -> usize {
        self.members.pins()
    }
}
