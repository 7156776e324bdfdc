use nic_device::{rarely, Device, Place};
use nic_dma::HostWrites;
use nic_fair::{Circle, RunQueue};
use nic_layout::counter::Counter;
use nic_layout::plant::{is_planted, Plant};
use nic_layout::post::{PostError, POST_DESCRIPTOR_BYTES, POST_QUEUE_ENTRIES};
use nic_layout::tables::{ENTRY_ASSIGNED, ENTRY_OPEN, NEXT_OWNER};
use nic_layout::trace::Marker;
use nic_layout::{PAGE_BYTES, PROCESS_SLOTS};

use crate::status::{entry, get_status, put_status, StatusPages, StatusTag};
use crate::{Owner, PostId, Records, GENERATION_MAX};

/// Errors of posts in one word: four bits for each post, zero for a post without an error.
const ERRORS_IN_WORD: u32 = 8;
const _: () = assert!((PostError::ImportTooShort as u32) < 16);

/// SRAM offsets of the tables that driver and post queues share.
#[derive(Clone, Copy, Debug)]
pub struct PostsConfig {
    /// The process table: an entry for each slot, and an entry for the next owner of a queue.
    pub process_table: u32,
    /// The queues, one page each.
    pub post_queues: u32,
    /// Number of queues, at most [`PROCESS_SLOTS`].
    pub post_queue_count: u32,
    /// Errors of posts that have failed, `POST_QUEUE_ENTRIES / 2` bytes for each slot.
    pub post_errors: u32,
}

/// One process slot. Indices are free-running: `ended <= fetched <= producer <= ended +
/// POST_QUEUE_ENTRIES`.
///
/// 64 bytes, so that finding a slot takes a shift.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Slot<H> {
    producer: u32,
    fetched: u32,
    ended: u32,
    /// The process that has the slot, as read from the process table at its last doorbell.
    pid: u32,
    generation: u8,
    /// Whether the head of the queue still has frames to be issued.
    sending: bool,
    head: H,
}

/// The post queues of all process slots.
///
/// `H` is what the protocol keeps of the post at the head of a slot while its frames are issued.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Posts<H> {
    process_table: Place,
    post_queues: Place,
    process_table_at: u32,
    post_errors_at: u32,
    post_queue_count: u32,
    /// Slots with complete posts that [`Self::settle`] has not ended yet.
    unsettled: Circle,
    slots: [Slot<H>; PROCESS_SLOTS],
    status: StatusPages,
}

impl<H: Copy> Posts<H> {
    /// Post queues whose slots are all closed. `unused` fills the places of heads.
    pub const fn new(unused: H) -> Posts<H> {
        let slot = Slot { producer: 0, fetched: 0, ended: 0, pid: 0, generation: 0, sending: false, head: unused };
        Posts {
            process_table: Place(0),
            post_queues: Place(0),
            process_table_at: 0,
            post_errors_at: 0,
            post_queue_count: 0,
            unsettled: Circle::EMPTY,
            slots: [slot; PROCESS_SLOTS],
            status: StatusPages::ZERO,
        }
    }

    /// Sets the places of the tables, which hold zeros. Call once, before any other method.
    pub fn start(&mut self, dev: &mut impl Device, config: &PostsConfig) {
        self.process_table = dev.place(config.process_table);
        self.post_queues = dev.place(config.post_queues);
        self.process_table_at = config.process_table;
        self.post_errors_at = config.post_errors;
        self.post_queue_count = config.post_queue_count;
        self.status.start();
    }

    #[inline(always)]
    fn slot(&self, slot: usize) -> &Slot<H> {
        &self.slots[slot % PROCESS_SLOTS]
    }

    #[inline(always)]
    fn slot_mut(&mut self, slot: usize) -> &mut Slot<H> {
        &mut self.slots[slot % PROCESS_SLOTS]
    }

    #[inline(always)]
    fn process_entry(&self, slot: usize) -> Place {
        self.process_table.plus(slot as u32 * entry::BYTES)
    }

    /// The place `bytes` behind the begin of the process table. Words behind the table's end belong
    /// to the protocol.
    #[inline(always)]
    pub fn behind_process_table(&self, bytes: u32) -> Place {
        self.process_table.plus(bytes)
    }

    // ---- Doorbells ----

