//! The personality `echo` on core A of a NIC whose core B keeps its totals (`keeper`).
#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

nic_firmware::core_a!(nic_echo::Echo, cores: 2);
