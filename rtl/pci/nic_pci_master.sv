// The master: requests the bus, runs the bursts of its two clients, and reports to them the data
// that moved and the failures.
//
// Arbiter:    FRAME# is asserted only after a clock with GNT# and an idle bus. With GNT# and
//             nothing to do the bus is parked: AD[31:0], C/BE[3:0]# and PAR are driven. The clients
//             take turns, burst by burst.
// Burst:      IRDY# comes with the first data phase and never waits: a client says before each
//             phase whether another one can follow (phase_t), for 64 and for 32 bits, since the
//             answer of the target decides the width only at the end of the first phase. Bursts
//             also end when the latency timer has run out and GNT# is gone. 64 bits: REQ64# with an
//             address that is a multiple of 8. If that word begins in its upper half, a target of
//             32 bits is first given its lower half without byte enables: a phase that moves
//             nothing.
// Target:     retry and disconnect end the burst; REQ# is then high for two clocks, the first of
//             them with the bus idle. No DEVSEL# four clocks after the address is a master abort,
//             STOP# without DEVSEL# a target abort.
// Timing:     outputs are registers whose next values come from the sampled bus, so that FRAME# and
//             IRDY# answer TRDY#, STOP# and DEVSEL# in the next clock. At least one idle clock
//             between two bursts.

