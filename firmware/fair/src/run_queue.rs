use crate::SlotQueue;

/// What wants to be served, and what waits for something else first: process slots, bits 7:0 of a
/// set, and jobs of the protocol, bits 31:16.
///
/// A slot that can go on is in a queue. A job that can go on is in a set, and the protocol chooses
/// among them. Both wait in the same two sets: *parked* until the driver has filled a line,
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
    /// Nothing wants anything.
    pub const EMPTY: RunQueue = RunQueue { queue: SlotQueue::EMPTY, parked: 0, blocked: 0, jobs: 0 };

    /// The bits of jobs in a set.
    pub const JOBS: u32 = 0xFFFF_0000;
    /// The bit of the first job.
    pub const JOBS_SHIFT: u32 = 16;

    /// The slot has something to send, and comes behind all others. A slot is in the queue once.
    #[inline(always)]
    pub fn push(&mut self, slot: usize) {
        self.queue.push(slot);
    }

    /// Takes the next slot.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<usize> {
        self.queue.pop()
    }

    /// Whether a slot can go on.
    #[inline(always)]
    pub fn has_slots(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Jobs that can go on, as bits 31:16.
    #[inline(always)]
    pub fn jobs(&self) -> u32 {
        self.jobs
    }

    /// Slots and jobs that wait, and jobs that can go on.
    #[inline(always)]
    pub fn others(&self) -> u32 {
        self.parked | self.blocked | self.jobs
    }

    /// Whether a slot waits.
    #[inline(always)]
    pub fn waits(&self, slot: usize) -> bool {
        (self.parked | self.blocked) >> slot & 1 == 1
    }

    /// What waits for room, as bits.
    #[inline(always)]
    pub fn blocked(&self) -> u32 {
        self.blocked
    }

    /// These wait for the driver.
    #[inline(always)]
    pub fn park(&mut self, set: u32) {
        self.parked |= set;
    }

    /// These wait for room.
    #[inline(always)]
    pub fn block(&mut self, set: u32) {
        self.blocked |= set;
    }

    /// These jobs can go on.
    #[inline(always)]
    pub fn add_jobs(&mut self, set: u32) {
        self.jobs |= set & Self::JOBS;
    }

    /// This job is being served.
    #[inline(always)]
    pub fn take_job(&mut self, bit: u32) {
        self.jobs &= !bit;
    }

    /// These wait for nothing any more, and want nothing: closed slots, jobs that have ended.
    pub fn forget(&mut self, set: u32) {
        self.jobs &= !set;
        self.parked &= !set;
        self.blocked &= !set;
    }

    /// Lets these try again.
    #[inline(always)]
    pub fn wake(&mut self, set: u32) {
        if set != 0 {
            self.wake_some(set);
        }
    }

    /// Lets all try again that wait for room.
    #[inline(always)]
    pub fn wake_blocked(&mut self) {
        self.wake(self.blocked);
    }

    /// Lets all try again.
    pub fn wake_all(&mut self) {
        self.wake(self.parked | self.blocked);
    }

    #[cold]
    #[inline(never)]
    fn wake_some(&mut self, set: u32) {
        // A slot that waited for a line has had its turn: it goes on before another's miss can push
        // the line out again (INV-33). More may wait than a set of the cache has ways.
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
