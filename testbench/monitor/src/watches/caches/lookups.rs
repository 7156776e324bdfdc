//! Lookups in both caches: a line that hits holds the page, and the frame or a post may use that
//! page (INV-17, 19 to 22).

use std::ops::Range;

use nic_layout::frame::link::FrameKind;
use nic_layout::vmh::{key, key_line_page, key_pid};
use nic_layout::{PAGE_BYTES, PAGE_SHIFT};
use sim_pins::Ps;

use super::lines::State;
use super::{not_pinned, Caches, Lookup, Miss};
use crate::broken::{broken, Broken};
use crate::context::{joined, Context, PageGrant, Side};
use crate::header::Header;
use crate::places::Pins;
use crate::watches::frame_target::{allowed, bytes_of_buffer, bytes_of_frame, stranger, Target};

impl Caches {
    pub(super) fn begin(&mut self, context: &mut Context, is_receive: bool, page: u32) -> Result<(), Broken> {
        context.seen.lookups[usize::from(is_receive)] += 1;
        self.lookup = Some(Lookup { is_receive, page });
        match context.frames.judged_on(is_receive) {
            Some(frame) => self.allowed(&frame).map(|_| ()),
            None => Ok(()),
        }
    }

    /// The bytes that the judged frame asks for. An error if the buffer does not allow them
    /// (INV-21, INV-22).
    fn allowed(&self, frame: &Header) -> Result<Target, Broken> {
        match self.found {
            Some(entry) => allowed(frame, &self.descriptors[entry as usize], self.places.cbh.key),
            None => broken(21, format!("frame {} goes on, and its buffer was not looked up", frame.sequence)),
        }
    }

    /// The frame that is judged is accepted.
    pub(super) fn accepted(&self, context: &Context) -> Result<(), Broken> {
        match context.frames.judged().filter(|frame| frame.is(FrameKind::WRITE) || frame.is(FrameKind::READ)) {
            Some(frame) => self.allowed(&frame).map(|_| ()),
            None => Ok(()),
        }
    }

    /// A line was found, and is locked.
    pub(super) fn hit(&mut self, context: &mut Context, number: u32, pins: &dyn Pins) -> Result<(), Broken> {
        let Some(Lookup { is_receive, page }) = self.lookup.take() else {
            return broken(20, format!("VMH line {number} is hit by no lookup"));
        };
        context.seen.hits[usize::from(is_receive)] += 1;
        let geometry = self.places.vmh;
        let Some(&line) = self.vmh.get(number) else {
            return broken(20, format!("VMH line {number} is hit, and does not exist"));
        };
        let (pid, first) = (key_pid(line.tag), key_line_page(line.tag));
        match line.state {
            State::Valid { .. } => {}
            State::Empty => {
                return broken(19, format!("page {page:#x} hits VMH line {number}, which process {pid} has lost"));
            }
            other => return broken(20, format!("page {page:#x} hits VMH line {number}, which is {other:?}")),
        }
        if geometry.line_page(page) != first || number / geometry.ways != geometry.set_of(page) {
            return broken(
                20,
                format!("page {page:#x} hits VMH line {number}, which holds {first:#x} of process {pid}"),
            );
        }
        let bytes = self.wanted(context, is_receive, pid, page)?;
        let frame = self.entry(number, page);
        let pinned = pins.pinned(pid, page);
        if pinned != Some(frame) {
            return broken(17, not_pinned("is hit", number, pid, page, frame, pinned));
        }
        self.vmh.use_now(number);
        if let Some(line) = self.vmh.get_mut(number) {
            line.locks[usize::from(is_receive)] += 1;
        }
        let base = frame << PAGE_SHIFT;
        let bytes = bytes.into_iter().map(|bytes| base + bytes.start..base + bytes.end).collect();
        context.grants.add(context.at, number, is_receive, vec![PageGrant { pid, page, frame, bytes }]);
        Ok(())
    }

