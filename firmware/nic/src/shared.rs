//! What both cores have in the scheme `dynamic` of EMP: the halves with their devices, and the
//! events by which core A lends one to core B (docs/emp.md, Two cores).

use core::sync::atomic::{compiler_fence, Ordering};

use nic_device::SharedDevice;
use nic_emp::dynamic::{self, Half, Receiving, Sending, RECEIVING, SENDING};
use nic_handoff::Events;
use nic_layout::registers::{event_a, event_b, mailbox, timer, timer_b};
use nic_layout::trace::Marker;

use crate::chip::{Chip, ALONE};
use crate::matching::Matching;
use crate::memory::{load, store, trace, wait_for_event};

/// The device of a half on the core with a number. Its fields are the same on both cores.
type Lent<const FRAMES: u32> = Chip<ALONE, FRAMES>;

/// Sender and transmitter.
pub type SendingHalf = Half<SENDING, Lent<1>, Sending<Matching>>;
/// Sorter and receiver, on the core whose number plus one is `FRAMES`. The words are the same on
/// both cores.
pub type ReceivingHalf<const FRAMES: u32> = Half<RECEIVING, Lent<FRAMES>, Receiving<Matching>>;

/// The half that receives, before it begins.
pub const fn receiving_nowhere<const FRAMES: u32>() -> ReceivingHalf<FRAMES> {
    Half::nowhere(Chip::NOWHERE)
}

/// The half that sends, before it begins.
pub const fn sending_nowhere() -> SendingHalf {
    Half::nowhere(Chip::NOWHERE)
}

impl<const FRAMES: u32> SharedDevice for Lent<FRAMES> {
    #[inline(always)]
    fn set(&mut self, events: u32) {
        store(event_a::SET, events);
    }

    #[inline(always)]
    fn set_in_core_a(&mut self, events: u32) {
        match FRAMES {
            1 => store(event_a::SET, events),
            _ => store(event_b::SET, events),
        }
    }

    #[inline(always)]
    fn set_timer_of_core_a(&mut self, number: usize, due: u32) {
        let compare = if FRAMES == 1 { timer::COMPARE.get(number) } else { timer_b::COMPARE.get(number) };
        if let Some(compare) = compare {
            store(compare, due);
        }
    }
}

/// The events of both cores: to each core the first block is its own.
pub struct Registers;

impl Events for Registers {
    const OF: [u32; 2] = dynamic::EVENTS;
    const SINGLE: u32 = dynamic::SINGLE;
    const COMMON: u32 = dynamic::COMMON;
    const BELL: u32 = dynamic::BELL;
    const RESTED: u32 = dynamic::RESTED;

    #[inline(always)]
    fn pending(&self) -> u32 {
        load(event_a::PENDING)
    }

    #[inline(always)]
    fn set(&mut self, events: u32) {
        store(event_a::SET, events);
    }

    #[inline(always)]
    fn set_other(&mut self, events: u32) {
        store(event_b::SET, events);
        trace(Marker::PeerTold, 1);
    }

    #[inline(always)]
    fn clear(&mut self, events: u32) {
        store(event_a::CLEAR, events);
    }

    #[inline(always)]
    fn enable(&mut self, events: u32) {
        store(event_a::ENABLE, events);
    }

    #[inline(always)]
    fn concerned(&mut self, common: u32) -> u32 {
        dynamic::concerned(common, load(mailbox::PENDING))
    }

    #[inline(always)]
    fn rest(&mut self) {
        if let Some(compare) = timer::COMPARE.get(2) {
            store(compare, load(timer::COUNT).wrapping_add(dynamic::REST_CYCLES));
        }
    }
}

/// The core sleeps. An event that came since its look ends the wait at once.
#[inline(always)]
pub fn sleep() {
    trace(Marker::Idle, 0);
    wait_for_event();
}

/// The half that receives changes its core: what one core has stored, the other core reads.
#[inline(always)]
pub fn hand_over() {
    compiler_fence(Ordering::SeqCst);
}
