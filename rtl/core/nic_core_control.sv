// Decides in each clock whether the instruction in the execute stage waits, starts, leaves or
// traps, and where fetching continues.
//
// Rule:   an instruction starts only when every older one is known to be good; from then on nothing
//         stops it. An interrupt, exception or entry into debug mode takes the place of an
//         instruction that has not started. So all are precise, no access is made twice, and
//         nothing is ever undone.
// Order:  triggers on the data of a load, which belong to the previous instruction; entry by
//         request or step; interrupt; triggers of the instruction; exceptions and ebreak.
// Timing: a redirect is decided in one clock and stands in registers in the next, in which nothing
//         starts. So the comparison of a branch, which comes last, ends in two bits. data_err_i (in
//         error_i) does not reach them: in the clock of a bad answer a branch may send fetching to
//         a wrong place, and the trap in the next clock corrects that.

`default_nettype none

module nic_core_control (
  input  wire logic                   clk_i,
  input  wire logic                   rst_ni,

  // The instruction in the execute stage
  input  wire logic                   valid_i,
  input  wire nic_core_pkg::kind_e    kind_i,
  input  wire nic_core_pkg::is_t      is_i,
  input  wire logic                   fault_i,            // its fetch failed
  input  wire logic                   fault_upper_i,      // ... in its second half
  input  wire logic                   illegal_i,          // compressed encoding or CSR access;
                                                          // kind_i says the rest
  input  wire logic                   misaligned_i,       // address of data, if it is a load or
                                                          // store
  input  wire logic                   equal_i,            // its operands, if it is a branch; late
  input  wire logic                   below_i,
  input  wire logic                   compares_below_i,   // the branch compares by below_i,
                                                          // otherwise by equal_i
  input  wire logic                   inverts_i,          // the branch is taken if the comparison
                                                          // is false
  input  wire logic                   predicted_i,        // a target was fetched behind it
  input  wire logic                   broken_i,           // a wrong prediction cut it in two
  input  wire logic                   pc_target_hit_i,    // ... and that was pc + immediate
  input  wire logic                   rs1_target_hit_i,   // ... rs1 + immediate
  input  wire logic                   hazard_i,           // it needs a result of an older
                                                          // instruction that is pending
  input  wire logic                   waits_i,            // ... or an event outside, for as long as
                                                          // that takes
  input  wire logic [31:1]            pc_i,
  input  wire logic [31:1]            next_pc_i,          // address of the next instruction
  input  wire logic [31:1]            pc_target_i,        // pc + immediate
  input  wire logic [31:0]            rs1_target_i,       // rs1 + immediate
  input  wire logic [31:0]            encoding_i,         // as fetched
  input  wire logic                   unit_done_i,        // the unit that it uses is done, or
                                                          // accepts it

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
  input  wire logic [31:1]            return_pc_i,        // mret and dret: one of them is illegal
  input  wire logic [31:1]            handler_i,          // handler of the event that is to be
                                                          // served

  // Debug mode (nic_core_debug) and triggers (nic_core_triggers)
  input  wire logic                   debugging_i,        // otherwise the rest of this group is
                                                          // zero, except hold_i
  input  wire logic                   halt_i,             // by request or step
  input  wire nic_core_pkg::debug_cause_e halt_cause_i,
  input  wire logic                   ebreak_enters_i,
  input  wire logic [31:1]            debug_entry_pc_i,
  input  wire logic                   hold_i,             // triggers are still comparing it
  input  wire logic                   fire_debug_i,
  input  wire logic                   fire_exception_i,
  input  wire logic                   late_i,             // ... of the load before it
  output wire logic                   could_start_o,      // the instruction could start, if hold_i
                                                          // is low and no other event takes its
                                                          // place
  output wire logic                   fired_o,
  output wire logic                   enter_o,            // debug mode; trap_pc_o is the pc
  output wire nic_core_pkg::debug_cause_e enter_cause_o,

  output wire logic                   go_o,               // the instruction starts, or goes on
  output wire logic                   first_o,            // with go_o: it starts
  output wire logic                   leave_o,            // it moves on; its effects happen at the
                                                          // end of this clock
  output wire logic                   vacate_o,           // leave_o; any value if the instruction
                                                          // is void after this clock: early
  output wire logic                   exception_o,        // it traps instead

  output wire logic                   astray_o,           // a redirect follows in the next clock
  output wire logic [31:1]            following_pc_o,     // ... to this address
  output wire logic                   redirect_o,         // it was decided in the clock before
  output wire logic [31:1]            redirect_pc_o,
  output wire logic                   redirect_look_o,    // ... of a branch with a wrong
                                                          // prediction, to the word of the look

  output wire logic                   update_o,           // the prediction learns from it
  output wire logic                   forget_o,           // ... that it is no branch
  output wire logic                   update_taken_o,
  output wire logic                   update_right_o,

  output wire logic                   trap_o,             // any trap, to the CSRs
  output wire logic                   trap_is_interrupt_o,
  output wire logic [4:0]             trap_cause_o,
  output wire logic [31:1]            trap_pc_o,
  output wire logic [31:0]            trap_value_o
);

  logic started_d, started_q;
  logic redirect_d, redirect_q;

  // ---- Progress -------------------------------------------------------------------

  // The conditions for a trap, independent of all other events. A misaligned address is known only
  // without a hazard.
  wire logic bad = fault_i || illegal_i || is_i.traps || (is_i.access && misaligned_i && !hazard_i);

  // An instruction that a wrong prediction cut in two, or took for a branch, is fetched again when
  // the prediction is forgotten. It does not start: a target must not wait behind an instruction
  // that takes many clocks.
  wire logic misled = broken_i || (predicted_i && !is_i.branch && !is_i.jump);

  // These conditions come from registers. The load before the instruction is older than any
  // request.
  logic fire, wants_halt, wants_interrupt, into_debug;
  always_comb begin
    fire            = 1'b0;
    wants_halt      = 1'b0;
    wants_interrupt = interrupt_i;
    into_debug      = 1'b0;
    if (debugging_i) begin
      fire            = fire_debug_i || fire_exception_i;
      wants_halt      = late_i ? fire_debug_i : halt_i;
      wants_interrupt = interrupt_i && !late_i;
      // The trap or request that stops the instruction leads into debug mode.
      into_debug      = fire ? fire_debug_i : (ebreak_enters_i && kind_i == nic_core_pkg::KIND_EBREAK && !fault_i && !illegal_i);
    end
  end

  // except for error_i
  wire logic fresh     = valid_i && free_i && !fault_access_i && !started_q && !redirect_q;
  wire logic ready     = fresh && !hold_i;
  wire logic halt      = ready && wants_halt;
  wire logic interrupt = ready && wants_interrupt && !wants_halt;
  // no halt and no interrupt takes the place of this instruction
  wire logic turn      = ready && !wants_halt && !wants_interrupt;
  wire logic again     = fresh && !halt && !interrupt && misled && !late_i;
  wire logic stop      = turn && (fire || (bad && !misled));
  wire logic start     = turn && !fire && !misled && !bad && !hazard_i && !waits_i;

  wire logic exception = stop && !into_debug;

  wire logic go    = started_q || (start && !error_i);
  wire logic leave = go && unit_done_i;

  assign go_o        = go;
  assign first_o     = go && !started_q;
  assign leave_o     = leave;
  assign exception_o = exception && !error_i;

  logic                       could_start, fired, enters;
  nic_core_pkg::debug_cause_e enter_cause;
  always_comb begin
    could_start = 1'b0;
    fired       = 1'b0;
    enters      = 1'b0;
    enter_cause = nic_core_pkg::DEBUG_NONE;
    if (debugging_i) begin
      // while it waits, triggers look at it, or nothing could take its place
      could_start = fresh && !misled && !hazard_i;
      fired       = ((halt && late_i) || (turn && fire)) && !error_i;
      enters      = (halt || (stop && into_debug)) && !error_i;
      enter_cause = (wants_halt && !late_i) ? halt_cause_i : fire ? nic_core_pkg::DEBUG_TRIGGER : nic_core_pkg::DEBUG_EBREAK;
    end
  end

  assign could_start_o = could_start;
  assign fired_o       = fired;
  assign enter_o       = enters;
  assign enter_cause_o = enter_cause;

  // The fetch need not know about traps: a redirect follows each, in this clock or, after error_i,
  // in the next. So CSRs and addresses of data stay out of the path through the fetch queue.
  assign vacate_o = (started_q || (ready && !hazard_i && !waits_i)) && unit_done_i;

  assign started_d = go && !unit_done_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) started_q <= 1'b0;
    else         started_q <= started_d;
  end

  // ---- Where fetching goes on -------------------------------------------------------

  wire logic returns    = is_i.mret || is_i.dret || is_i.fence_i || is_i.dispatch;
  wire logic target_hit = is_i.jalr ? rs1_target_hit_i : pc_target_hit_i;

  // The comparison comes last, so all other decisions are made without it.
  wire logic compares = compares_below_i ? below_i : equal_i;
  wire logic taken    = is_i.jump || (is_i.branch && compares != inverts_i);
  wire logic sure     = fault_access_i || halt || interrupt || stop || again ||
                        (start && (returns || (predicted_i ? !target_hit : is_i.jump)));

  assign redirect_d = sure || (start && is_i.branch && compares != (inverts_i != predicted_i));

  // Two addresses stand ready; the comparison of a branch only chooses.
  logic        to_target_d, to_target_q, to_look_q;
  logic [31:1] target_d, target_q, other_d, other_q;

  assign to_target_d = start && taken;
  assign target_d    = is_i.jalr ? rs1_target_i[31:1] : pc_target_i;
  always_comb begin
    if (fault_access_i || stop)        other_d = (into_debug && !fault_access_i) ? debug_entry_pc_i : exception_pc_i;
    else if (halt || interrupt)        other_d = wants_halt ? debug_entry_pc_i : interrupt_pc_i;
    else if (again)                    other_d = pc_i;
    else if (is_i.mret || is_i.dret)   other_d = return_pc_i;
    else if (is_i.dispatch)            other_d = handler_i;
    else                               other_d = next_pc_i;
  end

  assign astray_o       = redirect_d;
  assign following_pc_o = to_target_d ? target_d : other_d;
  assign redirect_o     = redirect_q;
  assign redirect_pc_o  = to_target_q ? target_q : other_q;
  assign redirect_look_o = redirect_q && to_look_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) redirect_q <= 1'b0;
    else         redirect_q <= redirect_d;
    to_target_q <= to_target_d;
    to_look_q   <= start && (is_i.jalr || taken != predicted_i);
    target_q    <= target_d;
    other_q     <= other_d;
  end

  assign update_o       = start && (is_i.branch || is_i.jump);
  assign forget_o       = again;
  assign update_taken_o = start && taken;
  assign update_right_o = start && !redirect_d;

  // ---- Traps --------------------------------------------------------------------

  nic_core_pkg::cause_e cause;
  logic [31:0]          value;
  always_comb begin
    value = 32'd0;
    if (fire_exception_i) begin
      cause = nic_core_pkg::CAUSE_BREAKPOINT;
    end else if (fault_i) begin
      cause = nic_core_pkg::CAUSE_FETCH_FAULT;
      value = {fault_upper_i ? pc_i + 31'd1 : pc_i, 1'b0};
    end else begin
      unique case (kind_i)
        nic_core_pkg::KIND_ECALL:  cause = nic_core_pkg::CAUSE_ECALL;
        nic_core_pkg::KIND_EBREAK: begin
          cause = nic_core_pkg::CAUSE_BREAKPOINT;
          value = {pc_i, 1'b0};
        end
        nic_core_pkg::KIND_LOAD, nic_core_pkg::KIND_STORE: begin
          cause = (kind_i == nic_core_pkg::KIND_STORE) ? nic_core_pkg::CAUSE_STORE_MISALIGNED : nic_core_pkg::CAUSE_LOAD_MISALIGNED;
          value = rs1_target_i;
        end
        default: begin
          cause = nic_core_pkg::CAUSE_ILLEGAL;
          value = encoding_i;
        end
      endcase
      if (illegal_i) begin
        cause = nic_core_pkg::CAUSE_ILLEGAL;
        value = encoding_i;
      end
    end
  end

  assign trap_o              = fault_access_i || ((interrupt || exception) && !error_i);
  assign trap_is_interrupt_o = !fault_access_i && interrupt;
  assign trap_pc_o           = fault_access_i ? fault_pc_i : pc_i;
  assign trap_value_o        = fault_access_i ? fault_addr_i : interrupt ? 32'd0 : value;
  assign trap_cause_o        = fault_access_i ? (fault_store_i ? nic_core_pkg::CAUSE_STORE_FAULT : nic_core_pkg::CAUSE_LOAD_FAULT)
                             : interrupt      ? nic_core_pkg::CAUSE_EXTERNAL_INTERRUPT : cause;

  // jalr clears the lowest bit of its target. The other fields of is_i are not used here.
  wire logic unused = &{1'b0, rs1_target_i[0], is_i};

  // ---- Assertions -------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      VacatesWithReason:    assert (vacate_o == leave || redirect_d || error_i);
      NothingStartsAstray:  assert (!redirect_q || fault_access_i || !(go || trap_o));
      StartedStays:         assert (!started_q || (valid_i && free_i && !error_i && !fault_access_i));
      JumpsTakeOneClock:    assert (!(go && (taken || returns)) || unit_done_i);
      FaultStopsExecution:  assert (!(fault_access_i && go));
    end
  end

endmodule

`default_nettype wire
