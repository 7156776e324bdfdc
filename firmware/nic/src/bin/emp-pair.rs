//! The personality `emp` on core A of two, which share the parts by a scheme.
#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

nic_firmware::host_main!();

#[cfg(all(target_arch = "riscv32", not(scheme_dynamic)))]
#[path = "../fixed_a.rs"]
mod fixed;

#[cfg(all(target_arch = "riscv32", scheme_dynamic))]
#[path = "../dynamic_a.rs"]
mod image;
