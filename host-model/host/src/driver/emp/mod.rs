//! The service of a NIC that matches messages (facts E-14, E-15, E-31).
//!
//! The driver has little to do: a process posts by itself. It asks the driver to lock its pages
//! into memory, and for their physical addresses. One process at a time has the NIC open.

mod service;

pub use service::Emp;
