//! The scheme `dynamic`: both cores run both halves. A core claims a half in one step, and runs a
//! turn of it in each of the next steps. So the other core meets claims of every kind.

use nic_device::mock::Hardware;
use nic_device::{Device, Words};
use nic_emp::dynamic::{self, Half, Receiving, Sending, RECEIVING, SENDING};
use nic_emp::Machine;
use nic_handoff::{Claims, Core, Dispatcher, Events, Next, Semaphore};
use nic_matching::Posted;

use super::cores::{fire_timers, Cores, Scheme, Start};
use super::COUNTERS;

/// The scheme.
pub struct Dynamic;

impl Scheme for Dynamic {
    const NAME: &'static str = "dynamic";
    type Cores<P: Posted> = Shared<P>;
}

/// Where the claims are: no table lies there.
const CLAIMS: u32 = 0x300;

/// Both halves, and what each core does.
pub struct Shared<P: Posted> {
    sending: Half<SENDING, Hardware, Sending<P>>,
    receiving: Half<RECEIVING, Hardware, Receiving<P>>,
    /// The half that each core has claimed, and the events that it serves next.
    runs: [Option<(u32, u32)>; 2],
    sleeps: [bool; 2],
}

/// The events of both cores, as the core has them that runs.
struct Registers<'a>(&'a mut Hardware);

impl Events for Registers<'_> {
    const OF: [u32; 2] = dynamic::EVENTS;
    const SINGLE: u32 = dynamic::SINGLE;
    const COMMON: u32 = dynamic::COMMON;
    const BELL: u32 = dynamic::BELL;

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

    fn clear_other(&mut self, events: u32) {
        self.0.other.pending &= !events;
    }

    fn watch(&mut self, events: u32) {
        self.0.other.wakes = events;
    }

    fn split(&mut self, common: u32) -> u32 {
        dynamic::split(common, self.0.mailboxes)
    }
}

/// The cores take steps one after the other, so the semaphore is free between them.
struct Free;

impl Semaphore for Free {
    fn with<R>(&mut self, work: impl FnOnce() -> R) -> R {
        work()
    }
}

/// Runs a part of a test with the half's device, which is the hardware.
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

impl<P: Posted> Shared<P> {
    /// A step of the core that the hardware is seen by.
    fn step(&mut self, hardware: &mut Hardware, core: Core) {
        fire_timers(hardware);
        let index = core as usize;
        let dispatcher = Dispatcher::new(Claims::at(hardware, CLAIMS, core), core);
        if let Some((half, events)) = self.runs[index] {
            let (is_own, Shared { sending, receiving, .. }) = (half as usize == index, &mut *self);
            let has_work = match half {
                SENDING => lend(sending, hardware, is_own, |half| half.turn(events)),
                _ => lend(receiving, hardware, is_own, |half| half.turn(events)),
            };
            let more = dispatcher.go_on(&mut Registers(hardware), half, has_work);
            if more.is_none() {
                dispatcher.give_back(hardware);
            }
            self.runs[index] = more.map(|events| (half, events));
            return;
        }
        // A core that sleeps is not run: what is missed here, it would sleep through.
        if self.sleeps[index] && hardware.pending & hardware.wakes == 0 {
            return;
        }
        let mut memory = Memory(std::mem::take(&mut hardware.sram));
        let next = dispatcher.take(&mut memory, &mut Free, &mut Registers(hardware));
        hardware.sram = memory.0;
        self.sleeps[index] = next == Next::Sleep;
        if let Next::Run(half, events) = next {
            assert!(self.runs[1 - index].is_none_or(|(other, _)| other != half), "both cores run one half");
            self.runs[index] = Some((half, events));
        }
    }
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

impl<P: Posted> Cores for Shared<P> {
    fn start(hardware: &mut Hardware, Start { settings, places, pages }: Start) -> Shared<P> {
        nic_emp::prepare(hardware, settings, places);
        let nothing = || Hardware::new(0);
        let mut cores = Shared {
            sending: Half::nowhere(nothing()),
            receiving: Half::nowhere(nothing()),
            runs: [None; 2],
            sleeps: [false; 2],
        };
        lend(&mut cores.sending, hardware, true, |half| {
            let (machine, device) = half.parts();
            device.count_at(COUNTERS[0]);
            machine.start(device, settings, places, pages, |_| 7);
        });
        lend(&mut cores.receiving, hardware, false, |half| {
            let (machine, device) = half.parts();
            device.count_at(COUNTERS[1]);
            machine.start(device, settings, places, pages, |_| 7);
        });
        Claims::at(hardware, CLAIMS, Core::A).clear(hardware);
        hardware.wakes = dynamic::EVENTS[0] | dynamic::EVENTS[1] | dynamic::COMMON | dynamic::BELL;
        hardware.other.wakes = dynamic::BELL;
        hardware.pending |= dynamic::EVENTS[0] | dynamic::EVENTS[1];
        cores
    }

    fn step_a(&mut self, hardware: &mut Hardware) {
        self.step(hardware, Core::A);
    }

    fn step_b(&mut self, hardware: &mut Hardware) {
        hardware.swap_cores();
        self.step(hardware, Core::B);
        hardware.swap_cores();
    }
}
