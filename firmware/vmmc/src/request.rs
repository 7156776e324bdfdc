//! Posts that ask for data (M-5). Reading the post, checking it and building its frame is one pass,
//! as for posts that carry their data (inline.rs).
//!
//! Such a post is never kept either. While there is no room for its frame, or for one more read
//! from its peer, it counts as not read.

use nic_device::{rarely, Device, Place};
use nic_layout::counter::Counter;
use nic_layout::frame::link::{FrameKind, FLAG_LAST};
use nic_layout::frame::rdma::{word, READ_REQUEST_BYTES};
use nic_layout::post::{PostError, MESSAGE_BYTES_MAX};
use nic_layout::trace::Marker;
use nic_layout::PROCESS_SLOTS;
use nic_link::NODE_MASK;
use nic_posts::PostId;

use crate::named::{ends_beyond, runs_over, Named};
use crate::open_reads::OpenReads;
use crate::unsent::Unsent;
use crate::wire::{Layers, Wire};
use crate::Tables;

/// Sends the request of the post at `at`, the next post of a slot. Its first word was read before.
#[inline(always)]
pub(crate) fn issue_request<T: Tables>(
    tables: &T,
    open_reads: &mut OpenReads,
    layers: &mut Layers<T>,
    dev: &mut impl Device,
    slot_number: usize,
    at: Place,
    operation: u32,
) -> Result<(), Unsent> {
    // The process can change the descriptor at any time: each word is read once.
    let length = dev.get(at, 4);
    let local_address = dev.get(at, 8);
    let mut named = Named::read(dev, at, operation);
    let message = dev.get(at, 28);
    let slot_number = slot_number % PROCESS_SLOTS;
    let mut last_index = layers.posts.fetched(slot_number);
    if Wire::<T>::HAS_SECOND_ENTRY {
        last_index = last_index.wrapping_add(1);
        if !layers.posts.has_two(slot_number) {
            rarely();
            return Err(Unsent::Refused(PostError::LengthOutOfRange, 1));
        }
        let second = layers.posts.queue_entry(slot_number, last_index);
        named.upper_key = [dev.get(second, 0), dev.get(second, 4)];
    }
    let entries = 1 + u32::from(Wire::<T>::HAS_SECOND_ENTRY);
    if T::HAS_IMPORTS {
        match named.import(tables, dev, slot_number, operation, length) {
            Ok(of_import) => named = of_import,
            Err(reason) => return Err(Unsent::Refused(reason, entries)),
        }
    }
    if !layers.link.is_peer(named.node) {
        rarely();
        return Err(Unsent::Refused(PostError::NoSuchNode, entries));
    }
    if length > MESSAGE_BYTES_MAX || ends_beyond(named.offset, length) {
        rarely();
        return Err(Unsent::Refused(PostError::LengthOutOfRange, entries));
    }
    if runs_over(local_address, length) {
        rarely();
        return Err(Unsent::Refused(PostError::BadLocalAddress, entries));
    }
    dev.trace(Marker::PostRead, message);

    let node = named.node as usize & NODE_MASK;
    if let Err(barrier) = layers.link.check_room(&layers.reads, node, 1) {
        return Err(Unsent::of(barrier, entries));
    }
    let Some(address) = layers.link.ready_buffer(dev) else {
        return Err(Unsent::Blocked);
    };
    let Some(place) = open_reads.place_for(node) else {
        rarely();
        return Err(Unsent::Blocked);
    };
    // Nothing below can fail.
    let (id, owner) = open_reads.next_id(dev, place);
    let to = dev.place(address);
    dev.put(to, Wire::<T>::HEADER_BYTES + word::READ_LENGTH, length);
    dev.put(to, Wire::<T>::HEADER_BYTES + word::READ_ID, id);
    dev.put(to, word::TYPE, word::kind(FrameKind::READ, FLAG_LAST) ^ Wire::<T>::MARK);
    dev.put(to, word::BUFFER, named.buffer);
    dev.put(to, word::BUFFER_OFFSET, named.offset);
    dev.put(to, word::KEY_0, named.key[0]);
    dev.put(to, word::KEY_1, named.key[1]);
    if Wire::<T>::IS_WIDE {
        dev.put(to, word::KEY_2, named.upper_key[0]);
        dev.put(to, word::KEY_3, named.upper_key[1]);
    }
    dev.put(to, word::MESSAGE, message);
    layers.send_frame(dev, node, READ_REQUEST_BYTES, owner);

    let has_more = layers.posts.fetch_up_to(slot_number, last_index.wrapping_add(1));
    let post = PostId::new(slot_number, last_index);
    if has_more {
        layers.run.push(slot_number);
    }
    if Wire::<T>::HAS_SECOND_ENTRY {
        layers.records.be_first_half(PostId::new(slot_number, last_index.wrapping_sub(1)));
    }
    // The post waits for its data only: they cannot come before its frame has arrived.
    layers.records.add_frame(post);
    layers.records.issue(post);
    open_reads.open(layers, dev, (place, id), node, post, (local_address, length));
    dev.count(Counter::PostsFetched);
    layers.process_deferred_one(dev, node);
    Ok(())
}
