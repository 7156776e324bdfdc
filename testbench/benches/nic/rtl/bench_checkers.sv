// Only the checkers, so that a test can break each of their rules.

`default_nettype none

module bench_checkers (
  input wire logic        clk_i,
  input wire logic        rst_ni,

  // SRAM port
  input wire logic        sram_req_i,
  input wire logic [20:0] sram_addr_i,
  input wire logic        sram_we_i,
  input wire logic [63:0] sram_wdata_i,
  input wire logic        sram_gnt_i,
  input wire logic        sram_rvalid_i,

  // Waits
  input wire logic [8:0]  wait_req_i,
  input wire logic        wait_pair_i,       // of a NIC with two cores

  // Register slave
  input wire logic        reg_sel_i,
  input wire logic        reg_we_i,
  input wire logic [31:0] reg_rdata_i,

  // GMII
  input wire logic [7:0]  txd_i,
  input wire logic        tx_en_i,
  input wire logic        tx_er_i
);

  nic_sram_port_checker #(.SramBytes(4096)) u_sram_port (
    .clk_i, .rst_ni, .req_i(sram_req_i),
    .access_i('{addr: sram_addr_i[20:3], we: sram_we_i, be: 8'hFF, wdata: sram_wdata_i}),
    .gnt_i(sram_gnt_i), .rvalid_i(sram_rvalid_i)
  );

  nic_sram_wait_checker u_sram_wait (.clk_i, .rst_ni, .req_i(wait_pair_i ? '0 : wait_req_i[6:0]), .gnt_i('0));
  nic_sram_wait_checker #(.Ports(9)) u_sram_wait_pair (.clk_i, .rst_ni, .req_i(wait_req_i & {9{wait_pair_i}}), .gnt_i('0));

  nic_register_slave_checker u_register_slave (
    .clk_i, .rst_ni, .reg_sel_i, .reg_req_i('{addr: '0, we: reg_we_i, be: 4'hF, wdata: '0, from_host: 1'b0}),
    .reg_rdata_o(reg_rdata_i)
  );

  nic_gmii_tx_checker u_gmii_tx (.clk_i, .rst_ni, .txd_i, .tx_en_i, .tx_er_i);

  wire logic unused = &{1'b0, sram_addr_i[2:0]};

endmodule

`default_nettype wire
