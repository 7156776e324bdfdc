nic/nic_pkg.sv
registers/nic_regs_pkg.sv
memory/nic_sram.sv
memory/nic_sram_arbiter.sv
memory/nic_sram_counters.sv
memory/nic_scratchpad.sv
memory/nic_icache.sv
memory/nic_core_memory.sv
