//! All kernels in C, run from the scratchpad: the linker script says so (`build.rs`).
#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

nic_kernels::image!(c);
