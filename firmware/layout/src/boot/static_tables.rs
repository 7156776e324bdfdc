//! The sections of a firmware with tables that hold every translation, buffer and import (M-13).

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use super::{Kind, Section};
use crate::counter::{Set, DEVICE, DRIVER, LINK, LOOKUP, POSTS, TRANSFERS};

/// [`super::ReplyState::personality`] of the firmware that looks handles up in static tables.
pub const PERSONALITY: u32 = 2;

/// What the firmware counts: nothing misses.
pub const COUNTERS: &[&Set] = &[&LINK, &POSTS, &TRANSFERS, &LOOKUP, &DRIVER, &DEVICE];

/// What the tables shall hold, where the SRAM does ([`crate::static_tables::StaticGeometry`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct StaticTablesRequest {
    /// Second-level tables of translations, of all processes.
    pub vmh_tables_max: u32,
    /// Buffers, of all processes.
    pub cbh_entries_max: u32,
    /// Imports of each process.
    pub import_entries_max: u32,
}

impl Section for StaticTablesRequest {
    const KIND: Kind = Kind::STATIC_TABLES;
}

/// Where the tables are and what they hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct StaticTablesReply {
    /// SRAM offset of the tables, which are one piece ([`crate::static_tables`]).
    pub tables: u32,
    /// Second-level tables of translations.
    pub vmh_tables: u32,
    /// Buffers.
    pub cbh_entries: u32,
    /// Imports of each process.
    pub import_entries: u32,
}

impl Section for StaticTablesReply {
    const KIND: Kind = Kind::STATIC_TABLES;
}
