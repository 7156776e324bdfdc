//! The riscv32 image
