//! The personality `vmmc`, VMMC with static tables.
#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

#[cfg(not(target_arch = "riscv32"))]
fn main() {
    eprintln!("this is a firmware: build it with --profile firmware --target riscv32imc-unknown-none-elf");
}

/// There is no core B.
#[cfg(target_arch = "riscv32")]
const PAIR: bool = false;

#[cfg(target_arch = "riscv32")]
type Personality = nic_vmmc::Vmmc<nic_vmmc::StaticTables<{ nic_firmware::geometry::KEY_BITS }>>;

#[cfg(target_arch = "riscv32")]
#[path = "../core_a.rs"]
mod image;
