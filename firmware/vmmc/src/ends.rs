//! What follows when frames of ours end: acknowledged, refused, or given up with their peer.

use nic_device::{rarely, Device};
use nic_layout::counter::Counter;
use nic_layout::post::PostError;
use nic_layout::trace::Marker;
use nic_link::{Ended, Overdue, NODE_MASK};

use crate::owner::{Owner, NO_POST, REQUEST};
use crate::reply::ReadId;
use crate::{Machine, Tables};

impl<T: Tables> Machine<T> {
    /// Processes an acknowledgement. `refusals` tell which of the frames before `acknowledge` were refused ([`nic_reliable::Refusals`]).
    #[inline(always)]
    pub(crate) fn on_acknowledge(&mut self, dev: &mut impl Device, node: usize, acknowledge: u32, refusals: u32) {
        if let Some(ended) = self.link.acknowledge(dev, node, acknowledge) {
            if refusals != 0 {
                self.note_refusals(dev, ended, refusals);
            }
            self.end_frames(dev, ended);
        }
    }

    /// The same of a data frame, later: the answer to it goes first. A post that needs room calls [`Self::process_deferred`].
    #[inline(always)]
    pub(crate) fn defer_acknowledge(&mut self, dev: &mut impl Device, node: usize, acknowledge: u32) {
        if self.link.is_news(node, acknowledge) {
            if self.link.has_deferred() {
                rarely();
                return self.process_and_defer(dev, node, acknowledge);
            }
            self.link.defer(node, acknowledge);
        }
    }

    /// [`Self::defer_acknowledge`] while another one is put off.
    #[cold]
    #[inline(never)]
    fn process_and_defer(&mut self, dev: &mut impl Device, node: usize, acknowledge: u32) {
        self.process_deferred(dev);
        self.link.defer(node, acknowledge);
    }

