//! The caches of translations (VMH) and of buffers (CBH). Lines are reserved, filled, hit, locked
//! and taken away by the rules (INV-13 to 22).
//!
//! Both caches are modelled as lists of ways. The driver's answers come over the bus; the trace
//! port reports the actions of the firmware.

mod answers;
mod lines;
mod lookups;
mod misses;

use std::collections::{BTreeMap, VecDeque};

use nic_layout::cbh::CbhGeometry;
use nic_layout::registers::mailbox;
use nic_layout::ring::{COMMAND_FORGET_BUFFER, COMMAND_INVALIDATE, MAILBOX_FILLED};
use nic_layout::trace::{Marker, NO_LINE};
use nic_layout::vmh::{self, key_line_page, key_pid, VmhGeometry, NO_TRANSLATION};
use sim_pins::Ps;

use super::frame_target::Descriptor;
use super::posts::within;
use super::Watch;
use crate::broken::{broken, Broken};
use crate::context::{Command, Context};
use crate::places::Pins;
use crate::watches::ANSWER_MAX;
use lines::{Lines, State};

/// A lookup that has begun.
#[derive(Clone, Copy, Debug)]
struct Lookup {
    is_receive: bool,
    page: u32,
}

/// A lookup that found nothing at a time. The next marker, which may come much later, tells its
/// outcome.
#[derive(Clone, Copy, Debug)]
enum Miss {
    Line { at: Ps, is_receive: bool, tag: u32, set: u32 },
    Buffer { at: Ps, word: u32, set: u32 },
}

/// An entry of the miss ring that the driver has not reported as served.
struct Owed {
    is_buffer: bool,
    line: u32,
    index: u32,
}

/// Where both caches are, and what the NIC needs to fetch translations: offsets in the SRAM.
#[derive(Clone, Copy, Debug)]
pub struct CachePlaces {
    /// The cache of translations.
    pub vmh_cache: u32,
    /// Its geometry.
    pub vmh: VmhGeometry,
    /// The cache of buffer descriptors.
    pub cbh_cache: u32,
    /// Its geometry.
    pub cbh: CbhGeometry,
    /// The directories of the processes' tables; `None` if the NIC does not fetch.
    pub directories: Option<u32>,
}

/// Lines of translations and buffer descriptors in caches.
pub struct Caches {
    places: CachePlaces,
    /// Lookups are for messages, whose bytes another watch knows: [`super::Messages`].
    of_messages: bool,
    vmh: Lines,
    /// The entries of all lines, as the host wrote them.
    entries: Vec<u32>,
    cbh: Lines,
    /// The words of all entries, as the host wrote them.
    descriptors: Vec<Descriptor>,
    /// The process and page of each physical page, as the NIC last learnt them.
    owners: BTreeMap<u32, (u32, u32)>,
    lookup: Option<Lookup>,
    miss: Option<Miss>,
    /// The entry of the CBH cache that was found for the frame at hand.
    found: Option<u32>,
    owed: VecDeque<Owed>,
    /// Misses that the driver was told of, and misses that it reported as served; both
    /// free-running.
    raised: u32,
    served: u32,
    /// Fetches that have not ended. Each may still need a place in the miss ring.
    fetches: u32,
    /// A line whose fetch filled nothing. The driver will be told of its miss next.
    unfilled: Option<u32>,
}

impl Watch for Caches {
    fn host_writes(&mut self, context: &mut Context, pins: &dyn Pins, address: u32, value: u32) -> Result<(), Broken> {
        let CachePlaces { vmh_cache, vmh, cbh_cache, cbh, .. } = self.places;
        match context.places.in_sram(address) {
            Some(at) => {
                if let Some(offset) = within(at, vmh_cache, vmh.bytes()) {
                    self.host_writes_vmh(context, offset, value, pins)
                } else if let Some(offset) = within(at, cbh_cache, cbh.bytes()) {
                    self.host_writes_cbh(context, offset, value)
                } else {
                    Ok(())
                }
            }
            None if address == context.places.registers + mailbox::TO_NIC.at(MAILBOX_FILLED).offset().0 => {
                self.check_served(value)
            }
            None => Ok(()),
        }
    }

