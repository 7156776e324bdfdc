//! Posts that carry their data (M-7). Reading the post, checking it and building its frame is one
//! pass.
//!
//! Such a post is never kept. While there is no room for its frame it counts as not read, and all
//! of it is read and checked anew later.

use nic_device::{rarely, Device, Place};
use nic_layout::counter::Counter;
use nic_layout::frame::rdma::word;
use nic_layout::post::{PostError, INLINE_BYTES_FIRST};
use nic_layout::trace::Marker;
use nic_layout::PROCESS_SLOTS;
use nic_link::NODE_MASK;
use nic_posts::PostId;

use crate::head::LAST_TYPE;
use crate::named::{ends_beyond, Named};
use crate::unsent::{stop, Unsent};
use crate::wire::{Layers, Wire};
use crate::Tables;

/// Sends the frame of the post at `at`, the next post of a slot, which does not notify. `operation`
/// is its first word.
#[inline(always)]
pub(crate) fn send_inline<T: Tables>(
    tables: &T,
    layers: &mut Layers<T>,
    dev: &mut impl Device,
    slot_number: usize,
    at: Place,
    operation: u32,
) {
    if issue_inline::<T, true>(tables, layers, dev, slot_number, at, operation, LAST_TYPE).is_err() {
        rarely();
        // The post may not be plain. Nothing was done yet.
        send_inline_rarely(tables, layers, dev, slot_number, at, operation, LAST_TYPE);
    }
}

/// [`send_inline`] for posts that are not plain: a post that notifies, a post while a host read is
/// in flight, a post to a peer that is not in the normal state. Also for a post that cannot be
/// sent.
#[cold]
#[inline(never)]
pub(crate) fn send_inline_rarely<T: Tables>(
    tables: &T,
    layers: &mut Layers<T>,
    dev: &mut impl Device,
    slot_number: usize,
    at: Place,
    operation: u32,
    last_type: u32,
) {
    if let Err(unsent) = issue_inline::<T, false>(tables, layers, dev, slot_number, at, operation, last_type) {
        stop(layers, dev, slot_number, unsent);
    }
}