    /// The bytes of the page that the lookup may be for: offsets in the page. An error if the
    /// process has no reason to use the page (INV-21).
    fn wanted(&self, context: &Context, is_receive: bool, pid: u32, page: u32) -> Result<Vec<Range<u32>>, Broken> {
        if self.of_messages {
            return Ok(std::iter::once(0..PAGE_BYTES).collect());
        }
        if let Some(frame) = context.frames.judged_on(is_receive) {
            return Ok(vec![bytes_of_frame(&self.allowed(&frame)?, pid, page)?]);
        }
        let mut bytes = context.posted.bytes(pid, page, Side::of(is_receive));
        // A read of another node continues: its buffer was found again.
        if let Some(entry) = self.found.filter(|_| !is_receive) {
            bytes.extend(bytes_of_buffer(&self.descriptors[entry as usize], pid, page));
        }
        match bytes.is_empty() {
            true => stranger(pid, page, "no post of its names it, and no read"),
            false => Ok(joined(bytes)),
        }
    }

    pub(super) fn fault(&mut self, context: &mut Context, number: u32) -> Result<(), Broken> {
        let Some(Lookup { is_receive, page }) = self.lookup.take() else {
            return broken(20, format!("VMH line {number} faults for no lookup"));
        };
        context.seen.faults[usize::from(is_receive)] += 1;
        let Some(line) = self.vmh.get(number).filter(|line| line.is_valid()) else {
            return broken(20, format!("page {page:#x} faults in VMH line {number}, which is not valid"));
        };
        let (pid, first, entry) = (key_pid(line.tag), key_line_page(line.tag), self.entry(number, page));
        if first != self.places.vmh.line_page(page) || entry < context.places.host_pages {
            return broken(
                20,
                format!("page {page:#x} faults in VMH line {number}: {first:#x} of process {pid}, {entry:#x}"),
            );
        }
        self.vmh.use_now(number);
        Ok(())
    }

    pub(super) fn absent(&mut self, at: Ps, pid: u32) -> Result<(), Broken> {
        let Some(Lookup { is_receive, page }) = self.lookup.take() else {
            return broken(20, format!("a lookup of process {pid} misses that did not begin"));
        };
        let geometry = self.places.vmh;
        let tag = key(pid, geometry.line_page(page), 0);
        self.miss = Some(Miss::Line { at, is_receive, tag, set: geometry.set_of(page) });
        Ok(())
    }

    pub(super) fn buffer_hit(&mut self, context: &mut Context, number: u32) -> Result<(), Broken> {
        context.seen.buffer_hits += 1;
        let Some(line) = self.cbh.get(number) else {
            return broken(20, format!("CBH entry {number} is hit, and does not exist"));
        };
        let tag = line.tag;
        match line.state {
            State::Valid { .. } => {}
            State::Empty => {
                return broken(19, format!("CBH entry {number} is hit; buffer {tag:#x} was forgotten"));
            }
            other => return broken(20, format!("CBH entry {number} of buffer {tag:#x} is hit, and is {other:?}")),
        }
        if let Some(frame) = context.frames.judged().filter(|frame| frame.buffer != tag) {
            return broken(20, format!("a frame for buffer {:#x} hits CBH entry {number} of {tag:#x}", frame.buffer));
        }
        // The firmware wrote the tag when it reserved the entry.
        self.descriptors[number as usize][0] = tag;
        self.cbh.use_now(number);
        self.found = Some(number);
        Ok(())
    }

    pub(super) fn buffer_absent(&mut self, context: &Context, low_bits: u32) -> Result<(), Broken> {
        let Some(word) = context.frames.named(low_bits) else {
            return broken(20, format!("a buffer with low bits {low_bits:#x} is looked up that no frame named"));
        };
        self.found = None;
        self.miss = Some(Miss::Buffer { at: context.at, word, set: self.places.cbh.set_of(word) });
        Ok(())
    }
}
