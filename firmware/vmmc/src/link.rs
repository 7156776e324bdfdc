//! Peers: acknowledgements, retransmission, and giving up.

use nic_device::rarely;
use nic_layout::boot::MAX_NODES;
use nic_layout::counter::Counter;
use nic_layout::frame::word;
use nic_layout::post::PostError;
use nic_layout::trace::Marker;
use nic_reliable::{is_refused, AckDue, Acknowledged, Expired, ReceiveState, SendWindow, REFUSALS_WINDOW};

use crate::frames::{FRAME_RECORDS, NO_POST, REQUEST};
use crate::machine::{ACK_TIMER, RETRANSMIT_TIMER};
use crate::reply::ReadId;
use crate::{Machine, Tables};
use nic_device::Device;
use nic_device::MAC_RING_LOG2;
use nic_device::TX_BUFFERS_MAX;
use nic_plan::WINDOW_MAX;

pub(crate) const NODE_MASK: usize = MAX_NODES - 1;
pub(crate) const WINDOW_MASK: usize = WINDOW_MAX as usize - 1;

// Every frame that an acknowledgement may end has its bit beside it.
const _: () = assert!(WINDOW_MAX <= REFUSALS_WINDOW);

/// Data frames take at most [`TX_BUFFERS_MAX`] places of the transmit ring, since each is there once; acknowledgements take no more than the rest.
const TRANSMIT_RING_ACKS: u32 = (1 << MAC_RING_LOG2) - TX_BUFFERS_MAX;
/// In the ring altogether, an acknowledgement may go behind so many.
const TRANSMIT_RING_ACK_LIMIT: u32 = TRANSMIT_RING_ACKS - 1;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer {
    pub window: SendWindow,
    pub receive: ReceiveState,
    /// What its frames say in the low half of the word of node and session; [`Peer::NOBODY`] where there is no peer, or it is lost.
    pub identity: u32,
    /// The next frame to be sent again, while the peer is among those whose frames go again.
    pub resend_next: u32,
    /// The header word with the peer's address.
    pub address_word: u32,
    /// Frame record of each sequence number in flight.
    pub in_flight: [u8; WINDOW_MAX as usize],
}

// Finding one takes a shift.
const _: () = assert!(size_of::<Peer>() == 64);

impl Peer {
    /// Of no frame.
    pub(crate) const NOBODY: u32 = u32::MAX;

    pub(crate) const EMPTY: Peer = Peer {
        window: SendWindow::new(0),
        receive: ReceiveState::new(0),
        identity: 0,
        resend_next: 0,
        address_word: 0,
        in_flight: [0; WINDOW_MAX as usize],
    };
}

impl<T: Tables> Machine<T> {
    // ---- Acknowledgements that arrive ----

    /// `refusals` tell which of the frames before `acknowledge` were refused ([`Refusals`]).
    #[inline(always)]
    pub(crate) fn on_acknowledge(&mut self, dev: &mut impl Device, node: usize, acknowledge: u32, refusals: u32) {
        let node = node & NODE_MASK;
        let oldest = self.peers[node].window.oldest();
        match self.peers[node].window.acknowledge(acknowledge) {
            Acknowledged::Nothing => {}
            Acknowledged::Frames(frames) => {
                if refusals != 0 {
                    self.note_refusals(dev, node, oldest, frames, refusals);
                }
                self.end_frames(dev, node, oldest, frames);
            }
            Acknowledged::Wild => self.count(dev, Counter::AcksWild),
        }
    }

    /// The same, of a data frame, later: the answer to it goes first. Who needs room for one calls [`Self::hear`].
    #[inline(always)]
    pub(crate) fn hear_later(&mut self, dev: &mut impl Device, node: usize, acknowledge: u32) {
        let node = node & NODE_MASK;
        if acknowledge != self.peers[node].window.oldest() {
            if self.heard != 0 {
                rarely();
                self.hear(dev);
            }
            self.heard = 1 << node;
            self.heard_acknowledge = acknowledge;
        }
    }

