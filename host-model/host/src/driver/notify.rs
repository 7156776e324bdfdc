//! Notifications: the NIC says that a write with the notify flag is in memory, and the buffer's process is told (facts M-3, M-6).

use nic_layout::registers::mailbox;
use nic_layout::ring::MAILBOX_NOTIFIED;
use nic_layout::tables::{NotifyEntry, NOTIFY_RING_ENTRIES};
use sim_pins::Ps;

use super::device::Device;
use super::error::DriverError;
use super::Driver;
use crate::address::{NodeId, Pid};
use crate::executor::{Channel, Sim};
use crate::library::Export;

/// A write that has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Notification {
    pub from: NodeId,
    /// Where it ends in the buffer.
    pub end_offset: u32,
    pub message: u32,
}

/// The notifications of one buffer, in the order in which the writes came. Clones take from the same queue.
#[derive(Clone)]
pub struct Notifications {
    sim: Sim,
    queue: Channel<(Ps, Notification)>,
}

impl Notifications {
    /// Waits for the next one, as a handler does: asleep, until the signal has come.
    pub async fn next(&self) -> Notification {
        loop {
            self.queue.filled().await;
            // Another task may have taken it.
            if let Some((due, notification)) = self.queue.try_receive() {
                self.sim.sleep_until(due.max(self.sim.now())).await;
                return notification;
            }
        }
    }
}

/// Who is told of writes into a buffer.
pub(super) struct Listener {
    /// Low word of the buffer's key: a notification of an earlier buffer with that number is not for it.
    key: u32,
    queue: Channel<(Ps, Notification)>,
}

impl Driver {
    /// The notifications of a buffer of the process, from now on.
    pub fn listen(&self, pid: Pid, export: &Export) -> Result<Notifications, DriverError> {
        self.check_alive()?;
        if !self.owns(pid, export.buffer) {
            return Err(DriverError::NoSuchBuffer { buffer: export.buffer });
        }
        let queue = Channel::default();
        let listener = Listener { key: export.key[0], queue: queue.clone() };
        self.0.state.borrow_mut().listeners.insert(export.buffer, listener);
        Ok(Notifications { sim: self.0.sim.clone(), queue })
    }

    pub(super) fn forget_listener(&self, buffer: u32) {
        self.0.state.borrow_mut().listeners.remove(&buffer);
    }

    /// In the handler: reads the new entries of the ring, each word once, gives their places back, and signals whoever listens.
    pub(super) async fn take_notifications(&self, device: &Device, producer: u32) -> Result<(), DriverError> {
        let layout = self.layout()?;
        let before = self.0.notified.get();
        let new = producer.wrapping_sub(before);
        if new > NOTIFY_RING_ENTRIES {
            self.count(|counts| counts.rejected_producers += 1);
            return Ok(());
        }
        for index in (0..new).map(|n| before.wrapping_add(n)) {
            let entry: NotifyEntry = device.read_struct(layout.notify_entry(index)).await?;
            self.signal(&entry);
        }
        self.0.notified.set(producer);
        if new != 0 {
            device.write(mailbox::TO_NIC.at(MAILBOX_NOTIFIED), producer).await;
        }
        Ok(())
    }

    fn signal(&self, entry: &NotifyEntry) {
        let due = self.0.sim.now() + Ps::from_ns(self.0.platform.host.notification_ns);
        let state = self.0.state.borrow();
        let listener = state.listeners.get(&entry.buffer).filter(|listener| listener.key == entry.key);
        let heard = listener.is_some();
        if let Some(listener) = listener {
            let from = NodeId(entry.source_node as u16);
            let notification = Notification { from, end_offset: entry.end_offset, message: entry.message };
            listener.queue.send((due, notification));
        }
        self.count(|counts| {
            counts.notifications += 1;
            counts.notifications_heard += u64::from(heard);
            counts.notifications_unheard += u64::from(!heard);
        });
    }
}
