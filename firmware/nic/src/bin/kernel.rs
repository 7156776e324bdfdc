//! The personality `kernel`: frames between the link and buffers of the kernel, on one core.
#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

nic_firmware::host_main!();

#[cfg(target_arch = "riscv32")]
#[path = "../frames_a.rs"]
mod image;
