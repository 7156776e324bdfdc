//! The personality `emp` on core A of two, which share the parts by a scheme.
#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

nic_firmware::host_main!();

#[cfg(all(target_arch = "riscv32", not(scheme_dynamic)))]
use nic_emp::{Physical as Addresses, Scheme as _};
#[cfg(all(target_arch = "riscv32", not(scheme_dynamic)))]
use nic_firmware::{chip, scheme::Scheme};
#[cfg(all(target_arch = "riscv32", not(scheme_dynamic)))]
use nic_layout::personality::emp::PERSONALITY;

/// What runs on core A.
#[cfg(all(target_arch = "riscv32", not(scheme_dynamic)))]
type Machine = <Scheme as nic_emp::Scheme>::A<nic_firmware::matching::Matching>;

/// The device of core A.
#[cfg(all(target_arch = "riscv32", not(scheme_dynamic)))]
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
#[cfg(all(target_arch = "riscv32", not(scheme_dynamic)))]
const PAIR: bool = true;

#[cfg(all(target_arch = "riscv32", not(scheme_dynamic)))]
#[path = "../messages_a.rs"]
mod image;

#[cfg(all(target_arch = "riscv32", scheme_dynamic))]
#[path = "../dynamic_a.rs"]
mod image;
