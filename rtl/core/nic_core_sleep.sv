// Decides in which clocks a core needs no clock. The gate itself is outside, where clocks are made
// (docs/interfaces.md, Clocks).
//
// Rule:   a core that sleeps in wfi or nic.dispatch with nothing under way stands still: a clock
//         would leave all its registers unchanged. Then clock_o is low, as long as no input comes
//         that a register would take.
// Timing: clock_o is about the edge that ends this clock, and comes from registers. An input that
//         wakes the core shows one clock before it acts, so no clock is lost. The clock gate raises
//         clk_i together with clk_free_i if clock_o was high before.
// Reset:  the core has its clock in reset, and after it as long as memories are still being emptied
//         (predictions).

`default_nettype none

module nic_core_sleep #(
  parameter int unsigned ClocksAfterReset = 63,
  parameter int unsigned ClocksToSettle   = 3      // from the last instruction to the last register
                                                   // that it changes
) (
  input  wire logic clk_i,         // clock of the core: may stop
  input  wire logic clk_free_i,    // never does
  input  wire logic rst_ni,

  input  wire logic still_i,       // the core sleeps, no access is under way, and all inputs equal
                                   // their registers
  output wire logic clock_o,

  // For the assertion: a signal passes between the core and its surroundings
  input  wire logic acts_i
);

  typedef logic [$clog2(ClocksAfterReset + 1)-1:0] left_t;

  left_t left_q;                   // clocks until it may stop, if it stays still

  always_ff @(posedge clk_i) begin
    if (!rst_ni)                               left_q <= left_t'(ClocksAfterReset);
    else if (left_q > left_t'(ClocksToSettle)) left_q <= left_q - left_t'(1);
    else if (!still_i)                         left_q <= left_t'(ClocksToSettle);
    else if (left_q != '0)                     left_q <= left_q - left_t'(1);
  end

  wire logic clock = !rst_ni || !still_i || left_q != '0;
  assign clock_o = clock;

  // ---- Assertions -------------------------------------------------------------------

  logic wanted_q, had_q, seen_q;   // had_q changes with each clock of the core
  always_ff @(posedge clk_i) had_q <= rst_ni && !had_q;

  always_ff @(posedge clk_free_i) begin
    wanted_q <= clock && rst_ni;
    seen_q   <= had_q;
    if (rst_ni) begin
      if (wanted_q) ClockComesWhenWanted: assert (had_q != seen_q);
      if (!clock)   StandsStill:          assert (!acts_i);
    end
  end

endmodule

`default_nettype wire
