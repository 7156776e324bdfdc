// The addresses of the handlers of events: the table by which nic.dispatch jumps (docs/core.md,
// Dispatch).
//
// Registers: the CSR mevindex selects an entry, mevhandler is that entry.
// Timing:    handler_o follows event_i in the same clock.
// Reset:     the table starts undefined.

`default_nettype none

module nic_core_dispatch (
  input  wire logic        clk_i,

  // The event that is to be served
  input  wire logic [4:0]  event_i,
  output wire logic [31:1] handler_o,

  // CSRs
  input  wire logic [11:0] csr_addr_i,
  input  wire logic        csr_write_i,
  input  wire logic [31:0] csr_wdata_i,
  output wire logic        csr_exists_o,
  output wire logic [31:0] csr_rdata_o
);

  localparam logic [11:0] Mevindex   = 12'h7c1;
  localparam logic [11:0] Mevhandler = 12'h7c2;

  logic [31:1] handler_memory_q [32];
  logic [4:0]  index_q;

  assign handler_o = handler_memory_q[event_i];

  wire logic is_index   = csr_addr_i == Mevindex;
  wire logic is_handler = csr_addr_i == Mevhandler;

  assign csr_exists_o = is_index || is_handler;
  assign csr_rdata_o  = ({32{is_index}} & {27'd0, index_q}) | ({32{is_handler}} & {handler_memory_q[index_q], 1'b0});

  always_ff @(posedge clk_i) begin
    if (csr_write_i && is_index)   index_q                   <= csr_wdata_i[4:0];
    if (csr_write_i && is_handler) handler_memory_q[index_q] <= csr_wdata_i[31:1];
  end

endmodule

`default_nettype wire
