// Replaces nic_core_predict: any prediction, at any time. A property that holds with it holds for
// any contents of the table, and no effect of the core can depend on them.
//
// For FORMAL_QUIET clocks nothing is predicted (parameter Quiet of formal_core), and after a
// prediction not again for FORMAL_APART clocks. A property about bounded time needs a bound on
// wrong predictions, which the real table has because it forgets them. Two guarantees of the table
// are kept, since the fetch may rely on them: a branch before the entry is not predicted, and no
// branch in the clock after forget_i.

`default_nettype none

module nic_core_predict (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic [31:1] pc_i,
  output wire logic        hit_o,
  output wire logic        upper_o,
  output wire logic [31:1] target_o,
  input  wire logic [31:1] peek_pc_i,
  output wire logic        peek_hit_o,
  output wire logic        peek_upper_o,
  output wire logic [31:1] peek_target_o,
  input  wire logic        update_i,
  input  wire logic        forget_i,
  input  wire logic        taken_i,
  input  wire logic        right_i,
  input  wire logic [31:1] redirect_pc_i,
  input  wire logic [31:1] last_half_i
);

  // Without a driver: the solver chooses it anew in each clock.
  wire logic        any_hit, any_upper, any_peek_hit, any_peek_upper;
  wire logic [31:1] any_target, any_peek_target;

  logic [5:0] clock_q = 6'd0;
  logic [5:0] since_q = '1;
  logic       forget_q;
  always_ff @(posedge clk_i) begin
    clock_q  <= clock_q + 6'(clock_q != '1);
    since_q  <= (hit_o || peek_hit_o) ? 6'd0 : since_q + 6'(since_q != '1);
    forget_q <= rst_ni && forget_i;
  end

  assign hit_o    = any_hit && !forget_q && clock_q >= 6'(`FORMAL_QUIET) && since_q >= 6'(`FORMAL_APART);
  assign upper_o  = any_upper || pc_i[1];
  assign target_o = any_target;

  assign peek_hit_o    = any_peek_hit && clock_q >= 6'(`FORMAL_QUIET) && since_q >= 6'(`FORMAL_APART);
  assign peek_upper_o  = any_peek_upper || peek_pc_i[1];
  assign peek_target_o = any_peek_target;

  wire logic unused = &{1'b0, pc_i[31:2], peek_pc_i[31:2], update_i, taken_i, right_i, redirect_pc_i, last_half_i};

endmodule

`default_nettype wire
