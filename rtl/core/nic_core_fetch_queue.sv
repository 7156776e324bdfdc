// Cuts aligned instructions of two or four bytes out of a stream of words.
//
// Handshake: insn_valid_o holds with its data until insn_ready_i or a redirect. Words are always taken.
// Timing:    a word may leave as an instruction in the clock in which it comes. One instruction leaves each clock, also
//            where four-byte instructions straddle words, as long as one word comes each clock.
// Redirect:  empties the queue; the next word to come is the one that contains redirect_pc_i.
// Faults:    an instruction with a faulty word leaves as soon as that word is there, and its bits are meaningless;
//            fault_upper_o says that the fault is in its second half only.

`default_nettype none

module nic_core_fetch_queue (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic [31:1] boot_pc_i,

  input  wire logic        redirect_i,
  input  wire logic [31:1] redirect_pc_i,

  // Words, in order
  input  wire logic        word_valid_i,
  input  wire logic [31:0] word_data_i,
  input  wire logic        word_err_i,
  output wire logic [1:0]  used_words_o,

  // Instructions, in order
  output wire logic        insn_valid_o,
  input  wire logic        insn_ready_i,
  output wire logic [31:0] insn_o,            // upper half meaningless if compressed
  output wire logic [31:1] insn_pc_o,
  output wire logic        insn_fault_o,
  output wire logic        insn_fault_upper_o
);

  typedef struct packed {
    logic        err;
    logic [31:0] data;
  } word_t;

  // A shift register: the oldest word is always in slot 0, which keeps the alignment short.
  word_t       slot0_q, slot1_q, slot2_q;
  logic [1:0]  used_d, used_q;
  logic [31:1] pc_d, pc_q;

  // ---- Alignment ------------------------------------------------------------------

  wire word_t incoming = '{err: word_err_i, data: word_data_i};
  wire word_t first    = (used_q != 2'd0) ? slot0_q : incoming;
  wire word_t second   = used_q[1] ? slot1_q : incoming;
  wire logic  first_valid  = used_q != 2'd0 || word_valid_i;
  wire logic  second_valid = used_q[1] || (used_q[0] && word_valid_i);

  wire logic upper      = pc_q[1];
  wire logic [15:0] low = upper ? first.data[31:16] : first.data[15:0];
  wire logic compressed = low[1:0] != 2'b11;
  wire logic straddles  = upper && !compressed && !first.err;

  assign insn_o             = {upper ? second.data[15:0] : first.data[31:16], low};
  assign insn_pc_o          = pc_q;
  assign insn_valid_o       = first_valid && (second_valid || !straddles);
  assign insn_fault_o       = first.err || (straddles && second.err);
  assign insn_fault_upper_o = !first.err;

  // ---- Movement -------------------------------------------------------------------

  wire logic take = insn_valid_o && insn_ready_i;
  wire logic pop  = take && (upper || !compressed);

  assign used_d = redirect_i ? 2'd0 : used_q + 2'(word_valid_i) - 2'(pop);
  assign pc_d   = redirect_i ? redirect_pc_i : pc_q + (compressed ? 31'd1 : 31'd2);

  assign used_words_o = used_q;

  // The slot in which an incoming word comes to rest, after the shift.
  wire logic [1:0] rest = used_q - 2'(pop);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) used_q <= 2'd0;
    else         used_q <= used_d;

    if (!rst_ni)                 pc_q <= boot_pc_i;
    else if (redirect_i || take) pc_q <= pc_d;

    if (word_valid_i && rest == 2'd0) slot0_q <= incoming;
    else if (pop)                     slot0_q <= slot1_q;
    if (word_valid_i && rest == 2'd1) slot1_q <= incoming;
    else if (pop)                     slot1_q <= slot2_q;
    if (word_valid_i && rest == 2'd2) slot2_q <= incoming;
  end

  // ---- Assertions -------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) NeverOverfilled: assert (redirect_i || !word_valid_i || used_q != 2'd3);
  end

endmodule

`default_nettype wire
