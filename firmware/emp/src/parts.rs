//! The four parts and the queues between them.

use nic_device::{rarely, Device, Words};
use nic_handoff::Queue;
use nic_layout::ring::{Event, MAILBOX_FILLED};
use nic_matching::Posted;

use crate::frame::Frame;
use crate::messages::{
    ReceiverToSorter, ReceiverToTransmitter, SenderToTransmitter, SorterToReceiver, SorterToSender,
    TransmitterToReceiver, TransmitterToSender,
};
use crate::neighbours::{Receives, Transmits};
use crate::pages::Pages;
use crate::places::{PagePlaces, Places, Settings};
use crate::receiver::{self, Receiver};
use crate::sender::{self, Sender};
use crate::sorter::{self, Sorter};
use crate::transmitter::{self, Transmitter};

type Between<const N: usize, const LOG2: u32> = Queue<N, LOG2>;

/// The queues between the parts, in the order of their places.
macro_rules! queues {
    ($($name:ident: $message:ident,)*) => {
        struct Queues { $($name: Between<{ $message::WORDS }, { $message::LOG2 }>,)* }

        impl Queues {
            const BYTES: u32 = 0 $(+ Self::bytes(Between::<{ $message::WORDS }, { $message::LOG2 }>::bytes()))*;

            const fn bytes(bytes: u32) -> u32 {
                bytes.next_multiple_of(8)
            }

            fn at(words: &impl Words, mut offset: u32) -> Queues {
                $(
                    let $name = Queue::at(words, offset);
                    offset += Self::bytes(Between::<{ $message::WORDS }, { $message::LOG2 }>::bytes());
                )*
                let _ = offset;
                Queues { $($name,)* }
            }

            fn clear(&self, words: &mut impl Words) {
                $(self.$name.clear(words);)*
            }
        }
    };
}

queues! {
    sender_to_transmitter: SenderToTransmitter,
    transmitter_to_sender: TransmitterToSender,
    receiver_to_transmitter: ReceiverToTransmitter,
    transmitter_to_receiver: TransmitterToReceiver,
    sorter_to_sender: SorterToSender,
    sorter_to_receiver: SorterToReceiver,
    receiver_to_sorter: ReceiverToSorter,
}

/// Bytes of SRAM that the queues take.
pub const QUEUES_BYTES: u32 = Queues::BYTES;

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

/// The share of a core that sending has.
///
/// A core that sends as much as it receives falls behind with receiving, since acknowledgements
/// come on top of the frames. Then frames wait for longer than the time-outs of their collections.
/// So while more than a few wait, only one turn in eight sends.
#[derive(Clone, Copy, Debug)]
struct Share(u32);

impl Share {
    /// More frames than this are many.
    const FEW: u16 = 4;
    /// One turn of so many sends.
    const TURNS: u32 = 8;

    /// Whether a frame may be sent. `waiting`: frames that have arrived.
    #[inline(always)]
    fn has_turn(&mut self, waiting: u16) -> bool {
        if waiting <= Share::FEW {
            return true;
        }
        rarely();
        self.0 = self.0.wrapping_add(1);
        self.0 % Share::TURNS == 0
    }
}

/// All parts on one core. `P`: how the sorter finds posted receives. `A`: what addresses are.
#[repr(C)]
pub struct Parts<P, A> {
    rare: Rare,
    share: Share,
    sender: Sender,
    transmitter: Transmitter<A>,
    receiver: Receiver<A>,
    sorter: Sorter<P>,
}

impl<P: Posted, A: Pages> Parts<P, A> {
    /// The events that the parts serve, one bit each.
    pub const EVENTS: u32 = Event::MacRx.bit()
        | Event::DmaWrite.bit()
        | Event::DmaRead.bit()
        | Event::MacTx.bit()
        | Event::Mailbox.bit()
        | Self::RARE_EVENTS;

    /// Events of frames that arrive or have left. They wake the core: each turn looks for both.
    const FRAME_EVENTS: u32 = Event::MacRx.bit() | Event::MacTx.bit();

    const RARE_EVENTS: u32 = Event::Timer0.bit() | Event::DmaError.bit() | Event::Work.bit();

    /// Before [`Self::start`]. `posted`: nothing is posted.
    pub const fn nowhere(posted: P) -> Parts<P, A> {
        Parts {
            sender: Sender::NOWHERE,
            transmitter: Transmitter::nowhere(),
            receiver: Receiver::nowhere(),
            sorter: Sorter::nowhere(posted),
            rare: Rare::Nothing,
            share: Share(0),
        }
    }

