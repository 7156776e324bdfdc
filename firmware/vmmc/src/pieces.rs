//! Longer messages in pieces: while the host is read for one, another is on the link, and a third is written at its owner.
//!
//! A frame is stored whole on both NICs before it goes on, so a page in one frame takes the sum of both buses and the link. In pieces it takes the
//! slowest of them, and the others for one piece.

use nic_layout::ring::DMA_AHEAD_BYTES_MAX;
use nic_layout::{PAGE_BYTES, PAGE_SHIFT, PROCESS_SLOTS};
use nic_lookup::{rarely, Path};

use crate::frames::FRAME_RECORDS;
use crate::link::NODE_MASK;
use crate::post::{Post, Slot, LAST_TYPE};
use crate::send::{Part, Stop};
use crate::{Device, Machine, Tables};

/// Pieces of a message that fits a page; and of a longer one, where what a piece costs each of the NICs counts for more than the last one's way.
const SHORT_LOG2: u32 = 9;
const LONG_LOG2: u32 = 10;

/// A platform whose frames hold at least so many short pieces cuts messages.
const WORTH_PIECES: u32 = 4;

/// The engine is asked for all pieces of a page at once.
const _: () = assert!(PAGE_BYTES <= DMA_AHEAD_BYTES_MAX);

/// The longest message that is not cut.
pub(crate) fn whole_bytes_max(frame_data_bytes_max: u32) -> u32 {
    if frame_data_bytes_max >= WORTH_PIECES << SHORT_LOG2 {
        1 << SHORT_LOG2
    } else {
        u32::MAX
    }
}

/// How the next part of a message is cut.
///
/// Pieces begin at multiples of 8 bytes of host memory, but the first, so that no word of the bus belongs to two. They have a power of two of bytes, less what
/// the first lacks to begin at a multiple, and up to 7 more in the last.
#[derive(Clone, Copy, Debug)]
struct Cut {
    log2: u32,
    /// In the page of the source, which is not left.
    bytes: u32,
}

impl Cut {
    #[inline(always)]
    fn new(address: u32, remaining_bytes: u32, frame_data_bytes_max: u32) -> Cut {
        let log2 = if remaining_bytes > PAGE_BYTES { LONG_LOG2 } else { SHORT_LOG2 };
        let bytes = remaining_bytes.min(frame_data_bytes_max).min(PAGE_BYTES - address % PAGE_BYTES);
        Cut { log2, bytes }
    }

    /// No fewer than there are.
    #[inline(always)]
    fn count_max(self) -> u32 {
        (self.bytes + (1 << self.log2) - 1) >> self.log2
    }

    /// The piece that begins at an address.
    #[inline(always)]
    fn piece(self, address: u32, left_bytes: u32) -> u32 {
        let bytes = (1 << self.log2) - address % 8;
        if left_bytes < bytes + 8 {
            left_bytes
        } else {
            bytes
        }
    }
}

