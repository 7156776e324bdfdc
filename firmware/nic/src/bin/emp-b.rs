//! The personality `emp` on core B of two, which share the parts by a scheme.
#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

nic_firmware::host_main!();

#[cfg(all(target_arch = "riscv32", not(scheme_dynamic)))]
use nic_emp::Scheme as _;
#[cfg(all(target_arch = "riscv32", not(scheme_dynamic)))]
use nic_firmware::{chip, scheme::Scheme};

/// What runs on core B.
#[cfg(all(target_arch = "riscv32", not(scheme_dynamic)))]
type Machine = <Scheme as nic_emp::Scheme>::B<nic_firmware::matching::Matching>;

/// The device of core B.
#[cfg(all(target_arch = "riscv32", not(scheme_dynamic)))]
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
#[cfg(all(target_arch = "riscv32", not(scheme_dynamic)))]
const PAIR: bool = true;

#[cfg(all(target_arch = "riscv32", not(scheme_dynamic)))]
#[path = "../messages_b.rs"]
mod image;

#[cfg(all(target_arch = "riscv32", scheme_dynamic))]
#[path = "../dynamic_b.rs"]
mod image;