    /// Processes the acknowledgement that was put off.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    pub(crate) fn process_deferred(&mut self, dev: &mut impl Device) {
        if let Some((node, acknowledge)) = self.link.take_deferred() {
            self.on_acknowledge(dev, node, acknowledge, 0);
        }
    }

    /// The same after a frame was sent to a peer, while that is answered: if one frame was acknowledged, and nothing waits for room.
    #[inline(always)]
    pub(crate) fn process_deferred_one(&mut self, dev: &mut impl Device, node: usize) {
        if self.blocked != 0 || self.link.has_barred() {
            rarely();
            return;
        }
        let Some(ended) = self.link.take_deferred_one(node) else {
            rarely();
            return;
        };
        if let Some(sequence) = ended {
            dev.trace(Marker::AckReceived, sequence.wrapping_add(1));
            let owner = self.link.take_back(node, sequence);
            let settle = self.end_frame(owner);
            self.unsettled.add(settle);
            dev.count(Counter::FramesAcknowledged);
            self.link.start_retransmit_timer(dev, node);
        }
        if self.unsettled.is_empty() && self.link.acks_due() == 0 {
            // Nothing is put off any more.
            self.put_off_turns = 0;
        }
    }

    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn end_frames(&mut self, dev: &mut impl Device, ended: Ended) {
        dev.trace(Marker::AckReceived, ended.first.wrapping_add(ended.count));
        let mut settle = 0;
        for sequence in ended.sequences() {
            let owner = self.link.take_back(ended.node, sequence);
            settle |= self.end_frame(owner);
        }
        dev.count_many(Counter::FramesAcknowledged, ended.count);

        self.unsettled.add(settle);
        self.link.after_acknowledgement(dev, ended.node, self.open_reads[ended.node & NODE_MASK] != 0);
        if self.blocked != 0 || self.link.has_barred() {
            self.go_behind(ended.node);
        }
    }

    /// Frames were acknowledged while posts waited for room, others were sent again, or none were to be sent.
    #[cold]
    #[inline(never)]
    fn go_behind(&mut self, node: usize) {
        self.wake(self.blocked);
        self.go_on(node);
        self.link.skip_acknowledged(node);
    }

    /// Frames for a peer that had none taken may go out again.
    pub(crate) fn go_on(&mut self, node: usize) {
        if self.link.go_on(node) {
            self.wake(self.blocked);
        }
    }

    /// Before acknowledged frames end: the posts of those that were refused end badly.
    #[cold]
    #[inline(never)]
    fn note_refusals(&mut self, dev: &mut impl Device, ended: Ended, refusals: u32) {
        for sequence in ended.refused(refusals) {
            let owner = self.link.owner(ended.node, sequence);
            self.fail_frame(dev, owner, PostError::Refused);
        }
    }

    /// The post, or the read of another node, that a frame belongs to ends badly. No further frame of it is issued.
    #[cold]
    #[inline(never)]
    pub(crate) fn fail_frame(&mut self, dev: &mut impl Device, owner: Owner, error: PostError) {
        if owner.generation == NO_POST {
            self.drop_read(dev, ReadId(owner.post.0));
            return;
        }
        if owner.generation == REQUEST {
            self.fail_request(dev, owner.post, error);
            return;
        }
        let slot_number = owner.post.slot();
        let slot = &self.slots[slot_number];
        if slot.generation != owner.generation {
            return;
        }
        if slot.sending && slot.head(slot_number) == owner.post {
            self.refuse(dev, slot_number, error);
            // Whatever the post waited for: the next one has its turn.
            self.wake(1 << slot_number);
        } else {
            self.fail_record(dev, owner.post, error as u32);
        }
    }

    /// A frame has ended. The slot to be settled, as a bit, if its post is complete now.
    #[inline(always)]
    fn end_frame(&mut self, owner: Owner) -> u32 {
        if self.slots[owner.post.slot()].generation != owner.generation {
            return 0;
        }
        let record = &mut self.records[owner.post.record()];
        record.end_frame();
        u32::from(record.is_complete()) << owner.post.slot()
    }

    /// The timer of retransmissions fired.
    pub fn on_retransmit_timer(&mut self, dev: &mut impl Device) {
        for node in self.link.expire_retransmit(dev) {
            self.on_overdue(dev, node);
        }
        self.link.restart_retransmit_timer(dev);
    }

    fn on_overdue(&mut self, dev: &mut impl Device, node: usize) {
        self.process_deferred(dev);
        match self.link.check_overdue(dev, node) {
            Overdue::Idle => self.probe(dev, node),
            Overdue::NotSent => {}
            Overdue::Unanswered => {
                self.go_on(node);
                if let Some(ended) = self.link.retry(dev, node) {
                    self.give_up(dev, ended);
                }
            }
        }
    }

    /// Sends one frame again, of the first peer that needs it.
    #[cold]
    #[inline(never)]
    pub(crate) fn resend_one(&mut self, dev: &mut impl Device) {
        match self.link.resend_one(dev, &mut self.reads) {
            Ok(false) => {}
            Ok(true) => self.wake(self.blocked),
            Err(_) => self.unasked_stalled = true,
        }
    }

    /// Ends everything that goes to a peer that is lost: buffers come back, posts end badly (INV-32).
    #[cold]
    #[inline(never)]
    fn give_up(&mut self, dev: &mut impl Device, ended: Ended) {
        let mut settle = 0;
        for sequence in ended.sequences() {
            let owner = self.link.owner(ended.node, sequence);
            self.fail_frame(dev, owner, PostError::PeerUnreachable);
            let owner = self.link.take_back(ended.node, sequence);
            settle |= self.end_frame(owner);
        }
        self.unsettled.add(settle);
        self.close_reads_to(dev, ended.node);
        // A post that is still being issued, or a read that is answered, ends when it has its turn.
        self.wake(self.blocked);
    }

    /// The timer of acknowledgements fired.
    pub fn on_ack_timer(&mut self, dev: &mut impl Device) {
        self.link.expire_acks(dev);
        if self.receive_misses.are_open() {
            self.end_receive_misses(dev);
        }
        self.link.restart_ack_timer(dev);
    }
}
