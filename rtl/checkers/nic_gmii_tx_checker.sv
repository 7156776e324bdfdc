// Watches the frames that a MAC sends on GMII (IEEE 802.3 clauses 4 and 35); has no outputs and
// becomes nothing in synthesis.
//
// Rules: at least 12 clocks without TX_EN between frames; every frame begins with seven bytes 0x55
//        and one 0xD5; at least 64 bytes follow them, unless the frame was aborted with TX_ER;
//        TX_ER comes only inside a frame.

`default_nettype none

module nic_gmii_tx_checker (
  input wire logic       clk_i,
  input wire logic       rst_ni,
  input wire logic [7:0] txd_i,
  input wire logic       tx_en_i,
  input wire logic       tx_er_i
);

  typedef logic [6:0] count_t;

  localparam count_t GapBytes    = 7'd12;
  localparam count_t Delimiter   = 7'd7;         // its place behind the preamble
  localparam count_t FrameEnough = 7'd8 + 7'd64;

  logic        in_frame_q, given_up_q;
  count_t      bytes_q;     // bytes of this frame or gap so far, saturating

  wire count_t bytes_next = bytes_q == FrameEnough ? bytes_q : bytes_q + 7'd1;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      in_frame_q <= 1'b0;
      given_up_q <= 1'b0;
      bytes_q    <= GapBytes;
    end else begin
      in_frame_q <= tx_en_i;
      given_up_q <= tx_en_i && (tx_er_i || (in_frame_q && given_up_q));
      bytes_q    <= tx_en_i == in_frame_q ? bytes_next : 7'd1;
    end
  end

  wire count_t place = in_frame_q ? bytes_q : '0;    // position of this byte in its frame

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (tx_en_i && !in_frame_q) GapIsLongEnough: assert (bytes_q >= GapBytes);
      if (tx_en_i && !tx_er_i) begin
        PreambleIsRegular: assert (place >= Delimiter || txd_i == 8'h55);
        DelimiterFollows:  assert (place != Delimiter || txd_i == 8'hD5);
      end
      if (!tx_en_i && in_frame_q) FrameIsLongEnough: assert (given_up_q || bytes_q >= FrameEnough);
      ErrorIsInsideAFrame: assert (tx_en_i || !tx_er_i);
    end
  end

endmodule

`default_nettype wire
