//! The personality `echo`: every data frame goes back to its sender.
#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

nic_firmware::core_a!(nic_echo::Echo, cores: 1);
