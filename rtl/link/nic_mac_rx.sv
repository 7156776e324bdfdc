// The link-clock half of reception: finds frames on GMII, checks them, packs their data and hands
// them to the core clock.
//
// Out:        entries of nic_mac_pkg::rx_entry_t into the crossing. Every frame that starts, ends
//             in exactly one of: an RxEnd entry, or lost_o for one clock because the crossing was
//             full. The last room in the crossing is kept for the end, so a frame whose data have
//             gone in is always closed, by RxEnd or RxAbort.
// FCS:        four bytes are held back, so that the FCS never follows the data.
// Enable:     sampled when RX_DV rises; a frame that has begun is received to its end. A frame
//             whose beginning was missed is ignored.
// Timing:     a byte is in the crossing five to eight clocks after it was on the pins. Frames may
//             be one clock apart.

`default_nettype none

module nic_mac_rx #(
  parameter int unsigned DepthLog2 = 5
) (
  input  wire logic                    clk_i,         // gmii_rx
  input  wire logic                    rst_ni,

  input  wire logic                    enable_i,
  output wire logic                    busy_o,        // enabled or in a frame; registered

  input  wire logic [7:0]              gmii_rxd_i,
  input  wire logic                    gmii_rx_dv_i,
  input  wire logic                    gmii_rx_er_i,

  output wire logic                    entry_valid_o,
  output wire nic_mac_pkg::rx_entry_t  entry_o,
  input  wire logic [DepthLog2:0]      entry_free_i,

  // One-clock pulses
  output wire logic                    started_o,
  output wire logic                    lost_o
);

  typedef enum logic [2:0] {
    StIgnore,     // in a frame that is not received
    StIdle,
    StPreamble,
    StData,
    StBroken      // in a frame whose preamble was broken
  } state_e;

  logic [7:0] rxd_q;
  logic       dv_q, er_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      dv_q <= 1'b0;
      er_q <= 1'b0;
    end else begin
      dv_q <= gmii_rx_dv_i;
      er_q <= gmii_rx_er_i;
    end
    rxd_q <= gmii_rxd_i;
  end

  // ---- Sequence ------------------------------------------------------------------------

  state_e state_d, state_q;

  wire logic   started    = state_q == StIdle && dv_q && enable_i;
  wire logic   in_frame   = state_q == StPreamble || state_q == StData || state_q == StBroken;
  wire logic   ended      = in_frame && !dv_q;
  wire logic   data_byte  = state_q == StData && dv_q;
  wire state_e preamble_d = rxd_q == nic_mac_pkg::PREAMBLE       ? StPreamble :
                            rxd_q == nic_mac_pkg::START_OF_FRAME ? StData : StBroken;

  always_comb begin
    state_d = state_q;
    case (state_q)
      StIgnore:   if (!dv_q) state_d = StIdle;
      StIdle:     if (dv_q) state_d = enable_i ? preamble_d : StIgnore;
      StPreamble: state_d = dv_q ? preamble_d : StIdle;
      StData,
      StBroken:   if (!dv_q) state_d = StIdle;
      default:    state_d = StIgnore;
    endcase
  end

  // ---- Data ----------------------------------------------------------------------------

  logic [15:0] bytes_q;
  logic [31:0] held_q;            // the last four bytes, the oldest in bits 7:0
  logic        held_all_q;        // all of them belong to this frame
  logic [31:0] pack_q;
  logic [1:0]  pack_count_q;
  logic        rx_error_q, bad_preamble_q;
  logic        put_any_q;         // whether data of this frame are in the crossing
  logic        lost_q;            // this frame did not fit
  logic        ended_q;
  logic [31:0] crc;

  nic_crc32 u_crc (
    .clk_i,
    .clear_i  (dv_q && (state_q == StIdle || state_q == StPreamble)),   // whatever the byte is
    .enable_i (data_byte),
    .data_i   (rxd_q),
    .crc_o    (crc)
  );

  wire logic pack      = data_byte && held_all_q;
  // Only StData leaves bytes in pack_q: at its end they go as they are.
  wire logic want_put  = state_q == StData && !lost_q && (dv_q ? held_all_q && pack_count_q == 2'd3 : pack_count_q != '0);
  wire logic put_data  = want_put && entry_free_i[DepthLog2:1] != '0;   // two or more
  wire logic overflow  = want_put && !put_data;
  wire logic put_abort = overflow && put_any_q;
  wire logic put_end   = ended_q && !lost_q && entry_free_i != '0;

  wire nic_mac_pkg::rx_end_t end_of_frame = '{
    rx_error:     rx_error_q,
    bad_preamble: bad_preamble_q,
    bad_fcs:      crc != nic_mac_pkg::CRC_RESIDUE,
    bytes:        bytes_q
  };

  assign entry_valid_o = put_data || put_abort || put_end;
  // The data of an abort are not used.
  assign entry_o = '{
    tag:  ended_q ? nic_mac_pkg::RxEnd : put_data ? nic_mac_pkg::RxData : nic_mac_pkg::RxAbort,
    data: ended_q ? 32'(end_of_frame) : dv_q ? {held_q[7:0], pack_q[23:0]} : pack_q
  };

  logic started_q, lost_pulse_q, busy_q;

  assign started_o = started_q;
  assign lost_o    = lost_pulse_q;
  assign busy_o    = busy_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q      <= StIgnore;
      pack_count_q <= '0;
      ended_q      <= 1'b0;
      lost_q       <= 1'b0;
      put_any_q    <= 1'b0;
      started_q    <= 1'b0;
      lost_pulse_q <= 1'b0;
      busy_q       <= 1'b0;
    end else begin
      state_q      <= state_d;
      ended_q      <= ended;
      started_q    <= started;
      lost_pulse_q <= ended_q && !put_end;
      busy_q       <= enable_i || in_frame || ended_q;

      if (ended)     pack_count_q <= '0;
      else if (pack) pack_count_q <= pack_count_q + 2'd1;

      if (started)       put_any_q <= 1'b0;
      else if (put_data) put_any_q <= 1'b1;
      if (started)       lost_q <= 1'b0;
      else if (overflow) lost_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (started) begin
      bytes_q        <= '0;
      held_all_q     <= 1'b0;
      rx_error_q     <= er_q;
      bad_preamble_q <= 1'b0;
    end else begin
      if (in_frame && dv_q && er_q)       rx_error_q     <= 1'b1;
      if (ended && state_q != StData)     bad_preamble_q <= 1'b1;
      if (data_byte && bytes_q != '1)     bytes_q        <= bytes_q + 16'd1;
      if (data_byte && bytes_q[1:0] == 2'(nic_mac_pkg::FCS_BYTES - 1)) held_all_q <= 1'b1;
    end
    if (data_byte) held_q <= {rxd_q, held_q[31:8]};
    if (pack) begin
      case (pack_count_q)
        2'd0: pack_q        <= {24'b0, held_q[7:0]};
        2'd1: pack_q[15:8]  <= held_q[7:0];
        2'd2: pack_q[23:16] <= held_q[7:0];
        2'd3: pack_q[31:24] <= held_q[7:0];
      endcase
    end
  end

  // ---- Assertions ------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni && entry_valid_o)          EntryHasRoom:          assert (entry_free_i != '0);
    if (rst_ni && ended_q && put_any_q)   BegunFrameIsClosed:    assert (put_end || lost_q);
    if (rst_ni && put_end)                EndStandsAlone:        assert (!want_put);
  end

endmodule

`default_nettype wire
