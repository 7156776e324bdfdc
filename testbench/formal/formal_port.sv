// A memory behind a port of the core. It may only answer granted accesses, in order, from the next
// clock on.

`default_nettype none

module formal_port (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        req_i,
  input  wire logic        gnt_i,
  input  wire logic [31:0] addr_i,
  input  wire logic        rvalid_i,
  output wire logic [1:0]  outstanding_o,
  output wire logic [31:0] oldest_o         // the address that is answered next
);

  logic [1:0]  outstanding_q;
  logic [31:0] oldest_q, newest_q;

  wire logic granted  = req_i && gnt_i && rst_ni;
  wire logic answered = rvalid_i && rst_ni;

  assign outstanding_o = outstanding_q;
  assign oldest_o      = oldest_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) outstanding_q <= 2'd0;
    else         outstanding_q <= outstanding_q + {1'b0, granted} - {1'b0, answered};
    if (granted) newest_q <= addr_i;
    // The new access is the oldest if no other is left before it.
    if (granted && (outstanding_q == 2'd0 || (outstanding_q == 2'd1 && answered))) oldest_q <= addr_i;
    else if (answered) oldest_q <= newest_q;
  end

  always_comb begin
    AnswersWhatWasAsked: assume (!rvalid_i || (rst_ni && outstanding_q != 2'd0));
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) AtMostTwoOutstanding: assert (outstanding_q != 2'd3);
  end

endmodule

`default_nettype wire
