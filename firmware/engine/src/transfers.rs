//! Ends of transfers, and commands of the driver. A command is answered when all transfers that
//! were posted before it have ended (INV-19, INV-36).

use nic_device::{rarely, Device};
use nic_layout::counter::Counter;
use nic_layout::post::PostError;
use nic_layout::ring::{
    restarted_peer, Event, COMMAND_ASSIGN, COMMAND_CLOSE, COMMAND_FENCE, COMMAND_MASK, COMMAND_RESTART_PEER,
    MAILBOX_ARGUMENT, MAILBOX_COMMAND, MAILBOX_COMMAND_DONE,
};
use nic_layout::trace::Marker;
use nic_layout::PROCESS_SLOTS;

use crate::layers::Layers;
use crate::protocol::Protocol;
use crate::tags::{Failed, WriteEnd};
use crate::timers::{end_frames_badly, fail_frame};

/// A command that waits for its answer, and the transfers that must end before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fence {
    command: u32,
    reads: u32,
    writes: u32,
}

impl Fence {
    pub(crate) const EMPTY: Fence = Fence { command: 0, reads: 0, writes: 0 };

    /// Handles the ends of host reads. Also resumes a halted engine, so that a frame whose data did
    /// not come is never taken for complete.
    #[inline(always)]
    pub(crate) fn end_reads<P: Protocol>(
        &mut self,
        protocol: &mut P,
        layers: &mut Layers<P::Types>,
        dev: &mut impl Device,
    ) {
        let mut consumer = dev.dma_read_consumer();
        // The index is read before this flag. So each transfer below the index has succeeded, or
        // the flag is set.
        let halted = dev.dma_read_halted();
        if halted {
            consumer = dev.dma_read_consumer();
        }
        while let Some(tag) = layers.reads.oldest_ended(consumer) {
            protocol.on_read_end(layers, dev, tag.note());
            layers.reads.retire();
        }
        if halted {
            read_failed(protocol, layers, dev);
        }
        layers.end_unasked_stall();
        layers.run.wake_blocked();
        self.check(protocol, layers, dev);
    }

    /// Handles the ends of host writes.
    #[inline(always)]
    pub(crate) fn end_writes<P: Protocol>(
        &mut self,
        protocol: &mut P,
        layers: &mut Layers<P::Types>,
        dev: &mut impl Device,
    ) {
        let consumer = dev.dma_write_consumer();
        while let Some(tag) = layers.writes.oldest_ended(consumer) {
            protocol.on_write_end(layers, dev, tag.note());
            match tag.end() {
                WriteEnd::Nothing => {}
                WriteEnd::Recycle(buffer) => dev.recycle(buffer),
                WriteEnd::Status(slot) => {
                    layers.posts.on_status_written(slot as usize, layers.writes.ended());
                }
            }
            layers.writes.retire();
        }
        if layers.writes.has_ended(layers.writes.data_mark()) {
            layers.await_nothing();
        }
        if layers.take_stall() {
            dev.raise(Event::MacRx);
            protocol.on_write_room(layers, dev);
        }
        layers.write_statuses(dev);
        protocol.on_writes_ended(layers, dev);
        layers.run.wake_blocked();
        self.check(protocol, layers, dev);
    }

    #[inline(always)]
    fn check<P: Protocol>(&mut self, protocol: &mut P, layers: &mut Layers<P::Types>, dev: &mut impl Device) {
        if layers.awaits_transfers() {
            self.attend_to_ends(protocol, layers, dev);
        }
    }

    #[cold]
    #[inline(never)]
    fn attend_to_ends<P: Protocol>(&mut self, protocol: &mut P, layers: &mut Layers<P::Types>, dev: &mut impl Device) {
        if layers.protocol_awaits_transfers() {
            // Called before the answer: afterwards the protocol fills no line that the command has
            // taken away.
            protocol.on_awaited(layers, dev);
        }
        if !layers.command_awaits_transfers() {
            return;
        }
        if layers.reads.has_ended(self.reads) && layers.writes.has_ended(self.writes) {
            layers.await_transfers_for_command(false);
            dev.to_host(MAILBOX_COMMAND_DONE, self.command);
        }
    }

