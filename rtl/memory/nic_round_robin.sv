// Chooses among requesters that are served one at a time: the first requester behind the requester
// that was served last.
//
// Timing: chosen_o follows req_i in the same clock; one bit of it is set while any requester asks.
//         A clock with serve_i passes the turn on.
// Bound:  a requester is chosen at the latest as the N-th of those that are served from its request
//         on.

`default_nettype none

module nic_round_robin #(
  parameter int unsigned N = 2
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic [N-1:0] req_i,
  input  wire logic         serve_i,     // the chosen one is served in this clock
  output wire logic [N-1:0] chosen_o
);

  logic [N-1:0] behind_q;                // the requesters behind the last one served

  wire logic [N-1:0] ahead  = req_i & behind_q;
  wire logic [N-1:0] among  = ahead != '0 ? ahead : req_i;
  wire logic [N-1:0] chosen = among & (~among + N'(1));

  assign chosen_o = chosen;

  always_ff @(posedge clk_i) begin
    if (!rst_ni)      behind_q <= '0;
    else if (serve_i) behind_q <= ~(chosen | (chosen - N'(1)));
  end

endmodule

`default_nettype wire
