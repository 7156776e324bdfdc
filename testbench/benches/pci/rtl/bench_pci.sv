// `nic_pci` with every struct port split into scalar pins, so that Rust sees its fields by name.
// The core's reset is made here.

`default_nettype none

module bench_pci #(
  parameter int unsigned SramBytes = 524288
) (
  input  wire logic        clk_pci_i,
  input  wire logic        clk_core_i,
  input  wire logic        pci_rst_ni,
  output wire logic        rst_core_no,

  input  wire logic [63:0] pci_ad_i,
  output wire logic [63:0] pci_ad_o,
  output wire logic [1:0]  pci_ad_oe_o,
  input  wire logic [7:0]  pci_cbe_ni,
  output wire logic [7:0]  pci_cbe_no,
  output wire logic [1:0]  pci_cbe_oe_o,
  input  wire logic        pci_par_i,
  output wire logic        pci_par_o,
  output wire logic        pci_par_oe_o,
  input  wire logic        pci_par64_i,
  output wire logic        pci_par64_o,
  output wire logic        pci_par64_oe_o,
  input  wire logic        pci_frame_ni,
  output wire logic        pci_frame_no,
  output wire logic        pci_frame_oe_o,
  input  wire logic        pci_irdy_ni,
  output wire logic        pci_irdy_no,
  output wire logic        pci_irdy_oe_o,
  input  wire logic        pci_trdy_ni,
  output wire logic        pci_trdy_no,
  output wire logic        pci_trdy_oe_o,
  input  wire logic        pci_stop_ni,
  output wire logic        pci_stop_no,
  output wire logic        pci_stop_oe_o,
  input  wire logic        pci_devsel_ni,
  output wire logic        pci_devsel_no,
  output wire logic        pci_devsel_oe_o,
  input  wire logic        pci_perr_ni,
  output wire logic        pci_perr_no,
  output wire logic        pci_perr_oe_o,
  input  wire logic        pci_req64_ni,
  output wire logic        pci_req64_no,
  output wire logic        pci_req64_oe_o,
  input  wire logic        pci_ack64_ni,
  output wire logic        pci_ack64_no,
  output wire logic        pci_ack64_oe_o,
  input  wire logic        pci_serr_ni,
  output wire logic        pci_serr_oe_o,
  output wire logic        pci_inta_oe_o,
  output wire logic        pci_req_no,
  output wire logic        pci_req_oe_o,
  input  wire logic        pci_gnt_ni,
  input  wire logic        pci_idsel_i,

  output wire logic        host_req_valid_o,
  input  wire logic        host_req_ready_i,
  output wire logic        host_req_sram_o,
  output wire logic [20:0] host_req_addr_o,
  output wire logic        host_req_we_o,
  output wire logic [3:0]  host_req_be_o,
  output wire logic [31:0] host_req_wdata_o,
  output wire logic [3:0]  host_req_read_dwords_o,
  input  wire logic        host_rsp_valid_i,
  input  wire logic [31:0] host_rsp_data_i,
  input  wire logic        host_rsp_last_i,

  input  wire logic        dma_read_cmd_valid_i,
  output wire logic        dma_read_cmd_ready_o,
  input  wire logic [31:0] dma_read_cmd_addr_i,
  input  wire logic [15:0] dma_read_cmd_len_bytes_i,
  output wire logic        dma_read_beat_valid_o,
  input  wire logic        dma_read_beat_ready_i,
  output wire logic [63:0] dma_read_beat_data_o,
  output wire logic        dma_read_beat_last_o,
  output wire logic [2:0]  dma_read_beat_status_o,
  input  wire logic        dma_read_stop_i,
  output wire logic        dma_read_stop_ack_o,

  input  wire logic        dma_write_cmd_valid_i,
  output wire logic        dma_write_cmd_ready_o,
  input  wire logic [31:0] dma_write_cmd_addr_i,
  input  wire logic [15:0] dma_write_cmd_len_bytes_i,
  input  wire logic        dma_write_data_valid_i,
  output wire logic        dma_write_data_ready_o,
  input  wire logic [63:0] dma_write_data_i,
  output wire logic        dma_write_done_valid_o,
  output wire logic [2:0]  dma_write_done_status_o,
  input  wire logic        dma_write_stop_i,
  output wire logic        dma_write_stop_ack_o,

  input  wire logic        irq_i,
  output wire logic        slot_64_o,
  output wire logic [2:0]  stat_target_writes_o,
  output wire logic [2:0]  stat_target_reads_o,
  output wire logic [2:0]  stat_target_retries_o,
  output wire logic [2:0]  stat_target_discards_o,
  output wire logic [2:0]  stat_master_transactions_o,
  output wire logic [2:0]  stat_master_retries_o,
  output wire logic [2:0]  stat_master_disconnects_o,
  output wire logic [2:0]  stat_master_timeouts_o,
  output wire logic [2:0]  stat_master_aborts_o,
  output wire logic [2:0]  stat_target_aborts_o,
  output wire logic [2:0]  stat_parity_errors_o
);

  wire nic_pkg::host_req_t      host_req;
  wire nic_pkg::dma_read_beat_t beat;
  wire nic_pkg::pci_status_e    done_status;
  wire logic                    rst_core_n;

  assign host_req_sram_o         = host_req.space == nic_pkg::SPACE_SRAM;
  assign host_req_addr_o         = host_req.addr;
  assign host_req_we_o           = host_req.we;
  assign host_req_be_o           = host_req.be;
  assign host_req_wdata_o        = host_req.wdata;
  assign host_req_read_dwords_o  = host_req.read_dwords;
  assign dma_read_beat_data_o    = beat.data;
  assign dma_read_beat_last_o    = beat.last;
  assign dma_read_beat_status_o  = beat.status;
  assign dma_write_done_status_o = done_status;
  assign rst_core_no             = rst_core_n;

  nic_reset_sync u_reset_sync (.clk_i(clk_core_i), .pad_rst_ni(pci_rst_ni), .rst_no(rst_core_n));

  nic_pci #(.SramBytes(SramBytes)) u_pci (
    .rst_core_ni             (rst_core_n),
    .host_req_o              (host_req),
    .host_rsp_i              ('{data: host_rsp_data_i, last: host_rsp_last_i}),
    .dma_read_cmd_i          ('{addr: dma_read_cmd_addr_i, len_bytes: dma_read_cmd_len_bytes_i}),
    .dma_read_beat_o         (beat),
    .dma_write_cmd_i         ('{addr: dma_write_cmd_addr_i, len_bytes: dma_write_cmd_len_bytes_i}),
    .dma_write_done_status_o (done_status),
    .*
  );

endmodule

`default_nettype wire