    /// Serves the mailboxes that the driver has written, in the order of their numbers.
    ///
    /// Not part of `serve_rare`, and without the commands: fewer registers to save before a filled
    /// line is served.
    #[inline(never)]
    pub(crate) fn on_mailboxes<P: Protocol>(
        &mut self,
        protocol: &mut P,
        layers: &mut Layers<P::Types>,
        dev: &mut impl Device,
    ) {
        let written = dev.take_mailboxes(u32::MAX);
        let mut known = written & (P::MAILBOXES | 1 << MAILBOX_COMMAND);
        while known != 0 {
            let mailbox = known.trailing_zeros() as usize;
            known &= known - 1;
            let value = dev.mailbox(mailbox);
            if mailbox == MAILBOX_COMMAND {
                self.on_command(protocol, layers, dev, value);
            } else {
                protocol.on_mailbox(layers, dev, mailbox, value);
            }
        }
        // The argument is read with its command.
        if written & !(P::MAILBOXES | 1 << MAILBOX_COMMAND | 1 << MAILBOX_ARGUMENT) != 0 {
            dev.count(Counter::MailboxesWild);
        }
    }

    /// Obeys a command at once and notes the transfers that must end before its answer.
    #[inline(never)]
    fn on_command<P: Protocol>(
        &mut self,
        protocol: &mut P,
        layers: &mut Layers<P::Types>,
        dev: &mut impl Device,
        command: u32,
    ) {
        dev.trace(Marker::Command, command);
        let legal = (COMMAND_FENCE..=COMMAND_RESTART_PEER).contains(&(command & COMMAND_MASK));
        if layers.command_awaits_transfers() || !legal {
            dev.count(Counter::MailboxesWild);
            return;
        }
        dev.count(Counter::Commands);
        let slot = (command >> 4) as usize & 0xF;
        // Apart from the others: with one more case the match becomes a table of jumps, and then
        // the depth of the stack is not known (`nic_image::judge`).
        let is_restart = command & COMMAND_MASK == COMMAND_RESTART_PEER;
        if is_restart {
            restart_peer(protocol, layers, dev, command);
        }
        rarely();
        match command & COMMAND_MASK {
            COMMAND_FENCE | COMMAND_RESTART_PEER => {}
            COMMAND_CLOSE => {
                if slot < PROCESS_SLOTS {
                    protocol.on_close(layers, dev, slot);
                }
                layers.close_slot(dev, slot);
            }
            COMMAND_ASSIGN => self.assign_queue(protocol, layers, dev, slot),
            _ => protocol.on_command(layers, dev, command),
        }
        layers.await_transfers_for_command(true);
        *self = Fence { command, reads: layers.reads.next_number(), writes: layers.writes.next_number() };
        self.check(protocol, layers, dev);
    }

    /// Gives a queue to the next process, unless posts of its present process are outstanding.
    #[cold]
    fn assign_queue<P: Protocol>(
        &mut self,
        protocol: &mut P,
        layers: &mut Layers<P::Types>,
        dev: &mut impl Device,
        slot: usize,
    ) {
        if !layers.posts.has_queue(slot) {
            dev.count(Counter::MailboxesWild);
            return;
        }
        // Acknowledgements and ends of host writes may be deferred. They are handled first, since
        // they may drain the queue.
        layers.process_deferred(dev);
        self.end_writes(protocol, layers, dev);
        if layers.posts.is_drained(dev, slot) {
            protocol.on_close(layers, dev, slot);
            layers.assign_queue(dev, slot);
        }
    }
}

/// Obeys the command that announces the restart of a peer (INV-31). All work to or from the earlier
/// incarnation ends here, before a frame can go to the new one.
#[cold]
#[inline(never)]
fn restart_peer<P: Protocol>(protocol: &mut P, layers: &mut Layers<P::Types>, dev: &mut impl Device, command: u32) {
    let (node, session) = restarted_peer(command);
    if !layers.link.is_peer(node) {
        dev.count(Counter::MailboxesWild);
        return;
    }
    // The earlier incarnation has accepted the acknowledged frames, so their posts end well.
    layers.process_deferred(dev);
    let ended = layers.link.restart_peer(dev, node as usize, session);
    end_frames_badly(protocol, layers, dev, ended);
    protocol.on_peer_restarted(layers, dev, node as usize);
    // Posts that could not be sent go to the new incarnation.
    layers.run.wake_blocked();
}

/// Handles a failed host read, which is the transfer that has ended last. The peer waits for the
/// sequence number of its frame, so the frame goes without data, and its post fails. Nothing fails
/// if the frame was taken back meanwhile, since its peer is lost or has started again.
#[cold]
#[inline(never)]
fn read_failed<P: Protocol>(protocol: &mut P, layers: &mut Layers<P::Types>, dev: &mut impl Device) {
    dev.count(Counter::DmaReadErrors);
    let (number, tag) = layers.reads.last_ended();
    match tag.failed() {
        Failed::Nothing => {}
        Failed::Other => protocol.on_read_failed(layers, dev, number),
        Failed::Frame(frame) => {
            if let Some(owner) = layers.abort_frame(dev, frame) {
                fail_frame(protocol, layers, dev, owner, PostError::BusError);
            }
        }
    }
    dev.resume_dma_read();
}
