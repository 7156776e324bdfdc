//! A part on the other core.

use nic_device::{rarely, Device};
use nic_matching::Posted;

use crate::answers_apart::AnswersApart;
use crate::messages::Answer;
use crate::neighbours::{Header, Sends, Sorts, Transmits};
use crate::pages::Pages;
use crate::places::{Places, Settings};
use crate::receiver::Receiver;
use crate::sender::Sender;
use crate::sorter::Sorter;
use crate::transmitter::Transmitter;

/// The place of a part in a core: the part itself, or [`Elsewhere`].
pub trait Slot<Part>: Sized {
    /// Before the part begins.
    const NOWHERE: Self;
    /// The part, if it runs on this core.
    fn here(&mut self) -> Option<&mut Part>;
    /// The same.
    fn look(&self) -> Option<&Part>;
}

/// In place of a part that runs on the other core. What a core would call it for goes by a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elsewhere;

/// What stands for a part has none.
macro_rules! absent {
    ($type:ty, $nowhere:expr, $part:ty, $([$($bound:tt)*])?) => {
        impl $(<$($bound)*>)? Slot<$part> for $type {
            const NOWHERE: $type = $nowhere;

            #[inline(always)]
            fn here(&mut self) -> Option<&mut $part> {
                None
            }

            #[inline(always)]
            fn look(&self) -> Option<&$part> {
                None
            }
        }
    };
}

macro_rules! slots {
    ($($part:ty: $nowhere:expr, $([$($bound:tt)*])?;)*) => {
        $(
            impl $(<$($bound)*>)? Slot<$part> for $part {
                const NOWHERE: $part = $nowhere;

                #[inline(always)]
                fn here(&mut self) -> Option<&mut $part> {
                    Some(self)
                }

                #[inline(always)]
                fn look(&self) -> Option<&$part> {
                    Some(self)
                }
            }

            absent!(Elsewhere, Elsewhere, $part, $([$($bound)*])?);
        )*
    };
}

slots! {
    Sender: Sender::NOWHERE,;
    Transmitter<A>: Transmitter::nowhere(), [A: Pages];
    Receiver<A>: Receiver::nowhere(), [A: Pages];
    Sorter<P>: Sorter::nowhere(P::NOWHERE), [P: Posted];
}

absent!(AnswersApart, AnswersApart::NOWHERE, Transmitter<A>, [A: Pages]);

/// What a transmitter on the other core cannot do.
macro_rules! not_here {
    () => {
        const IS_HERE: bool = false;
        const MAY_MISS: bool = false;
        type Asked = ();

        fn is_ready(&mut self, _dev: &mut impl Device) -> bool {
            false
        }

        fn ask(&mut self, _dev: &mut impl Device, _record: u32, _frame: u32, _length: u32) -> Option<()> {
            None
        }

        fn ask_page(&mut self, _dev: &mut impl Device, _record: u32, _address: u32, _bytes: u32) -> Option<()> {
            None
        }

        fn load_list(&mut self, _dev: &mut impl Device, _record: u32, _address: u32) {}

        fn close(&mut self, _dev: &mut impl Device, _asked: (), _header: Header) {}
    };
}

impl Transmits for Elsewhere {
    not_here!();

    fn answer(&mut self, _dev: &mut impl Device, _kind: Answer, _node: u32, _numbers: u32) -> bool {
        false
    }
}

impl Transmits for AnswersApart {
    not_here!();

    fn start_apart(
        &mut self,
        dev: &mut impl Device,
        settings: &Settings,
        places: &Places,
        sessions: impl Fn(u32) -> u8,
    ) {
        self.start(dev, settings, places, sessions);
    }

    #[inline(always)]
    fn is_allowed(&mut self) -> bool {
        let is_allowed = self.allowed != 0;
        self.allowed = self.allowed.wrapping_sub(u32::from(is_allowed));
        is_allowed
    }

    #[inline(always)]
    fn allow(&mut self, frames: u32) {
        self.allowed = frames;
    }

    fn greet_apart(&mut self, peer: u32, session: u8) {
        self.addresses.set_session(peer, session);
    }

    #[inline(always)]
    fn answer(&mut self, dev: &mut impl Device, kind: Answer, node: u32, numbers: u32) -> bool {
        let is_sent = kind == Answer::Ack && self.send(dev, node, numbers);
        if !is_sent {
            rarely();
            self.allowed = 0;
        }
        is_sent
    }
}

impl Sends for Elsewhere {
    const IS_HERE: bool = false;

    fn has_room(&mut self, _dev: &mut impl Device, _node: u32, _room: u32) {}

    fn answered(&mut self, _dev: &mut impl Device, _kind: Answer, _node: u32, _numbers: u32) {}
}

impl Sorts for Elsewhere {
    const IS_HERE: bool = false;

    fn completed(&mut self, _dev: &mut impl Device, _node: u32, _number: u16) {}
}
