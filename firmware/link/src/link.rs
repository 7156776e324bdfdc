use nic_device::{rarely, Device, Place, MAC_RING_LOG2, TX_BUFFERS_MAX};
use nic_dma::{HostReads, ReadTag};
use nic_fair::Circle;
use nic_layout::boot::MAX_NODES;
use nic_layout::counter::Counter;
use nic_layout::frame::{word, FrameKind};
use nic_layout::plant::{is_planted, Plant};
use nic_layout::trace::Marker;
use nic_reliable::{is_refused, AckDue, Acknowledged, Alarms, Arrival, Expired, ReceiveState, Refusals, SendWindow};

use crate::buffers::{Frames, TransmitBuffers};
use crate::peer::Peer;
use crate::{LinkConfig, ACK_BUFFER_BYTES, LOST_RESTART_LOG2, WINDOW_MAX};

/// The timer of retransmissions, and that of acknowledgements.
pub const RETRANSMIT_TIMER: usize = 0;
pub const ACK_TIMER: usize = 1;

/// A node number within the table of peers.
pub const NODE_MASK: usize = MAX_NODES - 1;
const WINDOW_MASK: usize = WINDOW_MAX as usize - 1;

/// Data frames take at most [`TX_BUFFERS_MAX`] places of the transmit ring, since each is there once; frames without data take no more
/// than the rest.
const TRANSMIT_RING_ACKS: u32 = (1 << MAC_RING_LOG2) - TX_BUFFERS_MAX;
/// With so many frames in the ring altogether there is room for one more frame without data.
const TRANSMIT_RING_ACK_LIMIT: u32 = TRANSMIT_RING_ACKS - 1;

/// What a protocol puts into frames.
pub trait Framing: Copy {
    /// To what of the protocol a frame belongs.
    type Owner: Copy;
    /// Stands where no owner is.
    const NO_OWNER: Self::Owner;
    /// Header of every frame: that of the link, and that of the protocol behind it.
    const HEADER_BYTES: u32;
    /// In what type words differ from those of [`word::kind`].
    const MARK: u32;
}

/// Why a frame cannot be sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barrier {
    /// There is no room in the window, the rings or the buffers, or older frames to the peer come first.
    Full,
    /// The peer is lost.
    Unreachable,
}

/// Frames to one peer that have ended: acknowledged, or given up. Each is to be taken back by [`Link::take_back`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    pub node: usize,
    /// The first sequence number.
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// What the retransmission timer of a peer means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overdue {
    /// Nothing is in flight.
    Idle,
    /// The oldest frame never left: the host or the link is slow, not the peer. The timer runs again.
    NotSent,
    /// The peer did not acknowledge the oldest frame.
    Unanswered,
}

/// All peers of a node.
///
/// In this order: what is small lies within reach of a load's 12-bit offset from the start, the tables behind it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Link<F: Framing> {
    /// The words of a frame's header that never change.
    address_words: [u32; 3],
    node_word: u32,
    window_frames: u32,
    ack_frames: u32,
    ack_cycles: u32,
    retransmit_cycles: u32,
    retransmit_limit: u32,
    ack_buffers: u32,
    /// Sets of nodes, one bit each. Numbers that are no peers.
    strangers: u32,
    /// Peers whose frames are sent again.
    resending: u32,
    /// Peers that get no new frames: those that are `lost` or `halted`.
    barred: u32,
    /// Peers that must learn which of their frames were refused.
    refusing: u32,
    /// The peer whose last data frame acknowledged something new, as a bit, and what; none: 0.
    deferred: u32,
    deferred_acknowledge: u32,
    /// Peers that shall have an acknowledgement.
    acks_due: Circle,
    retransmit: Alarms<MAX_NODES>,
    ack_delay: Alarms<MAX_NODES>,
    buffers: TransmitBuffers,
    peers: [Peer; MAX_NODES],
    frames: Frames<F::Owner>,
    refusals: [Refusals; MAX_NODES],
    /// Peers that did not answer `retransmit_limit` times. They stay lost until their session
    /// changes: only a new session knows again where both sides stand.
    lost: u32,
    /// Peers that told of a miss and will tell when they take frames again.
    halted: u32,
}

impl<F: Framing> Link<F> {
    /// All zero where the framing's owner is, so that it may live in memory that start-up clears.
    pub const fn new() -> Self {
        Link {
            address_words: [0; 3],
            node_word: 0,
            window_frames: 0,
            ack_frames: 0,
            ack_cycles: 0,
            retransmit_cycles: 0,
            retransmit_limit: 0,
            ack_buffers: 0,
            strangers: 0,
            resending: 0,
            barred: 0,
            refusing: 0,
            deferred: 0,
            deferred_acknowledge: 0,
            acks_due: Circle::EMPTY,
            retransmit: Alarms::new(),
            ack_delay: Alarms::new(),
            buffers: TransmitBuffers::NONE,
            peers: [Peer::EMPTY; MAX_NODES],
            frames: Frames::new(F::NO_OWNER),
            refusals: [Refusals::NONE; MAX_NODES],
            lost: 0,
            halted: 0,
        }
    }

