use nic_device::{rarely, Device};
use nic_dma::{HostReads, HostWrites, Transfer};
use nic_fair::RunQueue;
use nic_layout::counter::Counter;
use nic_layout::frame::link::{word, FrameKind, FLAG_ABORTED, FLAG_LAST, HEADER_BYTES};
use nic_layout::nodes::NodeSet;
use nic_layout::post::PostError;
use nic_layout::ring::DMA_FLAG_EVENT;
use nic_layout::trace::Marker;
use nic_link::{Barrier, Ended, Framing, Link, LinkConfig, WINDOW_MAX};
use nic_posts::{Owner, PostId, Posts, PostsConfig, Records};
use nic_reliable::Arrival;

use crate::frame::Buffer;
use crate::tags::{ReadTag, WriteEnd, WriteTag};
use crate::types::ProtocolTypes;

/// Data of at most this many bytes are in host memory before the core can do other work.
const SHORT_BYTES: u32 = 128;

/// Patient events give way to an answer only while at most this many host writes are in flight or
/// unhandled. A page in pieces takes no more.
const UNHEEDED_WRITES_MAX: u32 = 12;

// Besides its frames in flight a post may wait for data that it has asked for.
const _: () = assert!(WINDOW_MAX <= Records::FRAMES_MAX);

/// The frames of a protocol, as the link needs them.
#[derive(Clone, Copy, Debug)]
pub struct Frames<K>(core::marker::PhantomData<K>);

impl<K: ProtocolTypes> Framing for Frames<K> {
    type Owner = Owner;
    const NO_OWNER: Owner = Owner::NONE;
    const HEADER_BYTES: u32 = K::HEADER_BYTES;
    const MARK: u32 = K::MARK;
}

/// Whether a frame is expected soon. After a message its process may send an answer; after a piece
/// of a message the next piece arrives. For a while the event loop only reads the events, and the
/// ends of host writes and timers give way, because handling them would take longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    NotAwaited,
    /// An answer is awaited. The event loop has not read the events for it yet.
    Awaited,
    /// An answer will be awaited when the data of the message are in host memory.
    NotYet,
}

/// The configuration of the layers.
#[derive(Clone, Copy, Debug)]
pub struct LayersConfig {
    /// The link's part.
    pub link: LinkConfig,
    /// The post queues' part.
    pub posts: PostsConfig,
    /// SRAM offset of the counters.
    pub counters: u32,
    /// Largest number of data bytes of a frame.
    pub frame_data_bytes_max: u32,
    /// SRAM offset of the receive buffers. They are as long as the transmit buffers of the link.
    pub rx_buffers: u32,
    /// Number of receive buffers.
    pub rx_buffer_count: u32,
}

/// The layers below a protocol: link, DMA queues, post queues, and the slots and jobs that wait.
///
/// The order of the fields matters: small fields that every frame uses lie within reach of a load's
/// 12-bit offset from the start of the engine, the tables behind them.
#[repr(C)]
pub struct Layers<K: ProtocolTypes> {
    /// Slots and jobs that are ready, and those that wait.
    pub run: RunQueue,
    answer: Answer,
    /// Parties that await the end of transfers, as bits: [`Self::AWAITED_COMMAND`],
    /// [`Self::AWAITED_PROTOCOL`].
    awaited: u8,
    /// Whether reception waits for room for host writes.
    receive_stalled: bool,
    /// Whether jobs and retransmissions wait because the ring of host reads is full.
    unasked_stalled: bool,
    put_off_turns: u32,
    frame_data_bytes_max: u32,
    /// Peers that owe more than acknowledgements, one bit each ([`Self::set_owing`]).
    owing: NodeSet,
    /// Host reads.
    pub reads: HostReads<ReadTag<K::ReadNote>>,
    /// Host writes.
    pub writes: HostWrites<WriteTag<K::WriteNote>>,
    /// Post queues.
    pub posts: Posts<K::Head>,
    /// The link.
    pub link: Link<Frames<K>>,
    /// The progress of each post.
    pub records: Records,
}

impl<K: ProtocolTypes> Layers<K> {
    const AWAITED_COMMAND: u8 = 1;
    const AWAITED_PROTOCOL: u8 = 2;