    /// Makes the parts ready, and gives all receive buffers to the MAC. `pages`: where pages are
    /// looked up, and the pages of host memory. `sessions`: of each peer.
    pub fn start(
        &mut self,
        dev: &mut impl Device,
        settings: &Settings,
        places: &Places,
        (page_places, host_pages): (&PagePlaces, u32),
        sessions: impl Fn(u32) -> u8 + Copy,
    ) {
        let pages = A::start(dev, page_places, host_pages);
        let queues = Queues::at(dev, places.queues);
        queues.clear(dev);
        let sides = sender::Sides {
            from_sorter: queues.sorter_to_sender.reader(dev),
            from_transmitter: queues.transmitter_to_sender.reader(dev),
            to_transmitter: queues.sender_to_transmitter.writer(dev),
        };
        self.sender.start(dev, sides, settings, places);
        let sides = transmitter::Sides {
            from_sender: queues.sender_to_transmitter.reader(dev),
            from_receiver: queues.receiver_to_transmitter.reader(dev),
            to_sender: queues.transmitter_to_sender.writer(dev),
            to_receiver: queues.transmitter_to_receiver.writer(dev),
        };
        self.transmitter.start(dev, sides, settings, places, sessions);
        let sides = receiver::Sides {
            from_sorter: queues.sorter_to_receiver.reader(dev),
            from_transmitter: queues.transmitter_to_receiver.reader(dev),
            to_transmitter: queues.receiver_to_transmitter.writer(dev),
            to_sorter: queues.receiver_to_sorter.writer(dev),
        };
        self.receiver.start(dev, sides, settings, places);
        pages.reset(dev, page_places);
        (self.transmitter.pages, self.receiver.pages) = (pages, pages);
        let sides = sorter::Sides {
            from_receiver: queues.receiver_to_sorter.reader(dev),
            to_receiver: queues.sorter_to_receiver.writer(dev),
            to_sender: queues.sorter_to_sender.writer(dev),
        };
        self.sorter.start(dev, sides, settings, places, sessions);
        for buffer in 0..settings.receive_buffers {
            dev.recycle(places.receive_buffers + buffer * settings.buffer_bytes);
        }
    }

    /// Whether there is work beside pending events. If there is none, the core may sleep until one
    /// of [`Self::EVENTS`].
    #[inline(always)]
    pub fn has_work(&mut self, dev: &mut impl Device) -> bool {
        if self.rare != Rare::Nothing {
            rarely();
            return self.rare == Rare::Ready;
        }
        if self.sorter.has_frame(dev) {
            return true;
        }
        if !self.sender.has_frame() {
            return false;
        }
        // Otherwise the compiler loads what this needs before it looks for a frame.
        rarely();
        self.sender.has_room(dev, &mut self.transmitter)
    }

    /// Serves the pending events, and does some of the work that waits.
    ///
    /// Most turns have a frame that arrives, or a frame that leaves, and nothing else. Whatever
    /// else waits, a part has raised [`Event::Work`]: then all queues and parts are looked at until
    /// they are calm.
    #[inline(always)]
    pub fn turn(&mut self, dev: &mut impl Device, pending: u32) {
        if pending != 0 {
            // Events are cleared before their causes are looked at: what comes later makes them
            // pending again (INV-10).
            dev.clear_all(pending);
            if pending & !Self::FRAME_EVENTS != 0 {
                self.on_events(dev, pending);
            }
        }
        // Frames that arrive, and room for frames that leave, are looked for in each turn.
        if self.rare != Rare::Nothing {
            rarely();
            return self.turn_stirred(dev);
        }
        let Parts { sender, transmitter, receiver, sorter, .. } = self;
        let frames = sorter.frames(dev);
        if frames != 0 {
            sorter.take_frame(dev, &mut ReceiverWith { receiver, transmitter }, sender);
        }
        if sender.has_frame() && self.share.has_turn(frames) && sender.has_room(dev, transmitter) {
            sender.issue(dev, transmitter);
        }
        #[cfg(not(target_arch = "riscv32"))]
        assert!(
            dev.pending() & Event::Work.bit() != 0 || self.is_calm(),
            "something rare waits, and no part has raised the event of work"
        );
    }

    /// Serves the events other than [`Self::FRAME_EVENTS`].
    #[inline(always)]
    fn on_events(&mut self, dev: &mut impl Device, pending: u32) {
        if pending & Event::DmaWrite.bit() != 0 {
            self.receiver.on_writes(dev, &mut self.transmitter, &mut self.sorter);
        }
        if pending & Event::Mailbox.bit() != 0 {
            self.on_mailboxes(dev);
        }
        if pending & Event::DmaRead.bit() != 0 {
            self.transmitter.on_reads(dev);
        }
        if pending & Self::RARE_EVENTS != 0 {
            rarely();
            self.on_rare(dev, pending);
        }
    }

