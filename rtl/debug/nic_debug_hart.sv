// The state of one hart as the module knows it, and the requests to the hart.
//
// Requests: write_i for one clock, with the requests of dmcontrol to this hart. debug_req_o is a
//           level that holds until the hart has halted; resume_o until it is about to leave.
// States:   in reset, and so unavailable; halted; or running. A hart reports by a store that it
//           parks or leaves.
// Reset:    of the module (clear_i) forgets requests, not the state of the hart.

`default_nettype none

module nic_debug_hart (
  input  wire logic clk_i,
  input  wire logic rst_ni,
  input  wire logic awake_i,
  input  wire logic active_i,
  input  wire logic clear_i,

  // dmcontrol
  input  wire logic write_i,
  input  wire logic halt_i,
  input  wire logic resume_i,           // ... if not halt_i
  input  wire logic reset_i,
  input  wire logic ack_reset_i,
  input  wire logic set_reset_halt_i,
  input  wire logic clear_reset_halt_i,

  // The hart
  input  wire logic in_reset_i,
  input  wire logic parked_i,
  input  wire logic resuming_i,
  output wire logic debug_req_o,
  output wire logic resume_o,
  output wire logic reset_o,

  // dmstatus
  output wire logic halted_o,
  output wire logic resume_ack_o,
  output wire logic have_reset_o
);

  logic halt_q, resume_q, reset_q, halts_after_reset_q, fresh_q, resume_ack_q, have_reset_q;
  logic halted_q;

  assign debug_req_o  = halt_q || fresh_q;
  assign resume_o     = resume_q;
  assign reset_o      = reset_q;
  assign halted_o     = halted_q;
  assign resume_ack_o = resume_ack_q;
  assign have_reset_o = have_reset_q;

  always_ff @(posedge clk_i) begin
    if (awake_i) begin
      if (!rst_ni || clear_i) begin
        halt_q              <= 1'b0;
        resume_q            <= 1'b0;
        reset_q             <= 1'b0;
        halts_after_reset_q <= 1'b0;
        fresh_q             <= 1'b0;
        resume_ack_q        <= 1'b0;
        have_reset_q        <= 1'b0;
      end else if (active_i) begin
        if (write_i) begin
          halt_q  <= halt_i;
          reset_q <= reset_i;
          if (set_reset_halt_i)   halts_after_reset_q <= 1'b1;
          if (clear_reset_halt_i) halts_after_reset_q <= 1'b0;
        end

        if (in_reset_i || resuming_i) resume_q <= 1'b0;
        else if (write_i && resume_i && !halt_i && halted_q) resume_q <= 1'b1;

        if (resuming_i)                           resume_ack_q <= 1'b1;
        else if (write_i && resume_i && !halt_i && halted_q) resume_ack_q <= 1'b0;

        if (in_reset_i)                  have_reset_q <= 1'b1;
        else if (write_i && ack_reset_i) have_reset_q <= 1'b0;

        // Still to halt after a reset. A request that is withdrawn in the reset counts no more.
        if (in_reset_i)    fresh_q <= halts_after_reset_q;
        else if (parked_i) fresh_q <= 1'b0;
      end

      if (!rst_ni || in_reset_i) halted_q <= 1'b0;
      else if (parked_i)         halted_q <= 1'b1;
      else if (resuming_i)       halted_q <= 1'b0;
    end
  end

  // ---- Assertions -------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (awake_i && rst_ni && !in_reset_i) begin
      OnlyHaltedLeave:  assert (!resuming_i || halted_q);
      OnlyHaltedResume: assert (!resume_q || halted_q);
      SaysOneThing:     assert (!(parked_i && resuming_i));
    end
  end

endmodule

`default_nettype wire
