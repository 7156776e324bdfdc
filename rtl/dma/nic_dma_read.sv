// Host-read DMA engine: moves bytes of host memory into the SRAM by the descriptors of its ring.
//
// Order:      ring order. A descriptor's data are written from its first byte to its last, then its
//             status, then CONSUMER advances, then the pulses. No byte outside the described SRAM
//             range is written.
// Reset:      beats that no descriptor will use are taken and thrown away.
// Timing:     docs/dma.md. One 64-bit word per clock while the PCI master delivers and the SRAM
//             grants.
// Paths:      sram_gnt_i reaches beat_ready_o in the same clock; sram_req_o comes from registers.

`default_nettype none

module nic_dma_read #(
  parameter int unsigned SramBytes = 524288
) (
  input  wire logic                     clk_i,
  input  wire logic                     rst_ni,

  // Register slave, 128 bytes: DMA_READ
  input  wire logic                     reg_sel_i,
  input  wire nic_pkg::reg_req_t        reg_req_i,
  output wire logic [31:0]              reg_rdata_o,

  // SRAM port
  output wire logic                     sram_req_o,
  output wire nic_pkg::sram_req_t       sram_o,
  input  wire logic                     sram_gnt_i,
  input  wire logic                     sram_rvalid_i,
  input  wire logic [63:0]              sram_rdata_i,

  // PCI master: one command, then its beats
  output wire logic                     cmd_valid_o,
  input  wire logic                     cmd_ready_i,
  output wire nic_pkg::dma_cmd_t        cmd_o,
  input  wire logic                     beat_valid_i,
  output wire logic                     beat_ready_o,
  input  wire nic_pkg::dma_read_beat_t  beat_i,

  // Reset of the engine: the PCI master ends every command that it has or gets
  output wire logic                     stop_o,
  input  wire logic                     stop_ack_i,      // the PCI master has seen stop_o

  // One-clock pulses
  output wire logic                     event_done_o,
  output wire logic                     event_error_o,
  output wire logic                     assist_o,
  output wire logic                     probe_start_o,
  output wire logic                     probe_done_o     // last byte in SRAM, status written
);

  typedef logic [nic_pkg::SRAM_ADDR_BITS-1:3] word_addr_t;

  // ---- Descriptors ----------------------------------------------------------------

  logic                 fetch_req, fetch_gnt, fetch_rvalid;
  logic                 status_req, status_gnt;
  word_addr_t           fetch_addr, status_addr;
  logic [31:0]          status_wdata;
  logic                 move_start, move_done, drain;
  logic                 outstanding_q;     // the last beat of a command was not taken yet
  nic_dma_pkg::move_t   move;
  nic_pkg::pci_status_e move_status;
  logic                 unused_probe_moved;

  nic_dma_ring #(
    .SramBytes  (SramBytes),
    .ReadsAhead (1'b1)
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
    .drain_o        (drain),
    .drained_i      (!outstanding_q),
    .move_start_o   (move_start),
    .move_o         (move),
    .move_given_i   (1'b0),
    .move_done_i    (move_done),
    .move_status_i  (move_status),
    .cmd_valid_o,
    .cmd_ready_i,
    .cmd_o,
    .event_done_o,
    .event_error_o,
    .assist_o,
    .probe_start_o,
    .probe_moved_o  (unused_probe_moved),
    .probe_done_o
  );

  // ---- Beats into words of SRAM -----------------------------------------------------

  logic        moving_q;          // beats of the command may come
  logic        failed_q;          // the error beat has come. It was taken only because no word
                                  // before it waits for SRAM.
  logic        align_ready, in_last;
  logic        write_valid, write_last;
  logic [63:0] write_data;
  logic [7:0]  write_be;
  word_addr_t  write_addr_q;
  nic_pkg::pci_status_e status_q;

  wire logic data_gnt;
  wire logic write_gnt = data_gnt && write_valid;
  assign     status_gnt = data_gnt && !write_valid;

  wire logic bad_beat = beat_i.last && beat_i.status != nic_pkg::PCI_OK;
  assign beat_ready_o = moving_q ? align_ready : drain && outstanding_q;
  wire logic take     = beat_valid_i && beat_ready_o;

  nic_dma_align u_align (
    .clk_i,
    .rst_ni,
    .start_i      (move_start),
    .in_offset_i  (move.host_addr[2:0]),
    .out_offset_i (move.sram_addr[2:0]),
    .len_bytes_i  (move.len_bytes),
    .in_valid_i   (moving_q && beat_valid_i && !bad_beat),
    .in_ready_o   (align_ready),
    .in_data_i    (beat_i.data),
    .in_last_o    (in_last),
    .out_valid_o  (write_valid),
    .out_ready_i  (write_gnt),
    .out_data_o   (write_data),
    .out_be_o     (write_be),
    .out_last_o   (write_last)
  );

  assign move_done   = (write_gnt && write_last) || failed_q;
  assign move_status = failed_q ? status_q : nic_pkg::PCI_OK;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      moving_q      <= 1'b0;
      failed_q      <= 1'b0;
      outstanding_q <= 1'b0;
    end else begin
      // A command that reads ahead has beats beyond those of the descriptor.
      if (move_start)                            moving_q <= 1'b1;
      else if (take && (beat_i.last || in_last)) moving_q <= 1'b0;
      failed_q <= take && bad_beat && moving_q;
      if (cmd_valid_o && cmd_ready_i) outstanding_q <= 1'b1;
      else if (take && beat_i.last)   outstanding_q <= 1'b0;
    end
    if (take && bad_beat) status_q <= beat_i.status;
    if (move_start)       write_addr_q <= move.sram_addr[nic_pkg::SRAM_ADDR_BITS-1:3];
    else if (write_gnt)   write_addr_q <= write_addr_q + word_addr_t'(1);
  end

  // ---- The SRAM port: descriptors, and data or status (status comes when the data are done) ----

  logic select_data, unused_data_rvalid;

  nic_sram_share u_share (
    .clk_i,
    .rst_ni,
    .a_req_i    (fetch_req),
    .a_gnt_o    (fetch_gnt),
    .a_rvalid_o (fetch_rvalid),
    .b_req_i    (write_valid || status_req),
    .b_gnt_o    (data_gnt),
    .b_rvalid_o (unused_data_rvalid),
    .req_o      (sram_req_o),
    .select_b_o (select_data),
    .gnt_i      (sram_gnt_i),
    .rvalid_i   (sram_rvalid_i)
  );

  assign sram_o = '{
    addr:  !select_data ? fetch_addr : write_valid ? write_addr_q : status_addr,
    we:    select_data,
    be:    write_valid ? write_be : 8'hF0,
    wdata: write_valid ? write_data : {status_wdata, 32'b0}
  };

  // ---- Assertions ------------------------------------------------------------------

  wire word_addr_t end_word = word_addr_t'((32'(move.sram_addr) + 32'(move.len_bytes) - 32'd1) >> 3);
  always_ff @(posedge clk_i) begin
    if (rst_ni && write_gnt) begin
      WritesOnlyTheDescribedWords: assert (write_addr_q >= move.sram_addr[nic_pkg::SRAM_ADDR_BITS-1:3] && write_addr_q <= end_word);
    end
    if (rst_ni && take) BeatsOnlyForACommand: assert (outstanding_q);
    if (rst_ni && status_req) StatusIsWrittenLast: assert (!write_valid && !moving_q);
  end

endmodule

`default_nettype wire
