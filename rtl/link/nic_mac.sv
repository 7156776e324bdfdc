// The gigabit MAC: transmit and receive ring in the core clock, GMII in the link clocks, crossings
// between.
//
// Clocks:     core (clk_i), gmii_tx, gmii_rx; unrelated. All resets together.
// Crossings:  frames and their ends by nic_cdc_fifo, pulses to count by nic_cdc_counts, the receive
//             enable and its echo by nic_cdc_level. No other setting crosses: lengths are judged in
//             the core clock.
// Pins:       registered outputs; inputs are registered before use.

`default_nettype none

module nic_mac #(
  parameter int unsigned SramBytes = 524288
) (
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  input  wire logic                clk_tx_i,
  input  wire logic                rst_tx_ni,
  input  wire logic                clk_rx_i,
  input  wire logic                rst_rx_ni,

  // Register slaves MAC_TX and MAC_RX, 256 bytes each
  input  wire logic                tx_reg_sel_i,
  input  wire logic                rx_reg_sel_i,
  input  wire nic_pkg::reg_req_t   reg_req_i,
  output wire logic [31:0]         reg_rdata_o,

  // SRAM ports of both directions
  output wire logic                tx_sram_req_o,
  output wire nic_pkg::sram_req_t  tx_sram_o,
  input  wire logic                tx_sram_gnt_i,
  input  wire logic                tx_sram_rvalid_i,
  output wire logic                rx_sram_req_o,
  output wire nic_pkg::sram_req_t  rx_sram_o,
  input  wire logic                rx_sram_gnt_i,
  input  wire logic                rx_sram_rvalid_i,
  input  wire logic [63:0]         sram_rdata_i,

  // From the host-read DMA engine: the next frame is in SRAM
  input  wire logic                assist_i,

  // One-clock pulses, core clock
  output wire logic                event_tx_done_o,
  output wire logic                event_rx_done_o,
  output wire logic                event_error_o,      // receive overflow or transmit underrun
  output wire logic                probe_tx_start_o,
  output wire logic                probe_tx_done_o,
  output wire logic                probe_rx_done_o,
  output wire logic                probe_rx_drop_o,

  // GMII
  output wire logic [7:0]          gmii_txd_o,
  output wire logic                gmii_tx_en_o,
  output wire logic                gmii_tx_er_o,
  input  wire logic [7:0]          gmii_rxd_i,
  input  wire logic                gmii_rx_dv_i,
  input  wire logic                gmii_rx_er_i
);

  localparam int unsigned FeedDepthLog2  = 4;   // 16 words of 8 bytes
  localparam int unsigned EntryDepthLog2 = 5;   // 32 entries of 4 bytes

  logic [31:0] tx_reg_rdata, rx_reg_rdata;
  logic [15:0] max_frame_bytes;
  logic        event_tx_error, event_rx_error;

  assign reg_rdata_o   = tx_reg_rdata | rx_reg_rdata;
  assign event_error_o = event_tx_error || event_rx_error;

  // ---- Transmit --------------------------------------------------------------------------

  logic                   feed_in_valid, unused_feed_in_ready;
  logic [63:0]            feed_in_data, feed_out_data;
  logic [FeedDepthLog2:0] feed_in_free, feed_out_used;
  logic                   feed_out_valid, feed_out_ready;
  logic                   end_in_valid, end_in_ready, end_out_valid;
  nic_mac_pkg::tx_end_t   end_in, end_out;
  logic [2:0]             unused_end_in_free, unused_end_out_used;

  nic_mac_tx_ring #(
    .SramBytes     (SramBytes),
    .FeedDepthLog2 (FeedDepthLog2)
  ) u_tx_ring (
    .clk_i,
    .rst_ni,
    .reg_sel_i         (tx_reg_sel_i),
    .reg_req_i,
    .reg_rdata_o       (tx_reg_rdata),
    .max_frame_bytes_i (max_frame_bytes),
    .assist_i,
    .sram_req_o        (tx_sram_req_o),
    .sram_o            (tx_sram_o),
    .sram_gnt_i        (tx_sram_gnt_i),
    .sram_rvalid_i     (tx_sram_rvalid_i),
    .sram_rdata_i,
    .feed_valid_o      (feed_in_valid),
    .feed_free_i       (feed_in_free),
    .feed_data_o       (feed_in_data),
    .end_valid_i       (end_out_valid),
    .end_i             (end_out),
    .event_done_o      (event_tx_done_o),
    .event_error_o     (event_tx_error),
    .probe_start_o     (probe_tx_start_o),
    .probe_done_o      (probe_tx_done_o)
  );

  nic_cdc_fifo #(
    .WidthBits (64),
    .DepthLog2 (FeedDepthLog2)
  ) u_tx_feed (
    .clk_in_i    (clk_i),
    .rst_in_ni   (rst_ni),
    .in_valid_i  (feed_in_valid),
    .in_ready_o  (unused_feed_in_ready),
    .in_data_i   (feed_in_data),
    .in_free_o   (feed_in_free),
    .clk_out_i   (clk_tx_i),
    .rst_out_ni  (rst_tx_ni),
    .out_valid_o (feed_out_valid),
    .out_ready_i (feed_out_ready),
    .out_data_o  (feed_out_data),
    .out_used_o  (feed_out_used)
  );

  nic_mac_tx #(
    .FeedDepthLog2 (FeedDepthLog2)
  ) u_tx (
    .clk_i        (clk_tx_i),
    .rst_ni       (rst_tx_ni),
    .feed_valid_i (feed_out_valid),
    .feed_ready_o (feed_out_ready),
    .feed_data_i  (feed_out_data),
    .feed_used_i  (feed_out_used),
    .end_valid_o  (end_in_valid),
    .end_o        (end_in),
    .gmii_txd_o,
    .gmii_tx_en_o,
    .gmii_tx_er_o
  );

  // Frames end at least 20 link clocks apart and each end is taken at once: this never fills.
  nic_cdc_fifo #(
    .WidthBits ($bits(nic_mac_pkg::tx_end_t)),
    .DepthLog2 (2)
  ) u_tx_end (
    .clk_in_i    (clk_tx_i),
    .rst_in_ni   (rst_tx_ni),
    .in_valid_i  (end_in_valid),
    .in_ready_o  (end_in_ready),
    .in_data_i   (end_in),
    .in_free_o   (unused_end_in_free),
    .clk_out_i   (clk_i),
    .rst_out_ni  (rst_ni),
    .out_valid_o (end_out_valid),
    .out_ready_i (1'b1),
    .out_data_o  (end_out),
    .out_used_o  (unused_end_out_used)
  );

  // ---- Receive -----------------------------------------------------------------------------

  logic                    rx_enable, rx_enable_link, rx_busy_link, rx_busy;
  logic                    entry_in_valid, unused_entry_in_ready;
  nic_mac_pkg::rx_entry_t  entry_in, entry_out;
  logic [EntryDepthLog2:0] entry_in_free, unused_entry_out_used;
  logic                    entry_out_valid, entry_out_ready;
  logic                    started, lost;
  logic [3:0]              started_add, lost_add;

  /* verilator lint_off PINCONNECTEMPTY */  // no level goes back
  nic_cdc_level u_rx_enable (
    .clk_in_i (clk_i),    .rst_in_ni (rst_ni),    .in_i (rx_enable),    .clk_i (clk_rx_i), .out_o (rx_enable_link), .seen_o ()
  );
  nic_cdc_level u_rx_busy (
    .clk_in_i (clk_rx_i), .rst_in_ni (rst_rx_ni), .in_i (rx_busy_link), .clk_i (clk_i),    .out_o (rx_busy),        .seen_o ()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  nic_mac_rx #(
    .DepthLog2 (EntryDepthLog2)
  ) u_rx (
    .clk_i         (clk_rx_i),
    .rst_ni        (rst_rx_ni),
    .enable_i      (rx_enable_link),
    .busy_o        (rx_busy_link),
    .gmii_rxd_i,
    .gmii_rx_dv_i,
    .gmii_rx_er_i,
    .entry_valid_o (entry_in_valid),
    .entry_o       (entry_in),
    .entry_free_i  (entry_in_free),
    .started_o     (started),
    .lost_o        (lost)
  );

  nic_cdc_fifo #(
    .WidthBits ($bits(nic_mac_pkg::rx_entry_t)),
    .DepthLog2 (EntryDepthLog2)
  ) u_rx_entries (
    .clk_in_i    (clk_rx_i),
    .rst_in_ni   (rst_rx_ni),
    .in_valid_i  (entry_in_valid),
    .in_ready_o  (unused_entry_in_ready),
    .in_data_i   (entry_in),
    .in_free_o   (entry_in_free),
    .clk_out_i   (clk_i),
    .rst_out_ni  (rst_ni),
    .out_valid_o (entry_out_valid),
    .out_ready_i (entry_out_ready),
    .out_data_o  (entry_out),
    .out_used_o  (unused_entry_out_used)
  );

  nic_cdc_counts #(
    .Kinds (2)
  ) u_rx_counts (
    .clk_in_i   (clk_rx_i),
    .rst_in_ni  (rst_rx_ni),
    .pulse_i    ({lost, started}),
    .clk_out_i  (clk_i),
    .rst_out_ni (rst_ni),
    .add_o      ({lost_add, started_add})
  );

  nic_mac_rx_ring #(
    .SramBytes (SramBytes)
  ) u_rx_ring (
    .clk_i,
    .rst_ni,
    .reg_sel_i         (rx_reg_sel_i),
    .reg_req_i,
    .reg_rdata_o       (rx_reg_rdata),
    .max_frame_bytes_o (max_frame_bytes),
    .sram_req_o        (rx_sram_req_o),
    .sram_o            (rx_sram_o),
    .sram_gnt_i        (rx_sram_gnt_i),
    .sram_rvalid_i     (rx_sram_rvalid_i),
    .sram_rdata_i,
    .enable_o          (rx_enable),
    .link_busy_i       (rx_busy),
    .entry_valid_i     (entry_out_valid),
    .entry_ready_o     (entry_out_ready),
    .entry_i           (entry_out),
    .started_add_i     (started_add),
    .lost_add_i        (lost_add),
    .event_done_o      (event_rx_done_o),
    .event_error_o     (event_rx_error),
    .probe_done_o      (probe_rx_done_o),
    .probe_drop_o      (probe_rx_drop_o)
  );

  // ---- Assertions ------------------------------------------------------------------

  always_ff @(posedge clk_tx_i) begin
    if (rst_tx_ni && end_in_valid) EveryEndIsReported: assert (end_in_ready);
  end

endmodule

`default_nettype wire
