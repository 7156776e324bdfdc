//! Notifications: the NIC says that a write with the notify flag is in memory, and the buffer's
//! process is told (facts M-3, M-6).

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use nic_layout::cbh::cbh_pid;
use nic_layout::registers::mailbox;
use nic_layout::ring::{MAILBOX_NOTIFIED, MAILBOX_NOTIFY};
use nic_layout::tables::{NotifyEntry, NOTIFY_RING_ENTRIES};
use sim_pins::Ps;

use super::access::Export;
use crate::address::{NodeId, Pid};
use crate::driver::core::context::Context;
use crate::driver::core::device::Device;
use crate::driver::core::error::DriverError;
use crate::executor::{Channel, Sim};

/// A write that has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Notification {
    /// The node that wrote.
    pub from: NodeId,
    /// Where it ends in the buffer.
    pub end_offset: u32,
    /// The number that the sender gave the message.
    pub message: u32,
}

/// The notifications of one buffer, in the order in which the writes came. Clones take from the
/// same queue.
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

/// A process that is told of writes into a buffer.
struct Listener {
    /// Low word of the buffer's key: a notification of an earlier buffer with that number is not
    /// for it.
    key: u32,
    queue: Channel<(Ps, Notification)>,
}

/// The notifications of one NIC.
pub struct Notifier {
    context: Rc<Context>,
    /// Free-running index of the ring.
    taken: Cell<u32>,
    /// By the CBH word of the buffer.
    listeners: RefCell<BTreeMap<u32, Listener>>,
}

impl Notifier {
    /// No buffer has a listener.
    pub fn new(context: Rc<Context>) -> Notifier {
        Notifier { context, taken: Cell::new(0), listeners: RefCell::default() }
    }

    /// The notifications of a buffer, from now on.
    pub fn listen(&self, export: &Export) -> Notifications {
        let queue = Channel::default();
        let listener = Listener { key: export.key[0], queue: queue.clone() };
        self.listeners.borrow_mut().insert(export.buffer, listener);
        Notifications { sim: self.context.sim().clone(), queue }
    }

    /// Ends listening to a buffer, by its CBH word.
    pub fn forget(&self, buffer: u32) {
        self.listeners.borrow_mut().remove(&buffer);
    }

    /// Ends listening to all buffers of a process.
    pub fn forget_all_of(&self, pid: Pid) {
        self.listeners.borrow_mut().retain(|buffer, _| cbh_pid(*buffer) != pid.0);
    }

    /// In the interrupt handler: reads the new entries of the ring, each word once, gives their
    /// places back, and signals the listeners.
    pub async fn take(&self, device: &Device) -> Result<(), DriverError> {
        let producer = device.read(mailbox::TO_HOST.at(MAILBOX_NOTIFY)).await?;
        let rings = self.context.layout()?.rings()?;
        let before = self.taken.get();
        let new = producer.wrapping_sub(before);
        if new > NOTIFY_RING_ENTRIES {
            self.context.count(|counts| counts.rejected_producers += 1);
            return Ok(());
        }
        for index in (0..new).map(|n| before.wrapping_add(n)) {
            let entry: NotifyEntry = device.read_struct(rings.notify_entry(index)).await?;
            self.signal(&entry);
        }
        self.taken.set(producer);
        if new != 0 {
            device.write(mailbox::TO_NIC.at(MAILBOX_NOTIFIED), producer).await;
        }
        Ok(())
    }

    fn signal(&self, entry: &NotifyEntry) {
        let due = self.context.sim().now() + Ps::from_ns(self.context.costs().notification_ns);
        let listeners = self.listeners.borrow();
        let listener = listeners.get(&entry.buffer).filter(|listener| listener.key == entry.key);
        let heard = listener.is_some();
        if let Some(listener) = listener {
            let from = NodeId(entry.source_node as u16);
            let notification = Notification { from, end_offset: entry.end_offset, message: entry.message };
            listener.queue.send((due, notification));
        }
        self.context.count(|counts| {
            counts.notifications += 1;
            counts.notifications_heard += u64::from(heard);
            counts.notifications_unheard += u64::from(!heard);
        });
    }

    /// Counts that do not add up (INV-38), in words.
    pub fn unbalanced(&self) -> Option<String> {
        let counts = self.context.counts();
        let ended = counts.notifications_heard + counts.notifications_unheard;
        (counts.notifications != ended).then(|| format!("INV-38: {} notifications", counts.notifications))
    }
}
