// A core with the surroundings that it has in the NIC: instruction cache, scratchpad, SRAM behind
// its arbiter, and the register page. All other blocks are replaced by pins: the host's port,
// through which the test fills the SRAM; an engine that shares the SRAM; event pulses.

`default_nettype none

module bench_kernels #(
  parameter int unsigned SramBytes = 131072
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        core_rst_ni,
  input  wire logic [31:0] boot_addr_i,

  // The host writes 64 bits
  input  wire logic        load_req_i,
  output wire logic        load_gnt_o,
  input  wire logic [20:0] load_addr_i,
  input  wire logic [63:0] load_wdata_i,

  // An engine reads the SRAM, on the port of the receive link
  input  wire logic        link_req_i,

  // A frame was received: one clock
  input  wire logic        event_mac_rx_i,

  // What the core does
  output wire logic        sleep_o,
  output wire logic        trace_valid_o,
  output wire logic [31:0] trace_data_o,
  output wire logic        rvfi_valid_o,
  output wire logic        rvfi_trap_o,
  output wire logic [63:0] rvfi_order_o,
  output wire logic [31:0] rvfi_insn_o,
  output wire logic [31:0] rvfi_pc_o,
  output wire logic [31:0] rvfi_next_pc_o,
  output wire logic [4:0]  rvfi_rd_o,
  output wire logic [31:0] rvfi_rd_value_o,
  output wire logic [4:0]  rvfi_rs1_o,
  output wire logic [4:0]  rvfi_rs2_o
);

  // ---- Memory ---------------------------------------------------------------------

  wire nic_pkg::sram_req_t insn_access, data_access, sram_access;
  wire logic               insn_sram_req, data_sram_req, sram_req;
  nic_pkg::sram_req_t      access [nic_pkg::SRAM_PORTS];
  logic [nic_pkg::SRAM_PORTS-1:0]      req;
  wire logic [nic_pkg::SRAM_PORTS-1:0] gnt, rvalid;
  wire logic [63:0]                    sram_rdata;
  wire logic [0:0]                     sram_idle, sram_ahead;
  wire logic [nic_pkg::SRAM_ADDR_BITS-1:3] sram_ahead_addr [1];
  wire logic                           granted_req;
  wire nic_pkg::sram_req_t             granted;

  wire logic              core_reg_req, core_reg_gnt;
  wire nic_pkg::reg_req_t core_reg_access;
  wire logic [31:0]       reg_rdata;

  always_comb begin
    for (int i = 0; i < int'(nic_pkg::SRAM_PORTS); i++) access[i] = '0;
    access[nic_pkg::SRAM_HOST]      = '{addr: load_addr_i[20:3], we: 1'b1, be: 8'hFF, wdata: load_wdata_i};
    access[nic_pkg::SRAM_CORE_DATA] = data_access;
    access[nic_pkg::SRAM_CORE_INSN] = insn_access;
    req                 = '0;
    req[nic_pkg::SRAM_LINK_RX]   = link_req_i;
    req[nic_pkg::SRAM_HOST]      = load_req_i;
    req[nic_pkg::SRAM_CORE_DATA] = data_sram_req;
    req[nic_pkg::SRAM_CORE_INSN] = insn_sram_req;
  end

  assign load_gnt_o = gnt[nic_pkg::SRAM_HOST];

  wire logic           irq, event_valid, event_soon, semaphore_waits;
  wire logic [4:0]     event_next;
  wire nic_pkg::rvfi_t rvfi;

  // What the CSR time reads: nothing stops it.
  logic [63:0] time_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) time_q <= '0;
    else time_q <= time_q + 64'd1;
  end

  nic_core_complex #(.SramBytes(SramBytes), .Rvfi(1), .Debug(0)) u_core (
    .clk_i,
    .clk_free_i         (clk_i),
    .time_i             (time_q),
    .rst_ni             (core_rst_ni),
    .boot_address_i     (boot_addr_i),
    .irq_i              (irq),
    .event_valid_i      (event_valid),
    .event_i            (event_next),
    .event_soon_i       (event_soon),
    .semaphore_waits_i  (semaphore_waits),
    .sleep_o,
    .sram_insn_req_o    (insn_sram_req),
    .sram_insn_access_o (insn_access),
    .sram_insn_gnt_i    (gnt[nic_pkg::SRAM_CORE_INSN]),
    .sram_data_req_o    (data_sram_req),
    .sram_data_access_o (data_access),
    .sram_data_gnt_i    (gnt[nic_pkg::SRAM_CORE_DATA]),
    .sram_idle_i        (sram_idle[0]),
    .sram_ahead_o       (sram_ahead[0]),
    .sram_ahead_addr_o  (sram_ahead_addr[0]),
    .sram_rdata_i       (sram_rdata),
    .reg_req_o          (core_reg_req),
    .reg_access_o       (core_reg_access),
    .reg_gnt_i          (core_reg_gnt),
    .reg_rdata_i        (reg_rdata),
    .debug_req_i        (1'b0),
    .debug_insn_rdata_i (32'd0),
    .debug_insn_err_i   (1'b1),
    .debug_data_rdata_i (32'd0),
    .debug_data_err_i   (1'b1),
    .trace_valid_o,
    .trace_data_o,
    .rvfi_o             (rvfi),
    // verilator lint_off PINCONNECTEMPTY
    .clock_o            (),     // its clock never stops
    .debug_mode_o       (),     // Debug = 0: nothing speaks here
    .debug_insn_req_o   (),
    .debug_insn_word_o  (),
    .debug_data_req_o   ()
    // verilator lint_on PINCONNECTEMPTY
  );

  assign rvfi_valid_o    = rvfi.valid;
  assign rvfi_order_o    = rvfi.order;
  assign rvfi_insn_o     = rvfi.insn;
  assign rvfi_trap_o     = rvfi.trap;
  assign rvfi_rs1_o      = rvfi.rs1_addr;
  assign rvfi_rs2_o      = rvfi.rs2_addr;
  assign rvfi_rd_o       = rvfi.rd_addr;
  assign rvfi_rd_value_o = rvfi.rd_wdata;
  assign rvfi_pc_o       = rvfi.pc_rdata;
  assign rvfi_next_pc_o  = rvfi.pc_wdata;

  nic_sram_arbiter u_arbiter (
    .clk_i,
    .rst_ni,
    .req_i         (req),
    .access_i      (access),
    .gnt_o         (gnt),
    .rvalid_o      (rvalid),
    .sram_req_o    (granted_req),
    .sram_access_o (granted)
  );

  nic_sram_ahead u_sram_ahead (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .req_i         (granted_req),
    .access_i      (granted),
    .data_gnt_i    (gnt[nic_pkg::SRAM_CORE_DATA]),
    .idle_o        (sram_idle),
    .ahead_i       (sram_ahead),
    .ahead_addr_i  (sram_ahead_addr),
    .sram_req_o    (sram_req),
    .sram_access_o (sram_access)
  );

  nic_sram #(.SramBytes(SramBytes)) u_sram (
    .clk_i,
    .req_i    (sram_req),
    .access_i (sram_access),
    .rdata_o  (sram_rdata)
  );

  // ---- Registers ------------------------------------------------------------------

  nic_registers #(.SramBytes(SramBytes)) u_registers (
    .clk_i,
    .clk_a_i           (clk_i),
    .clk_b_i           (clk_i),
    .rst_ni,
    .core_req_i        (core_reg_req),
    .core_access_i     (core_reg_access),
    .core_gnt_o        (core_reg_gnt),
    .host_req_i        (1'b0),
    .host_access_i     ('0),
    .rdata_o           (reg_rdata),
    .slave_rdata_i     (32'd0),
    .sleep_i           (sleep_o),
    .irq_o             (irq),
    .event_valid_o     (event_valid),
    .event_o           (event_next),
    .event_soon_o      (event_soon),
    .semaphore_waits_o (semaphore_waits),
    .pci_64_i          (1'b0),
    .refused_i         (1'b0),
    .event_mac_rx_i,
    .event_mac_tx_i    (1'b0),
    .event_mac_error_i (1'b0),
    .event_dma_read_i  (1'b0),
    .event_dma_write_i (1'b0),
    .event_dma_error_i (1'b0),
    // verilator lint_off PINCONNECTEMPTY
    .host_gnt_o        (),
    .access_o          (),
    .dma_read_sel_o    (),
    .dma_write_sel_o   (),
    .mac_tx_sel_o      (),
    .mac_rx_sel_o      (),
    .pci_sel_o         (),
    .sram_sel_o        (),
    .debug_sel_o       (),
    .run_o             (),
    .boot_address_o    (),
    .inta_o            (),
    .window_base_o     (),
    .probe_doorbell_o  (),
    .probe_mailbox_o   (),
    .probe_interrupt_o ()
    // verilator lint_on PINCONNECTEMPTY
  );

  wire logic unused = &{1'b0, load_addr_i[2:0], gnt, rvalid, rvfi};

endmodule

`default_nettype wire
