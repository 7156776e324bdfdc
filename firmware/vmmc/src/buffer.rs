//! The buffer that a frame names, and the check of the access that the frame asks for.

use nic_device::{Device, Place};
use nic_layout::cbh::{cbh_pid, entry, PERMISSIONS_SHIFT, STATE_INVALID, STATE_RESERVED};
use nic_layout::counter::Counter;
use nic_layout::frame::rdma::word;
use nic_layout::plant::{is_planted, Plant};
use nic_layout::tables::{MISS_BUFFER, PERMIT_READ};
use nic_layout::trace::Marker;
use nic_lookup::{Find, Reserve};

use crate::misses::Misses;
use crate::named::runs_over;
use crate::page::Untranslated;
use crate::wire::Wire;
use crate::Tables;

/// The destination of the data of an allowed frame.
pub(crate) struct Target {
    /// The process in the low bits, which are the bits that a VMH key takes.
    pub pid: u32,
    pub address: u32,
}

/// Why a frame has no target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoTarget {
    /// The frame may try again later: the driver serves the miss (M-43), or every way of the set is
    /// reserved.
    Missed(Untranslated),
    /// The buffer does not exist or forbids the access. The counter counts the reason.
    Refused(Counter),
}

/// Checks owner, key, direction and bounds (INV-21, INV-22), for every frame anew.
#[inline(always)]
pub(crate) fn check_target<T: Tables>(
    tables: &T,
    misses: &mut Misses,
    dev: &mut impl Device,
    at: Place,
    data_bytes: u32,
    permission: u32,
) -> Result<Target, NoTarget> {
    let cbh = dev.get(at, word::BUFFER);
    let (buffer, state) = match tables.find_buffer(dev, cbh) {
        Find::Valid { entry, state } => {
            dev.trace(Marker::BufferHit, entry);
            (tables.buffer_place(entry), state)
        }
        Find::Not { state } => return Err(no_buffer(tables, misses, dev, cbh, state)),
    };
    // All words of the key are compared, so that each wrong key takes the same time (INV-24).
    let key_0 = dev.get(buffer, entry::KEY_0) ^ dev.get(at, word::KEY_0);
    let key_1 = dev.get(buffer, entry::KEY_1) ^ dev.get(at, word::KEY_1);
    let mut difference = key_0 | key_1;
    if Wire::<T>::IS_WIDE {
        difference |= dev.get(buffer, entry::KEY_2) ^ dev.get(at, word::KEY_2);
        difference |= dev.get(buffer, entry::KEY_3) ^ dev.get(at, word::KEY_3);
    }
    if difference != 0 && !(is_planted(Plant::UncheckedKey) && permission == PERMIT_READ) {
        return Err(NoTarget::Refused(Counter::FramesRefusedKey));
    }
    if state & permission << PERMISSIONS_SHIFT == 0 {
        return Err(NoTarget::Refused(Counter::FramesRefusedPermission));
    }
    let offset = dev.get(at, word::BUFFER_OFFSET);
    let length = dev.get(buffer, entry::LENGTH);
    let start = dev.get(buffer, entry::START);
    if offset > length || data_bytes > length - offset {
        return Err(NoTarget::Refused(Counter::FramesRefusedBounds));
    }
    let address = start.wrapping_add(offset);
    // One comparison checks both sums: the frame ends within the buffer's length here, so the sum
    // wraps at most once.
    if runs_over(start, offset + data_bytes) {
        return Err(NoTarget::Refused(Counter::FramesRefusedBounds));
    }
    Ok(Target { pid: cbh_pid(cbh), address })
}

/// Handles a lookup without a valid descriptor. The driver is told once for each buffer (M-22), if
/// the miss ring has room.
#[cold]
#[inline(never)]
fn no_buffer<T: Tables>(tables: &T, misses: &mut Misses, dev: &mut impl Device, cbh: u32, state: u32) -> NoTarget {
    dev.trace(Marker::BufferMiss, cbh);
    let outcome = match state {
        STATE_INVALID => Counter::BufferDenials,
        STATE_RESERVED => Counter::BufferPending,
        _ if !misses.has_room(dev) => Counter::BufferMissRingFull,
        _ => match tables.reserve_buffer(dev, cbh) {
            Reserve::Line(entry) => {
                misses.raise(dev, cbh, entry, MISS_BUFFER);
                Counter::BufferMisses
            }
            Reserve::NoWay => Counter::BufferNoWay,
        },
    };
    dev.count(Counter::BuffersNotFound);
    dev.count(outcome);
    match outcome {
        Counter::BufferDenials => NoTarget::Refused(Counter::FramesRefusedBuffer),
        Counter::BufferNoWay => NoTarget::Missed(Untranslated::Way),
        _ => NoTarget::Missed(Untranslated::Fill),
    }
}
