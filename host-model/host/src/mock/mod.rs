//! A NIC for tests of the host: configuration space, registers, SRAM and a scripted firmware,
//! behind `Bus`.
//!
//! Every write is logged in bus order, so that tests can tell which words the host wrote, and in
//! which order.

mod access;
mod bus;
mod firmware;
mod image;
mod nic;
mod reply;

pub use bus::MockBus;
pub use image::{elf_image, elf_image_at};
pub use nic::{AssignScript, BootScript, MockNic, Place, Written, MOCK_DEVICE};
pub use reply::MockReply;
