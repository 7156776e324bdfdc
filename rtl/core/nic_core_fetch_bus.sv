// Requests words on the instruction port: one after the other, or from the target of a prediction;
// drops words that a redirect made stale.
//
// Handshake: instr_req_o with instr_addr_o until the grant; a redirect may change the address of a
//            request that was not granted. At most two words are outstanding.
// Timing:    the target of a redirect is requested in the clock of the redirect; redirect_i and
//            redirect_pc_i should come from registers. No path from instr_gnt_i or instr_rvalid_i
//            to instr_req_o.
// Words:     come in order with their predictions. There is always room in the queue, because words
//            are requested only if there is.

`default_nettype none

module nic_core_fetch_bus #(
  parameter int unsigned QueueWords = 6
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic [31:1] boot_pc_i,

  // Instruction port
  output wire logic        instr_req_o,
  input  wire logic        instr_gnt_i,
  output wire logic [31:0] instr_addr_o,
  input  wire logic        instr_rvalid_i,

  // From the execute stage
  input  wire logic        redirect_i,
  input  wire logic [31:1] redirect_pc_i,
  input  wire logic        found_i,            // its first word is there already
  input  wire logic [31:1] behind_i,           // ... and this is what comes behind it

  // Prediction for the word that is asked for
  output wire logic [31:1] pc_o,               // its address, and the half at which the stream
                                               // enters it
  input  wire logic        hit_i,
  input  wire logic        upper_i,
  input  wire logic [31:1] target_i,
  output wire logic        follow_o,           // it was granted and the prediction is followed

  // To the queue
  input  wire logic [2:0]  queue_used_i,       // words in it
  output wire logic        word_valid_o,       // the answer of this clock is used
  output wire logic        word_predicted_o,   // ... and fetching went on at a target behind it
  output wire logic        word_upper_o        // ... behind its upper half
);

  typedef struct packed {
    logic predicted;
    logic upper;
  } prediction_t;

  logic        run_q;                          // low for the first clock after reset
  logic [31:1] pc_d, pc_q;                     // the address of the request
  logic [1:0]  outstanding_d, outstanding_q;   // granted, not answered
  logic [1:0]  drop_d, drop_q;                 // the number of oldest ones to be dropped
  prediction_t oldest_q, newest_q;             // predictions of those outstanding, newest_q if
                                               // there are two

  // ---- Requests -----------------------------------------------------------------

  wire logic room    = queue_used_i + {1'b0, outstanding_q} < 3'(QueueWords);
  // A redirect does not depend on the contents of the queue.
  wire logic request = run_q && (room || redirect_i) && !outstanding_q[1];
  wire logic granted = request && instr_gnt_i;

  assign instr_req_o  = request;
  wire logic [31:1] pc = !redirect_i ? pc_q : found_i ? behind_i : redirect_pc_i;

  assign instr_addr_o = {pc[31:2], 2'b00};
  assign pc_o         = pc;
  assign follow_o     = granted && hit_i;

  always_comb begin
    if (!granted)   pc_d = pc;
    else if (hit_i) pc_d = target_i;
    else            pc_d = {pc[31:2] + 30'd1, 1'b0};
  end

  // ---- Answers --------------------------------------------------------------------

  wire logic dropping = drop_q != 2'd0;
  wire logic [1:0] unanswered = outstanding_q - 2'(instr_rvalid_i);

  assign word_valid_o     = instr_rvalid_i && !dropping;
  assign word_predicted_o = oldest_q.predicted;
  assign word_upper_o     = oldest_q.upper;
  assign outstanding_d    = unanswered + 2'(granted);
  assign drop_d           = redirect_i ? unanswered : drop_q - 2'(instr_rvalid_i && dropping);

  // ---- Registers --------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      run_q         <= 1'b0;
      pc_q          <= boot_pc_i;
      outstanding_q <= 2'd0;
      drop_q        <= 2'd0;
    end else begin
      run_q         <= 1'b1;
      pc_q          <= pc_d;
      outstanding_q <= outstanding_d;
      drop_q        <= drop_d;
    end

    if (instr_rvalid_i || outstanding_q == 2'd0) begin
      oldest_q <= outstanding_q[1] ? newest_q : '{predicted: hit_i, upper: upper_i};
    end
    if (granted) newest_q <= '{predicted: hit_i, upper: upper_i};
  end

  // ---- Assertions -------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      DropsAreOutstanding: assert (drop_q <= outstanding_q);
      QueueHasRoom:        assert (redirect_i || !word_valid_o || queue_used_i != 3'(QueueWords));
    end
  end

endmodule

`default_nettype wire
