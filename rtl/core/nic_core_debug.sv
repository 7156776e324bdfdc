// Debug mode of the core: when it is entered and left, and its CSRs (dcsr, dpc, dscratch0 and
// dscratch1).
//
// Entry:    halt_o requests that the core enter debug mode in place of its next instruction;
//           enter_i reports that it did, with the reason. In debug mode already (ebreak at the end
//           of a command) enter_i changes nothing.
// Request:  debug_req_i is a level, registered once. It is seen in reset too, so that a core can
//           halt before its first instruction.
// Step:     with dcsr.step, one instruction or one trap after dret and the core halts again.
// CSRs:     exist in debug mode only. Reads are combinational, and zero for the number of another
//           CSR.

`default_nettype none

module nic_core_debug (
  input  wire logic                         clk_i,
  input  wire logic                         rst_ni,
  input  wire logic                         debug_req_i,
  output wire logic                         req_is_new_o,      // ... differs from its register

  // State
  output wire logic                         debug_mode_o,
  output wire logic                         halt_o,
  output wire nic_core_pkg::debug_cause_e   halt_cause_o,
  output wire logic                         ebreak_enters_o,   // ebreak does not trap
  output wire logic                         wfi_passes_o,      // wfi does not wait
  output wire logic                         no_interrupts_o,
  output wire logic [31:1]                  dpc_o,

  // What the core does
  input  wire logic                         enter_i,
  input  wire nic_core_pkg::debug_cause_e   enter_cause_i,
  input  wire logic [31:1]                  enter_pc_i,        // pc of the instruction that is not
                                                               // executed
  input  wire logic                         dret_i,
  input  wire logic                         progress_i,        // an instruction was executed, or a
                                                               // trap taken

  // CSR access (nic_core_csr)
  input  wire logic [11:0]                  csr_addr_i,
  input  wire logic                         csr_write_i,
  input  wire logic [31:0]                  csr_wdata_i,
  output wire logic                         csr_exists_o,
  output wire logic [31:0]                  csr_rdata_o
);

  localparam logic [11:0] Dcsr      = 12'h7b0;
  localparam logic [11:0] Dpc       = 12'h7b1;
  localparam logic [11:0] Dscratch0 = 12'h7b2;
  localparam logic [11:0] Dscratch1 = 12'h7b3;

  localparam int unsigned BitEbreakm   = 15;
  localparam int unsigned BitStepie    = 11;
  localparam int unsigned BitStopcount = 10;
  localparam int unsigned BitCause     = 6;
  localparam int unsigned BitStep      = 2;

  logic                       debug_mode_q, req_q;
  logic                       ebreakm_q, stepie_q, step_q;
  logic                       ebreak_enters_q, no_interrupts_q;   // they change with the mode only
  logic                       stepped_q;                     // the step is done
  nic_core_pkg::debug_cause_e cause_q;
  logic [31:1]                dpc_q;
  logic [31:0]                dscratch0_q, dscratch1_q;

  wire logic steps = step_q && !debug_mode_q;

  assign debug_mode_o    = debug_mode_q;
  assign halt_o          = !debug_mode_q && (req_q || stepped_q);
  assign halt_cause_o    = req_q ? nic_core_pkg::DEBUG_HALTREQ : nic_core_pkg::DEBUG_STEP;
  assign ebreak_enters_o = ebreak_enters_q;
  assign wfi_passes_o    = debug_mode_q || step_q || req_q;
  assign no_interrupts_o = no_interrupts_q;
  assign dpc_o           = dpc_q;
  assign req_is_new_o    = debug_req_i != req_q;

  wire logic enter = enter_i && !debug_mode_q;

  always_ff @(posedge clk_i) begin
    req_q <= debug_req_i;
    if (!rst_ni) begin
      debug_mode_q    <= 1'b0;
      ebreak_enters_q <= 1'b0;
      no_interrupts_q <= 1'b0;
      stepped_q       <= 1'b0;
      ebreakm_q       <= 1'b0;
      stepie_q        <= 1'b0;
      step_q          <= 1'b0;
      cause_q         <= nic_core_pkg::DEBUG_NONE;
    end else if (enter_i || dret_i || csr_write_i || step_q) begin
      if (enter) begin
        debug_mode_q    <= 1'b1;
        ebreak_enters_q <= 1'b1;
        no_interrupts_q <= 1'b1;
      end else if (dret_i) begin
        debug_mode_q    <= 1'b0;
        ebreak_enters_q <= ebreakm_q;
        no_interrupts_q <= step_q && !stepie_q;
      end

      if (enter)                    stepped_q <= 1'b0;
      else if (steps && progress_i) stepped_q <= 1'b1;

      if (enter) cause_q <= enter_cause_i;

      if (csr_write_i && csr_addr_i == Dcsr) begin
        ebreakm_q <= csr_wdata_i[BitEbreakm];
        stepie_q  <= csr_wdata_i[BitStepie];
        step_q    <= csr_wdata_i[BitStep];
      end
    end
    if (enter) begin
      dpc_q <= enter_pc_i;
    end else if (csr_write_i && debug_mode_q) begin
      if (csr_addr_i == Dpc)       dpc_q       <= csr_wdata_i[31:1];
      if (csr_addr_i == Dscratch0) dscratch0_q <= csr_wdata_i;
      if (csr_addr_i == Dscratch1) dscratch1_q <= csr_wdata_i;
    end
  end

  // ---- CSRs -------------------------------------------------------------------------

  logic [31:0] rdata;
  always_comb begin
    rdata = 32'd0;
    if (csr_exists_o) begin
      unique case (csr_addr_i[1:0])
        Dcsr[1:0]: rdata = (32'd4 << 28) | (32'(ebreakm_q) << BitEbreakm) | (32'(stepie_q) << BitStepie) | (32'd1 << BitStopcount) |
                           (32'(cause_q) << BitCause) | (32'(step_q) << BitStep) | 32'd3;
        Dpc[1:0]:       rdata = {dpc_q, 1'b0};
        Dscratch0[1:0]: rdata = dscratch0_q;
        default:        rdata = dscratch1_q;
      endcase
    end
  end

  assign csr_exists_o = debug_mode_q && csr_addr_i[11:2] == Dcsr[11:2];
  assign csr_rdata_o  = rdata;

  // ---- Assertions -------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (dret_i)  LeavesDebugModeOnly: assert (debug_mode_q);
      if (enter_i) EntersForAReason:    assert (debug_mode_q || enter_cause_i != nic_core_pkg::DEBUG_NONE);
    end
  end

endmodule

`default_nettype wire
