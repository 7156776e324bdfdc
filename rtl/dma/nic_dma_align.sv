// Shifts a run of bytes from one byte alignment to another: aligned 64-bit words in, aligned 64-bit
// words out.
//
// Start:      start_i for one clock while no word is left inside, with both offsets in their first
//             word and the length. Then exactly the words that hold the source bytes come in, and
//             exactly those that hold the destination bytes go out; out_be_o marks the bytes of the
//             run.
// Handshake:  valid/ready on both sides. in_ready_o depends on out_ready_i in the same clock.
// Timing:     one clock from in to out, one word per clock; up to one more word comes out than goes
//             in, and up to one less. A run that is cut short needs no clean-up: it is enough to
//             wait until out_valid_o is low.
//
// Each word is rotated by the difference of the offsets. Its bytes then stand in their lanes, and
// those that belong to the next destination word wait in carry_q.

`default_nettype none

module nic_dma_align (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  input  wire logic        start_i,
  input  wire logic [2:0]  in_offset_i,
  input  wire logic [2:0]  out_offset_i,
  input  wire logic [15:0] len_bytes_i,     // not zero

  input  wire logic        in_valid_i,
  output wire logic        in_ready_o,
  input  wire logic [63:0] in_data_i,
  output wire logic        in_last_o,       // the next word in is the last

  output wire logic        out_valid_o,
  input  wire logic        out_ready_i,
  output wire logic [63:0] out_data_o,
  output wire logic [7:0]  out_be_o,
  output wire logic        out_last_o
);

  logic [5:0]  shift_bits_q;      // 0, 8 .. 56
  logic [7:0]  first_be_q, last_be_q;
  logic        prime_q;           // the next word in only fills the carry
  logic        first_q;           // the next word out is the first
  logic [13:0] in_left_q;         // words still to come
  logic [13:0] out_left_q;        // words still to be put in the output register
  logic [63:0] carry_q;

  logic        out_valid_q, out_last_q;
  logic [63:0] out_data_q;
  logic [7:0]  out_be_q;

  assign out_valid_o = out_valid_q;
  assign out_data_o  = out_data_q;
  assign out_be_o    = out_be_q;
  assign out_last_o  = out_last_q;

  // The last bytes of the run may all be in the carry when the last word has come.
  wire logic flush    = in_left_q == '0 && out_left_q != '0;
  wire logic out_free = !out_valid_q || out_ready_i;
  assign in_ready_o   = out_free && !flush;
  assign in_last_o    = in_left_q == 14'd1;
  wire logic take     = in_valid_i && in_ready_o;
  wire logic give     = (take && !prime_q) || (flush && out_free);

  function automatic logic [63:0] rotated(input logic [63:0] word, input logic [5:0] bits);
    return (word << bits) | (word >> (7'd64 - {1'b0, bits}));
  endfunction

  // The lowest bits come from the carry.
  function automatic logic [63:0] joined(input logic [63:0] carry, input logic [63:0] word, input logic [5:0] bits);
    logic [63:0] from_word;
    from_word = 64'hFFFF_FFFF_FFFF_FFFF << bits;
    return (carry & ~from_word) | (word & from_word);
  endfunction

  wire logic [2:0]  end_offset = out_offset_i + len_bytes_i[2:0];
  wire logic        last_out   = out_left_q == 14'd1;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      in_left_q   <= '0;
      out_left_q  <= '0;
      out_valid_q <= 1'b0;
    end else begin
      if (start_i) begin
        in_left_q  <= nic_dma_pkg::words_spanned(in_offset_i, len_bytes_i);
        out_left_q <= nic_dma_pkg::words_spanned(out_offset_i, len_bytes_i);
      end else begin
        if (take) in_left_q  <= in_left_q - 14'd1;
        if (give) out_left_q <= out_left_q - 14'd1;
      end
      if (give)             out_valid_q <= 1'b1;
      else if (out_ready_i) out_valid_q <= 1'b0;
    end

    if (start_i) begin
      shift_bits_q <= {out_offset_i - in_offset_i, 3'b0};
      prime_q      <= out_offset_i < in_offset_i;
      first_q      <= 1'b1;
      first_be_q   <= 8'hFF << out_offset_i;
      last_be_q    <= end_offset == '0 ? 8'hFF : ~(8'hFF << end_offset);
    end
    if (take) begin
      carry_q <= rotated(in_data_i, shift_bits_q);
      prime_q <= 1'b0;
    end
    if (give) begin
      first_q    <= 1'b0;
      out_data_q <= joined(carry_q, rotated(in_data_i, shift_bits_q), shift_bits_q);
      out_be_q   <= (first_q ? first_be_q : 8'hFF) & (last_out ? last_be_q : 8'hFF);
      out_last_q <= last_out;
    end
  end

  // ---- Assertions ---------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni && start_i) begin
      StartsEmpty:     assert (!out_valid_q);
      LengthIsNotZero: assert (len_bytes_i != '0);
    end
    if (rst_ni && take) NoWordTooMany: assert (in_left_q != '0);
  end

endmodule

`default_nettype wire
