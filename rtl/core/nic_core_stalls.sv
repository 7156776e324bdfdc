// The counters of lost clocks: each clock counts for exactly one cause (docs/core.md, Counters).
//
// Registers: mhpmcounter3 and up, one for each cause; mhpmevent3 and up, which read the number of
//            the cause; the bits of both in mcountinhibit. The counters are 32 bits wide;
//            nic_core_csr answers reads of the upper halves with zero.
// Timing:    the cause of a clock is registered, and counted in the next clock; the count shows in
//            the clock after that, before which no CSR instruction can read it. A counter that is
//            written counts from the next clock on.
// Sum:       one counter at most changes in a clock. If none is inhibited or written, the sum of
//            all counters counts the same clocks as mcycle.

`default_nettype none

module nic_core_stalls (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  // The state of this clock
  input  wire logic        semaphore_i,     // the core asked for the semaphore and does not own it
  input  wire logic        leave_i,         // an instruction leaves execute
  input  wire logic        trap_i,          // an exception or interrupt is taken, or debug mode
                                            // entered
  input  wire logic        sleep_i,         // in wfi or nic.dispatch
  input  wire logic        sram_i,          // an access of the SRAM is not granted
  input  wire logic        valid_i,         // an instruction is in execute, and not void
  input  wire logic        access_i,        // an access is not granted or not answered
  input  wire logic        redirect_i,      // the clock before sent fetching elsewhere
  input  wire logic        from_debug_i,    // dret leaves
  input  wire logic        freeze_i,        // mcycle does not count

  // CSRs
  input  wire logic [11:0] csr_addr_i,
  input  wire logic        csr_write_i,
  input  wire logic [31:0] csr_wdata_i,
  output wire logic [31:0] csr_rdata_o
);

  localparam int unsigned Causes = 9;

  typedef enum logic [3:0] {
    Leaves,
    Fetch,
    Jump,
    Access,
    Execute,
    Sram,
    Semaphore,
    Sleep,
    Trap
  } cause_e;

  localparam logic [11:0] Mcountinhibit = 12'h320;
  localparam logic [11:5] Mhpmcounter   = 7'b1011_000;
  localparam logic [11:5] Mhpmevent     = 7'b0011_001;
  localparam logic [4:0]  First         = 5'd3;

  // ---- The cause ------------------------------------------------------------------

  // The state of the previous clock
  logic              semaphore_q, leave_q, trap_q, sleep_q, sram_q, valid_q, access_q, from_debug_q, freeze_q;
  logic [Causes-1:0] off_q;

  logic [Causes-1:0] inhibit_q;
  cause_e            empty_q;        // the cause for which execute is empty, if it is

  cause_e cause;
  always_comb begin
    if (semaphore_q)     cause = Semaphore;
    else if (leave_q)    cause = Leaves;
    else if (trap_q)     cause = Trap;
    else if (sleep_q)    cause = Sleep;
    else if (sram_q)     cause = Sram;
    else if (!valid_q)   cause = empty_q;
    else if (redirect_i) cause = Jump;      // it is fetched again
    else if (access_q)   cause = Access;
    else                 cause = Execute;
  end

  wire logic              is_counter = csr_addr_i[11:5] == Mhpmcounter;
  wire logic              is_event   = csr_addr_i[11:5] == Mhpmevent;
  wire logic [4:0]        number     = csr_addr_i[4:0] - First;
  wire logic              is_cause   = csr_addr_i[4:0] >= First && number < 5'(Causes);
  wire logic              write      = csr_write_i && is_counter && is_cause;
  wire logic [Causes-1:0] written    = write ? Causes'(1) << number : '0;

  always_ff @(posedge clk_i) begin
    semaphore_q  <= semaphore_i;
    leave_q      <= leave_i;
    trap_q       <= trap_i;
    sleep_q      <= sleep_i;
    sram_q       <= sram_i;
    valid_q      <= valid_i;
    access_q     <= access_i;
    from_debug_q <= from_debug_i;
    freeze_q     <= freeze_i || !rst_ni;
    off_q        <= inhibit_q | written;
    if (!rst_ni)         empty_q <= Fetch;
    else if (redirect_i) empty_q <= (trap_q || from_debug_q) ? Trap : Jump;
    else if (valid_i)    empty_q <= Fetch;
  end

  // ---- Counters -------------------------------------------------------------------

  logic [31:0] count_q [Causes];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q   <= '{default: '0};
      inhibit_q <= '0;
    end else begin
      if (!freeze_q && !off_q[cause])                   count_q[cause]       <= count_q[cause] + 32'd1;
      if (write)                                        count_q[number[3:0]] <= csr_wdata_i;
      if (csr_write_i && csr_addr_i == Mcountinhibit)   inhibit_q            <= csr_wdata_i[Causes+2:3];
    end
  end

  assign csr_rdata_o = (is_counter && is_cause)         ? count_q[number[3:0]]
                     : (is_event && is_cause)           ? {27'd0, number} + 32'd1
                     : (csr_addr_i == Mcountinhibit)    ? 32'({inhibit_q, 3'b000}) : 32'd0;

endmodule

`default_nettype wire
