// clz, ctz, cpop: the number of leading zeros, trailing zeros, and ones. Also min and max, whose
// result comes too late for the clock of the comparison.
//
// Timing: start_i in the first clock with the operand; result_o stands in the next and stays until
// the next start.

`default_nettype none

module nic_core_bit_count (
  input  wire logic        clk_i,

  input  wire logic        start_i,
  input  wire logic [1:0]  op_i,          // 0 clz, 1 ctz, 2 cpop
  input  wire logic        extreme_i,     // min or max instead
  input  wire logic        picks_b_i,     // ... and it is b
  input  wire logic [31:0] a_i,
  input  wire logic [31:0] b_i,

  output wire logic [31:0] result_o
);

  // The number of trailing zeros is the number of ones in a mask of the bits below the lowest one.
  // Leading zeros are trailing zeros of the reversed operand.
  wire logic [31:0] reversed = {<<{a_i}};
  wire logic [31:0] a        = (op_i == 2'd0) ? reversed : a_i;
  wire logic [31:0] below    = ~a & (a - 32'd1);

  logic        extreme_q, picks_b_q;
  logic [31:0] bits_q, b_q;
  wire logic [31:0] bits = bits_q;

  // A tree of sums, the upper half beside the lower.
  wire logic [31:0] pairs  = (bits & 32'h5555_5555) + ((bits >> 1) & 32'h5555_5555);
  wire logic [31:0] fours  = (pairs & 32'h3333_3333) + ((pairs >> 2) & 32'h3333_3333);
  wire logic [31:0] eights = (fours + (fours >> 4)) & 32'h0f0f_0f0f;
  wire logic [5:0]  count  = eights[5:0] + eights[13:8] + eights[21:16] + eights[29:24];

  assign result_o = !extreme_q ? {26'b0, count} : picks_b_q ? b_q : bits_q;

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      bits_q    <= (extreme_i || op_i[1]) ? a_i : below;
      b_q       <= b_i;
      extreme_q <= extreme_i;
      picks_b_q <= picks_b_i;
    end
  end

  wire logic unused_eights = &{1'b0, eights[31:30], eights[23:22], eights[15:14], eights[7:6]};

endmodule

`default_nettype wire
