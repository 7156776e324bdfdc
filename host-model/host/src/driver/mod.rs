//! The kernel driver of the NIC.
//!
//! * `core`: what every personality has: enumeration, boot, interrupts, commands, processes, pins
//!   and post queues.
//! * `rdma`: what personalities with remote memory access share: registered buffers, keys,
//!   notifications.
//! * `mini`, `vmmc`, `echo`, `emp`, `kernel`: the service of each personality. `services`: the
//!   table of them.
//! * `driver`: the driver of one NIC.
//!
//! Every word that comes from the NIC is hostile (INV-35): each is read once, indices are masked,
//! counts are clamped, identifiers are matched with what the driver knows. [`DriverCounts`] tells
//! what was refused.

pub mod core;
#[allow(clippy::module_inception)] // The driver itself, among its parts.
mod driver;
pub mod echo;
pub mod emp;
mod incarnation;
pub mod kernel;
pub mod mini;
pub mod rdma;
mod services;
pub mod vmmc;

pub use self::core::context::Machine;
pub use self::core::core_b::Kept;
pub use self::core::counts::DriverCounts;
pub use self::core::device::{Device, Resources};
pub use self::core::duty::Duty;
pub use self::core::error::DriverError;
pub use self::core::interrupt::InterruptInput;
pub use self::core::layout::NicLayout;
pub use self::core::mapping::{Mapping, QueuePages, Store};
pub use self::core::options::{
    DriverOptions, DriverPlant, FlowControl, MessagesOptions, MissService, Verify, PROCESSES_MAX,
};
pub use self::core::pins::WaterMarks;
pub use self::core::processes::{ProcessGrant, STATUS_PAGE};
pub use self::core::request::boot_request;
pub use self::core::service::ServiceEntry;
pub use driver::Driver;
pub use rdma::notify::{Notification, Notifications};
pub use services::SERVICES;