    /// Layers before [`Self::start`], as a constant, so that they may be in a static.
    pub(crate) const fn new() -> Layers<K> {
        Layers {
            run: RunQueue::EMPTY,
            answer: Answer::NotAwaited,
            awaited: 0,
            receive_stalled: false,
            unasked_stalled: false,
            put_off_turns: 0,
            frame_data_bytes_max: 0,
            owing: 0,
            reads: HostReads::new(ReadTag::UNUSED),
            writes: HostWrites::new(WriteTag::UNUSED),
            posts: Posts::new(K::NO_HEAD),
            link: Link::new(),
            records: Records::new(),
        }
    }

    pub(crate) fn start(&mut self, dev: &mut impl Device, config: &LayersConfig) {
        self.frame_data_bytes_max = config.frame_data_bytes_max;
        dev.count_at(config.counters);
        self.posts.start(dev, &config.posts);
        self.link.start(dev, &config.link);
        for index in 0..config.rx_buffer_count {
            dev.recycle(config.rx_buffers + index * config.link.buffer_bytes);
        }
    }

    /// Largest number of data bytes of a frame.
    #[inline(always)]
    pub fn frame_data_bytes_max(&self) -> u32 {
        self.frame_data_bytes_max
    }

    // ---- Answers ----

    /// Records that a message with `data_bytes` bytes for host memory has come. Its process may
    /// answer.
    #[inline(always)]
    pub fn await_answer(&mut self, data_bytes: u32) {
        self.answer = if data_bytes <= SHORT_BYTES { Answer::Awaited } else { Answer::NotYet };
    }

    /// Records that a piece of a message has come. The next piece comes before other work can be
    /// done.
    #[inline(always)]
    pub fn await_piece(&mut self) {
        self.answer = Answer::Awaited;
    }

    /// Records that no frame is expected.
    #[inline(always)]
    pub fn await_nothing(&mut self) {
        self.answer = Answer::NotAwaited;
    }

    #[inline(always)]
    pub(crate) fn awaits_answer(&self) -> bool {
        self.answer == Answer::Awaited
    }

    /// Whether patient events give way to an answer, or to a piece, in this turn.
    #[inline(always)]
    pub(crate) fn waits_for_answer(&mut self, dev: &impl Device, has_frame: bool) -> bool {
        match self.answer {
            Answer::NotAwaited => return false,
            Answer::Awaited if !has_frame => {
                self.answer = Answer::NotAwaited;
                return false;
            }
            Answer::Awaited => {}
            Answer::NotYet => {
                if dev.dma_write_consumer() == self.writes.next_number() as u16 {
                    self.answer = Answer::Awaited;
                }
            }
        }
        self.writes.under_way() <= UNHEEDED_WRITES_MAX
    }

    // ---- What waits ----

    /// Sets whether the protocol awaits the end of transfers ([`crate::Protocol::on_awaited`]).
    pub fn await_transfers(&mut self, is_awaited: bool) {
        self.awaited = self.awaited & !Self::AWAITED_PROTOCOL | if is_awaited { Self::AWAITED_PROTOCOL } else { 0 };
    }

    /// Sets whether a command of the driver awaits the end of transfers.
    pub(crate) fn await_transfers_for_command(&mut self, is_awaited: bool) {
        self.awaited = self.awaited & !Self::AWAITED_COMMAND | u8::from(is_awaited);
    }

    /// Whether the protocol or a command awaits the end of transfers.
    #[inline(always)]
    pub(crate) fn awaits_transfers(&self) -> bool {
        self.awaited != 0
    }

    pub(crate) fn protocol_awaits_transfers(&self) -> bool {
        self.awaited & Self::AWAITED_PROTOCOL != 0
    }

    pub(crate) fn command_awaits_transfers(&self) -> bool {
        self.awaited & Self::AWAITED_COMMAND != 0
    }

    /// Whether one of the layers waits for the end of a host write.
    #[inline(always)]
    pub(crate) fn awaits_writes(&self) -> bool {
        !self.writes.has_ended(self.writes.data_mark())
            || self.posts.status_is_behind()
            || self.run.blocked() != 0
            || self.receive_stalled
            || self.awaited != 0
    }

