// One port of a core: the debug area is here, all other addresses are memory at pins. One access at
// a time.

`default_nettype none

module bench_debug_place (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  // Core
  input  wire logic        req_i,
  output wire logic        gnt_o,
  input  wire logic [31:0] addr_i,
  output wire logic        rvalid_o,
  output wire logic [31:0] rdata_o,
  output wire logic        err_o,

  // Memory
  output wire logic        mem_req_o,
  input  wire logic        mem_gnt_i,
  input  wire logic        mem_rvalid_i,
  input  wire logic [31:0] mem_rdata_i,
  input  wire logic        mem_err_i,

  // Debug area
  output wire logic        debug_req_o,
  input  wire logic [31:0] debug_rdata_i,
  input  wire logic        debug_err_i
);

  logic busy_q, in_debug_q;

  wire logic in_debug = addr_i[31:11] == nic_debug_pkg::AREA_BASE[31:11];
  wire logic ask      = req_i && rst_ni && (!busy_q || rvalid_o);

  assign debug_req_o = ask && in_debug;
  assign mem_req_o   = ask && !in_debug;
  assign gnt_o       = ask && (in_debug || mem_gnt_i);
  assign rvalid_o    = busy_q && (in_debug_q || mem_rvalid_i);
  assign rdata_o     = in_debug_q ? debug_rdata_i : mem_rdata_i;
  assign err_o       = in_debug_q ? debug_err_i : mem_err_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni)       busy_q <= 1'b0;
    else if (gnt_o)    busy_q <= 1'b1;
    else if (rvalid_o) busy_q <= 1'b0;
    if (gnt_o) in_debug_q <= in_debug;
  end

  wire logic unused = &{1'b0, addr_i[10:0]};

endmodule

`default_nettype wire
