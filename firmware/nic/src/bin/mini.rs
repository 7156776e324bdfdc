//! The personality `mini`: caches that miss to the host.
#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

#[cfg(not(target_arch = "riscv32"))]
fn main() {
    eprintln!("this is a firmware: build it with --profile firmware --target riscv32imc-unknown-none-elf");
}

/// There is no core B.
#[cfg(target_arch = "riscv32")]
const PAIR: bool = false;

#[cfg(target_arch = "riscv32")]
#[path = "mini/personality.rs"]
mod personality;
#[cfg(target_arch = "riscv32")]
use personality::Personality;

#[cfg(target_arch = "riscv32")]
#[path = "../core_a.rs"]
mod image;
