//! How often each byte of host memory was written by the NIC: the ground of "each byte moves once".

use host_pci::{AgentId, Beat, Listener, Start};
use sim_pins::Ps;
use std::sync::{Arc, Mutex, PoisonError};

/// Counts shared between the bus, which owns the listener, and the test.
#[derive(Clone, Default)]
pub struct ByteCounts(Arc<Mutex<Vec<u32>>>);

impl ByteCounts {
    pub fn new(memory_bytes: usize) -> ByteCounts {
        ByteCounts(Arc::new(Mutex::new(vec![0; memory_bytes])))
    }

    /// Takes the counts and starts again from zero.
    pub fn take(&self) -> Vec<u32> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = vec![0; counts.len()];
        std::mem::replace(&mut counts, fresh)
    }

    pub fn listener(&self) -> Box<dyn Listener + Send> {
        Box::new(Counting { counts: self.clone(), counted: false })
    }
}

struct Counting {
    counts: ByteCounts,
    /// The running transaction is a write of the NIC.
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
