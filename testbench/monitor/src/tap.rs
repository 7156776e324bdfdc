//! The data phases of the PCI bus, in order.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use host_pci::{AgentId, Beat, Listener, Start};
use sim_pins::Ps;

/// One data phase of a memory transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The time of the clock edge at which the data moved.
    pub at: Ps,
    /// Whether the NIC was the master.
    pub by_nic: bool,
    /// Whether the master wrote.
    pub is_write: bool,
    /// The bus address of the first byte of `data`.
    pub address: u32,
    /// The data: 4 bytes, or 8 on a 64-bit transfer, least significant first.
    pub data: u64,
    /// One bit for each byte of `data`, active high: four bits, or eight.
    pub byte_enables: u8,
}

impl Transfer {
    /// Bus addresses from the first byte that moved to the end of the last. `None`: no byte moved.
    pub(crate) fn moved(&self) -> Option<Range<u32>> {
        let enabled = self.byte_enables;
        let (first, end) = (enabled.trailing_zeros(), u8::BITS - enabled.leading_zeros());
        (enabled != 0).then(|| self.address + first..self.address + end)
    }
}

#[derive(Debug, Default)]
struct Queue {
    /// Whether `transfers` has elements. It is read in each clock of the bus, without the lock.
    has_some: AtomicBool,
    transfers: Mutex<Vec<Transfer>>,
}

/// A listener of the bus, and the end at which the recorded transfers are taken. Clones share one
/// queue. Both ends are on the node's thread.
#[derive(Clone, Debug, Default)]
pub struct Tap {
    queue: Arc<Queue>,
    by_nic: bool,
    /// The direction of the transaction. `None` if it is no memory transaction, whose data phases
    /// are not recorded.
    is_write: Option<bool>,
}

impl Tap {
    /// Whether transfers wait to be taken.
    #[inline]
    pub fn has_some(&self) -> bool {
        self.queue.has_some.load(Ordering::Relaxed)
    }

    /// Swaps the recorded transfers, in the order of time, for an empty vector. The caller uses two
    /// vectors in turn, so that no memory is allocated.
    pub fn exchange(&self, emptied: &mut Vec<Transfer>) {
        debug_assert!(emptied.is_empty());
        self.queue.has_some.store(false, Ordering::Relaxed);
        std::mem::swap(&mut *self.queue.transfers.lock().expect("nobody panics with it"), emptied);
    }
}

impl Listener for Tap {
    fn start(&mut self, _at: Ps, start: &Start) {
        self.by_nic = start.master == AgentId::Nic;
        self.is_write = start.command.filter(|command| command.is_memory()).map(|command| !command.is_read());
    }

    fn beat(&mut self, at: Ps, beat: &Beat) {
        let Some(is_write) = self.is_write else { return };
        let Beat { address, data, byte_enables, .. } = *beat;
        let transfer = Transfer { at, by_nic: self.by_nic, is_write, address: address.0, data, byte_enables };
        self.queue.transfers.lock().expect("nobody panics with it").push(transfer);
        self.queue.has_some.store(true, Ordering::Relaxed);
    }
}

/// The 32-bit words that a data phase reads or writes: address and value. A word without an active
/// byte enable is left out.
pub(crate) fn words(transfer: &Transfer) -> impl Iterator<Item = (u32, u32)> {
    let Transfer { address, data, byte_enables, .. } = *transfer;
    (0..2)
        .filter(move |half| byte_enables >> (4 * half) & 0xF != 0)
        .map(move |half| (address + 4 * half, (data >> (32 * half)) as u32))
}
