//! Two cores that run the same two parts, in every interleaving of their accesses. Each planted
//! fault must be found.
//!
//! Part 0 makes entries and pushes them, part 1 pops them. The state of a part is what any core may
//! run next, so it is behind a mutex of the test that no core ever finds locked.

mod cores;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use cores::{check, CoreBell, Lock, Sram, Word};
use loom::thread;
use nic_device::Words;
use nic_handoff::{tell, Bell, Claims, Core, Queue, Reader, Semaphore, Writer};

type Ring = Queue<1, 1>;

const SOURCE: u32 = 0;
const SINK: u32 = 1;

/// SRAM: the claims, the entries that the source has yet to make, the queue.
const TO_MAKE: u32 = Claims::bytes();
const QUEUE: u32 = TO_MAKE + 4;
const SRAM_BYTES: u32 = QUEUE + Ring::bytes();

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// A part is claimed without the semaphore.
    NoSemaphore,
    /// A part is released before it is run.
    ReleaseBeforeRun,
    /// A core that has released a part sleeps until its bell rings.
    SleepAfterRelease,
    /// A core looks, then releases its part, then sleeps if it has found no work.
    LookBeforeRelease,
    /// A core looks, then clears its bell.
    ClearAfterLook,
}

/// Where the entries come from: numbers of them.
#[derive(Clone, Copy)]
struct Work {
    /// They wait in the queue.
    waiting: u32,
    /// The source makes them.
    made: u32,
    /// The hardware pushes them, and tells core B.
    arriving: u32,
}

/// The semaphore, or nothing.
struct MayLock(Option<Lock>);

impl Semaphore for MayLock {
    fn with<R>(&mut self, work: impl FnOnce() -> R) -> R {
        match &mut self.0 {
            Some(lock) => lock.with(work),
            None => work(),
        }
    }
}

/// What both cores see.
#[derive(Clone)]
struct Node {
    sram: Sram,
    lock: Lock,
    bells: [CoreBell; 2],
    /// 1 while a core runs the part.
    runs: [Word; 2],
    /// The same in bits. `loom` does not see it, so it adds no interleavings.
    running: Arc<AtomicU32>,
    source: Arc<Mutex<Writer<1, 1>>>,
    /// The reader, and the entries popped.
    sink: Arc<Mutex<(Reader<1, 1>, u32)>>,
    /// All entries have been popped.
    over: Word,
    total: u32,
}

impl Node {
    fn new(work: Work) -> Node {
        let mut sram = Sram::new(SRAM_BYTES);
        let queue = Ring::at(&sram, QUEUE);
        Claims::at(&sram, 0, Core::A).clear(&mut sram);
        queue.clear(&mut sram);
        sram.write(TO_MAKE, work.made);
        let mut source = Writer::new(queue, &sram);
        (0..work.waiting).for_each(|number| source.push(&mut sram, [number]));
        Node {
            lock: Lock::new(),
            bells: [CoreBell::new(), CoreBell::new()],
            runs: [Word::new(0), Word::new(0)],
            running: Arc::default(),
            source: Arc::new(Mutex::new(source)),
            sink: Arc::new(Mutex::new((Reader::new(queue, &sram), 0))),
            over: Word::new(0),
            total: work.waiting + work.made + work.arriving,
            sram,
        }
    }

    /// The parts with work, as any core sees them.
    fn ready(&self) -> u32 {
        let queue = Ring::at(&self.sram, QUEUE);
        let source = self.sram.read(TO_MAKE) > 0 && queue.has_room(&self.sram, 1);
        let sink = !queue.is_empty(&self.sram);
        u32::from(source) << SOURCE | u32::from(sink) << SINK
    }

    fn run_source(&mut self, other: &mut CoreBell) {
        let mut source = self.source.try_lock().expect("two cores have one state");
        let to_make = self.sram.read(TO_MAKE);
        if to_make > 0 && source.room(&self.sram) > 0 {
            source.push(&mut self.sram, [self.total - to_make]);
            self.sram.write(TO_MAKE, to_make - 1);
            tell(other);
        }
    }

    fn run_sink(&mut self) {
        let mut sink = self.sink.try_lock().expect("two cores have one state");
        let (reader, popped) = &mut *sink;
        if let Some(found) = reader.pop(&mut self.sram) {
            assert_eq!(found, [*popped], "the entry popped is not the one pushed");
            *popped += 1;
            if *popped == self.total {
                self.over.put(1);
                self.bells.iter_mut().for_each(tell);
            }
        }
    }

