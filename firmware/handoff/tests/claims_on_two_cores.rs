//! Two cores that run the same two parts, in every interleaving of their accesses. Each planted
//! fault must be found.

mod cores;

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::Arc;

use cores::parts::{Node, Work};
use cores::{check, Lock, Sram, Word};
use loom::thread;
use nic_handoff::{tell, Bell, Claims, Core, Semaphore};

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
fn two_cores_that_claim_without_a_look_never_run_one_part() {
    check("two claims of two parts by each core", None, || {
        let (sram, lock) = (Sram::new(Claims::bytes()), Lock::new());
        let runs = [Word::new(0), Word::new(0)];
        let run_core = |core| {
            let (mut sram, mut lock, runs) = (sram.clone(), lock.clone(), runs.clone());
            move || {
                let claims = Claims::at(&sram, 0, core);
                for ready in [0b11, 0b10] {
                    if let Some(part) = claims.claim(&mut sram, &mut lock, ready) {
                        assert!(ready >> part & 1 == 1);
                        assert_eq!(runs[part as usize].put(1), 0, "two cores run one part");
                        runs[part as usize].put(0);
                        claims.release(&mut sram);
                    }
                }
            }
        };
        let core_b = thread::spawn(run_core(Core::B));
        run_core(Core::A)();
        core_b.join().unwrap();
    });
}

#[test]
fn a_part_runs_on_one_core_at_a_time_and_both_cores_run_parts() {
    assert!(run("source and sink, 3 switches", Some(3), MADE, Fault::None));
}

#[test]
fn no_work_is_slept_through() {
    run("a waiting entry, 6 switches", Some(6), Work { waiting: 1, ..WAITING }, Fault::None);
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
