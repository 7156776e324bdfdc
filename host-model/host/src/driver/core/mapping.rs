//! What the page table of a process says of its post queue, and stores that go through it.

use std::cell::Cell;
use std::rc::Rc;

use crate::address::BusAddr;
use crate::executor::Notify;

/// A post queue and its doorbell, where a process sees them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueuePages {
    /// Number of the post queue.
    pub slot: usize,
    /// Bus address of the first byte of the queue.
    pub post_queue: BusAddr,
    /// Bus address of the doorbell's page.
    pub doorbell: BusAddr,
}

/// What the page table of a process says of its post queue.
#[derive(Default)]
pub struct Mapping {
    pages: Cell<Option<QueuePages>>,
    /// How often it was mapped.
    times: Cell<u64>,
    /// Stores that were translated and are not on the bus yet: unmapping waits for them, as for the
    /// answer of the processor that makes them.
    stores: Cell<u32>,
    stored: Notify,
    /// The accessed bits of the doorbell page: since it was mapped, and since the driver looked for
    /// a queue to take.
    rung: Cell<bool>,
    used: Cell<bool>,
}

/// A store that is under way.
pub struct Store {
    mapping: Rc<Mapping>,
    /// The queue to which the store goes.
    pub pages: QueuePages,
    /// Two stores with the same number went to the same queue, which was not taken in between.
    pub time: u64,
}

impl Mapping {
    /// Translates the address of a store. `None` is a page fault.
    pub fn translate(self: &Rc<Self>) -> Option<Store> {
        let pages = self.pages.get()?;
        self.stores.set(self.stores.get() + 1);
        Some(Store { mapping: self.clone(), pages, time: self.times.get() })
    }

    /// The queue that is mapped; `None`: a store takes a page fault.
    pub fn pages(&self) -> Option<QueuePages> {
        self.pages.get()
    }

    pub(super) fn map(&self, pages: QueuePages) {
        self.times.set(self.times.get() + 1);
        self.rung.set(false);
        self.used.set(true);
        self.pages.set(Some(pages));
    }

    /// No store is translated from now on; waits for those that were.
    pub(super) async fn unmap(&self) {
        self.pages.set(None);
        self.stored.wait_until(|| self.stores.get() == 0).await;
    }

    /// The owner has rung its doorbell since the queue was mapped.
    pub(super) fn was_rung(&self) -> bool {
        self.rung.get()
    }

    /// The owner has rung its doorbell since this was asked last, or the queue was mapped.
    pub(super) fn take_used(&self) -> bool {
        self.used.replace(false)
    }
}

impl Store {
    /// It goes to the doorbell.
    pub fn rings(&self) {
        self.mapping.rung.set(true);
        self.mapping.used.set(true);
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let stores = self.mapping.stores.get() - 1;
        self.mapping.stores.set(stores);
        if stores == 0 {
            self.mapping.stored.notify();
        }
    }
}
