// The RISC-V Formal Interface: reports the effects of each instruction, in the clock in which it
// retires.
//
// Timing:      an instruction that left the execute stage, or trapped there, appears in the next
//              clock; a load or store in the clock of its answer, or after a bad answer in the
//              clock of the trap.
// Conventions: rvfi_trap instructions count in rvfi_order, and their pc_wdata is where the trap
//              goes. rvfi_intr marks the first instruction after an interrupt. A failed fetch
//              retires with insn 0. Memory is reported like the accesses of the bus: aligned word,
//              lane masks (RISCV_FORMAL_ALIGNED_MEM).
// Cost:        nothing where nic_core has Rvfi = 0; this module is not built then.

`default_nettype none

module nic_core_rvfi (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  // The instruction in the execute stage
  input  wire logic        leave_i,
  input  wire logic        exception_i,
  input  wire logic        interrupt_i,       // an interrupt takes its place
  input  wire logic        is_access_i,
  input  wire logic [31:0] encoding_i,
  input  wire logic [31:1] pc_i,
  input  wire logic [31:1] following_pc_i,    // address of the instruction that is executed next
  input  wire logic [4:0]  rs1_i,             // 0 if not read
  input  wire logic [31:0] rs1_data_i,
  input  wire logic [4:0]  rs2_i,
  input  wire logic [31:0] rs2_data_i,
  input  wire logic [4:0]  rd_i,              // 0 if not written
  input  wire logic        data_we_i,
  input  wire logic [3:0]  data_be_i,
  input  wire logic [31:0] data_addr_i,
  input  wire logic [31:0] data_wdata_i,

  // The retiring instruction: the access that is pending, and the result
  input  wire logic        access_good_i,
  input  wire logic        access_fault_i,
  input  wire logic [31:1] exception_pc_i,
  input  wire logic [31:0] result_i,
  input  wire logic [31:0] data_rdata_i,

  output wire logic        rvfi_valid_o,
  output wire logic [63:0] rvfi_order_o,
  output wire logic [31:0] rvfi_insn_o,
  output wire logic        rvfi_trap_o,
  output wire logic        rvfi_halt_o,
  output wire logic        rvfi_intr_o,
  output wire logic [1:0]  rvfi_mode_o,
  output wire logic [1:0]  rvfi_ixl_o,
  output wire logic [4:0]  rvfi_rs1_addr_o,
  output wire logic [4:0]  rvfi_rs2_addr_o,
  output wire logic [31:0] rvfi_rs1_rdata_o,
  output wire logic [31:0] rvfi_rs2_rdata_o,
  output wire logic [4:0]  rvfi_rd_addr_o,
  output wire logic [31:0] rvfi_rd_wdata_o,
  output wire logic [31:0] rvfi_pc_rdata_o,
  output wire logic [31:0] rvfi_pc_wdata_o,
  output wire logic [31:0] rvfi_mem_addr_o,
  output wire logic [3:0]  rvfi_mem_rmask_o,
  output wire logic [3:0]  rvfi_mem_wmask_o,
  output wire logic [31:0] rvfi_mem_rdata_o,
  output wire logic [31:0] rvfi_mem_wdata_o
);

  logic        settled_q, trap_q;
  logic        interrupted_q, intr_q;
  logic [63:0] order_q;
  logic [31:0] insn_q;
  logic [31:1] pc_q, following_pc_q;
  logic [4:0]  rs1_q, rs2_q, rd_q;
  logic [31:0] rs1_data_q, rs2_data_q;
  logic [3:0]  rmask_q, wmask_q;
  logic [31:0] addr_q, wdata_q;

  wire logic enter = leave_i || exception_i;
  wire logic valid = settled_q || access_good_i || access_fault_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      settled_q     <= 1'b0;
      trap_q        <= 1'b0;
      interrupted_q <= 1'b0;
      order_q       <= 64'd0;
    end else begin
      settled_q <= exception_i || (leave_i && !is_access_i);
      trap_q    <= exception_i;
      if (interrupt_i || enter) interrupted_q <= interrupt_i;
      if (valid) order_q <= order_q + 64'd1;
    end
    if (enter) begin
      intr_q         <= interrupted_q;
      insn_q         <= encoding_i;
      pc_q           <= pc_i;
      following_pc_q <= following_pc_i;
      rs1_q          <= rs1_i;
      rs2_q          <= rs2_i;
      rs1_data_q     <= (rs1_i == 5'd0) ? 32'd0 : rs1_data_i;
      rs2_data_q     <= (rs2_i == 5'd0) ? 32'd0 : rs2_data_i;
      rd_q           <= leave_i ? rd_i : 5'd0;
      addr_q         <= (leave_i && is_access_i) ? data_addr_i : 32'd0;
      rmask_q        <= (leave_i && is_access_i && !data_we_i) ? data_be_i : 4'd0;
      wmask_q        <= (leave_i && is_access_i && data_we_i)  ? data_be_i : 4'd0;
      wdata_q        <= data_wdata_i;
    end
  end

  wire logic hides = access_fault_i;   // a failed access changed nothing

  assign rvfi_valid_o     = valid;
  assign rvfi_order_o     = order_q;
  assign rvfi_insn_o      = insn_q;
  assign rvfi_trap_o      = trap_q || access_fault_i;
  assign rvfi_halt_o      = 1'b0;
  assign rvfi_intr_o      = intr_q;
  assign rvfi_mode_o      = 2'd3;
  assign rvfi_ixl_o       = 2'd1;
  assign rvfi_rs1_addr_o  = rs1_q;
  assign rvfi_rs2_addr_o  = rs2_q;
  assign rvfi_rs1_rdata_o = rs1_data_q;
  assign rvfi_rs2_rdata_o = rs2_data_q;
  assign rvfi_rd_addr_o   = hides ? 5'd0 : rd_q;
  assign rvfi_rd_wdata_o  = hides || rd_q == 5'd0 ? 32'd0 : result_i;
  assign rvfi_pc_rdata_o  = {pc_q, 1'b0};
  assign rvfi_pc_wdata_o  = {access_fault_i ? exception_pc_i : following_pc_q, 1'b0};
  assign rvfi_mem_addr_o  = addr_q;
  assign rvfi_mem_rmask_o = hides ? 4'd0 : rmask_q;
  assign rvfi_mem_wmask_o = hides ? 4'd0 : wmask_q;
  assign rvfi_mem_rdata_o = data_rdata_i;
  assign rvfi_mem_wdata_o = wdata_q;

endmodule

`default_nettype wire