    /// Takes one doorbell.
    ///
    /// The first result tells whether the doorbell was accepted; the caller counts it once the
    /// first frame is in flight. The second is the slot whose frame goes first: the slot of the
    /// doorbell, if no slot or job is ready or waits, retransmission included. Then no earlier post
    /// of that slot has frames to be issued.
    #[inline(always)]
    pub fn on_doorbell<W: StatusTag>(
        &mut self,
        dev: &mut impl Device,
        run: &mut RunQueue,
        writes: &mut HostWrites<W>,
    ) -> (bool, Option<usize>) {
        let Some(page) = dev.take_doorbell() else {
            return (false, None);
        };
        dev.trace(Marker::DoorbellTaken, page as u32);
        let entry = self.process_entry(page);
        if page >= PROCESS_SLOTS || dev.get(entry, entry::STATE) != ENTRY_OPEN {
            ignore_doorbell(dev, Counter::DoorbellsClosed);
            return (false, None);
        }
        let producer = dev.doorbell(page);
        let slot = &mut self.slots[page % PROCESS_SLOTS];
        let free = POST_QUEUE_ENTRIES - slot.producer.wrapping_sub(slot.ended);
        if producer.wrapping_sub(slot.producer) > free {
            self.refuse_doorbell(dev, writes, page, producer);
            return (false, None);
        }
        slot.producer = producer;
        slot.pid = dev.get(entry, entry::PID);
        if run.others() != 0 || run.has_slots() {
            rarely();
            // A slot that waits is woken by what it waits for.
            if !run.waits(page) {
                run.push(page);
            }
            return (true, None);
        }
        (true, Some(page))
    }

    #[cold]
    #[inline(never)]
    fn refuse_doorbell<W: StatusTag>(
        &mut self,
        dev: &mut impl Device,
        writes: &mut HostWrites<W>,
        page: usize,
        producer: u32,
    ) {
        let status = self.status.of(page);
        status.last_error = PostError::BadProducerIndex as u32;
        status.last_error_index = producer;
        ignore_doorbell(dev, Counter::DoorbellsWild);
        self.write_status(dev, writes, page);
    }

    // ---- The queue of a slot ----

    /// The free-running number of the next entry of a slot that is to be read. `None` if the
    /// process has not rung for it.
    #[inline(always)]
    pub fn next_index(&self, slot: usize) -> Option<u32> {
        let slot = self.slot(slot);
        if slot.fetched == slot.producer {
            return None;
        }
        Some(slot.fetched)
    }

    /// The number of the next entry of a slot, whether the process has rung for it or not.
    #[inline(always)]
    pub fn fetched(&self, slot: usize) -> u32 {
        self.slot(slot).fetched
    }

    /// Whether the process has rung for the entry behind the next one.
    #[inline(always)]
    pub fn has_two(&self, slot: usize) -> bool {
        let slot = self.slot(slot);
        slot.fetched.wrapping_add(1) != slot.producer
    }

    /// Where an entry of a slot's queue begins. The process can change its words at any time.
    #[inline(always)]
    pub fn queue_entry(&self, slot: usize, index: u32) -> Place {
        let queue = self.post_queues.plus(slot as u32 * PAGE_BYTES);
        queue.plus(index % POST_QUEUE_ENTRIES * POST_DESCRIPTOR_BYTES)
    }

    /// Records that the entries below number `next` were read. True if there are more to read.
    #[inline(always)]
    pub fn fetch_up_to(&mut self, slot: usize, next: u32) -> bool {
        let slot = self.slot_mut(slot);
        slot.fetched = next;
        next != slot.producer
    }

    /// Whether the process has rung for entries that were not read yet.
    #[inline(always)]
    pub fn has_more(&self, slot: usize) -> bool {
        let slot = self.slot(slot);
        slot.fetched != slot.producer
    }

    /// Records that the next entry was read and is the first half of a post of two entries.
    pub fn fetch_first_half(&mut self, records: &mut Records, slot: usize) {
        let index = self.slot(slot).fetched;
        records.be_first_half(PostId::new(slot, index));
        self.slot_mut(slot).fetched = index.wrapping_add(1);
    }

    /// The head of a slot: the post that was read last, whose frames are issued.
    #[inline(always)]
    pub fn head_id(&self, slot: usize) -> PostId {
        PostId::new(slot, self.slot(slot).fetched.wrapping_sub(1))
    }

    /// What the protocol keeps of the head of a slot.
    #[inline(always)]
    pub fn head(&self, slot: usize) -> &H {
        &self.slot(slot).head
    }

    /// [`Self::head`], mutable.
    #[inline(always)]
    pub fn head_mut(&mut self, slot: usize) -> &mut H {
        &mut self.slot_mut(slot).head
    }

