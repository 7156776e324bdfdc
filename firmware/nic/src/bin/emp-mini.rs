//! The personality `emp-mini`: EMP with virtual addresses, which are looked up in a cache of the
//! image's geometry.
#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

nic_firmware::host_main!();

#[cfg(target_arch = "riscv32")]
use nic_firmware::chip::Chip;
#[cfg(target_arch = "riscv32")]
use nic_firmware::geometry::{ENTRIES, LINE_ENTRIES, WAYS};
#[cfg(target_arch = "riscv32")]
use nic_layout::personality::emp_mini::PERSONALITY;

/// What addresses are.
#[cfg(target_arch = "riscv32")]
type Addresses = nic_emp::Translated<ENTRIES, LINE_ENTRIES, WAYS>;

/// What runs on core A.
#[cfg(target_arch = "riscv32")]
type Machine = nic_emp::Parts<nic_firmware::matching::Matching, Addresses>;

/// Whether there is a core B.
#[cfg(target_arch = "riscv32")]
const PAIR: bool = false;

#[cfg(target_arch = "riscv32")]
#[path = "../messages_a.rs"]
mod image;
