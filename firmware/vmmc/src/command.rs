//! Commands of the driver: each is obeyed at once and answered when all DMA posted before it has ended (INV-19, INV-36).

use nic_layout::counter::Counter;
use nic_layout::ring::{
    COMMAND_ASSIGN, COMMAND_CLOSE, COMMAND_FENCE, COMMAND_FORGET_BUFFER, COMMAND_INVALIDATE, COMMAND_MASK,
    MAILBOX_ARGUMENT, MAILBOX_COMMAND_DONE,
};
use nic_layout::trace::Marker;
use nic_layout::vmh::{key_line_page, key_pid};

use crate::{Machine, Tables};
use nic_device::Device;

/// What the end of a transfer may be awaited for: a command, which waits for its answer, and fetches of translations (fetch.rs). One word says both, so
/// that transfers that nobody awaits look once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fence {
    pub(crate) awaited: u8,
    command: u32,
    reads: u32,
    writes: u32,
}

impl Fence {
    pub(crate) const EMPTY: Fence = Fence { awaited: 0, command: 0, reads: 0, writes: 0 };
    const COMMAND: u8 = 1;
    const FETCHES: u8 = 2;

    pub(crate) fn await_fetches(&mut self, awaited: bool) {
        self.awaited = self.awaited & !Self::FETCHES | if awaited { Self::FETCHES } else { 0 };
    }
}

impl<T: Tables> Machine<T> {
    pub(crate) fn on_command(&mut self, dev: &mut impl Device, command: u32) {
        dev.trace(Marker::Command, command);
        let legal = (COMMAND_FENCE..=COMMAND_ASSIGN).contains(&(command & COMMAND_MASK));
        if self.fence.awaited & Fence::COMMAND != 0 || !legal {
            dev.count(Counter::MailboxesWild);
            return;
        }
        dev.count(Counter::Commands);
        match command & COMMAND_MASK {
            COMMAND_INVALIDATE => {
                self.tables.invalidate(dev, key_pid(command), key_line_page(command));
                // Whoever waited for that line must ask again.
                self.wake(self.parked | self.blocked);
            }
            COMMAND_FORGET_BUFFER => {
                self.tables.forget_buffer(dev, dev.mailbox(MAILBOX_ARGUMENT));
                // Whoever waited for its descriptor must ask again.
                self.wake(self.parked | self.blocked);
            }
            COMMAND_CLOSE => self.close_slot(dev, (command >> 4) as usize & 0xF),
            COMMAND_ASSIGN => self.assign_queue(dev, (command >> 4) as usize & 0xF),
            _ => {}
        }
        let awaited = self.fence.awaited | Fence::COMMAND;
        self.fence = Fence { awaited, command, reads: self.reads.next_number(), writes: self.writes.next_number() };
        self.check_fence(dev);
    }

    #[inline(always)]
    pub(crate) fn check_fence(&mut self, dev: &mut impl Device) {
        if self.fence.awaited != 0 {
            self.attend_to_ends(dev);
        }
    }

    #[cold]
    #[inline(never)]
    fn attend_to_ends(&mut self, dev: &mut impl Device) {
        if self.fence.awaited & Fence::FETCHES != 0 {
            // Before the answer: a line that the command took away is not filled any more.
            self.end_fetches(dev);
        }
        if self.fence.awaited & Fence::COMMAND == 0 {
            return;
        }
        if self.reads.has_ended(self.fence.reads) && self.writes.has_ended(self.fence.writes) {
            self.fence.awaited &= !Fence::COMMAND;
            dev.to_host(MAILBOX_COMMAND_DONE, self.fence.command);
        }
    }
}
