//! The scheme `dynamic`: core A runs both halves, and lends the half that receives to core B.

use nic_device::mock::Hardware;
use nic_device::{Device, Words};
use nic_emp::dynamic::{self, Half, Receiving, Sending, RECEIVING, SENDING};
use nic_emp::Machine;
use nic_handoff::{Borrower, Events, Lender, Next};
use nic_matching::Posted;

use super::cores::{fire_timers, Cores, Scheme, Start};
use super::COUNTERS;

/// The scheme.
pub struct Dynamic;

impl Scheme for Dynamic {
    const NAME: &'static str = "dynamic";
    type Cores<P: Posted> = Shared<P>;
}

/// Where the word is that says which core has the half: no table lies there.
const OWNER: u32 = 0x300;
/// Core B gives the half back after a short rest, so that it goes to and fro in each test.
const REST_STEPS: u32 = 40;

/// Both halves, and what each core does.
pub struct Shared<P: Posted> {
    sending: Half<SENDING, Hardware, Sending<P>>,
    receiving: Half<RECEIVING, Hardware, Receiving<P>>,
    lender: Lender,
    borrower: Borrower,
    /// The half that core A has run.
    ran: u32,
    /// Whether core B has the half that receives.
    is_lent: bool,
    sleeps: [bool; 2],
}

/// The events of both cores, as the core has them that runs.
struct Registers<'a>(&'a mut Hardware);

impl Events for Registers<'_> {
    const OF: [u32; 2] = dynamic::EVENTS;
    const SINGLE: u32 = dynamic::SINGLE;
    const COMMON: u32 = dynamic::COMMON;
    const BELL: u32 = dynamic::BELL;
    const RESTED: u32 = dynamic::RESTED;

    fn pending(&self) -> u32 {
        self.0.pending
    }

    fn set(&mut self, events: u32) {
        self.0.pending |= events;
    }

    fn set_other(&mut self, events: u32) {
        self.0.other.pending |= events;
    }

    fn clear(&mut self, events: u32) {
        self.0.pending &= !events;
    }

    fn enable(&mut self, events: u32) {
        self.0.wakes = events;
    }

    fn concerned(&mut self, common: u32) -> u32 {
        dynamic::concerned(common, self.0.mailboxes)
    }

    fn rest(&mut self) {
        self.0.timers[2] = Some(self.0.now.wrapping_add(REST_STEPS));
    }
}

/// Runs a part of a test with the half's device, which is the hardware. `is_own`: whether the
/// hardware has the counters and the expected frame of this half.
fn lend<const HALF: u32, M: Machine, R>(
    half: &mut Half<HALF, Hardware, M>,
    hardware: &mut Hardware,
    is_own: bool,
    work: impl FnOnce(&mut Half<HALF, Hardware, M>) -> R,
) -> R {
    if !is_own {
        hardware.swap_parts();
    }
    std::mem::swap(half.device(), hardware);
    let done = work(half);
    std::mem::swap(half.device(), hardware);
    if !is_own {
        hardware.swap_parts();
    }
    done
}

/// The SRAM, apart from the registers.
struct Memory(Vec<u32>);

impl Words for Memory {
    fn read(&self, offset: u32) -> u32 {
        self.0[offset as usize / 4]
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.0[offset as usize / 4] = value;
    }
}

/// Decides with the SRAM and the registers.
fn decide(hardware: &mut Hardware, decision: impl FnOnce(&mut Memory, &mut Registers) -> Next) -> Next {
    let mut memory = Memory(std::mem::take(&mut hardware.sram));
    let next = decision(&mut memory, &mut Registers(hardware));
    hardware.sram = memory.0;
    next
}

impl<P: Posted> Cores for Shared<P> {
    fn start(hardware: &mut Hardware, Start { settings, places, pages }: Start) -> Shared<P> {
        nic_emp::prepare(hardware, settings, places);
        let (mut sending, mut receiving) = (Half::nowhere(Hardware::new(0)), Half::nowhere(Hardware::new(0)));
        lend(&mut sending, hardware, true, |half| {
            let (machine, device): (&mut Sending<P>, _) = half.parts();
            device.count_at(COUNTERS[0]);
            machine.start(device, settings, places, pages, |_| 7);
        });
        lend(&mut receiving, hardware, false, |half| {
            let (machine, device): (&mut Receiving<P>, _) = half.parts();
            device.count_at(COUNTERS[1]);
            machine.start(device, settings, places, pages, |_| 7);
        });
        let mut memory = Memory(std::mem::take(&mut hardware.sram));
        let lender = Lender::start(&mut memory, OWNER, &mut Registers(hardware));
        hardware.swap_cores();
        let borrower = Borrower::start(&memory, OWNER, &mut Registers(hardware));
        hardware.swap_cores();
        hardware.sram = memory.0;
        Shared { sending, receiving, lender, borrower, ran: SENDING, is_lent: false, sleeps: [false; 2] }
    }

    fn step_a(&mut self, hardware: &mut Hardware) {
        fire_timers(hardware);
        // A core that sleeps is not run: what is missed here, it would sleep through.
        if self.sleeps[0] && hardware.pending & hardware.wakes == 0 {
            return;
        }
        let Shared { sending, receiving, lender, ran, .. } = self;
        let has_work = match *ran {
            SENDING => lend(sending, hardware, true, |half| half.has_work()),
            _ => lend(receiving, hardware, false, |half| half.has_work()),
        };
        let next = decide(hardware, |memory, registers| lender.next(memory, registers, *ran, || has_work));
        self.sleeps[0] = next == Next::Sleep;
        match next {
            Next::Run(SENDING, events) => lend(sending, hardware, true, |half| half.turn(events)),
            Next::Run(_, events) => {
                assert!(!self.is_lent, "both cores run one half");
                lend(receiving, hardware, false, |half| half.turn(events));
            }
            _ => {}
        }
        if let Next::Run(half, _) = next {
            *ran = half;
        }
    }

    fn step_b(&mut self, hardware: &mut Hardware) {
        hardware.swap_cores();
        fire_timers(hardware);
        if !self.sleeps[1] || hardware.pending & hardware.wakes != 0 {
            let Shared { receiving, borrower, is_lent, .. } = self;
            let next = if *is_lent {
                let has_work = lend(receiving, hardware, true, |half| half.has_work());
                borrower.next(&mut Registers(hardware), || has_work)
            } else {
                decide(hardware, |memory, registers| borrower.take(memory, registers))
            };
            self.sleeps[1] = next == Next::Sleep;
            match next {
                Next::Run(_, events) => {
                    *is_lent = true;
                    lend(receiving, hardware, true, |half| half.turn(events));
                }
                Next::Look if *is_lent => {
                    *is_lent = false;
                    decide(hardware, |memory, registers| {
                        borrower.give_back(memory, registers);
                        Next::Look
                    });
                }
                _ => {}
            }
        }
        hardware.swap_cores();
    }
}
