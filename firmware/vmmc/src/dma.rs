//! What each DMA under way is for, and what follows from its end.

use nic_device::rarely;
use nic_dma::{ReadTag, Transfer};
use nic_layout::counter::Counter;
use nic_layout::plant::{is_planted, Plant};
use nic_layout::post::ProcessStatus;
use nic_layout::ring::{Event, DMA_AHEAD_SHIFT, DMA_FLAG_EVENT};
use nic_layout::trace::{Marker, NO_LINE};
use nic_layout::PROCESS_SLOTS;
use nic_lookup::Path;

use crate::turn::Answer;
use crate::{Machine, Tables};
use nic_device::Device;

const NO_FRAME: u8 = u8::MAX;
/// In place of a frame: the translations of the line (fetch.rs).
const TRANSLATIONS: u8 = NO_FRAME - 1;

/// Bytes of a frame within one host page, and the line that translates it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub bus_address: u32,
    pub sram_address: u32,
    pub bytes: u32,
    pub line: u32,
}

impl Piece {
    #[inline(always)]
    fn transfer(self) -> Transfer {
        Transfer { bus_address: self.bus_address, sram_address: self.sram_address, bytes: self.bytes }
    }
}

/// A transfer from the host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadUse {
    /// Line that it reads through.
    line: u16,
    /// Frame that it fills.
    frame: u8,
}

/// A transfer to the host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteUse {
    line: u16,
    end: PackedEnd,
}

/// What happens when it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteEnd {
    Nothing,
    /// The receive buffer at this address is free.
    Recycle(u32),
    /// The status page of this slot is written.
    Status(u8),
}

/// A [`WriteEnd`] in one word: buffers are at multiples of 8, so odd numbers are slots, and none is at 0.
#[derive(Clone, Copy, Debug)]
struct PackedEnd(u32);

impl PackedEnd {
    #[inline(always)]
    const fn pack(end: WriteEnd) -> PackedEnd {
        PackedEnd(match end {
            WriteEnd::Nothing => 0,
            WriteEnd::Recycle(buffer) => buffer,
            WriteEnd::Status(slot) => (slot as u32) << 1 | 1,
        })
    }

    #[inline(always)]
    const fn unpack(self) -> WriteEnd {
        match self.0 {
            0 => WriteEnd::Nothing,
            odd if odd & 1 != 0 => WriteEnd::Status((odd >> 1) as u8),
            buffer => WriteEnd::Recycle(buffer),
        }
    }
}

impl ReadTag for ReadUse {
    const RELEASE: ReadUse = ReadUse { line: NO_LINE, frame: NO_FRAME };
}

impl ReadUse {
    pub(crate) const UNUSED: ReadUse = ReadUse { line: 0, frame: 0 };
}

impl WriteUse {
    #[inline(always)]
    const fn new(piece: Piece, end: WriteEnd) -> WriteUse {
        WriteUse { line: piece.line as u16, end: PackedEnd::pack(end) }
    }

    pub(crate) const UNUSED: WriteUse = WriteUse { line: 0, end: PackedEnd::pack(WriteEnd::Nothing) };
}

impl<T: Tables> Machine<T> {
    // ---- Host reads ----

    /// Posts one piece of a frame's data. The caller has asked for room.
    #[inline(always)]
    pub(crate) fn post_read(&mut self, dev: &mut impl Device, piece: Piece, frame: usize) {
        let line = if is_planted(Plant::EarlyUnlock) { NO_LINE } else { piece.line as u16 };
        let tag = ReadUse { line, frame: frame as u8 };
        self.reads.post(dev, piece.transfer(), 0, tag);
        if is_planted(Plant::EarlyUnlock) {
            self.unlock_unused(dev, Path::Send, piece.line);
        }
    }

    /// Posts a piece of which `ahead_bytes` behind it are read by the same command; the next pieces take them. The line is unlocked with the last.
    #[inline(always)]
    pub(crate) fn post_read_of(
        &mut self,
        dev: &mut impl Device,
        piece: Piece,
        frame: usize,
        ahead_bytes: u32,
        is_last: bool,
    ) {
        let line = if is_last { piece.line as u16 } else { NO_LINE };
        let tag = ReadUse { line, frame: frame as u8 };
        self.reads.post(dev, piece.transfer(), ahead_bytes << DMA_AHEAD_SHIFT, tag);
    }

    /// Posts the entries of a line, which is locked until they have come. The caller has asked for room. Gives the transfer's number.
    pub(crate) fn post_fetch(&mut self, dev: &mut impl Device, piece: Piece) -> u32 {
        let tag = ReadUse { line: piece.line as u16, frame: TRANSLATIONS };
        let number = self.reads.next_number();
        self.reads.post(dev, piece.transfer(), DMA_FLAG_EVENT, tag);
        number
    }

