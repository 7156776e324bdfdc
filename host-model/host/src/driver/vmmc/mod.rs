//! The personality with tables that hold everything (facts M-3, M-4, M-13): what is not registered
//! is refused, and nothing misses.
//!
//! * `layout`: where the firmware has the tables. `tables`: what the driver keeps of them.
//!   `nic_tables`: writing them.
//! * `static_registration`: the policy of pinning. `service`: all together.

mod layout;
mod nic_tables;
mod service;
mod static_registration;
mod tables;

pub use layout::StaticLayout;
pub use service::Vmmc;
