//! EMP on core A: a module of each of its images.

use nic_emp::{Config, Parts, Physical, Plan};
use nic_firmware::boot;
use nic_firmware::chip::Chip;
use nic_firmware::memory::{load, trace, wait_for_event};
use nic_layout::counter::Counter;
use nic_layout::personality::emp::descriptor::BANKS_BYTES;
use nic_layout::personality::emp::PERSONALITY;
use nic_layout::registers::event_a;
use nic_layout::trace::Marker;
#[cfg(matching_hashed)]
use nic_matching::Hashed as Matching;
#[cfg(not(matching_hashed))]
use nic_matching::Linear as Matching;

use nic_device::{Device, Words};

type Machine = Parts<Matching, Physical>;

/// All state of core A. It lies in the scratchpad, which start-up fills. Device and parts are in
/// one structure, so that one base register reaches the words of both.
#[repr(C)]
struct Node {
    chip: Chip,
    parts: Machine,
}

static mut NODE: Node = Node { chip: Chip::NOWHERE, parts: Parts::nowhere(Matching::NOWHERE) };

/// The event loop.
#[link_section = ".fast.text"]
#[inline(never)]
fn run(Node { chip, parts }: &mut Node) -> ! {
    loop {
        let pending = load(event_a::PENDING);
        if pending == 0 && !parts.has_work(chip) {
            trace(Marker::Idle, 0);
            // An event that came since the load ends the wait at once.
            wait_for_event();
            continue;
        }
        parts.turn(chip, pending);
    }
}

/// Plans the memory, sets up devices and parts, and answers the driver. It is a function of its own
/// so that its stack frame is gone when [`run`] begins.
#[inline(never)]
fn set_up() -> &'static mut Node {
    let planned = Config::read(&boot::request()).and_then(|config| {
        Plan::of::<Matching, Physical>(&config, boot::first_free(), boot::sram_bytes(config.sram_bytes))
    });
    let plan = match planned {
        Ok(plan) => plan,
        Err(error) => boot::refuse(error),
    };
    // SAFETY: `main` calls this once, on one core, and nothing else names the static.
    let node = unsafe { &mut *core::ptr::addr_of_mut!(NODE) };
    let Node { chip, parts } = node;
    chip.start(&plan.engines, &plan.settings.link(), nic_layout::personality::emp::frame::HEADER_BYTES);
    zero(chip, plan.counters, 4 * Counter::COUNT as u32);
    zero(chip, plan.places.descriptors, BANKS_BYTES);
    chip.count_at(plan.counters);
    // All peers begin with the session of this node, until the driver says otherwise.
    let session = plan.settings.session as u8;
    parts.start(chip, &plan.settings, &plan.places, (&plan.pages, plan.host_pages), |_| session);
    chip.enable(Machine::EVENTS);
    trace(Marker::Ready, plan.settings.node);
    boot::reply(PERSONALITY, plan.reply::<Physical>());
    node
}

fn zero(chip: &mut Chip, start: u32, bytes: u32) {
    for offset in (0..bytes).step_by(4) {
        chip.write(start + offset, 0);
    }
}

#[no_mangle]
extern "C" fn main() -> ! {
    run(set_up())
}
