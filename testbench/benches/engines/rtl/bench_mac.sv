// The MAC with scalar pins, for tests in Rust.

`default_nettype none

module bench_mac #(
  parameter int unsigned SramBytes = 65536
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        clk_tx_i,
  input  wire logic        rst_tx_ni,
  input  wire logic        clk_rx_i,
  input  wire logic        rst_rx_ni,

  input  wire logic [1:0]  reg_sel_i,          // bit 0 MAC_TX, bit 1 MAC_RX
  input  wire logic [16:0] reg_addr_i,
  input  wire logic        reg_we_i,
  input  wire logic [3:0]  reg_be_i,
  input  wire logic [31:0] reg_wdata_i,
  output wire logic [31:0] reg_rdata_o,

  output wire logic [1:0]  sram_req_o,         // bit 0 receive, bit 1 transmit
  input  wire logic [1:0]  sram_gnt_i,
  input  wire logic [1:0]  sram_rvalid_i,
  input  wire logic [63:0] sram_rdata_i,
  output wire logic [17:0] rx_sram_addr_o,
  output wire logic        rx_sram_we_o,
  output wire logic [7:0]  rx_sram_be_o,
  output wire logic [63:0] rx_sram_wdata_o,
  output wire logic [17:0] tx_sram_addr_o,

  input  wire logic        assist_i,
  output wire logic        event_tx_done_o,
  output wire logic        event_rx_done_o,
  output wire logic        event_error_o,
  output wire logic        probe_tx_start_o,
  output wire logic        probe_tx_done_o,
  output wire logic        probe_rx_done_o,
  output wire logic        probe_rx_drop_o,

  output wire logic [7:0]  gmii_txd_o,
  output wire logic        gmii_tx_en_o,
  output wire logic        gmii_tx_er_o,
  input  wire logic [7:0]  gmii_rxd_i,
  input  wire logic        gmii_rx_dv_i,
  input  wire logic        gmii_rx_er_i
);

  nic_pkg::reg_req_t  reg_req;
  nic_pkg::sram_req_t rx_sram, tx_sram;

  assign reg_req = '{addr: reg_addr_i, we: reg_we_i, be: reg_be_i, wdata: reg_wdata_i, from_host: 1'b0};

  assign {rx_sram_addr_o, rx_sram_we_o, rx_sram_be_o, rx_sram_wdata_o} = rx_sram;
  assign tx_sram_addr_o = tx_sram.addr;

  nic_mac #(
    .SramBytes (SramBytes)
  ) u_mac (
    .clk_i,
    .rst_ni,
    .clk_tx_i,
    .rst_tx_ni,
    .clk_rx_i,
    .rst_rx_ni,
    .tx_reg_sel_i     (reg_sel_i[0]),
    .rx_reg_sel_i     (reg_sel_i[1]),
    .reg_req_i        (reg_req),
    .reg_rdata_o,
    .tx_sram_req_o    (sram_req_o[1]),
    .tx_sram_o        (tx_sram),
    .tx_sram_gnt_i    (sram_gnt_i[1]),
    .tx_sram_rvalid_i (sram_rvalid_i[1]),
    .rx_sram_req_o    (sram_req_o[0]),
    .rx_sram_o        (rx_sram),
    .rx_sram_gnt_i    (sram_gnt_i[0]),
    .rx_sram_rvalid_i (sram_rvalid_i[0]),
    .sram_rdata_i,
    .assist_i,
    .event_tx_done_o,
    .event_rx_done_o,
    .event_error_o,
    .probe_tx_start_o,
    .probe_tx_done_o,
    .probe_rx_done_o,
    .probe_rx_drop_o,
    .gmii_txd_o,
    .gmii_tx_en_o,
    .gmii_tx_er_o,
    .gmii_rxd_i,
    .gmii_rx_dv_i,
    .gmii_rx_er_i
  );

  // ---- Checkers -------------------------------------------------------------------

  nic_sram_port_checker #(.SramBytes (SramBytes)) u_rx_port (
    .clk_i, .rst_ni, .req_i (sram_req_o[0]), .access_i (rx_sram), .gnt_i (sram_gnt_i[0]), .rvalid_i (sram_rvalid_i[0])
  );
  nic_sram_port_checker #(.SramBytes (SramBytes)) u_tx_port (
    .clk_i, .rst_ni, .req_i (sram_req_o[1]), .access_i (tx_sram), .gnt_i (sram_gnt_i[1]), .rvalid_i (sram_rvalid_i[1])
  );
  nic_register_slave_checker u_registers (
    .clk_i, .rst_ni, .reg_sel_i (|reg_sel_i), .reg_req_i (reg_req), .reg_rdata_o
  );
  nic_gmii_tx_checker u_gmii (
    .clk_i (clk_tx_i), .rst_ni (rst_tx_ni), .txd_i (gmii_txd_o), .tx_en_i (gmii_tx_en_o), .tx_er_i (gmii_tx_er_o)
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni && sram_req_o[1]) TransmitOnlyReads: assert (!tx_sram.we);
  end

endmodule

`default_nettype wire
