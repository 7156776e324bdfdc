//! A frame that has arrived.

use nic_device::{Device, Place};
use nic_layout::frame::link::word as link;
use nic_layout::personality::emp::frame::word;

/// Where a frame is, and the words of its header that every part needs.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub at: Place,
    /// SRAM offset of its buffer.
    pub buffer: u32,
    pub numbers: u32,
    pub node_length: u32,
}

impl Frame {
    /// Reads the frame in a buffer.
    #[inline(always)]
    pub fn read(dev: &impl Device, buffer: u32) -> Frame {
        let at = dev.place(buffer);
        Frame { at, buffer, numbers: dev.get(at, word::NUMBERS), node_length: dev.get(at, link::NODE_LENGTH) }
    }

    /// The same frame, from the words that say which it is. A rare function takes these words: its
    /// callers would keep a structure in memory.
    pub fn of(dev: &impl Device, buffer: u32, numbers: u32, node_length: u32) -> Frame {
        Frame { at: dev.place(buffer), buffer, numbers, node_length }
    }

    /// The node that sent it.
    #[inline(always)]
    pub fn node(&self) -> u32 {
        link::node(self.node_length)
    }

    /// The number of its message.
    #[inline(always)]
    pub fn message(&self) -> u16 {
        word::message(self.numbers)
    }

    /// Its number in the message.
    #[inline(always)]
    pub fn number(&self) -> u32 {
        word::frame(self.numbers)
    }

    /// Bytes of data.
    #[inline(always)]
    pub fn data_bytes(&self) -> u32 {
        link::data_bytes(self.node_length)
    }
}
