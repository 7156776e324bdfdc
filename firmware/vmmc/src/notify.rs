//! Notifications: the NIC tells the driver of a write that asks for it, once the data are in host
//! memory (M-6).

use nic_device::Place;
use nic_layout::counter::Counter;
use nic_layout::frame::rdma::word;
use nic_layout::ring::MAILBOX_NOTIFY;
use nic_layout::tables::NOTIFY_RING_ENTRIES;
use nic_layout::trace::Marker;

use crate::wire::Layers;
use crate::Tables;
use nic_device::Device;
use nic_plan::NOTIFY_ENTRY_BYTES;

/// Free-running indices of the ring: `read <= raised <= taken <= read + NOTIFY_RING_ENTRIES`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Notifications {
    /// SRAM offset of the ring.
    ring: u32,
    /// Notifications whose frame was accepted.
    taken: u32,
    /// Notifications whose data are in host memory. The driver was told of them.
    raised: u32,
    /// Notifications that the driver has read.
    read: u32,
}

impl Notifications {
    pub(crate) const NONE: Notifications = Notifications { ring: 0, taken: 0, raised: 0, read: 0 };

    pub(crate) fn new(ring: u32) -> Notifications {
        Notifications { ring, ..Notifications::NONE }
    }

    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.taken.wrapping_sub(self.read) >= NOTIFY_RING_ENTRIES
    }

    /// Whether a notification waits for its data.
    #[inline(always)]
    pub(crate) fn is_behind(&self) -> bool {
        self.raised != self.taken
    }

    fn entry(&self, index: u32) -> u32 {
        self.ring + index % NOTIFY_RING_ENTRIES * NOTIFY_ENTRY_BYTES
    }

    /// Takes the notification of an accepted frame. The host writes of its data and of all data
    /// before it are posted. The ring is not full.
    #[cold]
    #[inline(never)]
    pub(crate) fn take<T: Tables>(
        &mut self,
        layers: &mut Layers<T>,
        dev: &mut impl Device,
        at: Place,
        node: usize,
        data_bytes: u32,
    ) {
        let entry = self.entry(self.taken);
        let end_offset = dev.get(at, word::BUFFER_OFFSET).wrapping_add(data_bytes);
        let words = [
            dev.get(at, word::BUFFER),
            dev.get(at, word::KEY_0),
            end_offset,
            dev.get(at, word::MESSAGE),
            node as u32,
            layers.writes.next_number(),
        ];
        for (word, at) in words.into_iter().zip((entry..).step_by(4)) {
            dev.write(at, word);
        }
        self.taken = self.taken.wrapping_add(1);
        dev.count(Counter::NotificationsTaken);
        // The process waits for the notification, so the end of this transfer is urgent.
        layers.await_nothing();
        self.raise(layers, dev);
    }

    /// Tells the driver of the notifications whose data are in host memory, in the order of their
    /// frames.
    #[cold]
    #[inline(never)]
    pub(crate) fn raise<T: Tables>(&mut self, layers: &Layers<T>, dev: &mut impl Device) {
        let before = self.raised;
        while self.is_behind() {
            const FENCE: u32 = 20;
            let fence = dev.read(self.entry(self.raised) + FENCE);
            if !layers.writes.has_ended(fence) {
                break;
            }
            self.raised = self.raised.wrapping_add(1);
        }
        let raised = self.raised;
        if raised != before {
            dev.count_many(Counter::NotificationsRaised, raised.wrapping_sub(before));
            dev.to_host(MAILBOX_NOTIFY, raised);
            dev.trace(Marker::NotifyRaised, raised);
        }
    }

    /// Records that the driver has read all notifications before `consumer`. A claim beyond the
    /// raised notifications is counted and ignored.
    pub(crate) fn on_notified(&mut self, dev: &mut impl Device, consumer: u32) {
        let Notifications { raised, read, .. } = *self;
        let count = consumer.wrapping_sub(read);
        if count > raised.wrapping_sub(read) {
            dev.count(Counter::MailboxesWild);
            return;
        }
        self.read = consumer;
        dev.count_many(Counter::NotificationsRead, count);
    }
}
