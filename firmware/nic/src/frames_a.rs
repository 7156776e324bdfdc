//! Frames of the kernel on core A: a module of the image `kernel`.

use nic_device::{Device, Words};
use nic_firmware::boot;
use nic_firmware::chip::Chip;
use nic_firmware::memory::{load, trace, wait_for_event};
use nic_layout::counter::Counter;
use nic_layout::personality::kernel::{HEADER_BYTES, PERSONALITY};
use nic_layout::registers::event_a;
use nic_layout::trace::Marker;
use nic_raw::{Config, Frames, Plan};

/// All state of core A. It lies in the scratchpad, which start-up fills.
#[repr(C)]
struct Node {
    chip: Chip,
    frames: Frames,
}

static mut NODE: Node = Node { chip: Chip::NOWHERE, frames: Frames::NOWHERE };

/// The event loop.
#[link_section = ".fast.text"]
#[inline(never)]
fn run(Node { chip, frames }: &mut Node) -> ! {
    loop {
        let pending = load(event_a::PENDING) & Frames::EVENTS;
        if pending == 0 && !frames.has_work(chip) {
            trace(Marker::Idle, 0);
            // An event that came since the load ends the wait at once.
            wait_for_event();
            continue;
        }
        frames.turn(chip, pending);
    }
}

/// Plans the memory, sets up devices, and answers the driver.
#[inline(never)]
fn set_up() -> &'static mut Node {
    let planned = Config::read(&boot::request())
        .and_then(|config| Plan::of(&config, boot::first_free(), boot::sram_bytes(config.sram_bytes)));
    let plan = match planned {
        Ok(plan) => plan,
        Err(error) => boot::refuse(error),
    };
    // SAFETY: `main` calls this once, on one core, and nothing else names the static.
    let node = unsafe { &mut *core::ptr::addr_of_mut!(NODE) };
    let Node { chip, frames } = node;
    chip.start(&plan.engines, &plan.config.link(), HEADER_BYTES);
    for offset in (0..4 * Counter::COUNT as u32).step_by(4) {
        chip.write(plan.counters + offset, 0);
    }
    chip.count_at(plan.counters);
    frames.start(chip, &plan.places);
    chip.enable(Frames::EVENTS);
    trace(Marker::Ready, plan.config.node);
    boot::reply(PERSONALITY, plan.reply());
    node
}

#[no_mangle]
extern "C" fn main() -> ! {
    run(set_up())
}
