//! Rings that hardware reads. A ring owns its producer index: whoever has a descriptor to post needs the ring, and nobody else can.

use nic_layout::registers::{ReadWrite, Register};
use nic_layout::ring::{DMA_DESCRIPTOR_BYTES, MAC_DESCRIPTOR_BYTES};
use nic_vmmc::{DMA_RING_LOG2, MAC_RING_LOG2};

use crate::memory::{read_sram, store, write_sram};

/// A ring of DMA descriptors. The engine may take a descriptor as soon as it is posted.
pub struct DmaRing {
    base: u32,
    producer: u32,
}

impl DmaRing {
    pub const fn new(base: u32) -> DmaRing {
        DmaRing { base, producer: 0 }
    }

    #[inline(always)]
    pub fn post(&mut self, index_register: Register<u32, ReadWrite>, bus: u32, sram: u32, control: u32) {
        let at = self.base + (self.producer & ((1 << DMA_RING_LOG2) - 1)) * DMA_DESCRIPTOR_BYTES;
        write_sram(at, bus);
        write_sram(at + 4, sram);
        write_sram(at + 8, control);
        self.producer = self.producer.wrapping_add(1);
        // The register comes after the words: stores of a core are performed in order (docs/interfaces.md, SRAM port).
        store(index_register, self.producer & 0xFFFF);
    }
}

/// A ring of MAC descriptors, transmit or receive.
pub struct MacRing {
    base: u32,
    producer: u32,
}

impl MacRing {
    pub const fn new(base: u32) -> MacRing {
        MacRing { base, producer: 0 }
    }

    #[inline(always)]
    fn entry(&self, index: u32) -> u32 {
        self.base + (index & ((1 << MAC_RING_LOG2) - 1)) * MAC_DESCRIPTOR_BYTES
    }

    /// Fills the next descriptor. The MAC may not take it yet.
    #[inline(always)]
    pub fn place(&mut self, sram: u32, control: u32) {
        let at = self.entry(self.producer);
        write_sram(at, sram);
        write_sram(at + 4, control);
        self.producer = self.producer.wrapping_add(1);
    }

    /// Gives all placed descriptors to the MAC.
    #[inline(always)]
    pub fn publish(&self, index_register: Register<u32, ReadWrite>) {
        store(index_register, self.producer & 0xFFFF);
    }

    #[inline(always)]
    pub fn set_control(&mut self, index: u16, control: u32) {
        write_sram(self.entry(u32::from(index)) + 4, control);
    }

    /// Both words of a descriptor that the MAC has given back.
    #[inline(always)]
    pub fn words(&self, index: u16) -> (u32, u32) {
        let at = self.entry(u32::from(index));
        (read_sram(at), read_sram(at + 4))
    }
}
