use crate::SlotQueue;

/// The slots and jobs that are ready to run, and those that wait. Bits 7:0 of a set are process
/// slots, bit 15 is the job of the link, bits 31:16 are jobs of the protocol.
///
/// Ready slots are in a queue. Ready jobs are in a set, and the protocol chooses among them.
/// Waiting slots and jobs share two sets: *parked* until the driver has filled a cache line,
/// *blocked* until there is room.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RunQueue {
    queue: SlotQueue,
    parked: u32,
    blocked: u32,
    jobs: u32,
}

impl RunQueue {
    /// No slot and no job is ready or waits.
    pub const EMPTY: RunQueue = RunQueue { queue: SlotQueue::EMPTY, parked: 0, blocked: 0, jobs: 0 };

    /// The job of the link: to retransmit frames.
    pub const RETRANSMIT: u32 = 1 << 15;
    /// The bits of jobs in a set.
    pub const JOBS: u32 = 0xFFFF_0000 | Self::RETRANSMIT;
    /// The bit of the protocol's first job.
    pub const JOBS_SHIFT: u32 = 16;

    /// Makes a slot ready, behind all others. A slot is in the queue at most once.
    #[inline(always)]
    pub fn push(&mut self, slot: usize) {
        self.queue.push(slot);
    }

    /// Takes the next ready slot. `None` if there is none.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<usize> {
        self.queue.pop()
    }

    /// Whether a slot is ready.
    #[inline(always)]
    pub fn has_slots(&self) -> bool {
        !self.queue.is_empty()
    }

    /// The ready jobs, bits 31:15.
    #[inline(always)]
    pub fn jobs(&self) -> u32 {
        self.jobs
    }

    /// The waiting slots and jobs, and the ready jobs.
    #[inline(always)]
    pub fn others(&self) -> u32 {
        self.parked | self.blocked | self.jobs
    }

    /// Whether a slot waits, for the driver or for room.
    #[inline(always)]
    pub fn waits(&self, slot: usize) -> bool {
        (self.parked | self.blocked) >> slot & 1 == 1
    }

    /// The slots and jobs that wait for room.
    #[inline(always)]
    pub fn blocked(&self) -> u32 {
        self.blocked
    }

    /// Lets the slots and jobs of `set` wait for the driver.
    #[inline(always)]
    pub fn park(&mut self, set: u32) {
        self.parked |= set;
    }

    /// Lets the slots and jobs of `set` wait for room.
    #[inline(always)]
    pub fn block(&mut self, set: u32) {
        self.blocked |= set;
    }

    /// Makes the jobs of `set` ready. Other bits are ignored.
    #[inline(always)]
    pub fn add_jobs(&mut self, set: u32) {
        self.jobs |= set & Self::JOBS;
    }

    /// Takes a job, given by its bit, out of the ready jobs.
    #[inline(always)]
    pub fn take_job(&mut self, bit: u32) {
        self.jobs &= !bit;
    }

    /// Removes what is neither ready nor waits any longer: closed slots, ended jobs.
    pub fn forget(&mut self, set: u32) {
        self.jobs &= !set;
        self.parked &= !set;
        self.blocked &= !set;
    }

    /// Makes the slots and jobs of `set` ready.
    #[inline(always)]
    pub fn wake(&mut self, set: u32) {
        if set != 0 {
            self.wake_some(set);
        }
    }

    /// Makes everything ready that waits for room.
    #[inline(always)]
    pub fn wake_blocked(&mut self) {
        self.wake(self.blocked);
    }

    /// Makes everything ready that waits.
    pub fn wake_all(&mut self) {
        self.wake(self.parked | self.blocked);
    }

    #[cold]
    #[inline(never)]
    fn wake_some(&mut self, set: u32) {
        // A slot that waited for a cache line goes to the front: it must use the line before
        // another slot's miss evicts it (INV-33). More slots may wait than a set of the cache has
        // ways.
        let filled = self.parked & set;
        self.parked &= !set;
        self.blocked &= !set;
        self.jobs |= set & Self::JOBS;
        for slot in 0..SlotQueue::SLOTS {
            if set & !filled & (1 << slot) != 0 {
                self.queue.push(slot);
            }
        }
        for slot in (0..SlotQueue::SLOTS).rev() {
            if filled & (1 << slot) != 0 {
                self.queue.push_front(slot);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parked_slots_come_before_all_others_when_they_are_woken() {
        let mut run = RunQueue::EMPTY;
        run.push(6);
        run.park(1 << 1 | 1 << 4);
        run.block(1 << 2 | 1 << 18);
        assert!(run.waits(1) && run.waits(2) && !run.waits(6));
        run.wake_all();
        let order: Vec<usize> = std::iter::from_fn(|| run.pop()).collect();
        assert_eq!(order, [1, 4, 6, 2]);
        assert_eq!((run.jobs(), run.blocked()), (1 << 18, 0));
    }

    #[test]
    fn what_is_not_woken_goes_on_waiting() {
        let mut run = RunQueue::EMPTY;
        run.park(1 << 3);
        run.block(1 << 5 | 1 << 20);
        run.wake_blocked();
        assert_eq!((run.pop(), run.pop(), run.jobs()), (Some(5), None, 1 << 20));
        run.forget(1 << 3 | 1 << 20);
        assert_eq!(run.others(), 0);
        run.wake_all();
        assert!(!run.has_slots());
    }
}