    /// Lets reception wait until a host write has ended.
    #[inline(always)]
    pub fn stall_reception(&mut self) {
        self.receive_stalled = true;
    }

    /// Ends the stall of reception. True if there was one.
    #[inline(always)]
    pub(crate) fn take_stall(&mut self) -> bool {
        let was_stalled = self.receive_stalled;
        if was_stalled {
            rarely();
            self.receive_stalled = false;
        }
        was_stalled
    }

    /// Lets jobs and retransmissions try again: the ring of host reads has room.
    #[inline(always)]
    pub(crate) fn end_unasked_stall(&mut self) {
        self.unasked_stalled = false;
    }

    /// Whether a job or a retransmission is ready and the ring of host reads has room for it.
    #[inline(always)]
    pub(crate) fn has_unasked(&self) -> bool {
        self.run.jobs() != 0 && !self.unasked_stalled
    }

    /// Whether a job of the protocol is ready and the ring of host reads has room for it.
    pub(crate) fn has_jobs(&self) -> bool {
        self.run.jobs() & !RunQueue::RETRANSMIT != 0 && !self.unasked_stalled
    }

    /// Sets whether the protocol awaits more than acknowledgements from a peer, such as a reply.
    /// While it does and no frame to the peer is in flight, probes check that the peer is alive.
    #[inline(always)]
    pub fn set_owing(&mut self, node: usize, is_owing: bool) {
        let bit = 1 << (node & nic_link::NODE_MASK);
        self.owing = if is_owing { self.owing | bit } else { self.owing & !bit };
    }

    /// Whether the protocol awaits more than acknowledgements from a peer.
    #[inline(always)]
    pub fn is_owing(&self, node: usize) -> bool {
        self.owing >> (node & nic_link::NODE_MASK) & 1 != 0
    }

    // ---- What is put off ----

    /// Deferred work, that is, ends of posts and acknowledgements: 0 if there is none.
    #[inline(always)]
    pub(crate) fn put_off(&self) -> u32 {
        self.posts.unsettled() | self.link.put_off()
    }

    /// Counts a turn with deferred work. Returns the number of such turns in a row.
    #[inline(always)]
    pub(crate) fn count_put_off_turn(&mut self) -> u32 {
        self.put_off_turns += 1;
        self.put_off_turns
    }

    /// Begins the count of turns anew: deferred work is being done.
    #[inline(always)]
    pub(crate) fn end_put_off(&mut self) {
        self.put_off_turns = 0;
    }

    // ---- Acknowledgements that arrive ----

    /// Processes an acknowledgement. `before_end` sees which frames end while they are still in
    /// flight.
    #[inline(always)]
    pub(crate) fn on_acknowledge<D: Device>(
        &mut self,
        dev: &mut D,
        node: usize,
        acknowledge: u32,
        before_end: impl FnOnce(&mut Self, &mut D, Ended),
    ) {
        if let Some(ended) = self.link.acknowledge(dev, node, acknowledge) {
            before_end(self, dev, ended);
            self.end_frames(dev, ended.node, ended.first, ended.count);
        }
    }

    /// Defers the acknowledgement that a data frame carries, so that an answer can go first. A post
    /// that needs room calls [`Self::process_deferred`].
    #[inline(always)]
    pub fn defer_acknowledge(&mut self, dev: &mut impl Device, node: usize, acknowledge: u32) {
        if self.link.is_news(node, acknowledge) {
            if self.link.has_deferred() {
                rarely();
                return self.process_and_defer(dev, node, acknowledge);
            }
            self.link.defer(node, acknowledge);
        }
    }

    /// [`Self::defer_acknowledge`] while another acknowledgement is deferred.
    #[cold]
    #[inline(never)]
    fn process_and_defer(&mut self, dev: &mut impl Device, node: usize, acknowledge: u32) {
        self.process_deferred(dev);
        self.link.defer(node, acknowledge);
    }

