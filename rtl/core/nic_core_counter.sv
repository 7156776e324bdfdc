// A 64-bit counter that is written in halves.
//
// Timing: increment_i adds one at the clock edge; a write of either half in the same clock wins
// over it.

`default_nettype none

module nic_core_counter (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        increment_i,
  input  wire logic        write_low_i,
  input  wire logic        write_high_i,
  input  wire logic [31:0] wdata_i,
  output wire logic [63:0] count_o
);

  logic [63:0] count_q;

  assign count_o = count_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni)           count_q        <= 64'd0;
    else if (write_low_i)  count_q[31:0]  <= wdata_i;
    else if (write_high_i) count_q[63:32] <= wdata_i;
    else if (increment_i)  count_q        <= count_q + 64'd1;
  end

endmodule

`default_nettype wire
