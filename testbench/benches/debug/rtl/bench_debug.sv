// The debug module and two cores. Memory, interrupts and the system bus are pins; bit or word h of
// a pin belongs to hart h.

`default_nettype none

module bench_debug (
  input  wire logic             clk_i,
  input  wire logic             rst_ni,

  // DMI
  input  wire logic             dmi_sel_i,
  input  wire logic             dmi_we_i,
  input  wire logic [6:0]       dmi_addr_i,
  input  wire logic [31:0]      dmi_wdata_i,
  output wire logic [31:0]      dmi_rdata_o,

  // Harts
  input  wire logic [1:0]       run_i,
  input  wire logic [1:0]       irq_i,
  input  wire logic [1:0][31:0] boot_addr_i,
  output wire logic [1:0]       instr_req_o,
  input  wire logic [1:0]       instr_gnt_i,
  output wire logic [1:0][31:0] instr_addr_o,
  input  wire logic [1:0]       instr_rvalid_i,
  input  wire logic [1:0][31:0] instr_rdata_i,
  input  wire logic [1:0]       instr_err_i,
  output wire logic [1:0]       data_req_o,
  input  wire logic [1:0]       data_gnt_i,
  output wire logic [1:0][31:0] data_addr_o,
  output wire logic [1:0]       data_we_o,
  output wire logic [1:0][3:0]  data_be_o,
  output wire logic [1:0][31:0] data_wdata_o,
  input  wire logic [1:0]       data_rvalid_i,
  input  wire logic [1:0][31:0] data_rdata_i,
  input  wire logic [1:0]       data_err_i,
  output wire logic [1:0]       debug_mode_o,
  output wire logic [1:0]       sleep_o,
  output wire logic [1:0]       rvfi_valid_o,
  output wire logic [1:0][31:0] rvfi_insn_o,
  output wire logic [1:0]       rvfi_trap_o,
  output wire logic [1:0]       rvfi_intr_o,
  output wire logic [1:0][4:0]  rvfi_rd_addr_o,
  output wire logic [1:0][31:0] rvfi_rd_wdata_o,
  output wire logic [1:0][31:0] rvfi_pc_rdata_o,
  output wire logic [1:0][31:0] rvfi_pc_wdata_o,
  output wire logic [1:0][31:0] rvfi_mem_addr_o,
  output wire logic [1:0][3:0]  rvfi_mem_rmask_o,
  output wire logic [1:0][3:0]  rvfi_mem_wmask_o,
  output wire logic [1:0][31:0] rvfi_mem_rdata_o,
  output wire logic [1:0][31:0] rvfi_mem_wdata_o,

  // System bus
  output wire logic             bus_req_o,
  input  wire logic             bus_gnt_i,
  output wire logic [31:2]      bus_word_o,
  output wire logic             bus_we_o,
  output wire logic [3:0]       bus_be_o,
  output wire logic [31:0]      bus_wdata_o,
  input  wire logic             bus_rvalid_i,
  input  wire logic [31:0]      bus_rdata_i,
  input  wire logic             bus_err_i
);

  wire logic [1:0]       debug_req, debug_reset, in_reset;
  wire logic [1:0]       debug_insn_req, debug_insn_err, debug_data_req, debug_data_err;
  wire logic [1:0][10:2] debug_insn_word, debug_data_word;
  wire logic [1:0][31:0] debug_insn_rdata, debug_data_rdata;

  for (genvar h = 0; h < 2; h++) begin : gen_hart
    wire logic        core_rst_n = rst_ni && run_i[h] && !debug_reset[h];
    wire logic        insn_req, insn_gnt, insn_rvalid, insn_err, data_req, data_gnt, data_rvalid, data_err;
    wire logic [31:0] insn_addr, insn_rdata, data_addr, data_rdata;

    assign in_reset[h]        = !core_rst_n;
    assign instr_addr_o[h]    = insn_addr;
    assign data_addr_o[h]     = data_addr;
    assign debug_insn_word[h] = insn_addr[10:2];
    assign debug_data_word[h] = data_addr[10:2];

    bench_debug_place u_insn (
      .clk_i, .rst_ni(core_rst_n),
      .req_i(insn_req), .gnt_o(insn_gnt), .addr_i(insn_addr), .rvalid_o(insn_rvalid), .rdata_o(insn_rdata), .err_o(insn_err),
      .mem_req_o(instr_req_o[h]), .mem_gnt_i(instr_gnt_i[h]), .mem_rvalid_i(instr_rvalid_i[h]), .mem_rdata_i(instr_rdata_i[h]),
      .mem_err_i(instr_err_i[h]),
      .debug_req_o(debug_insn_req[h]), .debug_rdata_i(debug_insn_rdata[h]), .debug_err_i(debug_insn_err[h])
    );

    bench_debug_place u_data (
      .clk_i, .rst_ni(core_rst_n),
      .req_i(data_req), .gnt_o(data_gnt), .addr_i(data_addr), .rvalid_o(data_rvalid), .rdata_o(data_rdata), .err_o(data_err),
      .mem_req_o(data_req_o[h]), .mem_gnt_i(data_gnt_i[h]), .mem_rvalid_i(data_rvalid_i[h]), .mem_rdata_i(data_rdata_i[h]),
      .mem_err_i(data_err_i[h]),
      .debug_req_o(debug_data_req[h]), .debug_rdata_i(debug_data_rdata[h]), .debug_err_i(debug_data_err[h])
    );

    nic_core #(.Rvfi(1), .DebugEntryAddr(nic_debug_pkg::ENTRY_ADDR), .DebugExceptionAddr(nic_debug_pkg::EXCEPTION_ADDR)) u_core (
      .clk_i, .clk_free_i(clk_i), .rst_ni(core_rst_n), .boot_addr_i(boot_addr_i[h]), .hart_id_i(32'(h)), .time_i('0),
      .instr_req_o(insn_req), .instr_gnt_i(insn_gnt), .instr_addr_o(insn_addr),
      .instr_rvalid_i(insn_rvalid), .instr_rdata_i(insn_rdata), .instr_err_i(insn_err),
      .data_req_o(data_req), .data_gnt_i(data_gnt), .data_addr_o(data_addr), .data_we_o(data_we_o[h]), .data_be_o(data_be_o[h]),
      .data_wdata_o(data_wdata_o[h]), .data_rvalid_i(data_rvalid), .data_rdata_i(data_rdata), .data_slow_i(1'b0), .data_slow_rdata_i('0),
      .data_err_i(data_err), .look_o(), .look_addr_o(), .look_valid_i(1'b0), .look_rdata_i('0), .fence_i_o(),
      .event_valid_i(1'b1), .event_i('0), .sram_waits_i(1'b0), .semaphore_waits_i(1'b0), .irq_i(irq_i[h]), .sleep_o(sleep_o[h]), .clock_o(), .busy_i(1'b1),
      .debug_req_i(debug_req[h]), .debug_mode_o(debug_mode_o[h]),
      .trace_valid_o(), .trace_data_o(),
      .rvfi_valid(rvfi_valid_o[h]), .rvfi_order(), .rvfi_insn(rvfi_insn_o[h]), .rvfi_trap(rvfi_trap_o[h]), .rvfi_halt(),
      .rvfi_intr(rvfi_intr_o[h]), .rvfi_mode(), .rvfi_ixl(), .rvfi_rs1_addr(), .rvfi_rs2_addr(), .rvfi_rs1_rdata(), .rvfi_rs2_rdata(),
      .rvfi_rd_addr(rvfi_rd_addr_o[h]), .rvfi_rd_wdata(rvfi_rd_wdata_o[h]),
      .rvfi_pc_rdata(rvfi_pc_rdata_o[h]), .rvfi_pc_wdata(rvfi_pc_wdata_o[h]),
      .rvfi_mem_addr(rvfi_mem_addr_o[h]), .rvfi_mem_rmask(rvfi_mem_rmask_o[h]), .rvfi_mem_wmask(rvfi_mem_wmask_o[h]),
      .rvfi_mem_rdata(rvfi_mem_rdata_o[h]), .rvfi_mem_wdata(rvfi_mem_wdata_o[h])
    );
  end

  nic_debug #(.Harts(2)) u_debug (
    .clk_i, .rst_ni, .dmi_sel_i, .dmi_we_i, .dmi_addr_i, .dmi_wdata_i, .dmi_rdata_o,
    .in_reset_i(in_reset), .debug_mode_i(debug_mode_o), .debug_req_o(debug_req), .hart_reset_o(debug_reset),
    .insn_req_i(debug_insn_req), .insn_word_i(debug_insn_word), .insn_rdata_o(debug_insn_rdata), .insn_err_o(debug_insn_err),
    .data_req_i(debug_data_req), .data_word_i(debug_data_word), .data_we_i(data_we_o), .data_be_i(data_be_o),
    .data_wdata_i(data_wdata_o), .data_rdata_o(debug_data_rdata), .data_err_o(debug_data_err),
    .bus_req_o, .bus_gnt_i, .bus_word_o, .bus_we_o, .bus_be_o, .bus_wdata_o, .bus_rvalid_i, .bus_rdata_i, .bus_err_i
  );

endmodule

`default_nettype wire
