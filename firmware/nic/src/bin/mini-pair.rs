//! The personality `mini` on core A of a NIC whose core B keeps its totals (`keeper`).
#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

#[cfg(not(target_arch = "riscv32"))]
fn main() {
    eprintln!("this is a firmware: build it with --profile firmware --target riscv32imc-unknown-none-elf");
}

/// There is a core B.
#[cfg(target_arch = "riscv32")]
const PAIR: bool = true;

#[cfg(target_arch = "riscv32")]
#[path = "mini/personality.rs"]
mod personality;
#[cfg(target_arch = "riscv32")]
use personality::Personality;

#[cfg(target_arch = "riscv32")]
#[path = "../core_a.rs"]
mod image;