    /// Runs an event of a part. `both` becomes true if the other core runs the other part.
    fn run(&mut self, part: u32, other: &mut CoreBell, both: &AtomicBool) {
        assert_eq!(self.runs[part as usize].put(1), 0, "two cores run one part");
        both.fetch_or(self.running.fetch_or(1 << part, SeqCst) != 0, SeqCst);
        match part {
            SOURCE => self.run_source(other),
            _ => self.run_sink(),
        }
        self.running.fetch_and(!(1 << part), SeqCst);
        self.runs[part as usize].put(0);
    }
}

/// A core, until all entries have been popped.
fn run_core(mut node: Node, core: Core, fault: Fault, both: &AtomicBool) {
    let [mut own, mut other] = node.bells.clone();
    if core == Core::B {
        std::mem::swap(&mut own, &mut other);
    }
    let claims = Claims::at(&node.sram, 0, core);
    let mut semaphore = MayLock((fault != Fault::NoSemaphore).then(|| node.lock.clone()));
    while node.over.get() == 0 {
        loop {
            let ready = node.ready();
            let Some(part) = claims.claim(&mut node.sram, &mut semaphore, ready) else { break };
            if fault == Fault::ReleaseBeforeRun {
                claims.release(&mut node.sram);
            }
            node.run(part, &mut other, both);
            let sleeps = match fault {
                Fault::SleepAfterRelease => true,
                Fault::LookBeforeRelease => node.ready() == 0,
                _ => false,
            };
            claims.release(&mut node.sram);
            if sleeps {
                break;
            }
        }
        if fault == Fault::ClearAfterLook {
            own.clear();
        }
        own.sleep();
        own.clear();
    }
}

/// Runs both cores, and the hardware as a third thread. A core that sleeps for ever is a deadlock.
/// Says whether the cores ran both parts at a time, in any interleaving.
fn run(name: &str, switches: Option<usize>, work: Work, fault: Fault) -> bool {
    let both = Arc::new(AtomicBool::new(false));
    let both_ran = Arc::clone(&both);
    check(name, switches, move || {
        let node = Node::new(work);
        let spawn = |core| {
            let (node, both) = (node.clone(), Arc::clone(&both));
            thread::spawn(move || run_core(node, core, fault, &both))
        };
        let core_b = spawn(Core::B);
        if work.arriving == 0 {
            run_core(node, Core::A, fault, &both);
        } else {
            let core_a = spawn(Core::A);
            let Node { mut sram, mut bells, source, total, .. } = node;
            for number in total - work.arriving..total {
                source.lock().unwrap().push(&mut sram, [number]);
                tell(&mut bells[1]);
            }
            core_a.join().unwrap();
        }
        core_b.join().unwrap();
    });
    both_ran.load(SeqCst)
}

const WAITING: Work = Work { waiting: 2, made: 0, arriving: 0 };
const MADE: Work = Work { waiting: 0, made: 2, arriving: 0 };
const ARRIVING: Work = Work { waiting: 0, made: 0, arriving: 1 };
const WAITING_AND_ARRIVING: Work = Work { waiting: 1, made: 0, arriving: 1 };

#[test]
fn a_part_runs_on_one_core_at_a_time_and_both_cores_run_parts() {
    assert!(run("source and sink, 3 switches", Some(3), MADE, Fault::None));
}

#[test]
fn no_work_is_slept_through() {
    run("a waiting entry", None, Work { waiting: 1, ..WAITING }, Fault::None);
    run("two waiting entries, 5 switches", Some(5), WAITING, Fault::None);
    run("an arriving entry, 3 switches", Some(3), ARRIVING, Fault::None);
    run("a waiting and an arriving entry, 3 switches", Some(3), WAITING_AND_ARRIVING, Fault::None);
}

#[test]
#[should_panic(expected = "two cores run one part")]
fn a_claim_without_the_semaphore_is_found() {
    run("", Some(3), WAITING, Fault::NoSemaphore);
}

#[test]
#[should_panic(expected = "two cores run one part")]
fn a_part_released_before_it_is_run_is_found() {
    run("", Some(3), WAITING, Fault::ReleaseBeforeRun);
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_core_that_sleeps_after_a_release_without_a_look_is_found() {
    run("", Some(3), WAITING, Fault::SleepAfterRelease);
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_core_that_looks_before_it_releases_is_found() {
    run("", Some(3), WAITING_AND_ARRIVING, Fault::LookBeforeRelease);
}

#[test]
#[should_panic(expected = "deadlock")]
fn a_bell_cleared_after_the_look_is_found() {
    run("", Some(3), ARRIVING, Fault::ClearAfterLook);
}
