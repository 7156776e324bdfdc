// A RISC-V core: RV32IMC, Zicsr, Zifencei, machine mode, three stages, in order. docs/core.md has pipeline and costs.
//
// Ports:      instruction and data port are OBI as docs/interfaces.md says ("Core ports"), one address phase and one
//             answer phase each. At most two fetches and one data access are outstanding. A request holds until its grant.
// Timing:     paths from inputs to outputs in one clock: data_rvalid_i to instr_* and data_*, data_err_i to data_*. Memories
//             should give both from registers. No path from instr_gnt_i, data_gnt_i to a request; none from rdata.
// Interrupt:  irq_i is a level; it is seen two clocks later at the earliest, between two instructions.
// Reset:      fetching starts at boot_addr_i (even) in the first clock after reset. Registers x1 to x31, mepc, mcause, mtval and
//             mscratch start undefined, mtvec with 0.
// Trace:      trace_* show a write of CSR 0x7C0 for one clock, in which the writing instruction retires.
// Parameters: Rvfi = 1 drives rvfi_* (nic_core_rvfi); 0 ties them to zero.

`default_nettype none

module nic_core #(
  parameter int unsigned Rvfi = 0
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  input  wire logic [31:0] boot_addr_i,
  input  wire logic [31:0] hart_id_i,

  // Instruction port
  output wire logic        instr_req_o,
  input  wire logic        instr_gnt_i,
  output wire logic [31:0] instr_addr_o,
  input  wire logic        instr_rvalid_i,
  input  wire logic [31:0] instr_rdata_i,
  input  wire logic        instr_err_i,

  // Data port
  output wire logic        data_req_o,
  input  wire logic        data_gnt_i,
  output wire logic [31:0] data_addr_o,
  output wire logic        data_we_o,
  output wire logic [3:0]  data_be_o,
  output wire logic [31:0] data_wdata_o,
  input  wire logic        data_rvalid_i,
  input  wire logic [31:0] data_rdata_i,
  input  wire logic        data_err_i,

  // Machine external interrupt, and sleeping in wfi
  input  wire logic        irq_i,
  output wire logic        sleep_o,

  // Trace port
  output wire logic        trace_valid_o,
  output wire logic [31:0] trace_data_o,

  // RVFI, one channel
  output wire logic        rvfi_valid,
  output wire logic [63:0] rvfi_order,
  output wire logic [31:0] rvfi_insn,
  output wire logic        rvfi_trap,
  output wire logic        rvfi_halt,
  output wire logic        rvfi_intr,
  output wire logic [1:0]  rvfi_mode,
  output wire logic [1:0]  rvfi_ixl,
  output wire logic [4:0]  rvfi_rs1_addr,
  output wire logic [4:0]  rvfi_rs2_addr,
  output wire logic [31:0] rvfi_rs1_rdata,
  output wire logic [31:0] rvfi_rs2_rdata,
  output wire logic [4:0]  rvfi_rd_addr,
  output wire logic [31:0] rvfi_rd_wdata,
  output wire logic [31:0] rvfi_pc_rdata,
  output wire logic [31:0] rvfi_pc_wdata,
  output wire logic [31:0] rvfi_mem_addr,
  output wire logic [3:0]  rvfi_mem_rmask,
  output wire logic [3:0]  rvfi_mem_wmask,
  output wire logic [31:0] rvfi_mem_rdata,
  output wire logic [31:0] rvfi_mem_wdata
);

  import nic_core_pkg::*;

  // ---- Fetch ------------------------------------------------------------------------

  wire logic        x_valid, x_compressed, x_illegal_compressed, x_fault, x_fault_upper;
  wire logic [31:0] x_insn;
  wire logic [15:0] x_halfword;
  wire logic [31:1] x_pc;
  wire logic        go, first, leave, vacate, exception;
  wire logic        redirect;
  wire logic [31:1] redirect_pc;

  nic_core_fetch u_fetch (
    .clk_i,
    .rst_ni,
    .boot_pc_i          (boot_addr_i[31:1]),
    .instr_req_o,
    .instr_gnt_i,
    .instr_addr_o,
    .instr_rvalid_i,
    .instr_rdata_i,
    .instr_err_i,
    .redirect_i         (redirect),
    .redirect_pc_i      (redirect_pc),
    .insn_valid_o       (x_valid),
    .insn_ready_i       (vacate),
    .insn_o             (x_insn),
    .insn_halfword_o    (x_halfword),
    .insn_compressed_o  (x_compressed),
    .insn_illegal_o     (x_illegal_compressed),
    .insn_fault_o       (x_fault),
    .insn_fault_upper_o (x_fault_upper),
    .insn_pc_o          (x_pc)
  );

  // ---- Decode and operands ------------------------------------------------------------

  wire decoded_t    x;
  wire logic [31:0] x_imm;

  nic_core_decode u_decode (
    .insn_i    (x_insn),
    .decoded_o (x),
    .imm_o     (x_imm)
  );

  wire logic [2:0] x_funct3    = x_insn[14:12];
  wire logic [4:0] x_rs1       = x_insn[19:15];
  wire logic [4:0] x_rs2       = x_insn[24:20];
  wire logic [4:0] x_rd        = x_insn[11:7];
  wire logic       x_is_access = x.kind == KIND_LOAD || x.kind == KIND_STORE;
  wire logic [31:0] x_encoding = x_compressed ? {16'b0, x_halfword} : x_insn;

  wire logic        w_settled, w_forward_valid, w_writes_rd;
  wire logic [4:0]  w_rd;
  wire logic [31:0] w_result;
  wire logic [31:1] w_pc;
  wire logic        register_we;
  wire logic [4:0]  register_rd;
  wire logic [31:0] register_data;
  wire logic [31:0] register_rs1, register_rs2;

  nic_core_registers u_registers (
    .clk_i,
    .rst_ni,
    .rs1_i      (x_rs1),
    .rs1_data_o (register_rs1),
    .rs2_i      (x_rs2),
    .rs2_data_o (register_rs2),
    .we_i       (register_we),
    .rd_i       (register_rd),
    .rd_data_i  (register_data)
  );

  wire logic rs1_is_w = x_rs1 == w_rd && w_writes_rd;
  wire logic rs2_is_w = x_rs2 == w_rd && w_writes_rd;

  wire logic [31:0] rs1_data = (rs1_is_w && w_forward_valid) ? w_result : register_rs1;
  wire logic [31:0] rs2_data = (rs2_is_w && w_forward_valid) ? w_result : register_rs2;

  // ---- Execute ------------------------------------------------------------------------

  // Targets and addresses have adders of their own, to be early.
  wire logic [31:1] next_pc     = x_pc + (x_compressed ? 31'd1 : 31'd2);
  wire logic [31:1] pc_target   = x_pc + x_imm[31:1];
  wire logic [31:0] rs1_target  = rs1_data + x_imm;

  wire logic [31:0] alu_result;
  wire logic        branch_taken;

  nic_core_alu u_alu (
    .op_i            (x.alu_op),
    .a_i             (x.a_is_pc ? {x_pc, 1'b0} : x.a_is_zero ? 32'd0 : rs1_data),
    .b_i             (x.b_is_imm ? x_imm : rs2_data),
    .result_o        (alu_result),
    .branch_funct3_i (x_funct3),
    .branch_taken_o  (branch_taken)
  );

  wire logic        multiply_done, divide_done;
  wire logic [31:0] multiply_result, divide_result;

  nic_core_multiply u_multiply (
    .clk_i,
    .rst_ni,
    .start_i  (first && x.kind == KIND_MULTIPLY),
    .funct3_i (x_funct3[1:0]),
    .a_i      (rs1_data),
    .b_i      (rs2_data),
    .done_o   (multiply_done),
    .result_o (multiply_result),
    .taken_i  (leave)
  );

  nic_core_divide u_divide (
    .clk_i,
    .rst_ni,
    .start_i  (first && x.kind == KIND_DIVIDE),
    .funct3_i (x_funct3[1:0]),
    .a_i      (rs1_data),
    .b_i      (rs2_data),
    .done_o   (divide_done),
    .result_o (divide_result),
    .taken_i  (leave)
  );

  // ---- Loads and stores -----------------------------------------------------------------

  wire logic        misaligned;
  wire logic        access_pending, access_free, access_good, access_error, access_fault, access_fault_store;
  wire logic        load_pending, load_valid;
  wire logic [31:0] load_data;

  nic_core_load_store u_load_store (
    .clk_i,
    .rst_ni,
    .data_req_o,
    .data_gnt_i,
    .data_addr_o,
    .data_we_o,
    .data_be_o,
    .data_wdata_o,
    .data_rvalid_i,
    .data_rdata_i,
    .data_err_i,
    .access_i       (go && x_is_access),
    .store_i        (x.kind == KIND_STORE),
    .funct3_i       (x_funct3),
    .addr_i         (rs1_target),
    .wdata_i        (rs2_data),
    .misaligned_o   (misaligned),
    .pending_o      (access_pending),
    .free_o         (access_free),
    .good_o         (access_good),
    .error_o        (access_error),
    .fault_o        (access_fault),
    .fault_store_o  (access_fault_store),
    .load_pending_o (load_pending),
    .load_valid_o   (load_valid),
    .load_data_o    (load_data)
  );

  // ---- CSRs -------------------------------------------------------------------------------

  wire logic        csr_illegal, csr_is_instret;
  wire logic [31:0] csr_rdata;
  wire logic        trap, trap_is_interrupt;
  wire logic [4:0]  trap_cause;
  wire logic [31:1] trap_pc;
  wire logic [31:0] trap_value;
  wire logic [31:1] exception_pc, interrupt_pc, mepc;
  wire logic        interrupt, wake;

  nic_core_csr u_csr (
    .clk_i,
    .rst_ni,
    .hart_id_i,
    .irq_i,
    .addr_i              (x_insn[31:20]),
    .write_op_i          (x_funct3[1:0]),
    .writes_i            (x_funct3[1:0] == CSR_WRITE || x_rs1 != 5'd0),
    .operand_i           (x_funct3[2] ? {27'b0, x_rs1} : rs1_data),
    .commit_i            (leave && x.kind == KIND_CSR),
    .rdata_o             (csr_rdata),
    .illegal_o           (csr_illegal),
    .is_instret_o        (csr_is_instret),
    .trap_i              (trap),
    .trap_is_interrupt_i (trap_is_interrupt),
    .trap_cause_i        (trap_cause),
    .trap_pc_i           (trap_pc),
    .trap_value_i        (trap_value),
    .mret_i              (leave && x.kind == KIND_MRET),
    .exception_pc_o      (exception_pc),
    .interrupt_pc_o      (interrupt_pc),
    .mepc_o              (mepc),
    .interrupt_o         (interrupt),
    .wake_o              (wake),
    .retire_i            (w_settled || access_good),
    .trace_valid_o,
    .trace_data_o
  );

  // ---- Control ----------------------------------------------------------------------------

  // A register that a pending load will write is there in the clock after its answer.
  wire logic load_hazard    = load_pending && ((x.uses_rs1 && rs1_is_w) || (x.uses_rs2 && rs2_is_w));
  wire logic instret_hazard = x.kind == KIND_CSR && csr_is_instret && (w_settled || access_pending);

  logic unit_done;
  always_comb begin
    unique case (x.kind)
      KIND_LOAD, KIND_STORE: unit_done = data_gnt_i;
      KIND_MULTIPLY:         unit_done = multiply_done;
      KIND_DIVIDE:           unit_done = divide_done;
      KIND_WFI:              unit_done = wake;
      default:               unit_done = 1'b1;
    endcase
  end

  nic_core_control u_control (
    .clk_i,
    .rst_ni,
    .valid_i             (x_valid),
    .kind_i              (x.kind),
    .fault_i             (x_fault),
    .fault_upper_i       (x_fault_upper),
    .illegal_i           (x_illegal_compressed || (x.kind == KIND_CSR && csr_illegal)),
    .misaligned_i        (misaligned),
    .branch_taken_i      (branch_taken),
    .hazard_i            (load_hazard || instret_hazard),
    .pc_i                (x_pc),
    .next_pc_i           (next_pc),
    .pc_target_i         (pc_target),
    .rs1_target_i        (rs1_target),
    .encoding_i          (x_encoding),
    .unit_done_i         (unit_done),
    .free_i              (access_free),
    .error_i             (access_error),
    .fault_access_i      (access_fault),
    .fault_store_i       (access_fault_store),
    .fault_pc_i          (w_pc),
    .fault_addr_i        (w_result),
    .interrupt_i         (interrupt),
    .exception_pc_i      (exception_pc),
    .interrupt_pc_i      (interrupt_pc),
    .mepc_i              (mepc),
    .go_o                (go),
    .first_o             (first),
    .leave_o             (leave),
    .vacate_o            (vacate),
    .exception_o         (exception),
    .redirect_o          (redirect),
    .redirect_pc_o       (redirect_pc),
    .trap_o              (trap),
    .trap_is_interrupt_o (trap_is_interrupt),
    .trap_cause_o        (trap_cause),
    .trap_pc_o           (trap_pc),
    .trap_value_o        (trap_value)
  );

  assign sleep_o = go && !first && x.kind == KIND_WFI;

  // ---- Writeback --------------------------------------------------------------------------

  logic [31:0] x_result;
  always_comb begin
    unique case (x.kind)
      KIND_JAL, KIND_JALR:   x_result = {next_pc, 1'b0};
      KIND_LOAD, KIND_STORE: x_result = rs1_target;
      KIND_MULTIPLY:         x_result = multiply_result;
      KIND_DIVIDE:           x_result = divide_result;
      KIND_CSR:              x_result = csr_rdata;
      default:               x_result = alu_result;
    endcase
  end

  nic_core_writeback u_writeback (
    .clk_i,
    .rst_ni,
    .leave_i         (leave),
    .is_access_i     (x_is_access),
    .writes_rd_i     (x.writes_rd),
    .rd_i            (x_rd),
    .result_i        (x_result),
    .pc_i            (x_pc),
    .load_valid_i    (load_valid),
    .load_data_i     (load_data),
    .settled_o       (w_settled),
    .forward_valid_o (w_forward_valid),
    .writes_rd_o     (w_writes_rd),
    .rd_o            (w_rd),
    .result_o        (w_result),
    .pc_o            (w_pc),
    .register_we_o   (register_we),
    .register_rd_o   (register_rd),
    .register_data_o (register_data)
  );

  wire logic unused_boot_bit = boot_addr_i[0];   // boot addresses are even

  // ---- RVFI -------------------------------------------------------------------------------

  if (Rvfi != 0) begin : gen_rvfi
    nic_core_rvfi u_rvfi (
      .clk_i,
      .rst_ni,
      .leave_i          (leave),
      .exception_i      (exception),
      .interrupt_i      (trap && trap_is_interrupt),
      .is_access_i      (x_is_access),
      .encoding_i       (x_fault ? 32'd0 : x_encoding),
      .pc_i             (x_pc),
      .following_pc_i   (redirect ? redirect_pc : next_pc),
      .rs1_i            (x.uses_rs1 ? x_rs1 : 5'd0),
      .rs1_data_i       (rs1_data),
      .rs2_i            (x.uses_rs2 ? x_rs2 : 5'd0),
      .rs2_data_i       (rs2_data),
      .rd_i             (x.writes_rd ? x_rd : 5'd0),
      .result_i         (x_result),
      .data_we_i        (data_we_o),
      .data_be_i        (data_be_o),
      .data_addr_i      (data_addr_o),
      .data_wdata_i     (data_wdata_o),
      .access_good_i    (access_good),
      .access_fault_i   (access_fault),
      .exception_pc_i   (exception_pc),
      .load_valid_i     (load_valid),
      .load_data_i      (load_data),
      .data_rdata_i,
      .rvfi_valid_o     (rvfi_valid),
      .rvfi_order_o     (rvfi_order),
      .rvfi_insn_o      (rvfi_insn),
      .rvfi_trap_o      (rvfi_trap),
      .rvfi_halt_o      (rvfi_halt),
      .rvfi_intr_o      (rvfi_intr),
      .rvfi_mode_o      (rvfi_mode),
      .rvfi_ixl_o       (rvfi_ixl),
      .rvfi_rs1_addr_o  (rvfi_rs1_addr),
      .rvfi_rs2_addr_o  (rvfi_rs2_addr),
      .rvfi_rs1_rdata_o (rvfi_rs1_rdata),
      .rvfi_rs2_rdata_o (rvfi_rs2_rdata),
      .rvfi_rd_addr_o   (rvfi_rd_addr),
      .rvfi_rd_wdata_o  (rvfi_rd_wdata),
      .rvfi_pc_rdata_o  (rvfi_pc_rdata),
      .rvfi_pc_wdata_o  (rvfi_pc_wdata),
      .rvfi_mem_addr_o  (rvfi_mem_addr),
      .rvfi_mem_rmask_o (rvfi_mem_rmask),
      .rvfi_mem_wmask_o (rvfi_mem_wmask),
      .rvfi_mem_rdata_o (rvfi_mem_rdata),
      .rvfi_mem_wdata_o (rvfi_mem_wdata)
    );
  end else begin : gen_no_rvfi
    assign rvfi_valid     = 1'b0;
    assign rvfi_order     = 64'd0;
    assign rvfi_insn      = 32'd0;
    assign rvfi_trap      = 1'b0;
    assign rvfi_halt      = 1'b0;
    assign rvfi_intr      = 1'b0;
    assign rvfi_mode      = 2'd0;
    assign rvfi_ixl       = 2'd0;
    assign rvfi_rs1_addr  = 5'd0;
    assign rvfi_rs2_addr  = 5'd0;
    assign rvfi_rs1_rdata = 32'd0;
    assign rvfi_rs2_rdata = 32'd0;
    assign rvfi_rd_addr   = 5'd0;
    assign rvfi_rd_wdata  = 32'd0;
    assign rvfi_pc_rdata  = 32'd0;
    assign rvfi_pc_wdata  = 32'd0;
    assign rvfi_mem_addr  = 32'd0;
    assign rvfi_mem_rmask = 4'd0;
    assign rvfi_mem_wmask = 4'd0;
    assign rvfi_mem_rdata = 32'd0;
    assign rvfi_mem_wdata = 32'd0;

    wire logic unused_exception = exception;
  end

  // ---- Assertions -------------------------------------------------------------------------

  nic_core_obi_checker u_instr_checker (
    .clk_i,
    .rst_ni,
    .req_i    (instr_req_o),
    .gnt_i    (instr_gnt_i),
    .addr_i   (instr_addr_o),
    .we_i     (1'b0),
    .be_i     (4'b1111),
    .wdata_i  (32'd0),
    .rvalid_i (instr_rvalid_i)
  );

  nic_core_obi_checker u_data_checker (
    .clk_i,
    .rst_ni,
    .req_i    (data_req_o),
    .gnt_i    (data_gnt_i),
    .addr_i   (data_addr_o),
    .we_i     (data_we_o),
    .be_i     (data_be_o),
    .wdata_i  (data_wdata_o),
    .rvalid_i (data_rvalid_i)
  );

endmodule

`default_nettype wire
