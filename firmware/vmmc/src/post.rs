//! Posts whose data are in host memory: read, checked, and kept while their frames are issued.

use nic_device::{rarely, Device, Place};
use nic_layout::post::{PostError, MESSAGE_BYTES_MAX, OP_WRITE};
use nic_layout::trace::Marker;

use crate::head::{Form, Head, LAST_TYPE, NOTIFY, NOTIFY_SHIFT};
use crate::named::{ends_beyond, runs_over, Named};
use crate::part::keep_upper_key;
use crate::wire::{Layers, Wire};
use crate::Tables;

/// Reads the next descriptor of a slot. Its first word was read before. False if the post is
/// refused. Messages of more than `whole_bytes_max` bytes are cut (pieces.rs).
#[inline(always)]
pub(crate) fn fetch<T: Tables>(
    tables: &T,
    whole_bytes_max: u32,
    layers: &mut Layers<T>,
    dev: &mut impl Device,
    slot: usize,
    at: Place,
    operation: u32,
) -> bool {
    let next = layers.posts.fetched(slot).wrapping_add(1);
    layers.posts.fetch_up_to(slot, next);

    // The process can change the descriptor at any time: each word is read once.
    let length = dev.get(at, 4);
    let local_address = dev.get(at, 8);
    let named = Named::read(dev, at, operation);
    let message = dev.get(at, 28);
    let head = layers.posts.head_mut(slot);
    *head = Head {
        form: if length > whole_bytes_max { Form::Long } else { Form::Host },
        node: named.node as usize,
        remaining_bytes: length,
        local_address,
        buffer_offset: named.offset,
        buffer: named.buffer,
        key: named.key,
        message,
        last_type: head.last_type,
    };

    let mut error = None;
    if operation & 0xFFFF != u32::from(OP_WRITE) {
        rarely();
        error = set_form(layers, slot, operation);
    }
    if Wire::<T>::HAS_SECOND_ENTRY {
        error = take_second_entry(layers, dev, slot, error);
    }
    let mut node = named.node;
    if T::HAS_IMPORTS && error.is_none() {
        match named.import(tables, dev, slot, operation, length) {
            Ok(named) => {
                node = named.node;
                let head = layers.posts.head_mut(slot);
                (head.node, head.buffer, head.key) = (named.node as usize, named.buffer, named.key);
                if Wire::<T>::IS_WIDE {
                    keep_upper_key(layers, dev, slot, named.upper_key);
                }
            }
            Err(reason) => error = Some(reason),
        }
    }
    let error = if let Some(error) = error {
        error
    } else if !layers.link.is_peer(node) {
        PostError::NoSuchNode
    } else if length > MESSAGE_BYTES_MAX || ends_beyond(named.offset, length) {
        PostError::LengthOutOfRange
    } else if runs_over(local_address, length) {
        PostError::BadLocalAddress
    } else {
        dev.trace(Marker::PostRead, layers.posts.head(slot).message);
        return true;
    };
    layers.refuse_fetched(dev, slot, error);
    false
}

/// Takes the second entry of a post, even if the post is refused, and keeps the upper half of its
/// key. Returns the error of the post: `error`, or that there is no second entry.
#[inline(never)]
fn take_second_entry<T: Tables>(
    layers: &mut Layers<T>,
    dev: &mut impl Device,
    slot: usize,
    error: Option<PostError>,
) -> Option<PostError> {
    let Some(index) = layers.posts.next_index(slot) else {
        rarely();
        return Some(PostError::LengthOutOfRange);
    };
    let first = layers.posts.head_id(slot);
    layers.posts.fetch_up_to(slot, index.wrapping_add(1));
    layers.records.be_first_half(first);
    let at = layers.posts.queue_entry(slot, index);
    let upper = [dev.get(at, 0), dev.get(at, 4)];
    keep_upper_key(layers, dev, slot, upper);
    error
}

/// Sets the form of a write that notifies. Any other operation is an error. Called for posts whose
/// first word is not a plain write.
#[cold]
#[inline(never)]
fn set_form<T: Tables>(layers: &mut Layers<T>, slot: usize, operation: u32) -> Option<PostError> {
    if operation & 0xFFFF != u32::from(OP_WRITE) | NOTIFY {
        return Some(PostError::UnknownOperation);
    }
    let head = layers.posts.head_mut(slot);
    head.last_type = LAST_TYPE | NOTIFY << NOTIFY_SHIFT;
    head.form = Form::Notify;
    None
}
