//! A core and the parts that run on it.

use core::marker::PhantomData;

use nic_device::{rarely, Device};
use nic_handoff::{Reader, Writer};
use nic_layout::personality::emp::{MAILBOX_CANCEL_RECEIVE, MAILBOX_CANCEL_SEND, MAILBOX_SEND};
use nic_layout::plant::{is_planted, Plant};
use nic_layout::ring::{Event, MAILBOX_COMMAND, MAILBOX_FILLED};
use nic_matching::Posted;

use crate::elsewhere::Slot;
use crate::neighbours::{Entry, Sends, Sorts, Transmits};
use crate::pages::Pages;
use crate::places::{PagePlaces, Places, Settings};
use crate::queues::Queues;
use crate::receiver::{Receiver, ENTRIES};
use crate::receiver_with::{Here, ReceiverWith};
use crate::sender::Sender;
use crate::sorter::Sorter;
use crate::transmitter::Transmitter;

/// What waits beside frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Rare {
    /// Nothing.
    Nothing,
    /// Something that can be done.
    Ready,
    /// Something that needs an event.
    Blocked,
}

/// Events of frames that arrive or have left, and of entries of the other core. They wake the core:
/// each turn looks for all of them.
const FRAME_EVENTS: u32 = Event::MacRx.bit() | Event::MacTx.bit() | Event::Entry.bit();

/// Answers of peers that one turn serves at most, where the sorter runs on the other core.
const ANSWERS_OF_A_TURN: u32 = 3;

/// A core: sender, transmitter, receiver and sorter, each of them the part itself or
/// [`Elsewhere`](crate::Elsewhere). `P`: how the sorter finds posted receives. `A`: what addresses
/// are.
#[repr(C)]
pub struct Core<S, T, R, O, P, A> {
    rare: Rare,
    /// Whether an entry may wait in a queue from the other core.
    has_entries: bool,
    sender: S,
    transmitter: T,
    receiver: R,
    sorter: O,
    types: PhantomData<(P, A)>,
}

/// All parts on one core.
pub type Parts<P, A> = Core<Sender, Transmitter<A>, Receiver<A>, Sorter<P>, P, A>;

/// Clears the queues between the parts, and gives all receive buffers to the MAC. One core does
/// this, before any part begins.
pub fn prepare(dev: &mut impl Device, settings: &Settings, places: &Places) {
    Queues::at(dev, places.queues).clear(dev);
    for buffer in 0..settings.receive_buffers {
        dev.recycle(places.receive_buffers + buffer * settings.buffer_bytes);
    }
}

/// The loop of a core.
pub trait Machine: Sized {
    /// Before [`Self::start`].
    const NOWHERE: Self;
    /// The events that the core serves, one bit each.
    const EVENTS: u32;

    /// Makes the parts of the core ready. [`prepare`] was called. `pages`: where pages are looked
    /// up, and the pages of host memory. `sessions`: of each peer.
    fn start(
        &mut self,
        dev: &mut impl Device,
        settings: &Settings,
        places: &Places,
        pages: (&PagePlaces, u32),
        sessions: impl Fn(u32) -> u8 + Copy,
    );

    /// Whether there is work beside pending events. If there is none, the core may sleep until one
    /// of [`Self::EVENTS`].
    fn has_work(&mut self, dev: &mut impl Device) -> bool;

    /// Serves the pending events, and does some of the work that waits. `pending` has no other
    /// events than [`Self::EVENTS`].
    ///
    /// Most turns have a frame that arrives, or a frame that leaves, and nothing else. Whatever
    /// else waits, a part has raised [`Event::Work`]: then all queues and parts are looked at until
    /// they are calm.
    fn turn(&mut self, dev: &mut impl Device, pending: u32);
}

