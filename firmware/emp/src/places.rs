//! Where the state of EMP lies in the SRAM, and the settings of a boot request.

use nic_layout::personality::emp::frame::{Cut, HEADER_BYTES};
use nic_plan::LinkSettings;

/// The settings of the NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The number of this node.
    pub node: u32,
    /// Nodes of the cluster.
    pub node_count: u32,
    /// Session of this node.
    pub session: u32,
    /// How messages are cut into frames.
    pub cut: Cut,
    /// Frames in a collection.
    pub collection_frames: u32,
    /// Core clocks until a collection that was not acknowledged is sent again for the first time.
    pub resend_cycles: u32,
    /// Time-outs without a sign of life before a message fails.
    pub resend_limit: u32,
    /// Bytes of a frame buffer.
    pub buffer_bytes: u32,
    /// Buffers for frames that are sent.
    pub transmit_buffers: u32,
    /// Buffers for frames that arrive.
    pub receive_buffers: u32,
    /// Core clocks that the longest frame takes on the wire, with flow control; 0: without.
    pub frame_cycles: u32,
    /// Both marks of flow control, powers of two.
    pub slow_below: u32,
    /// The lower mark.
    pub slower_below: u32,
}

impl Settings {
    /// Before the boot request is read.
    pub const NONE: Settings = Settings {
        node: 0,
        node_count: 0,
        session: 0,
        cut: Cut::of_mtu(1500),
        collection_frames: 0,
        resend_cycles: 0,
        resend_limit: 0,
        buffer_bytes: 0,
        transmit_buffers: 0,
        receive_buffers: 0,
        frame_cycles: 0,
        slow_below: 0,
        slower_below: 0,
    };

    /// Whether acknowledgements say how many receive buffers are free (E-40).
    #[inline(always)]
    pub const fn has_flow_control(&self) -> bool {
        self.frame_cycles != 0
    }

    /// The level of a node that has so many free receive buffers. Marks are powers of two, so a
    /// level is a comparison of bits (E-42).
    pub const fn level(&self, room: u32) -> u32 {
        if room & self.slow_below.wrapping_neg() != 0 {
            0
        } else if room & self.slower_below.wrapping_neg() != 0 {
            1
        } else {
            2
        }
    }

    /// Core clocks between the begins of two frames to a node of a level: the time of a frame, and
    /// a pause of one or of eight.
    pub const fn pace_cycles(&self, level: u32) -> u32 {
        let pause = if level < 2 { self.frame_cycles } else { self.frame_cycles << 3 };
        self.frame_cycles + pause
    }

    /// Bytes of the longest frame.
    pub const fn frame_bytes_max(&self) -> u32 {
        self.cut.data_bytes + HEADER_BYTES
    }

    /// The same, as the chip and the link of the other personalities know it. EMP has no window of
    /// frames, and acknowledges without delay.
    pub const fn link(&self) -> LinkSettings {
        LinkSettings {
            node: self.node,
            node_count: self.node_count,
            session: self.session,
            frame_data_bytes_max: self.cut.data_bytes,
            buffer_bytes: self.buffer_bytes,
            tx_buffer_count: self.transmit_buffers,
            rx_buffer_count: self.receive_buffers,
            retransmit_cycles: self.resend_cycles,
            retransmit_limit: self.resend_limit,
            ack_frames: self.collection_frames,
            ack_cycles: 0,
            window_frames: 0,
        }
    }

    /// A node of a descriptor, if it is another node of the cluster.
    #[inline(always)]
    pub fn peer(&self, node: u16) -> Option<u8> {
        let node = u32::from(node);
        (node < self.node_count && node != self.node).then_some(node as u8)
    }
}

/// SRAM offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// The descriptors.
    pub descriptors: u32,
    /// Records of sends.
    pub sends: u32,
    /// Records of receives.
    pub receives: u32,
    /// Records of the sends by their numbers, for each peer.
    pub sent: u32,
    /// The paths to each peer.
    pub paths: u32,
    /// Tables of the numbers of each peer.
    pub numbers: u32,
    /// The posted receives.
    pub posted: u32,
    /// Queues between the parts.
    pub queues: u32,
    /// Buffers for frames that are sent.
    pub transmit_buffers: u32,
    /// Buffers for frames that arrive.
    pub receive_buffers: u32,
    /// Buffers for answers.
    pub answer_buffers: u32,
    /// List pages of sends.
    pub send_lists: u32,
    /// List pages of receives.
    pub receive_lists: u32,
}

/// Where virtual addresses are translated. SRAM offsets; 0 where addresses are physical.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PagePlaces {
    /// The cache of translations.
    pub cache: u32,
    /// The ring of misses.
    pub miss_ring: u32,
    /// What the parts share of misses.
    pub misses: u32,
}

impl Places {
    /// Before the memory is planned.
    pub const NOWHERE: Places = Places {
        descriptors: 0,
        sends: 0,
        receives: 0,
        sent: 0,
        paths: 0,
        numbers: 0,
        posted: 0,
        queues: 0,
        transmit_buffers: 0,
        receive_buffers: 0,
        answer_buffers: 0,
        send_lists: 0,
        receive_lists: 0,
    };
}

/// The record of a send. Offsets in bytes. The sender fills the first words before it asks for the
/// first frame; from then on the transmitter reads them, and has the cursor.
pub mod send_record {
    use nic_collections::Window;
    use nic_layout::personality::emp::WINDOW_COLLECTIONS;
    use nic_scatter::Cursor;

