//! The order of service.
//!
//! A turn looks at the pending events once, and serves at most one of each class: received frames, doorbells, frames to be repeated, replies, frames to
//! be sent, other events. So what a message waits for comes first; among the others, and among what is put off, whoever waits is served before another is
//! served twice (INV-37).

use nic_device::rarely;
use nic_layout::counter::Counter;
use nic_layout::ring::{Event, MAILBOX_ARGUMENT, MAILBOX_COMMAND, MAILBOX_FILLED, MAILBOX_NOTIFIED};
use nic_layout::trace::Marker;

use crate::{Machine, Tables};
use nic_device::Device;

/// Acknowledgements, those that data frames have brought and those that are owed, and the ends of posts give way to other work for so many turns: nothing
/// waits for them as a message waits for its frame, a data frame may carry the acknowledgement, and one status write may tell of several posts.
const PUT_OFF_TURNS: u32 = 4;

/// When a message has come, its process may be about to send an answer; when a piece of one has, the next piece is about to come. For a while the ends of host
/// writes and timers give way to that, and the event loop looks for it ([`Machine::awaits_answer`]): what else is to be done would take longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    NotAwaited,
    /// Nobody has looked yet.
    Awaited,
    /// It will be, when the data are in host memory.
    NotYet,
}

/// Data of so many bytes are in host memory before the core can do anything else.
pub(crate) const SHORT_BYTES: u32 = 128;

/// While no more host writes are under way, or have ended and were not seen to: those of a page in pieces.
const UNHEEDED_WRITES_MAX: u32 = 12;

impl<T: Tables> Machine<T> {
    /// Events that the protocol wants.
    pub const EVENTS: u32 = Event::MacRx.bit()
        | Event::DmaWrite.bit()
        | Event::DmaRead.bit()
        | Event::Mailbox.bit()
        | Event::Doorbell.bit()
        | Event::Timer0.bit()
        | Event::Timer1.bit()
        | Event::DmaError.bit();

    /// Those that give way to a frame or an answer that is about to come.
    pub const PATIENT: u32 = Event::DmaWrite.bit() | Event::Timer0.bit() | Event::Timer1.bit();

    /// Serves some of the pending events, and sends a frame if there is one to send. False if there was nothing to do: the caller may wait for an
    /// event.
    #[inline(always)]
    pub fn turn(&mut self, dev: &mut impl Device, pending: u32) -> bool {
        if pending & Event::MacRx.bit() != 0 {
            dev.clear(Event::MacRx);
            self.on_receive(dev);
        }
        let mut is_accepted = false;
        let (slot, is_new) = 'next: {
            if pending & Event::Doorbell.bit() != 0 {
                dev.clear(Event::Doorbell);
                let slot;
                (is_accepted, slot) = self.on_doorbell(dev);
                if slot.is_some() {
                    break 'next (slot, true);
                }
            }
            rarely();
            if self.jobs | self.link.resending() != 0 && !self.unasked_stalled {
                self.send_unasked(dev);
            }
            (self.queue.pop(), false)
        };
        if let Some(slot) = slot {
            self.send_one(dev, slot, is_new);
        }
        if is_accepted {
            dev.count(Counter::DoorbellsServed);
            dev.count(Counter::DoorbellsAccepted);
        }

