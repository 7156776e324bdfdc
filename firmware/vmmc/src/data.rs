//! Data of frames: from and to the host, through the lines of their pages.

use nic_device::{rarely, Device};
use nic_engine::WriteEnd;
use nic_layout::plant::{is_planted, Plant};
use nic_layout::ring::{DMA_AHEAD_SHIFT, DMA_FLAG_EVENT};
use nic_layout::trace::NO_LINE;
use nic_layout::{PAGE_BYTES, PAGE_SHIFT};
use nic_lookup::Path;

use crate::buffer::Target;
use crate::lookups::Lookups;
use crate::page::{Crossing, Piece, Untranslated};
use crate::wire::{Layers, Line, Wire};
use crate::Tables;

/// Posts the host read of one piece of a frame's data. The caller has made sure that the ring has
/// room.
#[inline(always)]
fn post_read<T: Tables>(
    lookups: &Lookups<T>,
    layers: &mut Layers<T>,
    dev: &mut impl Device,
    piece: Piece,
    frame: usize,
) {
    let line = if is_planted(Plant::EarlyUnlock) { NO_LINE } else { piece.line as u16 };
    layers.read_into_frame(dev, piece.transfer, 0, frame, Line(line));
    if is_planted(Plant::EarlyUnlock) {
        lookups.unlock_unused(dev, Path::Send, piece.line);
    }
}

/// Posts the host read of a piece. Its command also reads the `ahead_bytes` bytes behind the piece,
/// which the transfers of the next pieces take. The end of the last piece unlocks the line.
#[inline(always)]
pub(crate) fn post_read_ahead<T: Tables>(
    layers: &mut Layers<T>,
    dev: &mut impl Device,
    piece: Piece,
    frame: usize,
    ahead_bytes: u32,
    is_last: bool,
) {
    let line = if is_last { piece.line as u16 } else { NO_LINE };
    layers.read_into_frame(dev, piece.transfer, ahead_bytes << DMA_AHEAD_SHIFT, frame, Line(line));
}

/// Translates the source of a frame's data and posts their host read.
#[inline(always)]
pub(crate) fn read_data<T: Tables>(
    lookups: &mut Lookups<T>,
    layers: &mut Layers<T>,
    dev: &mut impl Device,
    (pid, local_address): (u32, u32),
    data_bytes: u32,
    (frame, address): (usize, u32),
) -> Result<(), Untranslated> {
    let page = local_address >> PAGE_SHIFT;
    let in_page = local_address % PAGE_BYTES;
    let data_at = address + Wire::<T>::HEADER_BYTES;
    if data_bytes > PAGE_BYTES - in_page {
        rarely();
        let crossing = Crossing { page, in_page, bytes: data_bytes };
        let span = lookups.translate_span(layers, dev, Path::Send, pid, crossing)?;
        let mut pieces = crossing.pieces(&span, data_at);
        for _ in 1..crossing.pages::<T::Span>() {
            post_read(lookups, layers, dev, pieces.next_full(), frame);
        }
        post_read(lookups, layers, dev, pieces.last(), frame);
        return Ok(());
    }
    let page = lookups.translate(layers, dev, Path::Send, pid, page)?;
    post_read(lookups, layers, dev, page.piece(in_page, data_at, data_bytes), frame);
    Ok(())
}

/// [`read_data`] as a function of its own.
#[cold]
#[inline(never)]
pub(crate) fn read_data_rarely<T: Tables>(
    lookups: &mut Lookups<T>,
    layers: &mut Layers<T>,
    dev: &mut impl Device,
    source: (u32, u32),
    data_bytes: u32,
    frame: (usize, u32),
) -> Result<(), Untranslated> {
    read_data(lookups, layers, dev, source, data_bytes, frame)
}

/// Translates the destination of a frame's data and posts their host write. The end of the write
/// recycles the receive buffer.
#[inline(always)]
pub(crate) fn write_data<T: Tables>(
    lookups: &mut Lookups<T>,
    layers: &mut Layers<T>,
    dev: &mut impl Device,
    target: Target,
    buffer: u32,
    data_bytes: u32,
) -> Result<(), Untranslated> {
    let page = target.address >> PAGE_SHIFT;
    let in_page = target.address % PAGE_BYTES;
    let data_at = buffer + Wire::<T>::HEADER_BYTES;
    if data_bytes > PAGE_BYTES - in_page {
        rarely();
        let crossing = Crossing { page, in_page, bytes: data_bytes };
        let span = lookups.translate_span(layers, dev, Path::Receive, target.pid, crossing)?;
        let mut pieces = crossing.pieces(&span, data_at);
        for _ in 1..crossing.pages::<T::Span>() {
            let piece = pieces.next_full();
            layers.write_data(dev, piece.transfer, 0, Line(piece.line as u16), WriteEnd::Nothing);
        }
        post_last_write(layers, dev, pieces.last(), buffer);
        return Ok(());
    }
    let page = lookups.translate(layers, dev, Path::Receive, target.pid, page)?;
    post_last_write(layers, dev, page.piece(in_page, data_at, data_bytes), buffer);
    Ok(())
}

/// Posts the host write of the last piece of a frame's data. Its end recycles the receive buffer.
/// The caller has made sure that the ring has room.
#[inline(always)]
fn post_last_write<T: Tables>(layers: &mut Layers<T>, dev: &mut impl Device, piece: Piece, buffer: u32) {
    layers.write_data(dev, piece.transfer, DMA_FLAG_EVENT, Line(piece.line as u16), WriteEnd::Recycle(buffer));
}
