// A RISC-V core: RV32IMC, Zba, Zbb, Zbs, Zicsr, Zifencei, machine mode, in order. docs/core.md has
// pipeline and costs.
//
// Ports:      instruction and data port are OBI as docs/interfaces.md says ("Core ports"), one
//             address phase and one answer phase each. At most two fetches and one data access are
//             outstanding. A data request holds until its grant; a fetch that was not granted may
//             give way to another.
// Timing:     instr_addr_o and instr_req_o come from registers. Paths from inputs to outputs in one
//             clock: data_rvalid_i and data_err_i to data_*, look_valid_i to instr_addr_o. Memories
//             should give them from registers. No path from a grant to a request, nor from rdata to
//             anything but registers.
// Interrupt:  irq_i is a level; it is seen two clocks later at the earliest, between two
//             instructions.
// Sleep:      clk_i may stop in wfi and nic.dispatch, when clock_o says so (nic_core_sleep);
//             clk_free_i never does.
// Reset:      fetching starts at boot_addr_i (even) in the first clock after reset. Registers x1 to
//             x31, mepc, mcause, mtval and mscratch start undefined, mtvec with 0.
// Trace:      trace_* show a write of CSR 0x7C0 for one clock, in which the writing instruction
//             retires.
// Debug:      debug_req_i is a level; the core enters debug mode between two instructions and goes
//             on at DebugEntryAddr, after an exception in debug mode at DebugExceptionAddr.
//             docs/interfaces.md, "Debug ports".
// Parameters: Rvfi = 1 drives rvfi_* (nic_core_rvfi), which is silent in debug mode; 0 ties them to
//             zero. Debug = 0 leaves out debug mode and triggers: debug_req_i is ignored, their
//             CSRs and dret do not exist.

