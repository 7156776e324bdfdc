// The one delayed read that the target keeps: latched at the first attempt, served to the
// repetition (PCI 2.3, 3.3.3.3).
//
// Life:       none -> asked (the request is in the queue to the core) -> ready (every dword is in
//             the answer FIFO) -> delivering (the repetition is on the bus) -> flush (the dwords
//             that it did not take are dropped) -> none. From ready it also goes to flush when the
//             master stays away for 2^15 clocks.
// Order:      a write that comes after the request makes the answer stale, since the master that
//             sent the write may read what it has changed. So the answer is dropped, and the next
//             attempt asks again, behind the write. Reads of this NIC may be repeated.
// Progress:   when three answers were dropped in a row, the target retries writes while the fourth
//             is on its way, for at most 2^8 clocks: a bridge that must write before it reads then
//             goes on.
// Contract:   attempt_i comes for one clock with the decoded read. At most one of ask_o and
//             deliver_o answers it in the same clock; with neither, the target retries and this
//             module remembers nothing. After deliver_o the target takes answers with next_i, never
//             more than there are, until end_i.

`default_nettype none

module nic_pci_delayed_read #(
  parameter int unsigned DiscardClocksLog2 = 15
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  // A read of this agent is decoded
  input  wire logic        attempt_i,
  input  wire logic [3:0]  command_i,
  input  wire logic [31:0] addr_i,
  input  wire logic [3:0]  be_ni,
  input  wire logic [3:0]  dwords_i,       // to be prefetched, 1 to 8
  input  wire logic        queue_free_i,   // the queue to the core has room
  output wire logic        ask_o,          // put the request into the queue
  output wire logic        deliver_o,      // this is the repetition: answer it from the FIFO

  // The transaction that delivers
  input  wire logic        next_i,
  input  wire logic        end_i,

  // Writes of any master
  input  wire logic        write_i,        // one is posted
  output wire logic        hold_writes_o,  // retry them

  // Answer FIFO, reading side
  input  wire logic        answer_valid_i,
  input  wire logic [3:0]  answer_used_i,
  output wire logic        answer_ready_o,

  output wire logic        discard_o       // pulse: the master did not come back
);

  typedef enum logic [2:0] {StNone, StAsked, StReady, StDelivering, StFlush} state_e;

  state_e                         state_d, state_q;
  logic [3:0]                     command_q, be_nq, dwords_q;
  logic [31:0]                    addr_q;
  logic [DiscardClocksLog2-1:0]   wait_q;
  logic                           stale_q;
  logic [1:0]                     drops_q;       // stale answers in a row
  logic [7:0]                     hold_left_q;   // clocks

  wire logic same = command_i == command_q && addr_i == addr_q && be_ni == be_nq;
  wire logic late = state_q == StReady && wait_q == '1;

  assign ask_o          = attempt_i && state_q == StNone && queue_free_i;
  wire logic pending = state_q == StAsked || state_q == StReady;

  assign deliver_o      = attempt_i && state_q == StReady && same && !stale_q;
  assign hold_writes_o  = pending && drops_q == '1 && hold_left_q != '0;
  assign discard_o      = late && !deliver_o && !stale_q;
  assign answer_ready_o = next_i || state_q == StFlush;

  always_comb begin
    state_d = state_q;
    case (state_q)
      StNone:       if (ask_o) state_d = StAsked;
      StAsked:      if (answer_used_i >= dwords_q) state_d = StReady;
      StReady:      if (deliver_o) state_d = StDelivering; else if (late || stale_q) state_d = StFlush;
      StDelivering: if (end_i) state_d = StFlush;
      // Ready meant that all answers were seen: an empty FIFO is really empty.
      StFlush:      if (!answer_valid_i) state_d = StNone;
      default:      state_d = StNone;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StNone;
      drops_q <= '0;
    end else begin
      state_q <= state_d;
      if (deliver_o || discard_o)                               drops_q <= '0;
      else if (state_q == StReady && stale_q && drops_q != '1) drops_q <= drops_q + 2'd1;
    end
    if (ask_o)                   stale_q <= 1'b0;
    else if (write_i && pending) stale_q <= 1'b1;
    if (ask_o)                   hold_left_q <= '1;
    else if (hold_left_q != '0)  hold_left_q <= hold_left_q - 8'd1;
    if (ask_o) begin
      command_q <= command_i;
      addr_q    <= addr_i;
      be_nq     <= be_ni;
      dwords_q  <= dwords_i;
    end
    if (state_q == StReady)      wait_q <= wait_q + 1'b1;
    else if (state_q == StAsked) wait_q <= '0;
  end

  // ---- Assertions -------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (rst_ni && ask_o)  AsksForOneToEight:    assert (dwords_i != '0 && dwords_i <= 4'(nic_pkg::HOST_READ_DWORDS_MAX));
    if (rst_ni && hold_writes_o) NoWriteIsPosted: assert (!write_i);
    if (rst_ni && next_i) TakesOnlyWhatIsThere: assert (answer_valid_i);
  end

endmodule

`default_nettype wire
