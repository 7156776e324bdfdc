//! DMA of the NIC: each data phase belongs to a lookup that hit, in a page that is pinned for its process.

use std::fmt;

use nic_layout::post::ProcessStatus;
use nic_layout::{PAGE_BYTES, PAGE_SHIFT};
use sim_pins::Ps;

use crate::lines::Broken;
use crate::{Pins, Tables, Transfer};

/// A lock on a line, from the lookup that hit to the end of its DMA.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reference {
    /// In the order of lookups.
    pub number: u64,
    pub since: Ps,
    pub line: u32,
    /// The NIC writes to the host.
    pub is_receive: bool,
    pub pid: u32,
    pub page: u32,
    /// The physical page.
    pub frame: u32,
    /// What of it: bus addresses, the second behind the last byte.
    pub start: u32,
    pub end: u32,
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.is_receive { "receive" } else { "send" };
        let Reference { line, pid, page, start, end, .. } = self;
        write!(f, "{path} reference to VMH line {line} (page {page:#x} of process {pid}, {start:#x} to {end:#x})")
    }
}

impl Tables {
    pub(crate) fn dma(&mut self, transfer: &Transfer, pins: &impl Pins) -> Result<(), Broken> {
        let enabled = transfer.byte_enables;
        if enabled == 0 {
            return Ok(());
        }
        if !transfer.is_write && self.fetches.count() != 0 {
            self.read_of_table(transfer);
        }
        let first = transfer.address + enabled.trailing_zeros();
        let behind = transfer.address + (u8::BITS - enabled.leading_zeros());
        if let Some((is_write, start, end)) = self.granted {
            if is_write == transfer.is_write && start <= first && behind <= end {
                return Ok(());
            }
        }
        self.grant(transfer.is_write, first, behind, pins)
    }

    fn grant(&mut self, is_write: bool, first: u32, behind: u32, pins: &impl Pins) -> Result<(), Broken> {
        let frame = first >> PAGE_SHIFT;
        // Reads come in whole words, and their first and last bytes are left out inside the NIC.
        let covers = |reference: &&Reference| {
            reference.is_receive == is_write
                && if is_write { reference.start <= first && behind <= reference.end } else { reference.frame == frame }
        };
        let Some(reference) = self.references.iter().find(covers) else {
            return self.grant_status(is_write, first, behind);
        };
        if pins.pinned(reference.pid, reference.page) != Some(frame) {
            return Err((26, format!("DMA at {first:#x}, for {reference}: the page is not pinned for that process")));
        }
        self.granted = Some(match is_write {
            true => (is_write, reference.start, reference.end),
            false => (is_write, frame << PAGE_SHIFT, (frame << PAGE_SHIFT) + PAGE_BYTES),
        });
        Ok(())
    }

    /// The status pages of the processes are written without a lookup.
    fn grant_status(&mut self, is_write: bool, first: u32, behind: u32) -> Result<(), Broken> {
        let mut slots = self.posts.slots.iter();
        let is_status = |start: u32| start <= first && behind <= start + size_of::<ProcessStatus>() as u32;
        if is_write && slots.any(|slot| slot.pid != 0 && is_status(slot.status_address)) {
            return Ok(());
        }
        let verb = if is_write { "write to" } else { "read of" };
        let near = self.references.iter().find(|reference| reference.frame == first >> PAGE_SHIFT);
        let near = near.map_or_else(|| "none is for that page".into(), |near| format!("there is {near}"));
        Err((21, format!("DMA {verb} {first:#x} to {behind:#x} that no lookup allows: {near}")))
    }

    /// A line that was looked up is let go. `is_oldest`: by the end of its DMA.
    pub(crate) fn unlock(&mut self, is_receive: bool, line: u32, is_oldest: bool) -> Result<(), Broken> {
        self.granted = None;
        let is_it = |reference: &Reference| reference.line == line && reference.is_receive == is_receive;
        let found = match is_oldest {
            true => self.references.iter().position(is_it),
            false => self.references.iter().rposition(is_it),
        };
        let Some(found) = found else {
            let path = if is_receive { "receive" } else { "send" };
            return Err((15, format!("VMH line {line} is unlocked for the {path} path, and has no reference")));
        };
        self.references.remove(found);
        if let Some(line) = self.vmh.get_mut(line) {
            line.locks[usize::from(is_receive)] -= 1;
        }
        Ok(())
    }
}
