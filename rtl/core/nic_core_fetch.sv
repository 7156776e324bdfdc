// The stages before decoding: delivers the instructions of the program in order, one each clock.
//
// Handshake: insn_valid_o and its group hold until insn_ready_i or a redirect.
// Timing:    redirect and grant in clock n, word in n+1, instruction of the target on insn_o in n+2
//            (one clock later if it straddles two words); all a clock earlier if the redirect finds
//            the word of a look. A predicted branch costs nothing. No path from instr_rdata_i to
//            anything but registers.
// Look:      while a branch is decided, the word to which the branch goes if its prediction is
//            wrong is read beside the fetches (look_i). It comes on look_rdata_i in the next clock,
//            if look_valid_i is high; a redirect with redirect_look_i goes there.
// Parts:     nic_core_fetch_bus requests words, nic_core_predict predicts, nic_core_fetch_queue
//            cuts instructions.

`default_nettype none

module nic_core_fetch (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic [31:1] boot_pc_i,

  // Instruction port
  output wire logic        instr_req_o,
  input  wire logic        instr_gnt_i,
  output wire logic [31:0] instr_addr_o,
  input  wire logic        instr_rvalid_i,
  input  wire logic [31:0] instr_rdata_i,
  input  wire logic        instr_err_i,

  // From the execute stage
  input  wire logic        redirect_i,
  input  wire logic [31:1] redirect_pc_i,
  input  wire logic        redirect_look_i,     // to what look_pc_i was in the clock before
  input  wire logic        look_i,
  input  wire logic [31:2] look_pc_i,
  input  wire logic        peek_i,              // peek_pc_i is the same, early enough to ask for
                                                // predictions
  input  wire logic [31:1] peek_pc_i,
  input  wire logic        look_valid_i,
  input  wire logic [31:0] look_rdata_i,
  input  wire logic        update_i,            // the outcome of a branch, for nic_core_predict
  input  wire logic        forget_i,
  input  wire logic        update_taken_i,
  input  wire logic        update_right_i,
  input  wire logic [31:1] update_last_half_i,

  // Instructions
  output wire logic        insn_valid_o,
  input  wire logic        insn_ready_i,
  output wire logic [31:0] insn_o,              // as in memory, upper half meaningless if
                                                // compressed
  output wire logic [31:1] insn_pc_o,           // in the clock after an instruction was taken: the
                                                // predicted next address
  output wire logic        insn_predicted_o,    // a predicted target comes next, and not the
                                                // following instruction
  output wire logic        insn_broken_o,       // a wrong prediction cut it: to be fetched again
  output wire logic        insn_fault_o,
  output wire logic        insn_fault_upper_o
);

  wire logic [31:1] ask_pc, hit_target;
  wire logic        hit, hit_upper, follow;
  wire logic        word_valid, word_predicted, word_upper;
  wire logic [2:0]  used_words;
  wire logic        target_taken;

  // ---- The word of a look, and what is predicted for it ---------------------------------

  wire logic        peek_hit, peek_upper;
  wire logic [31:1] peek_target;
  logic             look_hit_q, look_upper_q;
  logic [31:1]      look_behind_q;

  always_ff @(posedge clk_i) begin
    if (look_i) begin
      look_hit_q    <= peek_hit && peek_i;
      look_upper_q  <= peek_upper;
      look_behind_q <= (peek_hit && peek_i) ? peek_target : {look_pc_i[31:2] + 30'd1, 1'b0};
    end
  end

  wire logic found = redirect_look_i && look_valid_i;

  nic_core_fetch_bus u_bus (
    .clk_i,
    .rst_ni,
    .boot_pc_i,
    .instr_req_o,
    .instr_gnt_i,
    .instr_addr_o,
    .instr_rvalid_i,
    .redirect_i,
    .redirect_pc_i,
    .found_i          (found),
    .behind_i         (look_behind_q),
    .pc_o             (ask_pc),
    .hit_i            (hit),
    .upper_i          (hit_upper),
    .target_i         (hit_target),
    .follow_o         (follow),
    .queue_used_i     (used_words),
    .word_valid_o     (word_valid),
    .word_predicted_o (word_predicted),
    .word_upper_o     (word_upper)
  );

  nic_core_predict u_predict (
    .clk_i,
    .rst_ni,
    .pc_i        (ask_pc),
    .hit_o       (hit),
    .upper_o     (hit_upper),
    .target_o    (hit_target),
    .peek_pc_i,
    .peek_hit_o    (peek_hit),
    .peek_upper_o  (peek_upper),
    .peek_target_o (peek_target),
    .update_i,
    .forget_i,
    .taken_i     (update_taken_i),
    .right_i     (update_right_i),
    .redirect_pc_i,
    .last_half_i (update_last_half_i)
  );

  // ---- Targets that were followed, until their branches leave the queue -----------------

  logic [31:1] target_memory_q [8];     // more than the words that can be under way
  logic [2:0]  target_in_q, target_out_q;
  logic        found_first_q;           // ... except the oldest: the target of a word that was
                                        // found
  logic [31:1] found_target_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      target_in_q   <= 3'd0;
      target_out_q  <= 3'd0;
      found_first_q <= 1'b0;
    end else begin
      target_in_q  <= target_in_q + 3'(follow);
      target_out_q <= redirect_i ? target_in_q : target_out_q + 3'(target_taken && !found_first_q);
      if (redirect_i)        found_first_q <= found && look_hit_q;
      else if (target_taken) found_first_q <= 1'b0;
    end
    if (found)  found_target_q <= look_behind_q;
    if (follow) target_memory_q[target_in_q] <= hit_target;
  end

  nic_core_fetch_queue u_queue (
    .clk_i,
    .rst_ni,
    .boot_pc_i,
    .redirect_i,
    .redirect_pc_i,
    .found_i          (found),
    .found_data_i     (look_rdata_i),
    .found_predicted_i (look_hit_q),
    .found_upper_i    (look_upper_q),
    .word_valid_i     (word_valid),
    .word_data_i      (instr_rdata_i),
    .word_err_i       (instr_err_i),
    .word_predicted_i (word_predicted),
    .word_upper_i     (word_upper),
    .used_words_o     (used_words),
    .target_i         (found_first_q ? found_target_q : target_memory_q[target_out_q]),
    .target_taken_o   (target_taken),
    .insn_valid_o,
    .insn_ready_i,
    .insn_o,
    .insn_pc_o,
    .insn_predicted_o,
    .insn_broken_o,
    .insn_fault_o,
    .insn_fault_upper_o
  );

endmodule

`default_nettype wire
