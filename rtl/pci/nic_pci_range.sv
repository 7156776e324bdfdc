// The rest of one DMA command, counted in dwords, with the byte enables of the next data phase.
//
// Timing:     next_* outputs apply the move of this clock already, so that they can be registered
//             onto the bus at the edge that ends the data phase before. Other outputs depend on
//             registers only. The move comes late: the rest is chosen among the rests after no, one
//             or two dwords.
// Ranges:     a command of 1 to 65535 bytes touches 1 to 16385 dwords. Addresses wrap at 4 GB.

`default_nettype none

module nic_pci_range (
  input  wire logic                  clk_i,
  input  wire logic                  rst_ni,

  // A new command; replaces what is left of the old one.
  input  wire logic                  load_i,
  input  wire nic_pkg::dma_cmd_t     cmd_i,

  // The move of this clock; never more than is left.
  input  wire nic_pci_pkg::move_t    move_i,

  output wire logic [31:2]           addr_o,
  output wire logic [14:0]           left_dwords_o,
  output wire logic [14:0]           left_words_o,      // aligned 64-bit words that are touched
  output wire logic                  left_none_o,
  output wire logic                  left_single_word_o,   // no word, or one

  output wire logic                  next_word_o,       // the move completes an aligned 64-bit
                                                        // word, or the command
  output wire logic                  next_none_o,
  output wire logic                  next_odd_o,
  output wire logic [7:0]            next_be_wide_o,
  output wire logic [3:0]            next_be_narrow_o,
  output wire logic                  next_single_wide_o,   // one 64-bit phase is left
  output wire logic                  next_single_narrow_o  // one 32-bit phase is left
);

  logic [31:2] addr_d, addr_q;
  logic [14:0] left_d, left_q;
  logic        few_q;                     // fewer than 8 are left
  logic        first_d, first_q;          // nothing has moved yet
  logic [3:0]  first_be_q, last_be_q;

  assign addr_o        = addr_q;
  assign left_dwords_o = left_q;
  assign left_words_o  = (left_q + 15'(addr_q[2]) + 15'd1) >> 1;

  wire logic [4:0] left_is = few_q ? 5'd1 << left_q[2:0] : '0;   // bit n: n dwords are left

  assign left_none_o        = left_is[0];
  assign left_single_word_o = left_is[0] || left_is[1] || (left_is[2] && !addr_q[2]);

  // ---- Moving on ------------------------------------------------------------------

  // A 64-bit phase holds one dword where the command begins in the upper half or ends in the lower.
  wire logic       half = addr_q[2] || left_is[1];
  wire logic [1:0] step = move_i.wide ? (half ? 2'd1 : 2'd2) : {1'b0, move_i.narrow};

  always_comb begin
    addr_d  = addr_q + 30'(step);
    left_d  = left_q - 15'(step);
    first_d = first_q && step == 2'd0;
  end

  // bit n: n dwords will be left
  wire logic [2:0] next_is  = step[1] ? left_is[4:2] : step[0] ? left_is[3:1] : left_is[2:0];
  wire logic       next_odd = addr_q[2] ^ step[0];

  assign next_none_o = next_is[0];
  assign next_odd_o  = next_odd;
  assign next_word_o = step != 2'd0 && (!next_odd || next_none_o);

  // ---- Byte enables -----------------------------------------------------------------

  wire logic [3:0] be_here  = (first_d ? first_be_q : 4'hF) & (next_is[1] ? last_be_q : 4'hF);
  wire logic [3:0] be_after = next_is[1] ? 4'h0 : next_is[2] ? last_be_q : 4'hF;

  assign next_be_narrow_o     = be_here;
  assign next_be_wide_o       = next_odd ? {be_here, 4'h0} : {be_after, be_here};
  assign next_single_narrow_o = next_is[1];
  assign next_single_wide_o   = next_is[0] || next_is[1] || (next_is[2] && !next_odd);

  // ---- Registers --------------------------------------------------------------------

  wire logic [16:0] end_byte   = 17'(cmd_i.addr[1:0]) + 17'(cmd_i.len_bytes);
  wire logic [14:0] cmd_dwords = 15'((end_byte + 17'd3) >> 2);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      left_q <= '0;
      few_q  <= 1'b1;
    end else if (load_i) begin
      addr_q     <= cmd_i.addr[31:2];
      left_q     <= cmd_dwords;
      few_q      <= cmd_dwords < 15'd8;
      first_q    <= 1'b1;
      first_be_q <= 4'hF << cmd_i.addr[1:0];
      last_be_q  <= 4'hF >> (2'd0 - end_byte[1:0]);
    end else if (step != 2'd0) begin
      addr_q     <= addr_d;
      left_q     <= left_d;
      few_q      <= left_d < 15'd8;
      first_q    <= 1'b0;
    end
  end

  // ---- Assertions -------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni && load_i) LengthIsNotZero: assert (cmd_i.len_bytes != '0);
    if (rst_ni && step != 2'd0) begin
      NeverMovesMoreThanIsLeft: assert (15'(step) <= left_q);
      MovesOneWidthAtATime:     assert (!(move_i.wide && move_i.narrow));
    end
  end

endmodule

`default_nettype wire
