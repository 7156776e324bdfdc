//! What the firmware says on its trace port, held against the models and the frames.

use nic_layout::cbh::{cbh_pid, entry, PERMISSIONS_SHIFT, STATE_MASK, STATE_VALID};
use nic_layout::frame::{FrameKind, FLAG_NOTIFY};
use nic_layout::ring::{COMMAND_CLOSE, COMMAND_FORGET_BUFFER, COMMAND_INVALIDATE, COMMAND_MASK};
use nic_layout::tables::{MISS_RING_ENTRIES, PERMIT_READ, PERMIT_WRITE};
use nic_layout::trace::{Marker, ARGUMENT_MASK, NO_LINE};
use nic_layout::vmh::{key, key_line_page, key_pid};
use nic_layout::{PAGE_BYTES, PAGE_SHIFT, PROCESS_SLOTS};
use sim_pins::Ps;

use crate::dma::Reference;
use crate::lines::{has_settled, Broken, State};
use crate::posts::Side;
use crate::{not_pinned, Header, Owed, Peer, Pins, Seen, Tables};

/// Frames kept for those that the NIC holds: many more than it can hold.
const RECENT_FRAMES: usize = 256;

/// A lookup that has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lookup {
    is_receive: bool,
    page: u32,
}

/// A lookup that found nothing at a time: the next marker says what becomes of it, and may come long after it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Miss {
    Line { at: Ps, is_receive: bool, tag: u32, set: u32, page: u32 },
    Buffer { at: Ps, word: u32, set: u32 },
}

/// Where the firmware is with a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Judged {
    /// Between its header and what becomes of it.
    is_open: bool,
    /// `None`: it is a held one that is judged again, and older than what is remembered.
    frame: Option<Header>,
    /// The node whose held frame is taken.
    retaken: Option<u32>,
    /// The entry of the CBH cache that was found last.
    entry: Option<u32>,
}

/// Bytes of a process's memory that a frame or a read may use.
struct Range {
    pid: u32,
    address: u32,
    bytes: u32,
}

impl Tables {
    pub(crate) fn marker(
        &mut self,
        at: Ps,
        marker: Marker,
        argument: u32,
        pins: &impl Pins,
        seen: &mut Seen,
    ) -> Result<(), Broken> {
        let asks = matches!(marker, Marker::MissRaised | Marker::FetchBegun | Marker::FetchStalled);
        if self.miss.is_some() && !asks {
            self.check_not_raised(marker)?;
        }
        match marker {
            Marker::LookupBegin => self.begin(false, argument, seen),
            Marker::ReceiveLookupBegin => self.begin(true, argument, seen),
            Marker::LookupHit => self.hit(at, argument, pins, seen),
            Marker::LookupMiss => self.absent(at, argument),
            Marker::LookupFault => self.fault(argument, seen),
            Marker::Unlocked => self.unlock(argument >> 23 != 0, argument & 0x7F_FFFF, false),
            Marker::DmaReadDone | Marker::DmaWriteDone if argument == u32::from(NO_LINE) => Ok(()),
            Marker::DmaReadDone => self.unlock(false, argument, true),
            Marker::DmaWriteDone => self.unlock(true, argument, true),
            Marker::BufferHit => self.buffer_hit(argument, seen),
            Marker::BufferMiss => self.buffer_absent(at, argument),
            Marker::MissRaised => self.miss_raised(at, argument, seen),
            Marker::FetchBegun => self.fetch_begun(at, argument, pins, seen),
            Marker::FetchFilled => self.fetch_filled(argument, pins, seen),
            Marker::FetchLost => self.fetch_lost(argument),
            Marker::FetchUnfilled => self.fetch_unfilled(argument),
            Marker::FetchStalled => {
                // No room for the transfer: the end of one wakes who waits.
                self.miss = None;
                Ok(())
            }
            Marker::FillSeen => self.fill_seen(argument),
            Marker::Command => self.obey(argument),
            Marker::ReceiveBegin => {
                self.judged = Judged { frame: self.frames.pop_front(), ..Judged::default() };
                Ok(())
            }
            Marker::FrameRetaken => {
                self.judged = Judged { retaken: Some(argument), ..Judged::default() };
                Ok(())
            }
            Marker::ReceiveHeader => self.header(argument),
            Marker::Accepted => self.accepted(argument),
            Marker::Refused | Marker::Dropped => self.turned_away(marker, argument),
            Marker::FrameHeld => self.held(argument),
            Marker::ReadTaken => {
                self.queued.extend(self.judged.frame.map(|frame| (argument, frame.buffer)));
                Ok(())
            }
            Marker::NotifyRaised => self.notify_raised(argument),
            Marker::PostParked => self.park(argument, true),
            Marker::PostBlocked => self.park(argument, false),
            // It waits no longer: its owner may have turned down an earlier frame.
            Marker::PostRefused => self.park(argument >> 8, false),
            Marker::StatusWritten => {
                self.posts.ended((argument >> 20) as usize, argument, 0xF_FFFF);
                Ok(())
            }
            Marker::QueueAssigned => self.posts.assign(argument as usize),
            Marker::Idle => self.idle(),
            _ => Ok(()),
        }
    }

