// The table of nic_core_predict for branches that end in one half of their words: for each branch
// its target, and how sure the prediction is.
//
// Lookup:  index_i and tag_i in, hit_o and target_o in the same clock; the same for peek_*.
// Update:  update_i or forget_i with its group. An entry counts, from 0 to 3, how often its branch
//          was taken to the target; from 2 on the entry predicts. Another branch replaces it when
//          the count has fallen below 2, so a branch that is rarely taken does not displace a
//          branch that is taken often.
// Clear:   clear_i empties the entry of update_index_i.

`default_nettype none

module nic_core_predict_bank #(
  parameter int unsigned Entries = 32,     // a power of two
  parameter int unsigned TagBits = 9,
  localparam int unsigned IndexBits = $clog2(Entries)
) (
  input  wire logic                 clk_i,

  // Lookup
  input  wire logic [IndexBits-1:0] index_i,
  input  wire logic [TagBits-1:0]   tag_i,
  output wire logic                 hit_o,
  output wire logic [31:1]          target_o,
  input  wire logic [IndexBits-1:0] peek_index_i,
  input  wire logic [TagBits-1:0]   peek_tag_i,
  output wire logic                 peek_hit_o,
  output wire logic [31:1]          peek_target_o,

  // Update
  input  wire logic                 clear_i,
  input  wire logic                 update_i,         // a branch went some way
  input  wire logic                 forget_i,         // there is no branch
  input  wire logic [IndexBits-1:0] update_index_i,
  input  wire logic [TagBits-1:0]   update_tag_i,
  input  wire logic                 taken_i,
  input  wire logic                 right_i,          // ... to where the prediction says
  input  wire logic [31:1]          target_i          // if taken and not right
);

  logic [TagBits-1:0] tag_memory_q [Entries];
  logic [31:1]        target_memory_q [Entries];
  logic [1:0]         count_memory_q [Entries];

  // ---- Lookup -----------------------------------------------------------------------

  wire logic likely      = count_memory_q[index_i][1];
  wire logic peek_likely = count_memory_q[peek_index_i][1];

  assign hit_o         = likely && tag_memory_q[index_i] == tag_i;
  assign target_o      = target_memory_q[index_i];
  assign peek_hit_o    = peek_likely && tag_memory_q[peek_index_i] == peek_tag_i;
  assign peek_target_o = target_memory_q[peek_index_i];

  // ---- Update -----------------------------------------------------------------------

  wire logic [1:0] old_count = count_memory_q[update_index_i];
  wire logic       mine      = tag_memory_q[update_index_i] == update_tag_i;
  wire logic       replace   = taken_i && !mine && !old_count[1];

  logic [1:0] new_count;
  always_comb begin
    if (clear_i || forget_i)  new_count = 2'd0;
    else if (replace)         new_count = 2'd2;
    else if (taken_i && mine) new_count = (old_count == 2'd3) ? 2'd3 : old_count + 2'd1;
    else                      new_count = (old_count == 2'd0) ? 2'd0 : old_count - 2'd1;
  end

  // A branch that is not here and was not taken does not matter.
  wire logic counts = clear_i || forget_i || (update_i && (mine || taken_i));
  // the target of an empty entry does not matter
  wire logic writes = clear_i || (update_i && taken_i && !right_i && (mine || replace));

  always_ff @(posedge clk_i) begin
    if (counts) count_memory_q[update_index_i] <= new_count;
    if (writes) begin
      tag_memory_q[update_index_i]    <= update_tag_i;
      target_memory_q[update_index_i] <= target_i;
    end
  end

endmodule

`default_nettype wire