    /// Knows all nodes of the cluster, and prepares buffers. Call once, before anything else.
    pub fn start(&mut self, dev: &mut impl Device, config: &LinkConfig) {
        self.window_frames = config.window_frames;
        self.ack_frames = config.ack_frames;
        self.ack_cycles = config.ack_cycles;
        self.retransmit_cycles = config.retransmit_cycles;
        self.retransmit_limit = config.retransmit_limit;
        self.ack_buffers = config.ack_buffers;
        self.strangers = (u32::MAX << config.node_count) | 1 << config.node;
        let own = word::station(config.node as u8, config.session as u8);
        self.address_words = word::addresses(own, own);
        self.node_word = word::node_length(config.node as u8, config.session as u8, 0);
        for peer in &mut self.peers {
            peer.identity = Peer::NOBODY;
        }
        for node in 0..config.node_count {
            for at in [self.ack_buffer(node as usize), self.notice_buffer(node as usize)] {
                for offset in (0..F::HEADER_BYTES).step_by(4) {
                    dev.write(at + offset, 0);
                }
            }
            self.start_peer(dev, node as usize, config.session);
        }
        self.peers[config.node as usize & NODE_MASK].identity = Peer::NOBODY;
        self.buffers.start(&mut self.frames, config.tx_buffers, config.buffer_bytes, config.tx_buffer_count);
        for index in 0..config.tx_buffer_count {
            let address = config.tx_buffers + index * config.buffer_bytes;
            dev.write(address + word::ADDRESS_0, self.address_words[0]);
            dev.write(address + word::ADDRESS_2, self.address_words[2]);
        }
    }

    /// Gives a peer its session: what stands in its frames, and in frames to it.
    ///
    /// A frame to the earlier incarnation may still be in the transmit ring. It stays a frame at any
    /// time, and tells of nothing before it goes to the new incarnation.
    fn start_peer(&mut self, dev: &mut impl Device, node: usize, session: u32) {
        let [_, address_word, _] = word::addresses(word::station(node as u8, session as u8), 0);
        for at in [self.ack_buffer(node), self.notice_buffer(node)] {
            dev.write(at + word::TYPE, word::kind(FrameKind::Acknowledge, 0) ^ F::MARK);
            for offset in [word::SEQUENCE, word::ACKNOWLEDGE, word::REFUSALS] {
                dev.write(at + offset, 0);
            }
            dev.write(at + word::ADDRESS_0, self.address_words[0]);
            dev.write(at + word::ADDRESS_1, address_word);
            dev.write(at + word::ADDRESS_2, self.address_words[2]);
            dev.write(at + word::NODE_LENGTH, self.node_word);
        }
        let peer = &mut self.peers[node & NODE_MASK];
        peer.address_word = address_word;
        peer.identity = word::node_length(node as u8, session as u8, 0);
    }

    /// A peer has started again, with another session (INV-31). All frames in flight to the peer
    /// have ended: the caller tells their owners, takes the frames back, and sends nothing before.
    /// Numbers begin anew on both sides. Frames of and for the earlier incarnation are refused by
    /// the addresses and sessions that stand in them.
    ///
    /// `node` is a peer. The low 8 bits of `session` count.
    #[cold]
    #[inline(never)]
    pub fn restart_peer(&mut self, dev: &mut impl Device, node: usize, session: u32) -> Ended {
        let node = node & NODE_MASK;
        let bit = 1 << node;
        let peer = &mut self.peers[node];
        let first = peer.window.oldest();
        let count = peer.window.abandon();
        peer.window = SendWindow::new(0);
        peer.receive = ReceiveState::new(0);
        self.refusals[node] = Refusals::NONE;
        self.refusing &= !bit;
        self.resending &= !bit;
        self.lost &= !bit;
        self.halted &= !bit;
        self.barred = self.lost | self.halted;
        // It acknowledged numbers of the session before.
        self.deferred &= !bit;
        self.acks_due.remove(node);
        self.ack_delay.cancel(node);
        self.retransmit.cancel(node);
        self.start_peer(dev, node, session);
        dev.count_many(Counter::FramesAbandoned, count);
        Ended { node, first, count }
    }

    #[inline(always)]
    fn ack_buffer(&self, node: usize) -> u32 {
        self.ack_buffers + node as u32 * ACK_BUFFER_BYTES
    }

    /// Where the frame is that tells a peer of misses.
    fn notice_buffer(&self, node: usize) -> u32 {
        self.ack_buffer(MAX_NODES + node)
    }

    // ---- Transmit buffers ----

    /// Where a buffer begins in SRAM.
    #[inline(always)]
    pub fn buffer_address(&self, buffer: usize) -> u32 {
        self.buffers.address(buffer)
    }

