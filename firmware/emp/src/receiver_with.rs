//! The receiver as the sorter reaches it, on the same core or not.

use core::marker::PhantomData;

use nic_device::Device;

use crate::elsewhere::Slot;
use crate::frame::Frame;
use crate::neighbours::{First, Receives, Transmits};
use crate::pages::Pages;
use crate::receiver::Receiver;

/// Whether the receiver runs on a core.
pub trait Here {
    /// Whether it does.
    const IS_HERE: bool;
}

impl<A> Here for Receiver<A> {
    const IS_HERE: bool = true;
}

impl Here for crate::Elsewhere {
    const IS_HERE: bool = false;
}

/// The receiver as the sorter's core has it, with the transmitter that it reaches.
pub struct ReceiverWith<'a, R, T, A> {
    pub receiver: &'a mut R,
    pub transmitter: &'a mut T,
    pub addresses: PhantomData<A>,
}

impl<R: Slot<Receiver<A>> + Here, T: Transmits, A: Pages> Receives for ReceiverWith<'_, R, T, A> {
    const IS_HERE: bool = R::IS_HERE;

    #[inline(always)]
    fn is_ready(&mut self, dev: &mut impl Device) -> bool {
        self.receiver.here().is_some_and(|receiver| receiver.is_ready::<T>(dev))
    }

    /// A core that has all parts has other work while the data are on their way.
    const ENDS_AT_ONCE: bool = R::IS_HERE && !T::IS_HERE;

    #[inline(always)]
    fn is_allowed(&mut self) -> bool {
        self.transmitter.is_allowed()
    }

    #[inline(always)]
    fn allow(&mut self, frames: u32) {
        self.transmitter.allow(frames);
    }

    #[inline(always)]
    fn place_first(&mut self, dev: &mut impl Device, record: u32, frame: &Frame) -> First {
        self.receiver.here().map_or(First::NOTHING, |receiver| receiver.place_first(dev, record, frame))
    }

    #[inline(always)]
    fn begin(&mut self, dev: &mut impl Device, record: u32, frame: &Frame, first: First) {
        if let Some(receiver) = self.receiver.here() {
            receiver.begin(dev, self.transmitter, record, frame, first);
        }
    }

    #[inline(always)]
    fn end_whole(&mut self, dev: &mut impl Device, record: u32, frame: &Frame, length: u32) -> bool {
        self.receiver.here().is_some_and(|receiver| receiver.end_whole(dev, self.transmitter, record, frame, length))
    }

    #[inline(always)]
    fn go_on(&mut self, dev: &mut impl Device, record: u32, frame: &Frame) {
        if let Some(receiver) = self.receiver.here() {
            receiver.go_on(dev, self.transmitter, record, frame);
        }
    }
}
