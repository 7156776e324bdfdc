// Derives the reset of one clock domain from the asynchronous reset pad.
//
// Timing:     rst_no falls and rises two to three clk_i edges after pad_rst_ni; the clock must run
//             during reset.
// Constraint: set_false_path to u_*/meta_q.

`default_nettype none

module nic_reset_sync (
  input  wire logic clk_i,
  input  wire logic pad_rst_ni,
  output wire logic rst_no
);

  logic meta_q, sync_q, rst_nq;

  assign rst_no = rst_nq;

  always_ff @(posedge clk_i) begin
    meta_q <= pad_rst_ni;
    sync_q <= meta_q;
    rst_nq <= meta_q && sync_q;
  end

endmodule

`default_nettype wire
