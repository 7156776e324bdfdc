// One core with its private parts: the processor, its instruction cache and its scratchpad. A NIC
// has one or two.
//
// Ports:  two of the SRAM (data, instructions) and one of the register bus; docs/interfaces.md has
//         their rules.
// Reset:  while rst_ni is low no request is made, and a request that waits is withdrawn; fetching
//         starts at boot_address_i in the first clock after it.

`default_nettype none

module nic_core_complex #(
  parameter logic [31:0] HartId          = 32'd0,
  parameter int unsigned SramBytes       = 524288,
  parameter int unsigned ScratchpadBytes = 16384,
  parameter int unsigned IcacheBytes     = 4096,
  parameter int unsigned Rvfi            = 0,
  parameter int unsigned Debug           = 1
) (
  // Clocks of the core. clk_i rises with clk_free_i if clock_o was high before the edge; otherwise
  // it may stay low.
  input  wire logic               clk_i,
  input  wire logic               clk_free_i,
  output wire logic               clock_o,
  input  wire logic               rst_ni,

  // Control and events
  input  wire logic [31:0]        boot_address_i,
  input  wire logic [63:0]        time_i,              // clocks since reset, which nothing stops
  input  wire logic               irq_i,
  input  wire logic               event_valid_i,       // the next event, for nic.dispatch
  input  wire logic [4:0]         event_i,
  input  wire logic               event_soon_i,        // the last two may change with the next edge
  input  wire logic               semaphore_waits_i,   // asked for and not owned
  output wire logic               sleep_o,

  // SRAM port of the instruction cache
  output wire logic               sram_insn_req_o,
  output wire nic_pkg::sram_req_t sram_insn_access_o,
  input  wire logic               sram_insn_gnt_i,

  // SRAM port of the data
  output wire logic               sram_data_req_o,
  output wire nic_pkg::sram_req_t sram_data_access_o,
  input  wire logic               sram_data_gnt_i,
  input  wire logic               sram_idle_i,         // offered for a load ahead (nic_sram_ahead)
  output wire logic               sram_ahead_o,
  output wire logic [nic_pkg::SRAM_ADDR_BITS-1:3] sram_ahead_addr_o,

  input  wire logic [63:0]        sram_rdata_i,

  // Register bus
  output wire logic               reg_req_o,
  output wire nic_pkg::reg_req_t  reg_access_o,
  input  wire logic               reg_gnt_i,
  input  wire logic [31:0]        reg_rdata_i,

  // Debug module: answers in the clock after req; to data as reg_access_o says (docs/interfaces.md,
  // Debug ports)
  input  wire logic               debug_req_i,
  output wire logic               debug_mode_o,
  output wire logic               debug_insn_req_o,
  output wire logic [10:2]        debug_insn_word_o,
  input  wire logic [31:0]        debug_insn_rdata_i,
  input  wire logic               debug_insn_err_i,
  output wire logic               debug_data_req_o,
  input  wire logic [31:0]        debug_data_rdata_i,
  input  wire logic               debug_data_err_i,

  // Observation
  output wire logic               trace_valid_o,
  output wire logic [31:0]        trace_data_o,
  output wire nic_pkg::rvfi_t     rvfi_o
);

  wire nic_pkg::rvfi_t rvfi;
  wire logic           memory_busy;

  assign rvfi_o = rvfi;

  wire logic        insn_req, insn_gnt, insn_rvalid, insn_err, fence_i, sram_waits;
  wire logic [31:0] insn_addr, insn_rdata;
  wire logic        look, look_valid;
  wire logic [31:0] look_addr;
  wire logic        data_req, data_gnt, data_we, data_rvalid, data_slow, data_err;
  wire logic [3:0]  data_be;
  wire logic [31:0] data_addr, data_wdata, data_rdata, data_slow_rdata;

  // The clear of an event is on its way until the store is made, and shows in the event unit one
  // clock later: until then the next event may be an event that was served already.
  wire logic data_stores;
  logic      data_stored_q;
  always_ff @(posedge clk_i) data_stored_q <= data_stores;

  assign debug_insn_word_o = insn_addr[10:2];

  nic_core #(
    .Rvfi               (Rvfi),
    .Debug              (Debug),
    .DebugEntryAddr     (nic_debug_pkg::ENTRY_ADDR),
    .DebugExceptionAddr (nic_debug_pkg::EXCEPTION_ADDR)
  ) u_core (
    .clk_i,
    .clk_free_i,
    .rst_ni,
    .boot_addr_i         (boot_address_i),
    .hart_id_i           (HartId),
    .time_i,
    .instr_req_o         (insn_req),
    .instr_gnt_i         (insn_gnt),
    .instr_addr_o        (insn_addr),
    .instr_rvalid_i      (insn_rvalid),
    .instr_rdata_i       (insn_rdata),
    .instr_err_i         (insn_err),
    .data_req_o          (data_req),
    .data_gnt_i          (data_gnt),
    .data_addr_o         (data_addr),
    .data_we_o           (data_we),
    .data_be_o           (data_be),
    .data_wdata_o        (data_wdata),
    .data_rvalid_i       (data_rvalid),
    .data_rdata_i        (data_rdata),
    .data_slow_i         (data_slow),
    .data_slow_rdata_i   (data_slow_rdata),
    .data_err_i          (data_err),
    .look_o              (look),
    .look_addr_o         (look_addr),
    .look_valid_i        (look_valid),
    .look_rdata_i        (data_rdata),
    .fence_i_o           (fence_i),
    .event_valid_i       (event_valid_i && !data_stores && !data_stored_q),
    .event_i,
    .sram_waits_i        (sram_waits),
    .semaphore_waits_i,
    .irq_i,
    .sleep_o,
    .clock_o,
    .busy_i              (memory_busy || data_stored_q || event_soon_i),
    .debug_req_i,
    .debug_mode_o,
    .trace_valid_o,
    .trace_data_o,
    .rvfi_valid          (rvfi.valid),
    .rvfi_order          (rvfi.order),
    .rvfi_insn           (rvfi.insn),
    .rvfi_trap           (rvfi.trap),
    .rvfi_halt           (rvfi.halt),
    .rvfi_intr           (rvfi.intr),
    .rvfi_mode           (rvfi.mode),
    .rvfi_ixl            (rvfi.ixl),
    .rvfi_rs1_addr       (rvfi.rs1_addr),
    .rvfi_rs2_addr       (rvfi.rs2_addr),
    .rvfi_rs1_rdata      (rvfi.rs1_rdata),
    .rvfi_rs2_rdata      (rvfi.rs2_rdata),
    .rvfi_rd_addr        (rvfi.rd_addr),
    .rvfi_rd_wdata       (rvfi.rd_wdata),
    .rvfi_pc_rdata       (rvfi.pc_rdata),
    .rvfi_pc_wdata       (rvfi.pc_wdata),
    .rvfi_mem_addr       (rvfi.mem_addr),
    .rvfi_mem_rmask      (rvfi.mem_rmask),
    .rvfi_mem_wmask      (rvfi.mem_wmask),
    .rvfi_mem_rdata      (rvfi.mem_rdata),
    .rvfi_mem_wdata      (rvfi.mem_wdata)
  );

  nic_core_memory #(
    .SramBytes       (SramBytes),
    .ScratchpadBytes (ScratchpadBytes),
    .IcacheBytes     (IcacheBytes),
    .Debug           (Debug)
  ) u_memory (
    .clk_i,
    .core_rst_ni        (rst_ni),
    .fence_i_i          (fence_i),
    .insn_req_i         (insn_req),
    .insn_gnt_o         (insn_gnt),
    .insn_addr_i        (insn_addr),
    .insn_rvalid_o      (insn_rvalid),
    .insn_rdata_o       (insn_rdata),
    .insn_err_o         (insn_err),
    .data_req_i         (data_req),
    .data_gnt_o         (data_gnt),
    .data_addr_i        (data_addr),
    .data_we_i          (data_we),
    .data_be_i          (data_be),
    .data_wdata_i       (data_wdata),
    .look_i             (look),
    .look_addr_i        (look_addr),
    .look_valid_o       (look_valid),
    .data_rvalid_o      (data_rvalid),
    .data_rdata_o       (data_rdata),
    .data_slow_o        (data_slow),
    .data_slow_rdata_o  (data_slow_rdata),
    .data_err_o         (data_err),
    .data_stores_o      (data_stores),
    .busy_o             (memory_busy),
    .debug_insn_req_o,
    .debug_insn_rdata_i,
    .debug_insn_err_i,
    .debug_data_req_o,
    .debug_data_rdata_i,
    .debug_data_err_i,
    .sram_insn_req_o,
    .sram_insn_access_o,
    .sram_insn_gnt_i,
    .sram_data_req_o,
    .sram_data_access_o,
    .sram_data_gnt_i,
    .sram_idle_i,
    .sram_ahead_o,
    .sram_ahead_addr_o,
    .sram_rdata_i,
    .sram_waits_o    (sram_waits),
    .reg_req_o,
    .reg_access_o,
    .reg_gnt_i,
    .reg_rdata_i
  );

endmodule

`default_nettype wire
