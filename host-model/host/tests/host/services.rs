//! A personality of which the driver's sources know nothing: a service of its own, and one entry in
//! the table that the host is given.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use async_trait::async_trait;
use host_model::address::Pid;
use host_model::driver::core::layout::Reply;
use host_model::driver::core::service::{Core, Interrupt, Places, Service};
use host_model::driver::{DriverError, ServiceEntry, SERVICES};
use host_model::library::Process;
use host_model::processor::Cpu;
use nic_layout::counter::{Set, LINK, POSTS};
use nic_layout::post::PostDescriptor;
use nic_layout::registers::mailbox;

use crate::common::{options, platform, Bench};

// ---- The personality -------------------------------------------------------------------------

/// The NIC counts something, and tells the driver how much.
struct Tally {
    core: Core,
    count: Cell<u32>,
    told: Cell<u32>,
    open: RefCell<Vec<Pid>>,
}

const PERSONALITY: u32 = 0xC047;
const COUNTERS: &[&Set] = &[&LINK, &POSTS];
/// Mailbox, and so cause, of the count.
const MAILBOX_COUNT: usize = 3;
/// Mailbox by which processes tell the NIC what to add.
const MAILBOX_ADD: usize = 4;
/// The NIC forgets what a process has added.
const COMMAND_FORGET: u32 = 0xB;
const TALLY: &[ServiceEntry] =
    &[SERVICES[0], ServiceEntry { personality: PERSONALITY, counters: COUNTERS, request: None, make: Tally::make }];

impl Tally {
    fn make(core: &Core, _reply: &Reply) -> Result<Rc<dyn Service>, DriverError> {
        Ok(Rc::new(Tally { core: core.clone(), count: Cell::new(0), told: Cell::new(0), open: RefCell::default() }))
    }
}

#[async_trait(?Send)]
impl Service for Tally {
    fn places(&self) -> Places {
        Places::Shared
    }

    fn causes(&self) -> u32 {
        1 << MAILBOX_COUNT
    }

    async fn interrupt(&self, interrupt: &Interrupt<'_>) -> Result<(), DriverError> {
        self.count.set(interrupt.device.read(mailbox::TO_HOST.at(MAILBOX_COUNT)).await?);
        self.told.set(self.told.get() + 1);
        Ok(())
    }

    fn open(&self, pid: Pid) {
        self.open.borrow_mut().push(pid);
    }

    async fn hide(&self, cpu: &Cpu, _pid: Pid) -> Result<(), DriverError> {
        self.core.commands.wait_for_mailboxes(cpu, 1 << MAILBOX_ADD, COMMAND_FORGET).await?;
        self.core.commands.send(cpu, COMMAND_FORGET).await
    }

    async fn close(&self, _cpu: &Cpu, pid: Pid) -> Result<(), DriverError> {
        self.open.borrow_mut().retain(|open| *open != pid);
        Ok(())
    }

    fn unbalanced(&self) -> Vec<String> {
        let posted = self.core.context.counts().misses;
        if posted == 0 {
            Vec::new()
        } else {
            vec![format!("INV-38: {posted} misses of a NIC that counts")]
        }
    }
}

// ---- What the driver does for it -------------------------------------------------------------

fn bench() -> Bench {
    let mut bench = Bench::serving(platform(), options(), TALLY);
    bench.nic.borrow_mut().spoil_reply = Some(|reply| reply.personality = PERSONALITY);
    bench.boot().expect("a personality of the table");
    bench
}

fn tally(bench: &Bench) -> Rc<Tally> {
    bench.host.node().driver().service::<Tally>().expect("the firmware says so")
}

fn open(bench: &mut Bench) -> Process<()> {
    bench.run(|node| async move { node.open_with("app").await.expect("a free slot") })
}