/// The image holds two copies. A post is *plain* if it does not notify, no host read is in flight,
/// and its peer is in the normal state; then `IS_PLAIN` only checks for room. On any error of that
/// copy the caller asks the other copy, which decides.
#[inline(always)]
fn issue_inline<T: Tables, const IS_PLAIN: bool>(
    tables: &T,
    layers: &mut Layers<T>,
    dev: &mut impl Device,
    slot_number: usize,
    at: Place,
    operation: u32,
    last_type: u32,
) -> Result<(), Unsent> {
    // The process can change the descriptor at any time: each word is read once.
    let length = dev.get(at, 4);
    let data = dev.get(at, 8);
    let mut named = Named::read(dev, at, operation);
    let message = dev.get(at, 28);
    let slot_number = slot_number % PROCESS_SLOTS;
    let first_index = layers.posts.fetched(slot_number);
    let has_second = Wire::<T>::HAS_SECOND_ENTRY || length > INLINE_BYTES_FIRST;
    let refused = |error, has_second| Err(Unsent::Refused(error, 1 + u32::from(has_second)));
    if !IS_PLAIN && has_second {
        check_second(layers, slot_number, length)?;
    }
    if T::HAS_IMPORTS {
        match named.import(tables, dev, slot_number, operation, length) {
            Ok(of_import) => named = of_import,
            Err(reason) => return refused(reason, has_second),
        }
    }
    let node = if IS_PLAIN {
        if layers.link.is_special(named.node) || !layers.reads.is_idle() {
            return refused(PostError::NoSuchNode, has_second);
        }
        named.node as usize & NODE_MASK
    } else {
        if !layers.link.is_peer(named.node) {
            return refused(PostError::NoSuchNode, has_second);
        }
        named.node as usize & NODE_MASK
    };
    if ends_beyond(named.offset, length) {
        return refused(PostError::LengthOutOfRange, has_second);
    }
    if !IS_PLAIN {
        layers
            .link
            .check_room(&layers.reads, node, 1)
            .map_err(|barrier| Unsent::of(barrier, 1 + u32::from(has_second)))?;
    } else if !layers.link.has_place(node) {
        return Err(Unsent::Blocked);
    }
    let address = layers.link.ready_buffer(dev).ok_or(Unsent::Blocked)?;
    let to = dev.place(address);
    dev.put(to, word::TYPE, last_type ^ Wire::<T>::MARK);
    dev.put(to, Wire::<T>::HEADER_BYTES, data);
    dev.put(to, word::BUFFER, named.buffer);
    dev.put(to, word::BUFFER_OFFSET, named.offset);
    dev.put(to, word::KEY_0, named.key[0]);
    dev.put(to, word::KEY_1, named.key[1]);
    if Wire::<T>::IS_WIDE && T::HAS_IMPORTS {
        dev.put(to, word::KEY_2, named.upper_key[0]);
        dev.put(to, word::KEY_3, named.upper_key[1]);
    }
    dev.put(to, word::MESSAGE, message);
    let mut last_index = first_index;
    if has_second {
        rarely();
        if IS_PLAIN {
            check_second(layers, slot_number, length)?;
        }
        last_index = first_index.wrapping_add(1);
        copy_second(layers, dev, slot_number, last_index, length, to);
    }
    // Nothing below can fail.
    let is_refusing = !IS_PLAIN && layers.link.is_refusing(node);
    let acknowledge = if is_refusing { layers.link.ack_before_refusals(node) } else { layers.link.expected(node) };
    let sequence = layers.link.number(dev, node, to, length, acknowledge);
    let length_bytes = Wire::<T>::HEADER_BYTES + length;
    let transmit_index = layers.link.place(dev, address, length_bytes);
    if IS_PLAIN {
        dev.release_transmit();
    } else {
        layers.reads.release(dev);
    }
    dev.trace(Marker::TransmitPosted, sequence);

    if !is_refusing {
        layers.link.owe_no_ack(node);
    }
    let buffer = layers.link.first_buffer();
    layers.link.take_buffer();
    layers.await_nothing();
    let has_more = layers.posts.fetch_up_to(slot_number, last_index.wrapping_add(1));
    let id = PostId::new(slot_number, last_index);
    layers.link.note_sent(node, sequence, buffer, transmit_index, length_bytes, layers.posts.owner(id));
    if has_more {
        layers.run.push(slot_number);
    }
    if has_second {
        layers.records.be_first_half(PostId::new(slot_number, last_index.wrapping_sub(1)));
    }
    layers.records.add_frame(id);
    layers.records.issue(id);
    dev.count(Counter::FramesSent);
    dev.count(Counter::PostsFetched);
    layers.link.keep_retransmit_timer(dev, node);
    layers.link.find_ready_buffer(dev);
    Ok(())
}

/// Checks that the second entry of a post is posted, and that both entries have room for its data.
#[inline(always)]
fn check_second<T: Tables>(layers: &Layers<T>, slot_number: usize, length: u32) -> Result<(), Unsent> {
    if !layers.posts.has_two(slot_number) {
        return Err(Unsent::Refused(PostError::LengthOutOfRange, 1));
    }
    if length > Wire::<T>::INLINE_BYTES_MAX {
        return Err(Unsent::Refused(PostError::LengthOutOfRange, 1 + u32::from(Wire::<T>::HAS_SECOND_ENTRY)));
    }
    Ok(())
}

/// Copies the words of a post's second entry into its frame, each word read once: the upper half of
/// the key, and the data behind the first word.
#[inline(always)]
fn copy_second<T: Tables>(
    layers: &Layers<T>,
    dev: &mut impl Device,
    slot_number: usize,
    index: u32,
    bytes: u32,
    to: Place,
) {
    let from = layers.posts.queue_entry(slot_number, index);
    if Wire::<T>::HAS_SECOND_ENTRY {
        let upper = [dev.get(from, 0), dev.get(from, 4)];
        dev.put(to, word::KEY_2, upper[0]);
        dev.put(to, word::KEY_3, upper[1]);
    }
    let to = to.plus(Wire::<T>::HEADER_BYTES);
    let mut at = INLINE_BYTES_FIRST;
    while at < bytes {
        let word = dev.get(from, at - INLINE_BYTES_FIRST + Wire::<T>::UPPER_KEY_BYTES);
        dev.put(to, at, word);
        at += 4;
    }
}
