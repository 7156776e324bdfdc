//! What both cores share in the scheme `dynamic` of EMP: devices and states of two halves, and the
//! events by which they share the work (docs/emp.md, Two cores).

use core::ptr::addr_of_mut;
use core::sync::atomic::{compiler_fence, Ordering};

use nic_device::SharedDevice;
use nic_emp::dynamic::{self, Half, Receiving, Sending, RECEIVING, SENDING};
use nic_handoff::{Claims, Core, Dispatcher, Events, Next, Semaphore};
use nic_layout::personality::emp::pair::{AREA_ADDRESS, CLAIMS};
use nic_layout::registers::{event_a, event_b, mailbox, timer, timer_b};
use nic_layout::trace::Marker;

use crate::chip::{Chip, ALONE};
use crate::matching::Matching;
use crate::memory::{load, store, trace, wait_for_event, Sram};
use crate::semaphore::locked_by;

/// The device of a half on the core with a number. Its fields are the same on both cores.
type Lent<const FRAMES: u32> = Chip<ALONE, FRAMES>;

/// The states of both halves, in SRAM. `FRAMES`: the number of the core that uses them, plus one.
#[repr(C)]
pub struct Halves<const FRAMES: u32> {
    /// Sender and transmitter.
    pub sending: Half<SENDING, Lent<FRAMES>, Sending<Matching>>,
    /// Sorter and receiver.
    pub receiving: Half<RECEIVING, Lent<FRAMES>, Receiving<Matching>>,
}

impl<const FRAMES: u32> Halves<FRAMES> {
    /// Before the halves begin.
    pub const fn nowhere() -> Halves<FRAMES> {
        Halves { sending: Half::nowhere(Chip::NOWHERE), receiving: Half::nowhere(Chip::NOWHERE) }
    }
}

impl<const FRAMES: u32> SharedDevice for Lent<FRAMES> {
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
struct Registers;

impl Events for Registers {
    const OF: [u32; 2] = dynamic::EVENTS;
    const SINGLE: u32 = dynamic::SINGLE;
    const COMMON: u32 = dynamic::COMMON;
    const BELL: u32 = dynamic::BELL;

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
    fn clear_other(&mut self, events: u32) {
        store(event_b::CLEAR, events);
    }

    #[inline(always)]
    fn watch(&mut self, events: u32) {
        store(event_b::ENABLE, events);
    }

    #[inline(always)]
    fn split(&mut self, common: u32) -> u32 {
        dynamic::split(common, load(mailbox::PENDING))
    }
}

/// The semaphore, for the core with a number.
struct Owner(u32);

impl Semaphore for Owner {
    #[inline(always)]
    fn with<R>(&mut self, work: impl FnOnce() -> R) -> R {
        locked_by(self.0, work)
    }
}

/// The claims, for the core of `Halves<FRAMES>`.
pub fn claims<const FRAMES: u32>() -> Claims {
    let core = if FRAMES == 1 { Core::A } else { Core::B };
    Claims::at(&Sram, AREA_ADDRESS + CLAIMS, core)
}

#[inline(always)]
fn dispatcher<const FRAMES: u32>() -> Dispatcher {
    Dispatcher::new(claims::<FRAMES>(), if FRAMES == 1 { Core::A } else { Core::B })
}

/// Makes all events pending in this core: causes may be older than the core.
pub fn look_at_all() {
    store(event_a::SET, dynamic::EVENTS[0] | dynamic::EVENTS[1] | dynamic::COMMON);
}

/// Runs the half that sends, which this core has claimed.
#[link_section = ".fast.text.sending"]
#[inline(never)]
fn run_sending<const FRAMES: u32>(states: *mut Halves<FRAMES>, events: u32) {
    // SAFETY: this core alone has claimed the half, and the caller has no reference to it.
    let half = unsafe { &mut *addr_of_mut!((*states).sending) };
    half.run(&dispatcher::<FRAMES>(), &mut Registers, events);
}

/// The same of the half that receives.
#[link_section = ".fast.text.receiving"]
#[inline(never)]
fn run_receiving<const FRAMES: u32>(states: *mut Halves<FRAMES>, events: u32) {
    // SAFETY: as above.
    let half = unsafe { &mut *addr_of_mut!((*states).receiving) };
    half.run(&dispatcher::<FRAMES>(), &mut Registers, events);
}

/// The loop of a core.
///
/// The states are changed in functions that are not inlined. So each access of a state lies between
/// the claim and the release, which are accesses too.
#[link_section = ".fast.text"]
#[inline(never)]
pub fn run<const FRAMES: u32>(states: *mut Halves<FRAMES>) -> ! {
    let dispatcher = dispatcher::<FRAMES>();
    loop {
        match dispatcher.take(&mut Sram, &mut Owner(FRAMES.wrapping_sub(1)), &mut Registers) {
            Next::Run(half, events) => {
                compiler_fence(Ordering::SeqCst);
                if half == SENDING {
                    run_sending(states, events);
                } else {
                    run_receiving(states, events);
                }
                compiler_fence(Ordering::SeqCst);
                dispatcher.give_back(&mut Sram);
            }
            Next::Look => {}
            Next::Sleep => {
                trace(Marker::Idle, 0);
                // An event that came since the look ends the wait at once.
                wait_for_event();
            }
        }
    }
}
