//! The personality `mini` on core A of a NIC whose core B keeps its totals (`keeper`).
#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

#[cfg(target_arch = "riscv32")]
#[path = "mini/personality.rs"]
mod personality;

nic_firmware::core_a!(personality::Personality, cores: 2);
