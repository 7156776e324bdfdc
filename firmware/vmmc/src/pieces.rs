//! Longer messages in pieces: while one piece is read from the host, another is on the link, and a
//! third is written at its owner.
//!
//! Both NICs store a frame whole before they pass it on. So a page in one frame takes the time of
//! both buses and the link together. In pieces it takes the time of the slowest of the three, and
//! of the other two for one piece.

use nic_device::rarely;
use nic_layout::ring::DMA_AHEAD_BYTES_MAX;
use nic_layout::{PAGE_BYTES, PAGE_SHIFT, PROCESS_SLOTS};
use nic_lookup::Path;

use crate::counts::count_hit;
use crate::data::post_read_ahead;
use crate::head::{Head, LAST_TYPE};
use crate::lookups::Lookups;
use crate::part::{send_part, Part, Stop};
use crate::wire::{Layers, Wire};
use crate::Tables;
use nic_device::Device;
use nic_link::NODE_MASK;

/// Length of the first piece of a message that fits a page. Each further piece is longer by
/// [`MORE_BYTES`]: writing a piece at its owner takes longer than reading it here, since every
/// write has a burst of its own, so more bytes arrive meanwhile.
const FIRST_BYTES: u32 = 304;
const MORE_BYTES: u32 = 24;

/// Largest number of pieces of a page.
const PIECES_MAX: u32 = {
    let (mut count, mut bytes, mut left) = (0, FIRST_BYTES, PAGE_BYTES);
    while left != 0 {
        left = left.saturating_sub(bytes);
        bytes += MORE_BYTES;
        count += 1;
    }
    count
};

/// Length of pieces in the last page of a longer message and in a message that has waited; also of
/// a piece that is sent alone for lack of room.
const ALONE_BYTES: u32 = 512;

/// Length of pieces in a longer message before its last page. There the cost of a piece on each NIC
/// matters more than the time of the last piece.
pub(crate) const LONG_BYTES: u32 = 1024;

/// If frames hold this many bytes, messages of more than [`ALONE_BYTES`] are cut.
const WORTH_BYTES: u32 = 2048;

// Frames of a platform that cuts hold the longest piece.
const _: () = assert!(LONG_BYTES + 8 <= WORTH_BYTES && FIRST_BYTES + (PIECES_MAX - 1) * MORE_BYTES + 8 <= WORTH_BYTES);

// One command of the DMA engine reads all pieces of a page.
const _: () = assert!(PAGE_BYTES <= DMA_AHEAD_BYTES_MAX);

/// Bytes of the longest message that is not cut, if frames hold `frame_data_bytes_max` bytes.
pub(crate) fn whole_bytes_max(frame_data_bytes_max: u32) -> u32 {
    if frame_data_bytes_max >= WORTH_BYTES {
        ALONE_BYTES
    } else {
        u32::MAX
    }
}

/// How the next part of a message is cut.
///
/// All pieces but the first begin at multiples of 8 bytes of host memory, so that no word of the
/// bus belongs to two pieces. The length of a piece is a multiple of 8 bytes, with two exceptions:
/// the first piece is shorter by its offset from such a multiple, the last may have up to 7 bytes
/// more.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// Length of the next piece.
    piece_bytes: u32,
    /// By how much each piece is longer than the piece before it.
    more_bytes: u32,
    /// All pieces but the first and the last have at least two to the power of this many bytes.
    least_log2: u32,
    /// Bytes of the message in the current page of the source.
    bytes: u32,
}

impl Cut {
    #[inline(always)]
    fn new(address: u32, remaining_bytes: u32, is_first: bool) -> Cut {
        let bytes = remaining_bytes.min(PAGE_BYTES - address % PAGE_BYTES);
        if remaining_bytes > PAGE_BYTES {
            Cut { piece_bytes: LONG_BYTES, more_bytes: 0, least_log2: LONG_BYTES.ilog2(), bytes }
        } else if is_first {
            Cut { piece_bytes: FIRST_BYTES, more_bytes: MORE_BYTES, least_log2: FIRST_BYTES.ilog2(), bytes }
        } else {
            Cut { piece_bytes: ALONE_BYTES, more_bytes: 0, least_log2: ALONE_BYTES.ilog2(), bytes }
        }
    }

    /// An upper bound of the number of pieces.
    #[inline(always)]
    fn count_max(self) -> u32 {
        ((self.bytes + (1 << self.least_log2) - 1) >> self.least_log2).min(PIECES_MAX)
    }

    /// The cut of one piece that is sent alone.
    #[inline(always)]
    fn alone(self, address: u32) -> Cut {
        let cut = Cut { piece_bytes: self.piece_bytes.max(ALONE_BYTES), ..self };
        Cut { bytes: cut.piece(address, cut.bytes), ..cut }
    }

    #[inline(always)]
    fn next(self) -> Cut {
        Cut { piece_bytes: self.piece_bytes + self.more_bytes, ..self }
    }

    /// Length of the piece that begins at `address`, if `left_bytes` of the page are left. A rest
    /// of less than 8 bytes joins the piece.
    #[inline(always)]
    fn piece(self, address: u32, left_bytes: u32) -> u32 {
        let bytes = self.piece_bytes - address % 8;
        if left_bytes < bytes + 8 {
            left_bytes
        } else {
            bytes
        }
    }
}

