//! The personality `emp` on core B of two, which share the parts by a scheme.
#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

nic_firmware::host_main!();

#[cfg(target_arch = "riscv32")]
use nic_emp::Scheme as _;
#[cfg(target_arch = "riscv32")]
use nic_firmware::{chip, scheme::Scheme};

/// What runs on core B.
#[cfg(target_arch = "riscv32")]
type Machine = <Scheme as nic_emp::Scheme>::B<nic_firmware::matching::Matching>;

/// The device of core B.
#[cfg(target_arch = "riscv32")]
type Chip = chip::Chip<
    {
        if Scheme::BUFFERS_FROM_BOTH {
            2
        } else {
            chip::ALONE
        }
    },
    {
        if Scheme::FRAMES_FROM_BOTH {
            2
        } else {
            chip::ALONE
        }
    },
>;

/// Whether there is another core.
#[cfg(target_arch = "riscv32")]
const PAIR: bool = true;

#[cfg(target_arch = "riscv32")]
#[path = "../messages_b.rs"]
mod image;
