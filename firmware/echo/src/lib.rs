//! Echo: every data frame goes back to its sender, once.
//!
//! A post of operation [`OP_ECHO`] carries up to [`DATA_BYTES_MAX`] bytes in its descriptor, behind
//! the length. It ends when its frame is acknowledged. The driver learns from [`MAILBOX_ECHOED`]
//! how many frames have come back.
#![cfg_attr(not(test), no_std)]

use nic_device::{Device, Place};
use nic_engine::{Buffer, Frame, Layers, Protocol, ProtocolTypes};
use nic_fair::RunQueue;
use nic_layout::counter::Counter;
use nic_layout::frame::link::{self, FrameKind, FLAG_LAST};
use nic_layout::post::PostError;
use nic_link::{Barrier, NODE_MASK};
use nic_posts::{Owner, PostId};

/// The operation of every post.
pub const OP_ECHO: u32 = 7;
/// Data bytes of a post: what its descriptor has room for.
pub const DATA_BYTES_MAX: u32 = 20;
/// The mailbox to the host with the number of frames that have come back.
pub const MAILBOX_ECHOED: usize = 3;

/// The words of a frame: the link's, and two behind them.
mod word {
    pub use nic_layout::frame::link::word::*;

    /// [`BACK`](super::BACK), or 0 in a frame that goes out.
    pub const DIRECTION: u32 = super::link::HEADER_BYTES as u32;
    /// The number of the message, from its post.
    pub const MESSAGE: u32 = DIRECTION + 4;
    /// Where the data begin.
    pub const DATA: u32 = MESSAGE + 4;
}

/// The kind of every data frame.
const DATA_FRAME: FrameKind = FrameKind(1);
/// [`word::DIRECTION`] of a frame that goes back.
const BACK: u32 = 1;
/// Places of a peer's window that a new frame must find. One stays free for a frame that goes back:
/// two nodes whose windows were full of new frames would wait for each other for ever.
const PLACES: u32 = 2;

/// Frames that wait for room to go back, at most. They stay in their receive buffers.
const WAITING_MAX: usize = 4;
/// The job that sends them.
const JOB: u32 = 1 << RunQueue::JOBS_SHIFT;

/// The protocol.
#[derive(Clone, Copy, Debug, Default)]
pub struct Echo {
    /// Frames that have come back.
    echoed: u32,
    /// Receive buffers of frames that wait, the oldest first.
    waiting: [u32; WAITING_MAX],
    waiting_count: usize,
}

impl Echo {
    /// Sends the frame at `at` back. The caller has asked for room.
    fn send_back(layers: &mut Layers<Echo>, dev: &mut impl Device, at: Place, node: usize) {
        let message = dev.get(at, word::MESSAGE);
        let data_bytes = word::data_bytes(dev.get(at, word::NODE_LENGTH));
        let data = at.plus(Echo::HEADER_BYTES);
        Echo::send(layers, dev, node, (BACK, message), (data, data_bytes), Owner::NOTHING);
    }

    /// Sends `data_bytes` from `data` on. The caller has asked for room.
    fn send(
        layers: &mut Layers<Echo>,
        dev: &mut impl Device,
        node: usize,
        (direction, message): (u32, u32),
        (data, data_bytes): (Place, u32),
        owner: Owner,
    ) {
        let to = dev.place(layers.link.ready_address());
        dev.put(to, word::TYPE, (Echo::KIND | u32::from(FLAG_LAST) << 24) ^ Echo::MARK);
        dev.put(to, word::DIRECTION, direction);
        dev.put(to, word::MESSAGE, message);
        for at in (0..data_bytes).step_by(4) {
            let word = dev.get(data, at);
            dev.put(to, Echo::HEADER_BYTES + at, word);
        }
        layers.send_frame(dev, node, data_bytes, owner);
    }
}

