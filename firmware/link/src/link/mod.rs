mod acknowledged;
mod acks;
mod arrive;
mod misses;
mod peers;
mod resend;
mod send;
mod start;
mod timers;
mod transmit;

use nic_device::{MAC_RING_LOG2, TX_BUFFERS_MAX};
use nic_fair::Circle;
use nic_layout::nodes::{NodeSet, IMAGE_NODES};
use nic_reliable::{Alarms, Refusals};

use crate::buffers::{Frames, TransmitBuffers};
use crate::peer::Peer;
use crate::types::Framing;
use crate::{ACK_BUFFER_BYTES, WINDOW_MAX};

/// A node number within the table of peers.
pub const NODE_MASK: usize = IMAGE_NODES - 1;
const WINDOW_MASK: usize = WINDOW_MAX as usize - 1;

/// Data frames take at most [`TX_BUFFERS_MAX`] places of the transmit ring, since each is there
/// once; frames without data take no more than the rest.
const TRANSMIT_RING_ACKS: u32 = (1 << MAC_RING_LOG2) - TX_BUFFERS_MAX;
/// With so many frames in the ring altogether there is room for one more frame without data.
const TRANSMIT_RING_ACK_LIMIT: u32 = TRANSMIT_RING_ACKS - 1;

/// All peers of a node.
///
/// In this order: what is small lies within reach of a load's 12-bit offset from the start, the
/// tables behind it.
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
    strangers: NodeSet,
    /// Peers whose frames are sent again.
    resending: NodeSet,
    /// Peers that get no new frames: those that are `lost` or `halted`.
    barred: NodeSet,
    /// Peers that must learn which of their frames were refused.
    refusing: NodeSet,
    /// The peer whose last data frame acknowledged something new, as a bit, and what; none: 0.
    deferred: NodeSet,
    deferred_acknowledge: u32,
    /// Peers that shall have an acknowledgement.
    acks_due: Circle<NodeSet>,
    retransmit: Alarms<IMAGE_NODES, NodeSet>,
    ack_delay: Alarms<IMAGE_NODES, NodeSet>,
    buffers: TransmitBuffers,
    peers: [Peer; IMAGE_NODES],
    frames: Frames<F::Owner>,
    refusals: [Refusals; IMAGE_NODES],
    /// Peers that did not answer `retransmit_limit` times. They stay lost until their session
    /// changes: only a new session knows again where both sides stand.
    lost: NodeSet,
    /// Peers that told of a miss and will tell when they take frames again.
    halted: NodeSet,
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
            peers: [Peer::EMPTY; IMAGE_NODES],
            frames: Frames::new(F::NO_OWNER),
            refusals: [Refusals::NONE; IMAGE_NODES],
            lost: 0,
            halted: 0,
        }
    }

    #[inline(always)]
    fn ack_buffer(&self, node: usize) -> u32 {
        self.ack_buffers + node as u32 * ACK_BUFFER_BYTES
    }

    /// Where the frame is that tells a peer of misses.
    fn notice_buffer(&self, node: usize) -> u32 {
        self.ack_buffer(IMAGE_NODES + node)
    }
}

impl<F: Framing> Default for Link<F> {
    fn default() -> Self {
        Self::new()
    }
}
