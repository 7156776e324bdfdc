// The control and status registers, the machine-mode trap state, and the trace port.
//
// Access:    access_i with addr_i, writes_i and write_op_i names an access; rdata_o and illegal_o
//            answer in the next clock. In that or a later clock commit_i may come, with operand_i;
//            the write happens at the edge that ends this clock, if writes_i is high.
// Traps:     trap_i stores pc, cause and value and disables interrupts, in the clock after it, in
//            which nothing else happens; mret_i restores. At most one of commit_i, trap_i and
//            mret_i is high in a clock.
// Interrupt: irq_i is registered once. interrupt_o: enabled here and globally. wake_o: enabled here
//            (ends wfi).
// Trace:     a write of 0x7C0 is on trace_* for one clock, the clock after commit_i, in which the
//            instruction retires.
// Registers: docs/core.md has the table of registers and fields.

`default_nettype none

module nic_core_csr (
  input  wire logic        clk_i,
  input  wire logic        clk_free_i,      // the same clock, which also runs while the core sleeps
  input  wire logic        rst_ni,
  input  wire logic [31:0] hart_id_i,
  input  wire logic [63:0] time_i,
  input  wire logic        irq_i,
  output wire logic        irq_is_new_o,    // it is not what its register says

  // Access by a CSR instruction
  input  wire logic        access_i,        // there is an access; otherwise the rest of this group
                                            // has no meaning
  input  wire logic [11:0] addr_i,
  input  wire logic [1:0]  write_op_i,      // nic_core_pkg::CSR_WRITE, CSR_SET, CSR_CLEAR
  input  wire logic        writes_i,        // the instruction writes (not: set or clear of nothing)
  input  wire logic [31:0] operand_i,
  input  wire logic        commit_i,
  output wire logic [31:0] rdata_o,
  output wire logic        illegal_o,       // no such register, or a write of a read-only register
  output wire logic        is_instret_o,    // the register counts instructions: all older ones must
                                            // have retired

  // Traps
  input  wire logic        trap_i,
  input  wire logic        trap_is_interrupt_i,
  input  wire logic [4:0]  trap_cause_i,
  input  wire logic [31:1] trap_pc_i,
  input  wire logic [31:0] trap_value_i,
  input  wire logic        mret_i,
  output wire logic [31:1] exception_pc_o,  // where exceptions go
  output wire logic [31:1] interrupt_pc_o,  // where the external interrupt goes
  output wire logic [31:1] mepc_o,

  output wire logic        interrupt_o,
  output wire logic        wake_o,

  // Counting
  input  wire logic        retire_i,        // an instruction retires in this clock
  input  wire logic        freeze_i,        // neither clocks nor instructions count
  input  wire logic        uncounted_i,     // nor does the instruction that leaves execute now

  // Registers in other modules: the value that the access writes, and their answers; a module whose
  // register is not accessed answers zero
  output wire logic        write_o,
  output wire logic [31:0] wdata_o,
  input  wire logic        more_exists_i,
  input  wire logic [31:0] more_rdata_i,
  input  wire logic [31:0] counter_rdata_i, // the data of counters, which count while the core
                                            // sleeps

  // Trace port
  output wire logic        trace_valid_o,
  output wire logic [31:0] trace_data_o
);

  localparam logic [11:0] Mstatus       = 12'h300;
  localparam logic [11:0] Misa          = 12'h301;
  localparam logic [11:0] Mie           = 12'h304;
  localparam logic [11:0] Mtvec         = 12'h305;
  localparam logic [11:0] Mstatush      = 12'h310;
  localparam logic [11:0] Mcountinhibit = 12'h320;
  localparam logic [11:0] Mscratch      = 12'h340;
  localparam logic [11:0] Mepc          = 12'h341;
  localparam logic [11:0] Mcause        = 12'h342;
  localparam logic [11:0] Mtval         = 12'h343;
  localparam logic [11:0] Mip           = 12'h344;
  localparam logic [11:0] Trace         = 12'h7c0;
  localparam logic [11:0] Mcycle        = 12'hb00;
  localparam logic [11:0] Minstret      = 12'hb02;
  localparam logic [11:0] Mcycleh       = 12'hb80;
  localparam logic [11:0] Minstreth     = 12'hb82;
  localparam logic [11:0] Cycle         = 12'hc00;
  localparam logic [11:0] Instret       = 12'hc02;
  localparam logic [11:0] Cycleh        = 12'hc80;
  localparam logic [11:0] Instreth      = 12'hc82;
  localparam logic [11:0] Time          = 12'hc01;
  localparam logic [11:0] Timeh         = 12'hc81;
  localparam logic [11:0] Mvendorid     = 12'hf11;
  localparam logic [11:0] Marchid       = 12'hf12;
  localparam logic [11:0] Mimpid        = 12'hf13;
  localparam logic [11:0] Mhartid       = 12'hf14;
  localparam logic [11:0] Mconfigptr    = 12'hf15;

  localparam logic [31:0] MisaValue   = 32'h4000_1106;   // RV32 I M C B
  localparam logic [31:0] MimpidValue = 32'h0000_0002;   // counts changes that software can see

  // ---- State ----------------------------------------------------------------------

  logic        mie_q, mpie_q;                // mstatus
  logic        meie_q;                       // mie.MEIE
  logic        meip_q;                       // mip.MEIP
  logic [31:2] mtvec_base_q;
  logic        mtvec_vectored_q;
  logic [31:0] mscratch_q;
  logic [31:1] mepc_q;
  logic        mcause_interrupt_q;
  logic [4:0]  mcause_code_q;
  logic [31:0] mtval_q;
  logic        inhibit_cycle_q, inhibit_instret_q;
  logic        trace_valid_q;
  logic [31:0] trace_data_q;

  wire logic [63:0] cycle, instret;

  // ---- Read -----------------------------------------------------------------------

  // mhpmcounter3 to 31, their high halves, and mhpmevent3 to 31: those that count are in
  // nic_core_stalls, the others read zero.
  wire logic is_monitor = (addr_i[11:5] == 7'b1011_000 || addr_i[11:5] == 7'b1011_100 || addr_i[11:5] == 7'b0011_001) &&
                          addr_i[4:0] >= 5'd3;

  logic [31:0] rdata;
  logic        exists, is_cycle, is_cycleh, is_time, is_timeh;
  always_comb begin
    rdata     = 32'd0;
    exists    = 1'b1;
    is_cycle  = 1'b0;
    is_cycleh = 1'b0;
    is_time   = 1'b0;
    is_timeh  = 1'b0;
    if (access_i) begin
      unique case (addr_i)
        Mstatus:             rdata = {19'b0, 2'b11, 3'b0, mpie_q, 3'b0, mie_q, 3'b0};
        Misa:                rdata = MisaValue;
        Mie:                 rdata = {20'b0, meie_q, 11'b0};
        Mtvec:               rdata = {mtvec_base_q, 1'b0, mtvec_vectored_q};
        // the rest is in nic_core_stalls
        Mcountinhibit:       rdata = {29'b0, inhibit_instret_q, 1'b0, inhibit_cycle_q};
        Mscratch:            rdata = mscratch_q;
        Mepc:                rdata = {mepc_q, 1'b0};
        Mcause:              rdata = {mcause_interrupt_q, 26'b0, mcause_code_q};
        Mtval:               rdata = mtval_q;
        Mip:                 rdata = {20'b0, meip_q, 11'b0};
        Mcycle, Cycle:       is_cycle  = 1'b1;
        Mcycleh, Cycleh:     is_cycleh = 1'b1;
        Time:                is_time   = 1'b1;
        Timeh:               is_timeh  = 1'b1;
        Minstret, Instret:   rdata = instret[31:0];
        Minstreth, Instreth: rdata = instret[63:32];
        Mimpid:              rdata = MimpidValue;
        Mhartid:             rdata = hart_id_i;
        Trace, Mstatush, Mvendorid, Marchid, Mconfigptr: ;
        default: begin
          exists = is_monitor || more_exists_i;
          rdata  = more_rdata_i;
        end
      endcase
    end
  end

  logic [31:0] rdata_q;
  logic        illegal_q, is_instret_q;
  always_ff @(posedge clk_i) begin
    if (access_i) begin
      // Data of counters that count while the core sleeps enter here. No logic that stops with the
      // core's clock depends on them.
      rdata_q      <= rdata | ({32{is_cycle}} & cycle[31:0]) | ({32{is_cycleh}} & cycle[63:32]) |
                      ({32{is_time}} & time_i[31:0]) | ({32{is_timeh}} & time_i[63:32]) | counter_rdata_i;
      illegal_q    <= !exists || (writes_i && addr_i[11:10] == 2'b11);
      is_instret_q <= addr_i[6:0] == 7'h02;   // or the high half; a few others may wait in vain
    end
  end

  assign rdata_o      = rdata_q;
  assign illegal_o    = illegal_q;
  assign is_instret_o = is_instret_q;

  // ---- Write ----------------------------------------------------------------------

  logic [31:0] wdata;
  always_comb begin
    case (write_op_i)
      nic_core_pkg::CSR_SET:   wdata = rdata_q | operand_i;
      nic_core_pkg::CSR_CLEAR: wdata = rdata_q & ~operand_i;
      default:   wdata = operand_i;
    endcase
  end

  wire logic write = commit_i && writes_i;

  assign write_o = write;
  assign wdata_o = wdata;

  // A trap is known late.
  logic        trap_q, trap_is_interrupt_q;
  logic [4:0]  trap_cause_q;
  logic [31:1] trap_pc_q;
  logic [31:0] trap_value_q;

  always_ff @(posedge clk_i) begin
    trap_q              <= trap_i && rst_ni;
    trap_is_interrupt_q <= trap_is_interrupt_i;
    trap_cause_q        <= trap_cause_i;
    trap_pc_q           <= trap_pc_i;
    trap_value_q        <= trap_value_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      mie_q  <= 1'b0;
      mpie_q <= 1'b0;
    end else if (trap_q) begin
      mie_q  <= 1'b0;
      mpie_q <= mie_q;
    end else if (mret_i) begin
      mie_q  <= mpie_q;
      mpie_q <= 1'b1;
    end else if (write && addr_i == Mstatus) begin
      mie_q  <= wdata[3];
      mpie_q <= wdata[7];
    end
  end

  always_ff @(posedge clk_i) begin
    if (trap_q) begin
      mepc_q             <= trap_pc_q;
      mcause_interrupt_q <= trap_is_interrupt_q;
      mcause_code_q      <= trap_cause_q;
      mtval_q            <= trap_value_q;
    end else if (write) begin
      if (addr_i == Mepc) mepc_q <= wdata[31:1];
      if (addr_i == Mcause) begin
        mcause_interrupt_q <= wdata[31];
        mcause_code_q      <= wdata[4:0];
      end
      if (addr_i == Mtval) mtval_q <= wdata;
    end
    if (write && addr_i == Mscratch) mscratch_q <= wdata;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      meie_q            <= 1'b0;
      mtvec_base_q      <= 30'd0;
      mtvec_vectored_q  <= 1'b0;
      inhibit_cycle_q   <= 1'b0;
      inhibit_instret_q <= 1'b0;
    end else if (write) begin
      if (addr_i == Mie) meie_q <= wdata[11];
      if (addr_i == Mtvec) begin
        mtvec_base_q     <= wdata[31:2];
        mtvec_vectored_q <= wdata[0];
      end
      if (addr_i == Mcountinhibit) begin
        inhibit_cycle_q   <= wdata[0];
        inhibit_instret_q <= wdata[2];
      end
    end
  end

  // ---- Interrupt ------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (!rst_ni) meip_q <= 1'b0;
    else         meip_q <= irq_i;
  end

  assign irq_is_new_o   = irq_i != meip_q;
  assign wake_o         = meip_q && meie_q;
  assign interrupt_o    = wake_o && mie_q;
  assign exception_pc_o = {mtvec_base_q, 1'b0};
  assign interrupt_pc_o = {mtvec_base_q + (mtvec_vectored_q ? 30'(nic_core_pkg::CAUSE_EXTERNAL_INTERRUPT) : 30'd0), 1'b0};
  assign mepc_o         = mepc_q;

  // ---- Counters -------------------------------------------------------------------

  nic_core_counter u_cycle (
    .clk_i        (clk_free_i),
    .rst_ni,
    .increment_i  (!inhibit_cycle_q && !freeze_i),
    .write_low_i  (write && addr_i == Mcycle),
    .write_high_i (write && addr_i == Mcycleh),
    .wdata_i      (wdata),
    .count_o      (cycle)
  );

  // An instruction that writes the count is not counted; it retires in the clock after its write.
  logic uncounted_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) uncounted_q <= 1'b0;
    else         uncounted_q <= uncounted_i || (write && (addr_i == Minstret || addr_i == Minstreth));
  end

  nic_core_counter u_instret (
    .clk_i,
    .rst_ni,
    .increment_i  (retire_i && !inhibit_instret_q && !uncounted_q && !freeze_i),
    .write_low_i  (write && addr_i == Minstret),
    .write_high_i (write && addr_i == Minstreth),
    .wdata_i      (wdata),
    .count_o      (instret)
  );

  // ---- Trace port -----------------------------------------------------------------

  wire logic trace_write = write && addr_i == Trace;

  assign trace_valid_o = trace_valid_q;
  assign trace_data_o  = trace_data_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni)          trace_valid_q <= 1'b0;
    else                  trace_valid_q <= trace_write;
    if (trace_write) trace_data_q <= wdata;
  end

  // ---- Assertions -------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni) OneChangeAtATime: assert (!((trap_i || trap_q) && commit_i) && !((trap_i || trap_q) && mret_i) && !(commit_i && mret_i));
  end

endmodule

`default_nettype wire
