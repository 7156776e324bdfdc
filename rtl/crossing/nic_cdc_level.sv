// Brings one level into the domain of clk_i. While the domain that it comes from is in reset, the
// level is low: also if that domain has had no clock since RST#, and its register is from before.
//
// Timing: in_i is seen at out_o two clk_i edges later; a pulse shorter than one clk_i period may be
//         lost.

`default_nettype none

module nic_cdc_level (
  input  wire logic clk_in_i,    // clock of in_i
  input  wire logic rst_in_ni,   // its reset, as nic_reset_sync makes it
  input  wire logic in_i,        // a register
  input  wire logic clk_i,
  output wire logic out_o,
  output wire logic seen_o       // the same without a look at the reset: a register, to be sent back
);

  wire logic level, is_out_of_reset;

  nic_cdc_sync u_level (.clk_in_i, .clk_i, .in_i,              .out_o (level));
  nic_cdc_sync u_reset (.clk_in_i, .clk_i, .in_i (rst_in_ni),  .out_o (is_out_of_reset));

  assign out_o  = level && is_out_of_reset;
  assign seen_o = level;

endmodule

`default_nettype wire
