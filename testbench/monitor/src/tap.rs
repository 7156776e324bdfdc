//! What moves on the PCI bus, word by word, as its lines say it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use host_pci::{AgentId, Beat, Listener, Start};
use sim_pins::Ps;

/// One data phase of a memory transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    pub at: Ps,
    pub by_nic: bool,
    pub is_write: bool,
    pub address: u32,
    pub data: u64,
    /// Active high; four bits, or eight.
    pub byte_enables: u8,
}

#[derive(Debug, Default)]
struct Queue {
    /// Read in each clock of the bus, without the lock.
    has_some: AtomicBool,
    transfers: Mutex<Vec<Transfer>>,
}

/// A listener of the bus, and the end where what it has heard is taken. Both are on the node's thread.
#[derive(Clone, Debug, Default)]
pub struct Tap {
    queue: Arc<Queue>,
    by_nic: bool,
    /// `None`: no memory transaction.
    is_write: Option<bool>,
}

impl Tap {
    #[inline]
    pub fn has_some(&self) -> bool {
        self.queue.has_some.load(Ordering::Relaxed)
    }

    /// Exchanges what was heard, in the order in which it happened, for an empty vector: two go to and fro.
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
