// The NIC: one core or two, SRAM, PCI, two host DMA engines and a gigabit MAC. This file only wires
// blocks.
//
// Rules:  docs/interfaces.md has pins, addresses and the handshakes between the blocks.
// Clocks: four unrelated clocks; crossings are inside nic_pci and nic_mac. All signals of this file
//         are in the core clock.
// Reset:  the pad only; pci_rst_ni is low for at least four clocks of the slowest clock, with all
//         clocks running.

`default_nettype none

module nic_top #(
  parameter int unsigned Cores            = 1,        // or 2
  parameter int unsigned SramBytes        = 524288,   // or 2097152; a power of two
  parameter int unsigned ScratchpadBytes  = 16384,    // of core A; a power of two
  parameter int unsigned ScratchpadBytesB = 8192,     // of core B; a power of two
  parameter int unsigned IcacheBytes      = 4096,     // of each core; a power of two
  parameter int unsigned Rvfi             = 0,        // 1: the cores report what they retire
  parameter int unsigned Debug            = 1         // 0: no debug module, and no debug mode in
                                                      // the cores
) (
  // Clocks, unrelated, and the reset pad
  input  wire logic        clk_core_i,
  input  wire logic        clk_pci_i,
  input  wire logic        clk_gmii_tx_i,
  input  wire logic        clk_gmii_rx_i,
  input  wire logic        pci_rst_ni,

  // Clocks of the cores: rise in the instant of clk_core_i if core_x_clock_o was high before; else
  // they may stay low (nic_core_sleep)
  input  wire logic        clk_core_a_i,
  input  wire logic        clk_core_b_i,         // never needed with one core
  output wire logic        core_a_clock_o,
  output wire logic        core_b_clock_o,

  // PCI, shared lines
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

  // PCI, open drain: enabled is pulled low
  input  wire logic        pci_serr_ni,
  output wire logic        pci_serr_oe_o,
  output wire logic        pci_inta_oe_o,

  // PCI, point to point
  output wire logic        pci_req_no,
  output wire logic        pci_req_oe_o,
  input  wire logic        pci_gnt_ni,
  input  wire logic        pci_idsel_i,

  // Link
  output wire logic [7:0]  gmii_txd_o,
  output wire logic        gmii_tx_en_o,
  output wire logic        gmii_tx_er_o,
  input  wire logic [7:0]  gmii_rxd_i,
  input  wire logic        gmii_rx_dv_i,
  input  wire logic        gmii_rx_er_i,

  // Observation, core clock: nothing depends on it
  output wire logic        trace_a_valid_o,
  output wire logic [31:0] trace_a_data_o,
  output wire logic        trace_b_valid_o,      // core B: zero with one core
  output wire logic [31:0] trace_b_data_o,
  output wire logic [nic_pkg::PROBES-1:0] probe_o,

  // RISC-V Formal Interface of the cores: zero without Rvfi; the interface of core B is zero with
  // one core. The only structs among the pins, for no test bench reads their fields by name.
  output wire nic_pkg::rvfi_t rvfi_a_o,
  output wire nic_pkg::rvfi_t rvfi_b_o
);

  // ---- Resets -----------------------------------------------------------------------

  // Asserted, a reset clears crossings at once and all other registers at their next clock.
  // verilator lint_off SYNCASYNCNET
  wire logic rst_core_n, rst_gmii_tx_n, rst_gmii_rx_n;
  // verilator lint_on SYNCASYNCNET

  nic_reset_sync u_reset_core    (.clk_i(clk_core_i),    .pad_rst_ni(pci_rst_ni), .rst_no(rst_core_n));
  nic_reset_sync u_reset_gmii_tx (.clk_i(clk_gmii_tx_i), .pad_rst_ni(pci_rst_ni), .rst_no(rst_gmii_tx_n));
  nic_reset_sync u_reset_gmii_rx (.clk_i(clk_gmii_rx_i), .pad_rst_ni(pci_rst_ni), .rst_no(rst_gmii_rx_n));

  // ---- SRAM and its ports -------------------------------------------------------------

  localparam int unsigned SramPorts = Cores > 1 ? nic_pkg::SRAM_PORTS_PAIR : nic_pkg::SRAM_PORTS;

  if (Cores < 1 || Cores > 2) begin : gen_bad_cores
    $error("nic_top: Cores must be 1 or 2");
  end

  wire logic [SramPorts-1:0] sram_req, sram_gnt, sram_rvalid;
  nic_pkg::sram_req_t        sram_port [SramPorts];
  wire logic                 sram_granted_req;
  wire nic_pkg::sram_req_t   sram_granted;
  wire logic [63:0]          sram_rdata;
  wire logic [Cores-1:0]     sram_idle, sram_ahead, sram_data_gnt;
  wire logic [nic_pkg::SRAM_ADDR_BITS-1:3] sram_ahead_addr [Cores];
  wire logic                 sram_any_req;
  wire nic_pkg::sram_req_t   sram_any;

  nic_sram_arbiter #(.Ports(SramPorts)) u_sram_arbiter (
    .clk_i         (clk_core_i),
    .rst_ni        (rst_core_n),
    .req_i         (sram_req),
    .access_i      (sram_port),
    .gnt_o         (sram_gnt),
    .rvalid_o      (sram_rvalid),
    .sram_req_o    (sram_granted_req),
    .sram_access_o (sram_granted)
  );

  nic_sram_ahead #(.Cores(Cores)) u_sram_ahead (
    .clk_i         (clk_core_i),
    .rst_ni        (rst_core_n),
    .req_i         (sram_granted_req),
    .access_i      (sram_granted),
    .data_gnt_i    (sram_data_gnt),
    .idle_o        (sram_idle),
    .ahead_i       (sram_ahead),
    .ahead_addr_i  (sram_ahead_addr),
    .sram_req_o    (sram_any_req),
    .sram_access_o (sram_any)
  );

  nic_sram #(.SramBytes(SramBytes)) u_sram (
    .clk_i    (clk_core_i),
    .req_i    (sram_any_req),
    .access_i (sram_any),
    .rdata_o  (sram_rdata)
  );

  // ---- Registers ----------------------------------------------------------------------

  wire nic_pkg::reg_req_t reg_access;
  wire logic [31:0]       reg_rdata;
  wire logic              host_reg_req, host_reg_gnt;
  wire nic_pkg::reg_req_t host_reg_access;

  // Core A in bit 0, core B in bit 1
  wire logic [Cores-1:0]              core_reg_req, core_reg_gnt, run, sleep, irq, event_valid, event_soon, semaphore_waits;
  wire logic [Cores-1:0][4:0]         event_next;
  wire nic_pkg::reg_req_t [Cores-1:0] core_reg_access;
  wire logic [Cores-1:0][31:0]        boot_address;

  wire logic        dma_read_sel, dma_write_sel, mac_tx_sel, mac_rx_sel, pci_sel, sram_sel, debug_sel;
  wire logic [31:0] dma_read_rdata, dma_write_rdata, mac_rdata, pci_rdata, sram_counters_rdata, debug_rdata;

  wire logic         pci_64, inta, refused;
  wire logic [20:11] window_base;

  wire logic mac_rx_event, mac_tx_event, mac_error_event;
  wire logic [63:0]      cycles;
  wire logic [Cores-1:0] core_rst_n;
  wire logic dma_read_event, dma_write_event, dma_read_error_event, dma_write_error_event;

  nic_registers #(
    .Cores(Cores), .SramBytes(SramBytes), .ScratchpadBytes(ScratchpadBytes), .ScratchpadBytesB(ScratchpadBytesB)
  ) u_registers (
    .clk_i             (clk_core_i),
    .clk_a_i           (clk_core_a_i),
    .clk_b_i           (clk_core_b_i),
    .rst_ni            (rst_core_n),
    .core_req_i        (core_reg_req),
    .core_access_i     (core_reg_access),
    .core_gnt_o        (core_reg_gnt),
    .host_req_i        (host_reg_req),
    .host_access_i     (host_reg_access),
    .host_gnt_o        (host_reg_gnt),
    .rdata_o           (reg_rdata),
    .in_reset_i        (~core_rst_n),
    .cycles_o          (cycles),
    .access_o          (reg_access),
    .dma_read_sel_o    (dma_read_sel),
    .dma_write_sel_o   (dma_write_sel),
    .mac_tx_sel_o      (mac_tx_sel),
    .mac_rx_sel_o      (mac_rx_sel),
    .pci_sel_o         (pci_sel),
    .sram_sel_o        (sram_sel),
    .debug_sel_o       (debug_sel),
    .slave_rdata_i     (dma_read_rdata | dma_write_rdata | mac_rdata | pci_rdata | sram_counters_rdata | debug_rdata),
    .run_o             (run),
    .boot_address_o    (boot_address),
    .sleep_i           (sleep),
    .irq_o             (irq),
    .event_valid_o     (event_valid),
    .event_o           (event_next),
    .event_soon_o      (event_soon),
    .semaphore_waits_o (semaphore_waits),
    .pci_64_i          (pci_64),
    .inta_o            (inta),
    .window_base_o     (window_base),
    .refused_i         (refused),
    .event_mac_rx_i    (mac_rx_event),
    .event_mac_tx_i    (mac_tx_event),
    .event_mac_error_i (mac_error_event),
    .event_dma_read_i  (dma_read_event),
    .event_dma_write_i (dma_write_event),
    .event_dma_error_i (dma_read_error_event || dma_write_error_event),
    .probe_doorbell_o  (probe_o[nic_pkg::PROBE_DOORBELL]),
    .probe_mailbox_o   (probe_o[nic_pkg::PROBE_MAILBOX]),
    .probe_interrupt_o (probe_o[nic_pkg::PROBE_INTERRUPT])
  );

  // Loads ahead of the arbiter are accesses of their ports.
  logic [SramPorts-1:0] sram_read_ahead;
  always_comb begin
    sram_read_ahead                 = '0;
    sram_read_ahead[nic_pkg::SRAM_CORE_DATA] = sram_ahead[0];
    if (Cores > 1) sram_read_ahead[SramPorts-2] = sram_ahead[Cores-1];   // SRAM_CORE_B_DATA
  end

  nic_sram_counters #(.Ports(SramPorts)) u_sram_counters (
    .clk_i       (clk_core_i),
    .rst_ni      (rst_core_n),
    .req_i       (sram_req | sram_read_ahead),
    .gnt_i       (sram_gnt | sram_read_ahead),
    .reg_sel_i   (sram_sel),
    .reg_req_i   (reg_access),
    .reg_rdata_o (sram_counters_rdata)
  );

  // ---- Cores --------------------------------------------------------------------------

  wire logic [Cores-1:0]       debug_req, debug_mode, debug_reset;
  wire logic [Cores-1:0]       debug_insn_req, debug_insn_err, debug_data_req, debug_data_err;
  wire logic [Cores-1:0][10:2] debug_insn_word;
  wire logic [Cores-1:0][31:0] debug_insn_rdata, debug_data_rdata;

  assign core_rst_n = {Cores{rst_core_n}} & run & ~debug_reset;

  // Core A in bit 0, core B in bit 1
  wire logic [1:0]       core_clock, trace_valid;
  wire logic [1:0][31:0] trace_data;
  nic_pkg::rvfi_t        rvfi [2];

  for (genvar core = 0; core < int'(Cores); core++) begin : gen_core
    localparam int unsigned Data = core == 0 ? nic_pkg::SRAM_CORE_DATA : nic_pkg::SRAM_CORE_B_DATA;
    localparam int unsigned Insn = core == 0 ? nic_pkg::SRAM_CORE_INSN : nic_pkg::SRAM_CORE_B_INSN;

    nic_core_complex #(
      .HartId(core), .SramBytes(SramBytes), .ScratchpadBytes(core == 0 ? ScratchpadBytes : ScratchpadBytesB),
      .IcacheBytes(IcacheBytes), .Rvfi(Rvfi), .Debug(Debug)
    ) u_core (
      .clk_i              (core == 0 ? clk_core_a_i : clk_core_b_i),
      .clk_free_i         (clk_core_i),
      .clock_o            (core_clock[core]),
      .rst_ni             (core_rst_n[core]),
      .boot_address_i     (boot_address[core]),
      .time_i             (cycles),
      .irq_i              (irq[core]),
      .event_valid_i      (event_valid[core]),
      .event_i            (event_next[core]),
      .event_soon_i       (event_soon[core]),
      .semaphore_waits_i  (semaphore_waits[core]),
      .sleep_o            (sleep[core]),
      .sram_insn_req_o    (sram_req[Insn]),
      .sram_insn_access_o (sram_port[Insn]),
      .sram_insn_gnt_i    (sram_gnt[Insn]),
      .sram_data_req_o    (sram_req[Data]),
      .sram_data_access_o (sram_port[Data]),
      .sram_data_gnt_i    (sram_gnt[Data]),
      .sram_idle_i        (sram_idle[core]),
      .sram_ahead_o       (sram_ahead[core]),
      .sram_ahead_addr_o  (sram_ahead_addr[core]),
      .sram_rdata_i       (sram_rdata),
      .reg_req_o          (core_reg_req[core]),
      .reg_access_o       (core_reg_access[core]),
      .reg_gnt_i          (core_reg_gnt[core]),
      .reg_rdata_i        (reg_rdata),
      .debug_req_i        (debug_req[core]),
      .debug_mode_o       (debug_mode[core]),
      .debug_insn_req_o   (debug_insn_req[core]),
      .debug_insn_word_o  (debug_insn_word[core]),
      .debug_insn_rdata_i (debug_insn_rdata[core]),
      .debug_insn_err_i   (debug_insn_err[core]),
      .debug_data_req_o   (debug_data_req[core]),
      .debug_data_rdata_i (debug_data_rdata[core]),
      .debug_data_err_i   (debug_data_err[core]),
      .trace_valid_o      (trace_valid[core]),
      .trace_data_o       (trace_data[core]),
      .rvfi_o             (rvfi[core])
    );

    assign sram_data_gnt[core] = sram_gnt[Data];

    // Always the clock after gnt
    wire logic unused_rvalid = &{1'b0, sram_rvalid[Data], sram_rvalid[Insn]};
  end

  if (Cores == 1) begin : gen_no_core_b
    assign core_clock[1]  = 1'b0;
    assign trace_valid[1] = 1'b0;
    assign trace_data[1]  = '0;
    assign rvfi[1]        = '0;
  end

  assign {core_b_clock_o, core_a_clock_o}   = core_clock;
  assign {trace_b_valid_o, trace_a_valid_o} = trace_valid;
  assign {trace_b_data_o, trace_a_data_o}   = trace_data;
  assign rvfi_a_o                           = rvfi[0];
  assign rvfi_b_o                           = rvfi[1];

  // ---- PCI ----------------------------------------------------------------------------

  wire logic               host_req_valid, host_req_ready, host_rsp_valid;
  wire nic_pkg::host_req_t host_req;
  wire nic_pkg::host_rsp_t host_rsp;

  wire logic               pci_req_valid, pci_req_ready, pci_rsp_valid;
  wire nic_pkg::host_req_t pci_req;
  wire nic_pkg::host_rsp_t pci_rsp;

  wire logic                    dma_read_cmd_valid, dma_read_cmd_ready, dma_read_beat_valid, dma_read_beat_ready;
  wire nic_pkg::dma_cmd_t       dma_read_cmd;
  wire nic_pkg::dma_read_beat_t dma_read_beat;
  wire logic                    dma_read_stop, dma_read_stop_ack, dma_write_stop, dma_write_stop_ack;

  wire logic                 dma_write_cmd_valid, dma_write_cmd_ready, dma_write_data_valid, dma_write_data_ready, dma_write_done_valid;
  wire nic_pkg::dma_cmd_t    dma_write_cmd;
  wire logic [63:0]          dma_write_data;
  wire nic_pkg::pci_status_e dma_write_done_status;

  // Counter 0 in the highest field
  localparam int unsigned PciCounters = nic_pci_pkg::STATS;
  wire logic [PciCounters-1:0][nic_pci_pkg::STAT_BITS-1:0] pci_add;

  nic_pci #(.SramBytes(SramBytes)) u_pci (
    .clk_pci_i,
    .pci_rst_ni,
    .clk_core_i,
    .rst_core_ni             (rst_core_n),
    .pci_ad_i,
    .pci_ad_o,
    .pci_ad_oe_o,
    .pci_cbe_ni,
    .pci_cbe_no,
    .pci_cbe_oe_o,
    .pci_par_i,
    .pci_par_o,
    .pci_par_oe_o,
    .pci_par64_i,
    .pci_par64_o,
    .pci_par64_oe_o,
    .pci_frame_ni,
    .pci_frame_no,
    .pci_frame_oe_o,
    .pci_irdy_ni,
    .pci_irdy_no,
    .pci_irdy_oe_o,
    .pci_trdy_ni,
    .pci_trdy_no,
    .pci_trdy_oe_o,
    .pci_stop_ni,
    .pci_stop_no,
    .pci_stop_oe_o,
    .pci_devsel_ni,
    .pci_devsel_no,
    .pci_devsel_oe_o,
    .pci_perr_ni,
    .pci_perr_no,
    .pci_perr_oe_o,
    .pci_req64_ni,
    .pci_req64_no,
    .pci_req64_oe_o,
    .pci_ack64_ni,
    .pci_ack64_no,
    .pci_ack64_oe_o,
    .pci_serr_ni,
    .pci_serr_oe_o,
    .pci_inta_oe_o,
    .pci_req_no,
    .pci_req_oe_o,
    .pci_gnt_ni,
    .pci_idsel_i,
    .host_req_valid_o        (pci_req_valid),
    .host_req_ready_i        (pci_req_ready),
    .host_req_o              (pci_req),
    .host_rsp_valid_i        (pci_rsp_valid),
    .host_rsp_i              (pci_rsp),
    .dma_read_cmd_valid_i    (dma_read_cmd_valid),
    .dma_read_cmd_ready_o    (dma_read_cmd_ready),
    .dma_read_cmd_i          (dma_read_cmd),
    .dma_read_beat_valid_o   (dma_read_beat_valid),
    .dma_read_beat_ready_i   (dma_read_beat_ready),
    .dma_read_beat_o         (dma_read_beat),
    .dma_read_stop_i         (dma_read_stop),
    .dma_read_stop_ack_o     (dma_read_stop_ack),
    .dma_write_cmd_valid_i   (dma_write_cmd_valid),
    .dma_write_cmd_ready_o   (dma_write_cmd_ready),
    .dma_write_cmd_i         (dma_write_cmd),
    .dma_write_data_valid_i  (dma_write_data_valid),
    .dma_write_data_ready_o  (dma_write_data_ready),
    .dma_write_data_i        (dma_write_data),
    .dma_write_done_valid_o  (dma_write_done_valid),
    .dma_write_done_status_o (dma_write_done_status),
    .dma_write_stop_i        (dma_write_stop),
    .dma_write_stop_ack_o    (dma_write_stop_ack),
    .irq_i                   (inta),
    .slot_64_o               (pci_64),
    .stat_target_writes_o        (pci_add[PciCounters-1-32'(nic_regs_pkg::PCI_TARGET_WRITES[5:2])]),
    .stat_target_reads_o         (pci_add[PciCounters-1-32'(nic_regs_pkg::PCI_TARGET_READS[5:2])]),
    .stat_target_retries_o       (pci_add[PciCounters-1-32'(nic_regs_pkg::PCI_TARGET_RETRIES[5:2])]),
    .stat_target_discards_o      (pci_add[PciCounters-1-32'(nic_regs_pkg::PCI_TARGET_DISCARDS[5:2])]),
    .stat_master_transactions_o  (pci_add[PciCounters-1-32'(nic_regs_pkg::PCI_MASTER_TRANSACTIONS[5:2])]),
    .stat_master_retries_o       (pci_add[PciCounters-1-32'(nic_regs_pkg::PCI_MASTER_RETRIES[5:2])]),
    .stat_master_disconnects_o   (pci_add[PciCounters-1-32'(nic_regs_pkg::PCI_MASTER_DISCONNECTS[5:2])]),
    .stat_master_timeouts_o      (pci_add[PciCounters-1-32'(nic_regs_pkg::PCI_MASTER_TIMEOUTS[5:2])]),
    .stat_master_aborts_o        (pci_add[PciCounters-1-32'(nic_regs_pkg::PCI_MASTER_ABORTS[5:2])]),
    .stat_target_aborts_o        (pci_add[PciCounters-1-32'(nic_regs_pkg::PCI_TARGET_ABORTS[5:2])]),
    .stat_parity_errors_o        (pci_add[PciCounters-1-32'(nic_regs_pkg::PCI_PARITY_ERRORS[5:2])])
  );

  nic_pci_counters #(.AddBits(nic_pci_pkg::STAT_BITS)) u_pci_counters (
    .clk_i       (clk_core_i),
    .rst_ni      (rst_core_n),
    .add_i       (pci_add),
    .reg_sel_i   (pci_sel),
    .reg_req_i   (reg_access),
    .reg_rdata_o (pci_rdata)
  );

  // ---- Debug --------------------------------------------------------------------------

  if (Debug != 0) begin : gen_debug
    wire logic        debug_bus_req, debug_bus_gnt, debug_bus_we, debug_bus_rvalid, debug_bus_err;
    wire logic [31:2] debug_bus_word;
    wire logic [3:0]  debug_bus_be;
    wire logic [31:0] debug_bus_wdata, debug_bus_rdata;

    wire logic [Cores-1:0][10:2] data_word;
    wire logic [Cores-1:0]       data_we;
    wire logic [Cores-1:0][3:0]  data_be;
    wire logic [Cores-1:0][31:0] data_wdata;

    for (genvar core = 0; core < int'(Cores); core++) begin : gen_core
      assign data_word[core]  = core_reg_access[core].addr[10:2];
      assign data_we[core]    = core_reg_access[core].we;
      assign data_be[core]    = core_reg_access[core].be;
      assign data_wdata[core] = core_reg_access[core].wdata;
    end

    nic_debug #(.Harts(Cores)) u_debug (
      .clk_i        (clk_core_i),
      .rst_ni       (rst_core_n),
      .dmi_sel_i    (debug_sel && (!reg_access.we || reg_access.be == 4'hF)),
      .dmi_we_i     (reg_access.we),
      .dmi_addr_i   (reg_access.addr[8:2]),
      .dmi_wdata_i  (reg_access.wdata),
      .dmi_rdata_o  (debug_rdata),
      .in_reset_i   (~core_rst_n),
      .debug_mode_i (debug_mode),
      .debug_req_o  (debug_req),
      .hart_reset_o (debug_reset),
      .insn_req_i   (debug_insn_req),
      .insn_word_i  (debug_insn_word),
      .insn_rdata_o (debug_insn_rdata),
      .insn_err_o   (debug_insn_err),
      .data_req_i   (debug_data_req),
      .data_word_i  (data_word),
      .data_we_i    (data_we),
      .data_be_i    (data_be),
      .data_wdata_i (data_wdata),
      .data_rdata_o (debug_data_rdata),
      .data_err_o   (debug_data_err),
      .bus_req_o    (debug_bus_req),
      .bus_gnt_i    (debug_bus_gnt),
      .bus_word_o   (debug_bus_word),
      .bus_we_o     (debug_bus_we),
      .bus_be_o     (debug_bus_be),
      .bus_wdata_o  (debug_bus_wdata),
      .bus_rvalid_i (debug_bus_rvalid),
      .bus_rdata_i  (debug_bus_rdata),
      .bus_err_i    (debug_bus_err)
    );

    nic_debug_as_host #(.SramBytes(SramBytes)) u_debug_as_host (
      .clk_i            (clk_core_i),
      .rst_ni           (rst_core_n),
      .bus_req_i        (debug_bus_req),
      .bus_gnt_o        (debug_bus_gnt),
      .bus_word_i       (debug_bus_word),
      .bus_we_i         (debug_bus_we),
      .bus_be_i         (debug_bus_be),
      .bus_wdata_i      (debug_bus_wdata),
      .bus_rvalid_o     (debug_bus_rvalid),
      .bus_rdata_o      (debug_bus_rdata),
      .bus_err_o        (debug_bus_err),
      .pci_req_valid_i  (pci_req_valid),
      .pci_req_ready_o  (pci_req_ready),
      .pci_req_i        (pci_req),
      .pci_rsp_valid_o  (pci_rsp_valid),
      .pci_rsp_o        (pci_rsp),
      .host_req_valid_o (host_req_valid),
      .host_req_ready_i (host_req_ready),
      .host_req_o       (host_req),
      .host_rsp_valid_i (host_rsp_valid),
      .host_rsp_i       (host_rsp)
    );
  end else begin : gen_no_debug
    assign debug_rdata      = 32'd0;
    assign debug_req        = '0;
    assign debug_reset      = '0;
    assign debug_insn_rdata = '0;
    assign debug_insn_err   = '1;
    assign debug_data_rdata = '0;
    assign debug_data_err   = '1;
    assign host_req_valid   = pci_req_valid;
    assign pci_req_ready    = host_req_ready;
    assign host_req         = pci_req;
    assign pci_rsp_valid    = host_rsp_valid;
    assign pci_rsp          = host_rsp;

    wire logic unused_for_debug = &{1'b0, debug_sel, debug_mode, debug_insn_req, debug_insn_word, debug_data_req};
  end

  // ---- Host accesses ------------------------------------------------------------------

  nic_host_router #(.SramBytes(SramBytes)) u_host_router (
    .clk_i            (clk_core_i),
    .rst_ni           (rst_core_n),
    .host_req_valid_i (host_req_valid),
    .host_req_ready_o (host_req_ready),
    .host_req_i       (host_req),
    .host_rsp_valid_o (host_rsp_valid),
    .host_rsp_o       (host_rsp),
    .reg_req_o        (host_reg_req),
    .reg_access_o     (host_reg_access),
    .reg_gnt_i        (host_reg_gnt),
    .reg_rdata_i      (reg_rdata),
    .sram_req_o       (sram_req[nic_pkg::SRAM_HOST]),
    .sram_access_o    (sram_port[nic_pkg::SRAM_HOST]),
    .sram_gnt_i       (sram_gnt[nic_pkg::SRAM_HOST]),
    .sram_rdata_i     (sram_rdata),
    .window_base_i    (window_base),
    .refused_o        (refused)
  );

  // ---- Host DMA -------------------------------------------------------------------------

  wire logic dma_assist;

  nic_dma_read #(.SramBytes(SramBytes)) u_dma_read (
    .clk_i         (clk_core_i),
    .rst_ni        (rst_core_n),
    .reg_sel_i     (dma_read_sel),
    .reg_req_i     (reg_access),
    .reg_rdata_o   (dma_read_rdata),
    .sram_req_o    (sram_req[nic_pkg::SRAM_DMA_READ]),
    .sram_o        (sram_port[nic_pkg::SRAM_DMA_READ]),
    .sram_gnt_i    (sram_gnt[nic_pkg::SRAM_DMA_READ]),
    .sram_rvalid_i (sram_rvalid[nic_pkg::SRAM_DMA_READ]),
    .sram_rdata_i  (sram_rdata),
    .cmd_valid_o   (dma_read_cmd_valid),
    .cmd_ready_i   (dma_read_cmd_ready),
    .cmd_o         (dma_read_cmd),
    .beat_valid_i  (dma_read_beat_valid),
    .beat_ready_o  (dma_read_beat_ready),
    .beat_i        (dma_read_beat),
    .stop_o        (dma_read_stop),
    .stop_ack_i    (dma_read_stop_ack),
    .event_done_o  (dma_read_event),
    .event_error_o (dma_read_error_event),
    .assist_o      (dma_assist),
    .probe_start_o (probe_o[nic_pkg::PROBE_DMA_READ_START]),
    .probe_done_o  (probe_o[nic_pkg::PROBE_DMA_READ_DONE])
  );

  nic_dma_write #(.SramBytes(SramBytes)) u_dma_write (
    .clk_i         (clk_core_i),
    .rst_ni        (rst_core_n),
    .reg_sel_i     (dma_write_sel),
    .reg_req_i     (reg_access),
    .reg_rdata_o   (dma_write_rdata),
    .sram_req_o    (sram_req[nic_pkg::SRAM_DMA_WRITE]),
    .sram_o        (sram_port[nic_pkg::SRAM_DMA_WRITE]),
    .sram_gnt_i    (sram_gnt[nic_pkg::SRAM_DMA_WRITE]),
    .sram_rvalid_i (sram_rvalid[nic_pkg::SRAM_DMA_WRITE]),
    .sram_rdata_i  (sram_rdata),
    .cmd_valid_o   (dma_write_cmd_valid),
    .cmd_ready_i   (dma_write_cmd_ready),
    .cmd_o         (dma_write_cmd),
    .data_valid_o  (dma_write_data_valid),
    .data_ready_i  (dma_write_data_ready),
    .data_o        (dma_write_data),
    .done_valid_i  (dma_write_done_valid),
    .done_status_i (dma_write_done_status),
    .stop_o        (dma_write_stop),
    .stop_ack_i    (dma_write_stop_ack),
    .event_done_o  (dma_write_event),
    .event_error_o (dma_write_error_event),
    .probe_start_o (probe_o[nic_pkg::PROBE_DMA_WRITE_START]),
    .probe_done_o  (probe_o[nic_pkg::PROBE_DMA_WRITE_DONE])
  );

  // ---- Link -----------------------------------------------------------------------------

  nic_mac #(.SramBytes(SramBytes)) u_mac (
    .clk_i            (clk_core_i),
    .rst_ni           (rst_core_n),
    .clk_tx_i         (clk_gmii_tx_i),
    .rst_tx_ni        (rst_gmii_tx_n),
    .clk_rx_i         (clk_gmii_rx_i),
    .rst_rx_ni        (rst_gmii_rx_n),
    .tx_reg_sel_i     (mac_tx_sel),
    .rx_reg_sel_i     (mac_rx_sel),
    .reg_req_i        (reg_access),
    .reg_rdata_o      (mac_rdata),
    .tx_sram_req_o    (sram_req[nic_pkg::SRAM_LINK_TX]),
    .tx_sram_o        (sram_port[nic_pkg::SRAM_LINK_TX]),
    .tx_sram_gnt_i    (sram_gnt[nic_pkg::SRAM_LINK_TX]),
    .tx_sram_rvalid_i (sram_rvalid[nic_pkg::SRAM_LINK_TX]),
    .rx_sram_req_o    (sram_req[nic_pkg::SRAM_LINK_RX]),
    .rx_sram_o        (sram_port[nic_pkg::SRAM_LINK_RX]),
    .rx_sram_gnt_i    (sram_gnt[nic_pkg::SRAM_LINK_RX]),
    .rx_sram_rvalid_i (sram_rvalid[nic_pkg::SRAM_LINK_RX]),
    .sram_rdata_i     (sram_rdata),
    .assist_i         (dma_assist),
    .event_tx_done_o  (mac_tx_event),
    .event_rx_done_o  (mac_rx_event),
    .event_error_o    (mac_error_event),
    .probe_tx_start_o (probe_o[nic_pkg::PROBE_MAC_TX_START]),
    .probe_tx_done_o  (probe_o[nic_pkg::PROBE_MAC_TX_DONE]),
    .probe_rx_done_o  (probe_o[nic_pkg::PROBE_MAC_RX_DONE]),
    .probe_rx_drop_o  (probe_o[nic_pkg::PROBE_MAC_RX_DROP]),
    .gmii_txd_o,
    .gmii_tx_en_o,
    .gmii_tx_er_o,
    .gmii_rxd_i,
    .gmii_rx_dv_i,
    .gmii_rx_er_i
  );

  // The host reads as the cores do: rvalid is always the clock after gnt.
  wire logic unused = &{1'b0, sram_rvalid[nic_pkg::SRAM_HOST]};

endmodule

`default_nettype wire
