// What one core sees as its memory: brings its two OBI ports to the instruction cache, the scratchpad, the SRAM and the
// registers, by address (docs/interfaces.md, Addresses). Anything else answers with err.
//
// Order:   data accesses take effect in the clock of their grant, so in program order; there is no store buffer.
// Timing:  every data access, and a fetch from scratchpad or cache hit, is answered in the clock after its grant.
//          A fetch is granted when the one before it is answered.
// Reset:   while core_rst_ni is low nothing is asked for; an SRAM request that waits is withdrawn.

`default_nettype none

module nic_core_memory #(
  parameter int unsigned SramBytes       = 524288,
  parameter int unsigned ScratchpadBytes = 16384,
  parameter int unsigned IcacheBytes     = 4096
) (
  input  wire logic               clk_i,
  input  wire logic               core_rst_ni,

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
  output wire logic               data_rvalid_o,
  output wire logic [31:0]        data_rdata_o,
  output wire logic               data_err_o,

  // SRAM port of the instruction cache, reads only
  output wire logic               sram_insn_req_o,
  output wire nic_pkg::sram_req_t sram_insn_access_o,
  input  wire logic               sram_insn_gnt_i,
  input  wire logic               sram_insn_rvalid_i,

  // SRAM port of the data
  output wire logic               sram_data_req_o,
  output wire nic_pkg::sram_req_t sram_data_access_o,
  input  wire logic               sram_data_gnt_i,

  input  wire logic [63:0]        sram_rdata_i,

  // Register bus: read data in the clock after the grant
  output wire logic               reg_req_o,
  output wire nic_pkg::reg_req_t  reg_access_o,
  input  wire logic               reg_gnt_i,
  input  wire logic [31:0]        reg_rdata_i
);

  localparam int unsigned ScratchpadWordBits = $clog2(ScratchpadBytes / 4);

  typedef enum logic [1:0] {
    Nowhere,
    Sram,
    Scratchpad,
    Registers
  } place_e;

  function automatic place_e place_of(input logic [31:0] addr);
    if (addr[31:24] == 8'h10 && {8'd0, addr[23:0]} < SramBytes)       return Sram;
    if (addr[31:24] == 8'h20 && {8'd0, addr[23:0]} < ScratchpadBytes) return Scratchpad;
    if (addr[31:nic_pkg::REG_ADDR_BITS] == 15'h2000)                  return Registers;
    return Nowhere;
  endfunction

  // ---- Instructions -------------------------------------------------------------

  place_e insn_place_q;
  logic   insn_busy_q;

  wire place_e insn_place = place_of(insn_addr_i);
  wire logic   insn_ask   = insn_req_i && core_rst_ni && (!insn_busy_q || insn_rvalid_o);
  wire logic   insn_take  = insn_req_i && insn_gnt_o;

  wire logic        cache_gnt, cache_rvalid;
  wire logic [31:0] cache_rdata, scratchpad_insn_rdata;

  // There is nothing to execute in the registers.
  wire logic insn_in_scratchpad = insn_place == Scratchpad;
  wire logic insn_in_sram       = insn_place == Sram;

  assign insn_gnt_o    = insn_ask && (!insn_in_sram || cache_gnt);
  assign insn_rvalid_o = insn_busy_q && (insn_place_q != Sram || cache_rvalid);
  assign insn_rdata_o  = insn_place_q == Sram ? cache_rdata : scratchpad_insn_rdata;
  assign insn_err_o    = insn_place_q == Nowhere;

  wire logic [nic_pkg::SRAM_ADDR_BITS-1:3] cache_sram_addr;

  nic_icache #(.IcacheBytes(IcacheBytes)) u_icache (
    .clk_i,
    .rst_ni         (core_rst_ni),
    .fetch_req_i    (insn_ask && insn_in_sram),
    .fetch_gnt_o    (cache_gnt),
    .fetch_addr_i   (insn_addr_i[nic_pkg::SRAM_ADDR_BITS-1:2]),
    .fetch_rvalid_o (cache_rvalid),
    .fetch_rdata_o  (cache_rdata),
    .sram_req_o     (sram_insn_req_o),
    .sram_addr_o    (cache_sram_addr),
    .sram_gnt_i     (sram_insn_gnt_i),
    .sram_rvalid_i  (sram_insn_rvalid_i),
    .sram_rdata_i
  );

  assign sram_insn_access_o = '{addr: cache_sram_addr, we: 1'b0, be: 8'd0, wdata: 64'd0};

  // ---- Data ---------------------------------------------------------------------

  place_e data_place_q;
  logic   data_busy_q, data_high_q;

  wire place_e data_place = place_of(data_addr_i);
  wire logic   data_ask   = data_req_i && core_rst_ni;

  logic data_gnt;
  always_comb begin
    unique case (data_place)
      Sram:      data_gnt = sram_data_gnt_i;
      Registers: data_gnt = reg_gnt_i;
      default:   data_gnt = data_ask;
    endcase
  end

  wire logic [31:0] scratchpad_data_rdata;

  logic [31:0] data_rdata;
  always_comb begin
    unique case (data_place_q)
      Sram:      data_rdata = data_high_q ? sram_rdata_i[63:32] : sram_rdata_i[31:0];
      Registers: data_rdata = reg_rdata_i;
      default:   data_rdata = scratchpad_data_rdata;
    endcase
  end

  assign data_gnt_o    = data_gnt;
  assign data_rvalid_o = data_busy_q;
  assign data_rdata_o  = data_rdata;
  assign data_err_o    = data_place_q == Nowhere;

  assign sram_data_req_o    = data_ask && data_place == Sram;
  assign sram_data_access_o = '{
    addr:  data_addr_i[nic_pkg::SRAM_ADDR_BITS-1:3],
    we:    data_we_i,
    be:    data_addr_i[2] ? {data_be_i, 4'd0} : {4'd0, data_be_i},
    wdata: {data_wdata_i, data_wdata_i}
  };

  assign reg_req_o    = data_ask && data_place == Registers;
  assign reg_access_o = '{
    addr:      {data_addr_i[nic_pkg::REG_ADDR_BITS-1:2], 2'd0},
    we:        data_we_i,
    be:        data_be_i,
    wdata:     data_wdata_i,
    from_host: 1'b0
  };

  // ---- Scratchpad -----------------------------------------------------------------

  nic_scratchpad #(.ScratchpadBytes(ScratchpadBytes)) u_scratchpad (
    .clk_i,
    .insn_req_i   (insn_ask && insn_in_scratchpad),
    .insn_word_i  (insn_addr_i[ScratchpadWordBits+1:2]),
    .insn_rdata_o (scratchpad_insn_rdata),
    .data_req_i   (data_ask && data_place == Scratchpad),
    .data_word_i  (data_addr_i[ScratchpadWordBits+1:2]),
    .data_we_i,
    .data_be_i,
    .data_wdata_i,
    .data_rdata_o (scratchpad_data_rdata)
  );

  // ---- Registers ------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (!core_rst_ni) begin
      insn_busy_q <= 1'b0;
      data_busy_q <= 1'b0;
    end else begin
      insn_busy_q <= insn_take || (insn_busy_q && !insn_rvalid_o);
      data_busy_q <= data_ask && data_gnt_o;
    end
    if (insn_take) insn_place_q <= insn_place == Registers ? Nowhere : insn_place;
    if (data_ask) begin
      data_place_q <= data_place;
      data_high_q  <= data_addr_i[2];
    end
  end

  // ---- Assertions -------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (core_rst_ni) begin
      FetchesAreAligned: assert (!insn_req_i || insn_addr_i[1:0] == 2'd0);
      CacheAnswersItsFetch: assert (!cache_rvalid || (insn_busy_q && insn_place_q == Sram));
    end
  end

endmodule

`default_nettype wire
