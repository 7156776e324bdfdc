//! The driver's part for a NIC that caches translations and no buffers: it serves misses, and pins
//! pages when they are missed.

use std::rc::Rc;

use nic_layout::ring::MAILBOX_MISS;

use super::fill::Filler;
use super::layout::Caches;
use super::lines::Lines;
use super::miss::Misses;
use super::nic_caches::NicCaches;
use super::pin_at_miss::PinAtMiss;
use crate::driver::core::error::DriverError;
use crate::driver::core::layout::Reply;
use crate::driver::core::registration::Registration;
use crate::driver::core::service::{Core, Interrupt};
use crate::driver::rdma::buffers::Buffers;

/// The translations of one NIC.
pub struct Translations {
    nic: Rc<NicCaches>,
    misses: Rc<Misses>,
    /// Taking lines away.
    pub lines: Lines,
}

impl Translations {
    /// The causes of interrupts that are its own, a bit each.
    pub const CAUSES: u32 = 1 << MAILBOX_MISS;

    /// From what the firmware has answered.
    ///
    /// # Errors
    /// There is no such cache.
    pub fn new(core: &Core, reply: &Reply) -> Result<Translations, DriverError> {
        let nic = Rc::new(NicCaches::new(core, Caches::check_translations(reply)?));
        let registration: Rc<dyn Registration> = Rc::new(PinAtMiss::new(core, nic.clone()));
        let filler = Filler::new(core, nic.clone(), registration.clone());
        let buffers = Rc::new(Buffers::new(core.context.clone()));
        Ok(Translations {
            lines: Lines::new(core, &nic, &registration),
            misses: Rc::new(Misses::new(core, nic.clone(), buffers, filler)),
            nic,
        })
    }

    /// Where the cache is.
    pub fn caches(&self) -> &Caches {
        &self.nic.layout
    }

    /// Starts the thread that serves misses.
    pub fn start(&self) {
        self.misses.clone().spawn_thread();
    }

    /// In the interrupt handler.
    pub async fn take(&self, interrupt: &Interrupt<'_>) -> Result<(), DriverError> {
        self.misses.take(interrupt).await
    }

    /// Misses that are not served.
    pub fn outstanding(&self) -> u32 {
        self.nic.ledger.unserved()
    }

    /// Counts that do not add up (INV-38), in words.
    pub fn unbalanced(&self) -> Option<String> {
        self.misses.unbalanced()
    }
}
