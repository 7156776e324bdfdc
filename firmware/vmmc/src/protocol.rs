//! The protocol: its handling of frames, posts, ends of transfers, and words of the driver.

use nic_device::{rarely, Device, Place};
use nic_engine::{retake, Arrived, Boot, Buffer, Engine, Frame, Protocol, ProtocolTypes};
use nic_fair::Members;
use nic_layout::counter::Counter;
use nic_layout::frame::link::{FrameKind, FLAG_ABORTED, FLAG_LAST};
use nic_layout::frame::rdma::word;
use nic_layout::plant::{is_planted, Plant};
use nic_layout::post::PostError;
use nic_layout::ring::{
    COMMAND_FORGET_BUFFER, COMMAND_INVALIDATE, COMMAND_MASK, MAILBOX_ARGUMENT, MAILBOX_FILLED, MAILBOX_NOTIFIED,
};
use nic_layout::trace::{Marker, NO_LINE};
use nic_layout::vmh::{key_line_page, key_pid};
use nic_layout::PROCESS_SLOTS;
use nic_lookup::Path;
use nic_plan::{Lookup as _, Plan, Rdma};
use nic_posts::Owner;

use crate::head::{INLINE_AND_NOTIFY, INLINE_WRITE, LAST_TYPE, NOTIFY, NOTIFY_SHIFT, READ};
use crate::inline::{send_inline, send_inline_rarely};
use crate::lookups::Lookups;
use crate::misses::Misses;
use crate::notify::Notifications;
use crate::open_reads::OpenReads;
use crate::owner::REPLY;
use crate::pieces::whole_bytes_max;
use crate::receive::{take_reply, take_write};
use crate::receive_miss::ReceiveMisses;
use crate::reply::{ReadId, Replies};
use crate::request::issue_request;
use crate::send::send_from_host;
use crate::unsent::stop;
use crate::wire::{Layers, Line, Wire};
use crate::Tables;

/// Type words of the frames of reads.
const READ_FRAME: u32 = word::kind(FrameKind::READ, FLAG_LAST);
const REPLY_FRAME: u32 = word::kind(FrameKind::REPLY, 0);
const LAST_REPLY_FRAME: u32 = word::kind(FrameKind::REPLY, FLAG_LAST);
const ABORTED_REPLY_FRAME: u32 = word::kind(FrameKind::REPLY, FLAG_LAST | FLAG_ABORTED);

/// VMMC on one NIC: the engine with this protocol.
pub type Machine<T> = Engine<Vmmc<T>>;

/// The protocol of one node.
///
/// All zero before [`Engine::boot`]. The fields that every frame uses come first.
#[repr(C)]
pub struct Vmmc<T: Tables> {
    lookups: Lookups<T>,
    /// Bytes of the longest message that is not cut (pieces.rs).
    whole_bytes_max: u32,
    notifications: Notifications,
    open_reads: OpenReads,
    replies: Replies,
    receive_misses: ReceiveMisses,
}

impl<T: Tables> Boot for Vmmc<T> {
    type Part = Rdma<T::Lookup>;
    const BUILT: Rdma<T::Lookup> = T::BUILT;

    fn prepare(dev: &mut impl Device, plan: &Plan<Rdma<T::Lookup>>) -> Vmmc<T> {
        let (config, places) = (&plan.config.link, &plan.places);
        let lookup = &places.part.lookup;
        let tables = T::start(dev, lookup, &plan.config.part.lookup);
        let misses = plan.config.part.lookup.misses();
        let ring = Misses::new(places.rings.miss_ring, lookup);
        Vmmc {
            lookups: Lookups::new(tables, ring, plan.config.host_pages),
            whole_bytes_max: whole_bytes_max(config.frame_data_bytes_max),
            notifications: Notifications::new(places.rings.notify_ring),
            open_reads: OpenReads::new(places.part.open_reads, config.node_count),
            replies: Replies::new(places.part.reads),
            receive_misses: ReceiveMisses::new(misses.receive, misses.held_frames_max),
        }
    }

