// Cuts aligned instructions of two or four bytes out of a stream of words.
//
// Handshake:  insn_valid_o holds with its data until insn_ready_i or a redirect. Words are always
//             taken.
// Timing:     a word may leave as an instruction in the clock after it came. One instruction leaves
//             each clock, also where four-byte instructions straddle words, as long as one word
//             comes each clock.
// Redirect:   empties the queue; the next word to come contains redirect_pc_i, unless that word
//             comes with the redirect (found_i).
// Prediction: after a word with word_predicted_i comes the word of the target that the caller shows
//             on target_i as the oldest; the rest of the predicted word is not part of the stream.
//             insn_predicted_o marks the instruction that is followed by the target. insn_broken_o
//             marks an instruction that is cut in two by a prediction that cannot be right: its
//             bits are meaningless, and it must be fetched again.
// Faults:     an instruction with a faulty word leaves as soon as that word is there, and its bits
//             are meaningless; fault_upper_o tells that the fault is in its second half only.

`default_nettype none

module nic_core_fetch_queue #(
  parameter int unsigned Words = 6         // at most 6
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic [31:1] boot_pc_i,

  input  wire logic        redirect_i,
  input  wire logic [31:1] redirect_pc_i,
  input  wire logic        found_i,
  input  wire logic [31:0] found_data_i,
  input  wire logic        found_predicted_i,
  input  wire logic        found_upper_i,

  // Words, in order
  input  wire logic        word_valid_i,
  input  wire logic [31:0] word_data_i,
  input  wire logic        word_err_i,
  input  wire logic        word_predicted_i,
  input  wire logic        word_upper_i,      // the predicted branch ends in the upper half
  output wire logic [2:0]  used_words_o,

  // Targets of predicted words, in order
  input  wire logic [31:1] target_i,
  output wire logic        target_taken_o,

  // Instructions, in order
  output wire logic        insn_valid_o,
  input  wire logic        insn_ready_i,
  output wire logic [31:0] insn_o,            // upper half meaningless if compressed
  output wire logic [31:1] insn_pc_o,
  output wire logic        insn_predicted_o,
  output wire logic        insn_broken_o,
  output wire logic        insn_fault_o,
  output wire logic        insn_fault_upper_o
);

  typedef struct packed {
    logic        err;
    logic        predicted;
    logic        upper;
    logic [31:0] data;
  } word_t;

  // A shift register: the oldest word is always in slot 0, which keeps the alignment short. Behind
  // the last two slots nothing comes.
  word_t       slot_q [Words];
  word_t       behind [Words + 2], if_taken [Words], if_not [Words];
  logic [2:0]  used_q;
  wire logic [2:0] used_d;
  logic [31:1] pc_d, pc_q;

  // ---- Alignment ------------------------------------------------------------------

  wire logic upper      = pc_q[1];
  wire logic [15:0] low = upper ? slot_q[0].data[31:16] : slot_q[0].data[15:0];
  wire logic compressed = low[1:0] != 2'b11;
  wire logic reaches    = upper && !compressed && !slot_q[0].err;   // into the next word
  wire logic broken     = reaches && slot_q[0].predicted;
  wire logic straddles  = reaches && !slot_q[0].predicted;

  // A four-byte instruction that fills its word is followed by the target whichever half was
  // predicted.
  wire logic ends_first  = slot_q[0].predicted && !reaches && (!compressed || upper == slot_q[0].upper);
  wire logic ends_second = straddles && slot_q[1].predicted && !slot_q[1].upper;
  wire logic predicted   = ends_first || ends_second;

  assign insn_o             = {upper ? slot_q[1].data[15:0] : slot_q[0].data[31:16], low};
  assign insn_pc_o          = pc_q;
  assign insn_valid_o       = used_q != 3'd0 && (used_q != 3'd1 || !straddles);
  assign insn_predicted_o   = predicted;
  assign insn_broken_o      = broken;
  assign insn_fault_o       = slot_q[0].err || (straddles && slot_q[1].err);
  assign insn_fault_upper_o = !slot_q[0].err;

  // ---- Movement -------------------------------------------------------------------

  // insn_ready_i is late: both outcomes are computed, and it chooses between them.
  wire logic pop  = insn_valid_o && (upper || !compressed || ends_first);
  // with what is left of the second word
  wire logic pop2 = insn_valid_o && ends_second;
  wire logic take = insn_valid_o && insn_ready_i;

  wire logic [2:0] used_if_taken = used_q - (pop2 ? 3'd2 : 3'(pop)) + 3'(word_valid_i);
  wire logic [2:0] used_if_not   = used_q + 3'(word_valid_i);

  assign used_d         = redirect_i ? 3'(found_i) : insn_ready_i ? used_if_taken : used_if_not;
  assign used_words_o   = used_q;
  assign target_taken_o = take && predicted;

  always_comb begin
    if (redirect_i)     pc_d = redirect_pc_i;
    else if (predicted) pc_d = target_i;
    else                pc_d = pc_q + (compressed ? 31'd1 : 31'd2);
  end

  wire word_t incoming = '{err: word_err_i, predicted: word_predicted_i, upper: word_upper_i, data: word_data_i};

  wire word_t found    = '{err: 1'b0, predicted: found_predicted_i, upper: found_upper_i, data: found_data_i};

  always_comb begin
    for (int i = 0; i < int'(Words); i++) behind[i] = slot_q[i];
    behind[Words]     = incoming;
    behind[Words + 1] = incoming;

    // A slot that is empty after the shift takes the word that comes, whether or not one comes.
    for (int i = 0; i < int'(Words); i++) begin
      if_not[i] = (used_q <= 3'(i)) ? incoming : slot_q[i];
      if (pop2)     if_taken[i] = (used_q <= 3'(i + 2)) ? incoming : behind[i + 2];
      else if (pop) if_taken[i] = (used_q <= 3'(i + 1)) ? incoming : behind[i + 1];
      else          if_taken[i] = if_not[i];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) used_q <= 3'd0;
    else         used_q <= used_d;

    if (!rst_ni)                 pc_q <= boot_pc_i;
    else if (redirect_i || take) pc_q <= pc_d;

    for (int i = 0; i < int'(Words); i++) slot_q[i] <= insn_ready_i ? if_taken[i] : if_not[i];
    if (redirect_i) slot_q[0] <= found;
  end

  // ---- Assertions -------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) NeverOverfilled: assert (redirect_i || !word_valid_i || used_q != 3'(Words));
  end

endmodule

`default_nettype wire