impl<T: Tables> Machine<T> {
    /// Issues frames for what lies in one page of a message.
    ///
    /// One command of the engine reads all of it, so that the bus does not pause between two pieces. The engine then expects them one behind the other:
    /// they are issued in one go; or only the first of them, if there is no room for all.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    pub(crate) fn issue_pieces(&mut self, dev: &mut impl Device, slot_number: usize) -> Result<(), Stop> {
        let slot_number = slot_number % PROCESS_SLOTS;
        let Slot { pid, post: Post { node, local_address, remaining_bytes, .. }, .. } = self.slots[slot_number];
        let node = node & NODE_MASK;
        if self.heard != 0 {
            rarely();
            self.hear(dev);
        }
        let mut frame = self.room_to(dev, node)?;
        // The scratchpad of an image with longer keys has no room for one more lookup.
        let page = match Self::IS_WIDE {
            true => self.translate_one(dev, Path::Send, pid, local_address >> PAGE_SHIFT)?,
            false => self.translate(dev, Path::Send, pid, local_address >> PAGE_SHIFT)?,
        };
        let mut address = local_address;
        let cut = Cut::new(address, remaining_bytes, self.config.frame_data_bytes_max);
        let mut left = cut.bytes;
        if !self.has_room_for(dev, node, cut.count_max()) {
            rarely();
            left = cut.piece(address, left);
        }
        // Of the message, behind this page.
        let rest = remaining_bytes - left;
        let mut is_first = true;
        loop {
            let data_bytes = cut.piece(address, left);
            left -= data_bytes;
            let sram_address = self.frame_address(frame) + Self::HEADER_BYTES;
            let data = page.piece(address % PAGE_BYTES, sram_address, data_bytes);
            self.post_read_of(dev, data, frame, if is_first { left } else { 0 }, left == 0);
            is_first = false;
            let part = Part { local_address: address, data_bytes, is_last: left + rest == 0, last_type: LAST_TYPE };
            self.send_part(dev, slot_number, node, frame, part);
            if left == 0 {
                break;
            }
            address += data_bytes;
            frame = self.free.first().unwrap_or(0);
        }
        self.find_ready_frame(dev);
        self.count_hit(dev, Path::Send);
        Ok(())
    }

    /// Whether so many frames to a peer can be issued one behind the other.
    #[inline(always)]
    fn has_room_for(&mut self, dev: &mut impl Device, node: usize, count: u32) -> bool {
        self.peers[node].window.in_flight() + count <= self.config.window_frames
            && self.free.count() >= count
            && self.has_read_room(2 * count)
            && !self.frames_linger(dev)
    }

    /// A buffer is free. As far as we know it may still be in the transmit ring: a frame that went again, or one that its peer acknowledges before it was sent.
    #[inline(always)]
    pub(crate) fn note_lingering(&mut self, frame: usize) {
        let place = self.frames[frame % FRAME_RECORDS].transmit_index;
        if self.transmit_placed.wrapping_sub(place) <= self.transmit_placed.wrapping_sub(self.transmit_done) {
            let before = self.lingering.unwrap_or(place);
            let is_later = (place.wrapping_sub(before) as i32) > 0;
            self.lingering = Some(if is_later { place } else { before });
        }
    }

    /// Whether a free buffer may still be in the transmit ring.
    #[inline(always)]
    fn frames_linger(&mut self, dev: &mut impl Device) -> bool {
        let Some(place) = self.lingering else { return false };
        self.update_transmit_done(dev);
        let lingers = (self.transmit_done.wrapping_sub(place) as i32) <= 0;
        if !lingers {
            self.lingering = None;
        }
        lingers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Address and bytes of each piece of a message, with room for all or for one at a time.
    fn pieces(mut address: u32, mut remaining: u32, frame_data_bytes_max: u32, together: bool) -> Vec<(u32, u32)> {
        let mut pieces = Vec::new();
        while remaining != 0 {
            let cut = Cut::new(address, remaining, frame_data_bytes_max);
            let mut left = if together { cut.bytes } else { cut.piece(address, cut.bytes) };
            let first = pieces.len();
            while left != 0 {
                let bytes = cut.piece(address, left);
                pieces.push((address, bytes));
                address += bytes;
                remaining -= bytes;
                left -= bytes;
            }
            assert!(pieces.len() - first <= cut.count_max() as usize);
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
            frame_data_bytes_max in 2048u32..=4096,
            together in any::<bool>(),
        ) {
            let mut next = address;
            for (start, length) in pieces(address, bytes, frame_data_bytes_max, together) {
                prop_assert_eq!(start, next);
                prop_assert!(length != 0 && length <= frame_data_bytes_max);
                prop_assert_eq!(start / PAGE_BYTES, (start + length - 1) / PAGE_BYTES);
                next = start + length;
            }
            prop_assert_eq!(next, address + bytes);
        }
    }

    #[test]
    fn only_frames_that_hold_several_pieces_are_cut() {
        assert_eq!(whole_bytes_max(1464), u32::MAX);
        assert_eq!(whole_bytes_max(4096), 512);
    }
}
