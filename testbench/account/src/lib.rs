//! Where the time of a message went, and what a run found, as data and as tables.

pub mod account;
pub mod category;
pub mod compare;
pub mod explain;
pub mod log;
pub mod path;
pub mod results;
pub mod route;
pub mod steps;
pub mod tables;
