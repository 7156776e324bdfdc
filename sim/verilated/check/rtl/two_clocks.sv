// Two counters in two clock domains; b samples a, so that the order of edges matters.

`default_nettype none

module two_clocks #(
  parameter int unsigned StepA = 1
) (
  input  wire logic        clk_a_i,
  input  wire logic        clk_b_i,
  input  wire logic [31:0] add_i,
  output wire logic [31:0] a_o,
  output wire logic [63:0] b_o,
  output wire logic [31:0] sum_o      // combinational from the input
);

  logic [31:0] a_q;
  logic [63:0] b_q;

  assign a_o   = a_q;
  assign b_o   = b_q;
  assign sum_o = a_q + add_i;

  initial begin
    a_q = '0;
    b_q = '0;
  end

  always_ff @(posedge clk_a_i) a_q <= a_q + add_i + 32'(StepA);
  always_ff @(posedge clk_b_i) b_q <= {b_q[62:0], b_q[63]} ^ 64'(a_q);

endmodule

`default_nettype wire