    // ---- Lookups -------------------------------------------------------------------------------------------------

    fn begin(&mut self, is_receive: bool, page: u32, seen: &mut Seen) -> Result<(), Broken> {
        seen.lookups[usize::from(is_receive)] += 1;
        self.lookup = Some(Lookup { is_receive, page });
        if !is_receive {
            for (number, slot) in self.posts.slots.iter_mut().enumerate() {
                if self.parked[number] && slot.has(page, Side::From) {
                    (self.parked[number], self.awaited[number]) = (false, false);
                }
            }
        }
        match self.judged_kind(is_receive) {
            true => self.allowed().map(|_| ()),
            false => Ok(()),
        }
    }

    /// Whether the lookup is one of the frame that is judged, whose header says what it may use.
    fn judged_kind(&self, is_receive: bool) -> bool {
        let kind = if is_receive { FrameKind::Write } else { FrameKind::Read };
        self.judged.is_open && self.judged.frame.is_some_and(|frame| frame.is(kind))
    }

    /// What the frame that is judged asks for, if it may (INV-21, INV-22).
    fn allowed(&self) -> Result<Range, Broken> {
        let frame = self.judged.frame.unwrap_or_default();
        let Some(number) = self.judged.entry else {
            return Err((21, format!("frame {} goes on, and its buffer was not looked up", frame.sequence)));
        };
        let words = &self.descriptors[number as usize];
        let word = |at: u32| words[at as usize / 4];
        let width = self.places.cbh.key;
        let key = width.cut([entry::KEY_0, entry::KEY_1, entry::KEY_2, entry::KEY_3].map(word));
        if key != frame.key || frame.key_width != width {
            return Err((
                21,
                format!(
                    "frame {} goes on with key {:x?}; that of buffer {:#x} is {key:x?}",
                    frame.sequence, frame.key, frame.buffer
                ),
            ));
        }
        let permission = if frame.is(FrameKind::Read) { PERMIT_READ } else { PERMIT_WRITE };
        let state = word(entry::STATE);
        if state & STATE_MASK != STATE_VALID || state & permission << PERMISSIONS_SHIFT == 0 {
            return Err((
                21,
                format!("frame {} goes on; buffer {:#x} has state {state:#x}", frame.sequence, frame.buffer),
            ));
        }
        let (offset, bytes) = (u64::from(frame.buffer_offset), u64::from(frame.wanted_bytes()));
        let (start, length) = (u64::from(word(entry::START)), u64::from(word(entry::LENGTH)));
        if offset + bytes > length || start + offset + bytes > 1 << 32 {
            return Err((
                22,
                format!(
                    "frame {} asks for {bytes} bytes at {offset} of buffer {:#x}, which has {length}",
                    frame.sequence, frame.buffer
                ),
            ));
        }
        Ok(Range { pid: cbh_pid(frame.buffer), address: (start + offset) as u32, bytes: bytes as u32 })
    }

