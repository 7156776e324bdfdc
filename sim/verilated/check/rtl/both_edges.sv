// Counts rising and falling edges apart.

`default_nettype none

module both_edges (
  input  wire logic       clk_i,
  output wire logic [7:0] rise_o,
  output wire logic [7:0] fall_o
);

  logic [7:0] rise_q, fall_q;

  assign rise_o = rise_q;
  assign fall_o = fall_q;

  initial begin
    rise_q = '0;
    fall_q = '0;
  end

  always_ff @(posedge clk_i) rise_q <= rise_q + 8'd1;
  always_ff @(negedge clk_i) fall_q <= fall_q + 8'd1;

endmodule

`default_nettype wire
