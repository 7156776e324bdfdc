//! The personality `mini`: caches that miss to the host.
#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

#[cfg(target_arch = "riscv32")]
#[path = "mini/personality.rs"]
mod personality;

nic_firmware::core_a!(personality::Personality, cores: 1);