    /// The address of the free buffer that has rested longest, if the MAC is done with it. It stays free until it is taken.
    #[inline(always)]
    pub fn ready_buffer(&mut self, dev: &mut impl Device) -> Option<u32> {
        self.buffers.ready(dev, &self.frames)
    }

    /// The address that [`Self::ready_buffer`] gave.
    #[inline(always)]
    pub fn ready_address(&self) -> u32 {
        self.buffers.ready_address()
    }

    /// The number of the buffer that [`Self::take_buffer`] takes next. 0 if there is none.
    #[inline(always)]
    pub fn first_buffer(&self) -> usize {
        self.buffers.first()
    }

    /// The same where the caller knows that there is one.
    #[inline(always)]
    pub fn next_buffer(&self) -> usize {
        self.buffers.next()
    }

    /// Takes the buffer that is next.
    #[inline(always)]
    pub fn take_buffer(&mut self) {
        self.buffers.take();
    }

    /// Looks whether the MAC is done with the buffer that is taken next.
    #[inline(always)]
    pub fn find_ready_buffer(&mut self, dev: &mut impl Device) {
        self.buffers.find_ready(dev, &self.frames);
    }

    /// Whether so many buffers are free, and the transmit ring holds a copy of none that is.
    #[inline(always)]
    pub fn has_buffers(&mut self, dev: &mut impl Device, count: u32) -> bool {
        self.buffers.free_count() >= count && !self.buffers.linger(dev)
    }

    // ---- What is known of peers ----

    /// Whether a node is a peer of this one: it exists, and is not this node.
    #[inline(always)]
    pub fn is_peer(&self, node: u32) -> bool {
        node < MAX_NODES as u32 && self.strangers >> node & 1 == 0
    }

    /// Whether there is anything to know of a node before a frame is sent to it: it is no peer, its frames are sent again, it gets no
    /// new frames, or must learn of refusals.
    #[inline(always)]
    pub fn is_special(&self, node: u32) -> bool {
        let special = self.strangers | self.barred | self.resending | self.refusing;
        node >= MAX_NODES as u32 || special >> node & 1 != 0
    }

    /// Whether a peer must learn of refusals, which only a frame without data can tell.
    #[inline(always)]
    pub fn is_refusing(&self, node: usize) -> bool {
        self.refusing >> (node & NODE_MASK) & 1 != 0
    }

    /// Whether a peer was given up.
    #[inline(always)]
    pub fn is_lost(&self, node: usize) -> bool {
        self.lost >> (node & NODE_MASK) & 1 != 0
    }

    /// Peers whose frames are sent again, one bit each.
    #[inline(always)]
    pub fn resending(&self) -> u32 {
        self.resending
    }

    /// Whether some peer gets no new frames, or has frames sent again: acknowledgements may let something go on.
    #[inline(always)]
    pub fn has_barred(&self) -> bool {
        self.barred | self.resending != 0
    }

    /// Whether older frames to a peer come before new ones, or the peer takes none.
    #[inline(always)]
    pub fn is_barred(&self, node: usize) -> bool {
        (self.barred | self.resending) >> node & 1 != 0
    }

    /// Whether the window of a peer takes `count` more frames.
    #[inline(always)]
    pub fn has_window(&self, node: usize, count: u32) -> bool {
        self.peers[node & NODE_MASK].window.in_flight() + count <= self.window_frames
    }

    /// Whether the window of a peer takes one more frame.
    #[inline(always)]
    pub fn has_place(&self, node: usize) -> bool {
        self.peers[node & NODE_MASK].window.in_flight() < self.window_frames
    }

    /// Frames in flight to a peer.
    #[inline(always)]
    pub fn in_flight(&self, node: usize) -> u32 {
        self.peers[node & NODE_MASK].window.in_flight()
    }

    /// Whether a frame to a peer, with so many host reads, has room in its window and in the ring. A frame without data needs a place in
    /// the ring if other transfers are under way.
    #[inline(always)]
    pub fn check_room<R: ReadTag>(&self, reads: &HostReads<R>, node: usize, count: u32) -> Result<(), Barrier> {
        if self.is_barred(node) {
            // New frames do not overtake those that are sent again, or that miss: the peer would drop them.
            rarely();
            return Err(if self.lost >> node & 1 != 0 { Barrier::Unreachable } else { Barrier::Full });
        }
        let lacks_reads = (count > 1 || !reads.is_idle()) && !reads.has_room(count);
        if self.peers[node].window.in_flight() >= self.window_frames || lacks_reads {
            rarely();
            return Err(Barrier::Full);
        }
        Ok(())
    }

    // ---- Frames with a number that are sent ----

    /// Takes the next number of a peer, and the header word with its address.
    #[inline(always)]
    pub fn issue(&mut self, node: usize) -> (u32, u32) {
        let peer = &mut self.peers[node];
        (peer.window.issue(), peer.address_word)
    }

    /// The header word of node and length.
    #[inline(always)]
    pub fn node_length(&self, data_bytes: u32) -> u32 {
        self.node_word | data_bytes << 16
    }

