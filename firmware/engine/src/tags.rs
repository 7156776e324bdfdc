//! Tags of transfers: what each DMA in flight is for.

use nic_posts::StatusTag;

use crate::types::Note;

const NO_FRAME: u8 = u8::MAX;
/// Stands in place of a frame if the data belong to no frame.
const OTHER: u8 = NO_FRAME - 1;

/// The tag of a host read.
#[derive(Clone, Copy, Debug)]
pub struct ReadTag<N> {
    note: N,
    /// The number of the transmit buffer that the transfer fills, or [`NO_FRAME`] or [`OTHER`].
    frame: u8,
}

/// The purpose of a failed host read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failed {
    Nothing,
    Frame(usize),
    Other,
}

impl<N: Copy> ReadTag<N> {
    #[inline(always)]
    pub(crate) fn of_frame(note: N, frame: usize) -> ReadTag<N> {
        ReadTag { note, frame: frame as u8 }
    }

    pub(crate) fn of_protocol(note: N) -> ReadTag<N> {
        ReadTag { note, frame: OTHER }
    }

    #[inline(always)]
    pub(crate) fn note(self) -> N {
        self.note
    }

    pub(crate) fn failed(self) -> Failed {
        match self.frame {
            NO_FRAME => Failed::Nothing,
            OTHER => Failed::Other,
            frame => Failed::Frame(frame as usize),
        }
    }
}

/// The action of the engine at the end of a host write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteEnd {
    /// No action. Only the protocol handles the end.
    Nothing,
    /// The receive buffer at this address is free.
    Recycle(u32),
    /// The status page of this slot is written.
    Status(u8),
}

/// A [`WriteEnd`] in one word. Buffers are at multiples of 8 and none is at 0, so 0 stands for no
/// action and odd numbers for slots.
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

/// The tag of a host write.
#[derive(Clone, Copy, Debug)]
pub struct WriteTag<N> {
    note: N,
    end: PackedEnd,
}

impl<N: Copy> WriteTag<N> {
    #[inline(always)]
    pub(crate) const fn new(note: N, end: WriteEnd) -> WriteTag<N> {
        WriteTag { note, end: PackedEnd::pack(end) }
    }

    #[inline(always)]
    pub(crate) fn note(self) -> N {
        self.note
    }

    #[inline(always)]
    pub(crate) fn end(self) -> WriteEnd {
        self.end.unpack()
    }
}

impl<N: Note> nic_dma::ReadTag for ReadTag<N> {
    const RELEASE: ReadTag<N> = ReadTag { note: N::NONE, frame: NO_FRAME };
}

impl<N: Note> ReadTag<N> {
    /// All zero.
    pub(crate) const UNUSED: ReadTag<N> = ReadTag { note: N::UNUSED, frame: 0 };
}

impl<N: Note> StatusTag for WriteTag<N> {
    #[inline(always)]
    fn status(slot: usize) -> WriteTag<N> {
        WriteTag { note: N::NONE, end: PackedEnd::pack(WriteEnd::Status(slot as u8)) }
    }
}

impl<N: Note> WriteTag<N> {
    /// All zero.
    pub(crate) const UNUSED: WriteTag<N> = WriteTag { note: N::UNUSED, end: PackedEnd::pack(WriteEnd::Nothing) };
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
