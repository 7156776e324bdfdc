// Remembers the targets of branches and jumps, by the half of a word in which a branch ends, so
// that fetching follows them without a gap.
//
// Lookup:  pc_i names a word and the half at which the stream enters it; hit_o, upper_o (the branch
//          ends in the upper half) and target_o answer in the same clock. No hit for a branch in
//          front of the entry.
// Peek:    the same for peek_pc_i.
// Update:  update_i with its group in clock n, for each branch and jump. The target of a new entry
//          is redirect_pc_i in n+1.
// Rule:    a prediction is a guess. An entry holds only a part of the address, and the code may
//          have changed: the core must compare the prediction with the instruction itself. forget_i
//          tells that there is no such branch: the entry is removed, and in n+1 there is no hit, so
//          that the word is fetched again as a whole.
// Reset:   empties the table in the clocks after it, one entry each; no hits in the meantime.

`default_nettype none

module nic_core_predict #(
  parameter int unsigned Entries = 32      // for each half of a word; a power of two
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  // Lookup
  input  wire logic [31:1] pc_i,
  output wire logic        hit_o,
  output wire logic        upper_o,
  output wire logic [31:1] target_o,

  // Peek
  input  wire logic [31:1] peek_pc_i,
  output wire logic        peek_hit_o,
  output wire logic        peek_upper_o,
  output wire logic [31:1] peek_target_o,

  // Update
  input  wire logic        update_i,
  input  wire logic        forget_i,       // not with update_i
  input  wire logic        taken_i,        // it was taken
  input  wire logic        right_i,        // ... and that was predicted
  input  wire logic [31:1] redirect_pc_i,  // in the clock after update_i
  input  wire logic [31:1] last_half_i     // the last two bytes of the branch; with forget_i any in
                                           // the word that was predicted
);

  localparam int unsigned IndexBits = $clog2(Entries);
  localparam int unsigned TagBits   = 9;   // reaches through a scratchpad; SRAM and scratchpad
                                           // differ in bit 29

  typedef logic [IndexBits-1:0] index_t;
  typedef logic [TagBits-1:0]   tag_t;

  wire tag_t tag           = {pc_i[29], pc_i[TagBits+IndexBits:IndexBits+2]};
  wire tag_t peek_tag      = {peek_pc_i[29], peek_pc_i[TagBits+IndexBits:IndexBits+2]};
  wire tag_t last_half_tag = {last_half_i[29], last_half_i[TagBits+IndexBits:IndexBits+2]};

  // ---- Update, in the clock after it was asked for ------------------------------------

  logic   clearing_q;
  logic   update_q, forget_q, taken_q, right_q, upper_q;
  index_t index_q;
  tag_t   tag_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      clearing_q <= 1'b1;
      update_q   <= 1'b0;
      forget_q   <= 1'b0;
      index_q    <= '0;
      tag_q      <= '1;
    end else if (clearing_q) begin
      clearing_q <= index_q != '1;
      index_q    <= index_q + index_t'(1);
    end else begin
      update_q <= update_i;
      forget_q <= forget_i;
      if (update_i || forget_i) begin
        taken_q <= taken_i;
        right_q <= right_i;
        index_q <= last_half_i[IndexBits+1:2];
        tag_q   <= last_half_tag;
        upper_q <= last_half_i[1];
      end
    end
  end

  // ---- A bank for each half -----------------------------------------------------------

  wire logic [1:0]  hit, peek_hit;
  wire logic [31:1] target [2], peek_target [2];

  for (genvar half = 0; half < 2; half++) begin : gen_half
    nic_core_predict_bank #(.Entries(Entries), .TagBits(TagBits)) u_bank (
      .clk_i,
      .index_i        (pc_i[IndexBits+1:2]),
      .tag_i          (tag),
      .hit_o          (hit[half]),
      .target_o       (target[half]),
      .peek_index_i   (peek_pc_i[IndexBits+1:2]),
      .peek_tag_i     (peek_tag),
      .peek_hit_o     (peek_hit[half]),
      .peek_target_o  (peek_target[half]),
      .clear_i        (clearing_q),
      .update_i       (update_q && upper_q == 1'(half)),
      .forget_i       (forget_q),
      .update_index_i (index_q),
      .update_tag_i   (tag_q),
      .taken_i        (taken_q),
      .right_i        (right_q),
      .target_i       (redirect_pc_i)
    );
  end

  wire logic lower = hit[0] && !pc_i[1];

  assign hit_o    = (lower || hit[1]) && !forget_q && !clearing_q;
  assign upper_o  = !lower;
  assign target_o = lower ? target[0] : target[1];

  wire logic peek_lower = peek_hit[0] && !peek_pc_i[1];

  assign peek_hit_o    = (peek_lower || peek_hit[1]) && !clearing_q;
  assign peek_upper_o  = !peek_lower;
  assign peek_target_o = peek_lower ? peek_target[0] : peek_target[1];

  wire logic unused_address = &{1'b0, last_half_i[31:30], last_half_i[28:TagBits+IndexBits+1], pc_i[31:30], pc_i[28:TagBits+IndexBits+1],
                                 peek_pc_i[31:30], peek_pc_i[28:TagBits+IndexBits+1]};

endmodule

`default_nettype wire
