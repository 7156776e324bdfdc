// The memory system of one core: connects its two OBI ports with the instruction cache, the
// scratchpad, the SRAM and the registers, by address (docs/interfaces.md, Addresses). Any other
// address is answered with err.
//
// Queue:   accesses of SRAM, registers and debug area go through a queue of two, whose head makes
//          the request; no address that the core is just computing reaches an arbiter.
// Ahead:   a load from SRAM does not wait for the queue when the queue is empty and no port asks
//          for the SRAM in this clock (sram_idle_i, known early): the SRAM reads sram_ahead_addr_o
//          then, and the load is answered like a load from the scratchpad.
// Order:   accesses of SRAM and registers are made in program order. A store is answered as soon as
//          it is in the queue; every other access is answered when it is done. Only this core sees
//          the scratchpad.
// Timing:  accesses of the scratchpad, loads ahead, and stores are answered in the clock after
//          their grant; other loads from SRAM and registers one clock later when these are free; a
//          fetch from the scratchpad, or a hit in the cache, in the clock after its grant.
//          data_gnt_o, data_rvalid_o and data_err_o depend on no input. A fetch is granted when the
//          previous one is answered and the cache is not being emptied.
// Debug:   the debug area belongs to the debug module (nic_debug); with Debug = 0 it does not
//          exist.
// Reset:   while core_rst_ni is low no request is made; SRAM accesses that wait are withdrawn.

