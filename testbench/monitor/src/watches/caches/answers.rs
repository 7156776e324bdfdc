//! The driver's writes into the caches: answers to misses (INV-15, 16, 17).

use nic_layout::cbh::{self};
use nic_layout::vmh::{self, key_line_page, key_pid, NO_TRANSLATION};

use super::lines::State;
use super::{not_pinned, Caches};
use crate::broken::{broken, Broken};
use crate::context::Context;
use crate::Pins;

impl Caches {
    pub(super) fn host_writes_vmh(
        &mut self,
        context: &mut Context,
        offset: u32,
        value: u32,
        pins: &dyn Pins,
    ) -> Result<(), Broken> {
        let geometry = self.places.vmh;
        let first_entry = geometry.entry_offset(0, 0);
        if let Some(entry) = offset.checked_sub(first_entry) {
            let (entry, line) = (entry / 4, entry / 4 / geometry.line_entries);
            self.entries[entry as usize] = value;
            return self.vmh.check_owed(line);
        }
        let line = offset / 4;
        if line >= geometry.lines() {
            return broken(
                15,
                format!("the host writes {value:#x} to the locks or the order of the VMH cache, at {offset:#x}"),
            );
        }
        match value & vmh::KEY_STATE_MASK {
            vmh::KEY_VALID => {
                let tag = value & !vmh::KEY_STATE_MASK;
                self.check_tag(line, tag)?;
                self.vmh.answer(line, State::Valid { since: context.at })?;
                context.seen.fills += 1;
                self.check_fill(line, tag, pins)
            }
            vmh::KEY_EMPTY => {
                context.seen.releases += 1;
                self.vmh.answer(line, State::Released { since: context.at })
            }
            _ => broken(16, format!("the host writes the key {value:#x} to VMH line {line}")),
        }
    }

    /// The driver fills a line for the key that it was reserved for.
    fn check_tag(&self, line: u32, tag: u32) -> Result<(), Broken> {
        let owed = self.vmh.get(line).map_or(0, |line| line.tag);
        match owed == tag {
            true => Ok(()),
            false => broken(16, format!("VMH line {line} is filled for {tag:#x}, and was reserved for {owed:#x}")),
        }
    }

    /// Inclusion (INV-17): only pinned pages of the process are filled.
    pub(super) fn check_fill(&mut self, line: u32, tag: u32, pins: &dyn Pins) -> Result<(), Broken> {
        let (pid, first) = (key_pid(tag), key_line_page(tag));
        let start = line * self.places.vmh.line_entries;
        for n in 0..self.places.vmh.line_entries {
            let frame = self.entries[(start + n) as usize];
            if frame == NO_TRANSLATION {
                continue;
            }
            let expected = pins.pinned(pid, first + n);
            if expected != Some(frame) {
                return broken(17, not_pinned("is filled", line, pid, first + n, frame, expected));
            }
            self.owners.insert(frame, (pid, first + n));
        }
        Ok(())
    }

    pub(super) fn host_writes_cbh(&mut self, context: &mut Context, offset: u32, value: u32) -> Result<(), Broken> {
        let Some(offset) = offset.checked_sub(self.places.cbh.entry_offset(0)) else {
            return broken(15, format!("the host writes {value:#x} to the order of the CBH cache"));
        };
        let entry_bytes = cbh::entry_bytes(self.places.cbh.key);
        let (entry, word) = (offset / entry_bytes, offset % entry_bytes);
        self.descriptors[entry as usize][word as usize / 4] = value;
        if word != cbh::entry::STATE {
            return Ok(());
        }
        let since = context.at;
        match value & cbh::STATE_MASK {
            cbh::STATE_VALID => {
                context.seen.fills += 1;
                self.cbh.answer(entry, State::Valid { since })
            }
            cbh::STATE_INVALID => {
                context.seen.denials += 1;
                self.cbh.answer(entry, State::Denied { since })
            }
            _ => {
                context.seen.releases += 1;
                self.cbh.answer(entry, State::Released { since })
            }
        }
    }

    /// A miss that the driver reports as served was answered, or an invalidation took its line away
    /// (INV-16).
    pub(super) fn check_served(&mut self, consumer: u32) -> Result<(), Broken> {
        while let Some(owed) = self.owed.front() {
            if consumer.wrapping_sub(owed.index) as i32 <= 0 {
                break;
            }
            let (name, lines) = if owed.is_buffer { ("CBH", &self.cbh) } else { ("VMH", &self.vmh) };
            let waits = lines
                .get(owed.line)
                .is_some_and(|line| matches!(line.state, State::Reserved { index, .. } if index == owed.index));
            if waits {
                let (line, index) = (owed.line, owed.index);
                return broken(
                    16,
                    format!("the driver has served miss {index}, and {name} line {line} is still reserved for it"),
                );
            }
            self.owed.pop_front();
        }
        Ok(())
    }
}
