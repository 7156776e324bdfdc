//! Frames that arrive: the link's checks of each frame, and its way to the protocol.
//!
//! These are functions over protocol and layers, not methods of the engine, so that a protocol can
//! have a held frame judged anew ([`retake`]).

use nic_device::{rarely, Device, Place};
use nic_layout::counter::Counter;
use nic_layout::frame::link::{word, FrameKind, FLAG_LAST};
use nic_layout::post::PostError;
use nic_layout::trace::Marker;
use nic_link::Ended;

use crate::frame::{Arrived, Buffer, Frame};
use crate::layers::Layers;
use crate::protocol::Protocol;
use crate::types::ProtocolTypes;

/// The flag of a message's last frame, in its type word.
const LAST: u32 = (FLAG_LAST as u32) << 24;

/// The frame in a receive buffer, with the mark of the protocol removed from its type word.
#[inline(always)]
fn arrived<K: ProtocolTypes>(dev: &impl Device, buffer: u32, length_bytes: u32) -> Arrived {
    let at = dev.place(buffer);
    // The type word of another protocol's frame becomes an unknown kind.
    let type_word = dev.get(at, word::TYPE) ^ K::MARK;
    Arrived { at, buffer, type_word, length_bytes }
}

/// Judges the frame in a receive buffer.
#[inline(always)]
pub(crate) fn take_frame<P: Protocol>(
    protocol: &mut P,
    layers: &mut Layers<P::Types>,
    dev: &mut impl Device,
    buffer: u32,
    length_bytes: u32,
) -> Buffer {
    let frame = arrived::<P::Types>(dev, buffer, length_bytes);
    // One comparison for most frames: a data frame with no flag besides `FLAG_LAST`.
    if (frame.type_word ^ P::Types::KIND) & !LAST != 0 {
        rarely();
        return take_other(protocol, layers, dev, frame.at, buffer, frame.type_word, length_bytes);
    }
    take_data::<P, true>(protocol, layers, dev, frame)
}

/// Judges a frame that was held in its buffer as if it had just arrived.
#[cold]
#[inline(never)]
pub fn retake<P: Protocol>(
    protocol: &mut P,
    layers: &mut Layers<P::Types>,
    dev: &mut impl Device,
    buffer: u32,
    length_bytes: u32,
) -> Buffer {
    let frame = arrived::<P::Types>(dev, buffer, length_bytes);
    if frame.type_word & word::KIND_MASK == P::Types::KIND {
        return take_data_rarely(protocol, layers, dev, buffer, frame.type_word, length_bytes);
    }
    take_other(protocol, layers, dev, frame.at, buffer, frame.type_word, length_bytes)
}

/// Takes a data frame. The image holds two copies: `IS_PLAIN` for frames with no flag besides
/// `FLAG_LAST`.
#[inline(always)]
fn take_data<P: Protocol, const IS_PLAIN: bool>(
    protocol: &mut P,
    layers: &mut Layers<P::Types>,
    dev: &mut impl Device,
    Arrived { at, buffer, type_word, length_bytes }: Arrived,
) -> Buffer {
    let node_length = dev.get(at, word::NODE_LENGTH);
    let known = (type_word, P::Types::FLAGS);
    let node = match layers.link.check_source::<IS_PLAIN>(dev, at, known, node_length, length_bytes) {
        Ok(node) => node,
        Err(reason) => return layers.drop_frame(dev, reason),
    };
    let flags = word::flags(type_word) & if IS_PLAIN { FLAG_LAST } else { u8::MAX };
    let data_bytes = word::data_bytes(node_length);
    let sequence = dev.get(at, word::SEQUENCE);
    dev.trace(Marker::ReceiveHeader, sequence);
    let kept = match layers.classify(dev, node, sequence, flags & FLAG_LAST != 0) {
        None => protocol.on_frame(layers, dev, Frame { at, buffer, node, flags, data_bytes, sequence }),
        Some(false) => protocol.on_gap(layers, dev, node, buffer, sequence),
        Some(true) => layers.drop_frame(dev, Counter::FramesDuplicate),
    };
    // The protocol may have posted the end of the buffer's use, but the MAC gets no buffer before
    // the engine recycles it. So its words are still valid.
    let acknowledge = dev.get(at, word::ACKNOWLEDGE);
    layers.defer_acknowledge(dev, node, acknowledge);
    kept
}

/// Takes a data frame with other flags. Its arguments are words, since a struct of four words would
/// go through the stack.
#[cold]
#[inline(never)]
fn take_data_rarely<P: Protocol>(
    protocol: &mut P,
    layers: &mut Layers<P::Types>,
    dev: &mut impl Device,
    buffer: u32,
    type_word: u32,
    length_bytes: u32,
) -> Buffer {
    let at = dev.place(buffer);
    take_data::<P, false>(protocol, layers, dev, Arrived { at, buffer, type_word, length_bytes })
}

