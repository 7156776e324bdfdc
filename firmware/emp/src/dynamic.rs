//! The scheme `dynamic`: two halves of EMP, which the core that is free runs.
//!
//! The halves are those of [`Dsr`]: sender and transmitter, sorter and receiver. Their states and
//! their devices lie in SRAM. [`nic_handoff::Dispatcher`] decides which core runs a half.

use crate::machine::Machine;
use crate::schemes::{Dsr, Scheme};
use crate::sender::Sender;
use crate::sorter::Sorter;
use nic_device::{Device, Place, SharedDevice, Words};
use nic_handoff::Dispatcher;
use nic_layout::ring::Event;
use nic_layout::trace::Marker;

/// The half that sends: sender and transmitter.
pub const SENDING: u32 = 0;
/// The half that receives: sorter and receiver.
pub const RECEIVING: u32 = 1;

/// The half that sends.
pub type Sending<P> = <Dsr as Scheme>::A<P>;
/// The half that receives.
pub type Receiving<P> = <Dsr as Scheme>::B<P>;

/// Software events of the halves, one bit each.
mod bit {
    /// An entry of the other half waits.
    pub const ENTRY: [u32; 2] = [1 << 18, 1 << 19];
    /// The host has written a mailbox.
    pub const MAILBOX: [u32; 2] = [1 << 20, 1 << 21];
    /// An engine has stopped at an error.
    pub const ERROR: [u32; 2] = [1 << 22, 1 << 23];
}

/// Events of the hardware that concern one half.
const HARDWARE: [u32; 2] = [Event::DmaRead.bit() | Event::MacTx.bit(), Event::MacRx.bit() | Event::DmaWrite.bit()];
/// Events of timers. They belong to core A.
const TIMERS: u32 = Event::Timer0.bit() | Event::Timer1.bit();

/// The events of each half, one bit each, as the cores know them.
pub const EVENTS: [u32; 2] = [
    HARDWARE[0] | TIMERS | bit::ENTRY[0] | bit::MAILBOX[0] | bit::ERROR[0],
    HARDWARE[1] | bit::ENTRY[1] | bit::MAILBOX[1] | bit::ERROR[1],
];
/// Those of them that become pending in one core.
pub const SINGLE: u32 = (EVENTS[0] | EVENTS[1]) & !(HARDWARE[0] | HARDWARE[1]);
/// Events of the hardware that may concern either half.
pub const COMMON: u32 = Event::Mailbox.bit() | Event::DmaError.bit();
/// The event by which a core tells the other one to look.
pub const BELL: u32 = Event::Entry.bit();

/// Which events of the halves follow from [`COMMON`] events. `written`: the mailboxes, one bit
/// each.
#[inline(always)]
pub fn split(common: u32, written: u32) -> u32 {
    let mut events = 0;
    if written & Sender::MAILBOXES != 0 {
        events |= bit::MAILBOX[0];
    }
    // The mailboxes are the same with each search.
    if written & Sorter::<nic_matching::Linear>::MAILBOXES != 0 {
        events |= bit::MAILBOX[1];
    }
    if common & Event::DmaError.bit() != 0 {
        nic_device::rarely();
        events |= bit::ERROR[0] | bit::ERROR[1];
    }
    events
}

/// The events of a half as its parts know them.
#[inline(always)]
fn of_parts<const HALF: u32>(events: u32) -> u32 {
    let half = HALF as usize & 1;
    // One shift each: a bit of the half, to the bit of the parts.
    let moved = |from: u32, to: Event| (events & from) >> (from.trailing_zeros() - to.bit().trailing_zeros());
    events & (HARDWARE[half] | TIMERS)
        | moved(bit::ENTRY[half], Event::Entry)
        | moved(bit::MAILBOX[half], Event::Mailbox)
        | moved(bit::ERROR[half], Event::DmaError)
}

/// A half: its device, and its parts.
#[repr(C)]
pub struct Half<const HALF: u32, D, M> {
    device: OfHalf<HALF, D>,
    machine: M,
}

impl<const HALF: u32, D: SharedDevice, M: Machine> Half<HALF, D, M> {
    /// Before its parts begin. `device`: before it begins, too.
    pub const fn nowhere(device: D) -> Half<HALF, D, M> {
        Half { device: OfHalf { raised: 0, device }, machine: M::NOWHERE }
    }

    /// The device.
    pub fn device(&mut self) -> &mut D {
        &mut self.device.device
    }

    /// The parts with the device, to make them ready.
    pub fn parts(&mut self) -> (&mut M, &mut OfHalf<HALF, D>) {
        (&mut self.machine, &mut self.device)
    }

    /// Serves events. Whether the half has work without a further event.
    #[inline(always)]
    pub fn turn(&mut self, events: u32) -> bool {
        let Half { machine, device } = self;
        let events = of_parts::<HALF>(events) | device.raised;
        machine.turn(device, events);
        device.raised != 0 || machine.has_work(device)
    }

    /// Runs the half until it has no more work. The core has claimed it, and gives it back
    /// afterwards.
    #[inline(always)]
    pub fn run<E: nic_handoff::Events>(&mut self, dispatcher: &Dispatcher, cores: &mut E, mut events: u32) {
        loop {
            let has_work = self.turn(events);
            match dispatcher.go_on(cores, HALF, has_work) {
                Some(more) => events = more,
                None => break,
            }
        }
    }
}

/// The device of a half. Events that its parts raise stay with the half, whichever core runs it
/// next. What they tell the other half of is an event of that half.
#[repr(C)]
pub struct OfHalf<const HALF: u32, D> {
    raised: u32,
    device: D,
}

