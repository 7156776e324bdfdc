//! The service of a NIC that sends every frame back to its sender.

use std::any::Any;
use std::cell::Cell;
use std::rc::Rc;

use async_trait::async_trait;
use nic_layout::personality::echo::{COUNTERS, MAILBOX_ECHOED, PERSONALITY};
use nic_layout::registers::mailbox;

use crate::driver::core::error::DriverError;
use crate::driver::core::layout::Reply;
use crate::driver::core::service::{Core, Interrupt, Places, Service, ServiceEntry};

/// What the driver knows of the NIC.
#[derive(Default)]
pub struct Echo {
    echoed: Cell<u32>,
}

impl Echo {
    /// The service's entry in the list of services.
    pub const ENTRY: ServiceEntry =
        ServiceEntry { personality: PERSONALITY, counters: COUNTERS, request: None, make: Echo::make };

    fn make(_core: &Core, _reply: &Reply) -> Result<Rc<dyn Service>, DriverError> {
        Ok(Rc::new(Echo::default()))
    }

    /// How many frames have come back, as the NIC said last.
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

    fn as_any(self: Rc<Self>) -> Rc<dyn Any> {
        self
    }
}
