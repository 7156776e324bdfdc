//! The personality `vmmc`, VMMC with static tables.
#![cfg_attr(target_arch = "riscv32", no_std, no_main)]

nic_firmware::core_a!(nic_vmmc::Vmmc<nic_vmmc::StaticTables<{ nic_firmware::geometry::KEY_BITS }>>, cores: 1);
