// Puts a checker on every contract inside nic_top. Bound by the models that want it, as in
//
//   bind nic_top nic_top_checker #(.Cores(Cores), .SramBytes(SramBytes)) u_top_checker (.*);

`default_nettype none

module nic_top_checker #(
  parameter int unsigned Cores     = 1,
  parameter int unsigned SramBytes = 524288,
  parameter int unsigned SramPorts = Cores > 1 ? nic_pkg::SRAM_PORTS_PAIR : nic_pkg::SRAM_PORTS
) (
  input wire logic                           clk_core_i,
  input wire logic                           rst_core_n,
  input wire logic [Cores-1:0]               core_rst_n,

  // SRAM ports
  input wire logic [SramPorts-1:0] sram_req,
  input wire nic_pkg::sram_req_t             sram_port [SramPorts],
  input wire logic [SramPorts-1:0] sram_gnt,
  input wire logic [SramPorts-1:0] sram_rvalid,

  // Register slaves outside nic_registers
  input wire nic_pkg::reg_req_t              reg_access,
  input wire logic                           dma_read_sel,
  input wire logic [31:0]                    dma_read_rdata,
  input wire logic                           dma_write_sel,
  input wire logic [31:0]                    dma_write_rdata,
  input wire logic                           mac_tx_sel,
  input wire logic                           mac_rx_sel,
  input wire logic [31:0]                    mac_rdata,
  input wire logic                           pci_sel,
  input wire logic [31:0]                    pci_rdata,
  input wire logic                           sram_sel,
  input wire logic [31:0]                    sram_counters_rdata,

  // Link
  input wire logic                           clk_gmii_tx_i,
  input wire logic                           rst_gmii_tx_n,
  input wire logic [7:0]                     gmii_txd_o,
  input wire logic                           gmii_tx_en_o,
  input wire logic                           gmii_tx_er_o
);

  for (genvar i = 0; i < int'(SramPorts); i++) begin : gen_sram_port
    // A core that is put into reset may withdraw a request.
    localparam bit OfCoreA = i == int'(nic_pkg::SRAM_CORE_DATA) || i == int'(nic_pkg::SRAM_CORE_INSN);
    localparam bit OfCoreB = i > int'(nic_pkg::SRAM_HOST);
    nic_sram_port_checker #(.SramBytes(SramBytes)) u_port (
      .clk_i(clk_core_i), .rst_ni(OfCoreA ? core_rst_n[0] : OfCoreB ? core_rst_n[Cores-1] : rst_core_n),
      .req_i(sram_req[i]), .access_i(sram_port[i]), .gnt_i(sram_gnt[i]), .rvalid_i(sram_rvalid[i])
    );
  end

  nic_sram_wait_checker #(.Ports(SramPorts)) u_wait (.clk_i(clk_core_i), .rst_ni(rst_core_n), .req_i(sram_req), .gnt_i(sram_gnt));

  nic_register_slave_checker u_dma_read (
    .clk_i(clk_core_i), .rst_ni(rst_core_n), .reg_sel_i(dma_read_sel), .reg_req_i(reg_access), .reg_rdata_o(dma_read_rdata)
  );
  nic_register_slave_checker u_dma_write (
    .clk_i(clk_core_i), .rst_ni(rst_core_n), .reg_sel_i(dma_write_sel), .reg_req_i(reg_access), .reg_rdata_o(dma_write_rdata)
  );
  nic_register_slave_checker u_mac (
    .clk_i(clk_core_i), .rst_ni(rst_core_n), .reg_sel_i(mac_tx_sel || mac_rx_sel), .reg_req_i(reg_access), .reg_rdata_o(mac_rdata)
  );
  nic_register_slave_checker u_pci (
    .clk_i(clk_core_i), .rst_ni(rst_core_n), .reg_sel_i(pci_sel), .reg_req_i(reg_access), .reg_rdata_o(pci_rdata)
  );
  nic_register_slave_checker u_sram_counters (
    .clk_i(clk_core_i), .rst_ni(rst_core_n), .reg_sel_i(sram_sel), .reg_req_i(reg_access), .reg_rdata_o(sram_counters_rdata)
  );

  nic_gmii_tx_checker u_gmii_tx (
    .clk_i(clk_gmii_tx_i), .rst_ni(rst_gmii_tx_n), .txd_i(gmii_txd_o), .tx_en_i(gmii_tx_en_o), .tx_er_i(gmii_tx_er_o)
  );

endmodule

`default_nettype wire
