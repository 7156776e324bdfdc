//! Misses: the driver is told of each miss once, and lines that the NIC fetches hold the words that
//! came (INV-16 to 20).

use nic_layout::tables::MISS_RING_ENTRIES;
use nic_layout::trace::{Marker, ARGUMENT_MASK};
use sim_pins::Ps;

use super::lines::State;
use super::{Caches, Miss, Owed};
use crate::broken::{broken, Broken};
use crate::context::{has_settled, Context};
use crate::Pins;

impl Caches {
    fn has_miss_room(&self) -> bool {
        self.raised.wrapping_sub(self.served).wrapping_add(self.fetches) < MISS_RING_ENTRIES
    }

    /// Nothing was reserved. The reason must be a pending miss, no free way, or no room in the
    /// ring.
    pub(super) fn check_not_raised(&mut self, next: Marker) -> Result<(), Broken> {
        let has_room = self.has_miss_room();
        match self.miss.take() {
            Some(Miss::Line { at, tag, set, .. }) => self.vmh.check_absent(at, set, tag, has_room),
            Some(Miss::Buffer { at, word, set }) => {
                let found = self.cbh.find(set, word);
                let state = found.and_then(|entry| self.cbh.get(entry)).map(|line| line.state);
                match (found, state) {
                    (Some(entry), Some(State::Denied { since })) => {
                        // The value that the firmware read decides the order of the set.
                        if next == Marker::Refused || has_settled(since, at) {
                            self.cbh.use_now(entry);
                        } else {
                            self.cbh.order_is_unsure(set);
                        }
                        Ok(())
                    }
                    _ => self.cbh.check_absent(at, set, word, has_room),
                }
            }
            None => Ok(()),
        }
    }

    pub(super) fn miss_raised(&mut self, context: &mut Context, line: u32) -> Result<(), Broken> {
        let (at, index) = (context.at, self.raised);
        if let Some(unfilled) = self.unfilled.take().filter(|unfilled| *unfilled == line) {
            if let Some(line) = self.vmh.get_mut(unfilled) {
                line.state = State::Reserved { since: at, index };
            }
            self.owe(false, line);
            return Ok(());
        }
        let Some(miss) = self.miss.take() else {
            return broken(18, format!("the host is asked to fill line {line}, and no lookup missed"));
        };
        if !self.has_miss_room() {
            return broken(18, format!("the miss ring is full, and line {line} is put there"));
        }
        let is_buffer = match miss {
            Miss::Line { is_receive, tag, set, .. } => {
                context.seen.misses[usize::from(is_receive)] += 1;
                self.vmh.reserve(at, line, set, tag, index)?;
                false
            }
            Miss::Buffer { word, set, .. } => {
                context.seen.buffer_misses += 1;
                self.cbh.reserve(at, line, set, word, index)?;
                true
            }
        };
        self.owe(is_buffer, line);
        Ok(())
    }

    /// The driver was told of a line.
    fn owe(&mut self, is_buffer: bool, line: u32) {
        self.owed.push_back(Owed { is_buffer, line, index: self.raised });
        self.raised = self.raised.wrapping_add(1);
    }

    pub(super) fn fill_seen(&mut self, consumer: u32) {
        // The low bits are enough: far fewer misses are outstanding.
        let served = consumer.wrapping_sub(self.served) & ARGUMENT_MASK;
        if served <= self.raised.wrapping_sub(self.served) {
            self.served = self.served.wrapping_add(served);
        }
    }

    // ---- Lines that the NIC fetches -------------------------------------------------------------

    /// A line is reserved and locked, and its transfer posted.
    pub(super) fn fetch_begun(&mut self, context: &mut Context, line: u32) -> Result<(), Broken> {
        let Some(Miss::Line { is_receive, tag, set, .. }) = self.miss.take() else {
            return broken(18, format!("line {line} is fetched, and no lookup missed"));
        };
        context.seen.misses[usize::from(is_receive)] += 1;
        context.seen.fetches[usize::from(is_receive)] += 1;
        self.vmh.reserve(context.at, line, set, tag, 0)?;
        if let Some(line) = self.vmh.get_mut(line) {
            line.state = State::Fetching { since: context.at };
            line.locks[0] += 1;
        }
        self.fetches += 1;
        Ok(())
    }

    fn is_fetching(&self, line: u32) -> bool {
        self.vmh.get(line).is_some_and(|line| matches!(line.state, State::Fetching { .. }))
    }

    /// The line is valid: it was not taken away (INV-19), and it holds the words that came, which
    /// are pinned pages of its process (INV-17, INV-20).
    pub(super) fn fetch_filled(&mut self, context: &mut Context, line: u32, pins: &dyn Pins) -> Result<(), Broken> {
        context.seen.fetches_filled += 1;
        self.fetches = self.fetches.saturating_sub(1);
        if !self.is_fetching(line) {
            return broken(19, format!("what was fetched makes VMH line {line} valid, which was taken away"));
        }
        let size = self.places.vmh.line_entries as usize;
        let came = context.fetched.take().filter(|fetched| {
            fetched.entries.len() == size && fetched.entries[fetched.wanted] < context.places.host_pages
        });
        let Some(came) = came else {
            return broken(20, format!("VMH line {line} is filled with less than {size} entries, or without its page"));
        };
        let first = line as usize * size;
        self.entries[first..first + size].copy_from_slice(&came.entries);
        let Some(filled) = self.vmh.get_mut(line) else { return Ok(()) };
        // The firmware wrote this word itself, so it settles at once.
        filled.state = State::Valid { since: Ps::ZERO };
        let tag = filled.tag;
        self.check_fill(line, tag, pins)
    }

    /// The line was taken away during its fetch.
    pub(super) fn fetch_lost(&mut self, line: u32) -> Result<(), Broken> {
        self.fetches = self.fetches.saturating_sub(1);
        match self.is_fetching(line) {
            true => broken(16, format!("the fetch of VMH line {line} comes to nothing, and the line waits for it")),
            false => Ok(()),
        }
    }

    /// The fetch filled nothing; the driver is told of the miss next.
    pub(super) fn fetch_unfilled(&mut self, line: u32) -> Result<(), Broken> {
        self.fetches = self.fetches.saturating_sub(1);
        if !self.is_fetching(line) {
            return broken(19, format!("the driver shall fill VMH line {line}, which was taken away"));
        }
        self.unfilled = Some(line);
        Ok(())
    }
}
