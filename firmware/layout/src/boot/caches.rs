//! The sections of a firmware that caches the driver's translations and buffers (M-15).

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use super::{Kind, Section};
use crate::counter::{Set, SETS};

/// [`super::ReplyState::personality`] of the firmware that looks handles up in two caches of the
/// driver's tables.
pub const PERSONALITY: u32 = 1;

/// What the firmware counts.
pub const COUNTERS: &[&Set] = SETS;

/// How the firmware serves misses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct CachesRequest {
    /// A [`ReceiveMiss`].
    pub receive_miss: u32,
    /// Frames that may be held at a time ([`ReceiveMiss::Hold`]); each keeps a receive buffer.
    pub held_frames_max: u32,
    /// 1: the NIC reads translations from the host's tables by itself ([`crate::fetch`]); 0: it
    /// asks the driver.
    pub fetches_translations: u32,
}

impl Section for CachesRequest {
    const KIND: Kind = Kind::CACHES;
}

/// Where the caches are, as SRAM offsets, and their geometries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct CachesReply {
    /// Cache of translations ([`crate::vmh`]).
    pub vmh_cache: u32,
    /// Its translations.
    pub vmh_entries: u32,
    /// Translations of each line.
    pub vmh_line_entries: u32,
    /// Lines of each set.
    pub vmh_ways: u32,
    /// Cache of buffer descriptors ([`crate::cbh`]).
    pub cbh_cache: u32,
    /// Its descriptors.
    pub cbh_entries: u32,
    /// Descriptors of each set.
    pub cbh_ways: u32,
    /// The directories of [`crate::fetch`]; 0 if the NIC does not fetch.
    pub directories: u32,
}

impl Section for CachesReply {
    const KIND: Kind = Kind::CACHES;
}

/// The treatment of a frame whose destination has no translation on the NIC yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum ReceiveMiss {
    /// The frame is dropped, and the sender's time-out sends it again (M-20).
    #[default]
    TimeOut = 0,
    /// The frame is dropped. The sender is told of the miss, and again when it has been served.
    Restart = 1,
    /// The frame is held in its receive buffer until the miss has been served.
    Hold = 2,
}

impl ReceiveMiss {
    /// The treatment of a word of the boot request.
    pub const fn from_word(word: u32) -> Option<ReceiveMiss> {
        match word {
            0 => Some(ReceiveMiss::TimeOut),
            1 => Some(ReceiveMiss::Restart),
            2 => Some(ReceiveMiss::Hold),
            _ => None,
        }
    }
}
