// The descriptor side of a host DMA engine: fetches descriptors in ring order, checks them, gives
// them to the mover and to the PCI master, writes their status, advances CONSUMER and raises
// events. Both engines have one.
//
// One descriptor: load -> move (skipped for length 0 and for refused ranges) -> status word ->
// CONSUMER and events together. The next descriptor is fetched meanwhile. It is dropped, to be
// fetched again, when the engine is disabled or halts, so that software may change descriptors that
// have not begun.
//
// Read ahead:   a descriptor may ask the PCI master for bytes behind its own. Then the next
//               descriptors that move data begin where it ended, and have no command of their own,
//               until these bytes are used up or an error ends the command. The software that
//               writes descriptors must keep this rule; assertions watch it.
//
// Overlap:      with Overlaps, the move of the next descriptor begins when the mover has given all
//               of this one to the PCI master, which has yet to report its end. Status, CONSUMER
//               and pulses keep their order. A move that has begun is completed, even if the engine
//               is disabled or halts; then its status waits for the resumption.
//
// Reset:        CONTROL.reset stops the engine, whatever its descriptors wait for. The PCI master
//               ends its commands (stop_o, answered by stop_ack_i), the descriptors that have begun
//               end with a status as after an error, and the mover throws away what was read ahead
//               (drain_o). When nothing is left the registers of the ring get their reset values.
//               CONTROL.reset reads 1 until the PCI master has seen that stop_o is low again, so no
//               command of the time after is ended by it.
//
// To the mover: move_start_o for one clock; move_o holds from there until the mover answers with
//               move_done_i for one clock, with the status, when the last byte is where it belongs.
//               cmd_valid_o rises with move_start_o.
// Timing:       four clocks from the register write of PRODUCER to load; move_start_o and
//               cmd_valid_o the clock after.