`default_nettype none

module nic_pci_master (
  input  wire logic                 clk_i,
  input  wire logic                 rst_ni,

  input  wire logic [7:0]           cfg_latency_timer_i,

  // Clients
  input  wire nic_pci_pkg::burst_t  read_burst_i,
  input  wire nic_pci_pkg::phase_t  read_phase_i,
  output wire logic                 read_busy_o,
  output wire nic_pci_pkg::move_t   read_move_o,
  output wire logic                 read_narrow_o,
  output wire logic                 read_fail_o,
  output wire logic                 read_retry_o,

  input  wire nic_pci_pkg::burst_t  write_burst_i,
  input  wire nic_pci_pkg::phase_t  write_phase_i,
  input  wire logic [63:0]          write_word_i,
  output wire logic                 write_busy_o,
  output wire nic_pci_pkg::move_t   write_move_o,
  output wire logic                 write_narrow_o,
  output wire logic                 write_fail_o,
  output wire logic                 write_retry_o,

  output wire nic_pkg::pci_status_e fail_status_o,

  // Bus, sampled; asserted is high
  input  wire logic                 bus_gnt_i,
  input  wire logic                 bus_frame_i,
  input  wire logic                 bus_irdy_i,
  input  wire logic                 bus_devsel_i,
  input  wire logic                 bus_trdy_i,
  input  wire logic                 bus_stop_i,
  input  wire logic                 bus_ack64_i,

  // Bus, registered
  output wire logic                 req_o,
  output wire logic                 frame_o,
  output wire logic                 frame_oe_o,
  output wire logic                 req64_o,
  output wire logic                 req64_oe_o,
  output wire logic                 irdy_o,
  output wire logic                 irdy_oe_o,
  // Bus, next values of registers in nic_pci_lanes
  output wire logic                 ad_load_o,
  output wire logic [63:0]          ad_o,
  output wire logic [1:0]           ad_oe_o,
  output wire logic                 cbe_load_o,
  output wire logic [7:0]           cbe_no,
  output wire logic [1:0]           cbe_oe_o,

  // Data phases that end in this clock, for the parity check
  output wire logic                 read_phase_o,
  output wire logic                 write_phase_o,
  output wire logic                 wide_phase_o,

  // Pulses
  output wire logic                 stat_transaction_o,
  output wire logic                 stat_retry_o,
  output wire logic                 stat_disconnect_o,
  output wire logic                 stat_timeout_o,
  output wire logic                 stat_master_abort_o,
  output wire logic                 stat_target_abort_o
);

  // The last clock after the address phase in which DEVSEL# of a subtractive decoder may come.
  localparam logic [1:0] DevselClocks = 2'd3;

  typedef enum logic [1:0] {
    StIdle,      // not on the bus, or parked
    StAddress,   // FRAME# is on the bus for the first clock
    StData,      // IRDY# is on the bus, the target decides
    StRelease    // stopped with FRAME# asserted: FRAME# has gone, IRDY# follows
  } state_e;

  state_e     state_d, state_q;
  logic       frame_d, frame_q, irdy_d, irdy_q, req_d, req_q;
  logic       frame_oe_q, irdy_oe_q;
  logic       write_d, write_q;          // the client on the bus, or the last one that was
  logic       wide_d, wide_q;            // this burst requests 64 bits
  logic       granted_q, granted_wide_q; // DEVSEL# was seen, with this ACK64#
  logic       first_q;                   // no data phase has completed
  logic       stopped_q;
  logic [1:0] devsel_clocks_q;
  logic [1:0] backoff_q;
  logic [7:0] timer_q;

  // ---- Arbitration between the clients --------------------------------------------------------

  wire logic idle_bus = !bus_frame_i && !bus_irdy_i;
  wire logic pick_write = write_burst_i.want && (!read_burst_i.want || !write_q);
  wire logic any_want = read_burst_i.want || write_burst_i.want;
  wire logic start = state_q == StIdle && any_want && backoff_q == 2'd0 && bus_gnt_i && idle_bus;
  wire logic park  = state_q == StIdle && bus_gnt_i && idle_bus;

  assign write_d = start ? pick_write : write_q;

  // The settings of the burst that would start now.
  wire logic [31:2] burst_addr    = pick_write ? write_burst_i.addr    : read_burst_i.addr;
  wire logic        burst_wide    = pick_write ? write_burst_i.wide    : read_burst_i.wide;
  wire logic [3:0]  burst_command = pick_write ? write_burst_i.command : read_burst_i.command;
  wire logic        other_want    = write_d ? read_burst_i.want : write_burst_i.want;

  assign wide_d = start ? burst_wide : wide_q;

  // ---- What the target says -------------------------------------------------------------------

  wire logic in_data   = state_q == StData;
  wire logic wide_now  = wide_q && (granted_q ? granted_wide_q : bus_ack64_i);
  wire logic moved     = in_data && bus_trdy_i;
  wire logic stopped   = in_data && bus_stop_i;
  wire logic aborted   = stopped && !bus_devsel_i;
  wire logic no_target = in_data && !granted_q && !bus_devsel_i && !bus_trdy_i && !bus_stop_i
                         && devsel_clocks_q == DevselClocks;

  // The lower half of a word that begins in its upper half: no byte was enabled.
  wire logic odd_start = write_q ? write_burst_i.addr[2] : read_burst_i.addr[2];
  wire logic empty     = wide_q && !wide_now && first_q && odd_start;

  wire nic_pci_pkg::move_t move = '{wide: moved && wide_now, narrow: moved && !wide_now && !empty};

  assign read_move_o    = write_q ? '0 : move;
  assign write_move_o   = write_q ? move : '0;
  assign read_narrow_o  = !write_q && moved && wide_q && !wide_now;
  assign write_narrow_o = write_q && moved && wide_q && !wide_now;
  assign read_busy_o    = state_q != StIdle && !write_q;
  assign write_busy_o   = state_q != StIdle && write_q;

  wire logic fail = no_target || aborted;
  assign read_fail_o   = fail && !write_q;
  assign write_fail_o  = fail && write_q;
  assign fail_status_o = no_target ? nic_pkg::PCI_MASTER_ABORT : nic_pkg::PCI_TARGET_ABORT;

  // ---- The phase that follows -------------------------------------------------------------------

  wire nic_pci_pkg::phase_t phase = write_q ? write_phase_i : read_phase_i;

  // Until the target has answered, a burst that requested 64 bits is presented as a burst of 64
  // bits.
  wire logic next_wide   = in_data ? wide_now : wide_q;
  wire logic client_last = next_wide ? phase.last_wide : phase.last_narrow;
  wire logic out_of_time = timer_q == 8'd0 && !bus_gnt_i;

  always_comb begin
    state_d = state_q;
    frame_d = frame_q;
    irdy_d  = irdy_q;
    case (state_q)
      StIdle: begin
        frame_d = start;
        irdy_d  = 1'b0;
        if (start) state_d = StAddress;
      end
      StAddress: begin
        frame_d = !(client_last || out_of_time);
        irdy_d  = 1'b1;
        state_d = StData;
      end
      StData: begin
        if (no_target || stopped || moved) begin
          if (!frame_q) begin
            irdy_d  = 1'b0;
            state_d = StIdle;
          end else if (no_target || stopped) begin
            frame_d = 1'b0;
            state_d = StRelease;
          end else begin
            frame_d = !(client_last || out_of_time);
          end
        end
      end
      StRelease: begin
        irdy_d  = 1'b0;
        state_d = StIdle;
      end
      default: state_d = StIdle;
    endcase
  end

  wire logic leave = state_q != StIdle && state_d == StIdle;

  always_comb begin
    if (state_q == StIdle && !start) req_d = any_want && backoff_q != 2'd2;
    else                             req_d = other_want && !stopped && !stopped_q;
  end

  assign req_o      = req_q;
  assign frame_o    = frame_q;
  assign frame_oe_o = frame_oe_q;
  assign req64_o    = frame_q && wide_q;
  assign req64_oe_o = frame_oe_q && wide_q;
  assign irdy_o     = irdy_q;
  assign irdy_oe_o  = irdy_oe_q;

  // ---- AD and C/BE# -----------------------------------------------------------------------------

  wire logic present = state_q == StAddress || moved;    // a new data phase is put on the bus

  assign ad_load_o  = start || (present && write_q);
  assign ad_o       = start ? {32'h0, burst_addr[31:3], burst_addr[2] && !burst_wide, 2'b00}
                            : {write_word_i[63:32],
                               !next_wide && phase.odd ? write_word_i[63:32] : write_word_i[31:0]};
  assign cbe_load_o = start || present;
  assign cbe_no     = start     ? {4'hF, burst_command} :
                      next_wide ? ~phase.be_wide : {4'hF, ~phase.be_narrow};

  logic [1:0] ad_oe, cbe_oe;
  always_comb begin
    if (start) begin
      ad_oe  = {burst_wide, 1'b1};
      cbe_oe = {burst_wide, 1'b1};
    end else if (state_q == StIdle) begin
      ad_oe  = {1'b0, park};
      cbe_oe = {1'b0, park};
    end else begin
      ad_oe  = {wide_q && write_q, write_q} & {2{!leave}};
      cbe_oe = {wide_q, 1'b1} & {2{!leave}};
    end
  end
  assign ad_oe_o  = ad_oe;
  assign cbe_oe_o = cbe_oe;

  // ---- Registers --------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q    <= StIdle;
      frame_q    <= 1'b0;
      irdy_q     <= 1'b0;
      req_q      <= 1'b0;
      frame_oe_q <= 1'b0;
      irdy_oe_q  <= 1'b0;
      write_q    <= 1'b0;
      wide_q     <= 1'b0;
      backoff_q  <= '0;
    end else begin
      state_q    <= state_d;
      frame_q    <= frame_d;
      irdy_q     <= irdy_d;
      req_q      <= req_d;
      // High for one clock before they float: FRAME# during the last data phase, IRDY# after it.
      frame_oe_q <= frame_d || irdy_d;
      irdy_oe_q  <= irdy_d || irdy_q;
      write_q    <= write_d;
      wide_q     <= wide_d;
      if (leave && (stopped || stopped_q)) backoff_q <= 2'd2;
      else if (backoff_q != 2'd0)          backoff_q <= backoff_q - 2'd1;
    end
    if (start) begin
      granted_q       <= 1'b0;
      first_q         <= 1'b1;
      stopped_q       <= 1'b0;
      devsel_clocks_q <= '0;
      timer_q         <= cfg_latency_timer_i;
    end else if (state_q != StIdle) begin
      if (in_data && bus_devsel_i && !granted_q) begin
        granted_q      <= 1'b1;
        granted_wide_q <= bus_ack64_i;
      end
      if (moved)                    first_q         <= 1'b0;
      if (stopped)                  stopped_q       <= 1'b1;
      if (in_data)                  devsel_clocks_q <= devsel_clocks_q + 2'd1;
      if (timer_q != 8'd0)          timer_q         <= timer_q - 8'd1;
    end
  end

  // ---- Parity and counters ----------------------------------------------------------------------

  assign read_phase_o  = moved && !write_q;
  assign write_phase_o = moved && write_q;
  assign wide_phase_o  = wide_now;

  wire logic retried = stopped && !aborted && !moved && first_q;

  assign read_retry_o  = retried && !write_q;
  assign write_retry_o = retried && write_q;

  assign stat_transaction_o  = start;
  assign stat_retry_o        = retried;
  assign stat_disconnect_o   = stopped && !aborted && !retried && !phase.none;
  assign stat_timeout_o      = out_of_time && !client_last && !stopped && (state_q == StAddress || (moved && frame_q));
  assign stat_master_abort_o = no_target;
  assign stat_target_abort_o = aborted;

  // ---- Assertions -------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni && moved) NothingLeftEndsTheBurst: assert (!(frame_q && phase.none));
  end

endmodule

`default_nettype wire
