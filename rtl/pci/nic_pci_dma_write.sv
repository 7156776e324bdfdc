// Client of the master for host writes: takes 64-bit words from the core and offers them to the bus
// as bursts.
//
// Handshake:  commands, words and done as docs/interfaces.md says ("Host DMA"); one command at a
//             time.
// Timing:     a burst starts when 8 words, or all that are left, have crossed; it ends early when
//             the FIFO of 64 words runs dry. Done is given when the last phase is past the clock in
//             which PERR# could object to it.
// Errors:     after an error the words of the command that are still to come are taken and dropped,
//             then done reports.

`default_nettype none

module nic_pci_dma_write (
  input  wire logic                 clk_pci_i,
  input  wire logic                 rst_pci_ni,
  input  wire logic                 clk_core_i,
  input  wire logic                 rst_core_ni,

  // To the engine (core clock)
  input  wire logic                 dma_write_cmd_valid_i,
  output wire logic                 dma_write_cmd_ready_o,
  input  wire nic_pkg::dma_cmd_t    dma_write_cmd_i,
  input  wire logic                 dma_write_data_valid_i,
  output wire logic                 dma_write_data_ready_o,
  input  wire logic [63:0]          dma_write_data_i,
  output wire logic                 dma_write_done_valid_o,
  output wire nic_pkg::pci_status_e dma_write_done_status_o,

  // To the master (PCI clock)
  output wire nic_pci_pkg::burst_t  burst_o,
  output wire nic_pci_pkg::phase_t  phase_o,
  output wire logic [63:0]          phase_word_o,     // the 64-bit word of the phase that follows
                                                      // this clock's move
  input  wire logic                 busy_i,           // a burst of this client is on the bus
  input  wire nic_pci_pkg::move_t   move_i,
  input  wire logic                 narrow_i,         // the target answered a request for 64 bits
                                                      // with 32
  input  wire logic                 fail_i,           // the burst failed, for the reason
                                                      // fail_status_i
  input  wire nic_pkg::pci_status_e fail_status_i,
  input  wire logic                 write_error_i,    // PERR# objects to a phase two clocks ago

  input  wire logic                 retry_i,          // the target answered a burst by retry
  input  wire logic                 stop_i,           // end the command, and those to come

  input  wire logic                 slot_64_i,
  input  wire logic                 cfg_bus_master_i,
  input  wire logic [15:0]          cfg_retry_limit_i   // 0: none
);

  localparam int unsigned FifoLog2   = 6;
  localparam logic [14:0] StartWords = 15'd8;

  // ---- Command --------------------------------------------------------------------------

  wire logic              cmd_valid;
  wire nic_pkg::dma_cmd_t cmd;
  logic                   active_q, failed_q, narrow_q;
  nic_pkg::pci_status_e   status_q;

  wire logic load = cmd_valid && !active_q;

  /* verilator lint_off PINCONNECTEMPTY */  // the levels of the command FIFO are of no use
  nic_cdc_fifo #(.WidthBits($bits(nic_pkg::dma_cmd_t)), .DepthLog2(2)) u_cmd_fifo (
    .clk_in_i   (clk_core_i),
    .rst_in_ni  (rst_core_ni),
    .in_valid_i (dma_write_cmd_valid_i),
    .in_ready_o (dma_write_cmd_ready_o),
    .in_data_i  (dma_write_cmd_i),
    .in_free_o  (),
    .clk_out_i  (clk_pci_i),
    .rst_out_ni (rst_pci_ni),
    .out_valid_o(cmd_valid),
    .out_ready_i(load),
    .out_data_o (cmd),
    .out_used_o ()
  );

  // ---- Words from the core ----------------------------------------------------------------

  wire logic              fifo_valid, fifo_take;
  wire logic [63:0]       fifo_word;
  wire logic [FifoLog2:0] fifo_used;

  nic_cdc_fifo #(.WidthBits(64), .DepthLog2(FifoLog2)) u_word_fifo (
    .clk_in_i   (clk_core_i),
    .rst_in_ni  (rst_core_ni),
    .in_valid_i (dma_write_data_valid_i),
    .in_ready_o (dma_write_data_ready_o),
    .in_data_i  (dma_write_data_i),
    .in_free_o  (),
    .clk_out_i  (clk_pci_i),
    .rst_out_ni (rst_pci_ni),
    .out_valid_o(fifo_valid),
    .out_ready_i(fifo_take),
    .out_data_o (fifo_word),
    .out_used_o (fifo_used)
  );

  // ---- Done, back to the core ---------------------------------------------------------------

  wire logic       done, done_ready;
  wire logic [2:0] done_status;

  nic_cdc_fifo #(.WidthBits(3), .DepthLog2(2)) u_done_fifo (
    .clk_in_i   (clk_pci_i),
    .rst_in_ni  (rst_pci_ni),
    .in_valid_i (done),
    .in_ready_o (done_ready),
    .in_data_i  (status_q),
    .in_free_o  (),
    .clk_out_i  (clk_core_i),
    .rst_out_ni (rst_core_ni),
    .out_valid_o(dma_write_done_valid_o),
    .out_ready_i(1'b1),
    .out_data_o (done_status),
    .out_used_o ()
  );
  assign dma_write_done_status_o = nic_pkg::pci_status_e'(done_status);

  // ---- What is left -----------------------------------------------------------------------

  wire logic [31:2] addr;
  wire logic [14:0] left_words;
  wire logic        left_none, left_single_word;
  wire logic        next_word, next_none, next_odd, next_single_wide, next_single_narrow;
  wire logic [7:0]  next_be_wide;
  wire logic [3:0]  next_be_narrow;

  // After an error whole words are dropped as if they had moved.
  logic                   word_valid_q;
  wire logic              drain = failed_q && !busy_i && word_valid_q && !left_none;
  wire nic_pci_pkg::move_t move = '{wide: move_i.wide || drain, narrow: move_i.narrow};

  nic_pci_range u_range (
    .clk_i               (clk_pci_i),
    .rst_ni              (rst_pci_ni),
    .load_i              (load),
    .cmd_i               (cmd),
    .move_i              (move),
    .addr_o              (addr),
    .left_dwords_o       (),
    .left_words_o        (left_words),
    .left_none_o         (left_none),
    .left_single_word_o  (left_single_word),
    .next_word_o         (next_word),
    .next_none_o         (next_none),
    .next_odd_o          (next_odd),
    .next_be_wide_o      (next_be_wide),
    .next_be_narrow_o    (next_be_narrow),
    .next_single_wide_o  (next_single_wide),
    .next_single_narrow_o(next_single_narrow)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // ---- The word on the bus ------------------------------------------------------------------

  // It stays here until its last byte has moved, through any number of retries; the FIFO shows the
  // word after it.
  logic [63:0] word_q;

  assign fifo_take = fifo_valid && active_q && !next_none && (!word_valid_q || next_word);

  assign phase_word_o = next_word ? fifo_word : word_q;

  // ---- Bursts -------------------------------------------------------------------------------

  // FRAME# promises one more phase than the one that is presented, so its word must be here
  // already: in the FIFO, or, if 32 bits wide, in the upper half of the same word.
  wire logic follower = fifo_take ? fifo_used >= 7'd2 : fifo_used != '0;
  wire logic must_end = failed_q || write_error_i || !cfg_bus_master_i || stop_i;

  logic [15:0] retries_q;      // in a row, since data moved
  wire logic   exhausted = cfg_retry_limit_i != '0 && retries_q >= cfg_retry_limit_i;
  wire logic   is_to_end = exhausted || stop_i;

  // Words in the FIFO, beside the one on the bus, that a burst starts with. A register: what is
  // left grows only when a command is loaded, two clocks before its first word is on the bus.
  logic [2:0] start_used_q;

  assign burst_o = '{
    want:    active_q && !failed_q && !write_error_i && cfg_bus_master_i && word_valid_q && !is_to_end
             && fifo_used >= 7'(start_used_q),
    addr:    addr,
    wide:    slot_64_i && !narrow_q && !left_single_word,
    command: nic_pci_pkg::CMD_MEMORY_WRITE
  };

  assign phase_o = '{
    be_wide:     next_be_wide,
    be_narrow:   next_be_narrow,
    odd:         next_odd,
    last_wide:   next_single_wide || must_end || !follower,
    last_narrow: next_single_narrow || must_end || (next_odd && !follower),
    none:        next_none
  };

  // ---- Registers ------------------------------------------------------------------------------

  logic [1:0] settle_q;    // clocks until PERR# has spoken about the last phase
  wire logic  given_up = active_q && !failed_q && !busy_i && !left_none && (is_to_end || !cfg_bus_master_i);
  wire nic_pkg::pci_status_e given_up_status = exhausted ? nic_pkg::PCI_RETRY_LIMIT :
                                               stop_i    ? nic_pkg::PCI_STOPPED : nic_pkg::PCI_DISABLED;

  assign done = active_q && !busy_i && left_none && settle_q == 2'd0;

  always_ff @(posedge clk_pci_i) begin
    if (!rst_pci_ni) begin
      active_q     <= 1'b0;
      failed_q     <= 1'b0;
      narrow_q     <= 1'b0;
      status_q     <= nic_pkg::PCI_OK;
      word_valid_q <= 1'b0;
      settle_q     <= '0;
    end else begin
      word_valid_q <= fifo_take || (word_valid_q && !next_word);

      if (move.wide || move.narrow) settle_q <= 2'd2;
      else if (settle_q != 2'd0)    settle_q <= settle_q - 2'd1;

      if (load)                    active_q <= 1'b1;
      else if (done && done_ready) active_q <= 1'b0;

      // The first error counts.
      if (load) begin
        failed_q <= 1'b0;
        narrow_q <= 1'b0;
        status_q <= nic_pkg::PCI_OK;
      end else begin
        if (narrow_i) narrow_q <= 1'b1;
        if (active_q && !failed_q && (write_error_i || fail_i || given_up)) begin
          failed_q <= 1'b1;
          status_q <= write_error_i ? nic_pkg::PCI_PARITY_ERROR : fail_i ? fail_status_i : given_up_status;
        end
      end
    end
    if (load || move_i.wide || move_i.narrow) retries_q <= '0;
    else if (retry_i && retries_q != '1)      retries_q <= retries_q + 16'd1;
    if (fifo_take) word_q <= fifo_word;
    if (active_q)  start_used_q <= 3'((left_words < StartWords ? left_words : StartWords) - 15'd1);
  end

  // ---- Assertions -------------------------------------------------------------------------------

  always_ff @(posedge clk_pci_i) begin
    if (rst_pci_ni && (move.wide || move.narrow)) MovesOnlyAWordThatIsHere: assert (word_valid_q);
    if (rst_pci_ni && drain)                      DrainsOnlyWithoutTheBus:  assert (!move_i.wide && !move_i.narrow);
  end

endmodule

`default_nettype wire
