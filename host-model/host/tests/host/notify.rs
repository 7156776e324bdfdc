//! Notifications: from the ring to the process that listens.

use host_model::address::NodeId;
use host_model::driver::Notification;
use host_model::library::Access;
use nic_layout::cbh::valid;
use nic_layout::registers::mailbox;
use nic_layout::ring::{MAILBOX_MISS, MAILBOX_NOTIFIED};
use nic_layout::tables::{MissEntry, NotifyEntry, MISS_BUFFER, NOTIFY_RING_ENTRIES, PERMIT_READ, PERMIT_WRITE};
use sim_pins::Ps;

use crate::common::Bench;

fn entry(buffer: u32, key: u32, message: u32) -> NotifyEntry {
    NotifyEntry { buffer, key, end_offset: 100 + message, message, source_node: 0, ..NotifyEntry::default() }
}

#[test]
fn what_others_may_do_stands_in_the_entry_of_the_buffer() {
    let mut bench = Bench::ready();
    let process = bench.open();
    for (access, permissions) in
        [(Access::WRITE, PERMIT_WRITE), (Access::READ, PERMIT_READ), (Access::BOTH, PERMIT_WRITE | PERMIT_READ)]
    {
        let process = process.clone();
        let export = bench.run(|_| async move {
            let at = process.alloc(4096).expect("room");
            process.export_as(at, 4096, access).await.expect("a free entry")
        });
        let line = bench.nic.borrow().cbh_geometry.set_of(export.buffer) * 2;
        bench.nic.borrow_mut().reserve_buffer(line, export.buffer);
        let miss = MissEntry { key: export.buffer, line, kind: MISS_BUFFER, cycles: 0 };
        bench.nic.borrow_mut().report_misses(&[miss]);
        bench.us(100);
        assert_eq!(bench.nic.borrow().cbh_entry(line)[5], valid(permissions));
    }
}

#[test]
fn notifications_reach_the_listener_in_order_and_their_places_are_given_back() {
    let mut bench = Bench::ready();
    let process = bench.open();
    let owner = process.clone();
    let (export, told) = bench.run(|_| async move {
        let at = owner.alloc(4096).expect("room");
        owner.export_with_notifications(at, 4096, Access::WRITE).await.expect("a free entry")
    });
    let begin = bench.now;
    bench
        .nic
        .borrow_mut()
        .report_notifications(&[entry(export.buffer, export.key[0], 1), entry(export.buffer, export.key[0], 2)]);
    let (heard, took) = bench.run(move |node| async move {
        let heard = [told.next().await, told.next().await];
        (heard, node.sim().now() - begin)
    });
    let expected = |message| Notification { from: NodeId(0), end_offset: 100 + message, message };
    assert_eq!(heard, [expected(1), expected(2)]);
    // Interrupt, handler and signal: 24 us in all (SN-3). The handler's loads and stores come on
    // top.
    assert!(took > Ps::from_us(24) && took < Ps::from_us(29), "{took}");
    assert_eq!(bench.nic.borrow().register(mailbox::TO_NIC.at(MAILBOX_NOTIFIED)), 2);
    let counts = bench.host.node().driver().counts();
    assert_eq!((counts.notifications, counts.notifications_heard), (2, 2));
}

/// Notifications without a listener: of buffers that do not exist, that no process listens to, or
/// that had the number before; and an impossible index.
#[test]
fn hostile_notifications_wake_nobody() {
    let mut bench = Bench::ready();
    let process = bench.open();
    let owner = process.clone();
    let (export, told) = bench.run(|_| async move {
        let at = owner.alloc(8192).expect("room");
        owner.export(at, 4096).await.expect("a free entry");
        owner.export_with_notifications(at + 4096, 4096, Access::WRITE).await.expect("a free entry")
    });
    let waiter = bench.host.spawn("waiter", move |_| async move { told.next().await });
    let (buffer, key) = (export.buffer, export.key[0]);
    let wild = [entry(u32::MAX, key, 1), entry(buffer - 1, key, 2), entry(buffer, key ^ 1, 3)];
    bench.nic.borrow_mut().report_notifications(&wild);
    bench.us(100);
    bench.nic.borrow_mut().announce_notifications(3 + NOTIFY_RING_ENTRIES + 1);
    bench.us(100);
    assert!(!waiter.is_ended());
    let counts = bench.host.node().driver().counts();
    assert_eq!((counts.notifications_unheard, counts.rejected_producers), (3, 1));

    // The buffer is withdrawn: what was said of it before is heard no more.
    bench.run(|_| async move { process.withdraw(&export).await.expect("registered") });
    bench.nic.borrow_mut().report_notifications(&[entry(buffer, key, 4)]);
    bench.us(100);
    assert!(!waiter.is_ended());
    assert_eq!(bench.host.node().driver().counts().notifications_unheard, 4);
    assert_eq!(bench.nic.borrow().register(mailbox::TO_HOST.at(MAILBOX_MISS)), 0);
    assert_eq!(bench.host.faults(), Vec::<String>::new());
}
