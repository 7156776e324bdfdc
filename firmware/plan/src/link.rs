//! The reliable link: its settings and its frame buffers.

use nic_device::{RX_BUFFERS_MAX, TX_BUFFERS_MAX};
use nic_layout::boot::{BootError, LinkReply, LinkRequest};
use nic_layout::frame::link::FRAME_BYTES_MIN;
use nic_layout::PAGE_BYTES;
use nic_link::{ACK_BUFFER_BYTES, LOST_RESTART_LOG2, WINDOW_MAX};
use nic_reliable::SendWindow;

use crate::{Piece, Regions, Use};

/// Largest number of data bytes of a frame in the images of the repository.
pub const FRAME_DATA_BYTES_LIMIT: u32 = PAGE_BYTES;
/// Largest number of pages that a frame of these images touches at either end.
pub const FRAME_PAGES_MAX: u32 = pages_max(FRAME_DATA_BYTES_LIMIT);

/// Largest number of pages that `bytes` consecutive bytes touch, one byte at least.
pub const fn pages_max(bytes: u32) -> u32 {
    (bytes + PAGE_BYTES - 2) / PAGE_BYTES + 1
}

/// Data bytes that a frame may carry, a whole number of pages, so that the frame touches at most
/// `pages` pages.
pub const fn data_bytes_limit(pages: u32) -> u32 {
    (pages - 1) * PAGE_BYTES
}

/// What the link has to know of a protocol's frames. Bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frames {
    /// Header, before the data.
    pub header_bytes: u32,
    /// How many data bytes fewer a frame carries than the boot request allows: what the header is
    /// longer than the shortest one.
    pub less_data_bytes: u32,
    /// Data that has to fit one frame.
    pub least_data_bytes: u32,
    /// Largest number of data bytes for which the protocol keeps room.
    pub data_bytes_limit: u32,
}

/// The checked settings of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkSettings {
    /// The number of this node.
    pub node: u32,
    /// Nodes of the cluster.
    pub node_count: u32,
    /// Session of this node: the number of its incarnation.
    pub session: u32,
    /// Data bytes that one frame may carry.
    pub frame_data_bytes_max: u32,
    /// Bytes of a buffer.
    pub buffer_bytes: u32,
    /// Transmit buffers.
    pub tx_buffer_count: u32,
    /// Receive buffers.
    pub rx_buffer_count: u32,
    /// Core clocks until the first retransmission.
    pub retransmit_cycles: u32,
    /// Retransmissions of one frame before its peer is given up.
    pub retransmit_limit: u32,
    /// Accepted frames after which an acknowledgement is sent at the latest.
    pub ack_frames: u32,
    /// Core clocks after which an acknowledgement is sent at the latest.
    pub ack_cycles: u32,
    /// Frames in flight to one peer: so many that all peers together cannot hold every buffer while
    /// one of them is slow, if buffers suffice.
    pub window_frames: u32,
}

impl LinkSettings {
    /// Checks the section of the request. `nodes`: room for nodes in the image.
    ///
    /// # Errors
    /// The first value that is out of range.
    pub fn check(request: &LinkRequest, frames: Frames, nodes: usize) -> Result<LinkSettings, BootError> {
        let LinkRequest { node, node_count, session, .. } = *request;
        if node_count < 2 || node_count > nodes as u32 || node >= node_count {
            return Err(BootError::NodeOutOfRange);
        }
        if session > 0xFF {
            return Err(BootError::SessionOutOfRange);
        }
        // A frame is as long as with the shortest header.
        let data = request.frame_data_bytes_max.saturating_sub(frames.less_data_bytes);
        let buffer = request.buffer_bytes;
        if !(frames.least_data_bytes..=frames.data_bytes_limit).contains(&data)
            || buffer % 8 != 0
            || buffer > 0xFFF8
            || buffer < frames.header_bytes + data
            || buffer < FRAME_BYTES_MIN as u32
        {
            return Err(BootError::BufferSize);
        }
        if request.tx_buffer_count == 0
            || request.tx_buffer_count > TX_BUFFERS_MAX
            || request.rx_buffer_count == 0
            || request.rx_buffer_count > RX_BUFFERS_MAX
        {
            return Err(BootError::BufferCount);
        }
        let half_lap = u64::from(u32::MAX / 2);
        if request.retransmit_cycles == 0
            || SendWindow::interval_max(request.retransmit_cycles) << LOST_RESTART_LOG2 >= half_lap
            || request.ack_cycles == 0
            || u64::from(request.ack_cycles) >= half_lap
            || request.ack_frames == 0
        {
            return Err(BootError::IntervalOutOfRange);
        }
        let share = request.tx_buffer_count / (node_count - 1);
        Ok(LinkSettings {
            node,
            node_count,
            session,
            frame_data_bytes_max: data,
            buffer_bytes: buffer,
            tx_buffer_count: request.tx_buffer_count,
            rx_buffer_count: request.rx_buffer_count,
            retransmit_cycles: request.retransmit_cycles,
            retransmit_limit: request.retransmit_limit,
            ack_frames: request.ack_frames,
            ack_cycles: request.ack_cycles,
            window_frames: share.clamp(1, WINDOW_MAX),
        })
    }

    /// Takes the regions of the frame buffers. `ack_buffers`: [`plan_acks`].
    pub fn plan_buffers(&self, ack_buffers: u32, regions: &mut impl Regions) -> LinkPlaces {
        let mut take =
            |name, count| regions.take(OWNER, 8, &[Piece::new(name, Use::Buffers, count, self.buffer_bytes)]);
        LinkPlaces {
            ack_buffers,
            tx_buffers: take("transmit buffers", self.tx_buffer_count),
            rx_buffers: take("receive buffers", self.rx_buffer_count),
        }
    }
}

const OWNER: &str = "link";

/// Takes the region of acknowledgement frames: two for each of the `nodes` that the
/// image has room for.
pub fn plan_acks(nodes: usize, regions: &mut impl Regions) -> u32 {
    regions.take(OWNER, 8, &[Piece::new("acknowledgement frames", Use::Buffers, 2 * nodes as u32, ACK_BUFFER_BYTES)])
}

/// Where the link keeps its frames. SRAM offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkPlaces {
    /// Acknowledgement frames.
    pub ack_buffers: u32,
    /// First transmit buffer.
    pub tx_buffers: u32,
    /// First receive buffer.
    pub rx_buffers: u32,
}

impl LinkPlaces {
    /// The section of the reply.
    pub const fn reply(&self) -> LinkReply {
        LinkReply { tx_buffers: self.tx_buffers, rx_buffers: self.rx_buffers }
    }
}
