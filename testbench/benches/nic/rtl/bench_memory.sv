// The SRAM behind its arbiter and counters, with every port as pins. Vectors have one element for
// each port of a NIC with two cores; with one core the last two are not used.

`default_nettype none

module bench_memory #(
  parameter int unsigned Cores     = 1,
  parameter int unsigned SramBytes = 4096
) (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,

  input  wire logic [8:0]        req_i,
  input  wire logic [8:0][31:0]  addr_i,     // bytes
  input  wire logic [8:0]        we_i,
  input  wire logic [8:0][7:0]   be_i,
  input  wire logic [8:0][63:0]  wdata_i,
  output wire logic [8:0]        gnt_o,
  output wire logic [8:0]        rvalid_o,
  output wire logic [63:0]       rdata_o,

  // Counters
  input  wire logic              reg_sel_i,
  input  wire logic [16:0]       reg_addr_i,
  output wire logic [31:0]       reg_rdata_o
);

  localparam int unsigned Ports = Cores > 1 ? nic_pkg::SRAM_PORTS_PAIR : nic_pkg::SRAM_PORTS;

  wire logic [Ports-1:0] gnt, rvalid;
  nic_pkg::sram_req_t access [Ports];
  wire logic               sram_req;
  wire nic_pkg::sram_req_t sram_access;

  assign gnt_o    = 9'(gnt);
  assign rvalid_o = 9'(rvalid);

  nic_sram_arbiter #(.Ports(Ports)) u_arbiter (
    .clk_i, .rst_ni, .req_i(req_i[Ports-1:0]), .access_i(access), .gnt_o(gnt), .rvalid_o(rvalid), .sram_req_o(sram_req), .sram_access_o(sram_access)
  );

  nic_sram #(.SramBytes(SramBytes)) u_sram (.clk_i, .req_i(sram_req), .access_i(sram_access), .rdata_o);

  nic_sram_counters #(.Ports(Ports)) u_counters (
    .clk_i, .rst_ni, .req_i(req_i[Ports-1:0]), .gnt_i(gnt), .reg_sel_i,
    .reg_req_i('{addr: reg_addr_i, we: 1'b0, be: 4'hF, wdata: '0, from_host: 1'b0}), .reg_rdata_o
  );

  for (genvar i = 0; i < int'(Ports); i++) begin : gen_port
    assign access[i] = '{addr: addr_i[i][20:3], we: we_i[i], be: be_i[i], wdata: wdata_i[i]};
    nic_sram_port_checker #(.SramBytes(SramBytes)) u_checker (
      .clk_i, .rst_ni, .req_i(req_i[i]), .access_i(access[i]), .gnt_i(gnt[i]), .rvalid_i(rvalid[i])
    );
    wire logic unused = &{1'b0, addr_i[i][31:21], addr_i[i][2:0]};
  end

  nic_sram_wait_checker #(.Ports(Ports)) u_wait_checker (.clk_i, .rst_ni, .req_i(req_i[Ports-1:0]), .gnt_i(gnt));

  wire logic unused = &{1'b0, req_i, addr_i, we_i, be_i, wdata_i};

endmodule

`default_nettype wire