impl<S, T, R, O, P, A> Machine for Core<S, T, R, O, P, A>
where
    S: Slot<Sender> + Sends,
    T: Slot<Transmitter<A>> + Transmits,
    R: Slot<Receiver<A>> + Here,
    O: Slot<Sorter<P>> + Sorts,
    P: Posted,
    A: Pages,
{
    const NOWHERE: Self = Core {
        sender: S::NOWHERE,
        transmitter: T::NOWHERE,
        receiver: R::NOWHERE,
        sorter: O::NOWHERE,
        rare: Rare::Nothing,
        has_entries: true,
        types: PhantomData,
    };

    const EVENTS: u32 = Self::RARE_EVENTS
        | if O::IS_HERE { Event::MacRx.bit() } else { 0 }
        | if R::IS_HERE { Event::DmaWrite.bit() } else { 0 }
        | if T::IS_HERE { Event::DmaRead.bit() | Event::MacTx.bit() } else { 0 }
        | if Self::MAILBOXES != 0 { Event::Mailbox.bit() } else { 0 }
        | if Self::IS_ALONE { 0 } else { Event::Entry.bit() };

    fn start(
        &mut self,
        dev: &mut impl Device,
        settings: &Settings,
        places: &Places,
        (page_places, host_pages): (&PagePlaces, u32),
        sessions: impl Fn(u32) -> u8 + Copy,
    ) {
        let pages = A::start(dev, page_places, host_pages);
        pages.reset(dev, page_places);
        let queues = Queues::at(dev, places.queues);
        if let Some(sender) = self.sender.here() {
            sender.start(dev, queues.of_sender(dev), settings, places);
        }
        if let Some(transmitter) = self.transmitter.here() {
            transmitter.start(dev, queues.of_transmitter(dev), settings, places, sessions);
            transmitter.pages = pages;
        }
        self.transmitter.start_apart(dev, settings, places, sessions);
        if let Some(receiver) = self.receiver.here() {
            receiver.start(dev, queues.of_receiver(dev), settings, places);
            receiver.pages = pages;
        }
        if let Some(sorter) = self.sorter.here() {
            sorter.start(dev, queues.of_sorter(dev), settings, places, sessions);
        }
    }

    #[inline(always)]
    fn has_work(&mut self, dev: &mut impl Device) -> bool {
        if self.rare != Rare::Nothing {
            rarely();
            return self.rare == Rare::Ready;
        }
        if !Self::IS_ALONE && self.has_entries {
            return true;
        }
        if self.sorter.look().is_some_and(|sorter| sorter.has_frame(dev)) {
            return true;
        }
        let Core { sender, transmitter, .. } = self;
        let Some(sender) = sender.here().filter(|sender| sender.has_frame()) else { return false };
        // Otherwise the compiler loads what this needs before it looks for a frame.
        rarely();
        // A core that waits for room in a queue to the other core looks again and again. The other
        // core does not sleep before it has made room.
        !T::IS_HERE || sender.has_room(dev, transmitter)
    }

    #[inline(always)]
    fn turn(&mut self, dev: &mut impl Device, pending: u32) {
        if pending != 0 {
            // Events are cleared before their causes are looked at: what comes later makes them
            // pending again (INV-10).
            dev.clear_all(pending);
            if !Self::IS_ALONE && pending & Event::Entry.bit() != 0 {
                self.has_entries = true;
            }
            if pending & !FRAME_EVENTS != 0 {
                self.on_events(dev, pending);
            }
        }
        if !Self::IS_ALONE && self.has_entries && self.rare == Rare::Nothing {
            self.take_entries(dev);
        }
        // Frames that arrive, and room for frames that leave, are looked for in each turn.
        if self.rare != Rare::Nothing {
            rarely();
            return self.turn_stirred(dev);
        }
        let Core { sender, transmitter, receiver, sorter, .. } = self;
        let mut frames = 0;
        if let Some(sorter) = sorter.here() {
            frames = sorter.frames(dev);
            let mut receiver = ReceiverWith { receiver, transmitter, addresses: PhantomData::<A> };
            if frames != 0 && (Self::IS_ALONE || sorter.has_room::<_, S>(dev, &mut receiver)) {
                sorter.take_frame(dev, &mut receiver, sender);
            }
        }
        if let Some(sender) = sender.here() {
            let may_send = |sorter: &Sorter<P>| sorter.allows_sending_beside(frames);
            if sender.has_frame() && sorter.look().is_none_or(may_send) && sender.has_room(dev, transmitter) {
                sender.issue(dev, transmitter);
            }
        }
        #[cfg(not(target_arch = "riscv32"))]
        assert!(
            dev.pending() & Event::Work.bit() != 0 || self.is_calm(),
            "something rare waits, and no part has raised the event of work"
        );
    }
}