`default_nettype none

module nic_core_memory #(
  parameter int unsigned SramBytes       = 524288,
  parameter int unsigned ScratchpadBytes = 16384,
  parameter int unsigned IcacheBytes     = 4096,
  parameter int unsigned Debug           = 1
) (
  input  wire logic               clk_i,
  input  wire logic               core_rst_ni,
  input  wire logic               fence_i_i,         // for one clock: code that was stored is about
                                                     // to be executed

  // Instructions (OBI): aligned words
  input  wire logic               insn_req_i,
  output wire logic               insn_gnt_o,
  input  wire logic [31:0]        insn_addr_i,
  output wire logic               insn_rvalid_o,
  output wire logic [31:0]        insn_rdata_o,
  output wire logic               insn_err_o,

  // Data (OBI): bytes by data_be_i within the aligned word
  input  wire logic               data_req_i,
  output wire logic               data_gnt_o,
  input  wire logic [31:0]        data_addr_i,
  input  wire logic               data_we_i,
  input  wire logic [3:0]         data_be_i,
  input  wire logic [31:0]        data_wdata_i,
  input  wire logic               look_i,            // at an instruction, without data_req_i
  input  wire logic [31:0]        look_addr_i,
  output wire logic               look_valid_o,      // in the next clock: it was in the scratchpad,
                                                     // and is on data_rdata_o
  output wire logic               data_rvalid_o,
  output wire logic [31:0]        data_rdata_o,      // data of the scratchpad
  output wire logic               data_slow_o,       // the data are not of the scratchpad, but:
  output wire logic [31:0]        data_slow_rdata_o,
  output wire logic               data_err_o,

  // Debug area: answers in the clock after req; to fetches at insn_addr_i, to data as reg_access_o
  // says
  output wire logic               debug_insn_req_o,
  input  wire logic [31:0]        debug_insn_rdata_i,
  input  wire logic               debug_insn_err_i,
  output wire logic               debug_data_req_o,
  input  wire logic [31:0]        debug_data_rdata_i,
  input  wire logic               debug_data_err_i,

  output wire logic               data_stores_o,     // a store that was answered is still to be
                                                     // made
  output wire logic               busy_o,            // accesses are under way, or the cache is
                                                     // being emptied

  // SRAM port of the instruction cache, reads only
  output wire logic               sram_insn_req_o,
  output wire nic_pkg::sram_req_t sram_insn_access_o,
  input  wire logic               sram_insn_gnt_i,

  // SRAM port of the data, and reads ahead of it: addr in 64-bit words, data on sram_rdata_i in the
  // next clock
  output wire logic               sram_data_req_o,
  output wire nic_pkg::sram_req_t sram_data_access_o,
  input  wire logic               sram_data_gnt_i,
  input  wire logic               sram_idle_i,       // no port asks in this clock, nor does this
                                                     // core: it may read ahead
  output wire logic               sram_ahead_o,
  output wire logic [nic_pkg::SRAM_ADDR_BITS-1:3] sram_ahead_addr_o,

  input  wire logic [63:0]        sram_rdata_i,

  // An access of the SRAM asks and is not granted
  output wire logic               sram_waits_o,

  // Register bus: read data in the clock after the grant
  output wire logic               reg_req_o,
  output wire nic_pkg::reg_req_t  reg_access_o,
  input  wire logic               reg_gnt_i,
  input  wire logic [31:0]        reg_rdata_i
);

  localparam int unsigned ScratchpadWordBits = $clog2(ScratchpadBytes / 4);

  typedef enum logic [2:0] {
    Nowhere,
    Sram,
    Scratchpad,
    Registers,
    DebugArea
  } place_e;

  function automatic place_e place_of(input logic [31:0] addr);
    if (addr[31:24] == 8'h10 && addr[23:0] >> $clog2(SramBytes) == '0)       return Sram;
    if (addr[31:24] == 8'h20 && addr[23:0] >> $clog2(ScratchpadBytes) == '0) return Scratchpad;
    if (addr[31:nic_pkg::REG_ADDR_BITS] == 15'h2000)                  return Registers;
    if (Debug != 0 && addr[31:11] == nic_debug_pkg::AREA_BASE[31:11]) return DebugArea;
    return Nowhere;
  endfunction

  // ---- Instructions -------------------------------------------------------------

  place_e insn_place_q;
  logic   insn_busy_q;

  wire logic   cache_gnt, cache_rvalid;

  // A fetch waits while the cache cannot take one, whatever its address: so the grant does not
  // depend on the address.
  wire place_e insn_place = place_of(insn_addr_i);
  wire logic   insn_take  = insn_req_i && insn_gnt_o;

  wire logic [31:0] cache_rdata, scratchpad_insn_rdata;

  // No code can be executed from the registers.
  wire logic insn_in_scratchpad = insn_place == Scratchpad;
  wire logic insn_in_sram       = insn_place == Sram;
  wire logic insn_from_debug    = Debug != 0 && insn_place_q == DebugArea;

  assign insn_gnt_o    = cache_gnt;
  assign insn_rvalid_o = insn_busy_q && (insn_place_q != Sram || cache_rvalid);
  assign insn_rdata_o  = insn_place_q == Sram ? cache_rdata : insn_from_debug ? debug_insn_rdata_i : scratchpad_insn_rdata;
  assign insn_err_o    = insn_place_q == Nowhere || (insn_from_debug && debug_insn_err_i);

  assign debug_insn_req_o = Debug != 0 && insn_take && insn_place == DebugArea && core_rst_ni;

  wire logic [nic_pkg::SRAM_ADDR_BITS-1:3] cache_sram_addr;
  wire logic cache_busy;

  // The arbiter has the same signal, but on a clock that does not stop with the core's.
  logic sram_insn_rvalid_q;
  always_ff @(posedge clk_i) sram_insn_rvalid_q <= sram_insn_req_o && sram_insn_gnt_i;

  nic_icache #(.IcacheBytes(IcacheBytes)) u_icache (
    .clk_i,
    .rst_ni         (core_rst_ni),
    .invalidate_i   (fence_i_i),
    .fetch_req_i    (insn_take),
    .fetch_mine_i   (insn_in_sram),
    .fetch_gnt_o    (cache_gnt),
    .fetch_addr_i   (insn_addr_i[nic_pkg::SRAM_ADDR_BITS-1:2]),
    .fetch_rvalid_o (cache_rvalid),
    .fetch_rdata_o  (cache_rdata),
    .busy_o         (cache_busy),
    .sram_req_o     (sram_insn_req_o),
    .sram_addr_o    (cache_sram_addr),
    .sram_gnt_i     (sram_insn_gnt_i),
    .sram_rvalid_i  (sram_insn_rvalid_q),
    .sram_rdata_i
  );

  assign sram_insn_access_o = '{addr: cache_sram_addr, we: 1'b0, be: 8'd0, wdata: 64'd0};

  // ---- Data ---------------------------------------------------------------------

  typedef struct packed {
    place_e      place;
    logic        owed;      // the core waits for its answer
    logic [31:2] addr;
    logic        we;
    logic [3:0]  be;
    logic [31:0] wdata;
  } access_t;

  place_e  data_place_q;
  logic    data_answer_q, data_high_q, look_valid_q;

  // Two accesses, the older one in head_q. At most the younger one is owed an answer.
  logic    head_valid_q, next_valid_q;
  access_t head_q, next_q;

  // No access is taken behind an access that is owed an answer. The access in next_q may be owed
  // one.
  wire logic data_free = !next_valid_q && !(head_valid_q && head_q.owed);
  wire logic data_take = data_req_i && core_rst_ni && data_free;

  assign data_gnt_o = data_free;

  // The address comes late. Where an access goes is decided by its four highest bits; whether there
  // is something is known when it is answered, and when it is at the head.
  wire place_e data_place    = place_of(data_addr_i);
  wire logic   to_sram       = data_addr_i[31:28] == 4'h1;
  wire logic   to_scratchpad = data_addr_i[31:28] == 4'h2;

  wire logic to_registers = data_addr_i[31:28] == 4'h4;

  wire logic posted  = (to_sram || to_registers) && data_we_i;
  wire logic ahead   = to_sram && !data_we_i && data_take && !head_valid_q && sram_idle_i;
  wire logic enqueue = data_take && !to_scratchpad && !ahead;
  wire logic at_once = data_take && (to_scratchpad || posted || ahead);

  logic done;
  always_comb begin
    case (head_q.place)
      Sram:      done = head_valid_q && sram_data_gnt_i;
      Registers: done = head_valid_q && reg_gnt_i;
      // the debug area takes the access in this clock; an access to no memory ends at once
      default:   done = head_valid_q;
    endcase
  end

  wire access_t incoming = '{
    place: data_place,
    owed:  !posted,
    addr:  data_addr_i[31:2],
    we:    data_we_i,
    be:    data_be_i,
    wdata: data_wdata_i
  };

  assign data_rvalid_o     = data_answer_q;
  assign look_valid_o      = look_valid_q;
  assign data_slow_o       = data_place_q != Scratchpad;
  wire logic data_from_debug = Debug != 0 && data_place_q == DebugArea;

  assign data_slow_rdata_o = (data_place_q == Registers) ? reg_rdata_i
                           : data_from_debug             ? debug_data_rdata_i
                           : data_high_q                 ? sram_rdata_i[63:32] : sram_rdata_i[31:0];
  assign data_err_o        = data_place_q == Nowhere || (data_from_debug && debug_data_err_i);

  assign debug_data_req_o   = Debug != 0 && head_valid_q && head_q.place == DebugArea && core_rst_ni;

  assign data_stores_o      = head_valid_q;
  assign busy_o             = insn_busy_q || cache_busy || head_valid_q || data_answer_q;

  assign sram_ahead_o       = ahead && data_place == Sram;
  assign sram_ahead_addr_o  = data_addr_i[nic_pkg::SRAM_ADDR_BITS-1:3];

  assign sram_data_req_o    = head_valid_q && head_q.place == Sram && core_rst_ni;
  assign sram_data_access_o = '{
    addr:  head_q.addr[nic_pkg::SRAM_ADDR_BITS-1:3],
    we:    head_q.we,
    be:    head_q.addr[2] ? {head_q.be, 4'd0} : {4'd0, head_q.be},
    wdata: {head_q.wdata, head_q.wdata}
  };

  assign reg_req_o    = head_valid_q && head_q.place == Registers && core_rst_ni;
  assign reg_access_o = '{
    addr:      {head_q.addr[nic_pkg::REG_ADDR_BITS-1:2], 2'd0},
    we:        head_q.we,
    be:        head_q.be,
    wdata:     head_q.wdata,
    from_host: 1'b0
  };

  assign sram_waits_o = (sram_data_req_o && !sram_data_gnt_i) || (sram_insn_req_o && !sram_insn_gnt_i);

  // ---- Scratchpad -----------------------------------------------------------------

  nic_scratchpad #(.ScratchpadBytes(ScratchpadBytes)) u_scratchpad (
    .clk_i,
    .insn_req_i   (insn_take && insn_in_scratchpad),
    .insn_word_i  (insn_addr_i[ScratchpadWordBits+1:2]),
    .insn_rdata_o (scratchpad_insn_rdata),
    .data_req_i   (data_take || look_i),
    .data_we_i    (data_we_i && !look_i),
    .data_mine_i  (data_place == Scratchpad),
    .data_word_i  (look_i ? look_addr_i[ScratchpadWordBits+1:2] : data_addr_i[ScratchpadWordBits+1:2]),
    .data_be_i,
    .data_wdata_i,
    .data_rdata_o (data_rdata_o)
  );

  // ---- Registers ------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (!core_rst_ni) begin
      insn_busy_q <= 1'b0;
      data_answer_q <= 1'b0;
      head_valid_q  <= 1'b0;
      next_valid_q  <= 1'b0;
      look_valid_q  <= 1'b0;
    end else begin
      look_valid_q  <= look_i && place_of(look_addr_i) == Scratchpad;
      insn_busy_q   <= insn_take || (insn_busy_q && !insn_rvalid_o);
      data_answer_q <= at_once || (done && head_q.owed);
      head_valid_q  <= enqueue || next_valid_q || (head_valid_q && !done);
      next_valid_q  <= (enqueue || next_valid_q) && head_valid_q && !done;
    end
    if (insn_take) insn_place_q <= insn_place == Registers ? Nowhere : insn_place;
    if (data_take) begin
      data_place_q <= data_place;
      data_high_q  <= data_addr_i[2];
    end
    if (next_valid_q ? done : data_take && (done || !head_valid_q)) head_q <= next_valid_q ? next_q : incoming;
    if (data_take) next_q <= incoming;
  end

  if (Debug == 0) begin : gen_no_debug
    wire logic unused_for_debug = &{1'b0, debug_insn_rdata_i, debug_insn_err_i, debug_data_rdata_i, debug_data_err_i};
  end

  // ---- Assertions -------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (core_rst_ni) begin
      FetchesAreAligned: assert (!insn_req_i || insn_addr_i[1:0] == 2'd0);
      LooksOrAccesses:   assert (!look_i || !data_req_i);
      OneAnswerAtATime:  assert (!at_once || !(done && head_q.owed));
      AheadOfNobody:     assert (!ahead || !sram_data_req_o);
      CacheAnswersItsFetch: assert (!cache_rvalid || (insn_busy_q && insn_place_q == Sram));
    end
  end

endmodule

`default_nettype wire