    /// Ends what the host-read engine has completed. Also serves an engine that halted, so that a frame whose data did not come is never
    /// taken for complete.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    pub fn on_dma_read(&mut self, dev: &mut impl Device) {
        let mut consumer = dev.dma_read_consumer();
        // Asked after the index: whatever lies before it either succeeded or shows here.
        let halted = dev.dma_read_halted();
        if halted {
            consumer = dev.dma_read_consumer();
        }
        while let Some(tag) = self.reads.oldest_ended(consumer) {
            if tag.line != NO_LINE {
                self.tables.unlock(dev, Path::Send, u32::from(tag.line));
            }
            dev.trace(Marker::DmaReadDone, u32::from(tag.line));
            self.reads.retire();
        }
        if halted {
            self.read_failed(dev);
        }
        self.unasked_stalled = false;
        self.wake(self.blocked);
        self.check_fence(dev);
    }

    /// The last transfer that ended brought an error. Its frame has a sequence number that the peer waits for: it goes without data.
    #[cold]
    #[inline(never)]
    fn read_failed(&mut self, dev: &mut impl Device) {
        dev.count(Counter::DmaReadErrors);
        let (number, tag) = self.reads.last_ended();
        match tag.frame {
            NO_FRAME => {}
            TRANSLATIONS => self.fetch_failed(dev, number),
            frame => self.abort_frame(dev, frame as usize),
        }
        dev.resume_dma_read();
    }

    // ---- Host writes ----

    /// Posts a piece of a frame's data that is not the last. The caller has asked for room.
    #[inline(always)]
    pub(crate) fn post_write(&mut self, dev: &mut impl Device, piece: Piece) {
        self.writes.post_data(dev, piece.transfer(), 0, WriteUse::new(piece, WriteEnd::Nothing));
    }

    /// Posts the last piece of a frame's data, whose end gives the receive buffer back. The caller has asked for room.
    #[inline(always)]
    pub(crate) fn post_last_write(&mut self, dev: &mut impl Device, piece: Piece, buffer: u32) {
        self.writes.post_data(dev, piece.transfer(), DMA_FLAG_EVENT, WriteUse::new(piece, WriteEnd::Recycle(buffer)));
    }

    /// Posts a status, through no line. The caller has asked for room.
    #[inline(always)]
    pub(crate) fn post_status(&mut self, dev: &mut impl Device, bus_address: u32, sram_address: u32, slot: usize) {
        let bytes = size_of::<ProcessStatus>() as u32;
        let piece = Piece { bus_address, sram_address, bytes, line: u32::from(NO_LINE) };
        self.writes.post(dev, piece.transfer(), DMA_FLAG_EVENT, WriteUse::new(piece, WriteEnd::Status(slot as u8)));
    }

    /// Ends what the host-write engine has completed.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    pub fn on_dma_write(&mut self, dev: &mut impl Device) {
        let consumer = dev.dma_write_consumer();
        while let Some(tag) = self.writes.oldest_ended(consumer) {
            if tag.line != NO_LINE {
                self.tables.unlock(dev, Path::Receive, u32::from(tag.line));
            }
            match tag.end.unpack() {
                WriteEnd::Nothing => {}
                WriteEnd::Recycle(buffer) => dev.recycle(buffer),
                WriteEnd::Status(slot) => {
                    let slot = slot as usize % PROCESS_SLOTS;
                    let is_latest = self.status_marks[slot] == (self.writes.ended() as u16).wrapping_add(1);
                    self.status_busy &= !(u32::from(is_latest) << slot);
                }
            }
            dev.trace(Marker::DmaWriteDone, u32::from(tag.line));
            self.writes.retire();
        }
        if self.writes.has_ended(self.writes.data_mark()) {
            self.answer = Answer::NotAwaited;
        }
        if self.receive_stalled {
            rarely();
            self.receive_stalled = false;
            dev.raise(Event::MacRx);
            if self.receive_misses.are_open() {
                self.end_receive_misses(dev);
            }
        }
        if self.status_dirty & !self.status_busy != 0 {
            self.write_all_status(dev);
        }
        if self.notifications.is_behind() {
            rarely();
            self.raise_notifications(dev);
        }
        self.wake(self.blocked);
        self.check_fence(dev);
    }

    // ---- Errors ----

    /// An engine halted. What the bus did not read is made up for; what it did not write is lost, counted, and the engine goes on (INV-6).
    pub fn on_dma_error(&mut self, dev: &mut impl Device) {
        self.on_dma_read(dev);
        if dev.dma_write_halted() {
            dev.count(Counter::DmaWriteErrors);
            dev.resume_dma_write();
            // A failed transfer with the event flag raises no event of its own.
            self.on_dma_write(dev);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_survives_packing() {
        for end in [WriteEnd::Nothing, WriteEnd::Recycle(0x1_2340), WriteEnd::Status(0), WriteEnd::Status(7)] {
            assert_eq!(PackedEnd::pack(end).unpack(), end);
        }
    }
}
