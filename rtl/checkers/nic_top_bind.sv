// All checkers of the NIC, for models of nic_top that are to be watched: add checkers.f and this
// file to nic.f. Models without it run faster and act the same.

bind nic_registers nic_register_slaves_checker u_slaves_checker (.*);
bind nic_top nic_top_checker #(.Cores(Cores), .SramBytes(SramBytes)) u_top_checker (.*);
