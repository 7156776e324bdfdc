//! A personality on core A: a module of each of its images. The image says which protocol it boots
//! (`Personality`), and whether there is a core B (`PAIR`).

use nic_device::rarely;
use nic_engine::{Boot, Engine};
use nic_firmware::boot;
use nic_firmware::chip::Chip;
use nic_firmware::memory::{load, store, trace, wait_for_event};
use nic_firmware::semaphore::locked;
use nic_layout::keeper::EVENT_BUSY;
use nic_layout::registers::{event_a, event_b};
use nic_layout::trace::Marker;
use nic_plan::{Config, Part, Plan};

use super::{Personality, PAIR};

type Machine = Engine<Personality>;

/// All state of core A. It lies in the scratchpad, which start-up fills; in an image for so many
/// nodes that it does not fit there, in SRAM, where each access waits. Device and machine are in
/// one structure, in this order, so that one base register reaches the words of both that each
/// frame needs.
#[repr(C)]
struct Node {
    chip: Chip,
    machine: Machine,
}

#[cfg_attr(state_in_sram, link_section = ".state")]
static mut NODE: Node = Node { chip: Chip::NOWHERE, machine: Machine::new() };

/// The event loop. If there is a core B, core A takes each turn under the semaphore, since a turn
/// changes the counters that core B reads; before it sleeps it sets core B's event.
#[link_section = ".fast.text"]
#[inline(never)]
fn run(Node { chip, machine }: &mut Node) -> ! {
    let (mut busy, mut looks) = (true, 0);
    loop {
        if !busy {
            if PAIR {
                tell_core_b();
            }
            trace(Marker::Idle, 0);
            // An event that came since the load ends the wait at once.
            wait_for_event();
        }
        // While an answer or a piece is expected, only the pending events are read, until one comes
        // that is not patient: a read takes fewer clocks than a turn.
        let pending = loop {
            let pending = load(event_a::PENDING);
            if looks == 0 {
                break pending;
            }
            rarely();
            if pending & Machine::EVENTS & !Machine::PATIENT != 0 {
                break pending;
            }
            looks -= 1;
        };
        busy = match PAIR {
            true => locked::<0, _>(|| machine.turn(chip, pending)),
            false => machine.turn(chip, pending),
        };
        looks = if busy && machine.awaits_answer() { LOOKS } else { 0 };
    }
}

/// How often the loop reads the events for an expected answer. That takes longer than a process
/// needs to see a message and to post 32 bytes.
const LOOKS: u32 = 48;

/// Sets the event of core B. It is edge-triggered (facts E-49), so while it is pending it is not
/// set again.
#[inline(always)]
fn tell_core_b() {
    if load(event_b::PENDING) & 1 << EVENT_BUSY == 0 {
        store(event_b::SET, 1 << EVENT_BUSY);
    }
}

/// Plans the memory, sets up devices and machine, and answers the driver. It is a function of its
/// own so that its stack frame is gone when [`run`] begins.
#[inline(never)]
fn set_up() -> &'static mut Node {
    let planned = Config::read(&boot::request(), Personality::BUILT)
        .and_then(|config| Plan::of(&config, boot::first_free(), boot::sram_bytes(config.sram_bytes)));
    let plan = match planned {
        Ok(plan) => plan,
        Err(error) => boot::refuse(error),
    };
    // SAFETY: `main` calls this once, on one core, and nothing else names the static.
    let node = unsafe { &mut *core::ptr::addr_of_mut!(NODE) };
    let Node { chip, machine } = node;
    chip.start(&plan.places.engines, &plan.config.link, Machine::HEADER_BYTES);
    machine.boot(chip, &plan);
    chip.enable(Machine::EVENTS);
    trace(Marker::Ready, plan.config.link.node);
    boot::reply(<Personality as Boot>::Part::PERSONALITY, plan.reply());
    node
}

#[no_mangle]
extern "C" fn main() -> ! {
    run(set_up())
}
