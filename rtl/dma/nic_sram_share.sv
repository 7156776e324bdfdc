// Lets two requesters share one SRAM port. A goes first unless B waits already.
//
// Handshake:  all three sides follow the rules of the SRAM port (docs/interfaces.md); req_o holds,
//             with one owner, until gnt_i.
// Timing:     no clock added; gnt reaches the owner, and rvalid the requester that was granted in
//             the previous clock.
// Request:    the parent builds it: select_b_o tells whether it is the request of B.

`default_nettype none

module nic_sram_share (
  input  wire logic clk_i,
  input  wire logic rst_ni,

  input  wire logic a_req_i,
  output wire logic a_gnt_o,
  output wire logic a_rvalid_o,

  input  wire logic b_req_i,
  output wire logic b_gnt_o,
  output wire logic b_rvalid_o,

  output wire logic req_o,
  output wire logic select_b_o,
  input  wire logic gnt_i,
  input  wire logic rvalid_i
);

  logic b_waits_q, granted_b_q;

  assign req_o      = a_req_i || b_req_i;
  assign select_b_o = b_waits_q || !a_req_i;
  assign a_gnt_o    = gnt_i && a_req_i && !select_b_o;
  assign b_gnt_o    = gnt_i && b_req_i && select_b_o;
  assign a_rvalid_o = rvalid_i && !granted_b_q;
  assign b_rvalid_o = rvalid_i && granted_b_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      b_waits_q   <= 1'b0;
      granted_b_q <= 1'b0;
    end else begin
      b_waits_q <= b_req_i && select_b_o && !gnt_i;
      if (gnt_i) granted_b_q <= select_b_o;
    end
  end

  // ---- Assertions ---------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni && b_waits_q) WaitingRequestIsNotWithdrawn: assert (b_req_i);
  end

endmodule

`default_nettype wire
