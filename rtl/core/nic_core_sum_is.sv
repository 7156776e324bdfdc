// Tells whether a + b, without its lowest bit, is a given number, without waiting for the carry of
// the sum.
//
// Why it holds: if the sum is right, the carry into each place is the carry out of the place below,
//               which follows from the bit of the sum there. Where all places agree, the sum is
//               right from the lowest place up.

`default_nettype none

module nic_core_sum_is (
  input  wire logic [31:0] a_i,
  input  wire logic [31:0] b_i,
  input  wire logic [31:1] sum_i,
  output wire logic        yes_o
);

  wire logic [31:0] sum       = {sum_i, a_i[0] ^ b_i[0]};
  wire logic [31:0] carry_in  = a_i ^ b_i ^ sum;
  wire logic [31:0] carry_out = (a_i & b_i) | ((a_i | b_i) & ~sum);

  assign yes_o = carry_in[31:1] == carry_out[30:0];

  wire logic unused = &{1'b0, carry_in[0], carry_out[31]};

endmodule

`default_nettype wire