#[test]
fn processes_post_and_see_the_end_as_with_any_other() {
    let mut bench = bench();
    let process = open(&mut bench);
    let poster = process.clone();
    bench.run(|_| async move {
        for message in 1..=3 {
            let descriptor = PostDescriptor { op: 7, length_bytes: 8, message, ..PostDescriptor::default() };
            let handle = poster.post_entries(&descriptor, &[], 0).await.expect("room");
            poster.wait(handle).await.expect("the mock NIC ends it well");
        }
    });
    let messages: Vec<u32> = bench.nic.borrow().posts.iter().map(|(_, post)| post.message).collect();
    assert_eq!(messages, [1, 2, 3]);
    assert_eq!(*tally(&bench).open.borrow(), [process.pid()]);
    assert_eq!(bench.host.node().driver().counter_sets(), COUNTERS);
    bench.run(|_| async move { process.close().await.expect("open") });
    assert!(tally(&bench).open.borrow().is_empty());
    assert_eq!(bench.host.accounting().memory.pinned_now, 0);
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

#[test]
fn its_causes_come_to_the_service_and_others_are_not_enabled() {
    let mut bench = bench();
    bench.nic.borrow_mut().set_register(mailbox::TO_HOST.at(MAILBOX_COUNT), 5);
    bench.nic.borrow_mut().raise(MAILBOX_COUNT as u32);
    bench.nic.borrow_mut().raise(0);
    bench.us(50);
    assert_eq!((tally(&bench).count.get(), tally(&bench).told.get()), (5, 1));
    let counts = bench.host.node().driver().counts();
    assert_eq!((counts.interrupts, counts.misses, counts.unknown_causes), (1, 0, 0));
}

/// The NIC may take a command before a mailbox that was written before it.
#[test]
fn a_command_waits_until_the_mailboxes_before_it_are_taken() {
    let mut bench = bench();
    let process = open(&mut bench);
    bench.nic.borrow_mut().set_register(mailbox::PENDING, 1 << MAILBOX_ADD | 1 << MAILBOX_COUNT);
    bench.forget_writes();
    let closing = bench.host.spawn("closing", move |_| async move { process.close().await });
    bench.us(100);
    let is_told = |bench: &Bench| bench.writes().iter().any(|(_, value)| *value == COMMAND_FORGET);
    assert!(!is_told(&bench) && closing.take().is_none());
    // Another mailbox does not matter.
    bench.nic.borrow_mut().set_register(mailbox::PENDING, 1 << MAILBOX_COUNT);
    bench.us(100);
    assert!(is_told(&bench));
    assert_eq!(closing.take(), Some(Ok(())));
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}

#[test]
fn a_nic_that_takes_no_mailbox_is_given_up() {
    let mut bench = bench();
    let process = open(&mut bench);
    bench.nic.borrow_mut().set_register(mailbox::PENDING, 1 << MAILBOX_ADD);
    let outcome = bench.run(|_| async move { process.close().await });
    let timeout = |error: &DriverError| matches!(error, DriverError::CommandTimeout { command: COMMAND_FORGET, .. });
    assert!(outcome.as_ref().is_err_and(timeout), "{outcome:?}");
}

#[test]
fn what_it_does_not_have_is_refused() {
    let mut bench = bench();
    let refused = bench.run(|node| async move { node.open("app").await.err() });
    assert_eq!(refused, Some(DriverError::NoRemoteMemory));
    assert_eq!(bench.host.accounting().memory.pinned_now, 0);
}

#[test]
fn a_personality_that_is_not_in_the_table_is_refused() {
    let mut bench = Bench::new();
    bench.nic.borrow_mut().spoil_reply = Some(|reply| reply.personality = PERSONALITY);
    assert_eq!(bench.boot(), Err(DriverError::BadLayout { what: "personality", value: PERSONALITY }));
}

#[test]
fn counts_of_a_service_that_do_not_add_up_are_a_fault() {
    let mut bench = bench();
    tally(&bench).core.context.count(|counts| counts.misses += 1);
    assert_eq!(bench.host.faults(), ["INV-38: 1 misses of a NIC that counts"]);
}
