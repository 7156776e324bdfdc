//! Echo: every data frame goes back to its sender, once.
//!
//! A post carries its data in its descriptor (`nic_layout::personality::echo`). The post ends when
//! its frame is acknowledged. When the frame comes back, the NIC writes its data to the descriptor,
//! and tells the driver how many frames have come back.
#![cfg_attr(not(test), no_std)]

use nic_device::{Device, Place};
use nic_engine::{Boot, Buffer, Frame, Layers, Protocol, ProtocolTypes};
use nic_fair::RunQueue;
use nic_layout::counter::Counter;
use nic_layout::frame::link::{FrameKind, FLAG_LAST};
use nic_layout::frame::rdma::{word, HEADER_BYTES};
use nic_layout::nodes::IMAGE_NODES;
use nic_layout::personality::echo::{BACK, DATA_BYTES_MAX, MAILBOX_ECHOED, OP_ECHO, OP_ECHOED, PERSONALITY};
use nic_layout::plant::{is_planted, Plant};
use nic_layout::post::PostError;
use nic_layout::PROCESS_SLOTS;
use nic_link::{Barrier, NODE_MASK};
use nic_plan::{Plain, Plan};
use nic_posts::{Owner, PostId};

/// Places of a peer's window that a new frame must find. One stays free for a frame that goes back:
/// two nodes whose windows were full of new frames would wait for each other for ever.
const PLACES: u32 = 2;

/// Frames that wait for room to go back, at most. They stay in their receive buffers.
const WAITING_MAX: usize = 4;
/// Frames to one peer that have not come back, at most. With more, two nodes could wait for each
/// other for ever, each with [`WAITING_MAX`] frames of the other.
const OUT_MAX: u8 = WAITING_MAX as u8;
/// The job that sends them.
const JOB: u32 = 1 << RunQueue::JOBS_SHIFT;

/// The protocol.
#[derive(Clone, Copy, Debug)]
pub struct Echo {
    /// Frames that have come back.
    echoed: u32,
    /// Frames to each peer that have not come back.
    out: [u8; IMAGE_NODES],
    /// Receive buffers of frames that wait, the oldest first.
    waiting: [u32; WAITING_MAX],
    waiting_count: usize,
}

impl Echo {
    /// Sends `data_bytes` from `data` on, behind a header that begins with these words. The caller
    /// has asked for room.
    fn send(
        layers: &mut Layers<Echo>,
        dev: &mut impl Device,
        node: usize,
        header: [(u32, u32); 4],
        (data, data_bytes): (Place, u32),
        owner: Owner,
    ) {
        let to = dev.place(layers.link.ready_address());
        dev.put(to, word::TYPE, (Echo::KIND | u32::from(FLAG_LAST) << 24) ^ Echo::MARK);
        for (at, word) in header {
            dev.put(to, at, word);
        }
        for at in (0..data_bytes).step_by(4) {
            let word = dev.get(data, at);
            dev.put(to, Echo::HEADER_BYTES + at, word);
        }
        layers.send_frame(dev, node, data_bytes, owner);
    }

    /// Sends the frame at `at` back. The caller has asked for room.
    fn send_back(layers: &mut Layers<Echo>, dev: &mut impl Device, at: Place, node: usize) {
        if is_planted(Plant::AnswerOmitted) {
            return;
        }
        let (data_bytes, data) = (word::data_bytes(dev.get(at, word::NODE_LENGTH)), at.plus(Echo::HEADER_BYTES));
        if is_planted(Plant::AnswerAltered) {
            let first = dev.get(data, 0);
            dev.put(data, 0, first ^ 1);
        }
        let copied = [word::BUFFER_OFFSET, word::KEY_0, word::MESSAGE].map(|word| (word, dev.get(at, word)));
        let header = [(word::BUFFER, BACK), copied[0], copied[1], copied[2]];
        Echo::send(layers, dev, node, header, (data, data_bytes), Owner::NOTHING);
    }