    /// The lookup structures prepare themselves.
    fn zeros_end(plan: &Plan<Rdma<T::Lookup>>) -> u32 {
        plan.places.part.lookup.vmh
    }
}

impl<T: Tables> Vmmc<T> {
    /// Sends the request of the post at `at`.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".text.requests")]
    fn send_request(&mut self, layers: &mut Layers<T>, dev: &mut impl Device, slot: usize, at: Place, operation: u32) {
        let Vmmc { lookups, open_reads, .. } = self;
        if let Err(unsent) = issue_request(lookups.tables(), open_reads, layers, dev, slot, at, operation) {
            rarely();
            stop(layers, dev, slot, unsent);
        }
    }

    /// Takes the request of a read, or a reply.
    ///
    /// The code of reads lies in SRAM in one piece, so that no part of it displaces another part in
    /// the instruction cache.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".text.reads")]
    fn take_of_read(
        &mut self,
        layers: &mut Layers<T>,
        dev: &mut impl Device,
        at: Place,
        buffer: u32,
        type_word: u32,
        length_bytes: u32,
    ) -> Buffer {
        let node_length = dev.get(at, word::NODE_LENGTH);
        let known = (type_word, Wire::<T>::FLAGS);
        let node = match layers.link.check_source::<true>(dev, at, known, node_length, length_bytes) {
            Ok(node) => node,
            Err(reason) => return layers.drop_frame(dev, reason),
        };
        let acknowledge = dev.get(at, word::ACKNOWLEDGE);
        let data_bytes = word::data_bytes(node_length);
        let sequence = dev.get(at, word::SEQUENCE);
        dev.trace(Marker::ReceiveHeader, sequence);
        let Vmmc { lookups, open_reads, replies, receive_misses, .. } = self;
        let kept = match layers.classify(dev, node, sequence, true) {
            None if type_word == READ_FRAME => {
                replies.take_read(lookups, receive_misses, layers, dev, (at, buffer, node, data_bytes))
            }
            None => {
                let of_reply = (node, word::flags(type_word), data_bytes);
                take_reply(open_reads, lookups, receive_misses, layers, dev, (at, buffer), of_reply)
            }
            Some(false) => receive_misses.gap_frame(layers, dev, node, buffer, sequence),
            Some(true) => layers.drop_frame(dev, Counter::FramesDuplicate),
        };
        // The acknowledgement counts whether the data are accepted or not.
        layers.defer_acknowledge(dev, node, acknowledge);
        kept
    }

    /// Goes on with frames that waited until the driver has served misses or a ring has room.
    fn end_receive_misses(&mut self, layers: &mut Layers<T>, dev: &mut impl Device) {
        if self.receive_misses.open() != 0 {
            self.end_open_receive_misses(layers, dev);
        }
    }

    #[cold]
    #[inline(never)]
    fn end_open_receive_misses(&mut self, layers: &mut Layers<T>, dev: &mut impl Device) {
        for node in self.receive_misses.open().numbers() {
            if self.receive_misses.ends_wait(self.lookups.misses(), dev, node) {
                self.take_held_frames(layers, dev, node);
                self.receive_misses.after_held(node);
            }
            self.receive_misses.ask_for_more(layers, dev, node);
        }
    }

    /// Judges the held frames of a peer anew, until a frame misses again or there is no room.
    fn take_held_frames(&mut self, layers: &mut Layers<T>, dev: &mut impl Device, node: usize) {
        while let Some(oldest) = self.receive_misses.oldest_of(node) {
            if !layers.writes.has_room(Wire::<T>::FRAME_WRITES) {
                // The end of a host write calls this method again.
                layers.stall_reception();
                return self.receive_misses.wait_for_room(self.lookups.misses(), node);
            }
            let Some(frame) = self.receive_misses.take_at(oldest) else { return };
            dev.count(Counter::FramesRetaken);
            dev.trace(Marker::FrameRetaken, node as u32);
            // The frame may have lost its permission since (INV-21).
            if retake(self, layers, dev, frame.buffer, u32::from(frame.length_bytes)) == Buffer::Free {
                dev.recycle(frame.buffer);
            }
            if self.receive_misses.waits(node) {
                return self.receive_misses.last_becomes_first(node);
            }
        }
    }
}