    fn marker(&mut self, context: &mut Context, pins: &dyn Pins, marker: Marker, argument: u32) -> Result<(), Broken> {
        let asks = matches!(marker, Marker::MissRaised | Marker::FetchBegun | Marker::FetchStalled);
        if self.miss.is_some() && !asks {
            self.check_not_raised(marker)?;
        }
        match marker {
            Marker::LookupBegin => self.begin(context, false, argument),
            Marker::ReceiveLookupBegin => self.begin(context, true, argument),
            Marker::LookupHit => self.hit(context, argument, pins),
            Marker::LookupMiss => self.absent(context.at, argument),
            Marker::LookupFault => self.fault(context, argument),
            Marker::Unlocked => self.unlock(argument & 0x7F_FFFF, argument >> 23 != 0),
            Marker::DmaReadDone | Marker::DmaWriteDone if argument == u32::from(NO_LINE) => Ok(()),
            Marker::DmaReadDone => self.unlock(argument, false),
            Marker::DmaWriteDone => self.unlock(argument, true),
            Marker::BufferHit => self.buffer_hit(context, argument),
            Marker::BufferMiss => self.buffer_absent(context, argument),
            Marker::MissRaised => self.miss_raised(context, argument),
            Marker::FetchBegun => self.fetch_begun(context, argument),
            Marker::FetchFilled => self.fetch_filled(context, argument, pins),
            Marker::FetchLost => self.fetch_lost(argument),
            Marker::FetchUnfilled => self.fetch_unfilled(argument),
            Marker::FetchStalled => {
                // There is no room for the transfer. The end of another transfer starts the post
                // again.
                self.miss = None;
                Ok(())
            }
            Marker::FillSeen => {
                self.fill_seen(argument);
                Ok(())
            }
            Marker::Command => {
                if let Some(command) = context.commands.obeyed() {
                    self.obey(command);
                }
                Ok(())
            }
            Marker::ReceiveBegin | Marker::FrameRetaken => {
                self.found = None;
                Ok(())
            }
            Marker::Accepted => self.accepted(context),
            _ => Ok(()),
        }
    }

    /// A page is unpinned: the NIC may not use it any more (INV-17).
    fn unpinned(&mut self, _context: &mut Context, frame: u32) -> Result<(), Broken> {
        let Some((pid, page)) = self.owners.remove(&frame) else { return Ok(()) };
        let geometry = self.places.vmh;
        let tag = vmh::key(pid, geometry.line_page(page), 0);
        let Some(line) = self.vmh.find(geometry.set_of(page), tag) else { return Ok(()) };
        let holds = self.entry(line, page) == frame && self.vmh.get(line).is_some_and(|line| line.is_valid());
        match holds {
            true => broken(
                17,
                format!("page {page:#x} of process {pid} is unpinned, and VMH line {line} holds it ({frame:#x})"),
            ),
            false => Ok(()),
        }
    }

    fn finish(&mut self, context: &mut Context) -> Result<(), Broken> {
        for (name, lines) in [("VMH", &self.vmh), ("CBH", &self.cbh)] {
            for (number, line) in lines.iter() {
                let is_late = |since: Ps| context.at.0 - since.0 > ANSWER_MAX.0;
                if matches!(line.state, State::Reserved { since, .. } if is_late(since)) {
                    return broken(16, format!("{name} line {number} waits for an answer: {:?}", line.state));
                }
            }
        }
        Ok(())
    }
}

impl Caches {
    /// Both caches are empty.
    pub fn new(places: &CachePlaces) -> Caches {
        let (lines, entries) = (places.vmh.lines(), places.cbh.entries);
        Caches {
            places: *places,
            of_messages: false,
            vmh: Lines::new("VMH", lines, places.vmh.ways),
            entries: vec![NO_TRANSLATION; places.vmh.entries as usize],
            cbh: Lines::new("CBH", entries, places.cbh.ways),
            descriptors: vec![[0; 8]; entries as usize],
            owners: BTreeMap::new(),
            lookup: None,
            miss: None,
            found: None,
            owed: VecDeque::new(),
            raised: 0,
            served: 0,
            fetches: 0,
            unfilled: None,
        }
    }

    /// The cache of translations of a NIC that matches messages, which is empty.
    pub fn of_messages(places: &CachePlaces) -> Caches {
        Caches { of_messages: true, ..Caches::new(places) }
    }

    fn entry(&self, line: u32, page: u32) -> u32 {
        let in_line = page & (self.places.vmh.line_entries - 1);
        self.entries[(line * self.places.vmh.line_entries + in_line) as usize]
    }

    fn obey(&mut self, command: Command) {
        match command.kind() {
            COMMAND_INVALIDATE => {
                let (pid, page) = (key_pid(command.word), key_line_page(command.word));
                let geometry = self.places.vmh;
                self.vmh.forget(geometry.set_of(page), vmh::key(pid, geometry.line_page(page), 0));
            }
            COMMAND_FORGET_BUFFER => self.cbh.forget(self.places.cbh.set_of(command.argument), command.argument),
            _ => {}
        }
    }

    /// A grant of the line has ended, which `Dma` has found.
    fn unlock(&mut self, line: u32, is_receive: bool) -> Result<(), Broken> {
        match self.vmh.get_mut(line).map(|line| &mut line.locks[usize::from(is_receive)]) {
            Some(locks) if *locks > 0 => {
                *locks -= 1;
                Ok(())
            }
            _ => broken(15, format!("VMH line {line} is unlocked, and is not locked")),
        }
    }
}

fn not_pinned(what: &str, line: u32, pid: u32, page: u32, frame: u32, pinned: Option<u32>) -> String {
    let host = pinned.map_or_else(|| "it is not pinned".into(), |frame| format!("it is pinned at {frame:#x}"));
    format!("VMH line {line} {what}: page {page:#x} of process {pid} is {frame:#x}; {host}")
}