/// Takes a frame that is not a plain data frame: an acknowledgement, another kind, or a frame of no
/// known kind.
#[inline(never)]
#[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
fn take_other<P: Protocol>(
    protocol: &mut P,
    layers: &mut Layers<P::Types>,
    dev: &mut impl Device,
    at: Place,
    buffer: u32,
    type_word: u32,
    length_bytes: u32,
) -> Buffer {
    if type_word & word::KIND_MASK != word::kind(FrameKind::ACKNOWLEDGE, 0) {
        return take_no_ack(protocol, layers, dev, at, buffer, type_word, length_bytes);
    }
    let node_length = dev.get(at, word::NODE_LENGTH);
    let known = (type_word, P::Types::FLAGS);
    match layers.link.check_source::<false>(dev, at, known, node_length, length_bytes) {
        Ok(node) => {
            let acknowledge = dev.get(at, word::ACKNOWLEDGE);
            let refusals = dev.get(at, word::REFUSALS);
            dev.count(Counter::FramesAckOnly);
            layers.on_acknowledge(dev, node, acknowledge, |layers, dev, ended| {
                if refusals != 0 {
                    note_refusals(protocol, layers, dev, ended.node, ended.first, ended.count, refusals);
                }
            });
            Buffer::Free
        }
        Err(reason) => layers.drop_frame(dev, reason),
    }
}

/// A frame that neither writes plainly nor acknowledges only. A function of its own, so that
/// acknowledgements need no stack for it.
#[inline(never)]
fn take_no_ack<P: Protocol>(
    protocol: &mut P,
    layers: &mut Layers<P::Types>,
    dev: &mut impl Device,
    at: Place,
    buffer: u32,
    type_word: u32,
    length_bytes: u32,
) -> Buffer {
    let frame = Arrived { at, buffer, type_word, length_bytes };
    match protocol.on_other_frame(layers, dev, frame) {
        Some(kept) => kept,
        None => take_rare(protocol, layers, dev, buffer, type_word, length_bytes),
    }
}

/// Before acknowledged frames end: the posts of those that were refused end badly.
#[cold]
#[inline(never)]
fn note_refusals<P: Protocol>(
    protocol: &mut P,
    layers: &mut Layers<P::Types>,
    dev: &mut impl Device,
    node: usize,
    first: u32,
    count: u32,
    refusals: u32,
) {
    for sequence in (Ended { node, first, count }).refused(refusals) {
        let owner = layers.link.owner(node, sequence);
        if owner.is_post() {
            layers.fail_post(dev, owner, PostError::Refused);
        } else {
            protocol.on_frame_failed(layers, dev, owner, PostError::Refused);
        }
    }
}

/// Takes a data frame with other flags, a frame of the link without a number, a probe, or a frame
/// of no known kind.
#[cold]
#[inline(never)]
fn take_rare<P: Protocol>(
    protocol: &mut P,
    layers: &mut Layers<P::Types>,
    dev: &mut impl Device,
    buffer: u32,
    type_word: u32,
    length_bytes: u32,
) -> Buffer {
    const PROBE: u32 = word::kind(FrameKind::PROBE, FLAG_LAST);
    const MISSED: u32 = word::kind(FrameKind::MISSED, 0);
    const RESTART: u32 = word::kind(FrameKind::RESTART, 0);
    if type_word & word::KIND_MASK == P::Types::KIND {
        return take_data_rarely(protocol, layers, dev, buffer, type_word, length_bytes);
    }
    let at = dev.place(buffer);
    if !matches!(type_word, PROBE | MISSED | RESTART) {
        // Without the mark, a frame of this protocol has the number 0.
        let is_foreign = word::is_ours(type_word) && word::protocol_number(type_word) != 0;
        let reason = if is_foreign { Counter::FramesForeign } else { Counter::FramesMalformed };
        return layers.drop_frame(dev, reason);
    }
    let node_length = dev.get(at, word::NODE_LENGTH);
    let known = (type_word, P::Types::FLAGS);
    let node = match layers.link.check_source::<false>(dev, at, known, node_length, length_bytes) {
        Ok(node) => node,
        Err(reason) => return layers.drop_frame(dev, reason),
    };
    let sequence = dev.get(at, word::SEQUENCE);
    let acknowledge = dev.get(at, word::ACKNOWLEDGE);
    layers.on_acknowledge(dev, node, acknowledge, |_, _, _| {});
    match type_word {
        MISSED => {
            dev.count(Counter::FramesMissed);
            layers.link.on_missed(dev, node, sequence);
            Buffer::Free
        }
        RESTART => {
            dev.count(Counter::FramesRestart);
            dev.trace(Marker::RestartReceived, sequence);
            layers.go_on(node);
            layers.link.on_restart(dev, node, sequence);
            layers.retransmit();
            Buffer::Free
        }
        _ => {
            dev.trace(Marker::ReceiveHeader, sequence);
            match layers.classify(dev, node, sequence, true) {
                None => layers.accept(dev, sequence, node, true),
                Some(false) => protocol.on_gap(layers, dev, node, buffer, sequence),
                Some(true) => layers.drop_frame(dev, Counter::FramesDuplicate),
            }
        }
    }
}