    /// Node, and from bit 16 on the number of the message.
    pub const NODE_NUMBER: u32 = 0;
    /// Length of the message in bytes.
    pub const LENGTH: u32 = 4;
    /// Frames in a collection.
    pub const COLLECTION: u32 = 8;
    /// SRAM offset of the first descriptor.
    pub const DESCRIPTOR: u32 = 12;
    /// The cursor of the transmitter.
    pub const CURSOR: u32 = 16;
    /// State of the message. From here on the record belongs to the sender alone.
    pub const STATE: u32 = CURSOR + 4 * Cursor::WORDS;
    /// Tag; from bit 16 on the record of the next older open message to the node, and from bit 24
    /// on of the next younger.
    pub const TAG: u32 = STATE + 4;
    /// Core clocks of the present interval of retransmission.
    pub const INTERVAL: u32 = STATE + 8;
    /// Time-outs without a sign of life of the peer.
    pub const TRIES: u32 = STATE + 12;
    /// Collections that are to be sent again, one bit each.
    pub const AGAIN: u32 = STATE + 16;
    /// The frame of such a collection that is sent next.
    pub const AGAIN_FRAME: u32 = STATE + 20;
    /// The window.
    pub const WINDOW: u32 = STATE + 24;
    /// When the timer of each collection expires: collection `k` has word `k % 16`.
    pub const DUE: u32 = WINDOW + 4 * Window::WORDS;
    /// Bytes of a record.
    pub const BYTES: u32 = DUE + 4 * WINDOW_COLLECTIONS;
}

/// The path to a peer. Offsets in bytes.
pub mod path {
    /// The level of the peer's free receive buffers: 0, 1 or 2 ([`super::Settings::level`]).
    pub const LEVEL: u32 = 0;
    /// With a level: when the next frame may be sent.
    pub const DUE: u32 = 4;
    /// Collections that may be in flight; 0: no limit, the path is wide.
    pub const LIMIT: u32 = 8;
    /// Collections in flight. A message that is given up does not change it: the next timer counts
    /// anew.
    pub const FLYING: u32 = 12;
    /// Collections that were accepted since the limit has changed.
    pub const ACCEPTED: u32 = 16;
    /// When the limit was last lowered.
    pub const LOWERED: u32 = 20;
    /// A collection whose round trip is measured: its record, and from bit 16 on its number.
    pub const TIMED: u32 = 24;
    /// When its first frame was sent.
    pub const TIMED_SINCE: u32 = 28;
    /// Eight times the mean round trip in core clocks; 0: none was measured.
    pub const TRIP: u32 = 32;
    /// Four times the mean difference to it.
    pub const SPREAD: u32 = 36;
    /// How often the peer was told again that a message is given up, since it has answered one.
    pub const UNANSWERED: u32 = 40;
    /// No message to the peer with a number before this one waits for its turn. The word counts
    /// while some message does.
    pub const WAITS_FROM: u32 = 44;
    /// Bytes of a path.
    pub const BYTES: u32 = 48;
    /// No collection is measured.
    pub const NONE: u32 = u32::MAX;
}

/// The record of a receive. Offsets in bytes. The sorter fills the first words when the receive is
/// posted; when a message takes it, the record passes to the receiver.
pub mod receive_record {
    use nic_collections::Arrivals;
    use nic_scatter::Cursor;

    /// One of the states below.
    pub const STATE: u32 = 0;
    /// Room in bytes.
    pub const ROOM: u32 = 4;
    /// SRAM offset of the first descriptor.
    pub const DESCRIPTOR: u32 = 8;
    /// Where the data go.
    pub const CURSOR: u32 = 12;
    /// The message ([`message`]). From here on the record belongs to the receiver alone.
    pub const MESSAGE: u32 = CURSOR + 4 * Cursor::WORDS;
    /// Length of the message in bytes.
    pub const LENGTH: u32 = MESSAGE + 4;
    /// The word of its tag.
    pub const TAG: u32 = MESSAGE + 8;
    /// The numbers of the last frame, when all frames have come. If the message was given up: the
    /// first byte of its descriptor, and from bit 8 on the number of the transfer that must end
    /// before.
    pub const LAST: u32 = MESSAGE + 12;
    /// Which frames have come.
    pub const ARRIVALS: u32 = MESSAGE + 16;
    /// Bytes of a record.
    pub const BYTES: u32 = ARRIVALS + 4 * Arrivals::WORDS;

    /// It is the host's.
    pub const FREE: u32 = 0;
    /// A message has taken it.
    pub const RECEIVING: u32 = 1;
    /// All frames have come. Their data are on their way to host memory.
    pub const ENDING: u32 = 2;
    /// The message was given up. Data of it may be on their way to host memory.
    pub const FAILING: u32 = 3;
    /// It is posted, and no message has taken it.
    pub const WAITING: u32 = 4;

    /// The word of a message.
    #[inline(always)]
    pub const fn message(node: u32, number: u16) -> u32 {
        node | (number as u32) << 16
    }

    /// The node of a message.
    #[inline(always)]
    pub const fn node(message: u32) -> u32 {
        message & 0xFFFF
    }

    /// The number of a message.
    #[inline(always)]
    pub const fn number(message: u32) -> u16 {
        (message >> 16) as u16
    }
}
