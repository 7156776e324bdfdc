//! EMP on core A with the scheme `dynamic`: the module of its image.

use core::ptr::addr_of_mut;

use nic_device::Device as _;
use nic_emp::dynamic::{COMMON, EVENTS, RECEIVING, SENDING};
use nic_emp::{Config, Machine as _, Physical, Plan};
use nic_firmware::boot;
use nic_firmware::matching::Matching;
use nic_firmware::memory::{trace, write_sram, Sram};
use nic_firmware::shared::{
    hand_over, receiving_nowhere, sending_nowhere, sleep, ReceivingHalf, Registers, SendingHalf,
};
use nic_handoff::{Lender, Next};
use nic_layout::counter::Counter;
use nic_layout::personality::emp::descriptor::BANKS_BYTES;
use nic_layout::personality::emp::frame::HEADER_BYTES;
use nic_layout::personality::emp::pair::{AREA_ADDRESS, COUNTERS, FIRST_FREE, LENT, OWNER};
use nic_layout::personality::emp::PERSONALITY;
use nic_layout::trace::Marker;
use nic_layout::CORE_SRAM_BASE;

/// Core A's number, plus one.
const CORE: u32 = 1;

static mut HALF: SendingHalf = sending_nowhere();

/// In SRAM, where core B finds it.
#[link_section = ".state"]
static mut LENT_HALF: ReceivingHalf<CORE> = receiving_nowhere();

/// Makes words 0.
fn zero(start: u32, bytes: u32) {
    for offset in (0..bytes).step_by(4) {
        write_sram(start + offset, 0);
    }
}

/// Plans the memory, sets up devices and halves, and answers the driver.
#[inline(never)]
fn set_up() -> (&'static mut SendingHalf, *mut ReceivingHalf<CORE>, Lender) {
    let first_free = boot::first_free();
    let planned = Config::read(&boot::request())
        .and_then(|config| Plan::of::<Matching, Physical>(&config, first_free, boot::sram_bytes(config.sram_bytes)));
    let plan = match planned {
        Ok(plan) => plan,
        Err(error) => boot::refuse(error),
    };
    let lent = addr_of_mut!(LENT_HALF);
    // SAFETY: `main` calls this once, and nothing else names these. Core B does not run yet.
    let (sending, receiving) = unsafe { (&mut *addr_of_mut!(HALF), &mut *lent) };
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
    sending.device().enable(EVENTS[0] | EVENTS[1] | COMMON);
    let lender = Lender::start(&mut Sram, AREA_ADDRESS + OWNER, &mut Registers);
    trace(Marker::Ready, plan.settings.node);
    write_sram(AREA_ADDRESS + FIRST_FREE, first_free);
    write_sram(AREA_ADDRESS + LENT, lent as u32 - CORE_SRAM_BASE);
    write_sram(AREA_ADDRESS + LENT + 4, size_of::<ReceivingHalf<CORE>>() as u32);
    boot::reply(PERSONALITY, plan.reply::<Physical>());
    (sending, lent, lender)
}

/// Runs the half that sends, and sleeps, until the other half has work here. The events of that.
#[link_section = ".fast.text"]
#[inline(never)]
fn run_sending(half: &mut SendingHalf, lender: &mut Lender, mut events: u32) -> u32 {
    loop {
        half.turn(events);
        events = loop {
            match lender.next(&mut Sram, &mut Registers, SENDING, || half.has_work()) {
                Next::Run(SENDING, more) => break more,
                Next::Run(_, other) => return other,
                Next::Sleep => sleep(),
                Next::Look => {}
            }
        };
    }
}

/// A turn of the other half, which core A has. The function is not inlined, so each access of the
/// half lies between the look that found the half here and the next one.
#[link_section = ".fast.text"]
#[inline(never)]
fn run_receiving(half: *mut ReceivingHalf<CORE>, events: u32) -> bool {
    // SAFETY: core B does not have the half, and the caller has no reference to it.
    let half = unsafe { &mut *half };
    half.turn(events);
    half.has_work()
}

#[no_mangle]
extern "C" fn main() -> ! {
    let (sending, lent, mut lender) = set_up();
    let mut events = run_sending(sending, &mut lender, EVENTS[0]);
    loop {
        hand_over();
        let has_work = run_receiving(lent, events);
        hand_over();
        match lender.next(&mut Sram, &mut Registers, RECEIVING, || has_work) {
            Next::Run(RECEIVING, more) => events = more,
            Next::Run(_, own) => events = run_sending(sending, &mut lender, own),
            Next::Sleep => {
                sleep();
                events = run_sending(sending, &mut lender, 0);
            }
            Next::Look => events = run_sending(sending, &mut lender, 0),
        }
    }
}
