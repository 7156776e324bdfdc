//! EMP on core A with the scheme `dynamic`: the module of its image.

use core::ptr::addr_of_mut;

use nic_device::Device as _;
use nic_emp::dynamic::{BELL, COMMON, EVENTS};
use nic_emp::{Config, Machine as _, Physical, Plan};
use nic_firmware::boot;
use nic_firmware::matching::Matching;
use nic_firmware::memory::{trace, write_sram, Sram};
use nic_firmware::shared::{claims, look_at_all, run, Halves};
use nic_layout::counter::Counter;
use nic_layout::personality::emp::descriptor::BANKS_BYTES;
use nic_layout::personality::emp::frame::HEADER_BYTES;
use nic_layout::personality::emp::pair::{AREA_ADDRESS, COUNTERS, FIRST_FREE, STATES};
use nic_layout::personality::emp::PERSONALITY;
use nic_layout::trace::Marker;
use nic_layout::CORE_SRAM_BASE;

/// Core A's number, plus one.
const CORE: u32 = 1;

#[link_section = ".state"]
static mut HALVES: Halves<CORE> = Halves::nowhere();

/// Makes words 0.
fn zero(start: u32, bytes: u32) {
    for offset in (0..bytes).step_by(4) {
        write_sram(start + offset, 0);
    }
}

/// Plans the memory, sets up devices and halves, and answers the driver.
#[inline(never)]
fn set_up() -> *mut Halves<CORE> {
    let first_free = boot::first_free();
    let planned = Config::read(&boot::request())
        .and_then(|config| Plan::of::<Matching, Physical>(&config, first_free, boot::sram_bytes(config.sram_bytes)));
    let plan = match planned {
        Ok(plan) => plan,
        Err(error) => boot::refuse(error),
    };
    let states = addr_of_mut!(HALVES);
    // SAFETY: core B does not run yet, and nothing else names the static.
    let Halves { sending, receiving } = unsafe { &mut *states };
    sending.device().start(&plan.engines, &plan.settings.link(), HEADER_BYTES);
    receiving.device().join(&plan.engines);
    zero(plan.counters, 4 * Counter::COUNT as u32);
    zero(AREA_ADDRESS + COUNTERS, 4 * Counter::COUNT as u32);
    sending.device().count_at(plan.counters);
    receiving.device().count_at(AREA_ADDRESS + COUNTERS);
    zero(plan.places.descriptors, BANKS_BYTES);
    // The half that receives gives buffers to the MAC, and counts them.
    nic_emp::prepare(receiving.device(), &plan.settings, &plan.places);
    // All peers begin with the session of this node, until the driver says otherwise.
    let session = plan.settings.session as u8;
    let pages = (&plan.pages, plan.host_pages);
    let (machine, device) = sending.parts();
    machine.start(device, &plan.settings, &plan.places, pages, |_| session);
    let (machine, device) = receiving.parts();
    machine.start(device, &plan.settings, &plan.places, pages, |_| session);
    claims::<CORE>().clear(&mut Sram);
    sending.device().enable(EVENTS[0] | EVENTS[1] | COMMON | BELL);
    look_at_all();
    trace(Marker::Ready, plan.settings.node);
    write_sram(AREA_ADDRESS + FIRST_FREE, first_free);
    write_sram(AREA_ADDRESS + STATES, states as u32 - CORE_SRAM_BASE);
    write_sram(AREA_ADDRESS + STATES + 4, size_of::<Halves<CORE>>() as u32);
    boot::reply(PERSONALITY, plan.reply::<Physical>());
    states
}

#[no_mangle]
extern "C" fn main() -> ! {
    run(set_up())
}