    /// A line was found, and is locked.
    fn hit(&mut self, at: Ps, number: u32, pins: &impl Pins, seen: &mut Seen) -> Result<(), Broken> {
        let Some(Lookup { is_receive, page }) = self.lookup.take() else {
            return Err((20, format!("VMH line {number} is hit by no lookup")));
        };
        seen.hits[usize::from(is_receive)] += 1;
        let geometry = self.places.vmh;
        let Some(&line) = self.vmh.get(number) else {
            return Err((20, format!("VMH line {number} is hit, and does not exist")));
        };
        let (pid, first) = (key_pid(line.tag), key_line_page(line.tag));
        match line.state {
            State::Valid { .. } => {}
            State::Empty => {
                return Err((19, format!("page {page:#x} hits VMH line {number}, which process {pid} has lost")));
            }
            other => return Err((20, format!("page {page:#x} hits VMH line {number}, which is {other:?}"))),
        }
        if geometry.line_page(page) != first || number / geometry.ways != geometry.set_of(page) {
            return Err((
                20,
                format!("page {page:#x} hits VMH line {number}, which holds {first:#x} of process {pid}"),
            ));
        }
        let bytes = self.wanted(is_receive, pid, page)?;
        let frame = self.entry(number, page);
        let pinned = pins.pinned(pid, page);
        if pinned != Some(frame) {
            return Err((17, not_pinned("is hit", number, pid, page, frame, pinned)));
        }
        self.vmh.use_now(number);
        if let Some(line) = self.vmh.get_mut(number) {
            line.locks[usize::from(is_receive)] += 1;
        }
        let base = frame << PAGE_SHIFT;
        self.references.push(Reference {
            number: self.next_reference,
            since: at,
            line: number,
            is_receive,
            pid,
            page,
            frame,
            start: base + bytes.start,
            end: base + bytes.end,
        });
        self.next_reference += 1;
        self.granted = None;
        Ok(())
    }

    /// Bytes of the page that the lookup may be for; none if the process has nothing to do with it (INV-21).
    fn wanted(&mut self, is_receive: bool, pid: u32, page: u32) -> Result<std::ops::Range<u32>, Broken> {
        let stranger = |why: String| Err((21, format!("page {page:#x} of process {pid} is looked up; {why}")));
        if self.judged_kind(is_receive) {
            let range = self.allowed()?;
            let (first, last) = (u64::from(range.address), u64::from(range.address) + u64::from(range.bytes));
            let start = u64::from(page) << PAGE_SHIFT;
            let end = start + u64::from(PAGE_BYTES);
            if range.pid != pid || last <= start || end <= first {
                return stranger(format!("the frame is for {first:#x} to {last:#x} of process {}", range.pid));
            }
            return Ok((first.max(start) - start) as u32..(last.min(end) - start) as u32);
        }
        let side = if is_receive { Side::To } else { Side::From };
        if self.posts.has(pid, page, side) || (!is_receive && self.is_read_of_buffer(pid, page)) {
            return Ok(0..PAGE_BYTES);
        }
        stranger("no post of its names it, and no read".into())
    }

    /// A read of another node goes on: its buffer was found again.
    fn is_read_of_buffer(&self, pid: u32, page: u32) -> bool {
        self.judged.entry.is_some_and(|number| {
            let words = &self.descriptors[number as usize];
            let start = u64::from(words[entry::START as usize / 4]);
            let end = start + u64::from(words[entry::LENGTH as usize / 4]);
            let first = u64::from(page) << PAGE_SHIFT;
            cbh_pid(words[0]) == pid && start < first + u64::from(PAGE_BYTES) && first < end
        })
    }

    fn fault(&mut self, number: u32, seen: &mut Seen) -> Result<(), Broken> {
        let Some(Lookup { is_receive, page }) = self.lookup.take() else {
            return Err((20, format!("VMH line {number} faults for no lookup")));
        };
        seen.faults[usize::from(is_receive)] += 1;
        let Some(line) = self.vmh.get(number).filter(|line| line.is_valid()) else {
            return Err((20, format!("page {page:#x} faults in VMH line {number}, which is not valid")));
        };
        let (pid, first, entry) = (key_pid(line.tag), key_line_page(line.tag), self.entry(number, page));
        if first != self.places.vmh.line_page(page) || entry < self.places.host_pages {
            return Err((
                20,
                format!("page {page:#x} faults in VMH line {number}: {first:#x} of process {pid}, {entry:#x}"),
            ));
        }
        self.vmh.use_now(number);
        Ok(())
    }