    #[inline(always)]
    fn on_mailboxes(&mut self, dev: &mut impl Device) {
        let written = dev.take_mailboxes(Sender::MAILBOXES | Sorter::<P>::MAILBOXES | A::MAILBOXES);
        if written & Sender::MAILBOXES != 0 {
            self.sender.on_mailboxes(dev, &mut self.transmitter, written);
        }
        if written & Sorter::<P>::MAILBOXES != 0 {
            if self.rare != Rare::Nothing {
                // A receive that has ended may be posted again.
                rarely();
                self.sorter.hear(dev);
            }
            self.sorter.on_mailboxes(dev, written);
        }
        if A::MAY_MISS && written & A::MAILBOXES != 0 {
            rarely();
            self.on_filled(dev);
        }
    }

    /// The driver has answered misses: what waits for pages goes on.
    #[cold]
    fn on_filled(&mut self, dev: &mut impl Device) {
        let consumer = dev.mailbox(MAILBOX_FILLED);
        self.transmitter.pages.on_filled(dev, consumer);
        self.transmitter.pages.wake();
        self.receiver.pages.wake();
        self.transmitter.stir(dev);
    }

    /// Whether nothing waits but frames.
    fn is_calm(&self) -> bool {
        let Parts { sender, transmitter, receiver, sorter, .. } = self;
        sender.is_calm()
            && transmitter.is_calm()
            && receiver.is_calm()
            && sorter.is_calm()
            && sender.from_sorter.is_level(&sorter.to_sender)
            && sender.from_transmitter.is_level(&transmitter.to_sender)
            && transmitter.from_sender.is_level(&sender.to_transmitter)
            && transmitter.from_receiver.is_level(&receiver.to_transmitter)
            && receiver.from_sorter.is_level(&sorter.to_receiver)
            && receiver.from_transmitter.is_level(&transmitter.to_receiver)
            && sorter.from_receiver.is_level(&receiver.to_sorter)
    }

    /// A turn that looks at all queues and parts.
    #[cold]
    #[inline(never)]
    fn turn_stirred(&mut self, dev: &mut impl Device) {
        let Parts { sender, transmitter, receiver, sorter, .. } = self;
        if transmitter.pages.take_wake() {
            sender.wake();
        }
        // In this order a frame goes through all parts that it needs, in one turn.
        let mut is_busy = sorter.turn(dev);
        let mut with = ReceiverWith { receiver: &mut *receiver, transmitter: &mut *transmitter };
        if sorter.has_frame(dev) && sorter.has_room::<_, Sender>(dev, &mut with) {
            sorter.take_frame(dev, &mut with, sender);
            is_busy = true;
        }
        is_busy |= receiver.turn::<Sorter<P>>(dev, transmitter);
        is_busy |= sender.turn(dev, transmitter);
        if sender.has_frame() && sender.has_room(dev, transmitter) {
            sender.issue(dev, transmitter);
            is_busy = true;
        }
        is_busy |= transmitter.turn::<Sender>(dev);
        let is_calm = self.is_calm();
        self.sender.is_stirred = !is_calm;
        (self.transmitter.is_stirred, self.receiver.is_stirred) = (!is_calm, !is_calm);
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
            self.sender.on_timer(dev);
        }
        if pending & Event::DmaError.bit() != 0 {
            self.transmitter.on_reads(dev);
            self.receiver.on_writes(dev, &mut self.transmitter, &mut self.sorter);
        }
    }
}

/// The receiver on the core of the sorter, with the transmitter that it reaches.
struct ReceiverWith<'a, T, A> {
    receiver: &'a mut Receiver<A>,
    transmitter: &'a mut T,
}

impl<T: Transmits, A: Pages> Receives for ReceiverWith<'_, T, A> {
    const IS_HERE: bool = true;

    #[inline(always)]
    fn is_ready(&mut self, dev: &mut impl Device) -> bool {
        self.receiver.is_ready(dev)
    }

    #[inline(always)]
    fn begin(&mut self, dev: &mut impl Device, record: u32, frame: &Frame) {
        self.receiver.begin(dev, self.transmitter, record, frame);
    }

    #[inline(always)]
    fn go_on(&mut self, dev: &mut impl Device, record: u32, frame: &Frame) {
        self.receiver.go_on(dev, self.transmitter, record, frame);
    }
}
