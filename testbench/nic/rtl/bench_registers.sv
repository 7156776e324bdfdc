// The register bus with the host router and every slave that the NIC's own folder holds. Host and core are pins.

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

  // Core
  input  wire logic        core_req_i,
  output wire logic        core_gnt_o,
  input  wire logic [16:0] core_addr_i,
  input  wire logic        core_we_i,
  input  wire logic [3:0]  core_be_i,
  input  wire logic [31:0] core_wdata_i,
  output wire logic [31:0] rdata_o,

  // A user of the SRAM that comes before the host
  input  wire logic        other_req_i,

  // Hardware
  input  wire logic [31:0] event_set_i,
  input  wire logic        sleep_a_i,
  output wire logic        irq_o,
  output wire logic        inta_o,
  output wire logic        interrupt_rise_o,
  output wire logic        run_a_o,
  output wire logic        rings_o,
  output wire logic        to_nic_o,
  output wire logic [3:0]  fires_o,
  output wire logic [5:0]  elsewhere_sel_o   // slaves of other folders: DMA read and write, MAC tx and rx, PCI, SRAM
);

  import nic_pkg::*;

  wire logic      host_reg_req, host_reg_gnt;
  wire reg_req_t  host_reg_access, access;
  wire host_rsp_t host_rsp;
  wire reg_req_t  core_access = '{addr: core_addr_i, we: core_we_i, be: core_be_i, wdata: core_wdata_i, from_host: 1'b0};

  wire logic ident_sel, event_sel, interrupt_sel, doorbell_sel, doorbell_page_sel, mailbox_sel, timer_sel, semaphore_sel;
  wire logic [31:0] ident_rdata, event_rdata, interrupt_rdata, doorbell_rdata, mailbox_rdata, timer_rdata, semaphore_rdata;

  wire logic [20:11] window_base;
  wire logic         refused;
  wire logic [31:0]  cycles, boot_address;
  wire logic [7:0]   to_host;

  assign host_rsp_data_o = host_rsp.data;
  assign host_rsp_last_o = host_rsp.last;

  // ---- SRAM ---------------------------------------------------------------------

  wire sram_req_t   host_sram_access, sram_access;
  wire logic        host_sram_req, sram_req;
  sram_req_t        sram_port [SRAM_PORTS];
  logic [SRAM_PORTS-1:0]      sram_port_req;
  wire logic [SRAM_PORTS-1:0] sram_gnt, sram_rvalid;
  wire logic [63:0]           sram_rdata;

  always_comb begin
    for (int i = 0; i < int'(SRAM_PORTS); i++) sram_port[i] = '0;
    sram_port[SRAM_HOST]        = host_sram_access;
    sram_port_req               = '0;
    sram_port_req[SRAM_HOST]    = host_sram_req;
    sram_port_req[SRAM_LINK_RX] = other_req_i;
  end

  nic_sram_arbiter u_arbiter (
    .clk_i, .rst_ni, .req_i(sram_port_req), .access_i(sram_port), .gnt_o(sram_gnt), .rvalid_o(sram_rvalid),
    .sram_req_o(sram_req), .sram_access_o(sram_access)
  );
  nic_sram #(.SramBytes(SramBytes)) u_sram (.clk_i, .req_i(sram_req), .access_i(sram_access), .rdata_o(sram_rdata));
  nic_sram_port_checker #(.SramBytes(SramBytes)) u_sram_checker (
    .clk_i, .rst_ni, .req_i(host_sram_req), .access_i(host_sram_access),
    .gnt_i(sram_gnt[SRAM_HOST]), .rvalid_i(sram_rvalid[SRAM_HOST])
  );

  // ---- Bus ------------------------------------------------------------------------

  nic_host_router #(.SramBytes(SramBytes)) u_router (
    .clk_i, .rst_ni,
    .host_req_valid_i(host_valid_i), .host_req_ready_o(host_ready_o),
    .host_req_i('{
      space: host_in_sram_i ? SPACE_SRAM : SPACE_REGISTERS, addr: host_addr_i, we: host_we_i, be: host_be_i,
      wdata: host_wdata_i, read_dwords: host_read_dwords_i
    }),
    .host_rsp_valid_o, .host_rsp_o(host_rsp),
    .reg_req_o(host_reg_req), .reg_access_o(host_reg_access), .reg_gnt_i(host_reg_gnt), .reg_rdata_i(rdata_o),
    .sram_req_o(host_sram_req), .sram_access_o(host_sram_access), .sram_gnt_i(sram_gnt[SRAM_HOST]), .sram_rdata_i(sram_rdata),
    .window_base_i(window_base), .refused_o(refused)
  );

  nic_register_bus u_bus (
    .clk_i, .rst_ni, .core_req_i, .core_access_i(core_access), .core_gnt_o,
    .host_req_i(host_reg_req), .host_access_i(host_reg_access), .host_gnt_o(host_reg_gnt), .rdata_o, .access_o(access),
    .ident_sel_o(ident_sel), .event_sel_o(event_sel), .interrupt_sel_o(interrupt_sel), .doorbell_sel_o(doorbell_sel),
    .doorbell_page_sel_o(doorbell_page_sel), .mailbox_sel_o(mailbox_sel), .timer_sel_o(timer_sel), .semaphore_sel_o(semaphore_sel),
    .dma_read_sel_o(elsewhere_sel_o[0]), .dma_write_sel_o(elsewhere_sel_o[1]), .mac_tx_sel_o(elsewhere_sel_o[2]),
    .mac_rx_sel_o(elsewhere_sel_o[3]), .pci_sel_o(elsewhere_sel_o[4]), .sram_sel_o(elsewhere_sel_o[5]),
    .slave_rdata_i(ident_rdata | event_rdata | interrupt_rdata | doorbell_rdata | mailbox_rdata | timer_rdata | semaphore_rdata)
  );

  // ---- Slaves ---------------------------------------------------------------------

  nic_identification #(.SramBytes(SramBytes), .ScratchpadBytes(4096)) u_identification (
    .clk_i, .rst_ni, .reg_sel_i(ident_sel), .reg_req_i(access), .reg_rdata_o(ident_rdata),
    .pci_64_i(1'b1), .run_a_o, .boot_address_o(boot_address), .sleep_a_i, .cycles_o(cycles), .window_base_o(window_base), .refused_i(refused)
  );
  nic_events u_events (
    .clk_i, .rst_ni, .reg_sel_i(event_sel), .reg_req_i(access), .reg_rdata_o(event_rdata), .set_i(event_set_i), .irq_o
  );
  nic_interrupt u_interrupt (
    .clk_i, .rst_ni, .reg_sel_i(interrupt_sel), .reg_req_i(access), .reg_rdata_o(interrupt_rdata),
    .set_i(to_host), .inta_o, .probe_rise_o(interrupt_rise_o)
  );
  nic_doorbells u_doorbells (
    .clk_i, .rst_ni, .reg_sel_i(doorbell_sel), .page_sel_i(doorbell_page_sel), .reg_req_i(access), .reg_rdata_o(doorbell_rdata), .rings_o
  );
  nic_mailboxes u_mailboxes (
    .clk_i, .rst_ni, .reg_sel_i(mailbox_sel), .reg_req_i(access), .reg_rdata_o(mailbox_rdata), .to_nic_o, .to_host_o(to_host)
  );
  nic_timers u_timers (
    .clk_i, .rst_ni, .reg_sel_i(timer_sel), .reg_req_i(access), .reg_rdata_o(timer_rdata), .cycles_i(cycles), .fires_o
  );
  nic_semaphore u_semaphore (
    .clk_i, .rst_ni, .reg_sel_i(semaphore_sel), .reg_req_i(access), .reg_rdata_o(semaphore_rdata)
  );

  // ---- Checkers -------------------------------------------------------------------

  wire logic [6:0] sels = {ident_sel, event_sel, interrupt_sel, doorbell_sel, mailbox_sel, timer_sel, semaphore_sel};
  wire logic [6:0][31:0] rdatas =
    {ident_rdata, event_rdata, interrupt_rdata, doorbell_rdata, mailbox_rdata, timer_rdata, semaphore_rdata};
  for (genvar i = 0; i < 7; i++) begin : gen_slave
    nic_register_slave_checker u_checker (.clk_i, .rst_ni, .reg_sel_i(sels[i]), .reg_req_i(access), .reg_rdata_o(rdatas[i]));
  end

  wire logic unused = &{1'b0, boot_address, sram_gnt, sram_rvalid};

endmodule

`default_nettype wire
