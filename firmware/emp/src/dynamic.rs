//! The scheme `dynamic`: two halves of EMP. Core A runs both while that is enough, and lends one to
//! core B.
//!
//! The halves are those of [`Dsr`]: sender and transmitter, sorter and receiver. State and device
//! of the half that is lent go from core to core. [`nic_handoff::Lender`] decides which core runs
//! it.

use crate::machine::Machine;
use crate::schemes::{Dsr, Scheme};
use crate::sender::Sender;
use crate::sorter::Sorter;
use nic_device::{Device, Place, SharedDevice, Words};
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

/// Software events of a half, as its parts know them.
const SOFTWARE: u32 = Event::Work.bit() | Event::Entry.bit();
/// Those of the half that receives are other bits in the cores, so many further up.
const SHIFT: [u32; 2] = [0, 2];

/// The events of each half, one bit each, as the cores know them. Timers belong to core A.
pub const EVENTS: [u32; 2] = [
    Event::DmaRead.bit() | Event::MacTx.bit() | Event::Timer0.bit() | Event::Timer1.bit() | SOFTWARE,
    Event::MacRx.bit() | Event::DmaWrite.bit() | SINGLE,
];
/// Those of the half that receives that become pending in one core.
pub const SINGLE: u32 = SOFTWARE << SHIFT[RECEIVING as usize];
/// Events of the hardware that may concern either half.
pub const COMMON: u32 = Event::Mailbox.bit() | Event::DmaError.bit();
/// The event by which a core says that the half that receives now belongs to the other core.
pub const BELL: u32 = 1 << 20;
/// The event of the timer by which core B measures its rest.
pub const RESTED: u32 = Event::Timer2.bit();
/// Core B keeps the half for so long without work, in core clocks: some round trips, so that core A
/// does not get it between two messages.
pub const REST_CYCLES: u32 = 20_000;

/// Which halves [`COMMON`] events concern, one bit each. `written`: the mailboxes, one bit each.
pub fn concerned(common: u32, written: u32) -> u32 {
    let has_error = common & Event::DmaError.bit() != 0;
    let is_concerned = |mailboxes: u32| u32::from(has_error || written & mailboxes != 0);
    // The mailboxes are the same with each search.
    is_concerned(Sender::MAILBOXES) << SENDING | is_concerned(Sorter::<nic_matching::Linear>::MAILBOXES) << RECEIVING
}

/// The events of a half as its parts know them.
#[inline(always)]
fn of_parts<const HALF: u32>(events: u32) -> u32 {
    let shift = SHIFT[HALF as usize & 1];
    events & !(SOFTWARE << shift) | (events >> shift & SOFTWARE)
}

/// The other way round.
#[inline(always)]
fn of_cores<const HALF: u32>(events: u32) -> u32 {
    events & !SOFTWARE | (events & SOFTWARE) << SHIFT[HALF as usize & 1]
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
        Half { device: OfHalf { device }, machine: M::NOWHERE }
    }

    /// The device.
    pub fn device(&mut self) -> &mut D {
        &mut self.device.device
    }

    /// The parts with the device, to make them ready.
    pub fn parts(&mut self) -> (&mut M, &mut OfHalf<HALF, D>) {
        (&mut self.machine, &mut self.device)
    }

    /// Serves events.
    #[inline(always)]
    pub fn turn(&mut self, events: u32) {
        self.machine.turn(&mut self.device, of_parts::<HALF>(events));
    }

    /// Whether the half has work without a further event.
    #[inline(always)]
    pub fn has_work(&mut self) -> bool {
        self.machine.has_work(&mut self.device)
    }
}

/// The device of a half. Events that its parts raise are events of the half in the core that runs
/// it. What they tell the other half of is an event of that half.
#[repr(C)]
pub struct OfHalf<const HALF: u32, D> {
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
        of_parts::<HALF>(self.device.pending())
    }

    #[inline(always)]
    fn raise(&mut self, event: Event) {
        self.device.set(of_cores::<HALF>(event.bit()));
    }

    #[inline(always)]
    fn clear(&mut self, event: Event) {
        self.device.clear_all(of_cores::<HALF>(event.bit()));
    }

    #[inline(always)]
    fn clear_all(&mut self, _events: u32) {
        // The core has cleared them before.
    }

    #[inline(always)]
    fn tell(&mut self) {
        self.device.set_in_core_a(Event::Entry.bit() << SHIFT[HALF as usize & 1 ^ 1]);
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
        let sets = [EVENTS[0], EVENTS[1], COMMON, BELL, RESTED];
        for (n, one) in sets.iter().enumerate() {
            for other in &sets[n + 1..] {
                assert_eq!(one & other, 0);
            }
        }
        assert_eq!(of_parts::<0>(EVENTS[0] | COMMON), Sending::<Linear>::EVENTS);
        // The half that receives has no timers.
        assert_eq!(of_parts::<1>(EVENTS[1] | COMMON), Receiving::<Linear>::EVENTS);
        assert_eq!(of_cores::<1>(of_parts::<1>(EVENTS[1])), EVENTS[1]);
    }

    #[test]
    fn a_mailbox_is_an_event_of_the_half_that_reads_it() {
        for index in 0..8 {
            let halves = [Sender::MAILBOXES, Sorter::<Linear>::MAILBOXES].map(|of| of >> index & 1);
            let concerned = concerned(Event::Mailbox.bit(), 1 << index);
            assert_eq!([SENDING, RECEIVING].map(|half| concerned >> half & 1), halves);
        }
    }
}
