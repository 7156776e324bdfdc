// Puts a checker on every slave of the register bus inside nic_registers. Bound by the models that
// want it, as in
//
//   bind nic_registers nic_register_slaves_checker u_slaves_checker (.*);

`default_nettype none

module nic_register_slaves_checker (
  input wire logic              clk_i,
  input wire logic              rst_ni,
  input wire nic_pkg::reg_req_t access,
  input wire logic              ident_sel,
  input wire logic [31:0]       ident_rdata,
  input wire logic [1:0]        event_sel,
  input wire logic [1:0][31:0]  event_rdata,
  input wire logic              interrupt_sel,
  input wire logic [31:0]       interrupt_rdata,
  input wire logic              doorbell_sel,
  input wire logic [31:0]       doorbell_rdata,
  input wire logic              mailbox_sel,
  input wire logic [31:0]       mailbox_rdata,
  input wire logic [1:0]        timer_sel,
  input wire logic [1:0][31:0]  timer_rdata,
  input wire logic              semaphore_sel,
  input wire logic [31:0]       semaphore_rdata
);

  nic_register_slave_checker u_ident     (.clk_i, .rst_ni, .reg_sel_i(ident_sel),     .reg_req_i(access), .reg_rdata_o(ident_rdata));
  nic_register_slave_checker u_interrupt (.clk_i, .rst_ni, .reg_sel_i(interrupt_sel), .reg_req_i(access), .reg_rdata_o(interrupt_rdata));
  nic_register_slave_checker u_doorbell  (.clk_i, .rst_ni, .reg_sel_i(doorbell_sel),  .reg_req_i(access), .reg_rdata_o(doorbell_rdata));
  nic_register_slave_checker u_mailbox   (.clk_i, .rst_ni, .reg_sel_i(mailbox_sel),   .reg_req_i(access), .reg_rdata_o(mailbox_rdata));
  nic_register_slave_checker u_semaphore (.clk_i, .rst_ni, .reg_sel_i(semaphore_sel), .reg_req_i(access), .reg_rdata_o(semaphore_rdata));

  for (genvar core = 0; core < 2; core++) begin : gen_core
    nic_register_slave_checker u_event (.clk_i, .rst_ni, .reg_sel_i(event_sel[core]), .reg_req_i(access), .reg_rdata_o(event_rdata[core]));
    nic_register_slave_checker u_timer (.clk_i, .rst_ni, .reg_sel_i(timer_sel[core]), .reg_req_i(access), .reg_rdata_o(timer_rdata[core]));
  end

endmodule

`default_nettype wire
