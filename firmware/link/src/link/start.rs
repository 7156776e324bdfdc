//! The start of the link, and of a peer.

use nic_device::Device;
use nic_layout::counter::Counter;
use nic_layout::frame::link::{word, FrameKind};
use nic_layout::nodes::nodes_from;
use nic_reliable::{ReceiveState, Refusals, SendWindow};

use super::{Link, NODE_MASK};
use crate::peer::Peer;
use crate::types::{Ended, Framing};
use crate::LinkConfig;

impl<F: Framing> Link<F> {
    /// Knows all nodes of the cluster, and prepares buffers. Call once, before anything else.
    pub fn start(&mut self, dev: &mut impl Device, config: &LinkConfig) {
        self.window_frames = config.window_frames;
        self.ack_frames = config.ack_frames;
        self.ack_cycles = config.ack_cycles;
        self.retransmit_cycles = config.retransmit_cycles;
        self.retransmit_limit = config.retransmit_limit;
        self.ack_buffers = config.ack_buffers;
        self.strangers = nodes_from(config.node_count) | 1 << config.node;
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
    /// A frame to the earlier incarnation may still be in the transmit ring. It stays a frame at
    /// any time, and tells of nothing before it goes to the new incarnation.
    fn start_peer(&mut self, dev: &mut impl Device, node: usize, session: u32) {
        let [_, address_word, _] = word::addresses(word::station(node as u8, session as u8), 0);
        for at in [self.ack_buffer(node), self.notice_buffer(node)] {
            dev.write(at + word::TYPE, word::kind(FrameKind::ACKNOWLEDGE, 0) ^ F::MARK);
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
}
