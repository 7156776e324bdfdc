//! The queues between the parts.

use nic_device::Words;
use nic_handoff::Queue;

use crate::messages::{
    ReceiverToSorter, ReceiverToTransmitter, SenderToTransmitter, SorterToReceiver, SorterToSender,
    TransmitterToReceiver, TransmitterToSender,
};
use crate::{receiver, sender, sorter, transmitter};

type Between<const N: usize, const LOG2: u32> = Queue<N, LOG2>;

/// The queues between the parts, in the order of their places.
macro_rules! queues {
    ($($name:ident: $message:ident,)*) => {
        /// All queues. Each core has this value.
        pub struct Queues { $($name: Between<{ $message::WORDS }, { $message::LOG2 }>,)* }

        impl Queues {
            const BYTES: u32 = 0 $(+ Self::bytes(Between::<{ $message::WORDS }, { $message::LOG2 }>::bytes()))*;

            const fn bytes(bytes: u32) -> u32 {
                bytes.next_multiple_of(8)
            }

            /// The queues from an SRAM offset on.
            pub(crate) fn at(words: &impl Words, mut offset: u32) -> Queues {
                $(
                    let $name = Queue::at(words, offset);
                    offset += Self::bytes(Between::<{ $message::WORDS }, { $message::LOG2 }>::bytes());
                )*
                let _ = offset;
                Queues { $($name,)* }
            }

            /// Makes all queues empty. Call once, before any part begins.
            pub(crate) fn clear(&self, words: &mut impl Words) {
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

impl Queues {
    pub(crate) fn of_sender(&self, words: &impl Words) -> sender::Sides {
        sender::Sides {
            from_sorter: self.sorter_to_sender.reader(words),
            from_transmitter: self.transmitter_to_sender.reader(words),
            to_transmitter: self.sender_to_transmitter.writer(words),
        }
    }

    pub(crate) fn of_transmitter(&self, words: &impl Words) -> transmitter::Sides {
        transmitter::Sides {
            from_sender: self.sender_to_transmitter.reader(words),
            from_receiver: self.receiver_to_transmitter.reader(words),
            to_sender: self.transmitter_to_sender.writer(words),
            to_receiver: self.transmitter_to_receiver.writer(words),
        }
    }

    pub(crate) fn of_receiver(&self, words: &impl Words) -> receiver::Sides {
        receiver::Sides {
            from_sorter: self.sorter_to_receiver.reader(words),
            from_transmitter: self.transmitter_to_receiver.reader(words),
            to_transmitter: self.receiver_to_transmitter.writer(words),
            to_sorter: self.receiver_to_sorter.writer(words),
        }
    }

    pub(crate) fn of_sorter(&self, words: &impl Words) -> sorter::Sides {
        sorter::Sides {
            from_receiver: self.receiver_to_sorter.reader(words),
            to_receiver: self.sorter_to_receiver.writer(words),
            to_sender: self.sorter_to_sender.writer(words),
        }
    }
}
