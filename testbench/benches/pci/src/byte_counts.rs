//! Counts how often the NIC writes each byte of host memory, to show that each byte moves once.

use host_pci::{AgentId, Beat, Listener, Start};
use sim_pins::Ps;
use std::sync::{Arc, Mutex, PoisonError};

/// The counts. The bus, which owns the listener, and the test share them.
#[derive(Clone, Default)]
pub struct ByteCounts(Arc<Mutex<Vec<u32>>>);

impl ByteCounts {
    /// Counts of zero, for a host memory of this many bytes.
    pub fn new(memory_bytes: usize) -> ByteCounts {
        ByteCounts(Arc::new(Mutex::new(vec![0; memory_bytes])))
    }

    /// Returns the counts, and starts again from zero.
    pub fn take(&self) -> Vec<u32> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = vec![0; counts.len()];
        std::mem::replace(&mut counts, fresh)
    }

    /// A listener for the bus that counts.
    pub fn listener(&self) -> Box<dyn Listener + Send> {
        Box::new(Counting { counts: self.clone(), counted: false })
    }
}

struct Counting {
    counts: ByteCounts,
    /// Whether the running transaction is a write of the NIC.
    counted: bool,
}

impl Listener for Counting {
    fn start(&mut self, _at: Ps, start: &Start) {
        let is_write = start.command.is_some_and(|command| !command.is_read());
        self.counted = start.master == AgentId::Nic && is_write;
    }

    fn beat(&mut self, _at: Ps, beat: &Beat) {
        if !self.counted {
            return;
        }
        let mut counts = self.counts.0.lock().unwrap_or_else(PoisonError::into_inner);
        for k in (0..8).filter(|k| beat.byte_enables >> k & 1 != 0) {
            if let Some(count) = counts.get_mut(beat.address.0 as usize + k) {
                *count += 1;
            }
        }
    }
}
