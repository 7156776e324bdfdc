// The top module of `make synth`: nic_core_complex (the core, its instruction cache, scratchpad and
// address decoding), the SRAM arbiter in front of the SRAM's pins, and registers on all signals
// that come from other blocks.
//
// Why: without the arbiter, the measured clock would leave out the path of an SRAM access to its
//      grant. Without registers at the edges, paths that begin or end outside would not count.

`default_nettype none

module synth_core (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,

  input  wire logic [31:1]        boot_pc_i,
  input  wire logic [63:0]        time_i,
  input  wire logic               irq_i,
  input  wire logic               event_valid_i,
  input  wire logic [4:0]         event_i,
  input  wire logic               event_soon_i,
  input  wire logic               semaphore_waits_i,
  output wire logic               sleep_o,
  output wire logic               trace_valid_o,
  output wire logic [31:0]        trace_data_o,

  // Debug request, and the debug area
  input  wire logic               debug_req_i,
  output wire logic               debug_mode_o,
  output wire logic               debug_insn_req_o,
  output wire logic [10:2]        debug_insn_word_o,
  output wire logic               debug_data_req_o,
  input  wire logic [31:0]        debug_rdata_i,
  input  wire logic               debug_err_i,

  // The other requesters of the SRAM, in one shape: what they would write is not what decides the clock
  input  wire logic [4:0]         other_req_i,
  input  wire nic_pkg::sram_req_t other_access_i,
  output wire logic [6:0]         sram_gnt_o,

  // SRAM
  output wire logic               sram_req_o,
  output wire nic_pkg::sram_req_t sram_access_o,
  input  wire logic [63:0]        sram_rdata_i,

  // Register bus, with the host as the other requester
  input  wire logic               host_reg_req_i,
  output wire logic               reg_req_o,
  output wire nic_pkg::reg_req_t  reg_access_o,
  input  wire logic [31:0]        reg_rdata_i
);

  logic        rst_nq;
  logic [31:1] boot_pc_q;
  logic        event_valid_q, event_soon_q, semaphore_waits_q;
  logic [4:0]  event_q;
  logic [63:0] time_q;
  logic        irq_q, sleep_q, trace_valid_q;
  logic [31:0] trace_data_q;
  logic [4:0]  other_req_q;
  logic [6:0]  sram_gnt_q;
  logic        sram_req_q;
  logic [63:0] sram_rdata_q;
  logic        host_reg_req_q, reg_req_q;
  logic [31:0] reg_rdata_q;

  nic_pkg::sram_req_t other_access_q, sram_access_q;
  nic_pkg::reg_req_t  reg_access_q;

  logic        debug_req_q, debug_mode_q, debug_insn_req_q, debug_data_req_q, debug_err_q;
  logic [31:0] debug_rdata_q;
  logic [10:2] debug_insn_word_q;

  wire logic        debug_mode, debug_insn_req, debug_data_req;
  wire logic [10:2] debug_insn_word;
  wire logic        core_clock, sleep, trace_valid;
  wire logic [31:0] trace_data;

  wire logic [nic_pkg::SRAM_PORTS-1:0] sram_req, sram_gnt, sram_rvalid;
  wire nic_pkg::sram_req_t             sram_port [nic_pkg::SRAM_PORTS];
  wire logic [0:0]                     sram_idle, sram_ahead;
  wire logic [nic_pkg::SRAM_ADDR_BITS-1:3] sram_ahead_addr [1];
  wire logic                           core_reg_req;
  wire nic_pkg::reg_req_t              core_reg_access;
  wire logic                           core_reg_gnt;
  wire nic_pkg::rvfi_t                 rvfi;

  nic_core_complex u_core (
    .clk_i,
    .clk_free_i         (clk_i),
    .clock_o            (core_clock),
    .rst_ni             (rst_nq),
    .boot_address_i     ({boot_pc_q, 1'b0}),
    .time_i             (time_q),
    .irq_i              (irq_q),
    .event_valid_i      (event_valid_q),
    .event_i            (event_q),
    .event_soon_i       (event_soon_q),
    .semaphore_waits_i  (semaphore_waits_q),
    .sleep_o            (sleep),
    .sram_insn_req_o    (sram_req[nic_pkg::SRAM_CORE_INSN]),
    .sram_insn_access_o (sram_port[nic_pkg::SRAM_CORE_INSN]),
    .sram_insn_gnt_i    (sram_gnt[nic_pkg::SRAM_CORE_INSN]),
    .sram_data_req_o    (sram_req[nic_pkg::SRAM_CORE_DATA]),
    .sram_data_access_o (sram_port[nic_pkg::SRAM_CORE_DATA]),
    .sram_data_gnt_i    (sram_gnt[nic_pkg::SRAM_CORE_DATA]),
    .sram_idle_i        (sram_idle[0]),
    .sram_ahead_o       (sram_ahead[0]),
    .sram_ahead_addr_o  (sram_ahead_addr[0]),
    .sram_rdata_i       (sram_rdata_q),
    .reg_req_o          (core_reg_req),
    .reg_access_o       (core_reg_access),
    .reg_gnt_i          (core_reg_gnt),
    .reg_rdata_i        (reg_rdata_q),
    .debug_req_i        (debug_req_q),
    .debug_mode_o       (debug_mode),
    .debug_insn_req_o   (debug_insn_req),
    .debug_insn_word_o  (debug_insn_word),
    .debug_insn_rdata_i (debug_rdata_q),
    .debug_insn_err_i   (debug_err_q),
    .debug_data_req_o   (debug_data_req),
    .debug_data_rdata_i (debug_rdata_q),
    .debug_data_err_i   (debug_err_q),
    .trace_valid_o      (trace_valid),
    .trace_data_o       (trace_data),
    .rvfi_o             (rvfi)
  );

  assign sram_req[nic_pkg::SRAM_LINK_RX]    = other_req_q[0];
  assign sram_req[nic_pkg::SRAM_LINK_TX]    = other_req_q[1];
  assign sram_req[nic_pkg::SRAM_DMA_READ]   = other_req_q[2];
  assign sram_req[nic_pkg::SRAM_DMA_WRITE]  = other_req_q[3];
  assign sram_req[nic_pkg::SRAM_HOST]       = other_req_q[4];
  assign sram_port[nic_pkg::SRAM_LINK_RX]   = other_access_q;
  assign sram_port[nic_pkg::SRAM_LINK_TX]   = other_access_q;
  assign sram_port[nic_pkg::SRAM_DMA_READ]  = other_access_q;
  assign sram_port[nic_pkg::SRAM_DMA_WRITE] = other_access_q;
  assign sram_port[nic_pkg::SRAM_HOST]      = other_access_q;

  wire logic               granted_req, arbiter_req;
  wire nic_pkg::sram_req_t granted, arbiter_access;

  nic_sram_arbiter u_arbiter (
    .clk_i,
    .rst_ni        (rst_nq),
    .req_i         (sram_req),
    .access_i      (sram_port),
    .gnt_o         (sram_gnt),
    .rvalid_o      (sram_rvalid),
    .sram_req_o    (granted_req),
    .sram_access_o (granted)
  );

  nic_sram_ahead u_sram_ahead (
    .clk_i         (clk_i),
    .rst_ni        (rst_nq),
    .req_i         (granted_req),
    .access_i      (granted),
    .data_gnt_i    (sram_gnt[nic_pkg::SRAM_CORE_DATA]),
    .idle_o        (sram_idle),
    .ahead_i       (sram_ahead),
    .ahead_addr_i  (sram_ahead_addr),
    .sram_req_o    (arbiter_req),
    .sram_access_o (arbiter_access)
  );

  // As nic_register_bus grants: in turns.
  logic host_turn_q;
  wire logic host_wins = host_reg_req_q && (host_turn_q || !core_reg_req);
  assign core_reg_gnt = core_reg_req && !host_wins;

  always_ff @(posedge clk_i) begin
    rst_nq            <= rst_ni;
    boot_pc_q         <= boot_pc_i;
    irq_q             <= irq_i;
    event_valid_q     <= event_valid_i;
    event_q           <= event_i;
    time_q            <= time_i;
    event_soon_q      <= event_soon_i;
    semaphore_waits_q <= semaphore_waits_i;
    sleep_q           <= sleep;
    trace_valid_q     <= trace_valid;
    trace_data_q      <= trace_data;
    other_req_q       <= other_req_i;
    other_access_q    <= other_access_i;
    sram_gnt_q        <= sram_gnt;
    sram_req_q        <= arbiter_req;
    sram_access_q     <= arbiter_access;
    sram_rdata_q      <= sram_rdata_i;
    host_reg_req_q    <= host_reg_req_i;
    host_turn_q       <= rst_nq && !host_wins;
    reg_req_q         <= core_reg_req;
    reg_access_q      <= core_reg_access;
    reg_rdata_q       <= reg_rdata_i;
    debug_req_q       <= debug_req_i;
    debug_mode_q      <= debug_mode;
    debug_insn_req_q  <= debug_insn_req;
    debug_insn_word_q <= debug_insn_word;
    debug_data_req_q  <= debug_data_req;
    debug_rdata_q     <= debug_rdata_i;
    debug_err_q       <= debug_err_i;
  end

  // The gate of the core's clock is elsewhere, and Rvfi is 0.
  wire logic unused = &{1'b0, sram_rvalid, core_clock, rvfi};

  assign sleep_o       = sleep_q;
  assign trace_valid_o = trace_valid_q;
  assign trace_data_o  = trace_data_q;
  assign sram_gnt_o    = sram_gnt_q;
  assign sram_req_o    = sram_req_q;
  assign sram_access_o = sram_access_q;
  assign reg_req_o     = reg_req_q;
  assign reg_access_o  = reg_access_q;

  assign debug_mode_o      = debug_mode_q;
  assign debug_insn_req_o  = debug_insn_req_q;
  assign debug_insn_word_o = debug_insn_word_q;
  assign debug_data_req_o  = debug_data_req_q;

endmodule

`default_nettype wire
