//! Two dispatchers and the hardware, in every interleaving of their accesses with few switches.
//! Each planted fault must be found.

mod cores;

use std::sync::{Arc, Mutex};

use cores::{check, Lock, Sram, Word};
use loom::thread::{self, Thread};
use nic_handoff::{Claims, Core, Dispatcher, Events, Next};

/// An event of the hardware for each part, and an event that belongs to either.
const HARDWARE: [u32; 2] = [1, 2];
const EITHER: u32 = 4;
/// What follows from [`EITHER`], and the bell.
const SINGLES: [u32; 2] = [8, 16];
const RINGS: u32 = 32;

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// A part looks at its causes before its events are cleared.
    ClearAfterLook,
    /// Events for a part that the other core runs are cleared, and not passed.
    Dropped,
    /// Events are passed without the bell.
    NoBell,
}

/// The events of one core, and the core while it sleeps.
#[derive(Clone)]
struct Registers {
    pending: Word,
    enabled: Word,
    /// Not a point at which `loom` changes threads.
    asleep: Arc<Mutex<Option<Thread>>>,
}

impl Registers {
    fn new(enabled: u32) -> Registers {
        Registers { pending: Word::new(0), enabled: Word::new(enabled), asleep: Arc::default() }
    }

    fn wake(&self) {
        if let Some(core) = self.asleep.lock().unwrap().take() {
            core.unpark();
        }
    }

    fn set(&self, events: u32) {
        self.pending.or(events);
        self.wake();
    }

    /// `wfi`.
    fn sleep(&self) {
        loop {
            // Registered before the look: what comes after the look unparks.
            *self.asleep.lock().unwrap() = Some(thread::current());
            if self.pending.get() & self.enabled.get() != 0 {
                return;
            }
            thread::park();
        }
    }
}

struct Seen {
    own: Registers,
    other: Registers,
    fault: Fault,
    /// Causes of [`EITHER`], one bit for each part.
    mailboxes: Word,
}

impl Events for Seen {
    const OF: [u32; 2] = [HARDWARE[0] | SINGLES[0], HARDWARE[1] | SINGLES[1]];
    const SINGLE: u32 = SINGLES[0] | SINGLES[1];
    const COMMON: u32 = EITHER;
    const BELL: u32 = RINGS;

    fn pending(&self) -> u32 {
        self.own.pending.get()
    }

    fn set(&mut self, events: u32) {
        self.own.set(events);
    }

    fn set_other(&mut self, events: u32) {
        match self.fault {
            Fault::Dropped => {}
            Fault::NoBell => self.other.set(events & !RINGS),
            _ => self.other.set(events),
        }
    }

    fn clear(&mut self, events: u32) {
        self.own.pending.and(!events);
    }

    fn clear_other(&mut self, events: u32) {
        self.other.pending.and(!events);
    }

    fn watch(&mut self, events: u32) {
        self.other.enabled.put(events);
        self.other.wake();
    }

    fn split(&mut self, _common: u32) -> u32 {
        let written = self.mailboxes.get();
        ((written & 1) * SINGLES[0]) | ((written >> 1 & 1) * SINGLES[1])
    }
}

/// What the threads share.
#[derive(Clone)]
struct Node {
    sram: Sram,
    lock: Lock,
    registers: [Registers; 2],
    mailboxes: Word,
    /// Causes of each part that were not served.
    causes: [Word; 2],
    runs: [Word; 2],
    /// Causes left in all. At 0 both cores end.
    left: Word,
}

impl Node {
    fn new(causes: u32) -> Node {
        let sram = Sram::new(Claims::bytes());
        Node {
            sram,
            lock: Lock::new(),
            registers: [Registers::new(u32::MAX), Registers::new(RINGS)],
            mailboxes: Word::new(0),
            causes: [Word::new(0), Word::new(0)],
            runs: [Word::new(0), Word::new(0)],
            left: Word::new(causes),
        }
    }

    /// Serves what waits for a part.
    fn serve(&self, part: usize, events: u32) {
        assert_eq!(self.runs[part].put(1), 0, "two cores run one part");
        let mut served = 0;
        if events & HARDWARE[part] != 0 {
            served += self.causes[part].put(0);
        }
        if events & SINGLES[part] != 0 {
            served += u32::from(self.mailboxes.and(!(1 << part)) >> part & 1 != 0);
        }
        self.runs[part].put(0);
        if served != 0 && self.left.subtract(served) == served {
            self.registers.iter().for_each(|core| core.set(RINGS));
            self.registers[1].enabled.put(u32::MAX);
            self.registers[1].wake();
        }
    }

    fn run_core(mut self, core: Core, fault: Fault) {
        let index = core as usize;
        let dispatcher = Dispatcher::new(Claims::at(&self.sram, 0, core), core);
        let (own, other) = (self.registers[index].clone(), self.registers[1 - index].clone());
        let mut seen = Seen { own: own.clone(), other, fault, mailboxes: self.mailboxes.clone() };
        let mut lock = self.lock.clone();
        while self.left.get() != 0 {
            match dispatcher.take(&mut self.sram, &mut lock, &mut seen) {
                Next::Run(part, events) => {
                    let mut next = Some(events);
                    while let Some(events) = next {
                        self.serve(part as usize, events);
                        if fault == Fault::ClearAfterLook {
                            own.pending.and(!Seen::OF[part as usize]);
                            self.registers[1 - index].pending.and(!Seen::OF[part as usize]);
                        }
                        next = dispatcher.go_on(&mut seen, part, false);
                    }
                    dispatcher.give_back(&mut self.sram);
                }
                Next::Look => {}
                Next::Sleep => {
                    if self.left.get() != 0 {
                        own.sleep();
                    }
                }
            }
        }
    }

    fn raise(&self, event: u32) {
        self.registers.iter().for_each(|core| core.set(event));
    }
}

/// The hardware raises an event of each of these kinds: of a part, or of a mailbox of a part.
fn run(name: &str, switches: usize, arriving: &'static [(bool, usize)], fault: Fault) {
    check(name, Some(switches), move || {
        let node = Node::new(arriving.len() as u32);
        let [core_a, core_b] = [Core::A, Core::B].map(|core| {
            let node = node.clone();
            thread::spawn(move || node.run_core(core, fault))
        });
        for &(is_mailbox, part) in arriving {
            if is_mailbox {
                node.mailboxes.or(1 << part);
                node.raise(EITHER);
            } else {
                node.causes[part].add(1);
                node.raise(HARDWARE[part]);
            }
        }
        core_a.join().unwrap();
        core_b.join().unwrap();
    });
}

#[test]
fn no_event_is_lost_and_a_part_runs_on_one_core() {
    run("an event of each part", 2, &[(false, 0), (false, 1)], Fault::None);
    run("two events of a part", 2, &[(false, 1), (false, 1)], Fault::None);
    run("a mailbox", 2, &[(true, 1)], Fault::None);
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_part_that_looks_before_its_events_are_cleared_is_found() {
    run("clear after look", 2, &[(false, 1), (false, 1)], Fault::ClearAfterLook);
}

#[test]
#[should_panic(expected = "deadlock")]
fn events_that_are_not_passed_are_found() {
    run("dropped", 3, &[(false, 1), (false, 0), (false, 1)], Fault::Dropped);
}

#[test]
#[should_panic(expected = "deadlock")]
fn events_that_are_passed_without_the_bell_are_found() {
    run("no bell", 3, &[(true, 1), (false, 0), (true, 1)], Fault::NoBell);
}
