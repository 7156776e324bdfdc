//! Frames of posts whose data come from host memory.

use nic_device::{Device, Place};
use nic_layout::counter::Counter;
use nic_layout::frame::link::FrameKind;
use nic_layout::frame::rdma::word;
use nic_layout::trace::Marker;
use nic_link::Barrier;
use nic_plan::upper_key;

use crate::head::Head;
use crate::page::Untranslated;
use crate::wire::{Layers, Wire};
use crate::Tables;

/// Why a frame was not issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The post waits for the driver to fill a line.
    Parked,
    /// The post waits for room: in the window, the rings, the buffers, or a set of the cache.
    Blocked,
    /// The post fails: its local address has no translation.
    BadAddress,
    Unreachable,
}

impl From<Barrier> for Stop {
    #[inline(always)]
    fn from(barrier: Barrier) -> Stop {
        match barrier {
            Barrier::Full => Stop::Blocked,
            Barrier::Unreachable => Stop::Unreachable,
        }
    }
}

impl From<Untranslated> for Stop {
    fn from(reason: Untranslated) -> Stop {
        match reason {
            Untranslated::Fill => Stop::Parked,
            Untranslated::Way => Stop::Blocked,
            Untranslated::Fault => Stop::BadAddress,
        }
    }
}

/// The part of a message that one frame carries.
pub(crate) struct Part {
    /// SRAM offset of the transmit buffer of the frame.
    pub buffer: u32,
    pub local_address: u32,
    pub data_bytes: u32,
    pub is_last: bool,
    pub last_type: u32,
}

/// Writes the header of a frame whose host read is posted, releases the frame, and records it. The
/// caller searches the next free buffer.
#[inline(always)]
pub(crate) fn send_part<T: Tables>(
    layers: &mut Layers<T>,
    dev: &mut impl Device,
    slot: usize,
    node: usize,
    frame: usize,
    part: Part,
) {
    let Part { buffer: address, local_address, data_bytes, is_last, last_type } = part;
    let acknowledge = layers.link.acknowledge_with(node);
    let (sequence, address_word) = layers.link.issue(node);
    dev.trace(Marker::DmaReadPosted, sequence);
    let Head { buffer, buffer_offset, key, message, .. } = *layers.posts.head(slot);
    let at = dev.place(address);
    dev.put(at, word::ADDRESS_1, address_word);
    let type_word = if is_last { last_type } else { word::kind(FrameKind::WRITE, 0) };
    dev.put(at, word::TYPE, type_word ^ Wire::<T>::MARK);
    dev.put(at, word::NODE_LENGTH, layers.link.node_length(data_bytes));
    dev.put(at, word::SEQUENCE, sequence);
    dev.put(at, word::ACKNOWLEDGE, acknowledge);
    dev.put(at, word::BUFFER, buffer);
    dev.put(at, word::BUFFER_OFFSET, buffer_offset);
    dev.put(at, word::KEY_0, key[0]);
    dev.put(at, word::KEY_1, key[1]);
    put_upper_key(layers, dev, slot, at);
    dev.put(at, word::MESSAGE, message);
    dev.trace(Marker::HeaderBuilt, sequence);
    let length_bytes = Wire::<T>::HEADER_BYTES + data_bytes;
    let transmit_index = layers.link.place(dev, address, length_bytes);
    layers.reads.release(dev);
    dev.trace(Marker::TransmitPosted, sequence);

    layers.link.take_buffer();
    layers.await_nothing();
    let id = layers.posts.head_id(slot);
    layers.link.note_sent(node, sequence, frame, transmit_index, length_bytes, layers.posts.owner(id));
    layers.records.add_frame(id);
    layers.posts.set_sending(slot, !is_last);
    if is_last {
        layers.records.issue(id);
    } else {
        let head = layers.posts.head_mut(slot);
        head.remaining_bytes -= data_bytes;
        head.local_address = local_address.wrapping_add(data_bytes);
        head.buffer_offset = head.buffer_offset.wrapping_add(data_bytes);
    }
    if !is_last || layers.posts.has_more(slot) {
        layers.run.push(slot);
    }
    dev.count(Counter::FramesSent);
    layers.link.keep_retransmit_timer(dev, node);
}

/// The place of the upper half of the key of a slot's post.
#[inline(always)]
fn upper_key_place<T: Tables>(layers: &Layers<T>, slot: usize) -> Place {
    layers.posts.behind_process_table(upper_key(slot as u32))
}

/// Keeps the upper half of the key of a slot's post in SRAM: the slot in the scratchpad has no room
/// for it.
#[inline(always)]
pub(crate) fn keep_upper_key<T: Tables>(layers: &Layers<T>, dev: &mut impl Device, slot: usize, upper: [u32; 2]) {
    let at = upper_key_place(layers, slot);
    dev.put(at, 0, upper[0]);
    dev.put(at, 4, upper[1]);
}

/// Copies the upper half of the key of a slot's post into a frame.
#[inline(always)]
fn put_upper_key<T: Tables>(layers: &Layers<T>, dev: &mut impl Device, slot: usize, frame: Place) {
    if Wire::<T>::IS_WIDE {
        let at = upper_key_place(layers, slot);
        let upper = [dev.get(at, 0), dev.get(at, 4)];
        dev.put(frame, word::KEY_2, upper[0]);
        dev.put(frame, word::KEY_3, upper[1]);
    }
}
