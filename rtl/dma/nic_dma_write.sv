// Host-write DMA engine: moves bytes of the SRAM into host memory by the descriptors of its ring.
//
// Order:      ring order. A descriptor's words go to the PCI master from the first to the last,
//             possibly ahead of the command; when the master reports the end, the status is
//             written, then CONSUMER advances, then the pulses. The words of the next descriptor,
//             and its command, follow before that report.
// Timing:     docs/dma.md. One 64-bit word per clock while the SRAM grants and the PCI master
//             takes.
// Paths:      no input reaches an output in the same clock.

`default_nettype none

module nic_dma_write #(
  parameter int unsigned SramBytes = 524288
) (
  input  wire logic                     clk_i,
  input  wire logic                     rst_ni,

  // Register slave, 128 bytes: DMA_WRITE
  input  wire logic                     reg_sel_i,
  input  wire nic_pkg::reg_req_t        reg_req_i,
  output wire logic [31:0]              reg_rdata_o,

  // SRAM port
  output wire logic                     sram_req_o,
  output wire nic_pkg::sram_req_t       sram_o,
  input  wire logic                     sram_gnt_i,
  input  wire logic                     sram_rvalid_i,
  input  wire logic [63:0]              sram_rdata_i,

  // PCI master: one command, its words, then done
  output wire logic                     cmd_valid_o,
  input  wire logic                     cmd_ready_i,
  output wire nic_pkg::dma_cmd_t        cmd_o,
  output wire logic                     data_valid_o,
  input  wire logic                     data_ready_i,
  output wire logic [63:0]              data_o,
  input  wire logic                     done_valid_i,
  input  wire nic_pkg::pci_status_e     done_status_i,

  // Reset of the engine: the PCI master ends every command that it has or gets
  output wire logic                     stop_o,
  input  wire logic                     stop_ack_i,      // the PCI master has seen stop_o

  // One-clock pulses
  output wire logic                     event_done_o,
  output wire logic                     event_error_o,
  output wire logic                     probe_start_o,
  output wire logic                     probe_done_o     // last byte accepted by the host
);

  typedef logic [nic_pkg::SRAM_ADDR_BITS-1:3] word_addr_t;

  // ---- Descriptors ----------------------------------------------------------------

  logic               fetch_req, fetch_gnt, fetch_rvalid;
  logic               status_req, status_gnt;
  word_addr_t         fetch_addr, status_addr;
  logic [31:0]        status_wdata;
  logic               move_start, given;
  nic_dma_pkg::move_t move;
  logic               unused_assist, unused_probe_done, unused_drain;

  nic_dma_ring #(
    .SramBytes (SramBytes),
    .Overlaps  (1'b1)
  ) u_ring (
    .clk_i,
    .rst_ni,
    .reg_sel_i,
    .reg_req_i,
    .reg_rdata_o,
    .fetch_req_o    (fetch_req),
    .fetch_addr_o   (fetch_addr),
    .fetch_gnt_i    (fetch_gnt),
    .fetch_rvalid_i (fetch_rvalid),
    .sram_rdata_i,
    .status_req_o   (status_req),
    .status_addr_o  (status_addr),
    .status_wdata_o (status_wdata),
    .status_gnt_i   (status_gnt),
    .stop_o,
    .stop_ack_i,
    .drain_o        (unused_drain),
    .drained_i      (1'b1),          // every word of a move is given, and every move reported
    .move_start_o   (move_start),
    .move_o         (move),
    .move_given_i   (given),
    .move_done_i    (done_valid_i),
    .move_status_i  (done_status_i),
    .cmd_valid_o,
    .cmd_ready_i,
    .cmd_o,
    .event_done_o,
    .event_error_o,
    .assist_o       (unused_assist),
    .probe_start_o,
    .probe_moved_o  (probe_done_o),
    .probe_done_o   (unused_probe_done)
  );

  // ---- Words out of SRAM ---------------------------------------------------------------- A read
  // is requested only when the queue certainly has room for its answer, including the answer of the
  // previous clock.

  logic [13:0] read_left_q;
  word_addr_t  read_addr_q;
  logic        data_gnt, data_rvalid;
  logic [2:0]  queue_free;
  logic        queue_valid, queue_ready;
  logic [63:0] queue_data;

  wire logic read_req   = read_left_q != '0 && queue_free > {2'b0, data_rvalid};
  // The status goes before words of the next descriptor, but not in place of one that waits for its
  // grant.
  logic      read_waits_q;
  wire logic select_status = status_req && !read_waits_q;
  wire logic read_gnt   = data_gnt && !select_status;
  assign     status_gnt = data_gnt && select_status;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) read_waits_q <= 1'b0;
    else         read_waits_q <= read_req && !select_status && !data_gnt;
    if (!rst_ni)         read_left_q <= '0;
    else if (move_start) read_left_q <= nic_dma_pkg::words_spanned(move.sram_addr[2:0], move.len_bytes);
    else if (read_gnt)   read_left_q <= read_left_q - 14'd1;
    if (move_start)      read_addr_q <= move.sram_addr[nic_pkg::SRAM_ADDR_BITS-1:3];
    else if (read_gnt)   read_addr_q <= read_addr_q + word_addr_t'(1);
  end

  nic_word_queue #(
    .DepthLog2 (2)
  ) u_queue (
    .clk_i,
    .rst_ni,
    .put_i   (data_rvalid),
    .data_i  (sram_rdata_i),
    .free_o  (queue_free),
    .valid_o (queue_valid),
    .ready_i (queue_ready),
    .data_o  (queue_data)
  );

  logic [7:0] unused_be;
  logic       data_last, unused_in_last;
  assign      given = data_valid_o && data_ready_i && data_last;

  nic_dma_align u_align (
    .clk_i,
    .rst_ni,
    .start_i      (move_start),
    .in_offset_i  (move.sram_addr[2:0]),
    .out_offset_i (move.host_addr[2:0]),
    .len_bytes_i  (move.len_bytes),
    .in_valid_i   (queue_valid),
    .in_ready_o   (queue_ready),
    .in_data_i    (queue_data),
    .in_last_o    (unused_in_last),
    .out_valid_o  (data_valid_o),
    .out_ready_i  (data_ready_i),
    .out_data_o   (data_o),
    .out_be_o     (unused_be),
    .out_last_o   (data_last)
  );

  // ---- The SRAM port: descriptors, and data or status ------------------------------------

  logic select_data;

  nic_sram_share u_share (
    .clk_i,
    .rst_ni,
    .a_req_i    (fetch_req),
    .a_gnt_o    (fetch_gnt),
    .a_rvalid_o (fetch_rvalid),
    .b_req_i    (read_req || status_req),
    .b_gnt_o    (data_gnt),
    .b_rvalid_o (data_rvalid),
    .req_o      (sram_req_o),
    .select_b_o (select_data),
    .gnt_i      (sram_gnt_i),
    .rvalid_i   (sram_rvalid_i)
  );

  assign sram_o = '{
    addr:  !select_data ? fetch_addr : select_status ? status_addr : read_addr_q,
    we:    select_data && select_status,
    be:    8'hF0,
    wdata: {status_wdata, 32'b0}
  };

  // ---- Assertions ------------------------------------------------------------------

  logic [1:0] unreported_q;     // moves whose words were all taken, and whose end was not reported

  always_ff @(posedge clk_i) begin
    if (!rst_ni) unreported_q <= '0;
    else         unreported_q <= unreported_q + 2'(given) - 2'(done_valid_i);
    if (rst_ni && done_valid_i) AllWordsWereTaken: assert (unreported_q != '0);
  end

endmodule

`default_nettype wire
