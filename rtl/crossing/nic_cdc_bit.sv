// Brings one level into the clock domain of clk_i through two flip-flops.
//
// Timing:     in_i is seen at out_o two clk_i edges later; a pulse shorter than one clk_i period
//             may be lost.
// Reset:      asynchronous, so a level from before is forgotten even if clk_i stands still.
// Constraint: set_max_delay -datapath_only one clk_i period to u_*/meta_q; keep meta_q and out_q
// adjacent (ASYNC_REG).

`default_nettype none

module nic_cdc_bit #(
  parameter logic ResetValue = 1'b0
) (
  input  wire logic clk_i,
  input  wire logic rst_ni,
  input  wire logic in_i,
  output wire logic out_o
);

  logic meta_q, out_q;

  assign out_o = out_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      meta_q <= ResetValue;
      out_q  <= ResetValue;
    end else begin
      meta_q <= in_i;
      out_q  <= meta_q;
    end
  end

endmodule

`default_nettype wire
