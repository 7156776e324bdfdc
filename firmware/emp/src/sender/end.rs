//! How messages end.

use nic_collections::Window;
use nic_device::{rarely, Device};
use nic_layout::counter::Counter;
use nic_layout::personality::emp::descriptor::{stat, Failure};
use nic_layout::ring::restarted_peer;
use nic_layout::trace::Marker;

use super::state::{due_at, stage, Sender};
use crate::command::{is_close, is_restart};
use crate::messages::{SenderToTransmitter, TransmitterToSender};
use crate::places::send_record as record;

impl Sender {
    /// All collections are accepted.
    #[inline(always)]
    pub(super) fn complete(&mut self, dev: &mut impl Device, record: u32, state: u32) {
        if state & stage::RESENT != 0 {
            // A frame that was sent again may wait in the transmitter. The host keeps its pages
            // until it has been read.
            rarely();
            let sent = self.record(record);
            dev.put(sent, record::STATE, stage::ENDING | u32::from(stat::DONE) << stage::STAT_SHIFT);
            return self.control(dev, record);
        }
        self.end(dev, record, stat::DONE);
    }

    /// Gives a message up, if its frames are being sent. `quiet`: [`stage::QUIET`] if the peer need
    /// not be told, otherwise 0.
    #[cold]
    #[inline(never)]
    pub(super) fn fail(&mut self, dev: &mut impl Device, record: u32, failure: Failure, quiet: u32) {
        let sent = self.record(record);
        if dev.get(sent, record::STATE) & stage::MASK != stage::SENDING {
            return;
        }
        if !Window::at(sent.plus(record::WINDOW)).is_matched(dev) {
            let node = dev.get(sent, record::NODE_NUMBER) & 0xFFFF;
            self.close(dev, node, record);
        }
        let stat = u32::from(failure.stat());
        dev.trace(Marker::SendGivenUp, record);
        dev.put(sent, record::STATE, stage::FAILING | quiet | stat << stage::STAT_SHIFT);
        self.control(dev, record);
    }

    /// Tells the transmitter what waits to be said. False if there was nothing, or no room.
    #[cold]
    pub(super) fn say(&mut self, dev: &mut impl Device) -> bool {
        let Some(record) = self.control.next(0) else { return false };
        if self.to_transmitter.room(dev) == 0 {
            return false;
        }
        self.control.remove(record);
        let sent = self.record(record);
        match dev.get(sent, record::STATE) & stage::MASK {
            stage::ENDING | stage::FAILING => {
                self.to_transmitter.push(dev, SenderToTransmitter::Drain { record }.words());
            }
            stage::ABORTING => {
                let node_number = dev.get(sent, record::NODE_NUMBER);
                let (node, number) = (node_number & 0xFFFF, (node_number >> 16) as u16);
                self.to_transmitter.push(dev, SenderToTransmitter::Abort { node, number }.words());
                let due = dev.now().wrapping_add(self.settings.resend_cycles);
                dev.put(sent, due_at(0), due);
                self.start_timer(dev);
            }
            _ => {}
        }
        true
    }

    /// Hears what the transmitter says.
    #[cold]
    #[inline(never)]
    pub(super) fn hear(&mut self, dev: &mut impl Device, entry: TransmitterToSender) {
        match entry {
            TransmitterToSender::Failed { record, failure } => self.fail(dev, record, failure, 0),
            TransmitterToSender::Drained { record } => {
                let sent = self.record(record);
                let state = dev.get(sent, record::STATE);
                let is_told = state & stage::QUIET != 0;
                match state & stage::MASK {
                    stage::FAILING if !is_told => {
                        dev.put(sent, record::STATE, state & !stage::MASK | stage::ABORTING);
                        dev.put(sent, record::TRIES, 0);
                        self.control(dev, record);
                    }
                    stage::ENDING | stage::FAILING => self.end(dev, record, (state >> stage::STAT_SHIFT) as u8),
                    _ => {}
                }
            }
        }
    }

    /// Gives a descriptor back to the host.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text.ends")]
    pub(super) fn end(&mut self, dev: &mut impl Device, record: u32, stat: u8) {
        let sent = self.record(record);
        let node_number = dev.get(sent, record::NODE_NUMBER);
        dev.put(sent, record::STATE, stage::FREE);
        if self.ready.has(record) | self.waiting.has(record) {
            rarely();
            self.leave_queues(record);
        }
        self.under_way.remove(record);
        self.give_number(dev, node_number & 0xFFFF, (node_number >> 16) as u16);
        let descriptor = dev.get(sent, record::DESCRIPTOR);
        let at = dev.place(descriptor);
        let head = dev.get(at, 0);
        dev.put(at, 0, head & !0xFF | u32::from(stat));
        let counter = if stat == stat::DONE { Counter::SendsDone } else { Counter::SendsFailed };
        dev.count(counter);
        dev.trace(Marker::MessageSent, record);
    }

    /// A message has ended before its frames were sent again. Otherwise the next message with its
    /// record would take its place in a queue, before older ones.
    #[cold]
    #[inline(never)]
    fn leave_queues(&mut self, record: u32) {
        self.ready.remove(record);
        self.waiting.remove(record);
    }

    /// Takes a command of the driver, and begins to end the messages that it is about.
    #[cold]
    pub(super) fn begin_command(&mut self, dev: &mut impl Device, word: u32) {
        self.command = Some(word);
        self.weigh();
        self.left_from = 0;
        let mut next = 0;
        while let Some(record) = self.under_way.next(next) {
            next = record + 1;
            self.is_left(dev, record, word);
        }
    }

    /// Begins to end a message, if a command is about it. True if the message is still there.
    fn is_left(&mut self, dev: &mut impl Device, record: u32, word: u32) -> bool {
        let sent = self.record(record);
        if is_close(word) {
            self.fail(dev, record, Failure::Cancelled, 0);
            return true;
        }
        let node = dev.get(sent, record::NODE_NUMBER) & 0xFFFF;
        if !is_restart(word) || node != restarted_peer(word).0 {
            return false;
        }
        self.fail(dev, record, Failure::PeerRestarted, stage::QUIET);
        // The peer does not know the message any more, so it is not told.
        let state = dev.get(sent, record::STATE);
        match state & stage::MASK {
            stage::ABORTING => self.end(dev, record, (state >> stage::STAT_SHIFT) as u8),
            stage::FAILING => dev.put(sent, record::STATE, state | stage::QUIET),
            _ => {}
        }
        self.under_way.has(record)
    }

    /// Passes a command on when the messages that it is about have ended.
    ///
    /// There may be many of them. So a turn looks only at the first that is left, and at all again
    /// when none is: a message that was held may have begun meanwhile.
    #[cold]
    pub(super) fn obey(&mut self, dev: &mut impl Device) -> bool {
        let Some(word) = self.command else { return false };
        let is_whole = self.left_from == 0;
        while let Some(record) = self.under_way.next(self.left_from) {
            if self.is_left(dev, record, word) {
                return false;
            }
            self.left_from = record + 1;
        }
        self.left_from = 0;
        if !is_whole {
            return true;
        }
        if self.to_transmitter.room(dev) == 0 {
            return false;
        }
        if is_restart(word) {
            let (peer, _) = restarted_peer(word);
            self.forget_numbers(dev, peer);
            self.forget_path(dev, peer);
            dev.trace(Marker::NumbersForgotten, peer);
        }
        self.to_transmitter.push(dev, SenderToTransmitter::Command { word }.words());
        self.command = None;
        self.weigh();
        true
    }
}