impl<const HALF: u32, D: SharedDevice> Words for OfHalf<HALF, D> {
    #[inline(always)]
    fn read(&self, offset_bytes: u32) -> u32 {
        self.device.read(offset_bytes)
    }

    #[inline(always)]
    fn write(&mut self, offset_bytes: u32, value: u32) {
        self.device.write(offset_bytes, value);
    }

    #[inline(always)]
    fn place(&self, offset_bytes: u32) -> Place {
        self.device.place(offset_bytes)
    }

    #[inline(always)]
    fn get(&self, place: Place, distance_bytes: u32) -> u32 {
        Words::get(&self.device, place, distance_bytes)
    }

    #[inline(always)]
    fn put(&mut self, place: Place, distance_bytes: u32, value: u32) {
        Words::put(&mut self.device, place, distance_bytes, value);
    }
}

/// Methods that the device of a half leaves to the device of the NIC.
macro_rules! passed_on {
    ($($name:ident(&self $(, $argument:ident: $type:ty)*) $(-> $returned:ty)?;)*) => {
        $(#[inline(always)]
        fn $name(&self $(, $argument: $type)*) $(-> $returned)? {
            self.device.$name($($argument),*)
        })*
    };
    (mut $($name:ident(&mut self $(, $argument:ident: $type:ty)*) $(-> $returned:ty)?;)*) => {
        $(#[inline(always)]
        fn $name(&mut self $(, $argument: $type)*) $(-> $returned)? {
            self.device.$name($($argument),*)
        })*
    };
}

impl<const HALF: u32, D: SharedDevice> Device for OfHalf<HALF, D> {
    #[inline(always)]
    fn step<const ID: u8>(&mut self) {
        self.device.step::<ID>();
    }

    #[inline(always)]
    fn pending(&self) -> u32 {
        self.raised
    }

    #[inline(always)]
    fn raise(&mut self, event: Event) {
        self.raised |= event.bit();
    }

    #[inline(always)]
    fn clear(&mut self, event: Event) {
        self.raised &= !event.bit();
    }

    #[inline(always)]
    fn clear_all(&mut self, events: u32) {
        // The core has cleared the others before.
        self.raised &= !events;
    }

    #[inline(always)]
    fn tell(&mut self) {
        self.device.set_in_core_a(bit::ENTRY[HALF as usize & 1 ^ 1]);
    }

    #[inline(always)]
    fn set_timer(&mut self, timer: usize, due: u32) {
        self.device.set_timer_of_core_a(timer, due);
    }

    const SHARES_FRAMES: bool = D::SHARES_FRAMES;

    passed_on! {
        now(&self) -> u32;
        counters(&self) -> Place;
        is_rung(&self, slot: usize) -> bool;
        doorbell(&self, slot: usize) -> u32;
        written_mailboxes(&self, of: u32) -> u32;
        mailbox(&self, index: usize) -> u32;
        dma_read_consumer(&self) -> u16;
        dma_read_halted(&self) -> bool;
        dma_write_consumer(&self) -> u16;
        dma_write_halted(&self) -> bool;
        transmit_consumer(&self) -> u16;
        receive_consumer(&self) -> u16;
        received(&self, index: u16) -> (u32, u32);
        receive_room(&self) -> u32;
    }

    passed_on! { mut
        trace(&mut self, marker: Marker, argument: u32);
        count_at(&mut self, sram_address: u32);
        wake_on(&mut self, events: u32);
        take_doorbell(&mut self) -> Option<usize>;
        clear_mailboxes(&mut self, boxes: u32);
        to_host(&mut self, index: usize, value: u32);
        post_dma_read(&mut self, index: u32, bus_address: u32, sram_address: u32, control: u32);
        resume_dma_read(&mut self);
        post_dma_write(&mut self, index: u32, bus_address: u32, sram_address: u32, control: u32);
        resume_dma_write(&mut self);
        place_transmit(&mut self, index: u32, sram_address: u32, length_bytes: u32);
        claim_transmit(&mut self, own: u32) -> u32;
        send_apart(&mut self, sram_address: u32, length_bytes: u32) -> Option<u32>;
        release_transmit(&mut self);
        shorten_transmit(&mut self, index: u16, length_bytes: u32);
        expect(&mut self, index: u16);
        recycle(&mut self, sram_address: u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nic_matching::Linear;

    #[test]
    fn no_event_of_a_half_is_left_out_and_none_has_two_meanings() {
        let sets = [EVENTS[0], EVENTS[1], COMMON, BELL];
        for (n, one) in sets.iter().enumerate() {
            for other in &sets[n + 1..] {
                assert_eq!(one & other, 0);
            }
        }
        let own = Event::Work.bit();
        assert_eq!(of_parts::<0>(EVENTS[0]) | own, Sending::<Linear>::EVENTS);
        // The half that receives has no timers.
        assert_eq!(of_parts::<1>(EVENTS[1]) | own, Receiving::<Linear>::EVENTS);
    }

    #[test]
    fn a_mailbox_is_an_event_of_the_half_that_reads_it() {
        for index in 0..8 {
            let halves = [Sender::MAILBOXES, Sorter::<Linear>::MAILBOXES].map(|of| of >> index & 1);
            let events = split(Event::Mailbox.bit(), 1 << index);
            assert_eq!([0, 1].map(|half| u32::from(events & EVENTS[half] != 0)), halves);
        }
    }
}
