// Two cores with the surroundings that they have in the NIC: each with instruction cache and
// scratchpad, on one SRAM behind its arbiter, and the register page with events, timers and
// semaphore. Pins are the host's port, through which the test fills the SRAM, engines that share
// the SRAM, and event pulses. The bench watches waits and handshakes of every SRAM port.

`default_nettype none

module bench_pair #(
  parameter int unsigned SramBytes = 131072
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic [1:0]  core_rst_ni,
  input  wire logic [31:0] boot_addr_i,      // boot address of both cores

  // The host writes 64 bits, or reads
  input  wire logic        host_req_i,
  input  wire logic        host_we_i,
  output wire logic        host_gnt_o,
  input  wire logic [20:0] host_addr_i,
  input  wire logic [63:0] host_wdata_i,
  output wire logic [63:0] host_rdata_o,     // in the clock after the grant

  // Engines read the SRAM, on the ports of the link and of DMA
  input  wire logic [3:0]  engine_req_i,

  // A frame was received: one clock
  input  wire logic        event_mac_rx_i,

  // What the cores do
  output wire logic        sleep_a_o,
  output wire logic        sleep_b_o,
  output wire logic        trace_a_valid_o,
  output wire logic        trace_b_valid_o,
  output wire logic [31:0] trace_a_data_o,
  output wire logic [31:0] trace_b_data_o,
  output wire logic        rvfi_a_valid_o,
  output wire logic        rvfi_b_valid_o,
  output wire logic [31:0] rvfi_a_pc_o,
  output wire logic [31:0] rvfi_b_pc_o,
  output wire logic        rvfi_a_store_o,
  output wire logic        rvfi_b_store_o,
  output wire logic [31:0] rvfi_a_addr_o,
  output wire logic [31:0] rvfi_b_addr_o,

  // For each port of the SRAM: it asks and is not served
  output wire logic [8:0]  waits_o
);

  localparam int unsigned Cores = 2;

  // ---- Memory ---------------------------------------------------------------------

  wire logic [nic_pkg::SRAM_PORTS_PAIR-1:0] req, gnt, rvalid;
  nic_pkg::sram_req_t                       access [nic_pkg::SRAM_PORTS_PAIR];
  wire nic_pkg::sram_req_t                  sram_access;
  wire nic_pkg::sram_req_t                  granted;
  wire logic                                sram_req, granted_req;
  wire logic [Cores-1:0]                    sram_idle, sram_ahead;
  wire logic [nic_pkg::SRAM_ADDR_BITS-1:3]  sram_ahead_addr [Cores];
  wire logic [63:0]                         sram_rdata;

  assign host_gnt_o   = gnt[nic_pkg::SRAM_HOST];
  assign host_rdata_o = sram_rdata;
  assign waits_o      = req & ~gnt;

  assign access[nic_pkg::SRAM_HOST] = '{addr: host_addr_i[20:3], we: host_we_i, be: 8'hFF, wdata: host_wdata_i};
  assign req[nic_pkg::SRAM_HOST]    = host_req_i;

  for (genvar i = 0; i < 4; i++) begin : gen_engine
    assign access[i] = '0;
    assign req[i]    = engine_req_i[i];
  end

  nic_sram_arbiter #(.Ports(nic_pkg::SRAM_PORTS_PAIR)) u_arbiter (
    .clk_i, .rst_ni, .req_i(req), .access_i(access), .gnt_o(gnt), .rvalid_o(rvalid), .sram_req_o(granted_req), .sram_access_o(granted)
  );

  nic_sram_ahead #(.Cores(Cores)) u_sram_ahead (
    .clk_i, .rst_ni, .req_i(granted_req), .access_i(granted), .data_gnt_i({gnt[nic_pkg::SRAM_CORE_B_DATA], gnt[nic_pkg::SRAM_CORE_DATA]}),
    .idle_o(sram_idle), .ahead_i(sram_ahead), .ahead_addr_i(sram_ahead_addr), .sram_req_o(sram_req), .sram_access_o(sram_access)
  );

  nic_sram #(.SramBytes(SramBytes)) u_sram (.clk_i, .req_i(sram_req), .access_i(sram_access), .rdata_o(sram_rdata));

  nic_sram_wait_checker #(.Ports(nic_pkg::SRAM_PORTS_PAIR)) u_wait_checker (.clk_i, .rst_ni, .req_i(req), .gnt_i(gnt));

  // ---- Registers ------------------------------------------------------------------

  wire logic [Cores-1:0]              reg_req, reg_gnt, sleep, irq, event_valid, event_soon, semaphore_waits;
  wire logic [Cores-1:0][4:0] event_next;
  wire nic_pkg::reg_req_t [Cores-1:0] reg_access;
  wire logic [31:0]                   reg_rdata;

  nic_registers #(.Cores(Cores), .SramBytes(SramBytes)) u_registers (
    .clk_i,
    .clk_a_i           (clk_i),
    .clk_b_i           (clk_i),
    .rst_ni,
    .core_req_i        (reg_req),
    .core_access_i     (reg_access),
    .core_gnt_o        (reg_gnt),
    .host_req_i        (1'b0),
    .host_access_i     ('0),
    .rdata_o           (reg_rdata),
    .slave_rdata_i     (32'd0),
    .sleep_i           (sleep),
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

  // ---- Cores ----------------------------------------------------------------------

  nic_pkg::rvfi_t   rvfi [Cores];
  wire logic [1:0]  trace_valid;
  wire logic [31:0] trace_data [Cores];

  // What the CSR time reads: nothing stops it.
  logic [63:0] time_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) time_q <= '0;
    else time_q <= time_q + 64'd1;
  end

  for (genvar core = 0; core < int'(Cores); core++) begin : gen_core
    localparam int unsigned Data = core == 0 ? nic_pkg::SRAM_CORE_DATA : nic_pkg::SRAM_CORE_B_DATA;
    localparam int unsigned Insn = core == 0 ? nic_pkg::SRAM_CORE_INSN : nic_pkg::SRAM_CORE_B_INSN;

    nic_core_complex #(
      .HartId(core), .SramBytes(SramBytes), .ScratchpadBytes(core == 0 ? 16384 : 8192), .Rvfi(1), .Debug(0)
    ) u_core (
      .clk_i,
      .clk_free_i         (clk_i),
      .time_i             (time_q),
      .rst_ni             (core_rst_ni[core]),
      .boot_address_i     (boot_addr_i),
      .irq_i              (irq[core]),
      .event_valid_i      (event_valid[core]),
      .event_i            (event_next[core]),
      .event_soon_i       (event_soon[core]),
      .semaphore_waits_i  (semaphore_waits[core]),
      .sleep_o            (sleep[core]),
      .sram_insn_req_o    (req[Insn]),
      .sram_insn_access_o (access[Insn]),
      .sram_insn_gnt_i    (gnt[Insn]),
      .sram_data_req_o    (req[Data]),
      .sram_data_access_o (access[Data]),
      .sram_data_gnt_i    (gnt[Data]),
      .sram_idle_i        (sram_idle[core]),
      .sram_ahead_o       (sram_ahead[core]),
      .sram_ahead_addr_o  (sram_ahead_addr[core]),
      .sram_rdata_i       (sram_rdata),
      .reg_req_o          (reg_req[core]),
      .reg_access_o       (reg_access[core]),
      .reg_gnt_i          (reg_gnt[core]),
      .reg_rdata_i        (reg_rdata),
      .debug_req_i        (1'b0),
      .debug_insn_rdata_i ('0),
      .debug_insn_err_i   (1'b1),
      .debug_data_rdata_i ('0),
      .debug_data_err_i   (1'b1),
      .trace_valid_o      (trace_valid[core]),
      .trace_data_o       (trace_data[core]),
      .rvfi_o             (rvfi[core]),
      // verilator lint_off PINCONNECTEMPTY
      .clock_o            (),     // its clock never stops
      .debug_mode_o       (),
      .debug_insn_req_o   (),
      .debug_insn_word_o  (),
      .debug_data_req_o   ()
      // verilator lint_on PINCONNECTEMPTY
    );

    nic_sram_port_checker #(.SramBytes(SramBytes)) u_data_checker (
      .clk_i, .rst_ni(core_rst_ni[core]), .req_i(req[Data]), .access_i(access[Data]), .gnt_i(gnt[Data]), .rvalid_i(rvalid[Data])
    );
    nic_sram_port_checker #(.SramBytes(SramBytes)) u_insn_checker (
      .clk_i, .rst_ni(core_rst_ni[core]), .req_i(req[Insn]), .access_i(access[Insn]), .gnt_i(gnt[Insn]), .rvalid_i(rvalid[Insn])
    );
  end

  assign {sleep_b_o, sleep_a_o}             = sleep;
  assign {trace_b_valid_o, trace_a_valid_o} = trace_valid;
  assign {trace_b_data_o, trace_a_data_o}   = {trace_data[1], trace_data[0]};
  assign {rvfi_b_valid_o, rvfi_a_valid_o}   = {rvfi[1].valid, rvfi[0].valid};
  assign {rvfi_b_pc_o, rvfi_a_pc_o}         = {rvfi[1].pc_rdata, rvfi[0].pc_rdata};
  assign {rvfi_b_store_o, rvfi_a_store_o}   = {rvfi[1].mem_wmask != '0, rvfi[0].mem_wmask != '0};
  assign {rvfi_b_addr_o, rvfi_a_addr_o}     = {rvfi[1].mem_addr, rvfi[0].mem_addr};

  wire logic unused = &{1'b0, host_addr_i[2:0], rvalid, rvfi[0], rvfi[1]};

endmodule

`default_nettype wire