    /// Whether frames of the head are to be issued.
    #[inline(always)]
    pub fn is_sending(&self, slot: usize) -> bool {
        self.slot(slot).sending
    }

    /// Sets whether frames of the head are to be issued.
    #[inline(always)]
    pub fn set_sending(&mut self, slot: usize, is_sending: bool) {
        self.slot_mut(slot).sending = is_sending;
    }

    /// The identifier of the process that has a slot.
    #[inline(always)]
    pub fn pid(&self, slot: usize) -> u32 {
        self.slot(slot).pid
    }

    // ---- Frames of posts ----

    /// The owner of frames of a post.
    #[inline(always)]
    pub fn owner(&self, id: PostId) -> Owner {
        Owner { post: id, generation: self.slots[id.slot()].generation }
    }

    /// Records that a frame has ended. Returns the bit of the slot if the frame's post is complete
    /// now, otherwise 0. The caller passes the bits to [`Self::note_complete`].
    #[inline(always)]
    pub fn end_frame(&self, records: &mut Records, owner: Owner) -> u32 {
        if self.slots[owner.post.slot()].generation != owner.generation {
            return 0;
        }
        u32::from(records.end_frame(owner.post)) << owner.post.slot()
    }

    /// Fails the post of a frame. No further frame of the post is issued.
    #[cold]
    #[inline(never)]
    pub fn fail_frame<W: StatusTag>(
        &mut self,
        dev: &mut impl Device,
        records: &mut Records,
        run: &mut RunQueue,
        writes: &mut HostWrites<W>,
        owner: Owner,
        error: PostError,
    ) {
        let slot_number = owner.post.slot();
        let slot = self.slot(slot_number);
        if slot.generation != owner.generation {
            return;
        }
        if slot.sending && self.head_id(slot_number) == owner.post {
            self.refuse(dev, records, writes, slot_number, error);
            // The failed post waits for nothing any more, so the slot can read its next post.
            run.wake(1 << slot_number);
        } else {
            self.fail(dev, records, owner.post, error);
        }
    }

    /// Marks a post as failed with an error. If it has failed before, its first error stays.
    #[cold]
    #[inline(never)]
    pub fn fail(&mut self, dev: &mut impl Device, records: &mut Records, id: PostId, error: PostError) {
        if records.fail(id) {
            let (at, shift) = self.error_place(id);
            let others = dev.read(at);
            dev.write(at, others | (error as u32) << shift);
        }
    }

    fn error_place(&self, id: PostId) -> (u32, u32) {
        let place = id.record() as u32;
        (self.post_errors_at + place / ERRORS_IN_WORD * 4, place % ERRORS_IN_WORD * 4)
    }

    /// Fails the head of a slot. No further frame of it is issued. It ends when its frames in
    /// flight have ended.
    #[cold]
    #[inline(never)]
    pub fn refuse<W: StatusTag>(
        &mut self,
        dev: &mut impl Device,
        records: &mut Records,
        writes: &mut HostWrites<W>,
        slot: usize,
        error: PostError,
    ) {
        dev.trace(Marker::PostRefused, error as u32 | (slot as u32) << 8);
        self.set_sending(slot, false);
        let id = self.head_id(slot);
        self.fail(dev, records, id, error);
        records.issue(id);
        self.settle(dev, records, writes, slot);
    }

    // ---- Ends of posts ----

    /// Records that posts of these slots, one bit each, are complete. The caller calls
    /// [`Self::settle`] for each slot later.
    #[inline(always)]
    pub fn note_complete(&mut self, slots: u32) {
        self.unsettled.add(slots);
    }

    /// The slots for which [`Self::settle`] is to be called, one bit each.
    #[inline(always)]
    pub fn unsettled(&self) -> u32 {
        self.unsettled.waiting()
    }

    /// Takes the next slot of [`Self::unsettled`].
    #[inline(always)]
    pub fn next_unsettled(&mut self) -> Option<usize> {
        self.unsettled.pop()
    }

    /// Ends the complete posts of a slot, from the oldest up to the first that is not complete.
    #[inline(always)]
    pub fn settle<W: StatusTag>(
        &mut self,
        dev: &mut impl Device,
        records: &mut Records,
        writes: &mut HostWrites<W>,
        slot_number: usize,
    ) {
        let mut ended = 0;
        loop {
            let slot = self.slot_mut(slot_number);
            let index = slot.ended;
            let id = PostId::new(slot_number, index);
            if !records.is_complete(id) {
                break;
            }
            let has_failed = records.has_failed(id);
            records.clear(id);
            slot.ended = index.wrapping_add(1);
            self.status.of(slot_number).ended = index.wrapping_add(1);
            ended += 1;
            if has_failed {
                rarely();
                self.end_badly(dev, slot_number, index);
            } else {
                dev.count(Counter::PostsCompleted);
            }
        }
        if ended != 0 {
            self.write_status(dev, writes, slot_number);
        }
    }

