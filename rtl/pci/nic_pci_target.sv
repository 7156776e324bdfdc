// The target: claims configuration accesses and memory accesses to both BARs, as a 32-bit agent
// with medium DEVSEL#.
//
// Timing:     address phase in clock n, decoded in n + 1, DEVSEL# with TRDY# or STOP# on the bus in
//             n + 2. There are no wait states: a phase that cannot be served at once is retried
//             (the first) or disconnected (a later one).
// Writes:     posted into the queue to the core; retried when it is full, disconnected with the
//             dword that fills it.
// Reads:      delayed (nic_pci_delayed_read), in bursts as far as the answer was prefetched; then
//             disconnected.
// Disconnect: also after the last dword of a BAR, after the first of a burst that is not linear,
//             and after every dword of configuration space.
// Ordering:   a delayed read stands in the same queue as the writes before it, and writes are
//             accepted while it waits.

`default_nettype none

module nic_pci_target #(
  parameter int unsigned SramBytes = 524288
) (
  input  wire logic                   clk_i,
  input  wire logic                   rst_ni,

  // Bus, sampled; asserted is high
  input  wire logic                   bus_frame_i,
  input  wire logic                   bus_irdy_i,
  input  wire logic                   bus_idsel_i,
  input  wire logic [31:0]            bus_ad_i,
  input  wire logic [3:0]             bus_cbe_ni,
  input  wire logic                   own_frame_i,       // this agent's master asserts FRAME#: not
                                                         // for us

  // Bus, next values of registers in nic_pci_lanes
  output wire logic                   ad_load_o,
  output wire logic [31:0]            ad_o,
  output wire logic                   ad_oe_o,
  // Bus, registered; one enable for all three
  output wire logic                   devsel_o,
  output wire logic                   trdy_o,
  output wire logic                   stop_o,
  output wire logic                   oe_o,

  // Parity
  output wire logic                   address_phase_o,   // address phase of another master, ends in
                                                         // this clock
  input  wire logic                   address_error_i,   // in the clock after: do not claim
  output wire logic                   write_phase_o,     // a dword was taken in this clock

  // Configuration space
  input  wire logic                   cfg_memory_enable_i,
  input  wire logic [31:17]           cfg_bar0_i,
  input  wire logic [31:$clog2(SramBytes)] cfg_bar1_i,
  output wire logic [5:0]             config_dword_o,
  input  wire logic [31:0]            config_rdata_i,
  output wire logic                   config_write_o,
  output wire logic [3:0]             config_be_o,
  output wire logic [31:0]            config_wdata_o,

  // Queue to the core. A valid request is always taken: it is given only when queue_free_i says so.
  output wire logic                   queue_valid_o,
  output wire nic_pkg::host_req_t     queue_req_o,
  input  wire logic [5:0]             queue_free_i,

  // Answers from the core
  input  wire logic                   answer_valid_i,
  output wire logic                   answer_ready_o,
  input  wire nic_pkg::host_rsp_t     answer_i,
  input  wire logic [3:0]             answer_used_i,

  // Pulses
  output wire logic                   stat_write_o,
  output wire logic                   stat_read_o,
  output wire logic                   stat_retry_o,
  output wire logic                   stat_discard_o
);

  localparam int unsigned Bar1Log2 = $clog2(SramBytes);

  if (SramBytes != (1 << Bar1Log2) || Bar1Log2 < 12 || Bar1Log2 > nic_pkg::SRAM_ADDR_BITS) begin : gen_bad_size
    $error("nic_pci_target: SramBytes must be a power of two from 4 KB to 2 MB");
  end

  // ---- Address phase ------------------------------------------------------------------

  logic        frame_q, decode_q, idsel_q;
  logic [31:0] addr_q;
  logic [3:0]  command_q;

  wire logic start = bus_frame_i && !frame_q;
  assign address_phase_o = start && !own_frame_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      // A transaction that is in its middle when reset ends is not for this target: it waits for
      // FRAME# to rise first.
      frame_q  <= 1'b1;
      decode_q <= 1'b0;
    end else begin
      frame_q  <= bus_frame_i;
      decode_q <= address_phase_o;
    end
    if (address_phase_o) begin
      addr_q    <= bus_ad_i;
      command_q <= bus_cbe_ni;
      idsel_q   <= bus_idsel_i;
    end
  end

  // ---- Decoder ------------------------------------------------------------------------

  wire logic is_write  = command_q[0];
  wire logic is_config = (command_q == nic_pci_pkg::CMD_CONFIG_READ || command_q == nic_pci_pkg::CMD_CONFIG_WRITE)
                         && idsel_q && addr_q[1:0] == 2'b00 && addr_q[10:8] == 3'd0;
  wire logic is_burst_read = command_q == nic_pci_pkg::CMD_MEMORY_READ_LINE
                          || command_q == nic_pci_pkg::CMD_MEMORY_READ_MULTIPLE;
  wire logic is_memory = cfg_memory_enable_i
                         && (command_q == nic_pci_pkg::CMD_MEMORY_READ || command_q == nic_pci_pkg::CMD_MEMORY_WRITE
                             || is_burst_read || command_q == nic_pci_pkg::CMD_MEMORY_WRITE_INVAL);
  wire logic in_bar0   = addr_q[31:17] == cfg_bar0_i;
  wire logic in_bar1   = addr_q[31:Bar1Log2] == cfg_bar1_i;

  wire logic claim        = decode_q && !address_error_i && (is_config || (is_memory && (in_bar0 || in_bar1)));
  wire logic claim_config = claim && is_config;
  wire logic claim_write  = claim && !is_config && is_write;
  wire logic claim_read   = claim && !is_config && !is_write;

  wire nic_pkg::host_space_e space = in_bar0 ? nic_pkg::SPACE_REGISTERS : nic_pkg::SPACE_SRAM;
  wire logic [20:2] offset = in_bar0 ? {4'h0, addr_q[16:2]} : 19'(addr_q[Bar1Log2-1:2]);
  wire logic linear = addr_q[1:0] == 2'b00;

  // Prefetch ends with the aligned 8 bytes, or the aligned 32 bytes for the line commands: never
  // beyond the BAR.
  wire logic [3:0] prefetch_dwords = in_bar0 || !linear ? 4'd1 :
                                     is_burst_read      ? 4'd8 - {1'b0, addr_q[4:2]} : 4'd2 - {3'b0, addr_q[2]};

  // ---- The transaction ------------------------------------------------------------------

  logic                 devsel_d, devsel_q, trdy_d, trdy_q, stop_d, stop_q, oe_q, ad_oe_d, ad_oe_q;
  logic                 config_q, write_q;     // the kind of the claimed transaction
  logic                 delivering_q;
  nic_pkg::host_space_e space_q;
  logic [20:2]          offset_q;

  // a dword, in this clock
  wire logic moved    = bus_irdy_i && trdy_q;
  // the last data phase ends
  wire logic finished = bus_irdy_i && !bus_frame_i && (trdy_q || stop_q);
  wire logic going_on = moved && bus_frame_i && !stop_q;                    // another phase follows

  wire logic [20:2] next_offset = offset_q + 19'd1;

  // BAR 0 has no bits above 16, and BAR 1 none above its own: they count as ones.
  function automatic logic is_last_of_bar(input nic_pkg::host_space_e which, input logic [20:2] dword);
    return &(dword | (which == nic_pkg::SPACE_REGISTERS ? ~19'h7FFF : ~19'(SramBytes / 4 - 1)));
  endfunction

  wire logic ask, deliver, hold_writes;

  always_comb begin
    devsel_d = devsel_q;
    trdy_d   = trdy_q;
    stop_d   = stop_q;
    ad_oe_d  = ad_oe_q;
    if (claim) begin
      devsel_d = 1'b1;
      ad_oe_d  = !is_write;
      if (claim_config) begin
        trdy_d = 1'b1;
        stop_d = 1'b1;
      end else if (claim_write) begin
        trdy_d = queue_free_i != 6'd0 && !hold_writes;
        stop_d = queue_free_i <= 6'd1 || hold_writes || !linear || is_last_of_bar(space, offset);
      end else begin
        trdy_d = deliver;
        stop_d = !deliver || answer_i.last;
      end
    end else if (finished) begin
      devsel_d = 1'b0;
      trdy_d   = 1'b0;
      stop_d   = 1'b0;
      ad_oe_d  = 1'b0;
    end else if (going_on) begin
      // The queue has room for the next dword, or the last phase had been announced as the last
      // with STOP#.
      stop_d   = write_q ? queue_free_i <= 6'd2 || is_last_of_bar(space_q, next_offset) : answer_i.last;
    end else if (moved) begin
      // Disconnected with data: no further dword, STOP# stays until FRAME# goes.
      trdy_d   = 1'b0;
    end
  end

  assign devsel_o  = devsel_q;
  assign trdy_o    = trdy_q;
  assign stop_o    = stop_q;
  assign oe_o      = oe_q;
  assign ad_oe_o   = ad_oe_d;
  assign ad_o      = claim_config ? config_rdata_i : answer_i.data;
  assign ad_load_o = (claim_config && !is_write) || deliver || (going_on && delivering_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      devsel_q     <= 1'b0;
      trdy_q       <= 1'b0;
      stop_q       <= 1'b0;
      oe_q         <= 1'b0;
      ad_oe_q      <= 1'b0;
      delivering_q <= 1'b0;
    end else begin
      devsel_q     <= devsel_d;
      trdy_q       <= trdy_d;
      stop_q       <= stop_d;
      oe_q         <= devsel_d || devsel_q;     // high for one clock before they float
      ad_oe_q      <= ad_oe_d;
      delivering_q <= deliver || (delivering_q && !finished);
    end
    if (claim) begin
      config_q <= is_config;
      write_q  <= is_write;
      space_q  <= space;
      offset_q <= offset;
    end else if (moved) begin
      offset_q <= next_offset;
    end
  end

  // ---- Configuration ----------------------------------------------------------------------

  assign config_dword_o = addr_q[7:2];
  assign config_write_o = moved && config_q && write_q;
  assign config_be_o    = ~bus_cbe_ni;
  assign config_wdata_o = bus_ad_i;

  // ---- Queue to the core --------------------------------------------------------------------

  // A dword without any byte enabled is accepted and writes nothing: it must not reach a doorbell.
  wire logic post = moved && write_q && !config_q && bus_cbe_ni != 4'hF;

  assign queue_valid_o = ask || post;
  assign queue_req_o   = '{
    space:       ask ? space : space_q,
    addr:        {ask ? offset : offset_q, 2'b00},
    we:          !ask,
    be:          ~bus_cbe_ni,
    wdata:       bus_ad_i,
    read_dwords: prefetch_dwords
  };

  nic_pci_delayed_read u_delayed_read (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .attempt_i      (claim_read),
    .command_i      (command_q),
    .addr_i         (addr_q),
    .be_ni          (bus_cbe_ni),
    .dwords_i       (prefetch_dwords),
    .queue_free_i   (queue_free_i != 6'd0),
    .ask_o          (ask),
    .deliver_o      (deliver),
    .next_i         (deliver || (going_on && delivering_q)),
    .end_i          (finished),
    .write_i        (post),
    .hold_writes_o  (hold_writes),
    .answer_valid_i (answer_valid_i),
    .answer_used_i  (answer_used_i),
    .answer_ready_o (answer_ready_o),
    .discard_o      (stat_discard_o)
  );

  // ---- Parity and counters --------------------------------------------------------------------

  assign write_phase_o = moved && write_q;
  assign stat_write_o  = post;
  assign stat_read_o   = moved && delivering_q;
  assign stat_retry_o  = claim && !trdy_d;

  // ---- Assertions -------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni && queue_valid_o) QueueIsNeverOverfilled:      assert (queue_free_i != 6'd0);
    if (rst_ni && claim)         ClaimsOneTransactionAtATime: assert (!devsel_q);
  end

endmodule

`default_nettype wire
