// mul, mulh, mulhsu, mulhu.
//
// Timing: start_i in the first clock with operands; result_o stands in the next and stays until the
//         next start. Four products of 16 by 16 bits (17 where a sign comes in) are registered, as
//         in the DSP blocks of an FPGA, and added in the second clock.

`default_nettype none

module nic_core_multiply (
  input  wire logic        clk_i,

  input  wire logic        start_i,
  input  wire logic [1:0]  funct3_i,      // 0 mul, 1 mulh, 2 mulhsu, 3 mulhu
  input  wire logic [31:0] a_i,
  input  wire logic [31:0] b_i,

  output wire logic [31:0] result_o
);

  wire logic a_is_signed = funct3_i != 2'd3;
  wire logic b_is_signed = funct3_i == 2'd1 || funct3_i == 2'd0;

  wire logic signed [16:0] a_high = {a_is_signed && a_i[31], a_i[31:16]};
  wire logic signed [16:0] b_high = {b_is_signed && b_i[31], b_i[31:16]};
  wire logic signed [16:0] a_low  = {1'b0, a_i[15:0]};
  wire logic signed [16:0] b_low  = {1'b0, b_i[15:0]};

  logic signed [33:0] low_low_q, low_high_q, high_low_q, high_high_q;
  logic               wants_low_q;

  wire logic signed [63:0] cross_sum = 64'(low_high_q) + 64'(high_low_q);
  wire logic signed [63:0] product   = 64'(low_low_q) + (cross_sum << 16) + (64'(high_high_q) << 32);

  assign result_o = wants_low_q ? product[31:0] : product[63:32];

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      wants_low_q <= funct3_i == 2'd0;
      low_low_q   <= 34'(a_low)  * 34'(b_low);
      low_high_q  <= 34'(a_low)  * 34'(b_high);
      high_low_q  <= 34'(a_high) * 34'(b_low);
      high_high_q <= 34'(a_high) * 34'(b_high);
    end
  end

endmodule

`default_nettype wire
