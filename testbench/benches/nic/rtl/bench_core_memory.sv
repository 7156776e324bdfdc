// The memory system of a core, with the core's ports as pins. A second port shares the SRAM: the
// test keeps it busy as it likes, and fills the SRAM through it. The register bus ends in pins.

`default_nettype none

module bench_core_memory #(
  parameter int unsigned SramBytes = 65536
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        core_rst_ni,
  input  wire logic        fence_i_i,

  input  wire logic        insn_req_i,
  output wire logic        insn_gnt_o,
  input  wire logic [31:0] insn_addr_i,
  output wire logic        insn_rvalid_o,
  output wire logic [31:0] insn_rdata_o,
  output wire logic        insn_err_o,

  input  wire logic        data_req_i,
  output wire logic        data_gnt_o,
  input  wire logic [31:0] data_addr_i,
  input  wire logic        data_we_i,
  input  wire logic [3:0]  data_be_i,
  input  wire logic [31:0] data_wdata_i,
  input  wire logic        look_i,
  input  wire logic [31:0] look_addr_i,
  output wire logic        look_valid_o,
  output wire logic [31:0] look_rdata_o,
  output wire logic        data_rvalid_o,
  output wire logic [31:0] data_rdata_o,
  output wire logic        data_err_o,
  output wire logic        data_stores_o,

  output wire logic        reg_req_o,
  output wire logic [16:0] reg_addr_o,
  output wire logic        reg_we_o,
  output wire logic [3:0]  reg_be_o,
  output wire logic [31:0] reg_wdata_o,
  input  wire logic        reg_gnt_i,
  input  wire logic [31:0] reg_rdata_i,

  // Debug area
  output wire logic        debug_insn_req_o,
  input  wire logic [31:0] debug_insn_rdata_i,
  input  wire logic        debug_insn_err_i,
  output wire logic        debug_data_req_o,
  input  wire logic [31:0] debug_data_rdata_i,
  input  wire logic        debug_data_err_i,

  // The other user of the SRAM, on the port of the receive link
  input  wire logic        other_req_i,
  output wire logic        other_gnt_o,
  input  wire logic [20:0] other_addr_i,
  input  wire logic        other_we_i,
  input  wire logic [63:0] other_wdata_i,

  // SRAM accesses of the instruction cache
  output wire logic        fill_o
);

  wire nic_pkg::sram_req_t insn_access, data_access, sram_access;
  wire logic               insn_sram_req, data_sram_req, sram_req;
  wire nic_pkg::reg_req_t  reg_access;
  nic_pkg::sram_req_t      access [nic_pkg::SRAM_PORTS];
  logic [nic_pkg::SRAM_PORTS-1:0]      req;
  wire logic [nic_pkg::SRAM_PORTS-1:0] gnt, rvalid;
  wire logic [63:0]                    rdata;
  wire logic [0:0]                     sram_idle, sram_ahead;
  wire logic [nic_pkg::SRAM_ADDR_BITS-1:3] sram_ahead_addr [1];
  wire logic                           granted_req;
  wire nic_pkg::sram_req_t             granted;

  wire logic        slow;
  wire logic [31:0] quick_rdata, slow_rdata;
  assign data_rdata_o = slow ? slow_rdata : quick_rdata;
  assign look_rdata_o = quick_rdata;

  always_comb begin
    for (int i = 0; i < int'(nic_pkg::SRAM_PORTS); i++) access[i] = '0;
    access[nic_pkg::SRAM_LINK_RX]   = '{addr: other_addr_i[20:3], we: other_we_i, be: 8'hFF, wdata: other_wdata_i};
    access[nic_pkg::SRAM_CORE_DATA] = data_access;
    access[nic_pkg::SRAM_CORE_INSN] = insn_access;
    req                 = '0;
    req[nic_pkg::SRAM_LINK_RX]   = other_req_i;
    req[nic_pkg::SRAM_CORE_DATA] = data_sram_req;
    req[nic_pkg::SRAM_CORE_INSN] = insn_sram_req;
  end

  assign other_gnt_o = gnt[nic_pkg::SRAM_LINK_RX];
  assign fill_o      = gnt[nic_pkg::SRAM_CORE_INSN];
  assign {reg_addr_o, reg_we_o, reg_be_o, reg_wdata_o} = reg_access[54:1];

  nic_core_memory #(.SramBytes(SramBytes), .ScratchpadBytes(4096), .IcacheBytes(1024)) u_memory (
    .clk_i, .core_rst_ni, .fence_i_i,
    .insn_req_i, .insn_gnt_o, .insn_addr_i, .insn_rvalid_o, .insn_rdata_o, .insn_err_o,
    .data_req_i, .data_gnt_o, .data_addr_i, .data_we_i, .data_be_i, .data_wdata_i,
    .look_i, .look_addr_i, .look_valid_o, .data_rvalid_o,
    .data_rdata_o(quick_rdata), .data_slow_o(slow), .data_slow_rdata_o(slow_rdata), .data_err_o,
    .debug_insn_req_o, .debug_insn_rdata_i, .debug_insn_err_i, .debug_data_req_o, .debug_data_rdata_i, .debug_data_err_i,
    .sram_insn_req_o(insn_sram_req), .sram_insn_access_o(insn_access), .sram_insn_gnt_i(gnt[nic_pkg::SRAM_CORE_INSN]),
    .sram_data_req_o(data_sram_req), .sram_data_access_o(data_access), .sram_data_gnt_i(gnt[nic_pkg::SRAM_CORE_DATA]),
    .data_stores_o, .busy_o(),
    .sram_idle_i(sram_idle[0]), .sram_ahead_o(sram_ahead[0]), .sram_ahead_addr_o(sram_ahead_addr[0]),
    .sram_waits_o(), .sram_rdata_i(rdata),
    .reg_req_o, .reg_access_o(reg_access), .reg_gnt_i, .reg_rdata_i
  );

  nic_sram_arbiter u_arbiter (
    .clk_i, .rst_ni, .req_i(req), .access_i(access), .gnt_o(gnt), .rvalid_o(rvalid),
    .sram_req_o(granted_req), .sram_access_o(granted)
  );

  nic_sram_ahead u_sram_ahead (
    .clk_i, .rst_ni, .req_i(granted_req), .access_i(granted), .data_gnt_i(gnt[nic_pkg::SRAM_CORE_DATA]),
    .idle_o(sram_idle), .ahead_i(sram_ahead), .ahead_addr_i(sram_ahead_addr), .sram_req_o(sram_req), .sram_access_o(sram_access)
  );

  nic_sram #(.SramBytes(SramBytes)) u_sram (.clk_i, .req_i(sram_req), .access_i(sram_access), .rdata_o(rdata));

  nic_sram_port_checker #(.SramBytes(SramBytes)) u_insn_checker (
    .clk_i, .rst_ni(core_rst_ni), .req_i(insn_sram_req), .access_i(insn_access),
    .gnt_i(gnt[nic_pkg::SRAM_CORE_INSN]), .rvalid_i(rvalid[nic_pkg::SRAM_CORE_INSN])
  );
  nic_sram_port_checker #(.SramBytes(SramBytes)) u_data_checker (
    .clk_i, .rst_ni(core_rst_ni), .req_i(data_sram_req), .access_i(data_access),
    .gnt_i(gnt[nic_pkg::SRAM_CORE_DATA]), .rvalid_i(rvalid[nic_pkg::SRAM_CORE_DATA])
  );

  wire logic unused = &{1'b0, reg_access.from_host, other_addr_i[2:0], gnt, rvalid};

endmodule

`default_nettype wire
