use nic_reliable::REFUSALS_WINDOW;

/// Frames in flight to one peer, at most.
pub const WINDOW_MAX: u32 = 32;
// One word of refusals tells of every frame that an acknowledgement may end.
const _: () = assert!(WINDOW_MAX <= REFUSALS_WINDOW);

/// A sender that was told of a miss waits 2 to the power of this times longer for the restart than
/// for an acknowledgement.
pub const LOST_RESTART_LOG2: u32 = 2;

/// Bytes of a frame without data that is built once for each peer: an acknowledgement, and a notice
/// of a miss.
pub const ACK_BUFFER_BYTES: u32 = 64;

/// What the link is told at its start.
#[derive(Clone, Copy, Debug)]
pub struct LinkConfig {
    /// The number of this node, below `node_count`.
    pub node: u32,
    /// Nodes of the cluster.
    pub node_count: u32,
    /// Incarnation of this node, 0 to 255. Peers are taken to be of the same one, until
    /// [`Link::restart_peer`](crate::Link::restart_peer) says otherwise.
    pub session: u32,
    /// Frames in flight to one peer, at most: 1 to [`WINDOW_MAX`].
    pub window_frames: u32,
    /// An acknowledgement is due after so many frames.
    pub ack_frames: u32,
    /// Core cycles after which an acknowledgement is due.
    pub ack_cycles: u32,
    /// Core cycles until the first retransmission.
    pub retransmit_cycles: u32,
    /// Retransmissions in a row until the peer is given up.
    pub retransmit_limit: u32,
    /// Where the transmit buffers are in SRAM.
    pub tx_buffers: u32,
    /// How many transmit buffers there are.
    pub tx_buffer_count: u32,
    /// Bytes of a transmit buffer.
    pub buffer_bytes: u32,
    /// Where the frames without data are: an acknowledgement for each node, and behind them all a
    /// notice for each.
    pub ack_buffers: u32,
}
