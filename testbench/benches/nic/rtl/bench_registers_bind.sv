bind nic_registers nic_register_slaves_checker u_slaves_checker (.*);