`default_nettype none

module nic_core #(
  parameter int unsigned Rvfi               = 0,
  parameter int unsigned Debug              = 1,
  parameter logic [31:0] DebugEntryAddr     = 32'hFFFF_F900,
  parameter logic [31:0] DebugExceptionAddr = 32'hFFFF_F908
) (
  input  wire logic        clk_i,                 // may stop while clock_o is low
  input  wire logic        clk_free_i,            // the same clock, which never stops: for what
                                                  // counts while the core sleeps
  input  wire logic        rst_ni,

  input  wire logic [31:0] boot_addr_i,
  input  wire logic [31:0] hart_id_i,
  input  wire logic [63:0] time_i,                // what the CSR time reads

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
  input  wire logic        data_slow_i,           // the answer is on data_slow_rdata_i instead
  input  wire logic [31:0] data_slow_rdata_i,
  input  wire logic        data_err_i,

  // A look at an instruction while the data port has no request: the word at look_addr_o, if it can
  // be had in the next clock
  output wire logic        look_o,
  output wire logic [31:0] look_addr_o,
  input  wire logic        look_valid_i,
  input  wire logic [31:0] look_rdata_i,

  // High for one clock (fence.i): code that was stored before is about to be executed, so caches of
  // instructions must be emptied
  output wire logic        fence_i_o,

  // The event that is to be served, from registers, for nic.dispatch
  input  wire logic        event_valid_i,
  input  wire logic [4:0]  event_i,

  // Whether the core waits, for its counters: an access of the SRAM is not granted; it asked for
  // the semaphore and does not own it
  input  wire logic        sram_waits_i,
  input  wire logic        semaphore_waits_i,

  // Machine external interrupt, and sleeping in wfi or nic.dispatch
  input  wire logic        irq_i,
  output wire logic        sleep_o,
  output wire logic        clock_o,               // the core needs the next edge of clk_i
                                                  // (nic_core_sleep)
  input  wire logic        busy_i,                // another block needs that clock, or an answer is
                                                  // still to come

  // Debug
  input  wire logic        debug_req_i,
  output wire logic        debug_mode_o,

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

  // ---- The instruction in execute, as decode leaves it --------------------------------

  logic                   x_valid_q;
  nic_core_pkg::decoded_t x;
  nic_core_pkg::is_t      x_is;
  logic                   x_predicted_q, x_broken_q, x_fault_q, x_fault_upper_q, x_compressed_q, x_illegal_q;
  logic [31:0]            x_insn_q;        // expanded
  logic [15:0]            x_halfword_q;    // as in memory
  logic [31:0]            x_imm;
  logic [31:1]            x_pc;

  // ---- Fetch ------------------------------------------------------------------------

  wire logic        d_valid, d_predicted, d_broken, d_fault, d_fault_upper;
  wire logic [31:0] d_fetched;
  wire logic [31:1] d_pc;
  wire logic        go, first, leave, vacate, exception;
  wire logic        astray, redirect, redirect_look, look;
  wire logic [31:2] look_pc;
  wire logic [31:1] peek_pc;
  wire logic [31:1] following_pc, redirect_pc;
  wire logic        update, forget, update_taken, update_right;
  wire logic [31:1] last_half;

  // Execute is empty after this clock, or takes what decode has.
  wire logic        d_ready = vacate || !x_valid_q;

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
    .redirect_look_i    (redirect_look),
    .look_i             (look),
    .look_pc_i          (look_pc),
    .peek_i             (!x_is.jalr),
    .peek_pc_i          (peek_pc),
    .look_valid_i,
    .look_rdata_i,
    .update_i           (update),
    .forget_i           (forget),
    .update_taken_i     (update_taken),
    .update_right_i     (update_right),
    .update_last_half_i (last_half),
    .insn_valid_o       (d_valid),
    .insn_ready_i       (d_ready),
    .insn_o             (d_fetched),
    .insn_pc_o          (d_pc),
    .insn_predicted_o   (d_predicted),
    .insn_broken_o      (d_broken),
    .insn_fault_o       (d_fault),
    .insn_fault_upper_o (d_fault_upper)
  );

  // ---- Decode -------------------------------------------------------------------------

  wire logic [31:0]            d_insn, d_imm;
  wire logic                   d_compressed, d_illegal, d_b_is_imm;
  wire nic_core_pkg::decoded_t d;

  nic_core_decompress u_decompress (
    .insn_i       (d_fetched),
    .insn_o       (d_insn),
    .compressed_o (d_compressed),
    .illegal_o    (d_illegal)
  );

  nic_core_decode u_decode (
    .insn_i     (d_insn),
    .decoded_o  (d),
    .imm_o      (d_imm),
    .b_is_imm_o (d_b_is_imm)
  );

  wire logic [4:0]  d_rs1 = d_insn[19:15];
  wire logic [4:0]  d_rs2 = d_insn[24:20];
  wire logic        register_we;
  wire logic [4:0]  register_rd;
  wire logic [31:0] register_data;
  wire logic [31:0] register_rs1, register_rs2;

  nic_core_registers u_registers (
    .clk_i,
    .rst_ni,
    .rs1_i      (d_rs1),
    .rs1_data_o (register_rs1),
    .rs2_i      (d_rs2),
    .rs2_data_o (register_rs2),
    .we_i       (register_we),
    .rd_i       (register_rd),
    .rd_data_i  (register_data)
  );

  // ---- Into execute ---------------------------------------------------------------------

  wire logic enter = d_valid && d_ready;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || redirect) x_valid_q <= 1'b0;
    else if (d_ready)        x_valid_q <= d_valid;

    if (enter) begin
      x               <= d;
      x_is            <= nic_core_pkg::is_of(d.kind);
      x_predicted_q   <= d_predicted;
      x_broken_q      <= d_broken;
      x_fault_q       <= d_fault;
      x_fault_upper_q <= d_fault_upper;
      x_compressed_q  <= d_compressed;
      x_illegal_q     <= d_illegal;
      x_insn_q        <= d_insn;
      x_halfword_q    <= d_fetched[15:0];
      x_imm           <= d_imm;
      x_pc            <= d_pc;
    end
  end

  wire logic [2:0]  x_funct3    = x_insn_q[14:12];
  wire logic [4:0]  x_rs1       = x_insn_q[19:15];
  wire logic [4:0]  x_rs2       = x_insn_q[24:20];
  wire logic [4:0]  x_rd        = x_insn_q[11:7];
  wire logic [31:0] x_encoding  = x_compressed_q ? {16'b0, x_halfword_q} : x_insn_q;

  // ---- Operands -------------------------------------------------------------------------

  wire logic        w_settled, w_writes_rd, w_late, w_written;
  wire logic [4:0]  w_rd;
  wire logic [31:0] w_result, w_final;
  wire logic [31:1] w_pc;
  wire logic        rs1_waits, rs2_waits;
  wire logic [31:0] rs1_data, operand_b;

  // The instruction that leaves execute while another enters. If it traps, the entering instruction
  // is void.
  wire logic x_writes_rd = x_valid_q && x.writes_rd;

  nic_core_operand u_rs1 (
    .clk_i,
    .rst_ni,
    .enter_i          (enter),
    .is_imm_i         (1'b0),
    .from_execute_i   (x_writes_rd && d_rs1 == x_rd),
    .from_writeback_i (w_writes_rd && d_rs1 == w_rd),
    .from_last_i      (register_we && d_rs1 == register_rd),
    .register_i       (register_rs1),
    .imm_i            (32'd0),
    .w_late_i         (w_late),
    .w_written_i      (w_written),
    .w_result_i       (w_result),
    .last_i           (register_data),
    .waits_o          (rs1_waits),
    .value_o          (rs1_data)
  );

  nic_core_operand u_rs2 (
    .clk_i,
    .rst_ni,
    .enter_i          (enter),
    .is_imm_i         (d_b_is_imm),
    .from_execute_i   (x_writes_rd && d_rs2 == x_rd),
    .from_writeback_i (w_writes_rd && d_rs2 == w_rd),
    .from_last_i      (register_we && d_rs2 == register_rd),
    .register_i       (register_rs2),
    .imm_i            (x_imm),
    .w_late_i         (w_late),
    .w_written_i      (w_written),
    .w_result_i       (w_result),
    .last_i           (register_data),
    .waits_o          (rs2_waits),
    .value_o          (operand_b)
  );

  wire logic source_hazard = (x.uses_rs1 && rs1_waits) || (x.uses_rs2 && rs2_waits);

  // ---- Execute ------------------------------------------------------------------------

  // Targets and addresses have adders of their own, to be early.
  wire logic [31:1] next_pc     = x_pc + (x_compressed_q ? 31'd1 : 31'd2);
  wire logic [31:1] pc_target   = x_pc + x_imm[31:1];
  wire logic [31:0] rs1_target  = rs1_data + x_imm;

  // A prediction that cuts an instruction in two belongs to its first half.
  assign last_half = (x_compressed_q || x_broken_q) ? x_pc : x_pc + 31'd1;

  // The instruction that was fetched after a predicted branch is in decode, or will come there.
  wire logic pc_target_hit, rs1_target_hit;

  nic_core_sum_is u_pc_target_hit  (.a_i({x_pc, 1'b0}),   .b_i(x_imm), .sum_i(d_pc), .yes_o(pc_target_hit));
  nic_core_sum_is u_rs1_target_hit (.a_i(rs1_data), .b_i(x_imm), .sum_i(d_pc), .yes_o(rs1_target_hit));

  wire logic [31:0] alu_result;
  wire logic        equal, below;

  nic_core_alu u_alu (
    .op_i            (x.alu),
    .a_i             (rs1_data),
    .b_i             (operand_b),
    .result_o        (alu_result),
    .unsigned_i      (x.is_unsigned),
    .equal_o         (equal),
    .below_o         (below)
  );

  wire logic        divide_done;
  wire logic [31:0] multiply_result, count_result, divide_result;

  nic_core_multiply u_multiply (
    .clk_i,
    .start_i  (first && x_is.multiply),
    .funct3_i (x_funct3[1:0]),
    .a_i      (rs1_data),
    .b_i      (operand_b),
    .result_o (multiply_result)
  );

  nic_core_bit_count u_bit_count (
    .clk_i,
    .start_i   (first && x_is.count),
    .op_i      (x_rs2[1:0]),
    .extreme_i (x.alu.extreme),
    .picks_b_i (below == x.alu.wants_max),
    .a_i       (rs1_data),
    .b_i       (operand_b),
    .result_o  (count_result)
  );

  nic_core_divide u_divide (
    .clk_i,
    .rst_ni,
    .start_i  (first && x_is.divide),
    .funct3_i (x_funct3[1:0]),
    .a_i      (rs1_data),
    .b_i      (operand_b),
    .done_o   (divide_done),
    .result_o (divide_result),
    .taken_i  (leave)
  );

  // ---- Loads and stores -----------------------------------------------------------------

  wire logic        misaligned;
  wire logic        access_pending, access_free, access_good, access_error, access_fault, access_fault_store;
  wire logic        load_valid;
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
    .data_slow_i,
    .data_slow_rdata_i,
    .data_err_i,
    .access_i       (go && x_is.access),
    .store_i        (x_is.store),
    .funct3_i       (x_funct3),
    .addr_i         (rs1_target),
    .wdata_i        (operand_b),
    .misaligned_o   (misaligned),
    .pending_o      (access_pending),
    .free_o         (access_free),
    .good_o         (access_good),
    .error_o        (access_error),
    .fault_o        (access_fault),
    .fault_store_o  (access_fault_store),
    .load_valid_o   (load_valid),
    .load_data_o    (load_data)
  );

  // The data port of the memory is idle while a branch is decided. So the word to which the branch
  // goes if its prediction is wrong is read there.
  assign look    = x_valid_q && !source_hazard && (x_is.branch || x_is.jump);
  assign peek_pc = x_predicted_q ? next_pc : pc_target;
  assign look_pc = x_is.jalr ? rs1_target[31:2] : peek_pc[31:2];

  assign look_o      = look;
  assign look_addr_o = {look_pc, 2'b00};

  // ---- CSRs -------------------------------------------------------------------------------

  wire logic        csr_illegal, csr_is_instret;
  wire logic [31:0] csr_rdata;
  wire logic        trap, trap_is_interrupt;
  wire logic [4:0]  trap_cause;
  wire logic [31:1] trap_pc;
  wire logic [31:0] trap_value;
  wire logic [31:1] exception_pc, interrupt_pc, mepc;
  wire logic        interrupt, wake, irq_is_new, debug_req_is_new;
  wire logic        debug_mode, debug_csr_exists, trigger_csr_exists, event_csr_exists, csr_write;
  wire logic [31:0] debug_csr_rdata, event_csr_rdata, stalls_csr_rdata, trigger_csr_rdata, csr_wdata;

  nic_core_csr u_csr (
    .clk_i,
    .clk_free_i,
    .rst_ni,
    .hart_id_i,
    .time_i,
    .irq_i,
    .irq_is_new_o        (irq_is_new),
    .access_i            (x_is.csr),
    .addr_i              (x_insn_q[31:20]),
    .write_op_i          (x_funct3[1:0]),
    .writes_i            (x_funct3[1:0] == nic_core_pkg::CSR_WRITE || x_rs1 != 5'd0),
    .operand_i           (x_funct3[2] ? {27'b0, x_rs1} : rs1_data),
    .commit_i            (leave && x_is.csr),
    .rdata_o             (csr_rdata),
    .illegal_o           (csr_illegal),
    .is_instret_o        (csr_is_instret),
    .trap_i              (trap && !debug_mode),
    .trap_is_interrupt_i (trap_is_interrupt),
    .trap_cause_i        (trap_cause),
    .trap_pc_i           (trap_pc),
    .trap_value_i        (trap_value),
    .mret_i              (leave && x_is.mret),
    .exception_pc_o      (exception_pc),
    .interrupt_pc_o      (interrupt_pc),
    .mepc_o              (mepc),
    .interrupt_o         (interrupt),
    .wake_o              (wake),
    .retire_i            (w_settled || access_good),
    .freeze_i            (debug_mode),
    .uncounted_i         (leave && x_is.dret),
    .write_o             (csr_write),
    .wdata_o             (csr_wdata),
    .more_exists_i       (debug_csr_exists || trigger_csr_exists || event_csr_exists),
    .more_rdata_i        (debug_csr_rdata | trigger_csr_rdata | event_csr_rdata),
    .counter_rdata_i     (stalls_csr_rdata),
    .trace_valid_o,
    .trace_data_o
  );

  // ---- Events -----------------------------------------------------------------------------

  wire logic [31:1] handler;

  nic_core_dispatch u_dispatch (
    .clk_i,
    .event_i,
    .handler_o    (handler),
    .csr_addr_i   (x_insn_q[31:20]),
    .csr_write_i  (csr_write),
    .csr_wdata_i  (csr_wdata),
    .csr_exists_o (event_csr_exists),
    .csr_rdata_o  (event_csr_rdata)
  );

  // ---- Debug mode and triggers ----------------------------------------------------------------

  wire logic                       halt, ebreak_enters, wfi_passes, no_interrupts, enter_debug;
  wire nic_core_pkg::debug_cause_e halt_cause, enter_cause;
  wire logic [31:1]                dpc;
  wire logic                       could_start, hold, fire_debug, fire_exception, late, fired, triggers_on, debugging;

  if (Debug != 0) begin : gen_debug
    nic_core_debug u_debug (
      .clk_i,
      .rst_ni,
      .debug_req_i,
      .req_is_new_o    (debug_req_is_new),
      .debug_mode_o    (debug_mode),
      .halt_o          (halt),
      .halt_cause_o    (halt_cause),
      .ebreak_enters_o (ebreak_enters),
      .wfi_passes_o    (wfi_passes),
      .no_interrupts_o (no_interrupts),
      .dpc_o           (dpc),
      .enter_i         (enter_debug),
      .enter_cause_i   (enter_cause),
      .enter_pc_i      (x_pc),
      .dret_i          (leave && x_is.dret),
      .progress_i      (leave || trap),
      .csr_addr_i      (x_insn_q[31:20]),
      .csr_write_i     (csr_write),
      .csr_wdata_i     (csr_wdata),
      .csr_exists_o    (debug_csr_exists),
      .csr_rdata_o     (debug_csr_rdata)
    );

    nic_core_triggers u_triggers (
      .clk_i,
      .rst_ni,
      .debug_mode_i     (debug_mode),
      .could_start_i    (could_start),
      .decoded_i        (!x_fault_q && !x_illegal_q),
      .compressed_i     (x_compressed_q),
      .is_load_i        (x_is.load),
      .is_store_i       (x_is.store),
      .size_log2_i      (x_funct3[1:0]),
      .pc_i             (x_pc),
      .encoding_i       (x_encoding),
      .addr_i           (rs1_target),
      .wdata_i          (operand_b),
      .load_starts_i    (first && x_is.load),
      .load_valid_i     (load_valid),
      .load_data_i      (load_data),
      .on_o             (triggers_on),
      .hold_o           (hold),
      .fire_debug_o     (fire_debug),
      .fire_exception_o (fire_exception),
      .late_o           (late),
      .fired_i          (fired),
      .redirect_i       (redirect),
      .trap_i           (trap && !debug_mode),
      .mret_i           (leave && x_is.mret),
      .csr_addr_i       (x_insn_q[31:20]),
      .csr_write_i      (csr_write),
      .csr_wdata_i      (csr_wdata),
      .csr_exists_o     (trigger_csr_exists),
      .csr_rdata_o      (trigger_csr_rdata)
    );

    // Most of the time none of these conditions holds.
    assign debugging = triggers_on || halt || ebreak_enters;
  end else begin : gen_no_debug
    assign debugging          = 1'b0;
    assign debug_req_is_new   = 1'b0;
    assign triggers_on        = 1'b0;
    assign debug_mode         = 1'b0;
    assign halt               = 1'b0;
    assign halt_cause         = nic_core_pkg::DEBUG_NONE;
    assign ebreak_enters      = 1'b0;
    assign wfi_passes         = 1'b0;
    assign no_interrupts      = 1'b0;
    assign dpc                = 31'd0;
    assign debug_csr_exists   = 1'b0;
    assign debug_csr_rdata    = 32'd0;
    assign hold               = 1'b0;
    assign fire_debug         = 1'b0;
    assign fire_exception     = 1'b0;
    assign late               = 1'b0;
    assign trigger_csr_exists = 1'b0;
    assign trigger_csr_rdata  = 32'd0;

    wire logic unused_for_debug = &{1'b0, debug_req_i, triggers_on, enter_debug, enter_cause, could_start, fired, csr_write, csr_wdata};
  end

  assign debug_mode_o = debug_mode;

  // ---- Control ----------------------------------------------------------------------------

  // Until there is an event, an interrupt or a debugger may take the place of the dispatch.
  wire logic event_waits    = x_is.dispatch && !event_valid_i;
  // A dispatch sleeps once nothing older is under way.
  wire logic dispatch_sleeps = x_valid_q && !redirect && event_waits && !access_pending && !hold;
  // A CSR is looked up in one clock, the instruction starts in the next, and writes in the third,
  // by when its start is in a register. A CSR that counts instructions is read when all older
  // instructions have retired.
  logic csr_looked_q, csr_started_q, retiring_q;
  always_ff @(posedge clk_i) begin
    csr_looked_q  <= !enter;
    csr_started_q <= first && x_is.csr;
    retiring_q    <= w_settled || access_pending;
  end
  wire logic csr_hazard     = x_is.csr && (!csr_looked_q || (csr_is_instret && retiring_q));

  wire logic unit_done = !(x_is.access && !data_gnt_i) && !(x_is.divide && !divide_done) && !(x_is.wfi && !wake && !wfi_passes) &&
                         !(x_is.csr && !csr_started_q);

  // mret and dret are each legal in their own mode only. nic.dispatch is illegal in debug mode,
  // since no event would end it.
  wire logic wrong_return = (x_is.dret && !debug_mode) || ((x_is.mret || x_is.dispatch) && debug_mode);

  nic_core_control u_control (
    .clk_i,
    .rst_ni,
    .valid_i             (x_valid_q),
    .kind_i              (x.kind),
    .is_i                (x_is),
    .fault_i             (x_fault_q),
    .fault_upper_i       (x_fault_upper_q),
    .illegal_i           (x_illegal_q || (x_is.csr && csr_looked_q && csr_illegal) || wrong_return),
    .misaligned_i        (misaligned),
    .equal_i             (equal),
    .below_i             (below),
    .compares_below_i    (x_funct3[2]),
    .inverts_i           (x_funct3[0]),
    .predicted_i         (x_predicted_q),
    .broken_i            (x_broken_q),
    .pc_target_hit_i     (pc_target_hit),
    .rs1_target_hit_i    (rs1_target_hit),
    .hazard_i            (source_hazard || csr_hazard),
    .waits_i             (event_waits),
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
    .interrupt_i         (interrupt && !no_interrupts),
    .exception_pc_i      (debug_mode ? DebugExceptionAddr[31:1] : exception_pc),
    .interrupt_pc_i      (interrupt_pc),
    .handler_i           (handler),
    .return_pc_i         (debug_mode ? dpc : mepc),
    .debugging_i         (debugging),
    .halt_i              (halt),
    .halt_cause_i        (halt_cause),
    .ebreak_enters_i     (ebreak_enters),
    .debug_entry_pc_i    (DebugEntryAddr[31:1]),
    .hold_i              (hold),
    .fire_debug_i        (fire_debug),
    .fire_exception_i    (fire_exception),
    .late_i              (late),
    .could_start_o       (could_start),
    .fired_o             (fired),
    .enter_o             (enter_debug),
    .enter_cause_o       (enter_cause),
    .go_o                (go),
    .first_o             (first),
    .leave_o             (leave),
    .vacate_o            (vacate),
    .exception_o         (exception),
    .astray_o            (astray),
    .following_pc_o      (following_pc),
    .redirect_o          (redirect),
    .redirect_pc_o       (redirect_pc),
    .redirect_look_o     (redirect_look),
    .update_o            (update),
    .forget_o            (forget),
    .update_taken_o      (update_taken),
    .update_right_o      (update_right),
    .trap_o              (trap),
    .trap_is_interrupt_o (trap_is_interrupt),
    .trap_cause_o        (trap_cause),
    .trap_pc_o           (trap_pc),
    .trap_value_o        (trap_value)
  );

  assign fence_i_o = leave && x_is.fence_i;
  assign sleep_o = (go && !first && x_is.wfi) || dispatch_sleeps;

  nic_core_sleep u_sleep (
    .clk_i,
    .clk_free_i,
    .rst_ni,
    .still_i (sleep_o && !wake && !irq_is_new && !debug_req_is_new && !debugging && !instr_req_o && !busy_i),
    .clock_o,
    .acts_i  (instr_rvalid_i || data_req_o || data_rvalid_i || trace_valid_o || rvfi_valid)
  );

  // ---- Counters ---------------------------------------------------------------------------

  nic_core_stalls u_stalls (
    .clk_i        (clk_free_i),
    .rst_ni,
    .semaphore_i  (semaphore_waits_i),
    .leave_i      (leave),
    .trap_i       (trap || enter_debug),
    .sleep_i      ((go && x_is.wfi) || dispatch_sleeps),
    .sram_i       (sram_waits_i),
    .valid_i      (x_valid_q && !redirect),
    .access_i     (access_pending || (go && x_is.access)),
    .redirect_i   (redirect),
    .from_debug_i (leave && x_is.dret),
    .freeze_i     (debug_mode),
    .csr_addr_i   (x_insn_q[31:20]),
    .csr_write_i  (csr_write),
    .csr_wdata_i  (csr_wdata),
    .csr_rdata_o  (stalls_csr_rdata)
  );

  // ---- Writeback --------------------------------------------------------------------------

  // Each part is zero for instructions that do not use it.
  wire logic [31:0] x_other = ({32{x_is.links}}  & {next_pc, 1'b0}) |
                              ({32{x_is.access}} & rs1_target) |
                              ({32{x_is.lui}}    & x_imm) |
                              ({32{x_is.auipc}}  & {pc_target, x_imm[0]}) |
                              ({32{x_is.divide}} & divide_result) |
                              ({32{x_is.csr}}    & csr_rdata);
  wire logic [31:0] x_result = alu_result | x_other;

  nic_core_writeback u_writeback (
    .clk_i,
    .rst_ni,
    .leave_i           (leave),
    .is_access_i       (x_is.access),
    .is_multiply_i     (x_is.multiply),
    .is_count_i        (x_is.count),
    .writes_rd_i       (x.writes_rd),
    .rd_i              (x_rd),
    .result_i          (x_result),
    .pc_i              (x_pc),
    .access_pending_i  (access_pending),
    .load_valid_i      (load_valid),
    .load_data_i       (load_data),
    .multiply_result_i (multiply_result),
    .count_result_i    (count_result),
    .settled_o         (w_settled),
    .writes_rd_o       (w_writes_rd),
    .late_o            (w_late),
    .written_o         (w_written),
    .rd_o              (w_rd),
    .result_o          (w_result),
    .final_o           (w_final),
    .pc_o              (w_pc),
    .register_we_o     (register_we),
    .register_rd_o     (register_rd),
    .register_data_o   (register_data)
  );

  wire logic unused_boot_bit = boot_addr_i[0];   // boot addresses are even

  // ---- RVFI -------------------------------------------------------------------------------

  // An instruction that traps without starting does not wait for its sources. It is reported to
  // read none that is still to come.

  if (Rvfi != 0) begin : gen_rvfi
    nic_core_rvfi u_rvfi (
      .clk_i,
      .rst_ni,
      .leave_i          (leave && !debug_mode),
      .exception_i      (exception && !debug_mode),
      .interrupt_i      (trap && trap_is_interrupt),
      .is_access_i      (x_is.access),
      .encoding_i       (x_fault_q ? 32'd0 : x_encoding),
      .pc_i             (x_pc),
      .following_pc_i   (astray ? following_pc : d_pc),
      .rs1_i            (x.uses_rs1 && !rs1_waits ? x_rs1 : 5'd0),
      .rs1_data_i       (rs1_data),
      .rs2_i            (x.uses_rs2 && !rs2_waits ? x_rs2 : 5'd0),
      .rs2_data_i       (operand_b),
      .rd_i             (x.writes_rd ? x_rd : 5'd0),
      .data_we_i        (data_we_o),
      .data_be_i        (data_be_o),
      .data_addr_i      (data_addr_o),
      .data_wdata_i     (data_wdata_o),
      .access_good_i    (access_good && !debug_mode),
      .access_fault_i   (access_fault && !debug_mode),
      .exception_pc_i   (exception_pc),
      .result_i         (w_final),
      .data_rdata_i     (data_slow_i ? data_slow_rdata_i : data_rdata_i),
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

    wire logic unused_for_rvfi = &{1'b0, exception, astray, following_pc, x_rs2, w_final};
  end

  // ---- Assertions -------------------------------------------------------------------------

  nic_core_obi_checker #(.Holds(0)) u_instr_checker (
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
