//! The personality `emp` on core A of two, which share the parts by a scheme.
#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

nic_firmware::host_main!();

#[cfg(target_arch = "riscv32")]
use nic_emp::{Physical as Addresses, Scheme as _};
#[cfg(target_arch = "riscv32")]
use nic_firmware::{chip, scheme::Scheme};
#[cfg(target_arch = "riscv32")]
use nic_layout::personality::emp::PERSONALITY;

/// What runs on core A.
#[cfg(target_arch = "riscv32")]
type Machine = <Scheme as nic_emp::Scheme>::A<nic_firmware::matching::Matching>;

/// The device of core A.
#[cfg(target_arch = "riscv32")]
type Chip = chip::Chip<
    {
        if Scheme::BUFFERS_FROM_BOTH {
            1
        } else {
            chip::ALONE
        }
    },
    {
        if Scheme::FRAMES_FROM_BOTH {
            1
        } else {
            chip::ALONE
        }
    },
>;

/// Whether there is another core.
#[cfg(target_arch = "riscv32")]
const PAIR: bool = true;

#[cfg(target_arch = "riscv32")]
#[path = "../messages_a.rs"]
mod image;
