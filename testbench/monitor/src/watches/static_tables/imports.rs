//! Imports: posts and frames name only buffers that the driver has entered for the process, within
//! the rights and bounds of the entry (INV-19, 21, 22).

use std::collections::BTreeMap;

use nic_layout::frame::link::{FrameKind, FLAG_ABORTED};
use nic_layout::key::Key;
use nic_layout::post::{OP_READ, OP_WRITE, POST_FLAG_INLINE};
use nic_layout::static_tables::{import, StaticGeometry};
use nic_layout::trace::ARGUMENT_MASK;
use nic_layout::PROCESS_SLOTS;

use super::memory::Memory;
use super::Descriptor;
use crate::broken::{broken, Broken};
use crate::context::{Context, POST_WORDS};
use crate::Header;

pub(super) struct Imports {
    geometry: StaticGeometry,
    /// By node, buffer and key: the length of each import that ever existed.
    known: BTreeMap<(u32, u32, Key), u32>,
}

fn word(record: &Descriptor, at: u32) -> u32 {
    record[at as usize / 4]
}

impl Imports {
    pub fn new(geometry: StaticGeometry) -> Imports {
        Imports { geometry, known: BTreeMap::new() }
    }

    /// The driver has written a word of a record.
    pub fn write(&mut self, memory: &Memory, offset: u32) {
        let bytes = import::bytes(self.geometry.key);
        let in_table = offset - self.geometry.import_offset(0, 0);
        let record = memory.record(offset - in_table % bytes, bytes);
        let who = word(&record, import::WHO);
        if in_table % bytes != import::WHO || who & import::VALID == 0 {
            return;
        }
        let words = [import::KEY_0, import::KEY_1, import::KEY_2, import::KEY_3].map(|at| word(&record, at));
        let named = (import::node(who), import::cbh(who), self.geometry.key.cut(words));
        let length = self.known.entry(named).or_default();
        *length = (*length).max(word(&record, import::LENGTH));
    }

    /// The firmware continues with a post. The marker carries the low bits of the message: at least
    /// one post with these bits must be legal.
    pub fn post_read(&self, context: &Context, memory: &Memory, message: u32) -> Result<(), Broken> {
        let mut reason = Ok(());
        for (slot, post) in context.posted.posts() {
            let [operation, .., post_message] = *post;
            let (kind, flags) = (operation as u8, (operation >> 8) as u8);
            let is_it = post_message & ARGUMENT_MASK == message
                && (kind == OP_READ || kind == OP_WRITE && flags & POST_FLAG_INLINE == 0);
            if is_it {
                reason = self.check(context, memory, slot as u32, post);
                if reason.is_ok() {
                    return Ok(());
                }
            }
        }
        reason
    }

    fn check(&self, context: &Context, memory: &Memory, slot: u32, post: &[u32; POST_WORDS]) -> Result<(), Broken> {
        let [operation, length, _, index, offset, ..] = *post;
        let message = post[POST_WORDS - 1];
        if index >= self.geometry.import_entries {
            return broken(21, format!("slot {slot} posts message {message} by import {index}, which does not exist"));
        }
        let mut records =
            memory.records(context.at, self.geometry.import_offset(slot, index), import::bytes(self.geometry.key));
        let latest = records[0];
        records.retain(|record| word(record, import::WHO) & import::VALID != 0);
        if records.is_empty() {
            return match latest == Descriptor::default() {
                true => broken(21, format!("slot {slot} posts message {message} by import {index}, which is empty")),
                false => {
                    broken(19, format!("slot {slot} posts message {message} by import {index}, which was released"))
                }
            };
        }
        // The bit of a right has the number of its operation.
        records.retain(|record| word(record, import::WHO) >> import::PERMISSIONS_SHIFT & operation & 3 != 0);
        if records.is_empty() {
            return broken(21, format!("slot {slot} posts message {message}; import {index} forbids that"));
        }
        let end = u64::from(offset) + u64::from(length);
        match records.iter().any(|record| end <= u64::from(word(record, import::LENGTH))) {
            true => Ok(()),
            false => broken(
                22,
                format!(
                    "slot {slot} posts message {message} of {length} bytes at {offset}; import {index} has {} bytes",
                    word(&records[0], import::LENGTH)
                ),
            ),
        }
    }

    /// A frame that uses a buffer: an import allowed it, and the frame keeps to the bounds of the
    /// import.
    pub fn sent(&self, header: &Header) -> Result<(), Broken> {
        let asks = header.is(FrameKind::READ) || header.is(FrameKind::WRITE) && header.flags() & FLAG_ABORTED == 0;
        if !header.is_ours() || !asks {
            return Ok(());
        }
        let Header { to, buffer, key, sequence, buffer_offset, .. } = *header;
        let Some(length) = self.known.get(&(to, buffer, key)) else {
            return broken(21, format!("frame {sequence} names buffer {buffer:#x} of node {to}; no import is of it"));
        };
        let bytes = header.wanted_bytes();
        match u64::from(buffer_offset) + u64::from(bytes) <= u64::from(*length) {
            true => Ok(()),
            false => broken(
                22,
                format!(
                    "frame {sequence} names {bytes} bytes at {buffer_offset} of buffer {buffer:#x}; the import has {length}"
                ),
            ),
        }
    }

    /// An import that a slot still has.
    pub fn left_in(&self, memory: &Memory, slot: u32) -> Option<u32> {
        debug_assert!(slot < PROCESS_SLOTS as u32);
        let who = |index: &u32| memory.word(self.geometry.import_offset(slot, *index) + import::WHO);
        (0..self.geometry.import_entries).find(|index| who(index) & import::VALID != 0)
    }
}
