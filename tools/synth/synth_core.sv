// What `make synth` builds of a core: nic_core with its instruction cache, scratchpad and address decoding, the SRAM arbiter in
// front of the SRAM's pins, and registers on everything that comes from elsewhere.
//
// Why: a clock that is measured without the arbiter would leave out the way of an SRAM access to its grant; without registers
//      at the edges, paths that begin or end outside would not count.

`default_nettype none

module synth_core (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,

  input  wire logic [31:1]        boot_pc_i,
  input  wire logic               irq_i,
  input  wire logic               event_valid_i,
  input  wire logic [4:0]         event_i,
  output wire logic               sleep_o,
  output wire logic               trace_valid_o,
  output wire logic [31:0]        trace_data_o,

  // Debug request, and the debug area
  input  wire logic               debug_req_i,
  output wire logic               debug_mode_o,
  output wire logic               debug_insn_req_o,
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

  import nic_pkg::*;

  logic        rst_nq;
  logic [31:1] boot_pc_q;
  logic        event_valid_q;
  logic [4:0]  event_q;
  logic        irq_q, sleep_q, trace_valid_q;
  logic [31:0] trace_data_q;
  logic [4:0]  other_req_q;
  sram_req_t   other_access_q;
  logic [6:0]  sram_gnt_q;
  logic        sram_req_q;
  sram_req_t   sram_access_q;
  logic [63:0] sram_rdata_q;
  logic        host_reg_req_q, reg_req_q;
  reg_req_t    reg_access_q;
  logic [31:0] reg_rdata_q;

  logic        debug_req_q, debug_mode_q, debug_insn_req_q, debug_data_req_q, debug_err_q;
  logic [31:0] debug_rdata_q;

  wire logic        debug_mode, debug_insn_req, debug_data_req;
  wire logic        data_stores, core_clock, memory_busy;
  wire logic        insn_req, insn_gnt, insn_rvalid, insn_err;
  wire logic [31:0] insn_addr, insn_rdata;
  wire logic        look, look_valid;
  wire logic [31:0] look_addr;
  wire logic        data_req, data_gnt, data_we, data_rvalid, data_slow, data_err;
  wire logic [31:0] data_addr, data_wdata, data_rdata, data_slow_rdata;
  wire logic [3:0]  data_be;
  wire logic        fence_i, sleep, trace_valid, sram_waits;
  wire logic [31:0] trace_data;

  nic_core u_core (
    .clk_i,
    .clk_free_i      (clk_i),
    .rst_ni          (rst_nq),
    .boot_addr_i     ({boot_pc_q, 1'b0}),
    .hart_id_i       (32'd0),
    .instr_req_o     (insn_req),
    .instr_gnt_i     (insn_gnt),
    .instr_addr_o    (insn_addr),
    .instr_rvalid_i  (insn_rvalid),
    .instr_rdata_i   (insn_rdata),
    .instr_err_i     (insn_err),
    .data_req_o      (data_req),
    .data_gnt_i      (data_gnt),
    .data_addr_o     (data_addr),
    .data_we_o       (data_we),
    .data_be_o       (data_be),
    .data_wdata_o    (data_wdata),
    .data_rvalid_i   (data_rvalid),
    .data_rdata_i    (data_rdata),
    .data_slow_i     (data_slow),
    .data_slow_rdata_i (data_slow_rdata),
    .data_err_i      (data_err),
    .look_o          (look),
    .look_addr_o     (look_addr),
    .look_valid_i    (look_valid),
    .look_rdata_i    (data_rdata),
    .fence_i_o       (fence_i),
    .event_valid_i   (event_valid_q && !data_stores),
    .event_i         (event_q),
    .sram_waits_i    (sram_waits),
    .semaphore_waits_i (1'b0),
    .irq_i           (irq_q),
    .sleep_o         (sleep),
    .clock_o         (core_clock),
    .busy_i          (memory_busy),
    .debug_req_i     (debug_req_q),
    .debug_mode_o    (debug_mode),
    .trace_valid_o   (trace_valid),
    .trace_data_o    (trace_data),
    // verilator lint_off PINCONNECTEMPTY
    .rvfi_valid      (),      // Rvfi = 0: nothing speaks here
    .rvfi_order      (),
    .rvfi_insn       (),
    .rvfi_trap       (),
    .rvfi_halt       (),
    .rvfi_intr       (),
    .rvfi_mode       (),
    .rvfi_ixl        (),
    .rvfi_rs1_addr   (),
    .rvfi_rs2_addr   (),
    .rvfi_rs1_rdata  (),
    .rvfi_rs2_rdata  (),
    .rvfi_rd_addr    (),
    .rvfi_rd_wdata   (),
    .rvfi_pc_rdata   (),
    .rvfi_pc_wdata   (),
    .rvfi_mem_addr   (),
    .rvfi_mem_rmask  (),
    .rvfi_mem_wmask  (),
    .rvfi_mem_rdata  (),
    .rvfi_mem_wdata  ()
    // verilator lint_on PINCONNECTEMPTY
  );

  wire logic [SRAM_PORTS-1:0] sram_req, sram_gnt, sram_rvalid;
  wire sram_req_t             sram_port [SRAM_PORTS];
  wire logic [0:0]            sram_idle, sram_ahead;
  wire logic [SRAM_ADDR_BITS-1:3] sram_ahead_addr [1];
  wire logic                  core_reg_req;
  wire reg_req_t              core_reg_access;
  wire logic                  core_reg_gnt;

  nic_core_memory u_memory (
    .clk_i,
    .core_rst_ni        (rst_nq),
    .fence_i_i          (fence_i),
    .insn_req_i         (insn_req),
    .insn_gnt_o         (insn_gnt),
    .insn_addr_i        (insn_addr),
    .insn_rvalid_o      (insn_rvalid),
    .insn_rdata_o       (insn_rdata),
    .insn_err_o         (insn_err),
    .data_req_i         (data_req),
    .data_gnt_o         (data_gnt),
    .data_addr_i        (data_addr),
    .data_we_i          (data_we),
    .data_be_i          (data_be),
    .data_wdata_i       (data_wdata),
    .look_i             (look),
    .look_addr_i        (look_addr),
    .look_valid_o       (look_valid),
    .data_rvalid_o      (data_rvalid),
    .data_rdata_o       (data_rdata),
    .data_slow_o        (data_slow),
    .data_slow_rdata_o  (data_slow_rdata),
    .data_err_o         (data_err),
    .data_stores_o      (data_stores),
    .busy_o             (memory_busy),
    .debug_insn_req_o   (debug_insn_req),
    .debug_insn_rdata_i (debug_rdata_q),
    .debug_insn_err_i   (debug_err_q),
    .debug_data_req_o   (debug_data_req),
    .debug_data_rdata_i (debug_rdata_q),
    .debug_data_err_i   (debug_err_q),
    .sram_insn_req_o    (sram_req[SRAM_CORE_INSN]),
    .sram_insn_access_o (sram_port[SRAM_CORE_INSN]),
    .sram_insn_gnt_i    (sram_gnt[SRAM_CORE_INSN]),
    .sram_data_req_o    (sram_req[SRAM_CORE_DATA]),
    .sram_data_access_o (sram_port[SRAM_CORE_DATA]),
    .sram_data_gnt_i    (sram_gnt[SRAM_CORE_DATA]),
    .sram_idle_i        (sram_idle[0]),
    .sram_ahead_o       (sram_ahead[0]),
    .sram_ahead_addr_o  (sram_ahead_addr[0]),
    .sram_rdata_i       (sram_rdata_q),
    .sram_waits_o       (sram_waits),
    .reg_req_o          (core_reg_req),
    .reg_access_o       (core_reg_access),
    .reg_gnt_i          (core_reg_gnt),
    .reg_rdata_i        (reg_rdata_q)
  );

  assign sram_req[SRAM_LINK_RX]    = other_req_q[0];
  assign sram_req[SRAM_LINK_TX]    = other_req_q[1];
  assign sram_req[SRAM_DMA_READ]   = other_req_q[2];
  assign sram_req[SRAM_DMA_WRITE]  = other_req_q[3];
  assign sram_req[SRAM_HOST]       = other_req_q[4];
  assign sram_port[SRAM_LINK_RX]   = other_access_q;
  assign sram_port[SRAM_LINK_TX]   = other_access_q;
  assign sram_port[SRAM_DMA_READ]  = other_access_q;
  assign sram_port[SRAM_DMA_WRITE] = other_access_q;
  assign sram_port[SRAM_HOST]      = other_access_q;

  wire logic      granted_req, arbiter_req;
  wire sram_req_t granted, arbiter_access;

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
    .data_gnt_i    (sram_gnt[SRAM_CORE_DATA]),
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
    rst_nq         <= rst_ni;
    boot_pc_q      <= boot_pc_i;
    irq_q          <= irq_i;
    event_valid_q  <= event_valid_i;
    event_q        <= event_i;
    sleep_q        <= sleep;
    trace_valid_q  <= trace_valid;
    trace_data_q   <= trace_data;
    other_req_q    <= other_req_i;
    other_access_q <= other_access_i;
    sram_gnt_q     <= sram_gnt;
    sram_req_q     <= arbiter_req;
    sram_access_q  <= arbiter_access;
    sram_rdata_q   <= sram_rdata_i;
    host_reg_req_q <= host_reg_req_i;
    host_turn_q    <= rst_nq && !host_wins;
    reg_req_q      <= core_reg_req;
    reg_access_q   <= core_reg_access;
    reg_rdata_q    <= reg_rdata_i;
    debug_req_q      <= debug_req_i;
    debug_mode_q     <= debug_mode;
    debug_insn_req_q <= debug_insn_req;
    debug_data_req_q <= debug_data_req;
    debug_rdata_q    <= debug_rdata_i;
    debug_err_q      <= debug_err_i;
  end

  wire logic unused = &{1'b0, sram_rvalid, core_clock};   // the gate of the core's clock is elsewhere

  assign sleep_o       = sleep_q;
  assign trace_valid_o = trace_valid_q;
  assign trace_data_o  = trace_data_q;
  assign sram_gnt_o    = sram_gnt_q;
  assign sram_req_o    = sram_req_q;
  assign sram_access_o = sram_access_q;
  assign reg_req_o     = reg_req_q;
  assign reg_access_o  = reg_access_q;

  assign debug_mode_o     = debug_mode_q;
  assign debug_insn_req_o = debug_insn_req_q;
  assign debug_data_req_o = debug_data_req_q;

endmodule

`default_nettype wire