    /// Processes the deferred acknowledgement, if there is one.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    pub fn process_deferred(&mut self, dev: &mut impl Device) {
        if let Some((node, acknowledge)) = self.link.take_deferred() {
            self.on_acknowledge(dev, node, acknowledge, |_, _, _| {});
        }
    }

    /// Processes the deferred acknowledgement of a peer after a frame was sent to it, while the
    /// peer answers. Does so only if it acknowledges at most one frame and no post waits for room.
    #[inline(always)]
    pub fn process_deferred_one(&mut self, dev: &mut impl Device, node: usize) {
        if self.run.blocked() != 0 || self.link.has_barred() {
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
            let settle = self.posts.end_frame(&mut self.records, owner);
            self.posts.note_complete(settle);
            dev.count(Counter::FramesAcknowledged);
            self.link.start_retransmit_timer(dev, node);
        }
        if self.posts.unsettled() == 0 && self.link.acks_due() == 0 {
            // No work is deferred any more.
            self.put_off_turns = 0;
        }
    }

    /// Takes acknowledged frames back. Words and no [`Ended`], which would be passed in memory.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn end_frames(&mut self, dev: &mut impl Device, node: usize, first: u32, count: u32) {
        dev.trace(Marker::AckReceived, first.wrapping_add(count));
        let mut settle = 0;
        for sequence in (Ended { node, first, count }).sequences() {
            let owner = self.link.take_back(node, sequence);
            settle |= self.posts.end_frame(&mut self.records, owner);
        }
        dev.count_many(Counter::FramesAcknowledged, count);

        self.posts.note_complete(settle);
        let is_owing = self.is_owing(node);
        self.link.after_acknowledgement(dev, node, is_owing);
        if self.run.blocked() != 0 || self.link.has_barred() {
            self.go_behind(node);
        }
    }

    /// Handles an acknowledgement while posts wait for room, frames are retransmitted, or the peer
    /// is barred from new frames.
    #[cold]
    #[inline(never)]
    fn go_behind(&mut self, node: usize) {
        self.run.wake_blocked();
        self.go_on(node);
        self.link.skip_acknowledged(node);
    }

    /// Allows new frames to a peer again, and wakes the posts that wait for room if the peer was
    /// barred.
    pub(crate) fn go_on(&mut self, node: usize) {
        if self.link.go_on(node) {
            self.run.wake_blocked();
        }
    }

    /// Ends a frame that will not be acknowledged.
    pub(crate) fn take_back(&mut self, node: usize, sequence: u32) {
        let owner = self.link.take_back(node, sequence);
        let settle = self.posts.end_frame(&mut self.records, owner);
        self.posts.note_complete(settle);
    }

    // ---- Frames that arrive ----

    /// Accepts the frame in order: it will be acknowledged. Its receive buffer is free.
    #[inline(never)]
    pub fn accept(&mut self, dev: &mut impl Device, sequence: u32, node: usize, is_last: bool) -> Buffer {
        self.accept_straight(dev, sequence, node, is_last);
        Buffer::Free
    }

    /// [`Self::accept`] as part of its caller.
    #[inline(always)]
    pub fn accept_straight(&mut self, dev: &mut impl Device, sequence: u32, node: usize, is_last: bool) {
        self.link.advance(node);
        dev.count(Counter::FramesAccepted);
        dev.trace(Marker::Accepted, sequence);
        self.link.owe_ack(dev, node, is_last);
    }

    /// Drops a frame as if it had never come, and counts it.
    #[cold]
    #[inline(never)]
    pub fn drop_frame(&mut self, dev: &mut impl Device, reason: Counter) -> Buffer {
        dev.count(reason);
        dev.trace(Marker::Dropped, reason as u32);
        Buffer::Free
    }

    /// Refuses the frame in order for good: the sequence goes on (M-49). The sender learns that the
    /// frame was refused, but not why (INV-24).
    #[cold]
    #[inline(never)]
    pub fn refuse_frame(&mut self, dev: &mut impl Device, node: usize, is_last: bool, reason: Counter) -> Buffer {
        dev.count(reason);
        dev.trace(Marker::Refused, reason as u32);
        self.link.refuse(dev, node, is_last);
        Buffer::Free
    }

    /// Compares the number of a frame with the next number of its node. `None`: the frame is in
    /// order. `Some(false)`: an earlier frame is missing. `Some(true)`: a duplicate, for which an
    /// acknowledgement is owed.
    #[inline(always)]
    pub fn classify(&mut self, dev: &mut impl Device, node: usize, sequence: u32, is_last: bool) -> Option<bool> {
        match self.link.classify(node, sequence) {
            Arrival::InOrder => None,
            Arrival::Gap => Some(false),
            Arrival::Duplicate => {
                self.link.owe_ack(dev, node, is_last);
                Some(true)
            }
        }
    }

    // ---- Frames that are sent ----

    /// The number of the next free transmit buffer, if a frame to a peer can be sent now.
    ///
    /// # Errors
    /// [`Barrier`]: why no frame can be sent.
    #[inline(always)]
    pub fn room_to(&mut self, dev: &mut impl Device, node: usize) -> Result<usize, Barrier> {
        self.link.check_room(&self.reads, node, K::FRAME_READS)?;
        self.link.ready_buffer(dev).ok_or(Barrier::Full)?;
        Ok(self.link.first_buffer())
    }

    /// Whether window and rings have room for a frame to a peer. The caller checks for a free
    /// buffer.
    #[inline(always)]
    pub fn can_send(&self, node: usize) -> bool {
        !self.link.is_barred(node) && self.link.has_place(node) && self.reads.has_room(K::FRAME_READS)
    }

    /// Sends the frame in the next free buffer. The caller has written the protocol's words of the
    /// header; the data are in the buffer or their host read is posted.
    #[inline(always)]
    pub fn send_frame(&mut self, dev: &mut impl Device, node: usize, data_bytes: u32, owner: Owner) {
        self.link.send(dev, &mut self.reads, node, data_bytes, owner);
        self.answer = Answer::NotAwaited;
    }

    /// Posts a host read for the frame in a transmit buffer. The caller has made sure that the ring
    /// has room.
    #[inline(always)]
    pub fn read_into_frame(
        &mut self,
        dev: &mut impl Device,
        transfer: Transfer,
        flags: u32,
        frame: usize,
        note: K::ReadNote,
    ) {
        self.reads.post(dev, transfer, flags, ReadTag::of_frame(note, frame));
    }

    /// Posts a host read whose data belong to no frame, and returns the number of the transfer. The
    /// caller has made sure that the ring has room.
    pub fn read_apart(&mut self, dev: &mut impl Device, transfer: Transfer, note: K::ReadNote) -> u32 {
        let number = self.reads.next_number();
        self.reads.post(dev, transfer, DMA_FLAG_EVENT, ReadTag::of_protocol(note));
        number
    }

    /// Posts a host write of a frame's data. The caller has made sure that the ring has room.
    #[inline(always)]
    pub fn write_data(
        &mut self,
        dev: &mut impl Device,
        transfer: Transfer,
        flags: u32,
        note: K::WriteNote,
        end: WriteEnd,
    ) {
        self.writes.post_data(dev, transfer, flags, WriteTag::new(note, end));
    }

    /// Retransmits one frame, to the first peer that needs it.
    #[inline(always)]
    pub(crate) fn resend_one(&mut self, dev: &mut impl Device) {
        match self.link.resend_one(dev, &mut self.reads) {
            Ok(false) => {}
            Ok(true) => self.run.wake_blocked(),
            Err(_) => self.unasked_stalled = true,
        }
        if self.link.resending() == 0 {
            self.run.take_job(RunQueue::RETRANSMIT);
        }
    }

    /// Makes the job of the link ready, since frames may have to be sent again. So a turn asks one
    /// word whether any job is ready.
    pub(crate) fn retransmit(&mut self) {
        self.run.add_jobs(RunQueue::RETRANSMIT);
    }

    /// Aborts a frame whose data the host bus did not deliver: the frame keeps its number, carries
    /// the flag of an aborted frame and no data. Returns its owner.
    pub(crate) fn abort_frame(&mut self, dev: &mut impl Device, frame: usize) -> Option<Owner> {
        self.link.abort(dev, frame, FLAG_LAST | FLAG_ABORTED)
    }

    /// Probes a peer that owes more than acknowledgements and to which no frame is in flight. A
    /// peer that does not acknowledge the probe is given up (INV-32).
    #[cold]
    #[inline(never)]
    pub(crate) fn probe(&mut self, dev: &mut impl Device, node: usize) {
        if !self.is_owing(node) {
            return;
        }
        if self.link.ready_buffer(dev).is_none() || !self.can_send(node) {
            self.link.start_retransmit_timer(dev, node);
            return;
        }
        dev.count(Counter::ProbesSent);
        let at = dev.place(self.link.ready_address());
        dev.put(at, word::TYPE, word::kind(FrameKind::PROBE, FLAG_LAST) ^ K::MARK);
        for offset in (HEADER_BYTES as u32..K::HEADER_BYTES).step_by(4) {
            dev.put(at, offset, 0);
        }
        self.send_frame(dev, node, 0, Owner::NOTHING);
    }

    // ---- Posts ----

    /// Takes one doorbell ([`Posts::on_doorbell`]).
    #[inline(always)]
    pub(crate) fn on_doorbell(&mut self, dev: &mut impl Device) -> (bool, Option<usize>) {
        self.posts.on_doorbell(dev, &mut self.run, &mut self.writes)
    }

    /// Lets the post of a slot wait for room, and processes the deferred acknowledgement, which may
    /// free room.
    pub fn block(&mut self, dev: &mut impl Device, slot: usize) {
        self.run.block(1 << slot);
        dev.trace(Marker::PostBlocked, slot as u32);
        self.process_deferred(dev);
    }

    /// Fails the post at the head of a slot: no further frame of it is issued, and it ends when its
    /// frames in flight have ended. The slot goes on with its next post.
    pub fn refuse_head(&mut self, dev: &mut impl Device, slot: usize, error: PostError) {
        self.posts.refuse(dev, &mut self.records, &mut self.writes, slot, error);
        self.run.push(slot);
    }

    /// Fails the post at the head of a slot, which goes to a peer that has started again. The
    /// caller has seen that frames of the post are still to be issued; whatever the post waits for,
    /// the slot goes on with its next post.
    pub fn cut_off_head(&mut self, dev: &mut impl Device, slot: usize) {
        self.posts.refuse(dev, &mut self.records, &mut self.writes, slot, PostError::PeerUnreachable);
        self.run.wake(1 << slot);
    }

    /// [`Self::refuse_head`] for a post that was just read, which it counts.
    #[cold]
    #[inline(never)]
    pub fn refuse_fetched(&mut self, dev: &mut impl Device, slot: usize, error: PostError) {
        dev.count(Counter::PostsFetched);
        self.refuse_head(dev, slot, error);
    }

    /// Fails the post of a frame.
    pub(crate) fn fail_post(&mut self, dev: &mut impl Device, owner: Owner, error: PostError) {
        self.posts.fail_frame(dev, &mut self.records, &mut self.run, &mut self.writes, owner, error);
    }

    /// Fails a post whose requested data will not come. It ends when its frames have ended.
    pub fn fail_awaited(&mut self, dev: &mut impl Device, post: PostId, error: PostError) {
        self.posts.fail(dev, &mut self.records, post, error);
        if self.records.end_frame(post) {
            self.posts.note_complete(1 << post.slot());
        }
    }

    /// Ends the complete posts of a slot, from the oldest up to the first that is not complete.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    pub fn settle(&mut self, dev: &mut impl Device, slot: usize) {
        self.posts.settle(dev, &mut self.records, &mut self.writes, slot);
    }

    /// Ends a post that has just become complete, and complete posts behind it. The common path is
    /// the oldest post of its slot with no complete post behind it.
    #[inline(always)]
    pub fn settle_post(&mut self, dev: &mut impl Device, post: PostId) {
        if !self.posts.settle_one(dev, &mut self.records, &mut self.writes, post) {
            rarely();
            self.settle(dev, post.slot());
        }
    }

    /// Writes the status pages that are out of date.
    #[inline(always)]
    pub(crate) fn write_statuses(&mut self, dev: &mut impl Device) {
        self.posts.write_statuses(dev, &mut self.writes);
    }

    /// Forgets everything about a slot that the driver has closed.
    pub(crate) fn close_slot(&mut self, dev: &mut impl Device, slot: usize) {
        self.posts.close(dev, &mut self.records, &mut self.run, slot);
    }

    /// Gives a drained queue to the next process ([`Posts::assign`]).
    pub(crate) fn assign_queue(&mut self, dev: &mut impl Device, slot: usize) {
        self.posts.assign(dev, &mut self.records, &mut self.run, slot);
    }
}