    /// Gives a frame the next number of its peer, and writes the words of its header that depend on the peer.
    #[inline(always)]
    pub fn number(&mut self, dev: &mut impl Device, node: usize, at: Place, data_bytes: u32, acknowledge: u32) -> u32 {
        let (sequence, address_word) = self.issue(node);
        dev.put(at, word::ADDRESS_1, address_word);
        dev.put(at, word::NODE_LENGTH, self.node_length(data_bytes));
        dev.put(at, word::SEQUENCE, sequence);
        dev.put(at, word::ACKNOWLEDGE, acknowledge);
        sequence
    }

    /// Puts a frame at the end of the transmit ring; it goes out when it is released. Its place, counted without end.
    #[inline(always)]
    pub fn place(&mut self, dev: &mut impl Device, address: u32, length_bytes: u32) -> u32 {
        self.buffers.place(dev, address, length_bytes)
    }

    /// Notes a frame that was placed: the number it has, the buffer it is in, to what it belongs.
    #[inline(always)]
    pub fn note_sent(
        &mut self,
        node: usize,
        sequence: u32,
        buffer: usize,
        transmit_index: u32,
        length_bytes: u32,
        owner: F::Owner,
    ) {
        self.peers[node].in_flight[sequence as usize & WINDOW_MASK] = buffer as u8;
        self.frames.note(buffer, transmit_index, length_bytes, owner);
    }

    /// Gives the frame in the next free buffer its number, and hands it to the MAC: the words of its header that say what it is, and its
    /// data, are in the buffer, or on their way. The caller has asked for room ([`Self::check_room`]) and for a ready buffer.
    #[inline(always)]
    pub fn send<R: ReadTag>(
        &mut self,
        dev: &mut impl Device,
        reads: &mut HostReads<R>,
        node: usize,
        data_bytes: u32,
        owner: F::Owner,
    ) {
        let node = node & NODE_MASK;
        let buffer = self.buffers.first();
        let (address, length_bytes) = (self.buffers.address(buffer), F::HEADER_BYTES + data_bytes);
        let at = dev.place(address);
        let acknowledge = self.acknowledge_with(node);
        let sequence = self.number(dev, node, at, data_bytes, acknowledge);
        let transmit_index = self.place(dev, address, length_bytes);
        reads.release(dev);
        dev.trace(Marker::TransmitPosted, sequence);
        self.buffers.take();
        self.note_sent(node, sequence, buffer, transmit_index, length_bytes, owner);
        dev.count(Counter::FramesSent);
        self.keep_retransmit_timer(dev, node);
        self.find_ready_buffer(dev);
    }

    /// The data of a frame that was placed did not come: it says so, and carries none. Its number stays, so the sequence is whole. The
    /// owner.
    pub fn abort(&mut self, dev: &mut impl Device, buffer: usize, flags: u8) -> F::Owner {
        let address = self.buffers.address(buffer);
        let kind = dev.read(address + word::TYPE) & word::KIND_MASK;
        dev.write(address + word::TYPE, kind | u32::from(flags) << 24);
        dev.write(address + word::NODE_LENGTH, self.node_word);
        self.frames.shorten(dev, buffer, F::HEADER_BYTES);
        self.frames.owner(buffer)
    }

    // ---- Frames that arrive ----

    /// Shape, flags, destination, source and session of a frame: the node that sent it, or the counter that says what is wrong. One
    /// after the other, since a branch that is not taken costs least. `IS_PLAIN`: the caller has seen the flags; otherwise none but
    /// `flags` may be set.
    #[inline(always)]
    pub fn check_source<const IS_PLAIN: bool>(
        &self,
        dev: &impl Device,
        at: Place,
        (type_word, flags): (u32, u8),
        node_length: u32,
        length_bytes: u32,
    ) -> Result<usize, Counter> {
        let data_bytes = word::data_bytes(node_length);
        // The MAC takes no frame that is shorter than any may be, or longer than those with the most data (`MAC_RX.MAX_FRAME`).
        if F::HEADER_BYTES + data_bytes > length_bytes || !IS_PLAIN && word::flags(type_word) & !flags != 0 {
            return Err(Counter::FramesMalformed);
        }
        let address_0 = dev.get(at, word::ADDRESS_0) ^ self.address_words[0];
        let address_1 = dev.get(at, word::ADDRESS_1) ^ self.address_words[1];
        // Bits 23:16 are the session of the receiver.
        let address_bits = if is_planted(Plant::OldSession) { !(0xFF << 16) } else { u32::MAX };
        if (address_0 | address_1 << 16) & address_bits != 0 {
            return Err(Counter::FramesMalformed);
        }
        let node = word::node(node_length) as usize & NODE_MASK;
        let identity_bits = if is_planted(Plant::OldSession) { 0xFF } else { u32::MAX };
        if (word::identity(node_length) ^ self.peers[node].identity) & identity_bits != 0 {
            return Err(Counter::FramesStrange);
        }
        Ok(node)
    }