    /// Ends a post that has just become complete, if it is the oldest of its slot, has not failed,
    /// and the post behind it is not complete. Otherwise does nothing and returns false: the caller
    /// calls [`Self::settle`].
    #[inline(always)]
    pub fn settle_one<W: StatusTag>(
        &mut self,
        dev: &mut impl Device,
        records: &mut Records,
        writes: &mut HostWrites<W>,
        id: PostId,
    ) -> bool {
        let slot_number = id.slot();
        let slot = &mut self.slots[slot_number];
        let index = slot.ended;
        let behind = PostId::new(slot_number, index.wrapping_add(1));
        let is_oldest = PostId::new(slot_number, index) == id;
        if !is_oldest || records.has_failed(id) || records.is_complete(behind) {
            return false;
        }
        records.clear(id);
        slot.ended = index.wrapping_add(1);
        self.status.of(slot_number).ended = index.wrapping_add(1);
        self.write_status(dev, writes, slot_number);
        dev.count(Counter::PostsCompleted);
        true
    }

    #[cold]
    #[inline(never)]
    fn end_badly(&mut self, dev: &mut impl Device, slot: usize, index: u32) {
        let (at, shift) = self.error_place(PostId::new(slot, index));
        let errors = dev.read(at);
        dev.write(at, errors & !(0xF << shift));
        let error = errors >> shift & 0xF;
        if error == 0 {
            return;
        }
        let status = self.status.of(slot);
        status.refused = status.refused.wrapping_add(1);
        status.last_error = error;
        status.last_error_index = index;
        dev.count(outcome(error));
    }

    // ---- Status pages ----

    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn write_status<W: StatusTag>(&mut self, dev: &mut impl Device, writes: &mut HostWrites<W>, slot: usize) {
        let entry = self.process_entry(slot);
        let in_sram = self.process_table_at + slot as u32 * entry::BYTES;
        self.status.write(dev, writes, slot, entry, in_sram);
    }

    /// Whether the status page of a slot is out of date. The end of a host write lets it be
    /// written.
    #[inline(always)]
    pub fn status_is_behind(&self) -> bool {
        self.status.are_behind()
    }

    /// Writes the status pages that are out of date and not being written.
    #[inline(always)]
    pub fn write_statuses<W: StatusTag>(&mut self, dev: &mut impl Device, writes: &mut HostWrites<W>) {
        if self.status.waiting() != 0 {
            self.write_all_statuses(dev, writes);
        }
    }

    #[cold]
    #[inline(never)]
    fn write_all_statuses<W: StatusTag>(&mut self, dev: &mut impl Device, writes: &mut HostWrites<W>) {
        for slot in 0..PROCESS_SLOTS {
            if self.status.waiting() & (1 << slot) != 0 {
                self.write_status(dev, writes, slot);
            }
        }
    }

    /// Records that host write `number`, which wrote the status of a slot, has ended.
    #[inline(always)]
    pub fn on_status_written(&mut self, slot: usize, number: u32) {
        self.status.on_written(slot, number);
    }

    // ---- Owners of queues ----

    /// Forgets everything about a slot that the driver has closed. Frames in flight still reach
    /// their peer; their ends change nothing here.
    pub fn close(&mut self, dev: &mut impl Device, records: &mut Records, run: &mut RunQueue, slot_number: usize) {
        if slot_number >= PROCESS_SLOTS {
            dev.count(Counter::MailboxesWild);
            return;
        }
        let slot = self.slot(slot_number);
        let (first, behind) = (slot.ended, slot.fetched);
        let generation = slot.generation.wrapping_add(1) & GENERATION_MAX;
        let head = slot.head;
        *self.slot_mut(slot_number) =
            Slot { producer: 0, fetched: 0, ended: 0, pid: 0, generation, sending: false, head };
        let entries = (0..behind.wrapping_sub(first)).map(|n| PostId::new(slot_number, first.wrapping_add(n)));
        let is_half = |id: PostId| {
            let (at, shift) = self.error_place(id);
            records.has_failed(id) && dev.read(at) >> shift & 0xF == 0
        };
        let open = entries.filter(|&id| !is_half(id)).count() as u32;
        let (errors, _) = self.error_place(PostId::new(slot_number, 0));
        for at in (errors..errors + POST_QUEUE_ENTRIES / 2).step_by(4) {
            dev.write(at, 0);
        }
        for index in 0..POST_QUEUE_ENTRIES {
            records.clear(PostId::new(slot_number, index));
        }
        self.status.forget(slot_number);
        run.forget(1 << slot_number);
        dev.count_many(Counter::PostsClosed, open);
    }

