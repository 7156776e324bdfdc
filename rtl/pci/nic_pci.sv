// The PCI agent of the NIC: pins on one side, host accesses and host DMA in core clock on the
// other.
//
// Standard:   PCI Local Bus 2.3, 32 or 64 bit, 33 or 66 MHz. docs/pci.md lists what is supported
//             and what is not.
// Handshakes: docs/interfaces.md, "Host accesses" and "Host DMA".
// Clocks:     clk_pci_i and clk_core_i are unrelated. pci_rst_ni is the pad; rst_core_ni is the
//             core's synchronous reset made from the same pad, so that both sides of every crossing
//             are reset together.
// Pins:       registered outputs, sampled inputs; RST# alone closes the output enables without a
//             clock.

`default_nettype none

module nic_pci #(
  parameter int unsigned SramBytes = 524288    // size of BAR 1
) (
  input  wire logic                    clk_pci_i,
  input  wire logic                    pci_rst_ni,
  input  wire logic                    clk_core_i,
  input  wire logic                    rst_core_ni,

  // ---- Pins ----
  input  wire logic [63:0]             pci_ad_i,
  output wire logic [63:0]             pci_ad_o,
  output wire logic [1:0]              pci_ad_oe_o,
  input  wire logic [7:0]              pci_cbe_ni,
  output wire logic [7:0]              pci_cbe_no,
  output wire logic [1:0]              pci_cbe_oe_o,
  input  wire logic                    pci_par_i,
  output wire logic                    pci_par_o,
  output wire logic                    pci_par_oe_o,
  input  wire logic                    pci_par64_i,
  output wire logic                    pci_par64_o,
  output wire logic                    pci_par64_oe_o,
  input  wire logic                    pci_frame_ni,
  output wire logic                    pci_frame_no,
  output wire logic                    pci_frame_oe_o,
  input  wire logic                    pci_irdy_ni,
  output wire logic                    pci_irdy_no,
  output wire logic                    pci_irdy_oe_o,
  input  wire logic                    pci_trdy_ni,
  output wire logic                    pci_trdy_no,
  output wire logic                    pci_trdy_oe_o,
  input  wire logic                    pci_stop_ni,
  output wire logic                    pci_stop_no,
  output wire logic                    pci_stop_oe_o,
  input  wire logic                    pci_devsel_ni,
  output wire logic                    pci_devsel_no,
  output wire logic                    pci_devsel_oe_o,
  input  wire logic                    pci_perr_ni,
  output wire logic                    pci_perr_no,
  output wire logic                    pci_perr_oe_o,
  input  wire logic                    pci_req64_ni,
  output wire logic                    pci_req64_no,
  output wire logic                    pci_req64_oe_o,
  input  wire logic                    pci_ack64_ni,
  output wire logic                    pci_ack64_no,
  output wire logic                    pci_ack64_oe_o,
  input  wire logic                    pci_serr_ni,        // not used: the host handles system
                                                           // errors of other agents
  output wire logic                    pci_serr_oe_o,
  output wire logic                    pci_inta_oe_o,
  output wire logic                    pci_req_no,
  output wire logic                    pci_req_oe_o,
  input  wire logic                    pci_gnt_ni,
  input  wire logic                    pci_idsel_i,

  // ---- Core clock: host accesses ----
  output wire logic                    host_req_valid_o,
  input  wire logic                    host_req_ready_i,
  output wire nic_pkg::host_req_t      host_req_o,
  input  wire logic                    host_rsp_valid_i,   // always taken
  input  wire nic_pkg::host_rsp_t      host_rsp_i,

  // ---- Core clock: host DMA ----
  input  wire logic                    dma_read_cmd_valid_i,
  output wire logic                    dma_read_cmd_ready_o,
  input  wire nic_pkg::dma_cmd_t       dma_read_cmd_i,
  output wire logic                    dma_read_beat_valid_o,
  input  wire logic                    dma_read_beat_ready_i,
  output wire nic_pkg::dma_read_beat_t dma_read_beat_o,
  input  wire logic                    dma_read_stop_i,      // ends the command, and those to come
  output wire logic                    dma_read_stop_ack_o,  // follows dma_read_stop_i

  input  wire logic                    dma_write_cmd_valid_i,
  output wire logic                    dma_write_cmd_ready_o,
  input  wire nic_pkg::dma_cmd_t       dma_write_cmd_i,
  input  wire logic                    dma_write_data_valid_i,
  output wire logic                    dma_write_data_ready_o,
  input  wire logic [63:0]             dma_write_data_i,
  output wire logic                    dma_write_done_valid_o,
  output wire nic_pkg::pci_status_e    dma_write_done_status_o,
  input  wire logic                    dma_write_stop_i,
  output wire logic                    dma_write_stop_ack_o,

  // ---- Core clock: interrupt level, width of the slot, and counts to be added in this clock ----
  input  wire logic                              irq_i,
  output wire logic                              slot_64_o,
  output wire logic [nic_pci_pkg::STAT_BITS-1:0] stat_target_writes_o,
  output wire logic [nic_pci_pkg::STAT_BITS-1:0] stat_target_reads_o,
  output wire logic [nic_pci_pkg::STAT_BITS-1:0] stat_target_retries_o,
  output wire logic [nic_pci_pkg::STAT_BITS-1:0] stat_target_discards_o,
  output wire logic [nic_pci_pkg::STAT_BITS-1:0] stat_master_transactions_o,
  output wire logic [nic_pci_pkg::STAT_BITS-1:0] stat_master_retries_o,
  output wire logic [nic_pci_pkg::STAT_BITS-1:0] stat_master_disconnects_o,
  output wire logic [nic_pci_pkg::STAT_BITS-1:0] stat_master_timeouts_o,
  output wire logic [nic_pci_pkg::STAT_BITS-1:0] stat_master_aborts_o,
  output wire logic [nic_pci_pkg::STAT_BITS-1:0] stat_target_aborts_o,
  output wire logic [nic_pci_pkg::STAT_BITS-1:0] stat_parity_errors_o
);

  wire logic unused = &{1'b0, pci_serr_ni};

  // ---- Reset and slow levels ------------------------------------------------------------

  // As in nic_top: crossings are cleared at once.
  // verilator lint_off SYNCASYNCNET
  wire logic rst_pci_n;
  // verilator lint_on SYNCASYNCNET
  wire logic slot_64, irq;

  nic_reset_sync u_reset_sync (.clk_i(clk_pci_i), .pad_rst_ni(pci_rst_ni), .rst_no(rst_pci_n));

  nic_pci_slot u_slot (
    .clk_i       (clk_pci_i),
    .rst_ni      (rst_pci_n),
    .bus_req64_i (!pci_req64_ni),
    .slot_64_o   (slot_64)
  );

  /* verilator lint_off PINCONNECTEMPTY */  // only the stops of DMA go back
  nic_cdc_level u_slot_64_cdc (
    .clk_in_i(clk_pci_i),  .rst_in_ni(rst_pci_n),   .in_i(slot_64), .clk_i(clk_core_i), .out_o(slot_64_o), .seen_o()
  );
  nic_cdc_level u_irq_cdc (
    .clk_in_i(clk_core_i), .rst_in_ni(rst_core_ni), .in_i(irq_i),   .clk_i(clk_pci_i),  .out_o(irq),       .seen_o()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // ---- Bus, asserted is high --------------------------------------------------------------

  wire logic bus_frame  = !pci_frame_ni;
  wire logic bus_irdy   = !pci_irdy_ni;
  wire logic bus_trdy   = !pci_trdy_ni;
  wire logic bus_stop   = !pci_stop_ni;
  wire logic bus_devsel = !pci_devsel_ni;
  wire logic bus_ack64  = !pci_ack64_ni;
  wire logic bus_perr   = !pci_perr_ni;
  wire logic bus_gnt    = !pci_gnt_ni;

  nic_pci_pkg::stat_t stat;

  // ---- Configuration space ------------------------------------------------------------------

  wire logic         cfg_memory_enable, cfg_bus_master, cfg_parity_response, cfg_serr_enable, cfg_interrupt_disable;
  wire logic [7:0]   cfg_latency_timer, cfg_cache_line_dwords;
  wire logic [15:0]  cfg_retry_limit;
  wire logic [31:17] cfg_bar0;
  wire logic [31:$clog2(SramBytes)] cfg_bar1;

  wire logic [5:0]   config_dword;
  wire logic [31:0]  config_rdata, config_wdata;
  wire logic         config_write;
  wire logic [3:0]   config_be;
  wire logic         set_master_data_parity, set_signalled_system_error, set_detected_parity;

  nic_pci_config #(.SramBytes(SramBytes)) u_config (
    .clk_i                       (clk_pci_i),
    .rst_ni                      (rst_pci_n),
    .dword_i                     (config_dword),
    .rdata_o                     (config_rdata),
    .write_i                     (config_write),
    .be_i                        (config_be),
    .wdata_i                     (config_wdata),
    .set_master_data_parity_i    (set_master_data_parity),
    .set_received_target_abort_i (stat.target_abort),
    .set_received_master_abort_i (stat.master_abort),
    .set_signalled_system_error_i(set_signalled_system_error),
    .set_detected_parity_i       (set_detected_parity),
    .irq_i                       (irq),
    .cfg_memory_enable_o         (cfg_memory_enable),
    .cfg_bus_master_o            (cfg_bus_master),
    .cfg_parity_response_o       (cfg_parity_response),
    .cfg_serr_enable_o           (cfg_serr_enable),
    .cfg_interrupt_disable_o     (cfg_interrupt_disable),
    .cfg_latency_timer_o         (cfg_latency_timer),
    .cfg_cache_line_dwords_o     (cfg_cache_line_dwords),
    .cfg_retry_limit_o           (cfg_retry_limit),
    .cfg_bar0_o                  (cfg_bar0),
    .cfg_bar1_o                  (cfg_bar1)
  );

  logic inta_q;
  always_ff @(posedge clk_pci_i) begin
    if (!rst_pci_n) inta_q <= 1'b0;
    else            inta_q <= irq && !cfg_interrupt_disable;
  end

  // ---- Target ---------------------------------------------------------------------------------

  wire logic               target_ad_load, target_ad_oe;
  wire logic [31:0]        target_ad;
  wire logic               target_devsel, target_trdy, target_stop, target_oe;
  wire logic               address_phase, address_error, target_write_phase;
  wire logic               master_frame;

  wire logic               queue_valid;
  wire nic_pkg::host_req_t queue_req;
  wire logic [5:0]         queue_free;
  wire logic               answer_valid, answer_ready;
  wire nic_pkg::host_rsp_t answer;
  wire logic [3:0]         answer_used;

  nic_pci_target #(.SramBytes(SramBytes)) u_target (
    .clk_i               (clk_pci_i),
    .rst_ni              (rst_pci_n),
    .bus_frame_i         (bus_frame),
    .bus_irdy_i          (bus_irdy),
    .bus_idsel_i         (pci_idsel_i),
    .bus_ad_i            (pci_ad_i[31:0]),
    .bus_cbe_ni          (pci_cbe_ni[3:0]),
    .own_frame_i         (master_frame),
    .ad_load_o           (target_ad_load),
    .ad_o                (target_ad),
    .ad_oe_o             (target_ad_oe),
    .devsel_o            (target_devsel),
    .trdy_o              (target_trdy),
    .stop_o              (target_stop),
    .oe_o                (target_oe),
    .address_phase_o     (address_phase),
    .address_error_i     (address_error),
    .write_phase_o       (target_write_phase),
    .cfg_memory_enable_i (cfg_memory_enable),
    .cfg_bar0_i          (cfg_bar0),
    .cfg_bar1_i          (cfg_bar1),
    .config_dword_o      (config_dword),
    .config_rdata_i      (config_rdata),
    .config_write_o      (config_write),
    .config_be_o         (config_be),
    .config_wdata_o      (config_wdata),
    .queue_valid_o       (queue_valid),
    .queue_req_o         (queue_req),
    .queue_free_i        (queue_free),
    .answer_valid_i      (answer_valid),
    .answer_ready_o      (answer_ready),
    .answer_i            (answer),
    .answer_used_i       (answer_used),
    .stat_write_o        (stat.target_write),
    .stat_read_o         (stat.target_read),
    .stat_retry_o        (stat.target_retry),
    .stat_discard_o      (stat.target_discard)
  );

  wire logic host_rsp_ready;

  /* verilator lint_off PINCONNECTEMPTY */  // each queue has a level on the side that plans ahead, and ready on the other
  nic_cdc_fifo #(.WidthBits($bits(nic_pkg::host_req_t)), .DepthLog2(5)) u_host_req_fifo (
    .clk_in_i   (clk_pci_i),
    .rst_in_ni  (rst_pci_n),
    .in_valid_i (queue_valid),
    .in_ready_o (),
    .in_data_i  (queue_req),
    .in_free_o  (queue_free),
    .clk_out_i  (clk_core_i),
    .rst_out_ni (rst_core_ni),
    .out_valid_o(host_req_valid_o),
    .out_ready_i(host_req_ready_i),
    .out_data_o (host_req_o),
    .out_used_o ()
  );

  nic_cdc_fifo #(.WidthBits($bits(nic_pkg::host_rsp_t)), .DepthLog2(3)) u_host_rsp_fifo (
    .clk_in_i   (clk_core_i),
    .rst_in_ni  (rst_core_ni),
    .in_valid_i (host_rsp_valid_i),
    .in_ready_o (host_rsp_ready),
    .in_data_i  (host_rsp_i),
    .in_free_o  (),
    .clk_out_i  (clk_pci_i),
    .rst_out_ni (rst_pci_n),
    .out_valid_o(answer_valid),
    .out_ready_i(answer_ready),
    .out_data_o (answer),
    .out_used_o (answer_used)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  // ---- Master and its clients -------------------------------------------------------------------

  wire nic_pci_pkg::burst_t  read_burst, write_burst;
  wire nic_pci_pkg::phase_t  read_phase, write_phase;
  wire nic_pci_pkg::move_t   read_move, write_move;
  wire logic [63:0]          write_word;
  wire logic                 read_busy, read_narrow, read_fail, write_busy, write_narrow, write_fail;
  wire logic                 read_retry, write_retry;
  wire nic_pkg::pci_status_e fail_status;
  wire logic                 read_error, write_error;

  wire logic                 master_req, master_frame_oe, master_req64, master_req64_oe, master_irdy, master_irdy_oe;
  wire logic                 master_ad_load, master_cbe_load;
  wire logic [63:0]          master_ad;
  wire logic [7:0]           master_cbe_n;
  wire logic [1:0]           master_ad_oe, master_cbe_oe;
  wire logic                 master_read_phase, master_write_phase, master_wide_phase;

  // A stop goes over and back, so that its end is seen on both sides too.
  wire logic read_stop, write_stop, read_stop_seen, write_stop_seen;
  nic_cdc_level u_read_stop_cdc (
    .clk_in_i(clk_core_i), .rst_in_ni(rst_core_ni), .in_i(dma_read_stop_i),
    .clk_i(clk_pci_i),     .out_o(read_stop),       .seen_o(read_stop_seen)
  );
  nic_cdc_level u_write_stop_cdc (
    .clk_in_i(clk_core_i), .rst_in_ni(rst_core_ni), .in_i(dma_write_stop_i),
    .clk_i(clk_pci_i),     .out_o(write_stop),      .seen_o(write_stop_seen)
  );

  /* verilator lint_off PINCONNECTEMPTY */  // what comes back goes no further
  nic_cdc_level u_read_ack_cdc (
    .clk_in_i(clk_pci_i), .rst_in_ni(rst_pci_n), .in_i(read_stop_seen),
    .clk_i(clk_core_i),   .out_o(dma_read_stop_ack_o), .seen_o()
  );
  nic_cdc_level u_write_ack_cdc (
    .clk_in_i(clk_pci_i), .rst_in_ni(rst_pci_n), .in_i(write_stop_seen),
    .clk_i(clk_core_i),   .out_o(dma_write_stop_ack_o), .seen_o()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  nic_pci_dma_read u_dma_read (
    .clk_pci_i              (clk_pci_i),
    .rst_pci_ni             (rst_pci_n),
    .clk_core_i             (clk_core_i),
    .rst_core_ni            (rst_core_ni),
    .dma_read_cmd_valid_i   (dma_read_cmd_valid_i),
    .dma_read_cmd_ready_o   (dma_read_cmd_ready_o),
    .dma_read_cmd_i         (dma_read_cmd_i),
    .dma_read_beat_valid_o  (dma_read_beat_valid_o),
    .dma_read_beat_ready_i  (dma_read_beat_ready_i),
    .dma_read_beat_o        (dma_read_beat_o),
    .burst_o                (read_burst),
    .phase_o                (read_phase),
    .busy_i                 (read_busy),
    .move_i                 (read_move),
    .narrow_i               (read_narrow),
    .fail_i                 (read_fail),
    .fail_status_i          (fail_status),
    .bus_ad_i               (pci_ad_i),
    .read_error_i           (read_error),
    .retry_i                (read_retry),
    .stop_i                 (read_stop),
    .slot_64_i              (slot_64),
    .cfg_bus_master_i       (cfg_bus_master),
    .cfg_retry_limit_i      (cfg_retry_limit),
    .cfg_cache_line_dwords_i(cfg_cache_line_dwords)
  );

  nic_pci_dma_write u_dma_write (
    .clk_pci_i              (clk_pci_i),
    .rst_pci_ni             (rst_pci_n),
    .clk_core_i             (clk_core_i),
    .rst_core_ni            (rst_core_ni),
    .dma_write_cmd_valid_i  (dma_write_cmd_valid_i),
    .dma_write_cmd_ready_o  (dma_write_cmd_ready_o),
    .dma_write_cmd_i        (dma_write_cmd_i),
    .dma_write_data_valid_i (dma_write_data_valid_i),
    .dma_write_data_ready_o (dma_write_data_ready_o),
    .dma_write_data_i       (dma_write_data_i),
    .dma_write_done_valid_o (dma_write_done_valid_o),
    .dma_write_done_status_o(dma_write_done_status_o),
    .burst_o                (write_burst),
    .phase_o                (write_phase),
    .phase_word_o           (write_word),
    .busy_i                 (write_busy),
    .move_i                 (write_move),
    .narrow_i               (write_narrow),
    .fail_i                 (write_fail),
    .fail_status_i          (fail_status),
    .write_error_i          (write_error),
    .retry_i                (write_retry),
    .stop_i                 (write_stop),
    .slot_64_i              (slot_64),
    .cfg_bus_master_i       (cfg_bus_master),
    .cfg_retry_limit_i      (cfg_retry_limit)
  );

  nic_pci_master u_master (
    .clk_i               (clk_pci_i),
    .rst_ni              (rst_pci_n),
    .cfg_latency_timer_i (cfg_latency_timer),
    .read_burst_i        (read_burst),
    .read_phase_i        (read_phase),
    .read_busy_o         (read_busy),
    .read_move_o         (read_move),
    .read_narrow_o       (read_narrow),
    .read_fail_o         (read_fail),
    .read_retry_o        (read_retry),
    .write_burst_i       (write_burst),
    .write_phase_i       (write_phase),
    .write_word_i        (write_word),
    .write_busy_o        (write_busy),
    .write_move_o        (write_move),
    .write_narrow_o      (write_narrow),
    .write_fail_o        (write_fail),
    .write_retry_o       (write_retry),
    .fail_status_o       (fail_status),
    .bus_gnt_i           (bus_gnt),
    .bus_frame_i         (bus_frame),
    .bus_irdy_i          (bus_irdy),
    .bus_devsel_i        (bus_devsel),
    .bus_trdy_i          (bus_trdy),
    .bus_stop_i          (bus_stop),
    .bus_ack64_i         (bus_ack64),
    .req_o               (master_req),
    .frame_o             (master_frame),
    .frame_oe_o          (master_frame_oe),
    .req64_o             (master_req64),
    .req64_oe_o          (master_req64_oe),
    .irdy_o              (master_irdy),
    .irdy_oe_o           (master_irdy_oe),
    .ad_load_o           (master_ad_load),
    .ad_o                (master_ad),
    .ad_oe_o             (master_ad_oe),
    .cbe_load_o          (master_cbe_load),
    .cbe_no              (master_cbe_n),
    .cbe_oe_o            (master_cbe_oe),
    .read_phase_o        (master_read_phase),
    .write_phase_o       (master_write_phase),
    .wide_phase_o        (master_wide_phase),
    .stat_transaction_o  (stat.master_transaction),
    .stat_retry_o        (stat.master_retry),
    .stat_disconnect_o   (stat.master_disconnect),
    .stat_timeout_o      (stat.master_timeout),
    .stat_master_abort_o (stat.master_abort),
    .stat_target_abort_o (stat.target_abort)
  );

  // ---- Lanes, parity and errors -----------------------------------------------------------------

  wire logic [1:0] ad_oe, cbe_oe;
  wire logic       par_oe, par64_oe, bad_low, bad_high, perr, perr_oe, serr;

  nic_pci_lanes u_lanes (
    .clk_i            (clk_pci_i),
    .rst_ni           (rst_pci_n),
    .target_load_i    (target_ad_load),
    .target_ad_i      (target_ad),
    .target_oe_i      (target_ad_oe),
    .master_ad_load_i (master_ad_load),
    .master_ad_i      (master_ad),
    .master_ad_oe_i   (master_ad_oe),
    .master_cbe_load_i(master_cbe_load),
    .master_cbe_ni    (master_cbe_n),
    .master_cbe_oe_i  (master_cbe_oe),
    .ad_o             (pci_ad_o),
    .ad_oe_o          (ad_oe),
    .cbe_no           (pci_cbe_no),
    .cbe_oe_o         (cbe_oe)
  );

  nic_pci_parity u_parity (
    .clk_i      (clk_pci_i),
    .rst_ni     (rst_pci_n),
    .ad_i       (pci_ad_o),
    .ad_oe_i    (ad_oe),
    .cbe_ni     (pci_cbe_no),
    .cbe_oe_i   (cbe_oe),
    .par_o      (pci_par_o),
    .par_oe_o   (par_oe),
    .par64_o    (pci_par64_o),
    .par64_oe_o (par64_oe),
    .bus_ad_i   (pci_ad_i),
    .bus_cbe_ni (pci_cbe_ni),
    .bus_par_i  (pci_par_i),
    .bus_par64_i(pci_par64_i),
    .bad_low_o  (bad_low),
    .bad_high_o (bad_high)
  );

  nic_pci_errors u_errors (
    .clk_i                       (clk_pci_i),
    .rst_ni                      (rst_pci_n),
    .cfg_parity_response_i       (cfg_parity_response),
    .cfg_serr_enable_i           (cfg_serr_enable),
    .address_phase_i             (address_phase),
    .target_write_phase_i        (target_write_phase),
    .master_read_phase_i         (master_read_phase),
    .master_wide_i               (master_wide_phase),
    .master_write_phase_i        (master_write_phase),
    .bad_low_i                   (bad_low),
    .bad_high_i                  (bad_high),
    .bus_perr_i                  (bus_perr),
    .address_error_o             (address_error),
    .read_error_o                (read_error),
    .write_error_o               (write_error),
    .perr_o                      (perr),
    .perr_oe_o                   (perr_oe),
    .serr_o                      (serr),
    .set_master_data_parity_o    (set_master_data_parity),
    .set_signalled_system_error_o(set_signalled_system_error),
    .set_detected_parity_o       (set_detected_parity)
  );

  assign stat.parity_error = set_detected_parity || write_error;

  // ---- Pads -------------------------------------------------------------------------------------

  nic_pci_pads u_pads (
    .pci_rst_ni     (pci_rst_ni),
    .rst_ni         (rst_pci_n),
    .ad_oe_i        (ad_oe),
    .cbe_oe_i       (cbe_oe),
    .par_oe_i       (par_oe),
    .par64_oe_i     (par64_oe),
    .frame_i        (master_frame),
    .frame_oe_i     (master_frame_oe),
    .irdy_i         (master_irdy),
    .irdy_oe_i      (master_irdy_oe),
    .req64_i        (master_req64),
    .req64_oe_i     (master_req64_oe),
    .trdy_i         (target_trdy),
    .stop_i         (target_stop),
    .devsel_i       (target_devsel),
    .target_oe_i    (target_oe),
    .perr_i         (perr),
    .perr_oe_i      (perr_oe),
    .serr_i         (serr),
    .inta_i         (inta_q),
    .req_i          (master_req),
    .pci_ad_oe_o    (pci_ad_oe_o),
    .pci_cbe_oe_o   (pci_cbe_oe_o),
    .pci_par_oe_o   (pci_par_oe_o),
    .pci_par64_oe_o (pci_par64_oe_o),
    .pci_frame_no   (pci_frame_no),
    .pci_frame_oe_o (pci_frame_oe_o),
    .pci_irdy_no    (pci_irdy_no),
    .pci_irdy_oe_o  (pci_irdy_oe_o),
    .pci_req64_no   (pci_req64_no),
    .pci_req64_oe_o (pci_req64_oe_o),
    .pci_trdy_no    (pci_trdy_no),
    .pci_trdy_oe_o  (pci_trdy_oe_o),
    .pci_stop_no    (pci_stop_no),
    .pci_stop_oe_o  (pci_stop_oe_o),
    .pci_devsel_no  (pci_devsel_no),
    .pci_devsel_oe_o(pci_devsel_oe_o),
    .pci_ack64_no   (pci_ack64_no),
    .pci_ack64_oe_o (pci_ack64_oe_o),
    .pci_perr_no    (pci_perr_no),
    .pci_perr_oe_o  (pci_perr_oe_o),
    .pci_serr_oe_o  (pci_serr_oe_o),
    .pci_inta_oe_o  (pci_inta_oe_o),
    .pci_req_no     (pci_req_no),
    .pci_req_oe_o   (pci_req_oe_o)
  );

  // ---- Counters ---------------------------------------------------------------------------------

  nic_pci_stats u_stats (
    .clk_pci_i   (clk_pci_i),
    .rst_pci_ni  (rst_pci_n),
    .stat_i      (stat),
    .clk_core_i  (clk_core_i),
    .rst_core_ni (rst_core_ni),
    .add_o       ({stat_target_writes_o, stat_target_reads_o, stat_target_retries_o, stat_target_discards_o,
                   stat_master_transactions_o, stat_master_retries_o, stat_master_disconnects_o,
                   stat_master_timeouts_o, stat_master_aborts_o, stat_target_aborts_o, stat_parity_errors_o})
  );

  // ---- Assertions -------------------------------------------------------------------------------

  always_ff @(posedge clk_core_i) begin
    if (rst_core_ni && host_rsp_valid_i) AnswersFitTheReservedRoom: assert (host_rsp_ready);
  end

endmodule

`default_nettype wire
