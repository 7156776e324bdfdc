// The core, with ports that may do anything the rules permit, and one check of the instructions
// that it retires.
//
// Environment: a symbolic program (fetched words are free); grants, answers, errors and interrupts
//              at any time. A port answers only what was granted, and predictions are anything
//              (formal_predict). The first clock is reset; from then on there is no reset.
// Parameters:  Check chooses the property. Defect = 1 gives the check a wrong effect, to show that
//              the check can fail. Debug is the parameter of the core. Quiet: for this many clocks
//              memory is quick and good, nothing is predicted, no interrupt comes, and the core
//              boots at BOOT. Signals that are constant then cost the search nothing. Preamble = 1:
//              the program begins with the two instructions that enable interrupts. Halt: the clock
//              from which on debug_req_i is high while it is quiet, 0 for never. Steps = 1: a
//              halted core is told to step. Reach: see Check 20.

`default_nettype none

module formal_core #(
  parameter int unsigned Check    = 0,
  parameter int unsigned Defect   = 0,
  parameter int unsigned Bitmanip = 0,
  parameter int unsigned Debug    = 0,
  parameter int unsigned Quiet    = 0,
  parameter int unsigned Preamble = 0,
  parameter int unsigned Halt     = 0,
  parameter int unsigned Steps    = 0,
  parameter int unsigned Reach    = 0
) (
  input wire logic        clk_i,
  // What is free
  input wire logic [31:0] boot_addr_i,
  input wire logic        any_instr_gnt_i,
  input wire logic        any_instr_rvalid_i,
  input wire logic [31:0] any_instr_rdata_i,
  input wire logic        any_instr_err_i,
  input wire logic        any_data_gnt_i,
  input wire logic        any_data_rvalid_i,
  input wire logic [31:0] data_rdata_i,
  input wire logic        data_slow_i,
  input wire logic [31:0] data_slow_rdata_i,
  input wire logic        data_err_i,
  input wire logic        any_look_valid_i,
  input wire logic [31:0] look_rdata_i,
  input wire logic        any_irq_i,
  input wire logic        any_debug_req_i,
  input wire logic        event_valid_i,
  input wire logic [4:0]  event_i,
  // Numbers of the solver's choice, which stay constant: the register, word or bit that a check
  // follows
  input wire logic [31:0] chosen_i,
  input wire logic [31:0] chosen_word_i
);

  logic first_q = 1'b1;
  always_ff @(posedge clk_i) first_q <= 1'b0;
  wire logic rst_n = !first_q;

  // Taken in the first clock and kept.
  logic [31:0] boot_now_q, chosen_q, chosen_word_q;
  wire logic [31:0] boot_q = (Quiet != 0) ? formal_core_pkg::BOOT : first_q ? boot_addr_i : boot_now_q;
  always_ff @(posedge clk_i) begin
    if (first_q) begin
      boot_now_q    <= boot_addr_i;
      chosen_q      <= chosen_i;
      chosen_word_q <= chosen_word_i;
    end
  end

  wire logic              instr_req, data_req, data_we, sleep;
  wire logic [31:0]       instr_addr, data_addr, data_wdata;
  wire logic [3:0]        data_be;
  formal_core_pkg::rvfi_t told, rvfi;
  wire logic              unused_clock, unused_halt, unused_fence, unused_trace_valid, debug_mode;
  wire logic [31:0]       unused_trace;
  wire logic [1:0]        mode, ixl;

  // ---- Environment ------------------------------------------------------------------

  logic [5:0] clock_q = 6'd0;
  always_ff @(posedge clk_i) clock_q <= clock_q + 6'(clock_q != '1);
  wire logic quiet = clock_q < 6'(Quiet);

  wire logic [1:0]  instr_outstanding, data_outstanding;
  wire logic [31:0] instr_oldest;
  wire logic [31:0] unused_data_oldest;

  wire logic instr_gnt    = quiet || any_instr_gnt_i;
  wire logic instr_rvalid = quiet ? instr_outstanding != 2'd0 : any_instr_rvalid_i;
  wire logic data_gnt     = quiet || any_data_gnt_i;
  wire logic data_rvalid  = quiet ? data_outstanding != 2'd0 : any_data_rvalid_i;
  wire logic irq          = !quiet && any_irq_i;

  // The code that a halted core executes from the debug module (formal_debug).
  wire logic in_debug_area = Debug != 0 && instr_oldest[31:11] == '1;
  wire logic instr_err     = !quiet && any_instr_err_i && !in_debug_area;
  wire logic debug_req     = (Debug != 0) && (quiet ? (Halt != 0 && clock_q >= 6'(Halt)) : any_debug_req_i);

  // A look finds a word, or not.
  wire logic        look;
  wire logic [31:0] look_addr;
  logic             look_q;
  logic [31:0]      look_addr_q;
  always_ff @(posedge clk_i) begin
    look_q      <= look;
    look_addr_q <= look_addr;
  end
  wire logic look_valid = !quiet && look_q && any_look_valid_i && !(Debug != 0 && look_addr_q[31:11] == '1);

  logic [31:0] instr_rdata;
  always_comb begin
    instr_rdata = any_instr_rdata_i;
    if (in_debug_area) begin
      instr_rdata = formal_core_pkg::debug_code(instr_oldest[4:2], Steps != 0);
    end else if (Preamble != 0) begin
      if (instr_oldest == formal_core_pkg::BOOT)         instr_rdata = formal_core_pkg::CSRW_MIE_X1;
      if (instr_oldest == formal_core_pkg::BOOT + 32'd4) instr_rdata = formal_core_pkg::CSRSI_MSTATUS_8;
    end
  end

  formal_port u_instr_port (
    .clk_i, .rst_ni (rst_n), .req_i (instr_req), .gnt_i (instr_gnt), .addr_i (instr_addr), .rvalid_i (instr_rvalid),
    .outstanding_o (instr_outstanding), .oldest_o (instr_oldest)
  );
  formal_port u_data_port (
    .clk_i, .rst_ni (rst_n), .req_i (data_req), .gnt_i (data_gnt), .addr_i (data_addr), .rvalid_i (data_rvalid),
    .outstanding_o (data_outstanding), .oldest_o (unused_data_oldest)
  );

  // ---- The core ---------------------------------------------------------------------

  nic_core #(
    .Rvfi  (1),
    .Debug (Debug)
  ) u_core (
    .clk_i,
    .clk_free_i        (clk_i),
    .rst_ni            (rst_n),
    .boot_addr_i       ({boot_q[31:1], 1'b0}),
    .hart_id_i         (32'd5),
    .time_i            (64'd7),
    .instr_req_o       (instr_req),
    .instr_gnt_i       (instr_gnt),
    .instr_addr_o      (instr_addr),
    .instr_rvalid_i    (instr_rvalid),
    .instr_rdata_i     (instr_rdata),
    .instr_err_i       (instr_err),
    .data_req_o        (data_req),
    .data_gnt_i        (data_gnt),
    .data_addr_o       (data_addr),
    .data_we_o         (data_we),
    .data_be_o         (data_be),
    .data_wdata_o      (data_wdata),
    .data_rvalid_i     (data_rvalid),
    .data_rdata_i,
    .data_slow_i,
    .data_slow_rdata_i,
    .data_err_i,
    .irq_i             (irq),
    .look_o            (look),
    .look_addr_o       (look_addr),
    .look_valid_i      (look_valid),
    .look_rdata_i,
    .fence_i_o         (unused_fence),
    .event_valid_i,
    .event_i,
    .sram_waits_i      (1'b0),
    .semaphore_waits_i (1'b0),
    .sleep_o           (sleep),
    .clock_o           (unused_clock),
    .busy_i            (1'b1),   // its clock never stops
    .debug_req_i       (debug_req),
    .debug_mode_o      (debug_mode),
    .trace_valid_o     (unused_trace_valid),
    .trace_data_o      (unused_trace),
    .rvfi_valid        (told.valid),
    .rvfi_order        (told.order),
    .rvfi_insn         (told.insn),
    .rvfi_trap         (told.trap),
    .rvfi_halt         (unused_halt),
    .rvfi_intr         (told.intr),
    .rvfi_mode         (mode),
    .rvfi_ixl          (ixl),
    .rvfi_rs1_addr     (told.rs1_addr),
    .rvfi_rs2_addr     (told.rs2_addr),
    .rvfi_rs1_rdata    (told.rs1_rdata),
    .rvfi_rs2_rdata    (told.rs2_rdata),
    .rvfi_rd_addr      (told.rd_addr),
    .rvfi_rd_wdata     (told.rd_wdata),
    .rvfi_pc_rdata     (told.pc_rdata),
    .rvfi_pc_wdata     (told.pc_wdata),
    .rvfi_mem_addr     (told.mem_addr),
    .rvfi_mem_rmask    (told.mem_rmask),
    .rvfi_mem_wmask    (told.mem_wmask),
    .rvfi_mem_rdata    (told.mem_rdata),
    .rvfi_mem_wdata    (told.mem_wdata)
  );

  // ---- Check ------------------------------------------------------------------------

  logic halted_q;
  always_ff @(posedge clk_i) halted_q <= rst_n && (halted_q || debug_mode);

  // A defect is an effect that the core is reported to have. It needs a condition, so that the
  // solver must search for it.
  always_comb begin
    rvfi = told;
    if (Defect != 0 && told.valid && (Check == 8 ? halted_q : told.pc_rdata[4:1] == 4'd6)) begin
      rvfi.pc_wdata = told.pc_wdata ^ 32'd4;
      // For dispatch and interrupts only this matters.
      if (Check != 5 && Check != 6) begin
        rvfi.rd_wdata  = told.rd_wdata ^ {31'b0, told.rd_addr != 5'd0};
        rvfi.rs1_rdata = told.rs1_rdata ^ {31'b0, told.rs1_addr != 5'd0};
        rvfi.mem_wmask = ~told.mem_wmask;
      end
      // The other checks look at these signals.
      if (Check == 2) rvfi.insn = told.insn ^ 32'h0001_0100;
      if (Check == 3) rvfi.trap = !told.trap;
    end
  end

  if (Check == 0) begin : gen_registers
    formal_registers u_check (.clk_i, .rst_ni (rst_n), .rvfi_i (rvfi), .register_i (chosen_q[4:0]));
  end
  if (Check == 1) begin : gen_pc
    formal_pc u_check (.clk_i, .rst_ni (rst_n), .rvfi_i (rvfi), .boot_addr_i ({boot_q[31:1], 1'b0}));
  end
  if (Check == 2) begin : gen_fetch
    formal_fetch u_check (
      .clk_i, .rst_ni (rst_n), .rvfi_i (rvfi), .oldest_i (instr_oldest), .rvalid_i (instr_rvalid), .rdata_i (instr_rdata),
      .err_i (instr_err), .look_valid_i (look_valid), .look_addr_i (look_addr_q), .look_rdata_i, .addr_i (chosen_q), .word_i (chosen_word_q)
    );
  end
  if (Check == 3) begin : gen_traps
    formal_traps #(.Bitmanip (Bitmanip)) u_check (.clk_i, .rst_ni (rst_n), .rvfi_i (rvfi));
  end
  // An instruction retires, or, with debugging, a request to halt is obeyed.
  if (Check == 4) begin : gen_liveness
    formal_liveness #(.Bound (Defect != 0 ? 5 : Debug != 0 ? formal_core_pkg::REQUEST_BOUND : formal_core_pkg::RETIRE_BOUND)) u_check (
      .clk_i, .rst_ni (rst_n), .asked_i (Debug == 0 || debug_req), .done_i (debug_mode || (Debug == 0 && (told.valid || sleep))),
      .instr_req_i (instr_req), .instr_gnt_i (instr_gnt), .instr_outstanding_i (instr_outstanding), .instr_rvalid_i (instr_rvalid),
      .instr_rdata_i (instr_rdata), .look_rdata_i, .data_req_i (data_req), .data_gnt_i (data_gnt), .data_outstanding_i (data_outstanding), .data_rvalid_i (data_rvalid)
    );
  end
  if (Check == 5) begin : gen_dispatch
    formal_dispatch u_check (.clk_i, .rst_ni (rst_n), .rvfi_i (rvfi), .event_valid_i, .event_i, .followed_i (chosen_q[4:0]));
  end
  if (Check == 6) begin : gen_interrupt
    formal_interrupt u_check (.clk_i, .rst_ni (rst_n), .rvfi_i (rvfi), .irq_i (irq), .sleep_i (sleep), .boot_addr_i ({boot_q[31:1], 1'b0}));
  end
  if (Check == 7) begin : gen_debug
    formal_debug #(.Defect (Defect), .Resumes (Halt), .Steps (Steps)) u_check (
      .clk_i, .rst_ni (rst_n), .rvfi_i (told), .boot_addr_i ({boot_q[31:1], 1'b0}), .irq_i (irq), .debug_req_i (debug_req), .debug_mode_i (debug_mode),
      .data_req_i (data_req), .data_gnt_i (data_gnt), .data_we_i (data_we), .data_wdata_i (data_wdata)
    );
  end
  // The debug code of formal_core_pkg overwrites x1.
  if (Check == 8) begin : gen_debug_registers
    formal_registers u_check (.clk_i, .rst_ni (rst_n), .rvfi_i (rvfi), .register_i ({chosen_q[4:1], 1'b0}));
  end
  // The reach of a search: this check fails when so many instructions have retired.
  if (Check == 20) begin : gen_reach
    always_ff @(posedge clk_i) begin
      if (rst_n) RetiresNoMore: assert (!told.valid || told.order < 64'(Reach - 1));
    end
  end
  if (Check >= 10 && Check < 20) begin : gen_instruction
    formal_instruction #(.Class (Check - 10), .Bitmanip (Bitmanip)) u_check (.clk_i, .rst_ni (rst_n), .rvfi_i (rvfi));
  end

  always_ff @(posedge clk_i) begin
    if (rst_n) ModeIsMachine: assert (!told.valid || (mode == 2'd3 && ixl == 2'd1));
  end

  wire logic unused = &{1'b0, data_we, data_be, data_wdata, instr_outstanding, data_outstanding, sleep, chosen_word_q, instr_oldest, look_addr_q, boot_q[0], debug_mode};

endmodule

`default_nettype wire
