//! All kernels in Rust, run from SRAM: the linker script says so (`build.rs`).
#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

nic_kernels::image!(rust);
