// The link-clock half of transmission: preamble, data, padding, FCS and gap on GMII (IEEE 802.3
// clauses 3 and 35).
//
// In:         for each frame a header word with the length in bits 15:0, then its data words
//             (nic_mac_tx_ring).
// Start:      a frame starts when the gap is over and StartWords of its words, or all, wait in the
//             crossing. From then on the ring refills faster than the link drains: docs/link.md has
//             the argument.
// Underrun:   if a word is missing nevertheless, one clock with TX_ER marks the frame as bad, TX_EN
//             falls without an FCS, and the rest of the frame is dropped when it comes.
// Out:        padding is zero. Between frames TX_EN is low for GAP_BYTES clocks at least. end_*
//             tells how each frame ended, in one clock; it is always taken. Pins are registered.

`default_nettype none

module nic_mac_tx #(
  parameter int unsigned FeedDepthLog2 = 4,
  parameter int unsigned StartWords    = 4        // 1 to 2^FeedDepthLog2 - 4
) (
  input  wire logic                   clk_i,      // gmii_tx
  input  wire logic                   rst_ni,

  input  wire logic                   feed_valid_i,
  output wire logic                   feed_ready_o,
  input  wire logic [63:0]            feed_data_i,
  input  wire logic [FeedDepthLog2:0] feed_used_i,

  output wire logic                   end_valid_o,
  output wire nic_mac_pkg::tx_end_t   end_o,

  output wire logic [7:0]             gmii_txd_o,
  output wire logic                   gmii_tx_en_o,
  output wire logic                   gmii_tx_er_o
);

  typedef logic [FeedDepthLog2:0] used_t;

  typedef enum logic [3:0] {
    StIdle,       // the gap is over after this clock
    StPreamble,
    StStart,      // start frame delimiter
    StData,
    StPad,
    StFcs,
    StSpoil,      // underrun: TX_ER
    StDrain,      // the rest of a spoilt frame
    StGap
  } state_e;

  state_e      state_d, state_q;
  logic        header_valid_q;    // the length and the values derived from it belong to the next
                                  // frame
  logic [15:0] left_q;            // data bytes not yet sent
  logic        last_byte_q;       // one of them
  logic [13:0] words_left_q;      // data words not yet taken
  logic        words_done_q;      // none of them
  used_t       start_words_q;
  logic [16:0] frame_bytes_q;
  logic [3:0]  count_q;           // clocks in this state, if preamble, FCS or gap
  logic [5:0]  pad_q;
  logic [63:0] word_q;
  logic [2:0]  lane_q;
  logic        word_ends_q;       // its last lane, and another word follows

  // ---- Feed ----------------------------------------------------------------------------

  wire logic [15:0] len_bytes    = feed_data_i[15:0];
  wire logic [13:0] len_words    = nic_mac_pkg::words_of(len_bytes);
  wire logic        is_short     = len_bytes < 16'(nic_mac_pkg::MIN_BYTES);

  wire logic want_header = !header_valid_q && (state_q == StIdle || state_q == StGap);
  wire logic take_header = want_header && feed_valid_i;
  wire logic start       = state_q == StIdle && header_valid_q && feed_used_i >= start_words_q;
  wire logic want_word   = state_q == StStart || (state_q == StData && word_ends_q) ||
                           (state_q == StDrain && !words_done_q);
  wire logic take_word   = want_word && feed_valid_i;

  assign feed_ready_o = want_header || want_word;

  // ---- Sequence ------------------------------------------------------------------------

  wire logic fcs_ends = state_q == StFcs && count_q == 4'(nic_mac_pkg::FCS_BYTES - 1);

  always_comb begin
    state_d = state_q;
    case (state_q)
      StIdle:     if (start) state_d = StPreamble;
      StPreamble: if (count_q == 4'(nic_mac_pkg::PREAMBLE_BYTES - 1)) state_d = StStart;
      StStart:    state_d = StData;
      StData: begin
        if (last_byte_q)                       state_d = pad_q != '0 ? StPad : StFcs;
        else if (word_ends_q && !feed_valid_i) state_d = StSpoil;
      end
      StPad:      if (pad_q == 6'd1) state_d = StFcs;
      StFcs:      if (fcs_ends) state_d = StGap;
      StSpoil:    state_d = StDrain;
      StDrain:    if (words_done_q) state_d = StGap;
      // StIdle is the last clock of the gap
      StGap:      if (count_q == 4'(nic_mac_pkg::GAP_BYTES - 2)) state_d = StIdle;
      default:    state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q        <= StIdle;
      header_valid_q <= 1'b0;
      count_q        <= '0;
    end else begin
      state_q <= state_d;
      if (take_header) header_valid_q <= 1'b1;
      else if (start)  header_valid_q <= 1'b0;
      if (state_q == StPreamble || (state_q == StFcs && !fcs_ends) || state_q == StGap) count_q <= count_q + 4'd1;
      else                                                                              count_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_header) begin
      left_q        <= len_bytes;
      last_byte_q   <= len_bytes == 16'd1;
      words_left_q  <= len_words;
      words_done_q  <= len_bytes == '0;
      start_words_q <= len_bytes <= 16'(8 * (StartWords - 1)) ? used_t'(len_words) : used_t'(StartWords);
      pad_q         <= is_short ? 6'(nic_mac_pkg::MIN_BYTES) - len_bytes[5:0] : '0;
      frame_bytes_q <= is_short ? 17'(nic_mac_pkg::MIN_BYTES + nic_mac_pkg::FCS_BYTES)
                                : {1'b0, len_bytes} + 17'(nic_mac_pkg::FCS_BYTES);
    end
    if (take_word) begin
      word_q       <= feed_data_i;
      words_left_q <= words_left_q - 14'd1;
      words_done_q <= words_left_q == 14'd1;
    end else if (state_q == StData) begin
      word_q <= last_byte_q ? '0 : word_q >> 8;   // padding is zero
    end
    if (state_q == StStart) begin
      lane_q      <= '0;
      word_ends_q <= 1'b0;
    end
    if (state_q == StData) begin
      lane_q      <= lane_q + 3'd1;
      left_q      <= left_q - 16'd1;
      last_byte_q <= left_q == 16'd2;
      word_ends_q <= lane_q == 3'd6 && left_q != 16'd2;
    end
    if (state_q == StPad) pad_q <= pad_q - 6'd1;
  end

  // ---- Symbols ---------------------------------------------------------------------------

  logic [31:0] crc;
  logic [7:0]  txd_d, txd_q;
  logic        tx_en_q, tx_er_q;

  nic_crc32 u_crc (
    .clk_i,
    .clear_i  (state_q == StStart),
    .enable_i (state_q == StData || state_q == StPad),
    .data_i   (word_q[7:0]),
    .crc_o    (crc)
  );

  always_comb begin
    case (state_q)
      StPreamble: txd_d = nic_mac_pkg::PREAMBLE;
      StStart:    txd_d = nic_mac_pkg::START_OF_FRAME;
      StData,
      StPad:      txd_d = word_q[7:0];
      StFcs:      txd_d = ~crc[{count_q[1:0], 3'b0} +: 8];
      default:    txd_d = '0;
    endcase
  end

  assign gmii_txd_o   = txd_q;
  assign gmii_tx_en_o = tx_en_q;
  assign gmii_tx_er_o = tx_er_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      txd_q   <= '0;
      tx_en_q <= 1'b0;
      tx_er_q <= 1'b0;
    end else begin
      txd_q   <= txd_d;
      tx_en_q <= state_q != StIdle && state_q != StGap && state_q != StDrain;
      tx_er_q <= state_q == StSpoil;
    end
  end

  assign end_valid_o = state_q == StSpoil || fcs_ends;
  assign end_o       = '{underrun: state_q == StSpoil, bytes: frame_bytes_q};

  // ---- Assertions ------------------------------------------------------------------

  logic [4:0] low_clocks_q;   // clocks for which TX_EN has been low, at most 31
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      low_clocks_q <= '1;
    end else if (tx_en_q) begin
      if (low_clocks_q != '0) begin
        GapIsNeverShort: assert (low_clocks_q >= 5'(nic_mac_pkg::GAP_BYTES));
        low_clocks_q <= '0;
      end
    end else if (low_clocks_q != 5'd31) begin
      low_clocks_q <= low_clocks_q + 5'd1;
    end
    if (rst_ni && state_q == StStart) FirstWordWaits: assert (feed_valid_i);
    if (rst_ni && state_q == StFcs)   AllWordsTaken:  assert (words_left_q == '0);
  end

endmodule

`default_nettype wire
