//! Posted receives, and which of them a message takes (docs/emp.md, Matching).
#![cfg_attr(not(test), no_std)]

mod hashed;
mod linear;

use nic_device::Words;
pub use nic_layout::personality::emp::descriptor::RESERVED_TAG_MIN;

pub use hashed::Hashed;
pub use linear::Linear;

/// What a receive asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Want {
    /// The node that the message comes from; `None`: any.
    pub source: Option<u8>,
    /// Its tag; `None`: any below [`RESERVED_TAG_MIN`].
    pub tag: Option<u16>,
}

/// A message that looks for a receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// The node that it comes from.
    pub source: u8,
    /// Its tag.
    pub tag: u16,
    /// Whether the message before it with the same tag was matched, so that a receive that asks
    /// for a tag may take it.
    pub after_tag: bool,
    /// Whether every message before it was matched, so that a receive of any tag may take it.
    pub after_all: bool,
}

/// What a message has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The receive with this number may take it.
    Receive(u32),
    /// An earlier message has to be matched first.
    Early,
    /// No posted receive matches.
    Nothing,
}

/// Posted receives. A receive has a number, and is posted at most once at a time.
pub trait Posted {
    /// No receives, in no memory.
    const NOWHERE: Self;
    /// Bytes of SRAM for so many receives.
    fn bytes(receives: u32) -> u32;
    /// Receives with numbers below `receives`, in the SRAM from an offset on, a multiple of 8.
    fn new(offset_bytes: u32, receives: u32) -> Self;
    /// Forgets all that is posted.
    fn clear(&mut self, words: &mut impl Words);
    /// Posts a receive. It is the youngest.
    fn post(&mut self, words: &mut impl Words, receive: u32, want: Want);
    /// Finds the oldest receive that matches a message. It stays posted until [`Self::remove`].
    fn find(&self, words: &impl Words, message: Message) -> Found;
    /// Removes a receive that is posted.
    fn remove(&mut self, words: &mut impl Words, receive: u32);
    /// Removes a receive, if it is posted. False if it was not posted.
    fn cancel(&mut self, words: &mut impl Words, receive: u32) -> bool;
    /// Receives that are posted.
    fn posted(&self) -> u32;
}
