// The core among ports that may do anything the rules allow, and one check of what it retires.
//
// Environment: a symbolic program (fetched words are free), grants and answers at any time, errors at any time, interrupts at any time. A port answers
//              only what was granted. The first clock is reset; from then on there is none.
// Parameters:  Check chooses the property, Defect = 1 tells it something wrong, to see that it can fail.

`default_nettype none

module formal_core #(
  parameter int unsigned Check    = 0,
  parameter int unsigned Defect   = 0,
  parameter int unsigned Bitmanip = 0
) (
  input wire logic        clk_i,
  input wire logic [31:0] boot_addr_i,
  input wire logic        instr_gnt_i,
  input wire logic        instr_rvalid_i,
  input wire logic [31:0] instr_rdata_i,
  input wire logic        instr_err_i,
  input wire logic        data_gnt_i,
  input wire logic        data_rvalid_i,
  input wire logic [31:0] data_rdata_i,
  input wire logic        data_err_i,
  input wire logic        irq_i,
  input wire logic        event_valid_i,
  input wire logic [4:0]  event_i,
  // Numbers of the solver's choice, which stay: the register, word or bit that a check follows
  input wire logic [31:0] chosen_i,
  input wire logic [31:0] chosen_word_i
);

  import formal_core_pkg::*;

  logic first_q = 1'b1;
  always_ff @(posedge clk_i) first_q <= 1'b0;
  wire logic rst_n = !first_q;

  // Taken in the first clock and kept.
  logic [31:0] boot_now_q, chosen_q, chosen_word_q;
  wire logic [31:0] boot_q = first_q ? boot_addr_i : boot_now_q;
  always_ff @(posedge clk_i) begin
    if (first_q) begin
      boot_now_q    <= boot_addr_i;
      chosen_q      <= chosen_i;
      chosen_word_q <= chosen_word_i;
    end
  end

  wire logic        instr_req, data_req, data_we, sleep;
  wire logic [31:0] instr_addr, data_addr, data_wdata;
  wire logic [3:0]  data_be;
  rvfi_t            told, rvfi;
  wire logic        unused_halt, unused_trace_valid, unused_debug_mode;
  wire logic [31:0] unused_trace;
  wire logic [1:0]  mode, ixl;

  nic_core #(
    .Rvfi  (1),
    .Debug (0)
  ) u_core (
    .clk_i,
    .rst_ni         (rst_n),
    .boot_addr_i    ({boot_q[31:1], 1'b0}),
    .hart_id_i      (32'd5),
    .instr_req_o    (instr_req),
    .instr_gnt_i,
    .instr_addr_o   (instr_addr),
    .instr_rvalid_i,
    .instr_rdata_i,
    .instr_err_i,
    .data_req_o     (data_req),
    .data_gnt_i,
    .data_addr_o    (data_addr),
    .data_we_o      (data_we),
    .data_be_o      (data_be),
    .data_wdata_o   (data_wdata),
    .data_rvalid_i,
    .data_rdata_i,
    .data_err_i,
    .irq_i,
    .event_valid_i,
    .event_i,
    .sram_waits_i      (1'b0),
    .semaphore_waits_i (1'b0),
    .sleep_o        (sleep),
    .debug_req_i    (1'b0),
    .debug_mode_o   (unused_debug_mode),
    .trace_valid_o  (unused_trace_valid),
    .trace_data_o   (unused_trace),
    .rvfi_valid     (told.valid),
    .rvfi_order     (told.order),
    .rvfi_insn      (told.insn),
    .rvfi_trap      (told.trap),
    .rvfi_halt      (unused_halt),
    .rvfi_intr      (told.intr),
    .rvfi_mode      (mode),
    .rvfi_ixl       (ixl),
    .rvfi_rs1_addr  (told.rs1_addr),
    .rvfi_rs2_addr  (told.rs2_addr),
    .rvfi_rs1_rdata (told.rs1_rdata),
    .rvfi_rs2_rdata (told.rs2_rdata),
    .rvfi_rd_addr   (told.rd_addr),
    .rvfi_rd_wdata  (told.rd_wdata),
    .rvfi_pc_rdata  (told.pc_rdata),
    .rvfi_pc_wdata  (told.pc_wdata),
    .rvfi_mem_addr  (told.mem_addr),
    .rvfi_mem_rmask (told.mem_rmask),
    .rvfi_mem_wmask (told.mem_wmask),
    .rvfi_mem_rdata (told.mem_rdata),
    .rvfi_mem_wdata (told.mem_wdata)
  );

  // ---- Environment ------------------------------------------------------------------

  wire logic [1:0]  instr_outstanding, data_outstanding;
  wire logic [31:0] instr_oldest;
  wire logic [31:0] unused_data_oldest;
  formal_port u_instr_port (
    .clk_i, .rst_ni (rst_n), .req_i (instr_req), .gnt_i (instr_gnt_i), .addr_i (instr_addr), .rvalid_i (instr_rvalid_i),
    .outstanding_o (instr_outstanding), .oldest_o (instr_oldest)
  );
  formal_port u_data_port (
    .clk_i, .rst_ni (rst_n), .req_i (data_req), .gnt_i (data_gnt_i), .addr_i (data_addr), .rvalid_i (data_rvalid_i),
    .outstanding_o (data_outstanding), .oldest_o (unused_data_oldest)
  );

  // ---- Check ------------------------------------------------------------------------

  // A defect is something that the core is said to have done. It needs a condition, so that it must be searched for.
  always_comb begin
    rvfi = told;
    if (Defect != 0 && told.valid && told.pc_rdata[4:1] == 4'd6) begin
      rvfi.rd_wdata  = told.rd_wdata ^ {31'b0, told.rd_addr != 5'd0};
      rvfi.pc_wdata  = told.pc_wdata ^ 32'd4;
      rvfi.mem_wmask = ~told.mem_wmask;
      // These decide what the other checks look at.
      if (Check == 2) rvfi.insn = told.insn ^ 32'h0001_0100;
      if (Check == 3) rvfi.trap = !told.trap;
      rvfi.rs1_rdata = told.rs1_rdata ^ {31'b0, told.rs1_addr != 5'd0};
    end
  end

  if (Check == 0) begin : gen_registers
    formal_registers u_check (.clk_i, .rst_ni (rst_n), .rvfi_i (rvfi), .register_i (chosen_q[4:0]));
  end
  if (Check == 1) begin : gen_pc
    formal_pc u_check (.clk_i, .rst_ni (rst_n), .rvfi_i (rvfi), .boot_addr_i ({boot_now_q[31:1], 1'b0}));
  end
  if (Check == 2) begin : gen_fetch
    formal_fetch u_check (
      .clk_i, .rst_ni (rst_n), .rvfi_i (rvfi), .oldest_i (instr_oldest), .rvalid_i (instr_rvalid_i), .rdata_i (instr_rdata_i),
      .err_i (instr_err_i), .addr_i (chosen_q), .word_i (chosen_word_q)
    );
  end
  if (Check == 3) begin : gen_traps
    formal_traps #(.Bitmanip (Bitmanip)) u_check (.clk_i, .rst_ni (rst_n), .rvfi_i (rvfi));
  end
  if (Check == 4) begin : gen_liveness
    formal_liveness #(.Defect (Defect)) u_check (
      .clk_i, .rst_ni (rst_n), .rvfi_i (told), .sleep_i (sleep), .instr_req_i (instr_req), .instr_gnt_i, .instr_outstanding_i (instr_outstanding),
      .instr_rvalid_i, .instr_rdata_i, .data_req_i (data_req), .data_gnt_i, .data_outstanding_i (data_outstanding), .data_rvalid_i
    );
  end
  if (Check >= 10) begin : gen_instruction
    formal_instruction #(.Class (Check - 10), .Bitmanip (Bitmanip)) u_check (.clk_i, .rst_ni (rst_n), .rvfi_i (rvfi));
  end

  always_ff @(posedge clk_i) begin
    if (rst_n) ModeIsMachine: assert (!told.valid || (mode == 2'd3 && ixl == 2'd1));
  end

  wire logic unused = &{1'b0, data_we, data_be, data_wdata, instr_outstanding, data_outstanding, sleep, chosen_word_q, instr_oldest, boot_q[0]};

endmodule

`default_nettype wire
