//! A NIC that is reset while processes use it, and peers that start again (INV-12, 17, 23, 31, 34,
//! 36).

use host_model::address::NodeId;
use host_model::driver::{DriverError, DriverOptions};
use host_model::library::{Process, WriteError};
use host_model::mock::Place;
use host_model::processor::Priority;
use nic_layout::boot::{LinkRequest, Sections, BOOT_MAGIC};
use nic_layout::registers::mailbox;
use nic_layout::ring::{restart_peer, MAILBOX_COMMAND};

use crate::common;
use crate::common::{options, Bench};

/// Commands that the driver has written since the start or the last call.
fn commands(bench: &Bench) -> Vec<u32> {
    let place = Place::Register(mailbox::TO_NIC.at(MAILBOX_COMMAND).offset().0);
    let commands = bench.writes().into_iter().filter(|(at, _)| *at == place).map(|(_, value)| value).collect();
    bench.forget_writes();
    commands
}

fn session_of_the_request(bench: &Bench) -> u32 {
    let words = bench.nic.borrow().request();
    let link: LinkRequest =
        Sections::parse(&words, BOOT_MAGIC).expect("a request").get().expect("every firmware has it");
    link.session
}

fn reset(bench: &mut Bench) -> Result<u32, DriverError> {
    bench.run(|node| async move { node.reset_nic().await })
}

fn told(bench: &mut Bench, node: u16, session: u32) -> Result<(), DriverError> {
    bench.run(move |host| async move {
        let cpu = host.cpu("management", Priority::KernelThread);
        host.driver().restart_peer(&cpu, NodeId(node), session).await
    })
}

fn pinned(bench: &Bench) -> u64 {
    bench.host.node().memory().borrow().counts().pinned_now
}

#[test]
fn a_reset_ends_posts_and_pins_and_leaves_memory() {
    let mut bench = Bench::ready();
    let process = bench.open();
    let at = process.alloc(4 * 4096).expect("memory");
    process.store(at, b"it stays").expect("own memory");
    let user = process.clone();
    let export = bench.run(|_| async move { user.export(at, 4096).await.expect("a buffer") });
    bench.nic.borrow_mut().completes_posts = false;
    let user = process.clone();
    let waiting = bench.host.spawn("waits", |_| async move {
        let handle = user.write(at, 8, &export, 0, 1).await.expect("room");
        user.wait(handle).await
    });
    bench.us(50);
    assert!(!waiting.is_ended() && pinned(&bench) > 0);

    assert_eq!(reset(&mut bench), Ok(1));
    assert_eq!(waiting.take(), Some(Err(WriteError::NicReset)));
    assert_eq!((pinned(&bench), session_of_the_request(&bench)), (0, 1));
    assert_eq!(process.load(at, 8).expect("own memory"), b"it stays");
    assert!(process.nic_was_reset() && bench.host.node().driver().resets() == 1);
    let user = process.clone();
    let late = bench.run(|_| async move { user.write(at, 8, &export, 0, 2).await });
    assert_eq!(late, Err(WriteError::NicReset));

    bench.nic.borrow_mut().completes_posts = true;
    let next = bench.open();
    assert_ne!(next.pid(), process.pid());
    let new = bench.run(|_| async move {
        let at = next.alloc(4096).expect("memory");
        let new = next.export(at, 4096).await.expect("a buffer");
        let handle = next.write(at, 8, &new, 0, 3).await.expect("room");
        next.wait(handle).await.expect("it is well");
        new
    });
    assert_ne!(new.key, export.key, "a key of the earlier incarnation");
    let end = |process: Process| move |_| async move { process.close().await };
    assert_eq!(bench.run(end(process.clone())), Ok(()));
    assert_eq!(bench.run(end(process.clone())), Err(DriverError::ProcessEnded(process.pid().0)));
    assert_eq!(bench.host.faults(), [""; 0]);
}

#[test]
fn a_peer_that_starts_again_is_told_by_one_command() {
    let mut bench = Bench::ready();
    bench.forget_writes();
    assert_eq!(told(&mut bench, 0, 7), Ok(()));
    assert_eq!(commands(&bench), [restart_peer(0, 7)]);
    for node in [1, 2] {
        assert_eq!(told(&mut bench, node, 7), Err(DriverError::NoSuchPeer { node, own: 1 }));
    }
}

#[test]
fn a_firmware_that_starts_learns_the_sessions_of_its_peers() {
    let mut bench = Bench::with(common::platform(), DriverOptions { session: 255, ..options() });
    bench.boot().expect("the mock NIC boots");
    assert_eq!(commands(&bench), [0; 0], "all are taken to have the same");
    // After 255 comes 0; the peer is still 255.
    assert_eq!((reset(&mut bench), commands(&bench)), (Ok(0), vec![restart_peer(0, 255)]));
    assert_eq!(told(&mut bench, 0, 1), Ok(()));
    bench.forget_writes();
    // Now both have the same again.
    assert_eq!((reset(&mut bench), commands(&bench)), (Ok(1), vec![]));
}

#[test]
fn calls_that_are_under_way_end_with_the_reset() {
    let mut bench = Bench::ready();
    let process = bench.open();
    bench.nic.borrow_mut().command_answer = None;
    let closing = bench.host.spawn("closes", move |_| async move { process.close().await });
    bench.us(20);
    assert!(!closing.is_ended(), "it waits for the firmware");
    bench.nic.borrow_mut().command_answer = Some(|command| command);
    assert_eq!(reset(&mut bench), Ok(1));
    assert_eq!(closing.take(), Some(Err(DriverError::NicReset)));
    assert_eq!((pinned(&bench), bench.host.faults()), (0, vec![]));
}

#[test]
fn a_nic_that_was_not_started_cannot_be_reset() {
    let mut bench = Bench::new();
    assert_eq!(reset(&mut bench), Err(DriverError::NotReady));
}
