// The core-clock half of reception: writes frames into the buffers of the receive ring as they
// arrive, checks them at their end, and counts every frame in exactly one counter.
//
// A frame takes the buffer at CONSUMER when its first data come; it stays there if it ends well;
// otherwise the next frame overwrites it. No byte is written outside the buffer. The faults, in the
// order of the checks: RX_ER, broken preamble, longer than MAX_FRAME, shorter than 64 bytes, bad
// FCS, no buffer, larger than the buffer.
// Order:      last data byte, status word, then CONSUMER and the event together.
// Timing:     three clocks for the descriptor, then one word each second clock at most; two clocks
//             from the end of a frame to the request to write its status.

`default_nettype none

module nic_mac_rx_ring #(
  parameter int unsigned SramBytes = 524288
) (
  input  wire logic                    clk_i,
  input  wire logic                    rst_ni,

  // Register slave, 256 bytes: MAC_RX
  input  wire logic                    reg_sel_i,
  input  wire nic_pkg::reg_req_t       reg_req_i,
  output wire logic [31:0]             reg_rdata_o,
  output wire logic [15:0]             max_frame_bytes_o,

  // SRAM port
  output wire logic                    sram_req_o,
  output wire nic_pkg::sram_req_t      sram_o,
  input  wire logic                    sram_gnt_i,
  input  wire logic                    sram_rvalid_i,
  input  wire logic [63:0]             sram_rdata_i,

  // The link side
  output wire logic                    enable_o,
  input  wire logic                    link_busy_i,
  input  wire logic                    entry_valid_i,
  output wire logic                    entry_ready_o,
  input  wire nic_mac_pkg::rx_entry_t  entry_i,
  input  wire logic [3:0]              started_add_i,   // frames begun since the clock before
  input  wire logic [3:0]              lost_add_i,      // frames lost in the crossing since the
                                                        // clock before

  // One-clock pulses
  output wire logic                    event_done_o,    // a good frame is in the ring
  output wire logic                    event_error_o,   // a frame was lost to SRAM or to a small
                                                        // buffer
  output wire logic                    probe_done_o,    // the same as event_done_o
  output wire logic                    probe_drop_o     // a frame ended in any other way
);

  typedef logic [nic_pkg::SRAM_ADDR_BITS-1:3] word_addr_t;

  typedef enum logic [2:0] {
    StIdle,
    StFetch,      // the descriptor is requested
    StBuffer,     // the descriptor arrives
    StData,
    StDiscard,    // no buffer
    StJudge,
    StStatus
  } state_e;

  // ---- Registers and indices --------------------------------------------------------

  localparam logic [7:2] OffsetBufferBytes  = nic_regs_pkg::MAC_RX_BUFFER_BYTES[7:2];
  localparam logic [7:2] OffsetMaxFrame     = nic_regs_pkg::MAC_RX_MAX_FRAME[7:2];
  localparam logic [7:2] OffsetFrames       = nic_regs_pkg::MAC_RX_FRAMES[7:2];
  localparam logic [7:2] OffsetBytes        = nic_regs_pkg::MAC_RX_BYTES[7:2];
  localparam logic [7:2] OffsetBadFcs       = nic_regs_pkg::MAC_RX_BAD_FCS[7:2];
  localparam logic [7:2] OffsetRunts        = nic_regs_pkg::MAC_RX_RUNTS[7:2];
  localparam logic [7:2] OffsetGiants       = nic_regs_pkg::MAC_RX_GIANTS[7:2];
  localparam logic [7:2] OffsetRxErrors     = nic_regs_pkg::MAC_RX_RX_ERRORS[7:2];
  localparam logic [7:2] OffsetBadPreambles = nic_regs_pkg::MAC_RX_BAD_PREAMBLES[7:2];
  localparam logic [7:2] OffsetNoBuffer     = nic_regs_pkg::MAC_RX_NO_BUFFER[7:2];
  localparam logic [7:2] OffsetOverflows    = nic_regs_pkg::MAC_RX_OVERFLOWS[7:2];
  localparam logic [7:2] OffsetStarted      = nic_regs_pkg::MAC_RX_STARTED[7:2];

  wire logic       reg_write = reg_sel_i && reg_req_i.we && reg_req_i.be == 4'hF;
  wire logic       reg_read  = reg_sel_i && !reg_req_i.we;
  wire logic [7:2] offset    = reg_req_i.addr[7:2];
  wire logic unused_reg_req  = &{1'b0, reg_req_i.addr[nic_pkg::REG_ADDR_BITS-1:8], reg_req_i.addr[1:0], reg_req_i.from_host};
  wire logic unused_rdata    = &{1'b0, sram_rdata_i[63:32], sram_rdata_i[2:0]};

  state_e      state_q;
  logic [15:0] producer, consumer;
  logic [31:0] ring_rdata;
  word_addr_t  entry_addr;
  logic        finish;

  nic_ring #(
    .SramBytes  (SramBytes),
    .EntryWords (1),
    .ResetLog2  (int'(nic_regs_pkg::MAC_RX_RING_LOG2_RESET))
  ) u_ring (
    .clk_i,
    .rst_ni,
    .clear_i         (1'b0),
    .write_i         (reg_write),
    .read_i          (reg_read),
    .offset_i        (offset),
    .wdata_i         (reg_req_i.wdata),
    .rdata_o         (ring_rdata),
    .enable_o,
    .producer_o      (producer),
    .consumer_o      (consumer),
    .idle_i          (state_q == StIdle && !entry_valid_i && !link_busy_i),
    .consume_i       (finish),
    .produce_count_i ('0),
    .index_i         (consumer[7:0]),
    .entry_addr_o    (entry_addr)
  );

  logic [15:3] buffer_words_q;
  logic [15:0] max_frame_bytes_q;

  assign max_frame_bytes_o = max_frame_bytes_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      buffer_words_q    <= nic_regs_pkg::MAC_RX_BUFFER_BYTES_RESET[15:3];
      max_frame_bytes_q <= nic_regs_pkg::MAC_RX_MAX_FRAME_RESET[15:0];
    end else if (reg_write) begin
      if (offset == OffsetBufferBytes) buffer_words_q    <= reg_req_i.wdata[15:3];
      if (offset == OffsetMaxFrame)    max_frame_bytes_q <= reg_req_i.wdata[15:0];
    end
  end

  // ---- From entries to words ------------------------------------------------------------

  word_addr_t            descriptor_addr_q;
  logic [31:3]           write_addr_q;      // the address of the descriptor, with bits beyond the
                                            // SRAM, so that such an address is found
  logic [15:3]           room_words_q;
  logic                  half_valid_q;      // the low half of a word waits for the high half
  logic [31:0]           half_q;
  logic                  word_valid_q;      // a word waits for SRAM
  logic [63:0]           word_q;
  logic                  no_buffer_q, too_large_q;
  nic_mac_pkg::rx_end_t  end_q;

  wire logic write_gnt = word_valid_q && sram_gnt_i;
  wire logic word_free = !word_valid_q || write_gnt;

  // The fate of the entry
  logic take_data, flush_half, take_end, take_abort, discard;
  always_comb begin
    take_data  = 1'b0;
    flush_half = 1'b0;   // an end waits until the half word before it has become a word
    take_end   = 1'b0;
    take_abort = 1'b0;
    discard    = 1'b0;
    if (entry_valid_i) begin
      case (state_q)
        StIdle: take_end = entry_i.tag == nic_mac_pkg::RxEnd;
        StData: begin
          take_data  = entry_i.tag == nic_mac_pkg::RxData && (!half_valid_q || word_free);
          flush_half = entry_i.tag == nic_mac_pkg::RxEnd && half_valid_q && word_free;
          take_end   = entry_i.tag == nic_mac_pkg::RxEnd && !half_valid_q && !word_valid_q;
          take_abort = entry_i.tag == nic_mac_pkg::RxAbort && !word_valid_q;
        end
        StDiscard: begin
          take_end   = entry_i.tag == nic_mac_pkg::RxEnd;
          take_abort = entry_i.tag == nic_mac_pkg::RxAbort;
          discard    = entry_i.tag == nic_mac_pkg::RxData;
        end
        default: ;
      endcase
    end
  end

  assign entry_ready_o = take_data || take_end || take_abort || discard;

  // A word that is made is kept if it fits, where the next one goes.
  wire logic make_word = (take_data && half_valid_q) || flush_half;

  logic keep_word;
  always_comb begin
    keep_word = 1'b0;
    if (make_word) keep_word = room_words_q != '0 && write_addr_q + 29'(word_valid_q) < 29'(SramBytes / 8);
  end

  // ---- Judgement ---------------------------------------------------------------------------

  wire logic [15:0] data_bytes = end_q.bytes - 16'(nic_mac_pkg::FCS_BYTES);

  typedef enum logic [2:0] {
    EndGood,
    EndBadFcs,
    EndRunt,
    EndGiant,
    EndRxError,
    EndBadPreamble,
    EndNoBuffer,
    EndOverflow
  } ending_e;

  ending_e ending;   // in StJudge
  always_comb begin
    ending = EndGood;
    if (state_q == StJudge) begin
      if (end_q.rx_error)                                                            ending = EndRxError;
      else if (end_q.bad_preamble)                                                   ending = EndBadPreamble;
      else if (end_q.bytes < 16'(nic_mac_pkg::MIN_BYTES + nic_mac_pkg::FCS_BYTES))   ending = EndRunt;
      else if (data_bytes > max_frame_bytes_q || end_q.bytes == '1)                  ending = EndGiant;
      else if (end_q.bad_fcs)                                                        ending = EndBadFcs;
      else if (no_buffer_q)                                                          ending = EndNoBuffer;
      else if (too_large_q)                                                          ending = EndOverflow;
    end
  end

  assign finish = state_q == StStatus && sram_gnt_i;

  assign sram_req_o = state_q == StFetch || word_valid_q || state_q == StStatus;
  assign sram_o = '{
    addr:  state_q == StData ? write_addr_q[nic_pkg::SRAM_ADDR_BITS-1:3] : descriptor_addr_q,
    we:    state_q != StFetch,
    be:    state_q == StData ? 8'hFF : 8'hF0,
    wdata: state_q == StData ? word_q : {16'h8000, data_bytes, 32'b0}
  };

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q      <= StIdle;
      half_valid_q <= 1'b0;
      word_valid_q <= 1'b0;
    end else begin
      case (state_q)
        StIdle: begin
          if (take_end)           state_q <= StJudge;
          else if (entry_valid_i && entry_i.tag == nic_mac_pkg::RxData) state_q <= producer != consumer ? StFetch : StDiscard;
        end
        StFetch:   if (sram_gnt_i) state_q <= StBuffer;
        StBuffer:  state_q <= StData;
        StData,
        StDiscard: if (take_end) state_q <= StJudge; else if (take_abort) state_q <= StIdle;
        StJudge:   state_q <= ending == EndGood ? StStatus : StIdle;
        StStatus:  if (sram_gnt_i) state_q <= StIdle;
        default:   state_q <= StIdle;
      endcase
      if (state_q == StIdle || take_abort || make_word) half_valid_q <= 1'b0;
      else if (take_data)                               half_valid_q <= 1'b1;
      if (keep_word)      word_valid_q <= 1'b1;
      else if (write_gnt) word_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StIdle && entry_valid_i) begin
      descriptor_addr_q <= entry_addr;
      no_buffer_q       <= producer == consumer;
      too_large_q       <= 1'b0;
    end else if (make_word && !keep_word) begin
      too_large_q <= 1'b1;
    end
    if (state_q == StBuffer) begin
      write_addr_q <= sram_rdata_i[31:3];
      room_words_q <= buffer_words_q;
    end else begin
      if (write_gnt) write_addr_q <= write_addr_q + 29'd1;
      if (keep_word) room_words_q <= room_words_q - 13'd1;
    end
    if (take_data && !half_valid_q) half_q <= entry_i.data;
    if (keep_word)                  word_q <= {flush_half ? 32'b0 : entry_i.data, half_q};
    if (take_end)                   end_q  <= entry_i.data[$bits(nic_mac_pkg::rx_end_t)-1:0];
  end

  // ---- Counters: each frame in one ------------------------------------------------------------
  // A frame that was lost in the crossing waits its turn, so that no two frames end in one clock.
  // It is counted in the clock of its event or probe, when it is known how it ended.

  logic [31:0] count_q [8];   // by ending_e
  logic [31:0] bytes_q, started_q;
  logic [3:0]  lost_q;
  ending_e     ending_q;
  logic        event_done_q, event_error_q, probe_drop_q;

  wire logic    judge_bad  = ending != EndGood;
  wire logic    count_lost = lost_q != '0 && !judge_bad && !finish;

  assign event_done_o  = event_done_q;
  assign event_error_o = event_error_q;
  assign probe_done_o  = event_done_q;
  assign probe_drop_o  = probe_drop_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int i = 0; i < 8; i++) count_q[i] <= '0;
      bytes_q       <= '0;
      started_q     <= '0;
      lost_q        <= '0;
      event_done_q  <= 1'b0;
      event_error_q <= 1'b0;
      probe_drop_q  <= 1'b0;
    end else begin
      event_done_q  <= finish;
      event_error_q <= count_lost || ending == EndOverflow;
      probe_drop_q  <= count_lost || judge_bad;

      if (started_add_i != '0)               started_q <= started_q + {28'b0, started_add_i};
      if (lost_add_i != '0 || count_lost)    lost_q <= lost_q + lost_add_i - {3'b0, count_lost};
      if (event_done_q)                      bytes_q <= bytes_q + {16'b0, end_q.bytes};
      if (event_done_q || probe_drop_q)      count_q[ending_q] <= count_q[ending_q] + 32'd1;
    end
    ending_q <= judge_bad ? ending : finish ? EndGood : EndOverflow;
  end

  logic [31:0] rdata_q;

  assign reg_rdata_o = rdata_q | ring_rdata;

  always_ff @(posedge clk_i) begin
    rdata_q <= '0;
    if (rst_ni && reg_read) begin
      case (offset)
        OffsetBufferBytes:  rdata_q <= {16'b0, buffer_words_q, 3'b0};
        OffsetMaxFrame:     rdata_q <= {16'b0, max_frame_bytes_q};
        OffsetFrames:       rdata_q <= count_q[EndGood];
        OffsetBytes:        rdata_q <= bytes_q;
        OffsetBadFcs:       rdata_q <= count_q[EndBadFcs];
        OffsetRunts:        rdata_q <= count_q[EndRunt];
        OffsetGiants:       rdata_q <= count_q[EndGiant];
        OffsetRxErrors:     rdata_q <= count_q[EndRxError];
        OffsetBadPreambles: rdata_q <= count_q[EndBadPreamble];
        OffsetNoBuffer:     rdata_q <= count_q[EndNoBuffer];
        OffsetOverflows:    rdata_q <= count_q[EndOverflow];
        OffsetStarted:      rdata_q <= started_q;
        default:            rdata_q <= '0;
      endcase
    end
  end

  // ---- Assertions ------------------------------------------------------------------

  wire logic [31:0] endings = count_q[EndGood] + count_q[EndBadFcs] + count_q[EndRunt] + count_q[EndGiant] +
                              count_q[EndRxError] + count_q[EndBadPreamble] + count_q[EndNoBuffer] + count_q[EndOverflow];
  logic counted_q;
  always_ff @(posedge clk_i) begin
    counted_q <= event_done_q || probe_drop_q;
    if (rst_ni && counted_q)                      NoFrameEndsTwice:              assert (started_q - endings < 32'h8000_0000);
    if (rst_ni && state_q == StBuffer)            AnswerComesTheClockAfterGrant: assert (sram_rvalid_i);
    if (rst_ni && take_abort)                     AbortFollowsData:              assert (state_q != StIdle);
    if (rst_ni && word_valid_q)                   WritesInsideTheSram:           assert (write_addr_q < 29'(SramBytes / 8));
  end

endmodule

`default_nettype wire
