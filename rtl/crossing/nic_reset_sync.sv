// Derives the reset of one clock domain from the asynchronous reset pad.
//
// Timing:     rst_no falls with pad_rst_ni, also while clk_i stands still. It rises behind
//             pad_rst_ni, with the third clk_i edge at the latest. So the domain has at least two
//             edges in reset whenever its clock begins to run.
// Users:      rst_no clears at once what another clock reads, in nic_cdc_*. All other registers of
//             a domain take it at their next edge: without one, nothing of the domain moves.
// Constraint: nic_top.sdc; the recovery of rst_no is timed.

`default_nettype none

module nic_reset_sync (
  input  wire logic clk_i,
  input  wire logic pad_rst_ni,
  output wire logic rst_no
);

  (* ASYNC_REG = "TRUE" *) logic meta_q, sync_q;
  // Asserted, it clears crossings at once and all other registers at their next clock.
  // verilator lint_off SYNCASYNCNET
  logic rst_nq;
  // verilator lint_on SYNCASYNCNET

  assign rst_no = rst_nq;

  always_ff @(posedge clk_i or negedge pad_rst_ni) begin
    if (!pad_rst_ni) begin
      meta_q <= 1'b0;
      sync_q <= 1'b0;
      rst_nq <= 1'b0;
    end else begin
      meta_q <= 1'b1;
      sync_q <= meta_q;
      rst_nq <= sync_q;
    end
  end

endmodule

`default_nettype wire
