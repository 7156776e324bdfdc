// Decides in each clock what becomes of the instruction in the execute stage, and where fetching goes on.
//
// Rule:   an instruction starts only when every older one is known to be good; from then on nothing stops it. An
//         interrupt or exception takes the place of an instruction that has not started. So traps are precise, no
//         access is made twice, and nothing is ever undone.
// Timing: combinational, but for one bit (the instruction has started). data_err_i (in error_i) does not reach
//         redirect_o: in the clock of a bad answer a branch may send fetching astray, and the trap in the next
//         clock sends it elsewhere.

`default_nettype none

module nic_core_control (
  input  wire logic                   clk_i,
  input  wire logic                   rst_ni,

  // The instruction in the execute stage
  input  wire logic                   valid_i,
  input  wire nic_core_pkg::kind_e    kind_i,
  input  wire logic                   fault_i,            // its fetch failed
  input  wire logic                   fault_upper_i,      // ... in its second half
  input  wire logic                   illegal_i,          // compressed encoding or CSR access; kind_i says the rest
  input  wire logic                   misaligned_i,       // address of data, if it is a load or store
  input  wire logic                   branch_taken_i,     // if it is a branch
  input  wire logic                   hazard_i,           // it needs something of an older instruction that is pending
  input  wire logic [31:1]            pc_i,
  input  wire logic [31:1]            next_pc_i,          // of the instruction behind it
  input  wire logic [31:1]            pc_target_i,        // pc + immediate
  input  wire logic [31:0]            rs1_target_i,       // rs1 + immediate
  input  wire logic [31:0]            encoding_i,         // as fetched
  input  wire logic                   unit_done_i,        // the unit that it uses is done, or accepts it

  // The access that is pending (nic_core_load_store)
  input  wire logic                   free_i,
  input  wire logic                   error_i,
  input  wire logic                   fault_access_i,
  input  wire logic                   fault_store_i,
  input  wire logic [31:1]            fault_pc_i,
  input  wire logic [31:0]            fault_addr_i,

  // From the CSRs
  input  wire logic                   interrupt_i,
  input  wire logic [31:1]            exception_pc_i,
  input  wire logic [31:1]            interrupt_pc_i,
  input  wire logic [31:1]            mepc_i,

  output wire logic                   go_o,               // the instruction starts, or goes on
  output wire logic                   first_o,            // with go_o: it starts
  output wire logic                   leave_o,            // it moves on; its effects happen at the end of this clock
  output wire logic                   vacate_o,           // leave_o, or anything if it is void after this clock: early
  output wire logic                   exception_o,        // it traps instead

  output wire logic                   redirect_o,
  output wire logic [31:1]            redirect_pc_o,

  output wire logic                   trap_o,             // any trap, to the CSRs
  output wire logic                   trap_is_interrupt_o,
  output wire logic [4:0]             trap_cause_o,
  output wire logic [31:1]            trap_pc_o,
  output wire logic [31:0]            trap_value_o
);

  import nic_core_pkg::*;

  logic started_d, started_q;

  // ---- Progress -------------------------------------------------------------------

  wire logic is_access = kind_i == KIND_LOAD || kind_i == KIND_STORE;

  // What would trap, whatever else is going on. A misaligned address is known only without a hazard.
  wire logic bad = fault_i || illegal_i || kind_i == KIND_ILLEGAL || kind_i == KIND_ECALL || kind_i == KIND_EBREAK ||
                   (is_access && misaligned_i && !hazard_i);

  wire logic fresh     = valid_i && free_i && !fault_access_i && !started_q;   // but for error_i
  wire logic interrupt = fresh && interrupt_i;
  wire logic exception = fresh && !interrupt_i && bad;
  wire logic start     = fresh && !interrupt_i && !bad && !hazard_i;

  wire logic go    = started_q || (start && !error_i);
  wire logic leave = go && unit_done_i;

  assign go_o        = go;
  assign first_o     = go && !started_q;
  assign leave_o     = leave;
  assign exception_o = exception && !error_i;

  // Fetching need not know about traps: it is sent elsewhere when one happens, in this clock or, after error_i, in the
  // next. So decoding, CSRs and addresses of data stay out of the path through the fetch queue.
  assign vacate_o = (started_q || (fresh && !hazard_i)) && unit_done_i;

  assign started_d = go && !unit_done_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) started_q <= 1'b0;
    else         started_q <= started_d;
  end

  // ---- Where fetching goes on -------------------------------------------------------

  wire logic jumps = kind_i == KIND_JAL || kind_i == KIND_JALR || kind_i == KIND_MRET || kind_i == KIND_FENCE_I ||
                     (kind_i == KIND_BRANCH && branch_taken_i);

  assign redirect_o = fault_access_i || interrupt || exception || (start && jumps);

  logic [31:1] redirect_pc;
  always_comb begin
    if (fault_access_i || exception) redirect_pc = exception_pc_i;
    else if (interrupt)              redirect_pc = interrupt_pc_i;
    else begin
      unique case (kind_i)
        KIND_JALR:    redirect_pc = rs1_target_i[31:1];
        KIND_MRET:    redirect_pc = mepc_i;
        KIND_FENCE_I: redirect_pc = next_pc_i;
        default:      redirect_pc = pc_target_i;
      endcase
    end
  end
  assign redirect_pc_o = redirect_pc;

  // ---- Traps --------------------------------------------------------------------

  cause_e      cause;
  logic [31:0] value;
  always_comb begin
    value = 32'd0;
    if (fault_i) begin
      cause = CAUSE_FETCH_FAULT;
      value = {fault_upper_i ? pc_i + 31'd1 : pc_i, 1'b0};
    end else begin
      unique case (kind_i)
        KIND_ECALL:  cause = CAUSE_ECALL;
        KIND_EBREAK: begin
          cause = CAUSE_BREAKPOINT;
          value = {pc_i, 1'b0};
        end
        KIND_LOAD, KIND_STORE: begin
          cause = (kind_i == KIND_STORE) ? CAUSE_STORE_MISALIGNED : CAUSE_LOAD_MISALIGNED;
          value = rs1_target_i;
        end
        default: begin
          cause = CAUSE_ILLEGAL;
          value = encoding_i;
        end
      endcase
      if (illegal_i) begin
        cause = CAUSE_ILLEGAL;
        value = encoding_i;
      end
    end
  end

  assign trap_o              = fault_access_i || ((interrupt || exception) && !error_i);
  assign trap_is_interrupt_o = !fault_access_i && interrupt;
  assign trap_pc_o           = fault_access_i ? fault_pc_i : pc_i;
  assign trap_value_o        = fault_access_i ? fault_addr_i : interrupt ? 32'd0 : value;
  assign trap_cause_o        = fault_access_i ? (fault_store_i ? CAUSE_STORE_FAULT : CAUSE_LOAD_FAULT)
                             : interrupt      ? CAUSE_EXTERNAL_INTERRUPT : cause;

  wire logic unused_target_bit = rs1_target_i[0];   // jalr clears it

  // ---- Assertions -------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      VacatesWithReason:    assert (vacate_o == leave || redirect_o || error_i);
      StartedStays:         assert (!started_q || (valid_i && free_i && !error_i && !fault_access_i));
      JumpsTakeOneClock:    assert (!(go && jumps) || unit_done_i);
      FaultStopsExecution:  assert (!(fault_access_i && go));
    end
  end

endmodule

`default_nettype wire
