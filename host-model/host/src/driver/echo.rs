//! The service of a NIC that sends every frame back to its sender.

use std::cell::Cell;
use std::rc::Rc;

use async_trait::async_trait;
use nic_layout::personality::echo::{COUNTERS, MAILBOX_ECHOED, PERSONALITY};
use nic_layout::registers::mailbox;

use crate::driver::core::error::DriverError;
use crate::driver::core::service::{Interrupt, Places, Service, ServiceEntry};

/// The count of frames that have come back.
#[derive(Default)]
pub struct Echo {
    echoed: Cell<u32>,
}

impl Echo {
    /// The service's entry in the list of services.
    pub const ENTRY: ServiceEntry = ServiceEntry {
        personality: PERSONALITY,
        counters: COUNTERS,
        request: None,
        make: |core, _| {
            core.context.layout()?.posts()?;
            Ok(Rc::new(Echo::default()))
        },
    };

    /// The number of frames that have come back, from the last interrupt.
    pub fn echoed(&self) -> u32 {
        self.echoed.get()
    }
}

#[async_trait(?Send)]
impl Service for Echo {
    fn places(&self) -> Places {
        Places::AllBySlot
    }

    fn causes(&self) -> u32 {
        1 << MAILBOX_ECHOED
    }

    async fn interrupt(&self, interrupt: &Interrupt<'_>) -> Result<(), DriverError> {
        self.echoed.set(interrupt.device.read(mailbox::TO_HOST.at(MAILBOX_ECHOED)).await?);
        Ok(())
    }
}
