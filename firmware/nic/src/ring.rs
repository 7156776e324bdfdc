//! Rings that hardware reads. Indices are counted without end; the registers keep the low 16 bits.

use nic_device::Place;
use nic_device::{DMA_RING_LOG2, MAC_RING_LOG2};
use nic_layout::registers::{ReadWrite, Register};
use nic_layout::ring::{DMA_DESCRIPTOR_BYTES, MAC_DESCRIPTOR_BYTES};

use crate::memory::{get, get_half, put, sram, store};

/// A ring of DMA descriptors, filled in turn from the first on. The engine may take a descriptor as
/// soon as it is posted.
pub struct DmaRing {
    base: Place,
    /// The place of the next descriptor. It is computed after the post before it, when no message
    /// waits for it.
    next: Place,
}

impl DmaRing {
    /// A ring before its memory is known.
    pub const NOWHERE: DmaRing = DmaRing { base: Place(0), next: Place(0) };

    /// An empty ring at an SRAM offset.
    pub fn new(base: u32) -> DmaRing {
        DmaRing { base: sram(base), next: sram(base) }
    }

    /// Writes descriptor number `index`, a free-running number, and publishes it in the register
    /// `producer`.
    #[inline(always)]
    pub fn post(&mut self, producer: Register<u32, ReadWrite>, index: u32, bus: u32, sram: u32, control: u32) {
        let at = self.next;
        put(at, 0, bus);
        put(at, 4, sram);
        put(at, 8, control);
        // The register comes after the words: stores of a core are performed in order
        // (docs/interfaces.md, SRAM port).
        store(producer, index.wrapping_add(1));
        self.next = self.base.plus((index.wrapping_add(1) & ((1 << DMA_RING_LOG2) - 1)) * DMA_DESCRIPTOR_BYTES);
    }
}

/// A ring of MAC descriptors, transmit or receive.
pub struct MacRing {
    base: Place,
    /// The descriptor of the frame that is received next, computed before that frame arrives.
    next: Place,
}

impl MacRing {
    /// A ring before its memory is known.
    pub const NOWHERE: MacRing = MacRing { base: Place(0), next: Place(0) };

    /// An empty ring at an SRAM offset.
    pub fn new(base: u32) -> MacRing {
        MacRing { base: sram(base), next: sram(base) }
    }

    #[inline(always)]
    fn entry(&self, index: u32) -> Place {
        self.base.plus((index & ((1 << MAC_RING_LOG2) - 1)) * MAC_DESCRIPTOR_BYTES)
    }

    /// Fills a descriptor. The MAC may not take it before its index is published or released.
    #[inline(always)]
    pub fn place(&self, index: u32, sram: u32, control: u32) {
        let at = self.entry(index);
        put(at, 0, sram);
        put(at, 4, control);
    }

    /// Changes the control word of a descriptor that the MAC may not take yet.
    #[inline(always)]
    pub fn set_control(&self, index: u32, control: u32) {
        put(self.entry(index), 4, control);
    }

    /// Lets [`Self::received`] read descriptor `index` next. At first it reads number 0.
    #[inline(always)]
    pub fn go_to(&mut self, index: u32) {
        self.next = self.entry(index);
    }

    /// SRAM address of the buffer and length in bytes of the next frame. The MAC has received it.
    #[inline(always)]
    pub fn received(&self) -> (u32, u32) {
        (get(self.next, 0), get_half(self.next, 4))
    }
}
