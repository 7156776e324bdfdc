//! The part of the driver that every personality has, each concern with its own state.
//!
//! * `context`: the machine, the run's options, the record of what happened. `error`, `counts`,
//!   `options`: their words.
//! * `enumerate`, `boot`, `core_b`, `crash`: from an empty bus to firmware that runs. `request`,
//!   `layout`: what driver and firmware tell each other.
//! * `commands`, `interrupt`: the firmware as the driver talks to it and hears from it.
//! * `members`, `mapping`, `queues`, `processes`: processes, and which of them has which post
//!   queue.
//! * `pin_table`, `pins`, `registration`: pinned pages, and the policy of pinning.
//! * `service`: what a personality adds.

pub mod boot;
pub mod commands;
pub mod context;
pub mod core_b;
pub mod counts;
pub mod crash;
pub mod device;
pub mod duty;
pub mod enumerate;
pub mod error;
pub mod interrupt;
pub mod layout;
pub mod mapping;
pub mod members;
pub mod options;
pub mod pin_table;
pub mod pins;
pub mod processes;
pub mod queues;
pub mod registration;
pub mod request;
pub mod service;
