// The instruction cache of one core, in front of the SRAM: direct mapped, lines of 32 bytes, filled
// from the requested word on, with a valid bit for each 64-bit word.
//
// Fetches:   one is outstanding; the next may be granted in the clock in which the answer to a hit
//            stands, or in the clock after a miss was answered.
// Timing:    entries are compared in the clock of the grant, so that only the data are on the way
//            of an answer. A hit is answered in the clock after the grant, a miss two clocks later
//            than that when the SRAM is free. The words behind it arrive one per clock and are
//            usable as they arrive.
// Coherence: none. Reset and invalidate_i empty the cache, when the fetch under way is answered, at
//            one line per clock (128 clocks for 4 KB) without grants.

`default_nettype none

module nic_icache #(
  parameter int unsigned IcacheBytes = 4096   // a power of two, 64 bytes to 1 MB
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,            // reset of the core
  input  wire logic        invalidate_i,      // for one clock

  // Fetches of 32-bit words, by their offset in SRAM
  input  wire logic        fetch_req_i,
  input  wire logic        fetch_mine_i,      // late: the fetch is for the SRAM. Any other fetch is
                                              // dropped.
  output wire logic        fetch_gnt_o,
  input  wire logic [nic_pkg::SRAM_ADDR_BITS-1:2] fetch_addr_i,
  output wire logic        fetch_rvalid_o,
  output wire logic [31:0] fetch_rdata_o,
  output wire logic        busy_o,            // a fetch, a fill or the emptying is under way

  // SRAM reads (docs/interfaces.md, SRAM port)
  output wire logic        sram_req_o,
  output wire logic [nic_pkg::SRAM_ADDR_BITS-1:3] sram_addr_o,
  input  wire logic        sram_gnt_i,
  input  wire logic        sram_rvalid_i,
  input  wire logic [63:0] sram_rdata_i
);

  localparam int unsigned LineWords = 4;      // of 64 bits
  localparam int unsigned Lines     = IcacheBytes / (8 * LineWords);
  localparam int unsigned IndexBits = $clog2(Lines);
  localparam int unsigned TagLow    = 5 + IndexBits;

  typedef logic [nic_pkg::SRAM_ADDR_BITS-1:5]      line_t;
  typedef logic [nic_pkg::SRAM_ADDR_BITS-1:TagLow] tag_t;
  typedef logic [IndexBits-1:0]                    index_t;
  typedef logic [1:0]                              word_t;    // which 64 bits of a line

  typedef struct packed {
    tag_t                 tag;
    logic [LineWords-1:0] valid;
  } entry_t;

  if (IcacheBytes != (1 << $clog2(IcacheBytes)) || IcacheBytes < 64 || IcacheBytes > (1 << 20)) begin : gen_bad_size
    $error("nic_icache: IcacheBytes must be a power of two, 64 bytes to 1 MB");
  end

  // ---- Memories: an entry for each line, and the lines ----------------------------

  entry_t      entry_memory_q [Lines];
  logic [63:0] data_memory_q [Lines * LineWords];
  logic [63:0] data_q;

  // ---- The fetch that waits for its answer ------------------------------------------

  logic        fetch_q;
  logic        hit_q;                         // if so, data_q has it
  logic [nic_pkg::SRAM_ADDR_BITS-1:2] addr_q;

  wire line_t line = addr_q[nic_pkg::SRAM_ADDR_BITS-1:5];
  wire word_t word = addr_q[4:3];

  // A fetch that misses looks again in every clock, until the word it needs is there.
  wire logic missing = fetch_q && !hit_q;
  wire logic [nic_pkg::SRAM_ADDR_BITS-1:3] look = missing ? addr_q[nic_pkg::SRAM_ADDR_BITS-1:3]
                                                          : fetch_addr_i[nic_pkg::SRAM_ADDR_BITS-1:3];
  wire entry_t look_entry = entry_memory_q[look[TagLow-1:5]];
  wire logic   look_hits  = look_entry.tag == look[nic_pkg::SRAM_ADDR_BITS-1:TagLow] && look_entry.valid[look[4:3]];

  // ---- The fill: asks for four words, takes them as they come -------------------------

  logic                 fill_q;            // high until the word that it wrote can be read
  line_t                fill_line_q;
  logic                 fill_is_mine_q;    // it is the line of the fetch that waits
  logic [2:0]           ask_left_q;
  word_t                ask_word_q;
  word_t                take_word_q;
  logic [LineWords-1:0] taken_q;

  wire logic fill_start   = missing && !fill_q;
  wire logic taking       = fill_q && sram_rvalid_i;
  wire logic arrives      = taking && missing && fill_is_mine_q && take_word_q == word;
  wire entry_t fill_entry = '{
    tag:   fill_line_q[nic_pkg::SRAM_ADDR_BITS-1:TagLow],
    valid: taken_q | (LineWords'(1) << take_word_q)
  };

  assign sram_req_o  = ask_left_q != 3'd0 && rst_ni;
  assign sram_addr_o = {fill_line_q, ask_word_q};

  // ---- Emptying -----------------------------------------------------------------------

  logic   invalidate_q;                      // requested; done when no fetch is under way any more
  logic   emptying_q;
  index_t empty_index_q;

  // ---- Answers ------------------------------------------------------------------------

  wire logic [63:0] answer = hit_q ? data_q : sram_rdata_i;

  assign fetch_rvalid_o = (fetch_q && hit_q) || arrives;
  assign fetch_rdata_o  = addr_q[2] ? answer[63:32] : answer[31:0];
  assign fetch_gnt_o    = !emptying_q && !invalidate_q && !missing;
  assign busy_o         = fetch_q || fill_q || invalidate_q || emptying_q;

  wire logic take    = fetch_req_i && fetch_gnt_o;
  wire logic waiting = missing && !arrives;

  // ---- Registers ------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fetch_q       <= 1'b0;
      hit_q         <= 1'b0;
      fill_q        <= 1'b0;
      ask_left_q    <= 3'd0;
      invalidate_q  <= 1'b0;
      emptying_q    <= 1'b1;
      empty_index_q <= '0;
    end else begin
      fetch_q <= (take && fetch_mine_i) || waiting;
      hit_q   <= (take || waiting) && look_hits;
      if (take) addr_q <= fetch_addr_i;

      if (fill_start) begin
        fill_q      <= 1'b1;
        fill_line_q <= line;
        fill_is_mine_q <= 1'b1;
        ask_left_q  <= 3'(LineWords);
        ask_word_q  <= word;
        take_word_q <= word;
        taken_q     <= '0;
      end
      if (sram_req_o && sram_gnt_i) begin
        ask_left_q <= ask_left_q - 3'd1;
        ask_word_q <= ask_word_q + 2'd1;
      end
      if (taking) begin
        take_word_q <= take_word_q + 2'd1;
        taken_q     <= fill_entry.valid;
      end
      // One clock after the last word: a lookup in the clock of that word may not have seen it.
      if (fill_q && taken_q == '1) fill_q <= 1'b0;

      // The line stays that of the fetch until another is looked for: with a new fetch this is
      // compared once.
      if (take) fill_is_mine_q <= fill_line_q == fetch_addr_i[nic_pkg::SRAM_ADDR_BITS-1:5];

      if (invalidate_i) begin
        invalidate_q <= 1'b1;
      end else if (invalidate_q && !fetch_q && !fill_q) begin
        invalidate_q <= 1'b0;
        emptying_q   <= 1'b1;
      end
      if (emptying_q) begin
        empty_index_q <= empty_index_q + index_t'(1);
        if (empty_index_q == '1) emptying_q <= 1'b0;
      end
    end

    if (taking)          entry_memory_q[fill_line_q[TagLow-1:5]] <= fill_entry;
    else if (emptying_q) entry_memory_q[empty_index_q] <= '0;
    if (taking) data_memory_q[{fill_line_q[TagLow-1:5], take_word_q}] <= sram_rdata_i;
    if (take || missing) data_q <= data_memory_q[look[TagLow-1:3]];
  end

  // ---- Assertions -------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      AnswersOnlyAFetch:   assert (!fetch_rvalid_o || fetch_q);
      NoFillWhileEmptying: assert (!(taking && emptying_q));
      NoWordIsTakenTwice:  assert (!taking || !taken_q[take_word_q]);
    end
  end

endmodule

`default_nettype wire
