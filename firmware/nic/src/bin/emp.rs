//! The personality `emp`: messages that the NIC matches, all parts on one core.
#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

nic_firmware::host_main!();

#[cfg(target_arch = "riscv32")]
use nic_emp::Physical as Addresses;
#[cfg(target_arch = "riscv32")]
use nic_firmware::chip::Chip;
#[cfg(target_arch = "riscv32")]
use nic_layout::personality::emp::PERSONALITY;

/// What runs on core A.
#[cfg(target_arch = "riscv32")]
type Machine = nic_emp::Parts<nic_firmware::matching::Matching, Addresses>;

/// Whether there is a core B.
#[cfg(target_arch = "riscv32")]
const PAIR: bool = false;

#[cfg(target_arch = "riscv32")]
#[path = "../messages_a.rs"]
mod image;
