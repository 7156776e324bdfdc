//! The personality with caches of the driver's tables, which miss to the host (facts M-15 to M-28,
//! M-39 to M-45, M-58).
//!
//! * `layout`: where the firmware has them. `shadows`: what they may hold. `nic_caches`: taking
//!   lines and buffers from them.
//! * `miss_event`, `ledger`, `fill`, `miss`: serving misses.
//! * `pin_at_miss`, `pin_at_export`, `pin_for_fetch` with `fetch_tables`: policies of pinning.
//! * `lines`: taking all lines of a process away. `service`: all together.
//! * `translations`: the same without buffers, for a NIC that caches translations alone.

mod fetch_tables;
mod fill;
mod layout;
mod ledger;
mod lines;
mod miss;
mod miss_event;
mod nic_caches;
mod pin_at_export;
mod pin_at_miss;
mod pin_for_fetch;
mod service;
mod shadows;
mod translations;

pub use fetch_tables::KERNEL;
pub use layout::Caches;
pub use service::Mini;
pub use translations::Translations;
