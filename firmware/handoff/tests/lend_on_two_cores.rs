//! Core A, which lends a part to core B, and the hardware, in every interleaving of their accesses
//! with few switches. Each planted fault must be found.

mod cores;

use std::sync::{Arc, Mutex};

use cores::{check, Sram, Word};
use loom::thread::{self, Thread};
use nic_handoff::{Borrower, Events, Lender, Next};

/// An event of the hardware for each part, and an event that belongs to either.
const HARDWARE: [u32; 2] = [1, 2];
const EITHER: u32 = 4;
/// What part 0 tells part 1, the bell, and the timer.
const ENTRY: u32 = 8;
const RINGS: u32 = 16;
const FIRED: u32 = 32;

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// A part looks at its causes before its events are cleared.
    ClearAfterLook,
    /// What is told in the core that does not have the part is not passed.
    Dropped,
    /// The part changes its core without the bell.
    NoBell,
    /// The core that gets the part looks at the events that are pending there, and at no others.
    OnlyPending,
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
    fn new() -> Registers {
        Registers { pending: Word::new(0), enabled: Word::new(0), asleep: Arc::default() }
    }

    fn set(&self, events: u32) {
        self.pending.or(events);
        if let Some(core) = self.asleep.lock().unwrap().take() {
            core.unpark();
        }
    }

    /// `wfi`. `fires`: whether the timer of the core fires rather than that the core sleeps on.
    fn sleep(&self, fires: bool) {
        loop {
            // Registered before the look: what comes after the look unparks.
            *self.asleep.lock().unwrap() = Some(thread::current());
            if self.pending.get() & self.enabled.get() != 0 {
                return;
            }
            if fires {
                self.pending.or(FIRED);
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
    const OF: [u32; 2] = [HARDWARE[0], HARDWARE[1] | ENTRY];
    const SINGLE: u32 = ENTRY;
    const COMMON: u32 = EITHER;
    const BELL: u32 = RINGS;
    const RESTED: u32 = FIRED;

    fn pending(&self) -> u32 {
        self.own.pending.get()
    }

    fn set(&mut self, events: u32) {
        self.own.set(events);
    }

    fn set_other(&mut self, events: u32) {
        match self.fault {
            Fault::Dropped => self.other.set(events & !ENTRY),
            Fault::NoBell => self.other.set(events & !RINGS),
            _ => self.other.set(events),
        }
    }

    fn clear(&mut self, events: u32) {
        let kept = if self.fault == Fault::ClearAfterLook { HARDWARE[0] | HARDWARE[1] } else { 0 };
        self.own.pending.and(!(events & !kept));
    }

    fn enable(&mut self, events: u32) {
        self.own.enabled.put(events);
    }

    fn concerned(&mut self, _common: u32) -> u32 {
        self.mailboxes.get()
    }

    fn rest(&mut self) {}
}

/// What the threads share.
#[derive(Clone)]
struct Node {
    sram: Sram,
    registers: [Registers; 2],
    mailboxes: Word,
    /// Causes of each part that were not served.
    causes: [Word; 2],
    /// Entries for part 1.
    entries: Word,
    /// Whether part 1 runs.
    runs: Word,
    /// Causes left in all. At 0 both cores end.
    left: Word,
}

impl Node {
    fn new(causes: u32) -> Node {
        let zero = || Word::new(0);
        Node {
            sram: Sram::new(Lender::BYTES),
            registers: [Registers::new(), Registers::new()],
            mailboxes: zero(),
            causes: [zero(), zero()],
            entries: zero(),
            runs: zero(),
            left: Word::new(causes),
        }
    }

    /// Serves what waits for a part on a core. `tells`: whether part 0 then tells part 1.
    fn serve(&self, part: usize, core: usize, events: u32, fault: Fault, tells: bool) {
        if part == 1 {
            assert_eq!(self.runs.put(1), 0, "two cores run one part");
        }
        let mut served = 0;
        if events & HARDWARE[part] != 0 {
            let found = self.causes[part].put(0);
            if part == 0 && tells && found != 0 {
                self.entries.add(1);
                self.registers[core].set(ENTRY);
            }
            served += found;
        }
        if events & EITHER != 0 {
            served += u32::from(self.mailboxes.and(!(1 << part)) >> part & 1 != 0);
        }
        if part == 1 {
            if events & ENTRY != 0 {
                served += self.entries.put(0);
            }
            self.runs.put(0);
        }
        if fault == Fault::ClearAfterLook {
            self.registers[core].pending.and(!events);
        }
        if served != 0 && self.left.subtract(served) == served {
            for core in &self.registers {
                core.enabled.put(u32::MAX);
                core.set(RINGS);
            }
        }
    }

    fn seen(&self, core: usize, fault: Fault) -> Seen {
        let [own, other] = [core, 1 - core].map(|core| self.registers[core].clone());
        Seen { own, other, fault, mailboxes: self.mailboxes.clone() }
    }

    fn run_core_a(mut self, mut lender: Lender, fault: Fault, tells: bool) {
        let mut seen = self.seen(0, fault);
        let mut ran = 0;
        while self.left.get() != 0 {
            match lender.next(&mut self.sram, &mut seen, ran, || false) {
                Next::Run(part, events) => {
                    ran = part;
                    self.serve(part as usize, 0, events, fault, tells);
                }
                Next::Look => {}
                Next::Sleep if self.left.get() != 0 => self.registers[0].sleep(false),
                Next::Sleep => {}
            }
        }
    }

    fn run_core_b(mut self, fault: Fault) {
        let mut seen = self.seen(1, fault);
        let mut borrower = Borrower::start(&self.sram, 0, &mut seen);
        let mut has_part = false;
        while self.left.get() != 0 {
            let next = match has_part {
                true => borrower.next(&mut seen, || false),
                false => borrower.take(&mut self.sram, &mut seen),
            };
            match next {
                Next::Run(part, events) => {
                    let is_first = !has_part;
                    has_part = true;
                    let events = if is_first && fault == Fault::OnlyPending { 0 } else { events };
                    self.serve(part as usize, 1, events, fault, false);
                }
                Next::Look if has_part => {
                    has_part = false;
                    borrower.give_back(&mut self.sram, &mut seen);
                }
                Next::Look => {}
                // Core B gives the part back when it sleeps, unless a fault could hide behind that: core A
                // then looks at all causes.
                Next::Sleep if self.left.get() != 0 => self.registers[1].sleep(has_part && fault == Fault::None),
                Next::Sleep => {}
            }
        }
    }
}

/// What arrives.
#[derive(Clone, Copy)]
enum Arrival {
    /// An event of the hardware for a part.
    Event(usize),
    /// A mailbox of a part.
    Mailbox(usize),
}

/// `tells`: whether part 0 tells part 1 of each event that it serves.
fn run(name: &str, switches: usize, arriving: &'static [Arrival], tells: bool, fault: Fault) {
    check(name, Some(switches), move || {
        let told = arriving.iter().filter(|arrival| tells && matches!(arrival, Arrival::Event(0))).count();
        let node = Node::new((arriving.len() + told) as u32);
        let lender = Lender::start(&mut node.sram.clone(), 0, &mut node.seen(0, fault));
        let core_a = node.clone();
        let core_a = thread::spawn(move || core_a.run_core_a(lender, fault, tells));
        let core_b = node.clone();
        let core_b = thread::spawn(move || core_b.run_core_b(fault));
        for &arrival in arriving {
            let event = match arrival {
                Arrival::Event(part) => {
                    node.causes[part].add(1);
                    HARDWARE[part]
                }
                Arrival::Mailbox(part) => {
                    node.mailboxes.or(1 << part);
                    EITHER
                }
            };
            node.registers.iter().for_each(|core| core.set(event));
        }
        core_a.join().unwrap();
        core_b.join().unwrap();
    });
}

use Arrival::{Event, Mailbox};

#[test]
fn no_event_is_lost_and_a_part_runs_on_one_core() {
    run("an event of each part", 2, &[Event(0), Event(1)], false, Fault::None);
    run("two events of a part", 2, &[Event(1), Event(1)], false, Fault::None);
    run("an entry", 2, &[Event(0)], true, Fault::None);
    run("mailboxes", 2, &[Mailbox(1), Mailbox(0)], false, Fault::None);
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_part_that_looks_before_its_events_are_cleared_is_found() {
    run("clear after look", 2, &[Event(1), Event(1)], false, Fault::ClearAfterLook);
}

#[test]
#[should_panic(expected = "deadlock")]
fn entries_that_are_not_passed_are_found() {
    run("dropped", 3, &[Event(0)], true, Fault::Dropped);
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_part_that_changes_its_core_without_the_bell_is_found() {
    run("no bell", 2, &[Event(0), Event(1)], false, Fault::NoBell);
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_core_that_looks_only_at_what_is_pending_when_it_gets_the_part_is_found() {
    run("only pending", 2, &[Event(1)], false, Fault::OnlyPending);
}