`default_nettype none

module nic_dma_ring #(
  parameter int unsigned SramBytes = 524288,
  parameter bit          ReadsAhead = 1'b0,    // the field AHEAD counts
  parameter bit          Overlaps   = 1'b0     // a move begins before the one before it is reported
) (
  input  wire logic                               clk_i,
  input  wire logic                               rst_ni,

  // Register slave
  input  wire logic                               reg_sel_i,
  input  wire nic_pkg::reg_req_t                  reg_req_i,
  output wire logic [31:0]                        reg_rdata_o,

  // Descriptor fetch: reads on the SRAM port
  output wire logic                               fetch_req_o,
  output wire logic [nic_pkg::SRAM_ADDR_BITS-1:3] fetch_addr_o,
  input  wire logic                               fetch_gnt_i,
  input  wire logic                               fetch_rvalid_i,
  input  wire logic [63:0]                        sram_rdata_i,

  // Status write: bytes 4 to 7 of a word on the SRAM port
  output wire logic                               status_req_o,
  output wire logic [nic_pkg::SRAM_ADDR_BITS-1:3] status_addr_o,
  output wire logic [31:0]                        status_wdata_o,
  input  wire logic                               status_gnt_i,

  // Reset of the engine
  output wire logic                               stop_o,          // the PCI master ends every
                                                                   // command that it has or gets
  input  wire logic                               stop_ack_i,      // the PCI master has seen stop_o;
                                                                   // in this clock domain
  output wire logic                               drain_o,         // the mover throws away the
                                                                   // beats that still come
  input  wire logic                               drained_i,       // none will come

  // Mover
  output wire logic                               move_start_o,
  output wire nic_dma_pkg::move_t                 move_o,
  input  wire logic                               move_given_i,    // one clock: the PCI master has
                                                                   // all words of the move; before
                                                                   // move_done_i
  input  wire logic                               move_done_i,
  input  wire nic_pkg::pci_status_e               move_status_i,

  // Command to the PCI master: holds until ready
  output wire logic                               cmd_valid_o,
  input  wire logic                               cmd_ready_i,
  output wire nic_pkg::dma_cmd_t                  cmd_o,

  // One-clock pulses
  output wire logic                               event_done_o,    // a descriptor with flag EVENT
                                                                   // is complete
  output wire logic                               event_error_o,   // halted
  output wire logic                               assist_o,        // a descriptor with flag ASSIST
                                                                   // is complete without error
  output wire logic                               probe_start_o,   // a descriptor is begun
  output wire logic                               probe_moved_o,   // its last byte is where it
                                                                   // belongs
  output wire logic                               probe_done_o     // its status is written
);

  typedef logic [nic_pkg::SRAM_ADDR_BITS-1:3] word_addr_t;

  typedef enum logic [1:0] {
    FeIdle,     // no request, or the first half is requested in this clock
    FeFirst,    // the first half waits for its grant
    FeSecond,   // the first half arrives; the second is requested
    FeLast      // the second half arrives
  } fetch_e;

  typedef enum logic [1:0] {
    StIdle,
    StMove,
    StStatus
  } state_e;

  typedef enum logic [1:0] {
    ReNone = 2'b00,
    ReStop = 2'b01,   // commands and descriptors come to their ends
    ReGo   = 2'b10    // the PCI master has yet to see that it may go on
  } reset_e;

  // ---- Registers and indices --------------------------------------------------------

  localparam logic [6:2] OffsetControl     = nic_regs_pkg::DMA_READ_CONTROL[6:2];
  localparam logic [6:2] OffsetStatus      = nic_regs_pkg::DMA_READ_STATUS[6:2];
  localparam logic [6:2] OffsetResume      = nic_regs_pkg::DMA_READ_RESUME[6:2];
  localparam logic [6:2] OffsetDescriptors = nic_regs_pkg::DMA_READ_DESCRIPTORS[6:2];
  localparam logic [6:2] OffsetBytes       = nic_regs_pkg::DMA_READ_BYTES[6:2];
  localparam logic [6:2] OffsetErrors      = nic_regs_pkg::DMA_READ_ERRORS[6:2];
  localparam logic [6:2] OffsetRefused     = nic_regs_pkg::DMA_READ_REFUSED[6:2];
  localparam logic [6:2] OffsetAhead       = nic_regs_pkg::DMA_READ_AHEAD[6:2];

  wire logic       reg_write = reg_sel_i && reg_req_i.we && reg_req_i.be == 4'hF;
  wire logic       reg_read  = reg_sel_i && !reg_req_i.we;
  wire logic [6:2] offset    = reg_req_i.addr[6:2];
  wire logic       resume    = reg_write && offset == OffsetResume;
  wire logic unused_reg_req  = &{1'b0, reg_req_i.addr[nic_pkg::REG_ADDR_BITS-1:7], reg_req_i.addr[1:0], reg_req_i.from_host};

  wire logic       reset_asked = reg_write && offset == OffsetControl && reg_req_i.wdata[1];

  state_e      state_q;
  reset_e      reset_q;
  logic        clear;
  logic        begun_q;        // the next descriptor moves
  fetch_e      fetch_q;
  logic        halted_q;
  logic        enable;
  logic [15:0] producer, consumer;
  logic [31:0] ring_rdata;
  word_addr_t  entry_addr;
  logic        finish;

  // If an entry is in work, it is the entry at CONSUMER.
  wire logic [15:0] fetch_index = consumer + 16'(state_q != StIdle);

  nic_ring #(
    .SramBytes  (SramBytes),
    .EntryWords (2),
    .ResetLog2  (int'(nic_regs_pkg::DMA_READ_RING_LOG2_RESET))
  ) u_ring (
    .clk_i,
    .rst_ni,
    .write_i         (reg_write),
    .read_i          (reg_read),
    .offset_i        ({1'b0, offset}),
    .wdata_i         (reg_req_i.wdata),
    .rdata_o         (ring_rdata),
    .clear_i         (clear),
    .enable_o        (enable),
    .producer_o      (producer),
    .consumer_o      (consumer),
    .idle_i          (state_q == StIdle && fetch_q == FeIdle && !begun_q),
    .consume_i       (finish),
    .produce_count_i ('0),
    .index_i         (fetch_index[7:0]),
    .entry_addr_o    (entry_addr)
  );

  // ---- Fetch of the next descriptor -------------------------------------------------

  logic        next_valid_q, stale_q;
  word_addr_t  next_entry_q;
  logic [31:0] next_host_addr_q, next_sram_addr_q;
  logic [15:0] next_len_bytes_q;
  logic [13:0] next_ahead_bytes_q;
  logic [15:0] next_cmd_bytes_q;
  logic        next_event_q, next_assist_q;
  logic        next_empty_q, next_refuse_q;   // decided when the second half arrives

  wire logic        may_begin   = enable && !halted_q && reset_q == ReNone;
  wire logic        fetch_start = fetch_q == FeIdle && may_begin && !next_valid_q && fetch_index != producer;

  assign fetch_req_o  = fetch_start || fetch_q == FeFirst || fetch_q == FeSecond;
  assign fetch_addr_o = fetch_q == FeIdle ? entry_addr : next_entry_q | word_addr_t'(fetch_q == FeSecond);

  // ---- The descriptor that is worked on ------------------------------------------------

  nic_dma_pkg::move_t move_q;
  word_addr_t         entry_q;
  logic               event_q, assist_q;
  logic [2:0]         status_q;
  logic [15:0]        cmd_bytes_q;
  logic [15:0]        len_bytes_q;
  logic               given_q;                // the mover has given all words of the move that it
                                              // began last
  logic               begun_done_q;           // the move that has begun is reported, with this
                                              // status
  nic_pkg::pci_status_e begun_status_q;
  logic [13:0]        ahead_bytes_q;          // bytes that the command requested and no descriptor
                                              // has used
  logic               move_start_q, cmd_valid_q;
  logic               event_done_q, event_error_q, assist_pulse_q, probe_start_q, probe_moved_q, probe_done_q;

  // What has begun ends in a reset too.
  wire logic load  = state_q == StIdle && next_valid_q && (begun_q ? !halted_q || reset_q == ReStop : may_begin);
  wire logic moves = !next_empty_q && !next_refuse_q;
  wire logic early = Overlaps && state_q == StMove && given_q && !cmd_valid_q && next_valid_q && may_begin && moves && !begun_q;
  wire logic start = early || (load && moves && !begun_q);

  wire logic done_of_begun = move_done_i && state_q != StMove;
  // the loaded descriptor continues where the previous one ended
  wire logic is_continued = ahead_bytes_q != '0;

  wire logic is_idle = state_q == StIdle && fetch_q == FeIdle && !begun_q && !cmd_valid_q && drained_i;
  assign clear       = reset_q == ReStop && is_idle && stop_ack_i;

  assign stop_o  = reset_q[0];         // a bit of the register: it goes to another clock
  assign drain_o = reset_q == ReStop && state_q == StIdle;

  // In the second half.
  wire logic [15:0] len_bytes   = sram_rdata_i[15:0];
  wire logic [13:0] ahead_bytes = ReadsAhead ? sram_rdata_i[31:18] : '0;
  wire logic [16:0] cmd_bytes   = {1'b0, len_bytes} + {3'b0, ahead_bytes};

  assign finish = state_q == StStatus && status_gnt_i;

  logic failed;
  always_comb begin
    failed = 1'b0;
    if (finish) failed = status_q != nic_pkg::PCI_OK && status_q != nic_dma_pkg::STATUS_REFUSED;
  end

  assign status_req_o   = state_q == StStatus;
  assign status_addr_o  = entry_q | word_addr_t'(1);
  assign status_wdata_o = {1'b1, 28'b0, status_q};

  assign move_start_o = move_start_q;
  assign move_o       = move_q;
  assign cmd_valid_o  = cmd_valid_q;
  assign cmd_o        = '{addr: move_q.host_addr, len_bytes: cmd_bytes_q};

  assign event_done_o  = event_done_q;
  assign event_error_o = event_error_q;
  assign assist_o      = assist_pulse_q;
  assign probe_start_o = probe_start_q;
  assign probe_moved_o = probe_moved_q;
  assign probe_done_o  = probe_done_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q        <= StIdle;
      reset_q        <= ReNone;
      fetch_q        <= FeIdle;
      next_valid_q   <= 1'b0;
      stale_q        <= 1'b0;
      halted_q       <= 1'b0;
      move_start_q   <= 1'b0;
      cmd_valid_q    <= 1'b0;
      begun_q        <= 1'b0;
      begun_done_q   <= 1'b0;
      given_q        <= 1'b0;
      ahead_bytes_q  <= '0;
      event_done_q   <= 1'b0;
      event_error_q  <= 1'b0;
      assist_pulse_q <= 1'b0;
      probe_start_q  <= 1'b0;
      probe_moved_q  <= 1'b0;
      probe_done_q   <= 1'b0;
    end else begin
      case (state_q)
        StIdle:   if (load) state_q <= moves && !begun_done_q && !done_of_begun ? StMove : StStatus;
        StMove:   if (move_done_i) state_q <= StStatus;
        StStatus: if (status_gnt_i) state_q <= StIdle;
        default:  state_q <= StIdle;
      endcase
      case (reset_q)
        ReNone:  if (reset_asked) reset_q <= ReStop;
        ReStop:  if (clear) reset_q <= ReGo;
        ReGo:    if (!stop_ack_i) reset_q <= ReNone;
        default: reset_q <= ReNone;
      endcase
      case (fetch_q)
        FeIdle:   if (fetch_start) fetch_q <= fetch_gnt_i ? FeSecond : FeFirst;
        FeFirst:  if (fetch_gnt_i) fetch_q <= FeSecond;
        FeSecond: if (fetch_gnt_i) fetch_q <= FeLast;
        FeLast:   fetch_q <= FeIdle;
      endcase

      // A fetch that began before a halt or a stop is not used, even if it ends after the
      // resumption.
      if (fetch_q == FeLast)                    stale_q <= 1'b0;
      else if (fetch_q != FeIdle && !may_begin) stale_q <= 1'b1;
      if (fetch_q == FeLast)       next_valid_q <= may_begin && !stale_q;
      else if (load || (!may_begin && !begun_q)) next_valid_q <= 1'b0;

      if (early)     begun_q <= 1'b1;
      else if (load) begun_q <= 1'b0;
      if (load)               begun_done_q <= 1'b0;
      else if (done_of_begun) begun_done_q <= 1'b1;

      move_start_q <= start;
      if (start)             given_q <= 1'b0;
      else if (move_given_i) given_q <= 1'b1;
      if (start)            cmd_valid_q <= !is_continued;
      else if (cmd_ready_i) cmd_valid_q <= 1'b0;

      if (start) begin
        ahead_bytes_q <= is_continued ? ahead_bytes_q - next_len_bytes_q[13:0] : next_ahead_bytes_q;
      end else if (clear || (state_q == StMove && move_done_i && move_status_i != nic_pkg::PCI_OK)) begin
        ahead_bytes_q <= '0;
      end

      if (failed)               halted_q <= 1'b1;
      else if (resume || clear) halted_q <= 1'b0;

      event_done_q   <= finish && event_q;
      event_error_q  <= failed;
      assist_pulse_q <= finish && assist_q && status_q == nic_pkg::PCI_OK;
      probe_start_q  <= early || (load && !begun_q);
      probe_moved_q  <= (load && !moves) || move_done_i;
      probe_done_q   <= finish;
    end
  end

  always_ff @(posedge clk_i) begin
    if (fetch_start) next_entry_q <= entry_addr;
    if (fetch_rvalid_i && fetch_q == FeSecond) {next_sram_addr_q, next_host_addr_q} <= sram_rdata_i;
    if (fetch_rvalid_i && fetch_q == FeLast) begin
      next_len_bytes_q   <= len_bytes;
      next_ahead_bytes_q <= ahead_bytes;
      next_cmd_bytes_q   <= cmd_bytes[15:0];
      next_empty_q       <= len_bytes == '0;
      next_refuse_q      <= len_bytes != '0
                            && ({1'b0, next_sram_addr_q} + {17'b0, len_bytes} > 33'(SramBytes) || cmd_bytes[16]);
      next_event_q     <= sram_rdata_i[16];
      next_assist_q    <= sram_rdata_i[17];
    end
    if (start) begin
      move_q   <= '{host_addr: next_host_addr_q, sram_addr: next_sram_addr_q[nic_pkg::SRAM_ADDR_BITS-1:0],
                    len_bytes: next_len_bytes_q};
      cmd_bytes_q <= next_cmd_bytes_q;
    end
    if (done_of_begun) begun_status_q <= move_status_i;
    if (load) begin
      len_bytes_q <= next_len_bytes_q;
      entry_q  <= next_entry_q;
      event_q  <= next_event_q;
      assist_q <= next_assist_q;
      status_q <= next_refuse_q ? nic_dma_pkg::STATUS_REFUSED :
                  begun_done_q  ? begun_status_q :
                  done_of_begun ? move_status_i : nic_pkg::PCI_OK;
    end
    if (state_q == StMove && move_done_i) status_q <= move_status_i;
  end

  // ---- Status and counters -----------------------------------------------------------

  logic [2:0]  error_q;
  logic [31:0] descriptors_q, bytes_q, errors_q, refused_q;
  logic [31:0] rdata_q;

  assign reg_rdata_o = rdata_q | ring_rdata;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      error_q       <= '0;
      descriptors_q <= '0;
      bytes_q       <= '0;
      errors_q      <= '0;
      refused_q     <= '0;
    end else if (clear) begin
      error_q <= '0;
    end else if (finish) begin
      descriptors_q <= descriptors_q + 32'd1;
      if (status_q == nic_pkg::PCI_OK)               bytes_q   <= bytes_q + {16'b0, len_bytes_q};
      if (status_q == nic_dma_pkg::STATUS_REFUSED)   refused_q <= refused_q + 32'd1;
      if (failed) begin
        errors_q <= errors_q + 32'd1;
        error_q  <= status_q;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    rdata_q <= '0;
    if (rst_ni && reg_read) begin
      case (offset)
        OffsetControl:     rdata_q <= {30'b0, reset_q != ReNone, 1'b0};
        OffsetStatus:      rdata_q <= {25'b0, error_q, 2'b0, halted_q, state_q != StIdle || fetch_q != FeIdle || begun_q};
        OffsetDescriptors: rdata_q <= descriptors_q;
        OffsetBytes:       rdata_q <= bytes_q;
        OffsetErrors:      rdata_q <= errors_q;
        OffsetRefused:     rdata_q <= refused_q;
        OffsetAhead:       rdata_q <= {18'b0, ahead_bytes_q};
        default:           rdata_q <= '0;
      endcase
    end
  end

  // ---- Assertions ------------------------------------------------------------------

  logic [31:0] moved_to_q;     // the end of the last descriptor that moved data

  always_ff @(posedge clk_i) begin
    if (rst_ni && move_done_i) begin
      MoverAnswersOnlyWhenAsked: assert (state_q == StMove || (begun_q && !begun_done_q));
      CommandTakenBeforeTheEnd:  assert (!cmd_valid_q || (begun_q && state_q == StMove));
    end
    if (start) moved_to_q <= next_host_addr_q + 32'(next_len_bytes_q);
    if (rst_ni && start && is_continued) begin
      ContinuesWhereItEnded: assert (next_host_addr_q == moved_to_q && next_host_addr_q[2:0] == '0);
      TakesNoMoreThanAsked:  assert (next_len_bytes_q <= 16'(ahead_bytes_q));
    end
    if (rst_ni && load && next_refuse_q) NoneRefusedReadAhead: assert (!is_continued);
    if (rst_ni && clear) NothingIsLeftBehind: assert (!move_done_i && !cmd_valid_o && !next_valid_q);
    if (rst_ni && fetch_q == FeLast) AnswerComesTheClockAfterGrant: assert (fetch_rvalid_i);
  end

endmodule

`default_nettype wire
