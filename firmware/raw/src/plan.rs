//! What a boot request asks for, checked, and where in the SRAM everything then lies.

use nic_device::{RX_BUFFERS_MAX, TX_BUFFERS_MAX};
use nic_layout::boot::{
    BootError, CountersReply, Kind, LinkReply, LinkRequest, NicReply, NicRequest, Sections, SectionsWriter, BOOT_MAGIC,
    REPLY_WORDS,
};
use nic_layout::counter::Counter;
use nic_layout::nodes::IMAGE_NODES;
use nic_layout::personality::kernel::{
    FramesReply, DATA_BYTES_MAX, FRAME_BYTES_MAX, PREFIX_BYTES, RECEIVE_ENTRY_BYTES, RING_ENTRIES, SEND_ENTRY_BYTES,
};
use nic_plan::rings::{plan_engines, EnginePlaces};
use nic_plan::{Cursor, LinkSettings, Piece, Regions, Use};

/// The sections that the firmware reads from a boot request.
const ASKS: [Kind; 2] = [Kind::NIC, Kind::LINK];
/// How many sections the reply has.
const ANSWERS: usize = 4;

/// A boot request that was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Bytes of SRAM that the driver lets the firmware use.
    pub sram_bytes: u32,
    /// The number of this node.
    pub node: u32,
    /// Bytes of a buffer.
    pub buffer_bytes: u32,
    /// Transmit buffers.
    pub transmit_buffers: u32,
    /// Receive buffers.
    pub receive_buffers: u32,
}

/// SRAM offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// The ring of frames to send.
    pub sends: u32,
    /// The ring of buffers of the host.
    pub receives: u32,
    /// Buffers for frames to send.
    pub transmit_buffers: u32,
    /// Buffers for frames that arrive, each with room for a prefix.
    pub receive_buffers: u32,
    /// Bytes of a transmit buffer; a receive buffer has [`PREFIX_BYTES`] more.
    pub buffer_bytes: u32,
    /// The number of transmit buffers.
    pub transmit_count: u32,
    /// The number of receive buffers.
    pub receive_count: u32,
}

impl Config {
    /// Checks everything that the driver wrote, except that it fits the SRAM: that is for
    /// [`Plan::of`]. `words`: the SRAM from the request's head on.
    ///
    /// # Errors
    /// What is wrong with the request, or with the first value that is out of range.
    pub fn read(words: &[u32]) -> Result<Config, BootError> {
        let request = Sections::parse(words, BOOT_MAGIC)?;
        request.check_known(&[&ASKS])?;
        let nic: NicRequest = request.get()?;
        let link: LinkRequest = request.get()?;
        let LinkRequest { node, node_count, buffer_bytes, tx_buffer_count, rx_buffer_count, .. } = link;
        if node_count < 2 || node_count > IMAGE_NODES as u32 || node >= node_count {
            return Err(BootError::NodeOutOfRange);
        }
        if buffer_bytes % 8 != 0 || !(FRAME_BYTES_MAX..=0xFFF8).contains(&buffer_bytes) {
            return Err(BootError::BufferSize);
        }
        if !(2..=TX_BUFFERS_MAX).contains(&tx_buffer_count) || !(2..=RX_BUFFERS_MAX).contains(&rx_buffer_count) {
            return Err(BootError::BufferCount);
        }
        Ok(Config {
            sram_bytes: nic.sram_bytes,
            node,
            buffer_bytes,
            transmit_buffers: tx_buffer_count,
            receive_buffers: rx_buffer_count,
        })
    }

    /// The same, as the chip knows it. The firmware has no reliable link.
    pub const fn link(&self) -> LinkSettings {
        LinkSettings {
            node: self.node,
            node_count: IMAGE_NODES as u32,
            session: 0,
            frame_data_bytes_max: DATA_BYTES_MAX,
            buffer_bytes: self.buffer_bytes,
            tx_buffer_count: self.transmit_buffers,
            rx_buffer_count: self.receive_buffers,
            retransmit_cycles: 0,
            retransmit_limit: 0,
            ack_frames: 0,
            ack_cycles: 0,
            window_frames: 0,
        }
    }

    /// Takes all regions, in the order of their addresses.
    pub fn lay_out(&self, regions: &mut impl Regions) -> (EnginePlaces, u32, Places) {
        let engines = plan_engines(regions);
        let mut take =
            |owner, name, r#use, count, each| regions.take(owner, 8, &[Piece::new(name, r#use, count, each)]);
        let counters = take("counters", "counters", Use::Program, Counter::COUNT as u32, 4);
        let (bytes, tx, rx) = (self.buffer_bytes, self.transmit_buffers, self.receive_buffers);
        let places = Places {
            sends: take("frames", "frames to send", Use::Program, RING_ENTRIES, SEND_ENTRY_BYTES),
            receives: take("frames", "buffers of the host", Use::Program, RING_ENTRIES, RECEIVE_ENTRY_BYTES),
            transmit_buffers: take("frames", "transmit buffers", Use::Buffers, tx, bytes),
            receive_buffers: take("frames", "receive buffers", Use::Buffers, rx, bytes + PREFIX_BYTES),
            buffer_bytes: bytes,
            transmit_count: tx,
            receive_count: rx,
        };
        (engines, counters, places)
    }
}

/// A configuration whose regions fit the SRAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The checked request.
    pub config: Config,
    /// Rings of the engines. SRAM offsets.
    pub engines: EnginePlaces,
    /// SRAM offset of the counters.
    pub counters: u32,
    /// Rings and buffers of frames. SRAM offsets.
    pub places: Places,
    /// First byte that nothing uses.
    pub free: u32,
}

impl Plan {
    /// Lays everything out from `first_free` on.
    ///
    /// # Errors
    /// [`BootError::DoesNotFitSram`].
    pub fn of(config: &Config, first_free: u32, sram_bytes: u32) -> Result<Plan, BootError> {
        let mut cursor = Cursor::new(first_free);
        let (engines, counters, places) = config.lay_out(&mut cursor);
        let free = cursor.end(sram_bytes).ok_or(BootError::DoesNotFitSram)?;
        Ok(Plan { config: *config, engines, counters, places, free })
    }

    /// The reply of a firmware that has this plan.
    pub fn reply(&self) -> SectionsWriter<REPLY_WORDS> {
        let mut reply = SectionsWriter::reply(ANSWERS);
        let Places { sends, receives, transmit_buffers, receive_buffers, .. } = self.places;
        reply.push(&NicReply { free: self.free });
        reply.push(&LinkReply { tx_buffers: transmit_buffers, rx_buffers: receive_buffers });
        reply.push(&CountersReply { counters: self.counters });
        reply.push(&FramesReply { sends, receives });
        reply
    }
}
