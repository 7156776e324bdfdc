// The core-clock half of transmission: fetches transmit descriptors, checks them, reads frames out
// of SRAM and counts.
//
// Feed:       to the link clock go, for each frame, one header word with the length in bits 15:0,
//             and then the words of the frame. A read is requested only when the crossing certainly
//             has room for its answer.
// Order:      CONSUMER advances, and the event is raised, in the clock in which the last byte
//             leaves SRAM, or when a descriptor is skipped or refused.
// Timing:     three clocks from the register write of PRODUCER, or an assist, to the header; then
//             one word per clock.

`default_nettype none

module nic_mac_tx_ring #(
  parameter int unsigned SramBytes     = 524288,
  parameter int unsigned FeedDepthLog2 = 4
) (
  input  wire logic                    clk_i,
  input  wire logic                    rst_ni,

  // Register slave, 256 bytes: MAC_TX
  input  wire logic                    reg_sel_i,
  input  wire nic_pkg::reg_req_t       reg_req_i,
  output wire logic [31:0]             reg_rdata_o,
  input  wire logic [15:0]             max_frame_bytes_i,   // MAC_RX.MAX_FRAME

  input  wire logic                    assist_i,            // adds one to PRODUCER

  // SRAM port, reads only
  output wire logic                    sram_req_o,
  output wire nic_pkg::sram_req_t      sram_o,
  input  wire logic                    sram_gnt_i,
  input  wire logic                    sram_rvalid_i,
  input  wire logic [63:0]             sram_rdata_i,

  // Into the crossing to the link clock
  output wire logic                    feed_valid_o,
  input  wire logic [FeedDepthLog2:0]  feed_free_i,
  output wire logic [63:0]             feed_data_o,

  // Out of the crossing from the link clock; always taken
  input  wire logic                    end_valid_i,
  input  wire nic_mac_pkg::tx_end_t    end_i,

  // One-clock pulses
  output wire logic                    event_done_o,    // a descriptor with flag EVENT is done
  output wire logic                    event_error_o,   // an underrun
  output wire logic                    probe_start_o,   // a descriptor was fetched
  output wire logic                    probe_done_o     // its last byte has left towards the link
);

  typedef logic [nic_pkg::SRAM_ADDR_BITS-1:3] word_addr_t;

  typedef enum logic [2:0] {
    StIdle,         // a descriptor is requested as soon as there is one
    StFetch,        // the descriptor waits for its grant
    StDescriptor,   // the descriptor arrives
    StHeader,       // it is checked, and the header waits for room
    StRead,
    StLast          // the last word arrives
  } state_e;

  // ---- Registers and indices --------------------------------------------------------

  localparam logic [7:2] OffsetAdvance   = nic_regs_pkg::MAC_TX_ADVANCE[7:2];
  localparam logic [7:2] OffsetFrames    = nic_regs_pkg::MAC_TX_FRAMES[7:2];
  localparam logic [7:2] OffsetBytes     = nic_regs_pkg::MAC_TX_BYTES[7:2];
  localparam logic [7:2] OffsetUnderruns = nic_regs_pkg::MAC_TX_UNDERRUNS[7:2];
  localparam logic [7:2] OffsetRefused   = nic_regs_pkg::MAC_TX_REFUSED[7:2];
  localparam logic [7:2] OffsetSkipped   = nic_regs_pkg::MAC_TX_SKIPPED[7:2];

  wire logic       reg_write = reg_sel_i && reg_req_i.we && reg_req_i.be == 4'hF;
  wire logic       reg_read  = reg_sel_i && !reg_req_i.we;
  wire logic [7:2] offset    = reg_req_i.addr[7:2];
  wire logic unused_reg_req  = &{1'b0, reg_req_i.addr[nic_pkg::REG_ADDR_BITS-1:8], reg_req_i.addr[1:0], reg_req_i.from_host};

  wire logic [7:0] advance_count = reg_write && offset == OffsetAdvance ? reg_req_i.wdata[7:0] : '0;

  state_e      state_q;
  logic        enable;
  logic [15:0] producer, consumer;
  logic [31:0] ring_rdata;
  word_addr_t  entry_addr;
  logic        finish;

  nic_ring #(
    .SramBytes  (SramBytes),
    .EntryWords (1),
    .ResetLog2  (int'(nic_regs_pkg::MAC_TX_RING_LOG2_RESET))
  ) u_ring (
    .clk_i,
    .rst_ni,
    .clear_i         (1'b0),
    .write_i         (reg_write),
    .read_i          (reg_read),
    .offset_i        (offset),
    .wdata_i         (reg_req_i.wdata),
    .rdata_o         (ring_rdata),
    .enable_o        (enable),
    .producer_o      (producer),
    .consumer_o      (consumer),
    .idle_i          (state_q == StIdle),
    .consume_i       (finish),
    .produce_count_i ({1'b0, advance_count} + {8'b0, assist_i}),
    .index_i         (consumer[7:0]),
    .entry_addr_o    (entry_addr)
  );

  // ---- The frame -------------------------------------------------------------------------

  logic [31:3] buffer_addr_q;    // an address that is not a multiple of 8 is rounded down
  logic [15:0] len_bytes_q;
  logic        event_q, skip_q;
  word_addr_t  fetch_addr_q, read_addr_q;
  logic [13:0] read_left_q;

  // Checked in StHeader only.
  logic send;
  always_comb begin
    send = 1'b0;
    if (state_q == StHeader) begin
      send = !skip_q && len_bytes_q != '0 && len_bytes_q <= max_frame_bytes_i &&
             {1'b0, buffer_addr_q, 3'b0} + {17'b0, len_bytes_q} <= 33'(SramBytes);
    end
  end

  wire logic begin_fetch = state_q == StIdle && enable && producer != consumer;
  wire logic fetching    = begin_fetch || state_q == StFetch;
  wire logic put_header  = send && feed_free_i != '0;
  // The answer of a read granted the clock before is on its way into the crossing.
  wire logic put_data    = sram_rvalid_i && (state_q == StRead || state_q == StLast);
  wire logic reading     = state_q == StRead && feed_free_i > {{FeedDepthLog2{1'b0}}, put_data};
  wire logic read_gnt    = reading && sram_gnt_i;
  wire logic read_last   = read_left_q == 14'd1;

  assign finish = (state_q == StHeader && !send) || state_q == StLast;

  assign sram_req_o = fetching || reading;
  assign sram_o = '{
    addr:  state_q == StIdle ? entry_addr : state_q == StFetch ? fetch_addr_q : read_addr_q,
    we:    1'b0,
    be:    '0,
    wdata: '0
  };

  assign feed_valid_o = put_header || put_data;
  assign feed_data_o  = put_header ? {48'b0, len_bytes_q} : sram_rdata_i;

  logic event_done_q, event_error_q, probe_start_q, probe_done_q;

  assign event_done_o  = event_done_q;
  assign event_error_o = event_error_q;
  assign probe_start_o = probe_start_q;
  assign probe_done_o  = probe_done_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q       <= StIdle;
      event_done_q  <= 1'b0;
      event_error_q <= 1'b0;
      probe_start_q <= 1'b0;
      probe_done_q  <= 1'b0;
    end else begin
      case (state_q)
        StIdle:       if (begin_fetch) state_q <= sram_gnt_i ? StDescriptor : StFetch;
        StFetch:      if (sram_gnt_i) state_q <= StDescriptor;
        StDescriptor: state_q <= StHeader;
        StHeader:     if (!send) state_q <= StIdle; else if (put_header) state_q <= StRead;
        StRead:       if (read_gnt && read_last) state_q <= StLast;
        StLast:       state_q <= StIdle;
        default:      state_q <= StIdle;
      endcase
      event_done_q  <= finish && event_q;
      event_error_q <= end_valid_i && end_i.underrun;
      probe_start_q <= state_q == StDescriptor;
      probe_done_q  <= finish;
    end
  end

  always_ff @(posedge clk_i) begin
    if (begin_fetch) fetch_addr_q <= entry_addr;
    if (state_q == StDescriptor) begin
      buffer_addr_q <= sram_rdata_i[31:3];
      len_bytes_q   <= sram_rdata_i[47:32];
      event_q       <= sram_rdata_i[48];
      skip_q        <= sram_rdata_i[49];
    end
    if (put_header) begin
      read_addr_q <= buffer_addr_q[nic_pkg::SRAM_ADDR_BITS-1:3];
      read_left_q <= nic_mac_pkg::words_of(len_bytes_q);
    end else if (read_gnt) begin
      read_addr_q <= read_addr_q + word_addr_t'(1);
      read_left_q <= read_left_q - 14'd1;
    end
  end

  // ---- Counters ------------------------------------------------------------------------

  logic [31:0] frames_q, bytes_q, underruns_q, refused_q, skipped_q;
  logic [31:0] rdata_q;

  assign reg_rdata_o = rdata_q | ring_rdata;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      frames_q    <= '0;
      bytes_q     <= '0;
      underruns_q <= '0;
      refused_q   <= '0;
      skipped_q   <= '0;
    end else begin
      if (end_valid_i) begin
        if (end_i.underrun) begin
          underruns_q <= underruns_q + 32'd1;
        end else begin
          frames_q <= frames_q + 32'd1;
          bytes_q  <= bytes_q + {15'b0, end_i.bytes};
        end
      end
      if (finish && state_q == StHeader) begin
        if (skip_q) skipped_q <= skipped_q + 32'd1;
        else        refused_q <= refused_q + 32'd1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    rdata_q <= '0;
    if (rst_ni && reg_read) begin
      case (offset)
        OffsetFrames:    rdata_q <= frames_q;
        OffsetBytes:     rdata_q <= bytes_q;
        OffsetUnderruns: rdata_q <= underruns_q;
        OffsetRefused:   rdata_q <= refused_q;
        OffsetSkipped:   rdata_q <= skipped_q;
        default:         rdata_q <= '0;
      endcase
    end
  end

  // ---- Assertions ------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni && feed_valid_o) FeedHasRoom: assert (feed_free_i != '0);
    if (rst_ni && (state_q == StDescriptor || state_q == StLast)) AnswerComesTheClockAfterGrant: assert (sram_rvalid_i);
  end

endmodule

`default_nettype wire