impl<T: Tables> Protocol for Vmmc<T> {
    type Types = Wire<T>;

    const NOWHERE: Self = Vmmc {
        lookups: Lookups::NOWHERE,
        whole_bytes_max: 0,
        notifications: Notifications::NONE,
        open_reads: OpenReads::NONE,
        replies: Replies::NONE,
        receive_misses: ReceiveMisses::NONE,
    };
    const MAILBOXES: u32 = 1 << MAILBOX_FILLED | 1 << MAILBOX_NOTIFIED;

    #[inline(always)]
    fn on_frame(&mut self, layers: &mut Layers<T>, dev: &mut impl Device, frame: Frame) -> Buffer {
        let Vmmc { lookups, notifications, receive_misses, .. } = self;
        take_write(lookups, receive_misses, notifications, layers, dev, frame)
    }

    #[inline(always)]
    fn on_other_frame(
        &mut self,
        layers: &mut Layers<T>,
        dev: &mut impl Device,
        Arrived { at, buffer, type_word, length_bytes }: Arrived,
    ) -> Option<Buffer> {
        // Checked here, so that other frames do not pay for the registers of the function.
        if matches!(type_word, READ_FRAME | REPLY_FRAME | LAST_REPLY_FRAME | ABORTED_REPLY_FRAME) {
            return Some(self.take_of_read(layers, dev, at, buffer, type_word, length_bytes));
        }
        rarely();
        None
    }

    #[inline(always)]
    fn on_gap(
        &mut self,
        layers: &mut Layers<T>,
        dev: &mut impl Device,
        node: usize,
        buffer: u32,
        sequence: u32,
    ) -> Buffer {
        self.receive_misses.gap_frame(layers, dev, node, buffer, sequence)
    }

    #[inline(always)]
    fn on_post(&mut self, layers: &mut Layers<T>, dev: &mut impl Device, slot: usize, is_new: bool) {
        let slot = slot % PROCESS_SLOTS;
        let mut descriptor = None;
        if is_new || !layers.posts.is_sending(slot) {
            let Some(index) = layers.posts.next_index(slot) else {
                rarely();
                return;
            };
            let at = layers.posts.queue_entry(slot, index);
            let operation = dev.get(at, 0);
            let tables = self.lookups.tables();
            if operation & 0xFFFF == INLINE_WRITE {
                return send_inline(tables, layers, dev, slot, at, operation);
            }
            rarely();
            if operation & 0xFFFF == INLINE_AND_NOTIFY {
                let last_type = LAST_TYPE | NOTIFY << NOTIFY_SHIFT;
                return send_inline_rarely(tables, layers, dev, slot, at, operation, last_type);
            }
            if operation & 0xFFFF == READ {
                rarely();
                return self.send_request(layers, dev, slot, at, operation);
            }
            descriptor = Some((at, operation));
        }
        send_from_host(&mut self.lookups, self.whole_bytes_max, layers, dev, slot, descriptor);
    }

    fn on_job(&mut self, layers: &mut Layers<T>, dev: &mut impl Device) {
        self.replies.reply_one(&mut self.lookups, layers, dev);
    }

    #[inline(always)]
    fn on_read_end(&mut self, _layers: &mut Layers<T>, dev: &mut impl Device, Line(line): Line) {
        if line != NO_LINE {
            self.lookups.unlock(dev, Path::Send, u32::from(line));
        }
        dev.trace(Marker::DmaReadDone, u32::from(line));
    }

