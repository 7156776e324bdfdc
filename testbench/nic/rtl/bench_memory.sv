// The SRAM behind its arbiter and counters, with every port as pins: vectors have one element for each port.

`default_nettype none

module bench_memory #(
  parameter int unsigned SramBytes = 4096
) (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,

  input  wire logic [6:0]        req_i,
  input  wire logic [6:0][31:0]  addr_i,     // bytes
  input  wire logic [6:0]        we_i,
  input  wire logic [6:0][7:0]   be_i,
  input  wire logic [6:0][63:0]  wdata_i,
  output wire logic [6:0]        gnt_o,
  output wire logic [6:0]        rvalid_o,
  output wire logic [63:0]       rdata_o,

  // Counters
  input  wire logic              reg_sel_i,
  input  wire logic [16:0]       reg_addr_i,
  output wire logic [31:0]       reg_rdata_o
);

  nic_pkg::sram_req_t access [nic_pkg::SRAM_PORTS];
  wire logic               sram_req;
  wire nic_pkg::sram_req_t sram_access;

  nic_sram_arbiter u_arbiter (
    .clk_i, .rst_ni, .req_i, .access_i(access), .gnt_o, .rvalid_o, .sram_req_o(sram_req), .sram_access_o(sram_access)
  );

  nic_sram #(.SramBytes(SramBytes)) u_sram (.clk_i, .req_i(sram_req), .access_i(sram_access), .rdata_o);

  nic_sram_counters u_counters (
    .clk_i, .rst_ni, .req_i, .gnt_i(gnt_o), .reg_sel_i,
    .reg_req_i('{addr: reg_addr_i, we: 1'b0, be: 4'hF, wdata: '0, from_host: 1'b0}), .reg_rdata_o
  );

  for (genvar i = 0; i < int'(nic_pkg::SRAM_PORTS); i++) begin : gen_port
    assign access[i] = '{addr: addr_i[i][20:3], we: we_i[i], be: be_i[i], wdata: wdata_i[i]};
    nic_sram_port_checker #(.SramBytes(SramBytes)) u_checker (
      .clk_i, .rst_ni, .req_i(req_i[i]), .access_i(access[i]), .gnt_i(gnt_o[i]), .rvalid_i(rvalid_o[i])
    );
    wire logic unused = &{1'b0, addr_i[i][31:21], addr_i[i][2:0]};
  end

  nic_sram_wait_checker u_wait_checker (.clk_i, .rst_ni, .req_i, .gnt_i(gnt_o));

endmodule

`default_nettype wire
