// The register page of a NIC with two cores behind the host router. Host and cores are pins.

`default_nettype none

module bench_registers #(
  parameter int unsigned SramBytes = 8192
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  // Host, as the PCI target asks
  input  wire logic        host_valid_i,
  output wire logic        host_ready_o,
  input  wire logic        host_in_sram_i,
  input  wire logic [20:0] host_addr_i,
  input  wire logic        host_we_i,
  input  wire logic [3:0]  host_be_i,
  input  wire logic [31:0] host_wdata_i,
  input  wire logic [3:0]  host_read_dwords_i,
  output wire logic        host_rsp_valid_o,
  output wire logic [31:0] host_rsp_data_o,
  output wire logic        host_rsp_last_o,

  // Core A
  input  wire logic        core_req_i,
  output wire logic        core_gnt_o,
  input  wire logic [16:0] core_addr_i,
  input  wire logic        core_we_i,
  input  wire logic [3:0]  core_be_i,
  input  wire logic [31:0] core_wdata_i,

  // Core B
  input  wire logic        core_b_req_i,
  output wire logic        core_b_gnt_o,
  input  wire logic [16:0] core_b_addr_i,
  input  wire logic        core_b_we_i,
  input  wire logic [3:0]  core_b_be_i,
  input  wire logic [31:0] core_b_wdata_i,

  // To all three
  output wire logic [31:0] rdata_o,

  // A user of the SRAM that comes before the host
  input  wire logic        other_req_i,

  // Hardware: the events that come from outside the register blocks
  input  wire logic [11:0] event_set_i,
  input  wire logic        sleep_a_i,
  input  wire logic        sleep_b_i,
  output wire logic        irq_o,
  output wire logic        irq_b_o,
  output wire logic        next_valid_o,
  output wire logic [4:0]  next_o,
  output wire logic        next_valid_b_o,
  output wire logic [4:0]  next_b_o,
  output wire logic        inta_o,
  output wire logic        run_a_o,
  output wire logic        run_b_o,
  output wire logic        probe_doorbell_o,
  output wire logic        probe_mailbox_o,
  output wire logic        probe_interrupt_o,
  // slaves of other folders: DMA read and write, MAC tx and rx, PCI, SRAM, debug
  output wire logic [6:0]  elsewhere_sel_o
);

  wire logic               host_reg_req, host_reg_gnt;
  wire nic_pkg::reg_req_t  host_reg_access, access;
  wire nic_pkg::host_rsp_t host_rsp;
  wire nic_pkg::reg_req_t  core_access = '{addr: core_addr_i, we: core_we_i, be: core_be_i, wdata: core_wdata_i, from_host: 1'b0};
  wire nic_pkg::reg_req_t  core_b_access = '{addr: core_b_addr_i, we: core_b_we_i, be: core_b_be_i, wdata: core_b_wdata_i, from_host: 1'b0};
  wire logic [20:11]       window_base;
  wire logic               refused;
  wire logic [1:0][31:0] boot_address;

  assign host_rsp_data_o = host_rsp.data;
  assign host_rsp_last_o = host_rsp.last;

  // ---- SRAM ---------------------------------------------------------------------

  wire nic_pkg::sram_req_t host_sram_access, sram_access;
  wire logic               host_sram_req, sram_req;
  nic_pkg::sram_req_t      sram_port [nic_pkg::SRAM_PORTS];
  logic [nic_pkg::SRAM_PORTS-1:0]      sram_port_req;
  wire logic [nic_pkg::SRAM_PORTS-1:0] sram_gnt, sram_rvalid;
  wire logic [63:0]                    sram_rdata;

  always_comb begin
    for (int i = 0; i < int'(nic_pkg::SRAM_PORTS); i++) sram_port[i] = '0;
    sram_port[nic_pkg::SRAM_HOST]        = host_sram_access;
    sram_port_req               = '0;
    sram_port_req[nic_pkg::SRAM_HOST]    = host_sram_req;
    sram_port_req[nic_pkg::SRAM_LINK_RX] = other_req_i;
  end

  nic_sram_arbiter u_arbiter (
    .clk_i, .rst_ni, .req_i(sram_port_req), .access_i(sram_port), .gnt_o(sram_gnt), .rvalid_o(sram_rvalid),
    .sram_req_o(sram_req), .sram_access_o(sram_access)
  );
  nic_sram #(.SramBytes(SramBytes)) u_sram (.clk_i, .req_i(sram_req), .access_i(sram_access), .rdata_o(sram_rdata));
  nic_sram_port_checker #(.SramBytes(SramBytes)) u_sram_checker (
    .clk_i, .rst_ni, .req_i(host_sram_req), .access_i(host_sram_access),
    .gnt_i(sram_gnt[nic_pkg::SRAM_HOST]), .rvalid_i(sram_rvalid[nic_pkg::SRAM_HOST])
  );

  // ---- Bus ------------------------------------------------------------------------

  nic_host_router #(.SramBytes(SramBytes)) u_router (
    .clk_i, .rst_ni,
    .host_req_valid_i(host_valid_i), .host_req_ready_o(host_ready_o),
    .host_req_i('{
      space: host_in_sram_i ? nic_pkg::SPACE_SRAM : nic_pkg::SPACE_REGISTERS, addr: host_addr_i, we: host_we_i, be: host_be_i,
      wdata: host_wdata_i, read_dwords: host_read_dwords_i
    }),
    .host_rsp_valid_o, .host_rsp_o(host_rsp),
    .reg_req_o(host_reg_req), .reg_access_o(host_reg_access), .reg_gnt_i(host_reg_gnt), .reg_rdata_i(rdata_o),
    .sram_req_o(host_sram_req), .sram_access_o(host_sram_access), .sram_gnt_i(sram_gnt[nic_pkg::SRAM_HOST]), .sram_rdata_i(sram_rdata),
    .window_base_i(window_base), .refused_o(refused)
  );

  nic_registers #(.Cores(2), .SramBytes(SramBytes), .ScratchpadBytes(4096), .ScratchpadBytesB(2048)) u_registers (
    .clk_i, .clk_a_i(clk_i), .clk_b_i(clk_i), .rst_ni, .core_req_i({core_b_req_i, core_req_i}), .core_access_i({core_b_access, core_access}),
    .core_gnt_o({core_b_gnt_o, core_gnt_o}),
    .host_req_i(host_reg_req), .host_access_i(host_reg_access), .host_gnt_o(host_reg_gnt), .rdata_o, .access_o(access),
    .dma_read_sel_o(elsewhere_sel_o[0]), .dma_write_sel_o(elsewhere_sel_o[1]), .mac_tx_sel_o(elsewhere_sel_o[2]),
    .mac_rx_sel_o(elsewhere_sel_o[3]), .pci_sel_o(elsewhere_sel_o[4]), .sram_sel_o(elsewhere_sel_o[5]),
    .debug_sel_o(elsewhere_sel_o[6]), .slave_rdata_i('0),
    .run_o({run_b_o, run_a_o}), .boot_address_o(boot_address), .sleep_i({sleep_b_i, sleep_a_i}), .in_reset_i('0), .cycles_o(), .irq_o({irq_b_o, irq_o}),
    .event_valid_o({next_valid_b_o, next_valid_o}), .event_o({next_b_o, next_o}), .event_soon_o(), .semaphore_waits_o(),
    .pci_64_i(1'b1), .inta_o, .window_base_o(window_base),
    .refused_i(refused),
    .event_mac_rx_i(event_set_i[nic_pkg::EVENT_MAC_RX]), .event_mac_tx_i(event_set_i[nic_pkg::EVENT_MAC_TX]),
    .event_mac_error_i(event_set_i[nic_pkg::EVENT_MAC_ERROR]), .event_dma_read_i(event_set_i[nic_pkg::EVENT_DMA_READ]),
    .event_dma_write_i(event_set_i[nic_pkg::EVENT_DMA_WRITE]), .event_dma_error_i(event_set_i[nic_pkg::EVENT_DMA_ERROR]),
    .probe_doorbell_o, .probe_mailbox_o, .probe_interrupt_o
  );

  wire logic unused = &{1'b0, access, boot_address, sram_gnt, sram_rvalid, event_set_i};

endmodule

`default_nettype wire