impl<S, T, R, O, P, A> Core<S, T, R, O, P, A>
where
    S: Slot<Sender> + Sends,
    T: Slot<Transmitter<A>> + Transmits,
    R: Slot<Receiver<A>> + Here,
    O: Slot<Sorter<P>> + Sorts,
    P: Posted,
    A: Pages,
{
    const RARE_EVENTS: u32 = Event::Work.bit()
        | if S::IS_HERE { Event::Timer0.bit() | Event::Timer1.bit() } else { 0 }
        | if T::IS_HERE || R::IS_HERE { Event::DmaError.bit() } else { 0 };

    const MAILBOXES: u32 = if S::IS_HERE { Sender::MAILBOXES } else { 0 }
        | if O::IS_HERE { Sorter::<P>::MAILBOXES } else { 0 }
        | if T::IS_HERE { A::MAILBOXES } else { 0 };

    /// Whether all parts run here.
    const IS_ALONE: bool = S::IS_HERE && T::IS_HERE && R::IS_HERE && O::IS_HERE;

    /// Whether most messages end in the turn of their frame.
    const ENDS_AT_ONCE: bool = O::IS_HERE && R::IS_HERE && !T::IS_HERE;

    /// Whether a posted send may be taken. A short message leaves in the same turn.
    #[inline(always)]
    fn may_take_send(&self, dev: &impl Device) -> bool {
        !S::IS_HERE || self.sorter.look().is_none_or(|sorter| sorter.allows_sending(dev))
    }

    /// Serves the events other than [`FRAME_EVENTS`].
    #[inline(always)]
    fn on_events(&mut self, dev: &mut impl Device, pending: u32) {
        if pending & Event::DmaWrite.bit() != 0 {
            if Self::ENDS_AT_ONCE {
                self.on_writes_apart(dev);
                // The receiver may have pushed an entry, or stirred something.
                self.transmitter.allow(0);
            } else {
                self.on_writes(dev);
            }
        }
        if pending & Event::Mailbox.bit() != 0 {
            let mut written = dev.written_mailboxes(Self::MAILBOXES);
            if written & 1 << MAILBOX_SEND != 0 && !self.may_take_send(dev) {
                // The host waits, and the event stays.
                rarely();
                written &= !(1 << MAILBOX_SEND);
                dev.raise(Event::Mailbox);
            }
            // The mailboxes of the other core make the same event.
            if Self::IS_ALONE || S::IS_HERE && written != 0 {
                self.on_mailboxes(dev, written);
                if S::IS_HERE && !O::IS_HERE {
                    // Answers came meanwhile, and the sender has taken one: the queues are looked
                    // at in this turn, not in another one.
                    dev.clear(Event::Entry);
                    self.has_entries = true;
                }
            } else if written != 0 {
                self.on_mailboxes_apart(dev, written);
            }
        }
        if pending & Event::DmaRead.bit() != 0 {
            if let Some(transmitter) = self.transmitter.here() {
                transmitter.on_reads(dev);
            }
        }
        if pending & Self::RARE_EVENTS != 0 {
            rarely();
            self.on_rare(dev, pending);
        }
    }

    #[inline(always)]
    fn on_mailboxes(&mut self, dev: &mut impl Device, written: u32) {
        // The host waits until these are cleared before it writes the next number: they are read
        // first.
        dev.clear_mailboxes(written & !(1 << MAILBOX_CANCEL_SEND | 1 << MAILBOX_CANCEL_RECEIVE));
        if written & Sender::MAILBOXES != 0 {
            if let Some(sender) = self.sender.here() {
                match O::IS_HERE {
                    true => sender.on_mailboxes::<false>(dev, &mut self.transmitter, written),
                    false => sender.on_mailboxes::<true>(dev, &mut self.transmitter, written),
                }
            }
        }
        if written & Sorter::<P>::MAILBOXES != 0 {
            if let Some(sorter) = self.sorter.here() {
                // A receive that has ended may be posted again.
                if !R::IS_HERE {
                    sorter.hear_all(dev);
                } else if self.rare != Rare::Nothing {
                    rarely();
                    sorter.hear(dev);
                }
                sorter.on_mailboxes(dev, written);
            }
        }
        if A::MAY_MISS && written & 1 << MAILBOX_COMMAND != 0 {
            rarely();
            self.obey(dev);
        }
        if A::MAY_MISS && written & A::MAILBOXES != 0 {
            rarely();
            self.on_filled(dev);
        }
    }

    /// Obeys a command of the driver, as far as it is about pages.
    #[cold]
    fn obey(&mut self, dev: &mut impl Device) {
        let word = dev.mailbox(MAILBOX_COMMAND);
        if let Some(receiver) = self.receiver.here() {
            receiver.pages.obey(dev, word);
        }
        if let Some(transmitter) = self.transmitter.here() {
            transmitter.pages.obey(dev, word);
        }
    }

    /// The driver has answered misses: what waits for pages goes on.
    #[cold]
    fn on_filled(&mut self, dev: &mut impl Device) {
        let consumer = dev.mailbox(MAILBOX_FILLED);
        if let Some(receiver) = self.receiver.here() {
            receiver.pages.wake();
        }
        if let Some(transmitter) = self.transmitter.here() {
            transmitter.pages.on_filled(dev, consumer);
            transmitter.pages.wake();
            transmitter.stir(dev);
        }
    }

    #[inline(always)]
    fn on_writes(&mut self, dev: &mut impl Device) {
        if let Some(receiver) = self.receiver.here() {
            receiver.on_writes(dev, &mut self.transmitter, &mut self.sorter);
        }
    }

    /// The same on a core that ends most messages earlier. The linker script says where it lies:
    /// core B may have no room for it in its scratchpad.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text.writes")]
    fn on_writes_apart(&mut self, dev: &mut impl Device) {
        self.on_writes(dev);
    }

    /// The same on the core without the sender. The linker script says where it lies.
    #[inline(never)]
    #[cfg_attr(target_arch = "riscv32", link_section = ".fast.text.posts")]
    fn on_mailboxes_apart(&mut self, dev: &mut impl Device, written: u32) {
        self.on_mailboxes(dev, written);
    }

    /// Serves an entry of each queue from the other core.
    ///
    /// The event of the other core was cleared before. So an entry that is not seen here makes it
    /// pending again.
    #[inline(always)]
    fn take_entries(&mut self, dev: &mut impl Device) {
        let Core { sender, transmitter, receiver, sorter, .. } = self;
        let mut left = Entry::None;
        if let (Some(sorter), false) = (sorter.here(), R::IS_HERE) {
            sorter.hear_all(dev);
        }
        if let Some(receiver) = receiver.here() {
            if !O::IS_HERE {
                left = left.max(receiver.take_entry(dev, transmitter));
            }
            if !T::IS_HERE && !receiver.from_transmitter.is_empty(dev) {
                left = Entry::Rare;
            }
        }
        if let Some(transmitter) = transmitter.here() {
            if !R::IS_HERE {
                left = left.max(transmitter.take_answer(dev));
            }
            if !S::IS_HERE {
                left = left.max(transmitter.take_entry(dev));
            }
        }
        if let Some(sender) = sender.here() {
            if !O::IS_HERE {
                // Answers come in bursts. A turn has its own cost.
                let mut entry = Entry::None;
                for _ in 0..ANSWERS_OF_A_TURN {
                    entry = sender.take_entry(dev);
                    if entry != Entry::Frequent {
                        break;
                    }
                }
                left = left.max(entry);
            }
            if !T::IS_HERE && !sender.from_transmitter.is_empty(dev) {
                left = Entry::Rare;
            }
        }
        self.has_entries = left != Entry::None;
        if left == Entry::Rare {
            rarely();
            self.rare = Rare::Ready;
        }
    }

    /// Whether nothing waits but frames and entries of the other core.
    fn is_calm(&self) -> bool {
        let (sender, transmitter) = (self.sender.look(), self.transmitter.look());
        let (receiver, sorter) = (self.receiver.look(), self.sorter.look());
        sender.is_none_or(Sender::is_calm)
            && transmitter.is_none_or(Transmitter::is_calm)
            && receiver.is_none_or(Receiver::is_calm)
            && sorter.is_none_or(Sorter::is_calm)
            && is_level(sender.map(|it| &it.from_sorter), sorter.map(|it| &it.to_sender))
            && is_level(sender.map(|it| &it.from_transmitter), transmitter.map(|it| &it.to_sender))
            && is_level(transmitter.map(|it| &it.from_sender), sender.map(|it| &it.to_transmitter))
            && is_level(transmitter.map(|it| &it.from_receiver), receiver.map(|it| &it.to_transmitter))
            && is_level(receiver.map(|it| &it.from_sorter), sorter.map(|it| &it.to_receiver))
            && is_level(receiver.map(|it| &it.from_transmitter), transmitter.map(|it| &it.to_receiver))
            && is_level(sorter.map(|it| &it.from_receiver), receiver.map(|it| &it.to_sorter))
    }

    /// Whether a part may wait for room in a queue to the other core.
    fn is_clogged(&mut self, dev: &mut impl Device) -> bool {
        let mut has_room = true;
        if let (Some(sender), false) = (self.sender.here(), T::IS_HERE) {
            has_room &= sender.to_transmitter.has_room(dev, 1);
        }
        if let Some(transmitter) = self.transmitter.here() {
            has_room &= S::IS_HERE || transmitter.to_sender.has_room(dev, 1);
            has_room &= R::IS_HERE || transmitter.to_receiver.has_room(dev, 1);
        }
        if let Some(receiver) = self.receiver.here() {
            has_room &= T::IS_HERE || receiver.to_transmitter.has_room(dev, ENTRIES);
            has_room &= O::IS_HERE || receiver.to_sorter.has_room(dev, ENTRIES);
        }
        if let Some(sorter) = self.sorter.here() {
            has_room &= R::IS_HERE || sorter.to_receiver.has_room(dev, 1);
            has_room &= S::IS_HERE || sorter.to_sender.has_room(dev, 1);
        }
        !has_room
    }

    /// A turn that looks at all queues and parts.
    #[cold]
    #[inline(never)]
    fn turn_stirred(&mut self, dev: &mut impl Device) {
        // The frame that waits may have to stay behind an open one.
        self.transmitter.allow(0);
        let Core { sender, transmitter, receiver, sorter, .. } = self;
        if let (Some(transmitter), Some(sender)) = (transmitter.here(), sender.here()) {
            if transmitter.pages.take_wake() {
                sender.wake();
            }
        }
        // In this order a frame goes through all parts that it needs, in one turn.
        let mut is_busy = false;
        if let Some(sorter) = sorter.here() {
            is_busy = sorter.turn(dev);
            let mut with =
                ReceiverWith { receiver: &mut *receiver, transmitter: &mut *transmitter, addresses: PhantomData::<A> };
            if sorter.has_frame(dev) && sorter.has_room::<_, S>(dev, &mut with) {
                sorter.take_frame(dev, &mut with, sender);
                is_busy = true;
            }
        }
        if let Some(receiver) = receiver.here() {
            is_busy |= receiver.turn::<O>(dev, transmitter);
        }
        if let Some(sender) = sender.here() {
            is_busy |= sender.turn(dev, transmitter);
            if sender.has_frame() && sender.has_room(dev, transmitter) {
                sender.issue(dev, transmitter);
                is_busy = true;
            }
        }
        if let Some(transmitter) = transmitter.here() {
            is_busy |= transmitter.turn::<S>(dev);
        }
        let is_calm = self.is_calm();
        if let Some(sender) = self.sender.here() {
            sender.is_stirred = !is_calm;
        }
        self.transmitter.allow(0);
        if let Some(transmitter) = self.transmitter.here() {
            transmitter.is_stirred = !is_calm;
        }
        if let Some(receiver) = self.receiver.here() {
            receiver.is_stirred = !is_calm;
        }
        if !Self::IS_ALONE {
            // Parts do not tell of what they say rarely.
            if !is_planted(Plant::LostBell) {
                dev.tell();
            }
            is_busy |= self.is_clogged(dev);
            // What stayed in a queue of the other core makes no event.
            self.has_entries = true;
        }
        self.rare = match (is_calm, is_busy) {
            (true, _) => Rare::Nothing,
            (false, true) => Rare::Ready,
            (false, false) => Rare::Blocked,
        };
    }

    #[cold]
    #[inline(never)]
    fn on_rare(&mut self, dev: &mut impl Device, pending: u32) {
        if pending & Event::Work.bit() != 0 {
            self.rare = Rare::Ready;
        }
        if pending & Event::Timer0.bit() != 0 {
            if let Some(sender) = self.sender.here() {
                let waits = self.sorter.look().is_some_and(|sorter| sorter.has_frame(dev));
                sender.on_timer(dev, waits);
            }
        }
        if pending & Event::Timer1.bit() != 0 {
            if let Some(sender) = self.sender.here() {
                sender.on_pace(dev);
            }
        }
        if pending & Event::DmaError.bit() != 0 {
            if let Some(transmitter) = self.transmitter.here() {
                transmitter.on_reads(dev);
            }
            if let Some(receiver) = self.receiver.here() {
                receiver.on_writes(dev, &mut self.transmitter, &mut self.sorter);
            }
        }
    }
}

/// Whether a queue whose sides are both here is empty. What the other core writes or reads is not
/// looked at.
#[inline(always)]
fn is_level<const N: usize, const LOG2: u32>(
    reader: Option<&Reader<N, LOG2>>,
    writer: Option<&Writer<N, LOG2>>,
) -> bool {
    match (reader, writer) {
        (Some(reader), Some(writer)) => reader.is_level(writer),
        _ => true,
    }
}