    /// A frame has come back: its data go to the descriptor of its post, if that process is there.
    fn take_back(&mut self, layers: &mut Layers<Echo>, dev: &mut impl Device, at: Place, data_bytes: u32) {
        let (process, index) = (dev.get(at, word::BUFFER_OFFSET), dev.get(at, word::KEY_0));
        let (slot, pid) = ((process >> 16) as usize % PROCESS_SLOTS, process & 0xFFFF);
        if layers.posts.pid(slot) != pid {
            return;
        }
        let post = layers.posts.queue_entry(slot, index);
        for byte in (0..data_bytes.min(DATA_BYTES_MAX)).step_by(4) {
            let word = dev.get(at, Echo::HEADER_BYTES + byte);
            dev.put(post, 8 + byte, word);
        }
        dev.put(post, 0, u32::from(OP_ECHOED));
        self.echoed = self.echoed.wrapping_add(1);
        dev.to_host(MAILBOX_ECHOED, self.echoed);
    }
}

impl Boot for Echo {
    type Part = Plain<PERSONALITY>;
    const BUILT: Plain<PERSONALITY> = Plain;

    fn prepare(_dev: &mut impl Device, _plan: &Plan<Plain<PERSONALITY>>) -> Echo {
        Echo::NOWHERE
    }
}

impl ProtocolTypes for Echo {
    type Head = ();
    type ReadNote = ();
    type WriteNote = ();
    const NO_HEAD: () = ();
    const HEADER_BYTES: u32 = HEADER_BYTES as u32;
    const PROTOCOL: u8 = 4;
    const KIND: u32 = word::kind(FrameKind::WRITE, 0);
    const FLAGS: u8 = FLAG_LAST;
    const FRAME_READS: u32 = 1;
    const FRAME_WRITES: u32 = 0;
}

impl Protocol for Echo {
    type Types = Echo;
    const NOWHERE: Echo = Echo { echoed: 0, out: [0; IMAGE_NODES], waiting: [0; WAITING_MAX], waiting_count: 0 };

    fn on_frame(&mut self, layers: &mut Layers<Echo>, dev: &mut impl Device, frame: Frame) -> Buffer {
        let Frame { at, buffer, data_bytes, sequence, .. } = frame;
        let node = frame.node & NODE_MASK;
        if dev.get(at, word::BUFFER) == BACK {
            self.out[node] = self.out[node].saturating_sub(1);
            self.take_back(layers, dev, at, data_bytes);
            layers.run.wake_blocked();
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
        self.waiting.copy_within(1.., 0);
        self.waiting_count -= 1;
        layers.run.add_jobs(JOB);
    }

    fn on_peer_lost(&mut self, _layers: &mut Layers<Echo>, _dev: &mut impl Device, node: usize) {
        self.out[node & NODE_MASK] = 0;
    }

    fn on_post(&mut self, layers: &mut Layers<Echo>, dev: &mut impl Device, slot: usize, _is_new: bool) {
        let Some(index) = layers.posts.next_index(slot) else { return };
        let post = layers.posts.queue_entry(slot, index);
        // The process can change the descriptor at any time: each word is read once.
        let (operation, data_bytes) = (dev.get(post, 0), dev.get(post, 4));
        let peer = operation >> 16;
        let node = peer as usize & NODE_MASK;
        let refused = if operation & 0xFFFF != u32::from(OP_ECHO) {
            Some(PostError::UnknownOperation)
        } else if !layers.link.is_peer(peer) {
            Some(PostError::NoSuchNode)
        } else if data_bytes > DATA_BYTES_MAX {
            Some(PostError::LengthOutOfRange)
        } else {
            match layers.room_to(dev, node) {
                Ok(_) if layers.link.has_window(node, PLACES) && self.out[node] < OUT_MAX => None,
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
        self.out[node] += 1;
        let process = (slot as u32) << 16 | layers.posts.pid(slot);
        let header =
            [(word::BUFFER, 0), (word::BUFFER_OFFSET, process), (word::KEY_0, index), (word::MESSAGE, message)];
        Echo::send(layers, dev, node, header, (post.plus(8), data_bytes), layers.posts.owner(id));
        layers.records.add_frame(id);
        layers.records.issue(id);
        dev.count(Counter::PostsFetched);
        if has_more {
            layers.run.push(slot);
        }
    }
}
