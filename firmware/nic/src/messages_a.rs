//! EMP on core A: a module of each of its images. The image says which parts run here (`Machine`),
//! what device they have (`Chip`), what addresses are (`Addresses`), and whether there is a core B
//! (`PAIR`).

use nic_emp::{Config, Machine as _, Plan};
use nic_firmware::boot;
use nic_firmware::matching::Matching;
use nic_firmware::memory::{trace, write_sram};
use nic_layout::personality::emp::descriptor::BANKS_BYTES;
use nic_layout::personality::emp::pair;
use nic_layout::trace::Marker;

use super::{Addresses, Chip, Machine, PAIR, PERSONALITY};

#[path = "messages_core.rs"]
mod messages_core;
use messages_core::{node, run, zero, zero_counters, Node};

/// Plans the memory, sets up devices and parts, and answers the driver. It is a function of its own
/// so that its stack frame is gone when [`run`] begins.
#[inline(never)]
fn set_up() -> &'static mut Node {
    let first_free = boot::first_free();
    let planned = Config::read(&boot::request())
        .and_then(|config| Plan::of::<Matching, Addresses>(&config, first_free, boot::sram_bytes(config.sram_bytes)));
    let plan = match planned {
        Ok(plan) => plan,
        Err(error) => boot::refuse(error),
    };
    let node = node();
    let Node { chip, machine } = node;
    chip.start(&plan.engines, &plan.settings.link(), nic_layout::personality::emp::frame::HEADER_BYTES);
    zero_counters(chip, plan.counters);
    zero(chip, plan.places.descriptors, BANKS_BYTES);
    nic_emp::prepare(chip, &plan.settings, &plan.places);
    // All peers begin with the session of this node, until the driver says otherwise.
    let session = plan.settings.session as u8;
    machine.start(chip, &plan.settings, &plan.places, (&plan.pages, plan.host_pages), |_| session);
    chip.enable(Machine::EVENTS);
    trace(Marker::Ready, plan.settings.node);
    if PAIR {
        write_sram(pair::AREA_ADDRESS + pair::FIRST_FREE, first_free);
    }
    boot::reply(PERSONALITY, plan.reply::<Addresses>());
    node
}

#[no_mangle]
extern "C" fn main() -> ! {
    run(set_up())
}
