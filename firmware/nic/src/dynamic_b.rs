//! EMP on core B with the scheme `dynamic`: the module of its image.

use core::ptr::{addr_of_mut, copy_nonoverlapping};

use nic_emp::dynamic::{COMMON, EVENTS};
use nic_firmware::memory::{read_sram, trace, wait_for_event, write_sram, Sram};
use nic_firmware::shared::{hand_over, receiving_nowhere, sleep, ReceivingHalf, Registers};
use nic_handoff::{Borrower, Next};
use nic_layout::boot::{BootError, BOOT_READY, BOOT_REFUSED, LAYOUT_VERSION};
use nic_layout::personality::emp::pair::{AREA_ADDRESS, LENT, OWNER, PAIR_MAGIC, REPLY, REQUEST};
use nic_layout::trace::Marker;
use nic_layout::CORE_SRAM_BASE;

/// Core B's number, plus one.
const CORE: u32 = 2;

/// The half, while core B has it: in its scratchpad.
static mut HALF: ReceivingHalf<CORE> = receiving_nowhere();

/// Where core A keeps the half that it lends.
fn lent() -> Result<*mut ReceivingHalf<CORE>, BootError> {
    if read_sram(AREA_ADDRESS + REQUEST) != PAIR_MAGIC {
        return Err(BootError::BadMagic);
    }
    // The same sources make both images. Their halves would differ in size otherwise.
    let are_same = read_sram(AREA_ADDRESS + REQUEST + 4) == LAYOUT_VERSION
        && read_sram(AREA_ADDRESS + LENT + 4) == size_of::<ReceivingHalf<CORE>>() as u32;
    if !are_same {
        return Err(BootError::OtherLayout);
    }
    Ok((read_sram(AREA_ADDRESS + LENT) + CORE_SRAM_BASE) as *mut ReceivingHalf<CORE>)
}

/// Finds the half, and answers the driver.
#[inline(never)]
fn set_up() -> (*mut ReceivingHalf<CORE>, Borrower) {
    let lent = match lent() {
        Ok(lent) => lent,
        Err(error) => {
            write_sram(AREA_ADDRESS + REPLY + 4, error.words()[0]);
            write_sram(AREA_ADDRESS + REPLY, BOOT_REFUSED);
            loop {
                wait_for_event();
            }
        }
    };
    let borrower = Borrower::start(&Sram, AREA_ADDRESS + OWNER, &mut Registers);
    trace(Marker::Ready, 0);
    write_sram(AREA_ADDRESS + REPLY, BOOT_READY);
    (lent, borrower)
}

/// Runs the half until core B has rested.
#[link_section = ".fast.text"]
#[inline(never)]
fn run(half: &mut ReceivingHalf<CORE>, borrower: &mut Borrower) {
    let mut events = EVENTS[1] | COMMON;
    loop {
        half.turn(events);
        events = loop {
            match borrower.next(&mut Registers, || half.has_work()) {
                Next::Run(_, more) => break more,
                Next::Sleep => sleep(),
                Next::Look => return,
            }
        };
    }
}

#[no_mangle]
extern "C" fn main() -> ! {
    let (lent, mut borrower) = set_up();
    let half = addr_of_mut!(HALF);
    loop {
        match borrower.take(&mut Sram, &mut Registers) {
            Next::Run(..) => {
                hand_over();
                // SAFETY: core A has given the half, and nothing else names the static. A half has
                // no address of itself.
                unsafe {
                    copy_nonoverlapping(lent, half, 1);
                    run(&mut *half, &mut borrower);
                    copy_nonoverlapping(half, lent, 1);
                }
                hand_over();
                borrower.give_back(&mut Sram, &mut Registers);
            }
            Next::Look => {}
            Next::Sleep => sleep(),
        }
    }
}
