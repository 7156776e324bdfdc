//! From a post to frames.

use nic_device::{rarely, Device, Place};
use nic_layout::counter::Counter;
use nic_layout::post::PostError;
use nic_layout::trace::Marker;
use nic_link::NODE_MASK;
use nic_lookup::Path;

use crate::counts::count_hits;
use crate::data::{read_data, read_data_rarely};
use crate::head::{Form, LAST_TYPE};
use crate::lookups::Lookups;
use crate::part::{send_part, Part, Stop};
use crate::pieces::issue_pieces;
use crate::post::fetch;
use crate::wire::Layers;
use crate::Tables;

/// Issues one frame of a post whose data are in host memory. `descriptor` is place and first word
/// of the post if none of its frames was issued before, otherwise `None`.
#[inline(always)]
pub(crate) fn send_from_host<T: Tables>(
    lookups: &mut Lookups<T>,
    whole_bytes_max: u32,
    layers: &mut Layers<T>,
    dev: &mut impl Device,
    slot: usize,
    descriptor: Option<(Place, u32)>,
) {
    if let Some((at, operation)) = descriptor {
        if !fetch(lookups.tables(), whole_bytes_max, layers, dev, slot, at, operation) {
            return;
        }
    }
    let form = layers.posts.head(slot).form;
    let issued = if form == Form::Host {
        issue_frame::<T, true>(lookups, layers, dev, slot)
    } else {
        rarely();
        match form {
            Form::Long => issue_pieces(lookups, layers, dev, slot),
            _ => issue_notifying_frame(lookups, layers, dev, slot),
        }
    };
    // The count is a sum, because with a branch the compiler would lay out the whole path twice.
    dev.count_many(Counter::PostsFetched, u32::from(descriptor.is_some()));
    if let Err(stop) = issued {
        stop_head(layers, dev, slot, stop);
    }
}

/// Issues a frame of a post that has its data in host memory and notifies.
#[cold]
#[inline(never)]
fn issue_notifying_frame<T: Tables>(
    lookups: &mut Lookups<T>,
    layers: &mut Layers<T>,
    dev: &mut impl Device,
    slot: usize,
) -> Result<(), Stop> {
    issue_frame::<T, false>(lookups, layers, dev, slot)
}

/// Handles a frame of the slot's post that was not issued.
#[cold]
#[inline(never)]
fn stop_head<T: Tables>(layers: &mut Layers<T>, dev: &mut impl Device, slot: usize, stop: Stop) {
    layers.posts.set_sending(slot, true);
    match stop {
        Stop::Parked => {
            layers.run.park(1 << slot);
            dev.trace(Marker::PostParked, slot as u32);
        }
        Stop::Blocked => layers.block(dev, slot),
        Stop::BadAddress => layers.refuse_head(dev, slot, PostError::BadLocalAddress),
        Stop::Unreachable => layers.refuse_head(dev, slot, PostError::PeerUnreachable),
    }
}

/// Issues the next frame of the post at the head of a slot. Work that only the firmware needs comes
/// last.
///
/// The host read of the data begins as soon as their place on the host is known. The core writes
/// header and transmit entry meanwhile. Behind them it posts an empty transfer, which releases the
/// frame when data, header and entry are in place.
///
/// The image holds two copies; posts of [`Form::Host`] take the plain copy.
#[inline(always)]
fn issue_frame<T: Tables, const IS_PLAIN: bool>(
    lookups: &mut Lookups<T>,
    layers: &mut Layers<T>,
    dev: &mut impl Device,
    slot: usize,
) -> Result<(), Stop> {
    let node = layers.posts.head(slot).node & NODE_MASK;
    let frame = layers.room_to(dev, node)?;
    let address = layers.link.ready_address();
    let head = layers.posts.head(slot);
    let data_bytes = head.remaining_bytes.min(layers.frame_data_bytes_max());
    let is_last = data_bytes == head.remaining_bytes;
    let local_address = head.local_address;
    if data_bytes != 0 {
        let source = (layers.posts.pid(slot), local_address);
        if IS_PLAIN {
            read_data(lookups, layers, dev, source, data_bytes, (frame, address))?;
        } else {
            read_data_rarely(lookups, layers, dev, source, data_bytes, (frame, address))?;
        }
    }

    // Nothing below can fail.
    let last_type = if IS_PLAIN { LAST_TYPE } else { layers.posts.head(slot).last_type };
    let part = Part { buffer: address, local_address, data_bytes, is_last, last_type };
    send_part(layers, dev, slot, node, frame, part);
    layers.link.find_ready_buffer(dev);
    count_hits(dev, Path::Send, u32::from(data_bytes != 0));
    Ok(())
}