    /// What a sequence number of a peer means.
    #[inline(always)]
    pub fn classify(&self, node: usize, sequence: u32) -> Arrival {
        self.peers[node & NODE_MASK].receive.classify(sequence)
    }

    /// The next sequence number that is expected of a peer.
    #[inline(always)]
    pub fn expected(&self, node: usize) -> u32 {
        self.peers[node & NODE_MASK].receive.acknowledgement()
    }

    /// The frame in order is accepted: it will be acknowledged.
    #[inline(always)]
    pub fn advance(&mut self, node: usize) {
        self.peers[node & NODE_MASK].receive.advance();
    }

    /// The frame in order is refused for good, so the sequence goes on (M-49); the sender is told that it was, not why (INV-24).
    pub fn refuse(&mut self, dev: &mut impl Device, node: usize, ends_message: bool) {
        let receive = &mut self.peers[node & NODE_MASK].receive;
        self.refusals[node & NODE_MASK].refuse(receive.acknowledgement());
        self.refusing |= 1 << (node & NODE_MASK);
        receive.advance();
        self.owe_ack(dev, node, ends_message);
    }

    // ---- Acknowledgements that arrive ----

    /// A frame acknowledges what came before `acknowledge`. The frames that have ended are to be taken back, and then
    /// [`Self::after_acknowledgement`] to be called.
    #[inline(always)]
    pub fn acknowledge(&mut self, dev: &mut impl Device, node: usize, acknowledge: u32) -> Option<Ended> {
        let node = node & NODE_MASK;
        let first = self.peers[node].window.oldest();
        match self.peers[node].window.acknowledge(acknowledge) {
            Acknowledged::Nothing => None,
            Acknowledged::Frames(count) => Some(Ended { node, first, count }),
            Acknowledged::Wild => {
                dev.count(Counter::AcksWild);
                None
            }
        }
    }

    /// To what a frame in flight belongs.
    pub fn owner(&self, node: usize, sequence: u32) -> F::Owner {
        let buffer = self.peers[node & NODE_MASK].in_flight[sequence as usize & WINDOW_MASK] as usize;
        self.frames.owner(buffer)
    }

    /// Takes a frame back that has ended: its buffer is free. To what it belonged.
    #[inline(always)]
    pub fn take_back(&mut self, node: usize, sequence: u32) -> F::Owner {
        let buffer = self.peers[node & NODE_MASK].in_flight[sequence as usize & WINDOW_MASK] as usize;
        self.buffers.give(&self.frames, buffer);
        self.frames.owner(buffer)
    }

    /// The retransmission timer of a peer after an acknowledgement of something new. `is_awaited`: more than frames in flight is awaited
    /// of it.
    #[inline(always)]
    pub fn after_acknowledgement(&mut self, dev: &mut impl Device, node: usize, is_awaited: bool) {
        if self.in_flight(node) == 0 && !is_awaited {
            self.retransmit.cancel(node);
        } else {
            self.start_retransmit_timer(dev, node);
        }
    }

    /// Frames were acknowledged that were to be sent again: only those behind them are.
    pub fn skip_acknowledged(&mut self, node: usize) {
        let peer = &mut self.peers[node & NODE_MASK];
        let behind = peer.resend_next.wrapping_sub(peer.window.oldest()) > peer.window.in_flight();
        if behind {
            peer.resend_next = peer.window.oldest();
        }
    }

    /// Whether `acknowledge` says something new.
    #[inline(always)]
    pub fn is_news(&self, node: usize, acknowledge: u32) -> bool {
        acknowledge != self.peers[node & NODE_MASK].window.oldest()
    }

    /// Whether an acknowledgement waits to be processed ([`Self::defer`]).
    #[inline(always)]
    pub fn has_deferred(&self) -> bool {
        self.deferred != 0
    }

    /// Puts an acknowledgement off: the answer to the frame that carried it goes first. None is put off.
    #[inline(always)]
    pub fn defer(&mut self, node: usize, acknowledge: u32) {
        self.deferred = 1 << (node & NODE_MASK);
        self.deferred_acknowledge = acknowledge;
    }

    /// The acknowledgement that was put off: node, and what it acknowledges.
    #[inline(always)]
    pub fn take_deferred(&mut self) -> Option<(usize, u32)> {
        if self.deferred == 0 {
            return None;
        }
        let node = self.deferred.trailing_zeros() as usize;
        self.deferred = 0;
        Some((node, self.deferred_acknowledge))
    }

    /// The same if it is of one peer, and acknowledges just one frame, whose number it gives: the frame is to be taken back. The inner
    /// `None`: that frame had ended before.
    #[inline(always)]
    pub fn take_deferred_one(&mut self, node: usize) -> Option<Option<u32>> {
        let node = node & NODE_MASK;
        let oldest = self.peers[node].window.oldest();
        let acknowledge = oldest.wrapping_add(1);
        if self.deferred != 1 << node || self.deferred_acknowledge != acknowledge {
            return None;
        }
        self.deferred = 0;
        let is_one = self.peers[node].window.acknowledge(acknowledge) == Acknowledged::Frames(1);
        Some(is_one.then_some(oldest))
    }

