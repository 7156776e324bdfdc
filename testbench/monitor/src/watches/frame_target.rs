//! The part of a buffer that a frame may use (INV-21, 22).

use std::ops::Range;

use nic_layout::cbh::{cbh_pid, entry, PERMISSIONS_SHIFT, STATE_MASK, STATE_VALID};
use nic_layout::frame::link::FrameKind;
use nic_layout::key::KeyWidth;
use nic_layout::tables::{PERMIT_READ, PERMIT_WRITE};

use crate::broken::{broken, Broken};
use crate::context::in_page;
use crate::Header;

/// Words of a buffer's descriptor with the longest key.
pub(crate) type Descriptor = [u32; 8];

/// The bytes of a process's memory that a frame or a read may use: virtual addresses.
pub(crate) struct Target {
    pub pid: u32,
    pub addresses: Range<u64>,
}

fn word(descriptor: &Descriptor, at: u32) -> u32 {
    descriptor[at as usize / 4]
}

pub(crate) fn is_valid(descriptor: &Descriptor) -> bool {
    word(descriptor, entry::STATE) & STATE_MASK == STATE_VALID
}

/// The bytes that a frame asks for. An error if the buffer with this descriptor does not allow it.
pub(crate) fn allowed(frame: &Header, descriptor: &Descriptor, width: KeyWidth) -> Result<Target, Broken> {
    let word = |at| word(descriptor, at);
    let key = width.cut([entry::KEY_0, entry::KEY_1, entry::KEY_2, entry::KEY_3].map(word));
    if key != frame.key || frame.key_width != width {
        return broken(
            21,
            format!(
                "frame {} goes on with key {:x?}; that of buffer {:#x} is {key:x?}",
                frame.sequence, frame.key, frame.buffer
            ),
        );
    }
    let permission = if frame.is(FrameKind::READ) { PERMIT_READ } else { PERMIT_WRITE };
    let state = word(entry::STATE);
    if !is_valid(descriptor) || state & permission << PERMISSIONS_SHIFT == 0 {
        return broken(
            21,
            format!("frame {} goes on; buffer {:#x} has state {state:#x}", frame.sequence, frame.buffer),
        );
    }
    let (offset, bytes) = (u64::from(frame.buffer_offset), u64::from(frame.wanted_bytes()));
    let (start, length) = (u64::from(word(entry::START)), u64::from(word(entry::LENGTH)));
    if offset + bytes > length || start + offset + bytes > 1 << 32 {
        return broken(
            22,
            format!(
                "frame {} asks for {bytes} bytes at {offset} of buffer {:#x}, which has {length}",
                frame.sequence, frame.buffer
            ),
        );
    }
    Ok(Target { pid: cbh_pid(frame.buffer), addresses: start + offset..start + offset + bytes })
}

/// The bytes of a page of a process that belong to a buffer: offsets in the page.
pub(crate) fn bytes_of_buffer(descriptor: &Descriptor, pid: u32, page: u32) -> Option<Range<u32>> {
    let start = u64::from(word(descriptor, entry::START));
    let addresses = start..start + u64::from(word(descriptor, entry::LENGTH));
    in_page(addresses, page).filter(|_| cbh_pid(word(descriptor, entry::CBH)) == pid)
}

/// The error of a lookup for which neither a frame nor a post has a reason (INV-21).
pub(crate) fn stranger<T>(pid: u32, page: u32, why: &str) -> Result<T, Broken> {
    broken(21, format!("page {page:#x} of process {pid} is looked up; {why}"))
}

/// The bytes of a page that a frame may use: offsets in the page. An error if there are none.
pub(crate) fn bytes_of_frame(target: &Target, pid: u32, page: u32) -> Result<Range<u32>, Broken> {
    let Range { start, end } = target.addresses;
    match in_page(start..end, page).filter(|_| target.pid == pid) {
        Some(bytes) => Ok(bytes),
        None => stranger(pid, page, &format!("the frame is for {start:#x} to {end:#x} of process {}", target.pid)),
    }
}
