//! The rings of the DMA engines and the MAC, and those by which the firmware tells the driver.

use nic_device::{DMA_RING_LOG2, MAC_RING_LOG2};
use nic_layout::boot::RingsReply;
use nic_layout::ring::{DMA_DESCRIPTOR_BYTES, MAC_DESCRIPTOR_BYTES};
use nic_layout::tables::{MISS_RING_ENTRIES, NOTIFY_RING_ENTRIES};

use crate::{Piece, Regions, Use};

/// Bytes of an entry of the miss ring.
pub const MISS_ENTRY_BYTES: u32 = 16;
/// Bytes of an entry of the notification ring.
pub const NOTIFY_ENTRY_BYTES: u32 = 32;

/// Where the rings of the engines are. SRAM offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnginePlaces {
    /// Descriptors of host reads.
    pub dma_read_ring: u32,
    /// Descriptors of host writes.
    pub dma_write_ring: u32,
    /// Frames to send.
    pub transmit_ring: u32,
    /// Buffers for frames that arrive.
    pub receive_ring: u32,
}

/// Takes the regions of the engines' rings.
pub fn plan_engines(regions: &mut impl Regions) -> EnginePlaces {
    let mut take = |name, log2: u32, bytes: u32, align| {
        regions.take("device", align, &[Piece::new(name, Use::Program, 1 << log2, bytes)])
    };
    EnginePlaces {
        dma_read_ring: take("host-read ring", DMA_RING_LOG2, DMA_DESCRIPTOR_BYTES, 16),
        dma_write_ring: take("host-write ring", DMA_RING_LOG2, DMA_DESCRIPTOR_BYTES, 16),
        transmit_ring: take("transmit ring", MAC_RING_LOG2, MAC_DESCRIPTOR_BYTES, 8),
        receive_ring: take("receive ring", MAC_RING_LOG2, MAC_DESCRIPTOR_BYTES, 8),
    }
}

/// Where the rings are that the driver reads. SRAM offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingPlaces {
    /// What the firmware has missed.
    pub miss_ring: u32,
    /// Notifications of writes that have ended.
    pub notify_ring: u32,
}

impl RingPlaces {
    /// Takes the regions of the rings.
    pub fn plan(regions: &mut impl Regions) -> RingPlaces {
        let mut take = |name, count, bytes| regions.take("rings", 16, &[Piece::new(name, Use::Program, count, bytes)]);
        RingPlaces {
            miss_ring: take("miss ring", MISS_RING_ENTRIES, MISS_ENTRY_BYTES),
            notify_ring: take("notification ring", NOTIFY_RING_ENTRIES, NOTIFY_ENTRY_BYTES),
        }
    }

    /// The section of the reply.
    pub const fn reply(&self) -> RingsReply {
        RingsReply { miss_ring: self.miss_ring, notify_ring: self.notify_ring }
    }
}
