//! The state and the loop of a core that runs EMP.

use nic_device::{Device, Words};
use nic_emp::Machine as _;
use nic_firmware::memory::{load, trace, wait_for_event};
use nic_layout::counter::Counter;
use nic_layout::registers::event_a;
use nic_layout::trace::Marker;

use super::{Chip, Machine, PAIR};

/// All state of the core. It lies in the scratchpad, which start-up fills. Device and parts are in
/// one structure, so that one base register reaches the words of both.
#[repr(C)]
pub struct Node {
    pub chip: Chip,
    pub machine: Machine,
}

static mut NODE: Node = Node { chip: Chip::NOWHERE, machine: Machine::NOWHERE };

/// The state. Call once.
pub fn node() -> &'static mut Node {
    // SAFETY: `main` calls this once, on one core, and nothing else names the static.
    unsafe { &mut *core::ptr::addr_of_mut!(NODE) }
}

/// The event loop.
#[link_section = ".fast.text"]
#[inline(never)]
pub fn run(Node { chip, machine }: &mut Node) -> ! {
    // In the first turn all causes are looked at: they may be older than this core.
    let mut missed = Machine::EVENTS;
    loop {
        let mut pending = load(event_a::PENDING);
        if PAIR {
            // Events of the hardware are pending in both cores.
            pending = pending & Machine::EVENTS | missed;
            missed = 0;
        }
        if pending == 0 && !machine.has_work(chip) {
            trace(Marker::Idle, 0);
            // An event that came since the load ends the wait at once.
            wait_for_event();
            continue;
        }
        machine.turn(chip, pending);
    }
}

/// Makes all counters 0. The core counts there from now on.
pub fn zero_counters(chip: &mut Chip, counters: u32) {
    zero(chip, counters, 4 * Counter::COUNT as u32);
    chip.count_at(counters);
}

/// Makes words 0.
pub fn zero(chip: &mut Chip, start: u32, bytes: u32) {
    for offset in (0..bytes).step_by(4) {
        chip.write(start + offset, 0);
    }
}