    // ---- Acknowledgements that are sent ----

    /// A frame was taken, or taken before. `ends_message`: nothing may follow it.
    #[inline(always)]
    pub fn owe_ack(&mut self, dev: &mut impl Device, node: usize, ends_message: bool) {
        match self.peers[node & NODE_MASK].receive.owe(ends_message, self.ack_frames) {
            AckDue::Now => self.acks_due.add(1 << (node & NODE_MASK)),
            AckDue::Soon => self.start_ack_timer(dev, node),
            AckDue::Waiting => {}
        }
    }

    #[inline(always)]
    pub fn start_ack_timer(&mut self, dev: &mut impl Device, node: usize) {
        if let Some(due) = self.ack_delay.set(node, dev.now().wrapping_add(self.ack_cycles)) {
            dev.set_timer(ACK_TIMER, due);
        }
    }

    /// The acknowledgement that a frame to a peer carries. None is owed any more.
    #[inline(always)]
    pub fn acknowledge_with(&mut self, node: usize) -> u32 {
        if self.refusing >> node & 1 != 0 {
            rarely();
            return self.ack_before_refusals(node);
        }
        self.owe_no_ack(node);
        self.peers[node & NODE_MASK].receive.acknowledgement()
    }

    /// A frame carries what is owed to a peer.
    #[inline(always)]
    pub fn owe_no_ack(&mut self, node: usize) {
        let receive = &mut self.peers[node & NODE_MASK].receive;
        if receive.owes() {
            receive.acknowledged();
            self.ack_delay.cancel(node);
            self.acks_due.remove(node & NODE_MASK);
        }
    }

    /// A frame with data cannot say which frames were refused: it tells of those before them, and what is owed stays owed.
    #[cold]
    #[inline(never)]
    pub fn ack_before_refusals(&mut self, node: usize) -> u32 {
        let expected = self.peers[node & NODE_MASK].receive.acknowledgement();
        let refusals = &mut self.refusals[node & NODE_MASK];
        let oldest = refusals.oldest_before(expected);
        if !refusals.any() {
            self.refusing &= !(1 << node);
        }
        oldest
    }

    /// Whether peers wait for an acknowledgement of their own.
    #[inline(always)]
    pub fn acks_due(&self) -> u32 {
        self.acks_due.waiting()
    }

    /// Acknowledgements that are put off, those to be processed and those to be sent: 0 if there are none.
    #[inline(always)]
    pub fn put_off(&self) -> u32 {
        self.acks_due.waiting() | self.deferred
    }

    /// The next peer that waits for an acknowledgement, which waits no more.
    #[inline(always)]
    pub fn next_ack_due(&mut self) -> Option<usize> {
        self.acks_due.pop()
    }

