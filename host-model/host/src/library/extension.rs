//! What a process has beside memory, queue, status and polling.

use crate::driver::{Driver, DriverError};

/// What a family of personalities adds to a process: its operations are methods of `Process<X>`.
pub trait Extension: Sized + 'static {
    /// What it needs of the driver, or why the NIC does not have that.
    fn attach(driver: &Driver) -> Result<Self, DriverError>;
}

/// A process that posts descriptors of its own and no more.
impl Extension for () {
    fn attach(_driver: &Driver) -> Result<(), DriverError> {
        Ok(())
    }
}