    /// Ends what was acknowledged and put off.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    pub(crate) fn hear(&mut self, dev: &mut impl Device) {
        if self.heard != 0 {
            let node = self.heard.trailing_zeros() as usize;
            self.heard = 0;
            self.on_acknowledge(dev, node, self.heard_acknowledge, 0);
        }
    }

    /// The same for who has just sent a frame to a peer, and has time until that is answered: if one frame was acknowledged, and nobody waits for room.
    #[inline(always)]
    pub(crate) fn hear_one(&mut self, dev: &mut impl Device, node: usize) {
        let node = node & NODE_MASK;
        let oldest = self.peers[node].window.oldest();
        let acknowledge = oldest.wrapping_add(1);
        let waiting = self.blocked | self.barred | u32::from(self.unasked as u16);
        if self.heard != 1 << node || self.heard_acknowledge != acknowledge || waiting != 0 {
            rarely();
            return;
        }
        self.heard = 0;
        if self.peers[node].window.acknowledge(acknowledge) == Acknowledged::Frames(1) {
            dev.trace(Marker::AckReceived, acknowledge);
            let settle = self.end_frame(node, oldest);
            self.unsettled.add(settle);
            self.count(dev, Counter::FramesAcknowledged);
            self.start_retransmit_timer(dev, node);
        }
        if self.unsettled.is_empty() && self.acks_due.is_empty() {
            // Nothing is put off any more.
            self.put_off_turns = 0;
        }
    }

    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn end_frames(&mut self, dev: &mut impl Device, node: usize, oldest: u32, frames: u32) {
        dev.trace(Marker::AckReceived, oldest.wrapping_add(frames));
        let mut settle = 0;
        for ahead in 0..frames {
            settle |= self.end_frame(node, oldest.wrapping_add(ahead));
        }
        self.count_many(dev, Counter::FramesAcknowledged, frames);

        self.unsettled.add(settle);
        if self.peers[node & NODE_MASK].window.in_flight() == 0 && self.open_reads[node & NODE_MASK] == 0 {
            self.retransmit.cancel(node);
        } else {
            self.start_retransmit_timer(dev, node);
        }
        if self.blocked | self.barred != 0 || self.unasked as u16 != 0 {
            self.go_behind(node);
        }
    }

    /// Frames were acknowledged while posts waited for room, others went again, or none were to be sent.
    #[cold]
    #[inline(never)]
    fn go_behind(&mut self, node: usize) {
        self.wake(self.blocked);
        self.go_on(node);
        let peer = &mut self.peers[node & NODE_MASK];
        let behind = peer.resend_next.wrapping_sub(peer.window.oldest()) > peer.window.in_flight();
        if behind {
            peer.resend_next = peer.window.oldest();
        }
    }

    /// Before acknowledged frames end: the posts of those that were refused end badly.
    #[cold]
    #[inline(never)]
    fn note_refusals(&mut self, dev: &mut impl Device, node: usize, oldest: u32, frames: u32, refusals: u32) {
        for ahead in 0..frames {
            let sequence = oldest.wrapping_add(ahead);
            if is_refused(refusals, sequence) {
                let frame = self.peers[node & NODE_MASK].in_flight[sequence as usize & WINDOW_MASK] as usize;
                self.fail_frame(dev, frame, PostError::Refused);
            }
        }
    }

    /// The post, or the read of another node, that a frame belongs to ends badly. No further frame of it is issued.
    #[cold]
    #[inline(never)]
    pub(crate) fn fail_frame(&mut self, dev: &mut impl Device, frame: usize, error: PostError) {
        let tx = self.frames[frame % FRAME_RECORDS];
        if tx.generation == NO_POST {
            self.drop_read(dev, ReadId(tx.post.0));
            return;
        }
        if tx.generation == REQUEST {
            self.fail_request(dev, tx.post, error);
            return;
        }
        let slot_number = tx.post.slot();
        let slot = &self.slots[slot_number];
        if slot.generation != tx.generation {
            return;
        }
        if slot.sending && slot.head(slot_number) == tx.post {
            self.refuse(dev, slot_number, error);
            // Whatever the post waited for: the next one has its turn.
            self.wake(1 << slot_number);
        } else {
            self.fail_record(dev, tx.post, error as u32);
        }
    }

    /// A frame needs its buffer no more. The slot to be settled, as a bit, if its post is complete now.
    #[inline(always)]
    fn end_frame(&mut self, node: usize, sequence: u32) -> u32 {
        let frame = self.peers[node & NODE_MASK].in_flight[sequence as usize & WINDOW_MASK] as usize;
        self.free.give(frame);
        self.note_lingering(frame);
        let tx = &self.frames[frame % FRAME_RECORDS];
        if self.slots[tx.post.slot()].generation != tx.generation {
            return 0;
        }
        let record = &mut self.records[tx.post.record()];
        record.end_frame();
        u32::from(record.is_complete()) << tx.post.slot()
    }

    // ---- Acknowledgements to be sent ----

    /// A frame was taken, or taken before.
    #[inline(always)]
    pub(crate) fn owe_ack(&mut self, dev: &mut impl Device, node: usize, ends_message: bool) {
        match self.peers[node & NODE_MASK].receive.owe(ends_message, self.config.ack_frames) {
            AckDue::Now => self.acks_due.add(1 << (node & NODE_MASK)),
            AckDue::Soon => self.start_ack_timer(dev, node),
            AckDue::Waiting => {}
        }
    }

    #[inline(always)]
    pub(crate) fn start_ack_timer(&mut self, dev: &mut impl Device, node: usize) {
        if let Some(due) = self.ack_delay.set(node, dev.now().wrapping_add(self.config.ack_cycles)) {
            dev.set_timer(ACK_TIMER, due);
        }
    }

    /// A frame to a peer carries its acknowledgement: none is owed any more.
    #[inline(always)]
    pub(crate) fn piggyback_ack(&mut self, node: usize) -> u32 {
        if self.refusing >> node & 1 != 0 {
            rarely();
            return self.ack_before_refusals(node);
        }
        self.owe_no_ack(node);
        self.peers[node & NODE_MASK].receive.acknowledgement()
    }

    #[inline(always)]
    pub(crate) fn owe_no_ack(&mut self, node: usize) {
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
    pub(crate) fn ack_before_refusals(&mut self, node: usize) -> u32 {
        let expected = self.peers[node & NODE_MASK].receive.acknowledgement();
        let refusals = &mut self.refusals[node & NODE_MASK];
        let oldest = refusals.oldest_before(expected);
        if !refusals.any() {
            self.refusing &= !(1 << node);
        }
        oldest
    }

    /// Sends the prebuilt acknowledgement of a peer with the present number, or tries again later when the rings are full.
    ///
    /// The buffer may still be in the ring: then that copy says the newer words too, which are as true.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    pub(crate) fn send_ack(&mut self, dev: &mut impl Device, node: usize) {
        if !self.has_short_room(dev) {
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
        self.place_short(dev, at, acknowledgement);
        self.peers[node & NODE_MASK].receive.acknowledged();
        self.ack_delay.cancel(node);
        self.count(dev, Counter::AcksSent);
        dev.trace(Marker::AckSent, acknowledgement);
    }

    /// Whether the rings take a frame without data.
    #[inline(always)]
    pub(crate) fn has_short_room(&mut self, dev: &mut impl Device) -> bool {
        if self.transmit_placed.wrapping_sub(self.transmit_done) >= TRANSMIT_RING_ACK_LIMIT {
            self.update_transmit_done(dev);
        }
        self.transmit_placed.wrapping_sub(self.transmit_done) < TRANSMIT_RING_ACK_LIMIT && self.has_read_room(1)
    }

    /// Sends a prebuilt frame without data. The caller has asked for room.
    #[inline(always)]
    pub(crate) fn place_short(&mut self, dev: &mut impl Device, at: u32, acknowledgement: u32) {
        dev.write(at + word::ACKNOWLEDGE, acknowledgement);
        self.place(dev, at, Self::HEADER_BYTES);
        self.release(dev);
    }

    pub fn on_ack_timer(&mut self, dev: &mut impl Device) {
        let expired = self.ack_delay.expire(dev.now());
        for node in members(expired) {
            if self.peers[node & NODE_MASK].receive.owes() {
                self.acks_due.add(1 << (node & NODE_MASK));
            }
        }
        if self.receive_misses.are_open() {
            self.end_receive_misses(dev);
        }
        if let Some(due) = self.ack_delay.restart() {
            dev.set_timer(ACK_TIMER, due);
        }
    }

    // ---- Retransmission ----

    pub fn on_retransmit_timer(&mut self, dev: &mut impl Device) {
        let expired = self.retransmit.expire(dev.now());
        for node in members(expired) {
            self.on_timeout(dev, node & NODE_MASK);
        }
        if let Some(due) = self.retransmit.restart() {
            dev.set_timer(RETRANSMIT_TIMER, due);
        }
    }

    fn on_timeout(&mut self, dev: &mut impl Device, node: usize) {
        self.hear(dev);
        let window = &self.peers[node].window;
        if window.in_flight() == 0 {
            self.probe(dev, node);
            return;
        }
        let oldest = self.peers[node].in_flight[window.oldest() as usize & WINDOW_MASK] as usize;
        if self.is_in_transmit_ring(dev, oldest) {
            // It never left: the host or the link is slow, not the peer.
            self.start_retransmit_timer(dev, node);
            return;
        }
        self.count(dev, Counter::Timeouts);
        dev.trace(Marker::Timeout, node as u32);
        self.go_on(node);
        let peer = &mut self.peers[node];
        match peer.window.expire(self.config.retransmit_limit) {
            Expired::Nothing => {}
            Expired::Resend => {
                let oldest = peer.window.oldest();
                self.begin_resend(node, oldest);
                self.start_retransmit_timer(dev, node);
            }
            Expired::GiveUp => self.give_up(dev, node),
        }
    }

    /// The frames in flight go again, from a number on.
    pub(crate) fn begin_resend(&mut self, node: usize, first: u32) {
        self.peers[node & NODE_MASK].resend_next = first;
        self.unasked |= 1 << (node & NODE_MASK);
    }

    /// Sends one frame again, of the first peer that needs it.
    #[cold]
    #[inline(never)]
    pub(crate) fn resend_one(&mut self, dev: &mut impl Device) {
        let mut node = 0;
        while self.unasked & (1 << node) == 0 {
            node += 1;
            if node == MAX_NODES {
                return;
            }
        }
        let peer = &self.peers[node];
        let sequence = peer.resend_next;
        if sequence.wrapping_sub(peer.window.oldest()) >= peer.window.in_flight() {
            self.unasked &= !(1 << node);
            self.wake(self.blocked);
            return;
        }
        let frame = peer.in_flight[sequence as usize & WINDOW_MASK] as usize;
        let before = peer.in_flight[sequence.wrapping_sub(1) as usize & WINDOW_MASK] as usize;
        let age = |frame: usize| self.transmit_placed.wrapping_sub(self.frames[frame % FRAME_RECORDS].transmit_index);
        let overtakes = sequence != peer.window.oldest() && age(frame) > age(before);
        if self.is_in_transmit_ring(dev, frame) {
            // It has not left yet; but the one before it went again and leaves later: then so must this one, when it has left.
            if overtakes {
                return;
            }
        } else {
            if !self.has_read_room(1) {
                self.unasked_stalled = true;
                return;
            }
            let address = self.frame_address(frame);
            let tx = &mut self.frames[frame % FRAME_RECORDS];
            tx.transmit_index = self.transmit_placed;
            let length_bytes = u32::from(tx.length_bytes);
            dev.write(address + word::ACKNOWLEDGE, self.piggyback_ack(node));
            self.place(dev, address, length_bytes);
            self.release(dev);
            self.count(dev, Counter::FramesRetransmitted);
            dev.trace(Marker::Retransmit, sequence);
        }
        self.peers[node].resend_next = sequence.wrapping_add(1);
    }

    /// Ends everything that goes to a peer: buffers come back, posts end badly (INV-32).
    #[cold]
    #[inline(never)]
    fn give_up(&mut self, dev: &mut impl Device, node: usize) {
        self.count(dev, Counter::PeersLost);
        dev.trace(Marker::PeerLost, node as u32);
        self.lost |= 1 << node;
        self.barred |= 1 << node;
        let peer = &mut self.peers[node];
        let oldest = peer.window.oldest();
        let frames = peer.window.abandon();
        self.unasked &= !(1 << node);
        self.retransmit.cancel(node);
        let mut settle = 0;
        for ahead in 0..frames {
            let sequence = oldest.wrapping_add(ahead);
            let frame = self.peers[node & NODE_MASK].in_flight[sequence as usize & WINDOW_MASK] as usize;
            self.fail_frame(dev, frame, PostError::PeerUnreachable);
            settle |= self.end_frame(node, sequence);
        }
        self.count_many(dev, Counter::FramesAbandoned, frames);
        self.unsettled.add(settle);
        self.close_reads_to(dev, node);
        // It must not go on as if it had a peer: it would wait for replies, say, that are never sent.
        self.peers[node].identity = Peer::NOBODY;
        // A post that is still being issued, or a read that is answered, ends when it has its turn.
        self.wake(self.blocked);
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