    fn on_read_failed(&mut self, _layers: &mut Layers<T>, dev: &mut impl Device, number: u32) {
        self.lookups.misses().fetches().fail(dev, number);
    }

    #[inline(always)]
    fn on_write_end(&mut self, _layers: &mut Layers<T>, dev: &mut impl Device, Line(line): Line) {
        if line != NO_LINE {
            self.lookups.unlock(dev, Path::Receive, u32::from(line));
        }
        dev.trace(Marker::DmaWriteDone, u32::from(line));
    }

    fn on_write_room(&mut self, layers: &mut Layers<T>, dev: &mut impl Device) {
        self.end_receive_misses(layers, dev);
    }

    #[inline(always)]
    fn on_writes_ended(&mut self, layers: &mut Layers<T>, dev: &mut impl Device) {
        if self.notifications.is_behind() {
            rarely();
            self.notifications.raise(layers, dev);
        }
    }

    fn on_awaited(&mut self, layers: &mut Layers<T>, dev: &mut impl Device) {
        if self.lookups.end_fetches(layers, dev) {
            layers.run.wake_all();
            self.end_receive_misses(layers, dev);
        }
    }

    #[inline(always)]
    fn awaits_writes(&self) -> bool {
        self.notifications.is_behind()
    }

    fn on_frame_failed(&mut self, layers: &mut Layers<T>, dev: &mut impl Device, owner: Owner, error: PostError) {
        if owner.generation == REPLY {
            self.replies.drop_read(layers, dev, ReadId(owner.post.0));
        } else {
            self.open_reads.fail_request(layers, dev, owner.post, error);
        }
    }

    fn on_peer_lost(&mut self, layers: &mut Layers<T>, dev: &mut impl Device, node: usize) {
        self.open_reads.close_to(layers, dev, node);
    }

    fn on_peer_restarted(&mut self, layers: &mut Layers<T>, dev: &mut impl Device, node: usize) {
        self.open_reads.close_to(layers, dev, node);
        self.replies.drop_reads_of(layers, dev, node);
        for slot in 0..PROCESS_SLOTS {
            if layers.posts.is_sending(slot) && layers.posts.head(slot).node == node {
                layers.cut_off_head(dev, slot);
            }
        }
        while let Some(frame) = self.receive_misses.take(node) {
            dev.count(Counter::FramesRetaken);
            dev.trace(Marker::FrameRetaken, node as u32);
            layers.drop_frame(dev, Counter::FramesStrange);
            dev.recycle(frame.buffer);
        }
        self.receive_misses.forget(node);
    }

    fn on_timer(&mut self, layers: &mut Layers<T>, dev: &mut impl Device) {
        self.end_receive_misses(layers, dev);
    }

    fn on_mailbox(&mut self, layers: &mut Layers<T>, dev: &mut impl Device, mailbox: usize, value: u32) {
        if mailbox == MAILBOX_NOTIFIED {
            return self.notifications.on_notified(dev, value);
        }
        if self.lookups.misses_mut().on_filled(dev, value) {
            if !is_planted(Plant::LostWakeUp) {
                layers.run.wake_all();
            }
            self.end_receive_misses(layers, dev);
        }
    }

    fn on_command(&mut self, layers: &mut Layers<T>, dev: &mut impl Device, command: u32) {
        let tables = self.lookups.tables();
        match command & COMMAND_MASK {
            COMMAND_INVALIDATE => {
                tables.invalidate(dev, key_pid(command), key_line_page(command));
            }
            COMMAND_FORGET_BUFFER => {
                tables.forget_buffer(dev, dev.mailbox(MAILBOX_ARGUMENT));
            }
            _ => return,
        }
        // Posts and reads that waited for that line or descriptor must look it up again.
        layers.run.wake_all();
    }

    fn on_close(&mut self, layers: &mut Layers<T>, dev: &mut impl Device, slot: usize) {
        self.open_reads.forget_slot(layers, dev, slot);
    }
}
