//! The personality `emp`: messages that the NIC matches, all parts on one core.
#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

nic_firmware::host_main!();

#[cfg(target_arch = "riscv32")]
#[path = "../messages_a.rs"]
mod image;
