//! Both cores of a NIC, by scheme.

use nic_device::mock::Hardware;
use nic_device::Device;
use nic_emp::{Machine, PagePlaces, Places, Settings};
use nic_layout::ring::Event;
use nic_matching::Posted;

use super::COUNTERS;

/// What the parts of a NIC begin with.
pub struct Start<'a> {
    pub settings: &'a Settings,
    pub places: &'a Places,
    pub pages: (&'a PagePlaces, u32),
}

/// Both cores of a NIC. The hardware is as core A sees it.
pub trait Cores {
    fn start(hardware: &mut Hardware, start: Start) -> Self;
    /// A step of core A.
    fn step_a(&mut self, hardware: &mut Hardware);
    /// A step of core B.
    fn step_b(&mut self, hardware: &mut Hardware);
}

/// Which core runs which part.
pub trait Scheme {
    const NAME: &'static str;
    type Cores<P: Posted>: Cores;
}

impl<C: nic_emp::Scheme> Scheme for C {
    const NAME: &'static str = <C as nic_emp::Scheme>::NAME;
    type Cores<P: Posted> = Fixed<C::A<P>, C::B<P>>;
}

/// Each part has its core.
pub struct Fixed<A, B> {
    a: A,
    b: B,
    /// Whether each core sleeps.
    sleeps: [bool; 2],
}

impl<A: Machine, B: Machine> Cores for Fixed<A, B> {
    fn start(hardware: &mut Hardware, Start { settings, places, pages }: Start) -> Fixed<A, B> {
        nic_emp::prepare(hardware, settings, places);
        let (mut a, mut b) = (A::NOWHERE, B::NOWHERE);
        hardware.count_at(COUNTERS[0]);
        a.start(hardware, settings, places, pages, |_| 7);
        hardware.swap_cores();
        hardware.count_at(COUNTERS[1]);
        b.start(hardware, settings, places, pages, |_| 7);
        hardware.swap_cores();
        Fixed { a, b, sleeps: [false; 2] }
    }

    fn step_a(&mut self, hardware: &mut Hardware) {
        step(&mut self.a, hardware, &mut self.sleeps[0]);
    }

    fn step_b(&mut self, hardware: &mut Hardware) {
        hardware.swap_cores();
        step(&mut self.b, hardware, &mut self.sleeps[1]);
        hardware.swap_cores();
    }
}

/// Timers of the core that have fired make their events.
pub fn fire_timers(hardware: &mut Hardware) {
    for (timer, event) in [Event::Timer0, Event::Timer1, Event::Timer2].into_iter().enumerate() {
        let due = hardware.timers[timer].is_some_and(|due| (hardware.now.wrapping_sub(due) as i32) >= 0);
        if due {
            hardware.timers[timer] = None;
            hardware.raise(event);
        }
    }
}

/// A turn of a core.
fn step<M: Machine>(core: &mut M, hardware: &mut Hardware, sleeps: &mut bool) {
    fire_timers(hardware);
    let pending = hardware.pending & M::EVENTS;
    // A core that sleeps is not run: what is missed here, it would sleep through.
    if *sleeps && pending == 0 {
        return;
    }
    *sleeps = pending == 0 && !core.has_work(hardware);
    if !*sleeps {
        core.turn(hardware, pending);
    }
}