    /// Sends the prebuilt acknowledgement of a peer with the present number, or tries again later when the rings are full.
    ///
    /// The buffer may still be in the ring: then that copy says the newer words too, which are as true.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    pub fn send_ack<R: ReadTag>(&mut self, dev: &mut impl Device, reads: &mut HostReads<R>, node: usize) {
        if !self.has_short_room(dev, reads) {
            self.start_ack_timer(dev, node);
            return;
        }
        let acknowledgement = self.peers[node & NODE_MASK].receive.acknowledgement();
        let refused = match self.refusing >> node & 1 {
            0 => 0,
            _ => self.refusals[node & NODE_MASK].before(acknowledgement),
        };
        let at = self.ack_buffer(node);
        // First: the older number beside the newer bits is true, the newer number beside the older bits is not.
        dev.write(at + word::REFUSALS, refused);
        self.place_short(dev, reads, at, acknowledgement);
        self.peers[node & NODE_MASK].receive.acknowledged();
        self.ack_delay.cancel(node);
        dev.count(Counter::AcksSent);
        dev.trace(Marker::AckSent, acknowledgement);
    }

    /// Whether the rings take a frame without data.
    #[inline(always)]
    fn has_short_room<R: ReadTag>(&mut self, dev: &mut impl Device, reads: &HostReads<R>) -> bool {
        if self.buffers.in_ring() >= TRANSMIT_RING_ACK_LIMIT {
            self.buffers.update_done(dev);
        }
        self.buffers.in_ring() < TRANSMIT_RING_ACK_LIMIT && reads.has_room(1)
    }

    /// Sends a prebuilt frame without data. The caller has asked for room.
    #[inline(always)]
    fn place_short<R: ReadTag>(
        &mut self,
        dev: &mut impl Device,
        reads: &mut HostReads<R>,
        at: u32,
        acknowledgement: u32,
    ) {
        dev.write(at + word::ACKNOWLEDGE, acknowledgement);
        self.place(dev, at, F::HEADER_BYTES);
        reads.release(dev);
    }

    /// The timer of acknowledgements fired: those that are owed are due.
    pub fn expire_acks(&mut self, dev: &mut impl Device) {
        let expired = self.ack_delay.expire(dev.now());
        for node in members(expired) {
            if self.peers[node & NODE_MASK].receive.owes() {
                self.acks_due.add(1 << (node & NODE_MASK));
            }
        }
    }

    /// After [`Self::expire_acks`]: sets the timer anew.
    pub fn restart_ack_timer(&mut self, dev: &mut impl Device) {
        if let Some(due) = self.ack_delay.restart() {
            dev.set_timer(ACK_TIMER, due);
        }
    }

    // ---- Retransmission ----

    /// Starts the timer unless it runs.
    #[inline(always)]
    pub fn keep_retransmit_timer(&mut self, dev: &mut impl Device, node: usize) {
        if !self.retransmit.is_set(node) {
            self.start_retransmit_timer(dev, node);
        }
    }

    /// Sets the timer anew.
    #[inline(always)]
    pub fn start_retransmit_timer(&mut self, dev: &mut impl Device, node: usize) {
        let interval = self.peers[node & NODE_MASK].window.interval(self.retransmit_cycles);
        if let Some(due) = self.retransmit.set(node, dev.now().wrapping_add(interval)) {
            dev.set_timer(RETRANSMIT_TIMER, due);
        }
    }

    /// The timer of retransmissions fired: the nodes whose time is over.
    pub fn expire_retransmit(&mut self, dev: &impl Device) -> impl Iterator<Item = usize> {
        members(self.retransmit.expire(dev.now()))
    }

    /// After [`Self::expire_retransmit`]: sets the timer anew.
    pub fn restart_retransmit_timer(&mut self, dev: &mut impl Device) {
        if let Some(due) = self.retransmit.restart() {
            dev.set_timer(RETRANSMIT_TIMER, due);
        }
    }

    /// The time of a peer is over. What that means.
    pub fn check_overdue(&mut self, dev: &mut impl Device, node: usize) -> Overdue {
        let node = node & NODE_MASK;
        let window = &self.peers[node].window;
        if window.in_flight() == 0 {
            return Overdue::Idle;
        }
        let oldest = self.peers[node].in_flight[window.oldest() as usize & WINDOW_MASK] as usize;
        if self.buffers.is_in_ring(dev, &self.frames, oldest) {
            self.start_retransmit_timer(dev, node);
            return Overdue::NotSent;
        }
        dev.count(Counter::Timeouts);
        dev.trace(Marker::Timeout, node as u32);
        Overdue::Unanswered
    }

    /// A peer did not answer in time: its frames are sent again, or the peer is given up. Then all that goes to it has ended, and the
    /// owners of these frames are to be told before the frames are taken back (INV-32).
    pub fn retry(&mut self, dev: &mut impl Device, node: usize) -> Option<Ended> {
        let node = node & NODE_MASK;
        match self.peers[node].window.expire(self.retransmit_limit) {
            Expired::Nothing => None,
            Expired::Resend => {
                let oldest = self.peers[node].window.oldest();
                self.begin_resend(node, oldest);
                self.start_retransmit_timer(dev, node);
                None
            }
            Expired::GiveUp => Some(self.give_up(dev, node)),
        }
    }

    /// The frames in flight are sent again, from a number on.
    fn begin_resend(&mut self, node: usize, first: u32) {
        self.peers[node & NODE_MASK].resend_next = first;
        self.resending |= 1 << (node & NODE_MASK);
    }

    #[cold]
    #[inline(never)]
    fn give_up(&mut self, dev: &mut impl Device, node: usize) -> Ended {
        dev.count(Counter::PeersLost);
        dev.trace(Marker::PeerLost, node as u32);
        self.lost |= 1 << node;
        self.barred |= 1 << node;
        let peer = &mut self.peers[node];
        let first = peer.window.oldest();
        let count = peer.window.abandon();
        // It must not go on as if it had a peer: it would wait for replies, say, that are never sent.
        peer.identity = Peer::NOBODY;
        self.resending &= !(1 << node);
        self.retransmit.cancel(node);
        dev.count_many(Counter::FramesAbandoned, count);
        Ended { node, first, count }
    }

    /// Sends one frame again, of the first peer that needs it. `Ok(true)`: the frames of that peer were all sent again, and new ones may
    /// follow. `Err`: the ring of host reads is full.
    #[cold]
    #[inline(never)]
    pub fn resend_one<R: ReadTag>(&mut self, dev: &mut impl Device, reads: &mut HostReads<R>) -> Result<bool, Barrier> {
        let Some(node) = members(self.resending).next() else {
            return Ok(false);
        };
        let peer = &self.peers[node & NODE_MASK];
        let sequence = peer.resend_next;
        if sequence.wrapping_sub(peer.window.oldest()) >= peer.window.in_flight() {
            self.resending &= !(1 << node);
            return Ok(true);
        }
        let buffer = peer.in_flight[sequence as usize & WINDOW_MASK] as usize;
        let before = peer.in_flight[sequence.wrapping_sub(1) as usize & WINDOW_MASK] as usize;
        let overtakes = sequence != peer.window.oldest()
            && self.buffers.age(&self.frames, buffer) > self.buffers.age(&self.frames, before);
        if self.buffers.is_in_ring(dev, &self.frames, buffer) {
            // It has not left yet; but the one before it was sent again and leaves later: then so must this one, when it has left.
            if overtakes {
                return Ok(false);
            }
        } else {
            if !reads.has_room(1) {
                return Err(Barrier::Full);
            }
            let address = self.buffers.address(buffer);
            let acknowledge = self.acknowledge_with(node);
            dev.write(address + word::ACKNOWLEDGE, acknowledge);
            self.buffers.place_again(dev, &mut self.frames, buffer);
            reads.release(dev);
            dev.count(Counter::FramesRetransmitted);
            dev.trace(Marker::Retransmit, sequence);
        }
        self.peers[node & NODE_MASK].resend_next = sequence.wrapping_add(1);
        Ok(false)
    }

    // ---- Misses at either end ----

    /// Tells a peer that its frame missed here, or may come again: a frame without number that says its kind and an acknowledgement. False
    /// if the rings are full.
    ///
    /// A copy may still be in the ring, of the other kind perhaps: then the peer is told the newer thing twice.
    pub fn tell<R: ReadTag>(
        &mut self,
        dev: &mut impl Device,
        reads: &mut HostReads<R>,
        node: usize,
        kind: FrameKind,
    ) -> bool {
        if !self.has_short_room(dev, reads) {
            return false;
        }
        let acknowledgement = self.acknowledge_with(node);
        let expected = self.peers[node & NODE_MASK].receive.acknowledgement();
        let at = self.notice_buffer(node);
        dev.write(at + word::TYPE, word::kind(kind, 0) ^ F::MARK);
        dev.write(at + word::SEQUENCE, expected);
        self.place_short(dev, reads, at, acknowledgement);
        let (counter, marker) = match kind {
            FrameKind::Restart => (Counter::RestartsSent, Marker::RestartSent),
            _ => (Counter::MissedSent, Marker::MissedSent),
        };
        dev.count(counter);
        dev.trace(marker, expected);
        true
    }

    /// Whether a frame of ours is in flight.
    fn is_in_flight(&self, node: usize, sequence: u32) -> bool {
        let window = &self.peers[node & NODE_MASK].window;
        sequence.wrapping_sub(window.oldest()) < window.in_flight()
    }

    /// The peer has no translation for a frame of ours yet. It will say when it has: until then nothing that is sent would be taken.
    pub fn on_missed(&mut self, dev: &mut impl Device, node: usize, expected: u32) {
        let node = node & NODE_MASK;
        dev.trace(Marker::MissedReceived, expected);
        if !self.is_in_flight(node, expected) {
            return;
        }
        self.resending &= !(1 << node);
        self.halted |= 1 << node;
        self.barred |= 1 << node;
        // Should the restart be lost.
        let wait = self.peers[node].window.interval(self.retransmit_cycles) << LOST_RESTART_LOG2;
        if let Some(due) = self.retransmit.set(node, dev.now().wrapping_add(wait)) {
            dev.set_timer(RETRANSMIT_TIMER, due);
        }
    }

    /// The peer takes that frame now, and those behind it. The caller has called [`Self::go_on`].
    pub fn on_restart(&mut self, dev: &mut impl Device, node: usize, expected: u32) {
        if !self.is_in_flight(node, expected) {
            return;
        }
        self.begin_resend(node, expected);
        self.start_retransmit_timer(dev, node);
    }

    /// Frames for a peer that had none taken may go out again. Whether that is news.
    #[cold]
    pub fn go_on(&mut self, node: usize) -> bool {
        let bit = 1 << (node & NODE_MASK);
        if self.halted & bit == 0 {
            return false;
        }
        self.halted &= !bit;
        self.barred = self.lost | self.halted;
        true
    }
}

impl<F: Framing> Default for Link<F> {
    fn default() -> Self {
        Self::new()
    }
}

impl Ended {
    /// The sequence numbers.
    #[inline(always)]
    pub fn sequences(self) -> impl Iterator<Item = u32> {
        (0..self.count).map(move |ahead| self.first.wrapping_add(ahead))
    }

    /// Those that `refusals` tell of, which came with the acknowledgement.
    pub fn refused(self, refusals: u32) -> impl Iterator<Item = u32> {
        self.sequences().filter(move |&sequence| is_refused(refusals, sequence))
    }
}

/// The numbers of the bits that are set.
fn members(mut set: u32) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let lowest = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (lowest < u32::BITS).then_some(lowest as usize)
    })
}