    fn absent(&mut self, at: Ps, pid: u32) -> Result<(), Broken> {
        let Some(Lookup { is_receive, page }) = self.lookup.take() else {
            return Err((20, format!("a lookup of process {pid} misses that did not begin")));
        };
        let geometry = self.places.vmh;
        let tag = key(pid, geometry.line_page(page), 0);
        self.miss = Some(Miss::Line { at, is_receive, tag, set: geometry.set_of(page), page });
        self.fetches.lookup_missed();
        Ok(())
    }

    // ---- Buffers -------------------------------------------------------------------------------------------------

    fn buffer_hit(&mut self, number: u32, seen: &mut Seen) -> Result<(), Broken> {
        seen.buffer_hits += 1;
        let Some(line) = self.cbh.get(number) else {
            return Err((20, format!("CBH entry {number} is hit, and does not exist")));
        };
        let tag = line.tag;
        match line.state {
            State::Valid { .. } => {}
            State::Empty => return Err((19, format!("CBH entry {number} is hit; buffer {tag:#x} was forgotten"))),
            other => return Err((20, format!("CBH entry {number} of buffer {tag:#x} is hit, and is {other:?}"))),
        }
        if let Some(frame) = self.judged.frame.filter(|_| self.judged.is_open) {
            if frame.buffer != tag {
                return Err((
                    20,
                    format!("a frame for buffer {:#x} hits CBH entry {number} of {tag:#x}", frame.buffer),
                ));
            }
        }
        // As the firmware wrote it when it reserved the entry.
        self.descriptors[number as usize][0] = tag;
        self.cbh.use_now(number);
        self.judged.entry = Some(number);
        Ok(())
    }

    fn buffer_absent(&mut self, at: Ps, low_bits: u32) -> Result<(), Broken> {
        let Some(word) = self.named(low_bits) else {
            return Err((20, format!("a buffer with low bits {low_bits:#x} is looked up that no frame named")));
        };
        self.judged.entry = None;
        self.miss = Some(Miss::Buffer { at, word, set: self.places.cbh.set_of(word) });
        Ok(())
    }

    /// The whole word of a buffer that is looked up: as the frame that is judged names it, or a read that waits, or an earlier frame.
    fn named(&self, low_bits: u32) -> Option<u32> {
        let is_it = |word: &u32| word & ARGUMENT_MASK == low_bits;
        let judged = self.judged.frame.filter(|_| self.judged.is_open).map(|frame| frame.buffer);
        let queued = self.queued.values().copied();
        judged.into_iter().chain(queued).find(is_it).or_else(|| self.buffers.get(&low_bits).copied())
    }

    // ---- Misses --------------------------------------------------------------------------------------------------

    fn has_miss_room(&self) -> bool {
        self.raised.wrapping_sub(self.served).wrapping_add(self.fetches.count()) < MISS_RING_ENTRIES
    }

