//! Writes that notify. The NIC notifies when their data are in memory, and only as fast as the
//! driver reads the ring (M-6, INV-28).

use nic_layout::counter::Counter;
use nic_layout::post::{PostDescriptor, PostError, OP_READ, POST_FLAG_NOTIFY};
use nic_layout::ring::{MAILBOX_NOTIFIED, MAILBOX_NOTIFY};
use nic_layout::tables::NOTIFY_RING_ENTRIES;

use crate::mock::scene::{frame, post, world, CBH};
use crate::mock::SETTINGS;

#[test]
fn a_notification_waits_for_its_data() {
    let mut world = world(SETTINGS);
    world.nodes[1].deliver(&frame(0, |_, write| write.data_bytes = 0));
    world.settle();
    // A first write brings the translation to the NIC.
    world.nodes[1].deliver(&frame(1, |_, _| {}));
    world.settle();
    world.nodes[1].deliver(&frame(1, |_, write| write.notify = true));
    for _ in 0..50 {
        world.nodes[1].step_firmware();
    }
    let node = &mut world.nodes[1];
    assert_eq!(node.counter(Counter::NotificationsTaken), 1);
    assert_eq!(node.hardware.to_host[MAILBOX_NOTIFY], 0, "the data are not in memory");
    node.step_write(false);
    for _ in 0..50 {
        node.step_firmware();
    }
    assert_eq!(node.hardware.to_host[MAILBOX_NOTIFY], 1);
    node.read_notification();
    let told = node.host.notified[0];
    assert_eq!((told.buffer, told.key, told.end_offset, told.source_node), (CBH, 1, 4, 0));
}

#[test]
fn a_full_ring_of_notifications_drops_the_next_until_one_is_read() {
    let mut world = world(SETTINGS);
    let notify = |sequence| frame(sequence, |_, write| (write.notify, write.data_bytes) = (true, 0));
    let node = &mut world.nodes[1];
    for sequence in 0..=NOTIFY_RING_ENTRIES {
        node.deliver(&notify(sequence));
        node.step_firmware();
    }
    assert_eq!(node.counter(Counter::NotificationsRaised), NOTIFY_RING_ENTRIES);
    assert_eq!(node.counter(Counter::FramesDroppedNotify), 1);
    // The index claims more notifications than were raised, so the NIC ignores it.
    node.write_mailbox(MAILBOX_NOTIFIED, NOTIFY_RING_ENTRIES + 1);
    node.step_firmware();
    assert_eq!(node.counter(Counter::MailboxesWild), 1);
    node.read_notification();
    node.step_firmware();
    node.deliver(&notify(NOTIFY_RING_ENTRIES));
    node.step_firmware();
    assert_eq!(node.counter(Counter::NotificationsRaised), NOTIFY_RING_ENTRIES + 1);
}

/// M-6 in the direction of reads is absent: no process is told, and the post says so.
#[test]
fn a_read_that_asks_for_a_notification_is_refused() {
    let mut world = world(SETTINGS);
    let read = PostDescriptor { op: OP_READ, flags: POST_FLAG_NOTIFY, ..post(4) };
    world.nodes[0].post(0, &read);
    world.run(20_000, |world| world.nodes[0].status(0).ended == 1);
    world.settle();
    let status = world.nodes[0].status(0);
    assert_eq!((status.refused, status.last_error), (1, PostError::UnknownOperation as u32));
    assert_eq!(world.nodes[0].counter(Counter::FramesSent), 0);
    assert_eq!(world.nodes[1].counter(Counter::NotificationsTaken), 0);
    world.nodes[0].check_sums(true);
}
