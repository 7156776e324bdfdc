// Debug mode is entered between two instructions: dpc is the next one, dret leads to it, and a step
// is one instruction or one trap.
//
// A halted core executes formal_core_pkg::debug_code, whose store shows dpc. There are no
// interrupts.

`default_nettype none

module formal_debug #(
  parameter int unsigned Defect  = 0,
  parameter int unsigned Resumes = 0,   // the defect is one of leaving
  parameter int unsigned Steps   = 0
) (
  input wire logic                   clk_i,
  input wire logic                   rst_ni,
  input wire formal_core_pkg::rvfi_t rvfi_i,
  input wire logic [31:0]            boot_addr_i,
  input wire logic                   irq_i,
  input wire logic                   debug_req_i,
  input wire logic                   debug_mode_i,
  input wire logic                   data_req_i,
  input wire logic                   data_gnt_i,
  input wire logic                   data_we_i,
  input wire logic [31:0]            data_wdata_i
);

  always_comb begin
    NoInterrupts: assume (!irq_i);
  end

  logic [31:0] expected_q;
  logic        debug_mode_q, stepping_q, asked_q;
  logic [1:0]  retired_q;

  wire logic leaves = debug_mode_q && !debug_mode_i;
  wire logic enters = !debug_mode_q && debug_mode_i;

  // The defect: the next address changes with the mode; or, here and below, a step has two
  // instructions.
  wire logic changes = Defect != 0 && Steps == 0 && (Resumes != 0 ? leaves : enters);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      expected_q   <= boot_addr_i;
      debug_mode_q <= 1'b0;
      stepping_q   <= 1'b0;
    end else begin
      debug_mode_q <= debug_mode_i;
      if (rvfi_i.valid) expected_q <= rvfi_i.pc_wdata;
      else if (changes) expected_q <= expected_q ^ 32'd4;
      if (leaves) stepping_q <= Steps != 0;
      // A request may come before the step.
      if (leaves) asked_q <= debug_req_i;
      else if (debug_req_i) asked_q <= 1'b1;
      if (leaves) retired_q <= 2'd0;
      else if (rvfi_i.valid && retired_q != 2'd3) retired_q <= retired_q + 2'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      Silent: assert (!(rvfi_i.valid && debug_mode_i));
      if (rvfi_i.valid) GoesOnWhereItWas: assert (rvfi_i.pc_rdata == expected_q);
      if (debug_mode_i && data_req_i && data_gnt_i) begin
        OnlyItsOwnStore: assert (data_we_i);
        DpcIsNext:       assert (data_wdata_i == expected_q);
      end
      if (stepping_q) begin
        AtMostOne: assert (!rvfi_i.valid || retired_q == 2'd0);
        if (enters && !asked_q) ExactlyOne: assert (retired_q == (Defect != 0 ? 2'd2 : 2'd1));
      end
    end
  end

endmodule

`default_nettype wire
