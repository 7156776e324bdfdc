// Constants of IEEE 802.3 clause 3 and the entries that cross between the rings and the link
// clocks.

package nic_mac_pkg;

  parameter logic [7:0]  PREAMBLE            = 8'h55;
  parameter logic [7:0]  START_OF_FRAME      = 8'hD5;
  parameter int unsigned PREAMBLE_BYTES      = 7;
  parameter int unsigned FCS_BYTES           = 4;
  parameter int unsigned GAP_BYTES           = 12;
  parameter int unsigned MIN_BYTES           = 60;   // without FCS

  // The value of a CRC register after data and FCS of a good frame.
  parameter logic [31:0] CRC_RESIDUE         = 32'hDEBB_20E3;

  // Transmit side to ring: how a frame ended.
  typedef struct packed {
    logic        underrun;
    logic [16:0] bytes;          // on the link, FCS included
  } tx_end_t;

  // Receive side to ring. A frame is any number of RxData, then RxEnd, or RxAbort when it is lost.
  // A frame that was lost before its first RxData leaves no entry.
  typedef enum logic [1:0] {
    // four bytes, the first in bits 7:0; in the last entry of a frame possibly fewer
    RxData,
    RxEnd,                       // rx_end_t
    RxAbort
  } rx_tag_e;

  typedef struct packed {
    rx_tag_e     tag;
    logic [31:0] data;
  } rx_entry_t;

  typedef struct packed {
    logic        rx_error;       // RX_ER
    logic        bad_preamble;
    logic        bad_fcs;
    logic [15:0] bytes;          // from the destination address to the end of the FCS; 65535: that
                                 // many or more
  } rx_end_t;

  // Words of 64 bits that hold a frame from the first byte of a word on.
  function automatic logic [13:0] words_of(input logic [15:0] len_bytes);
    return 14'(({1'b0, len_bytes} + 17'd7) >> 3);
  endfunction

endpackage
