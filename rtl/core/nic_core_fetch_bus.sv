// Asks the instruction port for consecutive words and passes on those that are still wanted.
//
// Handshake: OBI on the instruction port; at most two fetches outstanding. A fetch that waits for its grant is never
//            withdrawn or changed: after a redirect it is completed and its word dropped.
// Timing:    redirect_i reaches instr_addr_o in the same clock, so that the word of the target comes in the next.
//            instr_req_o depends on neither instr_gnt_i nor instr_rvalid_i of the same clock.
// Room:      every word is taken in the clock in which it comes; words are asked for only while the queue has room
//            for all that are outstanding.

`default_nettype none

module nic_core_fetch_bus #(
  parameter int unsigned QueueWords = 3
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic [31:1] boot_pc_i,

  // Instruction port
  output wire logic        instr_req_o,
  input  wire logic        instr_gnt_i,
  output wire logic [31:0] instr_addr_o,
  input  wire logic        instr_rvalid_i,

  // From the core: fetch from here; words that are on their way are void
  input  wire logic        redirect_i,
  input  wire logic [31:2] redirect_word_i,

  // To and from the queue
  input  wire logic [31:2] head_word_i,      // word of the next instruction to leave the queue
  input  wire logic [1:0]  queue_used_i,     // words in the queue
  output wire logic        word_valid_o      // the word on instr_rdata_i belongs to the queue
);

  logic        run_q;                        // no request leaves in reset
  logic [31:2] addr_d, addr_q;               // the word that is asked for, or was last
  logic        step_d, step_q;               // it was granted: the next is the one behind it
  logic        waiting_d, waiting_q;         // the request of the clock before was not granted
  logic        stale_d, stale_q;             // ... and is no longer wanted
  logic [1:0]  outstanding_d, outstanding_q; // granted, not answered
  logic [1:0]  drop_d, drop_q;               // the oldest of them, to be dropped

  // ---- Requests -----------------------------------------------------------------

  // After a redirect everything outstanding is dropped, so that there is room whatever the queue holds.
  wire logic room    = {1'b0, queue_used_i} + {1'b0, outstanding_q} < 3'(QueueWords);
  wire logic request = waiting_q || (run_q && !outstanding_q[1] && (room || redirect_i));
  wire logic granted = request && instr_gnt_i;

  // The increment comes before the choice, which is late.
  wire logic [31:2] next_word = addr_q + 30'(step_q);
  wire logic [31:2] word      = (redirect_i && !waiting_q) ? redirect_word_i : next_word;

  assign instr_req_o  = request;
  assign instr_addr_o = {word, 2'b00};

  assign waiting_d = request && !instr_gnt_i;
  assign stale_d   = waiting_q && !instr_gnt_i && (stale_q || redirect_i);

  // The target of a redirect that found a request waiting is kept by the queue as its head.
  always_comb begin
    addr_d = word;
    step_d = granted;
    if (waiting_q && instr_gnt_i && (redirect_i || stale_q)) begin
      addr_d = redirect_i ? redirect_word_i : head_word_i;
      step_d = 1'b0;
    end
  end

  // ---- Answers --------------------------------------------------------------------

  wire logic dropping     = drop_q != 2'd0;
  wire logic [1:0] unanswered = outstanding_q - 2'(instr_rvalid_i);

  assign word_valid_o  = instr_rvalid_i && !dropping;
  assign outstanding_d = unanswered + 2'(granted);
  assign drop_d        = redirect_i ? unanswered + 2'(granted && waiting_q)
                                    : drop_q - 2'(instr_rvalid_i && dropping) + 2'(granted && stale_q);

  // ---- Registers --------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      run_q         <= 1'b0;
      addr_q        <= boot_pc_i[31:2];
      step_q        <= 1'b0;
      waiting_q     <= 1'b0;
      stale_q       <= 1'b0;
      outstanding_q <= 2'd0;
      drop_q        <= 2'd0;
    end else begin
      run_q         <= 1'b1;
      addr_q        <= addr_d;
      step_q        <= step_d;
      waiting_q     <= waiting_d;
      stale_q       <= stale_d;
      outstanding_q <= outstanding_d;
      drop_q        <= drop_d;
    end
  end

  wire logic unused_boot_bit = boot_pc_i[1];   // the queue starts in the right half of the word

  // ---- Assertions -------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      DropsAreOutstanding: assert (drop_q <= outstanding_q);
      StaleIsWaiting:      assert (!stale_q || waiting_q);
      QueueHasRoom:        assert (redirect_i || !word_valid_o || queue_used_i != 2'(QueueWords));
    end
  end

endmodule

`default_nettype wire