    /// Nothing was reserved: it is pending, or there is no way, or no room in the ring.
    fn check_not_raised(&mut self, next: Marker) -> Result<(), Broken> {
        let has_room = self.has_miss_room();
        match self.miss.take() {
            Some(Miss::Line { at, tag, set, .. }) => self.vmh.check_absent(at, set, tag, has_room),
            Some(Miss::Buffer { at, word, set }) => {
                let found = self.cbh.find(set, word);
                let state = found.and_then(|entry| self.cbh.get(entry)).map(|line| line.state);
                match (found, state) {
                    (Some(entry), Some(State::Denied { since })) => {
                        // What it saw decides the order of the set.
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

    fn miss_raised(&mut self, at: Ps, line: u32, seen: &mut Seen) -> Result<(), Broken> {
        if let Some(unfilled) = self.fetches.take_unfilled().filter(|unfilled| *unfilled == line) {
            let index = self.raised;
            if let Some(line) = self.vmh.get_mut(unfilled) {
                line.state = State::Reserved { since: at, index };
            }
            self.owed.push_back(Owed { is_buffer: false, line, index });
            self.raised = index.wrapping_add(1);
            return Ok(());
        }
        let Some(miss) = self.miss.take() else {
            return Err((18, format!("the host is asked to fill line {line}, and no lookup missed")));
        };
        if !self.has_miss_room() {
            return Err((18, format!("the miss ring is full, and line {line} is put there")));
        }
        let index = self.raised;
        let is_buffer = match miss {
            Miss::Line { is_receive, tag, set, .. } => {
                seen.misses[usize::from(is_receive)] += 1;
                self.vmh.reserve(at, line, set, tag, index)?;
                false
            }
            Miss::Buffer { word, set, .. } => {
                seen.buffer_misses += 1;
                self.cbh.reserve(at, line, set, word, index)?;
                true
            }
        };
        self.owed.push_back(Owed { is_buffer, line, index });
        self.raised = index.wrapping_add(1);
        Ok(())
    }

    fn fill_seen(&mut self, consumer: u32) -> Result<(), Broken> {
        // Low bits: far fewer are outstanding.
        let served = consumer.wrapping_sub(self.served) & ARGUMENT_MASK;
        if served <= self.raised.wrapping_sub(self.served) {
            self.served = self.served.wrapping_add(served);
            self.awaited = self.parked;
        }
        Ok(())
    }

    // ---- Commands ------------------------------------------------------------------------------------------------

    fn obey(&mut self, low_bits: u32) -> Result<(), Broken> {
        let mark = self.next_reference;
        let Some(command) = self.command.as_mut().filter(|command| command.word & ARGUMENT_MASK == low_bits) else {
            return Ok(());
        };
        command.mark = Some(mark);
        let word = command.word;
        match word & COMMAND_MASK {
            COMMAND_INVALIDATE => {
                let (pid, page) = (key_pid(word), key_line_page(word));
                let geometry = self.places.vmh;
                self.vmh.forget(geometry.set_of(page), key(pid, geometry.line_page(page), 0));
            }
            COMMAND_FORGET_BUFFER => self.cbh.forget(self.places.cbh.set_of(self.argument), self.argument),
            COMMAND_CLOSE => {
                if let Some(slot) = Some((word >> 4 & 0xF) as usize).filter(|slot| *slot < PROCESS_SLOTS) {
                    (self.parked[slot], self.awaited[slot]) = (false, false);
                    self.posts.close(slot);
                }
            }
            _ => {}
        }
        Ok(())
    }

    // ---- Frames --------------------------------------------------------------------------------------------------

    fn header(&mut self, low_bits: u32) -> Result<(), Broken> {
        let is_it =
            |frame: &Header| frame.is_ours() && frame.has_sequence() && frame.sequence & ARGUMENT_MASK == low_bits;
        if let Some(node) = self.judged.retaken {
            let held = self.recent.iter().rev().find(|frame| is_it(frame) && frame.from == node).copied();
            self.judged = Judged { is_open: true, frame: held, ..self.judged };
            return Ok(());
        }
        // Frames that the MAC had no room for are passed over.
        while !self.judged.frame.as_ref().is_some_and(is_it) {
            let Some(next) = self.frames.pop_front() else {
                return Err((11, format!("frame {low_bits} was received, and never came whole")));
            };
            self.judged.frame = Some(next);
        }
        self.judged.is_open = true;
        if let Some(frame) = self.judged.frame {
            self.buffers.insert(frame.buffer & ARGUMENT_MASK, frame.buffer);
            if self.recent.len() == RECENT_FRAMES {
                self.recent.pop_front();
            }
            self.recent.push_back(frame);
        }
        Ok(())
    }

    fn accepted(&mut self, low_bits: u32) -> Result<(), Broken> {
        let judged = self.judged;
        self.judged.is_open = false;
        let Some(frame) = judged.frame.filter(|_| judged.is_open) else { return Ok(()) };
        if frame.is(FrameKind::Write) || frame.is(FrameKind::Read) {
            self.allowed()?;
        }
        self.advance(&frame, low_bits)?;
        if frame.is(FrameKind::Write) && frame.flags() & FLAG_NOTIFY != 0 {
            self.notifications.push_back(self.next_reference);
        }
        Ok(())
    }

    /// A frame counts: it must be the next of its node.
    fn advance(&mut self, frame: &Header, low_bits: u32) -> Result<(), Broken> {
        let expected = self.expected.insert(frame.from, frame.sequence.wrapping_add(1));
        match expected.filter(|expected| *expected != frame.sequence) {
            Some(expected) => {
                Err((27, format!("frame {low_bits} of node {} is taken, and frame {expected} is the next", frame.from)))
            }
            None => Ok(()),
        }
    }

    fn turned_away(&mut self, marker: Marker, _reason: u32) -> Result<(), Broken> {
        let judged = self.judged;
        self.judged.is_open = false;
        match judged.frame.filter(|_| judged.is_open && marker == Marker::Refused) {
            Some(frame) => self.advance(&frame, frame.sequence & ARGUMENT_MASK),
            None => Ok(()),
        }
    }

    fn held(&mut self, _node: u32) -> Result<(), Broken> {
        self.judged.is_open = false;
        Ok(())
    }

    /// What a peer acknowledges was sent to it (INV-29). Of another incarnation of the cluster this node knows nothing.
    pub(crate) fn check_answer(&self, header: &Header) -> Result<(), Broken> {
        let Some(peer) = self.peers.get(&header.from).filter(|peer| peer.session == header.session) else {
            return Ok(());
        };
        match !header.is_ours() || (header.acknowledge.wrapping_sub(peer.sent) as i32) <= 0 {
            true => Ok(()),
            false => Err((
                29,
                format!(
                    "node {} acknowledges all frames before {}, and the next one to be sent to it is {}",
                    header.from, header.acknowledge, peer.sent
                ),
            )),
        }
    }

    /// An acknowledgement covers what was accepted or refused for good, and nothing else; one in a frame of its own never takes back what one before it
    /// said (INV-29). Frames with a number may: they do not cover what was refused.
    pub(crate) fn check_acknowledgement(&mut self, header: &Header) -> Result<(), Broken> {
        if !header.is_ours() {
            return Ok(());
        }
        let new = Peer { session: header.session, sent: 0, told: 0 };
        let peer = self.peers.entry(header.to).or_insert(new);
        if header.has_sequence() && (header.sequence.wrapping_sub(peer.sent) as i32) >= 0 {
            peer.sent = header.sequence.wrapping_add(1);
        }
        if header.is(FrameKind::Acknowledge) {
            let before = std::mem::replace(&mut peer.told, header.acknowledge);
            if (header.acknowledge.wrapping_sub(before) as i32) < 0 {
                return Err((
                    29,
                    format!("node {} is told of {before} frames, and then of {}", header.to, header.acknowledge),
                ));
            }
        }
        let expected = self.expected.get(&header.to).copied().unwrap_or(0);
        match (header.acknowledge.wrapping_sub(expected) as i32) <= 0 {
            true => Ok(()),
            false => Err((
                29,
                format!(
                    "node {} is told that all frames before {} came; the last one taken was the one before {expected}",
                    header.to, header.acknowledge
                ),
            )),
        }
    }

    /// The driver is told of writes: their data, and those before them, are in memory (INV-28).
    fn notify_raised(&mut self, raised: u32) -> Result<(), Broken> {
        let count = raised.wrapping_sub(self.notified) & ARGUMENT_MASK;
        self.notified = raised;
        for _ in 0..count {
            let Some(mark) = self.notifications.pop_front() else {
                return Err((28, "a write is told that was not accepted".into()));
            };
            let late = self.references.iter().find(|reference| reference.is_receive && reference.number < mark);
            if let Some(reference) = late {
                return Err((28, format!("a write is told while {reference} is under way")));
            }
        }
        Ok(())
    }

    // ---- Posts that wait -----------------------------------------------------------------------------------------

    fn park(&mut self, slot: u32, waits: bool) -> Result<(), Broken> {
        if let Some(parked) = self.parked.get_mut(slot as usize) {
            *parked = waits;
            self.awaited[slot as usize] = false;
        }
        Ok(())
    }

    /// Nothing is left to do: whoever waited for a fill that came has tried again (INV-10).
    fn idle(&mut self) -> Result<(), Broken> {
        match self.awaited.iter().position(|awaited| *awaited) {
            Some(slot) => Err((
                10,
                format!("the firmware sleeps; slot {slot} waited for a fill, fills came, and it did not try again"),
            )),
            None => Ok(()),
        }
    }
}