        let mut others = pending & Self::EVENTS & !(Event::MacRx.bit() | Event::Doorbell.bit());
        let mut unheeded = 0;
        if others & Self::PATIENT != 0 {
            if self.waits_for_answer(dev, pending) {
                others &= !Self::PATIENT;
            } else if others & Event::DmaWrite.bit() != 0 && !self.awaits_writes() {
                unheeded = Event::DmaWrite.bit();
                others &= !unheeded;
            }
        }
        if others != 0 {
            self.serve_other(dev, others);
        }
        // As it is now: what was pending was served. But who may send an answer comes first.
        let pending = if self.awaits_answer() { pending } else { dev.pending() };
        let is_idle = pending & Self::EVENTS & !unheeded == 0 && !self.has_work();
        if self.has_put_off() {
            self.put_off_turns += 1;
            if !is_idle && self.put_off_turns < PUT_OFF_TURNS {
                return true;
            }
            self.catch_up(dev);
            if self.has_put_off() || self.has_work() {
                return true;
            }
        }
        if is_idle {
            self.choose_wakes(dev);
        }
        !is_idle
    }

    /// Whether the caller may look at events for a while, for others than those of [`Self::PATIENT`], and be quick when one comes.
    #[inline(always)]
    pub fn awaits_answer(&self) -> bool {
        self.answer == Answer::Awaited
    }

    /// Whether [`Self::PATIENT`] events give way to an answer, or to a piece, in this turn.
    #[inline(always)]
    fn waits_for_answer(&mut self, dev: &impl Device, pending: u32) -> bool {
        match self.answer {
            Answer::NotAwaited => return false,
            Answer::Awaited if pending & Event::MacRx.bit() == 0 => {
                self.answer = Answer::NotAwaited;
                return false;
            }
            Answer::Awaited => {}
            Answer::NotYet => {
                if dev.dma_write_consumer() == self.writes.next_number() as u16 {
                    self.answer = Answer::Awaited;
                }
            }
        }
        self.writes.under_way() <= UNHEEDED_WRITES_MAX
    }

    /// Whether the end of a host write would let something go on. If it would not, as most often after that of a status page, it is seen to with the next one.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn awaits_writes(&self) -> bool {
        !self.writes.has_ended(self.writes.data_mark())
            || self.status_dirty | self.blocked != 0
            || self.receive_stalled
            || self.fence.awaited != 0
            || self.notifications.is_behind()
    }

    /// Says which events end the wait that follows.
    #[inline(always)]
    fn choose_wakes(&mut self, dev: &mut impl Device) {
        let wakes = if self.awaits_writes() { Self::EVENTS } else { Self::EVENTS & !Event::DmaWrite.bit() };
        if wakes != self.wakes {
            self.wakes = wakes;
            dev.wake_on(wakes);
        }
    }

    /// Ends what a peer has acknowledged, which may end posts, and does one of the other things that were put off: an end and an acknowledgement in turn.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn catch_up(&mut self, dev: &mut impl Device) {
        self.put_off_turns = 0;
        if self.link.has_deferred() {
            self.process_deferred(dev);
            if dev.pending() & (Event::MacRx.bit() | Event::Doorbell.bit()) != 0 {
                return;
            }
        }
        self.ack_is_next = !self.ack_is_next;
        if !self.ack_is_next || self.link.acks_due() == 0 {
            if let Some(slot) = self.unsettled.pop() {
                return self.settle(dev, slot);
            }
        }
        if let Some(node) = self.link.next_ack_due() {
            self.link.send_ack(dev, &mut self.reads, node);
        }
    }

    #[inline(always)]
    fn has_put_off(&self) -> bool {
        self.unsettled.waiting() | self.link.put_off() != 0
    }

    #[inline(always)]
    fn has_work(&self) -> bool {
        !self.queue.is_empty() || (self.jobs | self.link.resending() != 0 && !self.unasked_stalled)
    }

    /// A frame that goes again, and a reply.
    #[cold]
    #[inline(never)]
    fn send_unasked(&mut self, dev: &mut impl Device) {
        if self.link.resending() != 0 {
            self.resend_one(dev);
        }
        if self.jobs != 0 && !self.unasked_stalled {
            self.reply_one(dev);
        }
    }

    /// Clears an event before it is served: what happens meanwhile makes it pending again (INV-10). Frames and doorbells have markers of their own, and
    /// are cleared without.
    #[inline(always)]
    fn take(&mut self, dev: &mut impl Device, event: Event) {
        dev.clear(event);
        dev.trace(Marker::Dispatch, event as u32);
    }

    /// Serves one of some events: the first of those that were passed over, if there are any.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text")]
    fn serve_other(&mut self, dev: &mut impl Device, events: u32) {
        let candidates = self.passed_over.first_of(events);
        let served = if candidates & Event::DmaWrite.bit() != 0 {
            Event::DmaWrite
        } else if candidates & Event::DmaRead.bit() != 0 {
            Event::DmaRead
        } else {
            rare(candidates)
        };
        self.passed_over.chose(candidates, served.bit());
        self.take(dev, served);
        match served {
            Event::DmaWrite => self.on_dma_write(dev),
            Event::DmaRead => self.on_dma_read(dev),
            _ => self.serve_rare(dev, served),
        }
    }

    #[cold]
    #[inline(never)]
    fn serve_rare(&mut self, dev: &mut impl Device, event: Event) {
        match event {
            Event::Mailbox => self.on_mailbox(dev),
            Event::DmaError => self.on_dma_error(dev),
            Event::Timer0 => self.on_retransmit_timer(dev),
            _ => self.on_ack_timer(dev),
        }
    }

    fn on_mailbox(&mut self, dev: &mut impl Device) {
        let written = dev.take_mailboxes();
        if written & (1 << MAILBOX_FILLED) != 0 {
            let consumer = dev.mailbox(MAILBOX_FILLED);
            self.on_filled(dev, consumer);
        }
        if written & (1 << MAILBOX_COMMAND) != 0 {
            let command = dev.mailbox(MAILBOX_COMMAND);
            self.on_command(dev, command);
        }
        if written & (1 << MAILBOX_NOTIFIED) != 0 {
            let consumer = dev.mailbox(MAILBOX_NOTIFIED);
            self.on_notified(dev, consumer);
        }
        // An argument says nothing before its command.
        const KNOWN: u32 = 1 << MAILBOX_FILLED | 1 << MAILBOX_COMMAND | 1 << MAILBOX_NOTIFIED | 1 << MAILBOX_ARGUMENT;
        if written & !KNOWN != 0 {
            dev.count(Counter::MailboxesWild);
        }
    }
}

/// The first of some events that are rare.
#[cold]
fn rare(events: u32) -> Event {
    let first = [Event::Mailbox, Event::DmaError, Event::Timer0].into_iter().find(|event| events & event.bit() != 0);
    first.unwrap_or(Event::Timer1)
}