    /// Whether the queue of a slot may be given to the next process ([`Self::assign`]): no post, no
    /// status and no doorbell is outstanding. The caller has settled the complete posts before.
    ///
    /// The driver has taken the queue's pages from the process that had them, so no new post can
    /// come. The driver repeats its command until the queue is drained.
    pub fn is_drained(&self, dev: &impl Device, slot_number: usize) -> bool {
        let slot = self.slot(slot_number);
        dev.get(self.process_entry(slot_number), entry::STATE) != ENTRY_OPEN
            || is_planted(Plant::BusyQueue)
            || (slot.producer == slot.ended && !self.status.is_late(slot_number) && !dev.is_rung(slot_number))
    }

    /// Whether a queue has this number.
    pub fn has_queue(&self, slot_number: usize) -> bool {
        slot_number < PROCESS_SLOTS && slot_number < self.post_queue_count as usize
    }

    /// Gives a drained queue to the next process (M-52). Two things of a slot belong to its
    /// process, its entry in the process table and its status; both change here. The driver clears
    /// the queue before the next process sees it.
    pub fn assign(&mut self, dev: &mut impl Device, records: &mut Records, run: &mut RunQueue, slot_number: usize) {
        let entry = self.process_entry(slot_number);
        let left = *self.status.of(slot_number);
        // No post is outstanding, so none is lost. Late ends of frames change nothing for the next
        // process, since the slot gets a new generation.
        self.close(dev, records, run, slot_number);

        let next = self.process_entry(NEXT_OWNER);
        let status = get_status(dev, next);
        let pid = dev.get(next, entry::PID);
        let status_address = dev.get(next, entry::STATUS_ADDRESS);
        dev.put(entry, entry::PID, pid);
        dev.put(entry, entry::STATUS_ADDRESS, status_address);
        put_status(dev, entry, status);
        dev.put(entry, entry::STATE, ENTRY_OPEN);
        *self.status.of(slot_number) = status;
        let slot = self.slot_mut(slot_number);
        slot.pid = pid;
        (slot.producer, slot.fetched, slot.ended) = (status.ended, status.ended, status.ended);

        put_status(dev, next, left);
        dev.put(next, entry::STATE, ENTRY_ASSIGNED);
        dev.trace(Marker::QueueAssigned, slot_number as u32);
    }
}

#[cold]
#[inline(never)]
fn ignore_doorbell(dev: &mut impl Device, outcome: Counter) {
    dev.count(Counter::DoorbellsServed);
    dev.count(outcome);
}

/// The counter of a post that ended badly.
fn outcome(error: u32) -> Counter {
    match error {
        1 => Counter::PostsRefusedOperation,
        2 => Counter::PostsRefusedNode,
        3 => Counter::PostsRefusedLength,
        4 => Counter::PostsRefusedLocal,
        5 => Counter::PostsRefusedPeer,
        7 => Counter::PostsRefusedBus,
        9..=11 => Counter::PostsRefusedImport,
        _ => Counter::PostsRefusedOwner,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_post_error_has_its_counter() {
        assert_eq!(outcome(PostError::UnknownOperation as u32), Counter::PostsRefusedOperation);
        assert_eq!(outcome(PostError::NoSuchNode as u32), Counter::PostsRefusedNode);
        assert_eq!(outcome(PostError::LengthOutOfRange as u32), Counter::PostsRefusedLength);
        assert_eq!(outcome(PostError::BadLocalAddress as u32), Counter::PostsRefusedLocal);
        assert_eq!(outcome(PostError::PeerUnreachable as u32), Counter::PostsRefusedPeer);
        assert_eq!(outcome(PostError::BusError as u32), Counter::PostsRefusedBus);
        assert_eq!(outcome(PostError::Refused as u32), Counter::PostsRefusedOwner);
        for error in [PostError::NoSuchImport, PostError::ImportForbids, PostError::ImportTooShort] {
            assert_eq!(outcome(error as u32), Counter::PostsRefusedImport);
        }
    }
}