impl ProtocolTypes for Echo {
    type Head = ();
    type ReadNote = ();
    type WriteNote = ();
    const NO_HEAD: () = ();
    const HEADER_BYTES: u32 = word::DATA;
    const PROTOCOL: u8 = 4;
    const KIND: u32 = word::kind(DATA_FRAME, 0);
    const FLAGS: u8 = FLAG_LAST;
    const FRAME_READS: u32 = 1;
    const FRAME_WRITES: u32 = 0;
}

impl Protocol for Echo {
    type Types = Echo;
    const NOWHERE: Echo = Echo { echoed: 0, waiting: [0; WAITING_MAX], waiting_count: 0 };

    fn on_frame(&mut self, layers: &mut Layers<Echo>, dev: &mut impl Device, frame: Frame) -> Buffer {
        let Frame { at, buffer, node, sequence, .. } = frame;
        if dev.get(at, word::DIRECTION) == BACK {
            self.echoed = self.echoed.wrapping_add(1);
            dev.to_host(MAILBOX_ECHOED, self.echoed);
            return layers.accept(dev, sequence, node, true);
        }
        if self.waiting_count == 0 && layers.room_to(dev, node).is_ok() {
            // First: then the frame that goes back acknowledges the frame that came.
            layers.accept(dev, sequence, node, true);
            Echo::send_back(layers, dev, at, node);
            return Buffer::Free;
        }
        let Some(place) = self.waiting.get_mut(self.waiting_count) else {
            // As if it had never come: the peer sends it again.
            return layers.drop_frame(dev, Counter::FramesDroppedReads);
        };
        *place = buffer;
        self.waiting_count += 1;
        layers.run.block(JOB);
        layers.accept(dev, sequence, node, true);
        Buffer::Busy
    }

    fn on_job(&mut self, layers: &mut Layers<Echo>, dev: &mut impl Device) {
        layers.run.take_job(JOB);
        if self.waiting_count == 0 {
            return;
        }
        let buffer = self.waiting[0];
        let at = dev.place(buffer);
        let node = word::node(dev.get(at, word::NODE_LENGTH)) as usize & NODE_MASK;
        match layers.room_to(dev, node) {
            Ok(_) => Echo::send_back(layers, dev, at, node),
            Err(Barrier::Full) => return layers.run.block(JOB),
            Err(Barrier::Unreachable) => {}
        }
        dev.recycle(buffer);
        self.waiting.rotate_left(1);
        self.waiting_count -= 1;
        layers.run.add_jobs(JOB);
    }

    fn on_post(&mut self, layers: &mut Layers<Echo>, dev: &mut impl Device, slot: usize, _is_new: bool) {
        let Some(index) = layers.posts.next_index(slot) else { return };
        let post = layers.posts.queue_entry(slot, index);
        // The process can change the descriptor at any time: each word is read once.
        let (operation, data_bytes) = (dev.get(post, 0), dev.get(post, 4));
        let peer = operation >> 16;
        let node = peer as usize & NODE_MASK;
        let refused = if operation & 0xFFFF != OP_ECHO {
            Some(PostError::UnknownOperation)
        } else if !layers.link.is_peer(peer) {
            Some(PostError::NoSuchNode)
        } else if data_bytes > DATA_BYTES_MAX {
            Some(PostError::LengthOutOfRange)
        } else {
            match layers.room_to(dev, node) {
                Ok(_) if layers.link.has_window(node, PLACES) => None,
                Err(Barrier::Unreachable) => Some(PostError::PeerUnreachable),
                // The post counts as not read.
                _ => return layers.block(dev, slot),
            }
        };
        let has_more = layers.posts.fetch_up_to(slot, index.wrapping_add(1));
        if let Some(error) = refused {
            return layers.refuse_fetched(dev, slot, error);
        }
        let id = PostId::new(slot, index);
        let message = dev.get(post, 28);
        Echo::send(layers, dev, node, (0, message), (post.plus(8), data_bytes), layers.posts.owner(id));
        layers.records.add_frame(id);
        layers.records.issue(id);
        dev.count(Counter::PostsFetched);
        if has_more {
            layers.run.push(slot);
        }
    }
}
