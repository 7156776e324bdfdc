// Client of the master for host reads: turns a command into bursts, and dwords from the bus into
// 64-bit words.
//
// Handshake:  commands and beats as docs/interfaces.md says ("Host DMA"); one command at a time.
// Timing:     a word is checked one clock after its data phase and then goes into a FIFO of 64
//             words to the core. A burst starts when 16 words fit; it ends early when the FIFO
//             fills up.
// Errors:     the first error of a command replaces everything that follows by one beat with its
//             status.

`default_nettype none

module nic_pci_dma_read (
  input  wire logic                    clk_pci_i,
  input  wire logic                    rst_pci_ni,
  input  wire logic                    clk_core_i,
  input  wire logic                    rst_core_ni,

  // To the engine (core clock)
  input  wire logic                    dma_read_cmd_valid_i,
  output wire logic                    dma_read_cmd_ready_o,
  input  wire nic_pkg::dma_cmd_t       dma_read_cmd_i,
  output wire logic                    dma_read_beat_valid_o,
  input  wire logic                    dma_read_beat_ready_i,
  output wire nic_pkg::dma_read_beat_t dma_read_beat_o,

  // To the master (PCI clock)
  output wire nic_pci_pkg::burst_t     burst_o,
  output wire nic_pci_pkg::phase_t     phase_o,
  input  wire logic                    busy_i,           // a burst of this client is on the bus
  input  wire nic_pci_pkg::move_t      move_i,
  input  wire logic                    narrow_i,         // the target answered a request for 64
                                                         // bits with 32
  input  wire logic                    fail_i,           // the burst failed, for the reason
                                                         // fail_status_i
  input  wire nic_pkg::pci_status_e    fail_status_i,
  input  wire logic [63:0]             bus_ad_i,
  input  wire logic                    read_error_i,     // the phase of the previous clock had bad
                                                         // parity

  input  wire logic                    retry_i,          // the target answered a burst by retry
  input  wire logic                    stop_i,           // end the command, and those to come

  input  wire logic                    slot_64_i,
  input  wire logic                    cfg_bus_master_i,
  input  wire logic [15:0]             cfg_retry_limit_i,      // 0: none
  input  wire logic [7:0]              cfg_cache_line_dwords_i
);

  localparam int unsigned FifoLog2   = 6;
  localparam logic [FifoLog2:0] StartWords = 7'd16;   // a power of two is compared by an OR

  // ---- Command ------------------------------------------------------------------------

  wire logic              cmd_valid;
  wire nic_pkg::dma_cmd_t cmd;
  logic                   active_q, failed_q, narrow_q;
  nic_pkg::pci_status_e   status_q;

  wire logic load = cmd_valid && !active_q && !busy_i;

  /* verilator lint_off PINCONNECTEMPTY */  // the levels of the command FIFO are of no use
  nic_cdc_fifo #(.WidthBits($bits(nic_pkg::dma_cmd_t)), .DepthLog2(2)) u_cmd_fifo (
    .clk_in_i   (clk_core_i),
    .rst_in_ni  (rst_core_ni),
    .in_valid_i (dma_read_cmd_valid_i),
    .in_ready_o (dma_read_cmd_ready_o),
    .in_data_i  (dma_read_cmd_i),
    .in_free_o  (),
    .clk_out_i  (clk_pci_i),
    .rst_out_ni (rst_pci_ni),
    .out_valid_o(cmd_valid),
    .out_ready_i(load),
    .out_data_o (cmd),
    .out_used_o ()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // ---- What is left ---------------------------------------------------------------------

  wire logic [31:2] addr;
  wire logic [14:0] left_dwords;
  wire logic        left_none, left_single_word;
  wire logic        next_none, next_odd, next_single_wide, next_single_narrow;
  wire logic [7:0]  next_be_wide;
  wire logic [3:0]  next_be_narrow;

  /* verilator lint_off PINCONNECTEMPTY */  // left_words_o and next_word_o serve the write client
  nic_pci_range u_range (
    .clk_i               (clk_pci_i),
    .rst_ni              (rst_pci_ni),
    .load_i              (load),
    .cmd_i               (cmd),
    .move_i              (move_i),
    .addr_o              (addr),
    .left_dwords_o       (left_dwords),
    .left_words_o        (),
    .left_none_o         (left_none),
    .left_single_word_o  (left_single_word),
    .next_word_o         (),
    .next_none_o         (next_none),
    .next_odd_o          (next_odd),
    .next_be_wide_o      (next_be_wide),
    .next_be_narrow_o    (next_be_narrow),
    .next_single_wide_o  (next_single_wide),
    .next_single_narrow_o(next_single_narrow)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // ---- From dwords to checked words -------------------------------------------------------

  logic [63:0] word_q;
  logic        word_valid_d, word_valid_q, word_last_q, check_q;

  wire logic moved     = move_i.wide || move_i.narrow;
  assign word_valid_d  = moved && !failed_q && (move_i.wide || addr[2] || next_none);

  wire logic word_push  = word_valid_q && !failed_q && !read_error_i;
  wire logic error_push = failed_q && active_q && !busy_i && !word_valid_q;

  wire nic_pkg::dma_read_beat_t beat = '{
    data:   word_q,
    last:   error_push || word_last_q,
    status: error_push ? status_q : nic_pkg::PCI_OK
  };

  wire logic              beat_ready;
  wire logic [FifoLog2:0] beat_free;

  /* verilator lint_off PINCONNECTEMPTY */  // the core takes beats one by one and needs no level
  nic_cdc_fifo #(.WidthBits($bits(nic_pkg::dma_read_beat_t)), .DepthLog2(FifoLog2)) u_beat_fifo (
    .clk_in_i   (clk_pci_i),
    .rst_in_ni  (rst_pci_ni),
    .in_valid_i (word_push || error_push),
    .in_ready_o (beat_ready),
    .in_data_i  (beat),
    .in_free_o  (beat_free),
    .clk_out_i  (clk_core_i),
    .rst_out_ni (rst_core_ni),
    .out_valid_o(dma_read_beat_valid_o),
    .out_ready_i(dma_read_beat_ready_i),
    .out_data_o (dma_read_beat_o),
    .out_used_o ()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // ---- Ends before the last byte ----------------------------------------------------------

  logic [15:0] retries_q;      // in a row, since data moved
  wire logic   exhausted = cfg_retry_limit_i != '0 && retries_q >= cfg_retry_limit_i;
  wire logic   is_to_end = exhausted || stop_i;

  // ---- Bursts -----------------------------------------------------------------------------

  // Chosen only by the bytes that are left, so that a repetition has the same command.
  wire logic [14:0] line_dwords = 15'(cfg_cache_line_dwords_i);
  wire logic        line_known  = cfg_cache_line_dwords_i != 8'd0;
  wire logic [3:0]  command = line_known && left_dwords > line_dwords       ? nic_pci_pkg::CMD_MEMORY_READ_MULTIPLE :
                              line_known && left_dwords > line_dwords >> 1  ? nic_pci_pkg::CMD_MEMORY_READ_LINE :
                                                                              nic_pci_pkg::CMD_MEMORY_READ;

  // Room for the next phase and the one that FRAME# promises, beside two words that may be on their
  // way.
  wire logic room_for_four = beat_free >= 7'd4;
  wire logic must_end      = !room_for_four || failed_q || read_error_i || !cfg_bus_master_i || stop_i;

  assign burst_o = '{
    // Not before the last phase is checked: its error would end the command.
    want:    active_q && !failed_q && !check_q && cfg_bus_master_i && !left_none && !is_to_end
             && beat_free >= StartWords,
    addr:    addr,
    wide:    slot_64_i && !narrow_q && !left_single_word,
    command: command
  };

  assign phase_o = '{
    be_wide:     next_be_wide,
    be_narrow:   next_be_narrow,
    odd:         next_odd,
    last_wide:   next_single_wide || must_end,
    last_narrow: next_single_narrow || must_end,
    none:        next_none
  };

  // ---- Registers ----------------------------------------------------------------------------

  wire logic between = active_q && !failed_q && !busy_i && !check_q && !left_none;
  wire logic given_up = between && (is_to_end || !cfg_bus_master_i);
  wire nic_pkg::pci_status_e given_up_status = exhausted ? nic_pkg::PCI_RETRY_LIMIT :
                                               stop_i    ? nic_pkg::PCI_STOPPED : nic_pkg::PCI_DISABLED;

  always_ff @(posedge clk_pci_i) begin
    if (!rst_pci_ni) begin
      active_q     <= 1'b0;
      failed_q     <= 1'b0;
      narrow_q     <= 1'b0;
      status_q     <= nic_pkg::PCI_OK;
      word_valid_q <= 1'b0;
      check_q      <= 1'b0;
    end else begin
      word_valid_q <= word_valid_d;
      check_q      <= moved;

      if (load) active_q <= 1'b1;
      else if ((word_push && word_last_q) || (error_push && beat_ready)) active_q <= 1'b0;

      // The first error counts.
      if (load) begin
        failed_q <= 1'b0;
        narrow_q <= 1'b0;
      end else begin
        if (narrow_i) narrow_q <= 1'b1;
        if (active_q && !failed_q && (read_error_i || fail_i || given_up)) begin
          failed_q <= 1'b1;
          status_q <= read_error_i ? nic_pkg::PCI_PARITY_ERROR : fail_i ? fail_status_i : given_up_status;
        end
      end
    end
    if (load || moved)                   retries_q <= '0;
    else if (retry_i && retries_q != '1) retries_q <= retries_q + 16'd1;
    if (move_i.wide)                    word_q        <= bus_ad_i;
    else if (move_i.narrow && !addr[2]) word_q[31:0]  <= bus_ad_i[31:0];
    else if (move_i.narrow)             word_q[63:32] <= bus_ad_i[31:0];
    if (moved) word_last_q <= next_none;
  end

  // ---- Assertions -----------------------------------------------------------------------------

  always_ff @(posedge clk_pci_i) begin
    if (rst_pci_ni && word_push) RoomWasReserved:      assert (beat_ready);
    if (rst_pci_ni && moved)     MovesOnlyForACommand: assert (active_q || failed_q);
  end

endmodule

`default_nettype wire
