//! DMA of the NIC: each data phase lies in bytes that a lookup has allowed, and in a page that is
//! pinned for its process (INV-15, 19, 21, 26, 36).

use std::ops::Range;

use nic_layout::registers::mailbox;
use nic_layout::ring::MAILBOX_COMMAND_DONE;
use nic_layout::trace::{Marker, NO_LINE};
use nic_layout::PAGE_SHIFT;
use sim_pins::Ps;

use super::Watch;
use crate::broken::{broken, Broken};
use crate::context::{Command, Context, Grant};
use crate::places::Pins;
use crate::tap::Transfer;

/// The longest time that a DMA keeps a line locked. An older lock belongs to no DMA (INV-15).
const LOCK_MAX: Ps = Ps::from_us(20_000);

/// The bytes that were last found to be allowed. They save a search for each further phase of a
/// burst.
struct Allowed {
    version: u64,
    is_write: bool,
    bytes: Range<u32>,
}

/// Every data phase of the NIC as a master lies in what a lookup, a status page or a fetch allows.
#[derive(Default)]
pub struct Dma {
    allowed: Option<Allowed>,
    /// The last command that the firmware obeyed, and the mark of the older grants.
    command: Option<(Command, u64)>,
}

/// Whether a data phase lies in allowed bytes. A read takes whole words, and the NIC leaves out the
/// first and the last bytes that it does not want: one allowed byte in the word is enough.
pub(super) fn lies_in(is_write: bool, phase: &Range<u32>, bytes: &Range<u32>) -> bool {
    match is_write {
        true => bytes.start <= phase.start && phase.end <= bytes.end,
        false => phase.start < bytes.end && bytes.start < phase.end,
    }
}

impl Watch for Dma {
    fn dma(&mut self, context: &mut Context, pins: &dyn Pins, transfer: &Transfer) -> Result<(), Broken> {
        let Some(phase) = transfer.moved() else { return Ok(()) };
        let is_write = transfer.is_write;
        if let Some(allowed) = &self.allowed {
            let holds = allowed.version == context.grants.version() && allowed.is_write == is_write;
            if holds && lies_in(is_write, &phase, &allowed.bytes) {
                return Ok(());
            }
        }
        self.allow(context, is_write, &phase, pins)
    }

    fn marker(&mut self, context: &mut Context, _pins: &dyn Pins, marker: Marker, argument: u32) -> Result<(), Broken> {
        match marker {
            Marker::Unlocked => unlock(context, argument >> 23 != 0, argument & 0x7F_FFFF, false),
            Marker::DmaReadDone | Marker::DmaWriteDone if argument == u32::from(NO_LINE) => Ok(()),
            Marker::DmaReadDone => unlock(context, false, argument, true),
            Marker::DmaWriteDone => unlock(context, true, argument, true),
            Marker::Command => {
                if let Some(command) = context.commands.obeyed() {
                    self.command = Some((command, context.grants.mark()));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The driver reads that its command was obeyed: all DMA from before has ended (INV-19,
    /// INV-36).
    fn host_reads(&mut self, context: &mut Context, address: u32, value: u32) -> Result<(), Broken> {
        let answer = context.places.registers + mailbox::TO_HOST.at(MAILBOX_COMMAND_DONE).offset().0;
        if address != answer {
            return Ok(());
        }
        let Some((command, mark)) = self.command.take_if(|(command, _)| command.word == value) else { return Ok(()) };
        match context.grants.before(mark) {
            Some(grant) => broken(
                if command.is_close() { 36 } else { 19 },
                format!("command {value:#x} is answered, and {grant} from before it is under way"),
            ),
            None => Ok(()),
        }
    }

    fn unpinned(&mut self, context: &mut Context, frame: u32) -> Result<(), Broken> {
        self.allowed = None;
        match context.grants.of_frame(frame) {
            Some(grant) => broken(17, format!("page {frame:#x} is unpinned while {grant} is under way")),
            None => Ok(()),
        }
    }

    fn finish(&mut self, context: &mut Context) -> Result<(), Broken> {
        match context.grants.iter().find(|grant| context.at.0 - grant.since.0 > LOCK_MAX.0) {
            Some(grant) => broken(15, format!("{grant} has been locked since {}", grant.since)),
            None => Ok(()),
        }
    }
}

impl Dma {
    fn allow(&mut self, context: &Context, is_write: bool, phase: &Range<u32>, pins: &dyn Pins) -> Result<(), Broken> {
        let frame = phase.start >> PAGE_SHIFT;
        let of_path = context.grants.iter().filter(|grant| grant.is_receive == is_write);
        let pages = of_path.flat_map(|grant| grant.pages.iter().map(move |page| (grant, page)));
        let ranges = pages.flat_map(|(grant, page)| page.bytes.iter().map(move |bytes| (grant, page, bytes)));
        let found = ranges.filter(|(.., bytes)| lies_in(is_write, phase, bytes));
        let mut not_pinned = None;
        for (grant, page, bytes) in found {
            if pins.pinned(page.pid, page.page) == Some(frame) {
                let version = context.grants.version();
                self.allowed = Some(Allowed { version, is_write, bytes: bytes.clone() });
                return Ok(());
            }
            not_pinned.get_or_insert(grant);
        }
        match not_pinned {
            Some(grant) => {
                broken(26, format!("DMA at {:#x}, for {grant}: the page is not pinned for that process", phase.start))
            }
            // The NIC writes the status pages of the processes without a lookup.
            None if is_write && context.posted.is_status(phase) => Ok(()),
            None => {
                let verb = if is_write { "write to" } else { "read of" };
                let near = context.grants.of_frame(frame);
                let near =
                    near.map_or_else(|| "none is for that page".into(), |near: &Grant| format!("there is {near}"));
                broken(21, format!("DMA {verb} {:#x} to {:#x} that no lookup allows: {near}", phase.start, phase.end))
            }
        }
    }
}

/// A locked line is unlocked. `is_oldest`: because its DMA has ended.
fn unlock(context: &mut Context, is_receive: bool, line: u32, is_oldest: bool) -> Result<(), Broken> {
    match context.grants.end(line, is_receive, is_oldest) {
        true => Ok(()),
        false => {
            let path = if is_receive { "receive" } else { "send" };
            broken(15, format!("line {line} is unlocked for the {path} path, and has no reference"))
        }
    }
}
