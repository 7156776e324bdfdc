//! From arrived frames to host memory.

use nic_device::{rarely, Device, Place};
use nic_engine::{Buffer, Frame};
use nic_layout::counter::Counter;
use nic_layout::frame::link::{FLAG_ABORTED, FLAG_LAST};
use nic_layout::frame::rdma::{word, FLAG_NOTIFY};
use nic_layout::post::PostError;
use nic_layout::tables::PERMIT_WRITE;
use nic_layout::trace::Marker;
use nic_lookup::Path;

use crate::buffer::Target;
use crate::counts::count_hit;
use crate::data::write_data;
use crate::lookups::Lookups;
use crate::notify::Notifications;
use crate::open_reads::OpenReads;
use crate::page::Untranslated;
use crate::pieces::LONG_BYTES;
use crate::receive_miss::ReceiveMisses;
use crate::reply::turn_away;
use crate::wire::Layers;
use crate::Tables;

/// Takes a write whose source and sequence number were checked.
#[inline(always)]
pub(crate) fn take_write<T: Tables>(
    lookups: &mut Lookups<T>,
    receive_misses: &mut ReceiveMisses,
    notifications: &mut Notifications,
    layers: &mut Layers<T>,
    dev: &mut impl Device,
    Frame { at, buffer, node, flags, data_bytes, sequence }: Frame,
) -> Buffer {
    let is_last = flags & FLAG_LAST != 0;
    if flags & (FLAG_ABORTED | FLAG_NOTIFY) != 0 {
        rarely();
        if let Some(ending) = check_flags(notifications, flags, data_bytes) {
            return match ending {
                Counter::FramesRefusedAborted => layers.refuse_frame(dev, node, is_last, ending),
                _ => layers.drop_frame(dev, ending),
            };
        }
    }
    let target = match lookups.check_target(dev, at, data_bytes, PERMIT_WRITE) {
        Ok(target) => target,
        Err(reason) => return turn_away(lookups, receive_misses, layers, dev, (node, buffer), is_last, reason),
    };
    if data_bytes != 0 {
        match write_data(lookups, layers, dev, target, buffer, data_bytes) {
            Ok(()) => {}
            Err(Untranslated::Fault) => {
                return layers.refuse_frame(dev, node, is_last, Counter::FramesRefusedPage);
            }
            Err(reason) => {
                let dropped = Counter::FramesDroppedMiss;
                return receive_misses.miss_frame(lookups.misses(), layers, dev, (node, buffer), reason, dropped);
            }
        }
        dev.trace(Marker::DmaWritePosted, sequence);
        if is_last {
            layers.await_answer(data_bytes);
        } else if data_bytes < LONG_BYTES {
            layers.await_piece();
        }
        count_hit(dev, Path::Receive);
    }
    layers.accept_straight(dev, sequence, node, is_last);
    if flags & FLAG_NOTIFY != 0 {
        rarely();
        notifications.take(layers, dev, at, node, data_bytes);
    }
    if data_bytes != 0 {
        Buffer::Busy
    } else {
        Buffer::Free
    }
}

/// Takes an aborted frame, or a frame whose notification finds the ring full.
#[cold]
#[inline(never)]
fn check_flags(notifications: &Notifications, flags: u8, data_bytes: u32) -> Option<Counter> {
    if flags & FLAG_ABORTED != 0 {
        let is_whole = data_bytes == 0 && flags & FLAG_NOTIFY == 0;
        return Some(if is_whole { Counter::FramesRefusedAborted } else { Counter::FramesMalformed });
    }
    if flags & FLAG_LAST == 0 {
        return Some(Counter::FramesMalformed);
    }
    notifications.is_full().then_some(Counter::FramesDroppedNotify)
}

/// Takes a reply whose source and sequence number were checked.
///
/// A peer can write to memory of a process only the bytes that the process has requested from it.
/// So a reply counts only if it names an open read from that peer and carries the bytes that come
/// next (M-23, case 1). The status of a read that ends is posted right behind its data; work that
/// only the firmware needs comes last.
#[inline(always)]
pub(crate) fn take_reply<T: Tables>(
    open_reads: &mut OpenReads,
    lookups: &mut Lookups<T>,
    receive_misses: &mut ReceiveMisses,
    layers: &mut Layers<T>,
    dev: &mut impl Device,
    (at, buffer): (Place, u32),
    (node, flags, data_bytes): (usize, u8, u32),
) -> Buffer {
    let id = dev.get(at, word::BUFFER);
    let Some((place, mut read)) = open_reads.named(dev, id, node) else {
        rarely();
        return layers.refuse_frame(dev, node, true, Counter::FramesRefusedReply);
    };
    if flags & FLAG_ABORTED != 0 {
        rarely();
        open_reads.close(layers, dev, place, PostError::Refused);
        return layers.refuse_frame(dev, node, true, Counter::FramesRefusedAborted);
    }
    let is_next = dev.get(at, word::BUFFER_OFFSET) == read.offset && data_bytes <= read.remaining_bytes;
    if !is_next || (data_bytes == 0 && read.remaining_bytes != 0) {
        rarely();
        open_reads.close(layers, dev, place, PostError::Refused);
        return layers.refuse_frame(dev, node, true, Counter::FramesRefusedReply);
    }
    if data_bytes != 0 {
        let target = Target { pid: layers.posts.pid(read.post.slot()), address: read.address };
        match write_data(lookups, layers, dev, target, buffer, data_bytes) {
            Ok(()) => {}
            Err(Untranslated::Fault) => {
                open_reads.close(layers, dev, place, PostError::BadLocalAddress);
                return layers.refuse_frame(dev, node, true, Counter::FramesRefusedPage);
            }
            Err(reason) => {
                let dropped = Counter::FramesDroppedMiss;
                return receive_misses.miss_frame(lookups.misses(), layers, dev, (node, buffer), reason, dropped);
            }
        }
        dev.trace(Marker::DmaWritePosted, dev.get(at, word::SEQUENCE));
    }
    let is_last = data_bytes == read.remaining_bytes;
    if is_last {
        open_reads.complete(layers, place, node);
        layers.records.end_frame(read.post);
        // The same DMA engine writes the status page behind the data.
        layers.settle_post(dev, read.post);
        layers.await_answer(data_bytes);
        dev.count(Counter::ReadsCompleted);
        // Another read may wait for this place.
        layers.run.wake_blocked();
    } else {
        read.address = read.address.wrapping_add(data_bytes);
        read.offset = read.offset.wrapping_add(data_bytes);
        read.remaining_bytes -= data_bytes;
        open_reads.store(dev, place, &read);
    }
    if data_bytes != 0 {
        count_hit(dev, Path::Receive);
    }
    let sequence = dev.get(at, word::SEQUENCE);
    layers.accept_straight(dev, sequence, node, is_last);
    if data_bytes != 0 {
        Buffer::Busy
    } else {
        Buffer::Free
    }
}