/// Issues frames for the bytes of a message in one page.
///
/// One command of the DMA engine reads all pieces, so that the bus does not pause between two. The
/// engine then expects the transfers of these pieces one behind the other, so all are issued at
/// once. If there is no room for all, one piece is issued, with a command of its own.
#[inline(never)]
#[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
pub(crate) fn issue_pieces<T: Tables>(
    lookups: &mut Lookups<T>,
    layers: &mut Layers<T>,
    dev: &mut impl Device,
    slot_number: usize,
) -> Result<(), Stop> {
    let slot_number = slot_number % PROCESS_SLOTS;
    let Head { node, local_address, remaining_bytes, .. } = *layers.posts.head(slot_number);
    let (pid, sending) = (layers.posts.pid(slot_number), layers.posts.is_sending(slot_number));
    let node = node & NODE_MASK;
    let mut address = local_address;
    let mut cut = Cut::new(address, remaining_bytes, !sending);
    if !has_room_for(layers, dev, node, cut.count_max()) {
        rarely();
        if !finds_room_for(layers, dev, node, cut.count_max())? {
            cut = cut.alone(address);
        }
    }
    let mut frame = layers.link.next_buffer();
    // The scratchpad of an image with longer keys has no room for one more lookup.
    let page = match Wire::<T>::IS_WIDE {
        true => lookups.translate_one(layers, dev, Path::Send, pid, local_address >> PAGE_SHIFT)?,
        false => lookups.translate(layers, dev, Path::Send, pid, local_address >> PAGE_SHIFT)?,
    };
    let mut left = cut.bytes;
    let mut data_bytes = cut.piece(address, left);
    left -= data_bytes;
    // The first read is posted before the loop: the compiler puts much arithmetic in front of the
    // loop, and this read need not wait for it.
    let mut buffer = layers.link.buffer_address(frame);
    let data = page.piece(address % PAGE_BYTES, buffer + Wire::<T>::HEADER_BYTES, data_bytes);
    post_read_ahead(layers, dev, data, frame, left, left == 0);
    let rest = remaining_bytes - left - data_bytes;
    loop {
        let part = Part { buffer, local_address: address, data_bytes, is_last: left + rest == 0, last_type: LAST_TYPE };
        send_part(layers, dev, slot_number, node, frame, part);
        if left == 0 {
            break;
        }
        address += data_bytes;
        cut = cut.next();
        frame = layers.link.next_buffer();
        data_bytes = cut.piece(address, left);
        left -= data_bytes;
        buffer = layers.link.buffer_address(frame);
        let data = page.piece(address % PAGE_BYTES, buffer + Wire::<T>::HEADER_BYTES, data_bytes);
        post_read_ahead(layers, dev, data, frame, 0, left == 0);
    }
    layers.link.find_ready_buffer(dev);
    count_hit(dev, Path::Send);
    Ok(())
}

/// Whether `count` frames to a peer can be issued one behind the other.
#[inline(always)]
fn has_room_for<T: Tables>(layers: &mut Layers<T>, dev: &mut impl Device, node: usize, count: u32) -> bool {
    !layers.link.is_barred(node)
        && layers.link.has_window(node, count)
        && layers.reads.has_room(2 * count)
        && layers.link.has_buffers(dev, count)
}

/// [`has_room_for`] after it has found no room: processes the deferred acknowledgement, which may
/// free room, and asks again. False if there is room for one frame only; an error if there is none.
#[cold]
#[inline(never)]
fn finds_room_for<T: Tables>(
    layers: &mut Layers<T>,
    dev: &mut impl Device,
    node: usize,
    count: u32,
) -> Result<bool, Stop> {
    layers.process_deferred(dev);
    if has_room_for(layers, dev, node, count) {
        return Ok(true);
    }
    layers.room_to(dev, node)?;
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Address and bytes of each piece of a message, with room for all or for one at a time.
    fn pieces(mut address: u32, mut remaining: u32, together: bool) -> Vec<(u32, u32)> {
        let mut pieces = Vec::new();
        while remaining != 0 {
            let mut cut = Cut::new(address, remaining, pieces.is_empty());
            let count_max = cut.count_max();
            if !together {
                cut = cut.alone(address);
            }
            let mut left = cut.bytes;
            let first = pieces.len();
            while left != 0 {
                let bytes = cut.piece(address, left);
                pieces.push((address, bytes));
                address += bytes;
                remaining -= bytes;
                left -= bytes;
                cut = cut.next();
            }
            assert!(pieces.len() - first <= count_max as usize);
            for (address, _) in &pieces[first + 1..] {
                assert_eq!(address % 8, 0, "a word of the bus belongs to two pieces");
            }
        }
        pieces
    }

    proptest! {
        #[test]
        fn pieces_cover_a_message_once_in_order_and_none_leaves_its_page(
            address in 0u32..1 << 20,
            bytes in prop_oneof![1u32..600, 1u32..5000, 1u32..200_000],
            together in any::<bool>(),
        ) {
            let mut next = address;
            for (start, length) in pieces(address, bytes, together) {
                prop_assert_eq!(start, next);
                prop_assert!(length != 0 && length <= WORTH_BYTES);
                prop_assert_eq!(start / PAGE_BYTES, (start + length - 1) / PAGE_BYTES);
                next = start + length;
            }
            prop_assert_eq!(next, address + bytes);
        }
    }

    #[test]
    fn each_piece_of_a_page_is_longer_than_the_one_before() {
        let lengths: Vec<u32> = pieces(0x1000, PAGE_BYTES, true).iter().map(|(_, bytes)| *bytes).collect();
        assert_eq!(lengths, [304, 328, 352, 376, 400, 424, 448, 472, 496, 496]);
        assert_eq!(lengths.len(), PIECES_MAX as usize);
    }

    #[test]
    fn only_frames_that_hold_several_pieces_are_cut() {
        assert_eq!(whole_bytes_max(1464), u32::MAX);
        assert_eq!(whole_bytes_max(4096), 512);
    }
}
