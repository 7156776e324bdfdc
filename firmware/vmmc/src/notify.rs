//! Notifications: a write that asks for it, and whose data are in host memory, is told to the driver (M-6).

use nic_device::Place;
use nic_layout::counter::Counter;
use nic_layout::frame::word;
use nic_layout::ring::MAILBOX_NOTIFY;
use nic_layout::tables::NOTIFY_RING_ENTRIES;
use nic_layout::trace::Marker;

use crate::turn::Answer;
use crate::{Machine, Tables};
use nic_device::Device;
use nic_plan::NOTIFY_ENTRY_BYTES;

/// Free-running indices of the ring: `read <= raised <= taken <= read + NOTIFY_RING_ENTRIES`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Notifications {
    /// Those whose frame was accepted.
    taken: u32,
    /// Those whose data are in host memory: the driver was told.
    raised: u32,
    /// Those that the driver has read.
    read: u32,
}

impl Notifications {
    pub(crate) const EMPTY: Notifications = Notifications { taken: 0, raised: 0, read: 0 };

    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.taken.wrapping_sub(self.read) >= NOTIFY_RING_ENTRIES
    }

    /// Some wait for their data.
    #[inline(always)]
    pub(crate) fn is_behind(&self) -> bool {
        self.raised != self.taken
    }
}

impl<T: Tables> Machine<T> {
    fn notify_entry(&self, index: u32) -> u32 {
        self.settings.notify_ring + index % NOTIFY_RING_ENTRIES * NOTIFY_ENTRY_BYTES
    }

    /// A frame that notifies was accepted, and the transfers of its data, and of those before it, are posted. The ring is not full.
    #[cold]
    #[inline(never)]
    pub(crate) fn notify(&mut self, dev: &mut impl Device, at: Place, node: usize, data_bytes: u32) {
        let entry = self.notify_entry(self.notifications.taken);
        let end_offset = dev.get(at, word::BUFFER_OFFSET).wrapping_add(data_bytes);
        let words = [
            dev.get(at, word::BUFFER),
            dev.get(at, word::KEY_0),
            end_offset,
            dev.get(at, word::MESSAGE),
            node as u32,
            self.writes.next_number(),
        ];
        for (word, at) in words.into_iter().zip((entry..).step_by(4)) {
            dev.write(at, word);
        }
        self.notifications.taken = self.notifications.taken.wrapping_add(1);
        dev.count(Counter::NotificationsTaken);
        // Somebody waits for the end of this transfer.
        self.answer = Answer::NotAwaited;
        self.raise_notifications(dev);
    }

    /// Tells the driver of those whose data are in host memory, in the order in which they came.
    #[cold]
    #[inline(never)]
    pub(crate) fn raise_notifications(&mut self, dev: &mut impl Device) {
        let before = self.notifications.raised;
        while self.notifications.is_behind() {
            const FENCE: u32 = 20;
            let fence = dev.read(self.notify_entry(self.notifications.raised) + FENCE);
            if !self.writes.has_ended(fence) {
                break;
            }
            self.notifications.raised = self.notifications.raised.wrapping_add(1);
        }
        let raised = self.notifications.raised;
        if raised != before {
            dev.count_many(Counter::NotificationsRaised, raised.wrapping_sub(before));
            dev.to_host(MAILBOX_NOTIFY, raised);
            dev.trace(Marker::NotifyRaised, raised);
        }
    }

    /// The driver has read all notifications before `consumer`.
    pub(crate) fn on_notified(&mut self, dev: &mut impl Device, consumer: u32) {
        let Notifications { raised, read, .. } = self.notifications;
        let count = consumer.wrapping_sub(read);
        if count > raised.wrapping_sub(read) {
            dev.count(Counter::MailboxesWild);
            return;
        }
        self.notifications.read = consumer;
        dev.count_many(Counter::NotificationsRead, count);
    }
}
